"""Bots: players with names, as tournaments take them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bearoff import load_tables
from tavla_ai.bots.peers.players import PEER_PLAYERS, OutsidePlayer, make_peer_player
from tavla_ai.checkpoint import Checkpoint, load_checkpoint
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import DEFAULT_SEARCH, MAX_PLY, SearchSettings
from tavla_ai.match import Utility
from tavla_ai.rulesets import Ruleset

BASELINES = ("random", "pubeval")

_PEER_EXAMPLES = tuple(f"{kind}:PLY" for kind in PEER_PLAYERS)

# What a bot makes of a match: `match` plays for it; `points` plays each game for its points; `untold` weighs the
# scores by the match, but tells the network that it plays a single game.
Awareness = Literal["match", "points", "untold"]


@dataclass(frozen=True)
class Bot:
    """A player with a name.

    Attributes:
      name: how results call it: a baseline, an outside engine with its ply, or the checkpoint's folder as it was given.
      player: what the engine runs, or an outside engine.
      checkpoint: the network behind it; None for a baseline or an outside engine.
    """

    name: str
    player: engine.Player | OutsidePlayer
    checkpoint: Checkpoint | None = None


def plays_pubeval(ruleset: Ruleset) -> bool:
    """Return whether pubeval, made for backgammon, plays a game."""
    return ruleset.family == "opposed-hit"


def network_player(
    ruleset: Ruleset,
    network: engine.Network,
    *,
    ply: int = 0,
    search: SearchSettings = DEFAULT_SEARCH,
    awareness: Awareness = "match",
) -> engine.Player:
    """Return a network as the engine plays it, with the game's bear-off tables.

    Args:
      ply: look-ahead of its plays.
      search: how look-ahead is narrowed.
      awareness: what it makes of a match.
    """
    single = Utility.points(ruleset)
    return engine.Player.network(
        network,
        load_tables(ruleset),
        ply=ply,
        values=np.array(single.values, np.float32) if awareness == "points" else None,
        inputs=None if awareness == "match" else np.array(single.inputs, np.float32),
        **search.filters(),
    )


def make_bot(spec: str, ruleset: Ruleset) -> Bot:
    """Return the bot that `spec` names.

    Args:
      spec: `random` (every legal play with equal chance), `pubeval` (Tesauro's benchmark player), or the
        folder of a checkpoint. A folder with a baseline's name is written `./random`. After a folder, `@1` looks
        one ply ahead, up to `@4`; `+points` plays each game of a match for its points, and `+untold` weighs the
        scores by the match without telling the network: `checkpoints/tavla@1+points`. `gnubg:0` and `sage:0` are
        GNU Backgammon and Open Sage at a ply, which play every game for its points.
      ruleset: the game it is to play.

    Raises:
      TavlaError: no bot has that name, and the message lists those that exist; or an outside engine is not installed.
      RulesetError: pubeval or an outside engine does not play that game, or Gul Bara is to be looked ahead.
      CheckpointError: the checkpoint cannot be used for that game; see `load_checkpoint`.
    """
    if spec == "random":
        return Bot(spec, engine.Player.random())
    if spec == "pubeval":
        if not plays_pubeval(ruleset):
            raise RulesetError(f"pubeval: plays only the opposed, hitting games, not {ruleset.name}")
        return Bot(spec, engine.Player.pubeval(_pubeval_weights("contact"), _pubeval_weights("race")))
    if peer := re.fullmatch(rf"({'|'.join(PEER_PLAYERS)}):([0-9]{{1,3}})", spec):
        return Bot(spec, make_peer_player(spec, peer[1], int(peer[2]), ruleset))
    folder, ply, awareness = read_spec(spec)
    if not folder or not Path(folder).exists():
        raise TavlaError(
            f"unknown bot {spec!r}; expected {', '.join((*BASELINES, *_PEER_EXAMPLES))} or a checkpoint's folder"
        )
    if ply > 0 and ruleset.family == "gul-bara":
        raise RulesetError(f"{spec}: a turn of Gul Bara is more than one roll; only 0-ply is played")
    checkpoint = load_checkpoint(Path(folder), ruleset)
    player = network_player(ruleset, checkpoint.network_for(ruleset), ply=ply, awareness=awareness)
    return Bot(str(Path(folder)) + spec[len(folder) :], player, checkpoint)


def read_spec(spec: str) -> tuple[str, int, Awareness]:
    """Return the folder, the ply and the awareness of a checkpoint's spec; a folder that exists is itself.

    Raises:
      TavlaError: a ply out of range.
    """
    match = re.fullmatch(rf"(.*?)(?:@([0-9]+))?(?:\+({'|'.join(get_args(Awareness))}))?", spec, re.DOTALL)
    if match is None or Path(spec).exists():
        return spec, 0, "match"
    ply = int(match[2] or 0)
    if ply > MAX_PLY:
        raise TavlaError(f"{spec}: ply {ply}, expected 0 to {MAX_PLY}")
    awareness: Awareness = match[3] or "match"  # type: ignore[assignment]
    return match[1], ply, awareness


def _pubeval_weights(kind: str) -> npt.NDArray[np.float32]:
    text = (files("tavla_ai") / "data" / f"pubeval-{kind}.txt").read_text(encoding="ascii")
    return np.array(text.split(), dtype=np.float32)
