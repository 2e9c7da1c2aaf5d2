"""Outside engines ("peers"), for comparison: none of their code or weights is part of the product.

`PEERS` lists them. To add one, write a file with its adapter and a row here. It then plays as the bot `NAME:PLY` and is
compared by `tavla bench --against NAME`, as far as its abilities allow. An adapter is loaded when it is first used; it
imports its engine, which the extra [peers] installs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tavla_ai.bots.peers.abilities import Ability, CountingPeer, EvaluatingPeer, PlayingPeer
from tavla_ai.bots.peers.player import PeerPlayer
from tavla_ai.errors import TavlaError
from tavla_ai.rules import Ruleset

__all__ = ["MAX_PEER_PLY", "PEERS", "Peer", "counting_peer", "evaluating_peer", "peer_player", "peers_able_to"]

MAX_PEER_PLY = 3


@dataclass(frozen=True)
class Peer:
    """A row of the registry.

    Attributes:
      adapter: class of the adapter, as `MODULE:CLASS`.
      abilities: tasks that the engine can do; see `abilities`.
    """

    adapter: str
    abilities: frozenset[Ability]


# By the name that users type.
PEERS: dict[str, Peer] = {
    "gnubg": Peer("tavla_ai.bots.peers.gnubg:Gnubg", frozenset({"play"})),
    "gnubg-nn": Peer("tavla_ai.bots.peers.gnubg_nn:GnubgNN", frozenset({"evaluate", "count plays"})),
    "sage": Peer("tavla_ai.bots.peers.sage:Sage", frozenset({"play", "evaluate", "count plays"})),
}


def peers_able_to(*abilities: Ability) -> tuple[str, ...]:
    """Return the names of the outside engines that have all these abilities."""
    return tuple(name for name, peer in PEERS.items() if peer.abilities.issuperset(abilities))


def peer_player(kind: str, ply: int, ruleset: Ruleset) -> PeerPlayer:
    """Return an outside engine as a player, named `KIND:PLY` in results.

    Args:
      kind: name of the engine in `PEERS`.
      ply: look-ahead, 0 to `MAX_PEER_PLY`.
      ruleset: the game to play.

    Raises:
      TavlaError: the engine is unknown, cannot play, is not installed, or cannot look `ply` plies ahead.
      RulesetError: the engine does not play the game.
    """
    name = f"{kind}:{ply}"
    if not 0 <= ply <= MAX_PEER_PLY:
        raise TavlaError(f"{name}: ply {ply}, expected 0 to {MAX_PEER_PLY}")
    peer: PlayingPeer = _load(kind, "play")
    return PeerPlayer(name, peer, ruleset, ply)


def evaluating_peer(name: str) -> EvaluatingPeer:
    """Return the adapter of an outside engine that evaluates positions.

    Raises:
      TavlaError: the engine is unknown, cannot evaluate, or is not installed.
    """
    peer: EvaluatingPeer = _load(name, "evaluate")
    return peer


def counting_peer(name: str) -> CountingPeer:
    """Return the adapter of an outside engine that counts plays.

    Raises:
      TavlaError: the engine is unknown, cannot count plays, or is not installed.
    """
    peer: CountingPeer = _load(name, "count plays")
    return peer


def _load(name: str, ability: Ability) -> Any:
    if name not in PEERS:
        raise TavlaError(f"unknown outside engine {name!r}; expected {_listed(PEERS)}")
    if ability not in PEERS[name].abilities:
        raise TavlaError(f"{name} cannot {ability}; expected {_listed(peers_able_to(ability))}")
    module, _, adapter = PEERS[name].adapter.partition(":")
    try:
        return getattr(import_module(module), adapter)()
    except ImportError as error:
        raise TavlaError(f"{name} is not installed ({error}); in the checkout: pip install --pre '.[peers]'") from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
