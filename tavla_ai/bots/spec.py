"""Bots by name: `hard`, `pubeval`, `DIR@1:0.05+points`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from tavla_ai.bots.bot import (
    BASELINES,
    Awareness,
    Bot,
    PlayStyle,
    checkpoint_bot,
    join_bots,
    pubeval_bot,
    random_bot,
)
from tavla_ai.bots.level import level_bot
from tavla_ai.bots.levels import LEVEL_NAMES, Levels
from tavla_ai.bots.peers import peer_player, peers_able_to
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.network import CARD_FILE, is_checkpoint, load_checkpoint, read_card
from tavla_ai.rules import MatchSet, Ruleset, get_ruleset

# Cap of a noisy bot's plays where nothing else is said, in standard deviations of its noise.
_CAP_PER_NOISE = 3
# A judgement that is off by more says nothing about the game.
_MAX_NOISE = 6.0


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
        return random_bot(ruleset)
    if spec == "pubeval":
        return pubeval_bot(ruleset)
    if spec in LEVEL_NAMES:
        return level_bot(spec, ruleset, levels, match_length)
    peers = peers_able_to("play")
    if peer := re.fullmatch(rf"({'|'.join(map(re.escape, peers))}):([0-9]{{1,3}})", spec):
        return Bot(spec, ruleset, peer_player(peer[1], int(peer[2]), ruleset))
    folder, style = _read_spec(spec)
    if not folder or not Path(folder).exists():
        names = ", ".join((*BASELINES, *LEVEL_NAMES, *(f"{kind}:PLY" for kind in peers)))
        raise TavlaError(f"unknown bot {spec!r}; expected {names} or a checkpoint's folder")
    name = str(Path(folder)) + spec[len(folder) :]
    return checkpoint_bot(name, ruleset, load_checkpoint(Path(folder), ruleset), style)


def at_ply(spec: str, ply: int) -> str:
    """Return the name of a checkpoint's bot that looks `ply` plies ahead; the name of any other bot as it is."""
    is_folder = spec not in (*BASELINES, *LEVEL_NAMES) and Path(spec).is_dir()
    return f"{spec}@{ply}" if ply and is_folder else spec


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
    made = [make_bot(parts[name], get_ruleset(name), levels, match_length) for name in match_set.games]
    return join_bots(spec, match_set, made)


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


def _read_spec(spec: str) -> tuple[str, PlayStyle]:
    """Return the folder and the style of a checkpoint's spec; a folder that exists is itself."""
    match = _SPEC.fullmatch(spec)
    if match is None or Path(spec).exists():
        return spec, PlayStyle()
    ply, noise = int(match["ply"] or 0), float(match["noise"] or 0)
    if ply > MAX_PLY:
        raise TavlaError(f"{spec}: ply {ply}, expected 0 to {MAX_PLY}")
    cap = _CAP_PER_NOISE * noise if match["cap"] is None else float(match["cap"])
    for what, points, most in (("noise", noise, _MAX_NOISE), ("cap", cap, _CAP_PER_NOISE * _MAX_NOISE)):
        if points > most:
            raise TavlaError(f"{spec}: {what} {points:g}, expected 0 to {most:g} points")
    awareness: Awareness = match["awareness"] or "match"  # type: ignore[assignment]
    return match["folder"], PlayStyle(ply, noise, cap, awareness)
