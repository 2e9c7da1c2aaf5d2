"""Outside engines ("peers"), for comparison: none of their code or weights is part of the product.

`PEERS` lists them. To add one, write a file with its adapter and a row here. It then plays as the bot `NAME:PLY`, or
`NAME:FILE` where the user brings its weights, and is compared by `tavla bench --against NAME`, as far as its abilities
allow. An adapter is loaded when it is first used; it imports its engine, which the extra [peers] installs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tavla_ai.bots.peers.abilities import Ability, CountingPeer, EvaluatingPeer, PlayingPeer
from tavla_ai.bots.peers.player import PeerPlayer
from tavla_ai.errors import TavlaError
from tavla_ai.rules import Ruleset

__all__ = [
    "MAX_PEER_PLY",
    "PEERS",
    "Peer",
    "counting_peer",
    "evaluating_peer",
    "peer_player",
    "peer_spec",
    "peers_able_to",
]

MAX_PEER_PLY = 3


@dataclass(frozen=True)
class Peer:
    """A row of the registry.

    Attributes:
      adapter: class of the adapter, as `MODULE:CLASS`.
      abilities: tasks that the engine can do; see `abilities`.
      reads_file: whether it plays with a file that the user names, at 0-ply; otherwise it has weights of its own and
        looks as many plies ahead as the user says.
    """

    adapter: str
    abilities: frozenset[Ability]
    reads_file: bool = False

    @property
    def option(self) -> str:
        """What follows the engine's name and a colon in the name of a bot."""
        return "FILE" if self.reads_file else "PLY"


# By the name that users type.
PEERS: dict[str, Peer] = {
    "gnubg": Peer("tavla_ai.bots.peers.gnubg:Gnubg", frozenset({"play"})),
    "gnubg-nn": Peer("tavla_ai.bots.peers.gnubg_nn:GnubgNN", frozenset({"evaluate", "count plays"})),
    "mars": Peer("tavla_ai.bots.peers.mars:Mars", frozenset({"play"}), reads_file=True),
    "sage": Peer("tavla_ai.bots.peers.sage:Sage", frozenset({"play", "double", "evaluate", "count plays"})),
}


def peers_able_to(*abilities: Ability) -> tuple[str, ...]:
    """Return the names of the outside engines that have all these abilities."""
    return tuple(name for name, peer in PEERS.items() if peer.abilities.issuperset(abilities))


def peer_spec(name: str) -> tuple[str, str] | None:
    """Return the engine and the option of a bot's name, such as `gnubg:2`; None if it names no outside engine."""
    kind, colon, option = name.partition(":")
    if not colon or kind not in peers_able_to("play"):
        return None
    is_option = bool(option) if PEERS[kind].reads_file else re.fullmatch(r"[0-9]{1,3}", option)
    return (kind, option) if is_option else None


def peer_player(kind: str, option: str, ruleset: Ruleset) -> PeerPlayer:
    """Return an outside engine as a player, named `KIND:OPTION` in results.

    Args:
      kind: name of the engine in `PEERS`.
      option: its look-ahead, 0 to `MAX_PEER_PLY`, or the path of its file.
      ruleset: the game to play.

    Raises:
      TavlaError: the engine is unknown, cannot play, is not installed, cannot look so many plies ahead, or cannot read
        the file.
      RulesetError: the engine does not play the game.
    """
    name = f"{kind}:{option}"
    if kind in PEERS and PEERS[kind].reads_file:
        reading: PlayingPeer = _load(kind, "play", option)
        return PeerPlayer(name, reading, ruleset, 0)
    ply = int(option)
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


def _load(name: str, ability: Ability, *arguments: str) -> Any:
    if name not in PEERS:
        raise TavlaError(f"unknown outside engine {name!r}; expected {_listed(PEERS)}")
    if ability not in PEERS[name].abilities:
        raise TavlaError(f"{name} cannot {ability}; expected {_listed(peers_able_to(ability))}")
    module, _, adapter = PEERS[name].adapter.partition(":")
    try:
        return getattr(import_module(module), adapter)(*arguments)
    except ImportError as error:
        raise TavlaError(f"{name} is not installed ({error}); in the checkout: pip install --pre '.[peers]'") from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
