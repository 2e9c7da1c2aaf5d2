"""Bots: players with names, as tournaments take them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bearoff import load_tables
from tavla_ai.bots.peers.players import PEER_PLAYERS, OutsidePlayer, make_peer_player
from tavla_ai.checkpoint import CARD_FILE, Checkpoint, is_checkpoint, load_checkpoint, read_card
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import DEFAULT_SEARCH, SearchSettings
from tavla_ai.levels import DEFAULT_LEVELS, LEVEL_NAMES, LEVELS_VARIABLE, LevelName, Levels
from tavla_ai.match import Utility
from tavla_ai.rulesets import MatchSet, Ruleset, get_ruleset

BASELINES = ("random", "pubeval")

_PEER_EXAMPLES = tuple(f"{kind}:PLY" for kind in PEER_PLAYERS)

# What a bot makes of a match: `match` plays for it; `points` plays each game for its points; `untold` weighs the
# scores by the match, but tells the network that it plays a single game.
Awareness = Literal["match", "points", "untold"]

# A noisy bot's plays lose at most so many standard deviations of its noise, where nothing else is said.
_CAP_PER_NOISE = 3
# A judgement that is off by more says nothing about the game.
_MAX_NOISE = 6.0


@dataclass(frozen=True)
class Level:
    """How a network plays.

    Attributes:
      ply: look-ahead of its plays.
      noise: standard deviation of the error in its judgement of each position, in points.
      cap: what a play may lose at most by that error, in points.
      awareness: what it makes of a match.
    """

    ply: int = 0
    noise: float = 0.0
    cap: float = 0.0
    awareness: Awareness = "match"


@dataclass(frozen=True)
class Bot:
    """A player with a name.

    Attributes:
      name: how results call it: a baseline, a level, an outside engine with its ply, or the checkpoint's folder as it
        was given.
      player: what the engine runs, or an outside engine.
      checkpoint: the network behind it; None for a baseline or an outside engine.
      level: how that network plays.
      parts: who plays each game of a set, in its order; none for a bot of one game. The others are then the first's.
    """

    name: str
    player: engine.Player | OutsidePlayer
    checkpoint: Checkpoint | None = None
    level: Level = Level()
    parts: tuple[Bot, ...] = ()


def plays_pubeval(ruleset: Ruleset) -> bool:
    """Return whether pubeval, made for backgammon, plays a game."""
    return ruleset.family == "opposed-hit"


def network_player(
    ruleset: Ruleset,
    network: engine.Network,
    level: Level = Level(),
    *,
    search: SearchSettings = DEFAULT_SEARCH,
) -> engine.Player:
    """Return a network as the engine plays it, with the game's bear-off tables.

    Args:
      level: how it plays.
      search: how look-ahead is narrowed.
    """
    single = Utility.points(ruleset)
    return engine.Player.network(
        network,
        load_tables(ruleset),
        ply=level.ply,
        values=np.array(single.values, np.float32) if level.awareness == "points" else None,
        inputs=None if level.awareness == "match" else np.array(single.inputs, np.float32),
        noise=level.noise,
        cap=level.cap,
        **search.filters(),
    )


def checkpoint_bot(name: str, ruleset: Ruleset, checkpoint: Checkpoint, level: Level = Level()) -> Bot:
    """Return a bot that plays with a checkpoint's network.

    Raises:
      RulesetError: Gul Bara is to be looked ahead or misjudged.
    """
    if level != Level(awareness=level.awareness) and ruleset.family == "gul-bara":
        raise RulesetError(f"{name}: a turn of Gul Bara is more than one roll; only 0-ply without noise is played")
    return Bot(name, network_player(ruleset, checkpoint.network_for(ruleset), level), checkpoint, level)


def level_bot(name: LevelName, ruleset: Ruleset, levels: Levels | None, match_length: int | None = None) -> Bot:
    """Return a level of a game's ladder.

    Args:
      levels: the file of levels; None where there is none.
      match_length: points that win the matches it is to play; None for single games.

    Raises:
      TavlaError: there is no such file, it has no levels of that game, or the level was measured with other weights.
      CheckpointError: the level's checkpoint cannot be used; see `load_checkpoint`.
    """
    if levels is None:
        raise TavlaError(
            f"level {name}: no file of levels, such as {DEFAULT_LEVELS}; name one with --levels FILE or "
            f"{LEVELS_VARIABLE}, or write ./{name} for a folder"
        )
    ladder = levels.ladder(ruleset, match_length)
    level = ladder.level(name)
    plays = Level(level.ply, level.noise, level.cap)
    return checkpoint_bot(name, ruleset, levels.checkpoint(name, ladder.levels[name], ruleset), plays)


def make_bot(spec: str, ruleset: Ruleset, levels: Levels | None = None, match_length: int | None = None) -> Bot:
    """Return the bot that `spec` names.

    Args:
      spec: `random` (every legal play with equal chance), `pubeval` (Tesauro's benchmark player), a level (`easy`,
        `medium`, `hard`), or the folder of a checkpoint. A folder with such a name is written `./random`. After a
        folder, `@1` looks one ply ahead, up to `@4`; `:0.05` judges each position with an error of 0.05 points (one
        standard deviation), by which a play loses three times as much at most, or what a second number says,
        `:0.05,0.1`; `+points` plays each game of a match for its points, and `+untold` weighs the scores by the match
        without telling the network: `checkpoints/tavla@1:0.05+points`. `gnubg:0` and `sage:0` are GNU Backgammon
        and Open Sage at a ply, which play every game for its points.
      ruleset: the game it is to play.
      levels: the file that levels are taken from; None where there is none.
      match_length: which of its ladders, by the points that win a match; None for single games.

    Raises:
      TavlaError: no bot has that name, and the message lists those that exist; an outside engine is not installed; or
        a level that is not to be had, see `level_bot`.
      RulesetError: pubeval or an outside engine does not play that game, or Gul Bara is to be looked ahead or
        misjudged.
      CheckpointError: the checkpoint cannot be used for that game; see `load_checkpoint`.
    """
    if spec == "random":
        return Bot(spec, engine.Player.random())
    if spec == "pubeval":
        if not plays_pubeval(ruleset):
            raise RulesetError(f"pubeval: plays only the opposed, hitting games, not {ruleset.name}")
        return Bot(spec, engine.Player.pubeval(_pubeval_weights("contact"), _pubeval_weights("race")))
    if spec in LEVEL_NAMES:
        return level_bot(spec, ruleset, levels, match_length)
    if peer := re.fullmatch(rf"({'|'.join(PEER_PLAYERS)}):([0-9]{{1,3}})", spec):
        return Bot(spec, make_peer_player(spec, peer[1], int(peer[2]), ruleset))
    folder, level = _read_spec(spec)
    if not folder or not Path(folder).exists():
        names = ", ".join((*BASELINES, *LEVEL_NAMES, *_PEER_EXAMPLES))
        raise TavlaError(f"unknown bot {spec!r}; expected {names} or a checkpoint's folder")
    name = str(Path(folder)) + spec[len(folder) :]
    return checkpoint_bot(name, ruleset, load_checkpoint(Path(folder), ruleset), level)


def make_set_bot(spec: str, match_set: MatchSet, levels: Levels | None = None, match_length: int | None = None) -> Bot:
    """Return the bot that `spec` names, for a set of games.

    Args:
      spec: one that plays every game, such as `random`, or one for each game: `portes=DIR,plakoto-greek=DIR@1,...`.
      levels: see `make_bot`.
      match_length: see `make_bot`.

    Raises:
      TavlaError: a game of the set has no bot or two, or an unknown one; the errors of `make_bot`.
    """
    parts = set_parts(spec, match_set)
    names = tuple(dict.fromkeys(match_set.games))
    if parts is None:
        parts = dict.fromkeys(names, spec)
    elif len(parts) != len(names):
        raise TavlaError(
            f"{spec}: expected a bot for each game, such as {','.join(f'{name}=random' for name in names)}"
        )
    return join_bots(spec, [make_bot(parts[name], get_ruleset(name), levels, match_length) for name in match_set.games])


def set_parts(spec: str, match_set: MatchSet) -> dict[str, str] | None:
    """Return what `GAME=WHAT,GAME=WHAT` says of the games of a set; None where it names no game.

    Raises:
      TavlaError: something stands before the first game, or a game is named twice.
    """
    names = tuple(dict.fromkeys(match_set.games))
    found = re.split(rf"(?:^|,)({'|'.join(map(re.escape, names))})=", spec)
    parts = dict(zip(found[1::2], found[2::2], strict=True))
    if parts and (found[0] or len(found) != 2 * len(parts) + 1):
        raise TavlaError(f"{spec}: expected each of {', '.join(names)} once, such as {names[0]}=...")
    return parts or None


def join_bots(name: str, parts: Sequence[Bot]) -> Bot:
    """Return one bot for the games of a set that plays each of them as its part does."""
    first = parts[0]
    return Bot(name, first.player, first.checkpoint, first.level, tuple(parts))


def run_checkpoints(run: Path) -> list[str]:
    """Return the checkpoints of a training run as bots, the oldest first, `final` last if it is another one.

    Raises:
      TavlaError: there are none.
    """
    found = sorted(path for path in (run / "checkpoints").glob("*") if is_checkpoint(path))
    final = run / "final"
    if is_checkpoint(final):
        last = read_card(found[-1] / CARD_FILE).weights_sha256 if found else None
        if read_card(final / CARD_FILE).weights_sha256 != last:
            found.append(final)
    if not found:
        raise TavlaError(f"{run}: no training run with checkpoints")
    return [str(path) for path in found]


_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_SPEC = re.compile(
    rf"(?P<folder>.*?)(?:@(?P<ply>[0-9]+))?(?::(?P<noise>{_NUMBER})(?:,(?P<cap>{_NUMBER}))?)?"
    rf"(?:\+(?P<awareness>{'|'.join(get_args(Awareness))}))?",
    re.DOTALL | re.ASCII,
)


def _read_spec(spec: str) -> tuple[str, Level]:
    """Return the folder and the level of a checkpoint's spec; a folder that exists is itself."""
    match = _SPEC.fullmatch(spec)
    if match is None or Path(spec).exists():
        return spec, Level()
    ply, noise = int(match["ply"] or 0), float(match["noise"] or 0)
    if ply > MAX_PLY:
        raise TavlaError(f"{spec}: ply {ply}, expected 0 to {MAX_PLY}")
    cap = _CAP_PER_NOISE * noise if match["cap"] is None else float(match["cap"])
    for what, points, most in (("noise", noise, _MAX_NOISE), ("cap", cap, _CAP_PER_NOISE * _MAX_NOISE)):
        if points > most:
            raise TavlaError(f"{spec}: {what} {points:g}, expected 0 to {most:g} points")
    awareness: Awareness = match["awareness"] or "match"  # type: ignore[assignment]
    return match["folder"], Level(ply, noise, cap, awareness)


def _pubeval_weights(kind: str) -> npt.NDArray[np.float32]:
    text = (files("tavla_ai") / "data" / f"pubeval-{kind}.txt").read_text(encoding="ascii")
    return np.array(text.split(), dtype=np.float32)
