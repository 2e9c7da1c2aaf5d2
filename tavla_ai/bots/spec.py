"""Bots by name: `hard`, `pubeval`, `tavla/hard@1:0.05+points`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from tavla_ai.bots.bot import (
    BASELINES,
    Awareness,
    Bot,
    PlayStyle,
    baseline_bot,
    checkpoint_bot,
    join_bots,
    pubeval_bot,
    random_bot,
)
from tavla_ai.bots.level import level_bot
from tavla_ai.bots.levels import LEVEL_NAMES, Levels, level_name
from tavla_ai.bots.peers import PEERS, peer_player, peer_spec, peers_able_to
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.network import CARD_FILE, find_checkpoint, is_checkpoint, load_checkpoint, read_card, shipped_names
from tavla_ai.rules import DEFAULT_RULESET, MatchSet, Ruleset, check_match_length, get_game, get_ruleset

# Default cap of a noisy bot's plays, in standard deviations of its noise.
_CAP_PER_NOISE = 3
# A larger error leaves nothing of the judgement.
_MAX_NOISE = 6.0


def load_bot(
    name: str | Path,
    game: str | Ruleset | MatchSet = DEFAULT_RULESET,
    levels: Levels | str | Path | None = None,
    match_length: int | None = None,
) -> Bot:
    """Return a bot by its name.

    The names are:

    - a level of the house: `easy`, `medium` or `hard`;
    - a baseline: `random` makes every legal play with the same chance, `baseline` is a hand-made player of every game,
      `pubeval` is Tesauro's benchmark player for backgammon;
    - an outside engine and its ply: `gnubg:0` is GNU Backgammon, `sage:1` is Open Sage; they play for points.
      `mars:FILE` is a network of the project gammonx-server for Plakoto or Fevga, whose file you bring;
    - a shipped checkpoint, such as `tavla/hard`, or the folder of any checkpoint. A folder with one of the names above
      is written `./random`, or given as a `Path`.

    Options may follow a checkpoint: `@1` looks one ply ahead, up to `@4`. `:0.05` judges each position with an error of
    0.05 points (one standard deviation), by which a play loses at most three times as much, or at most what a second
    number says: `:0.05,0.1`. `+points` plays each game of a match for its points. `+untold` weighs the scores by the
    match, but does not tell the network. All together: `tavla/hard@1:0.05+points`.

    Args:
      name: the bot. For a set of games one bot that plays every game, or a bot for each game:
        `portes=hard,plakoto-greek=random,fevga=DIR`.
      game: a ruleset or a set of games, or its name.
      levels: the file of levels; None takes the shipped levels.
      match_length: points that win the matches to play; it selects the ladder of a level. None plays single games.

    Raises:
      TavlaError: no bot has this name (the message lists those that exist), an outside engine is not installed, a
        level is not available (see `level_bot`), or a set of games has a game without a bot.
      RulesetError: the game is unknown, a baseline or outside engine does not play it, or look-ahead or noise is asked
        for in Gul Bara.
      CheckpointError: the checkpoint cannot be used for the game; see `load_checkpoint`.
    """
    played = get_game(game) if isinstance(game, str) else game
    file = levels if isinstance(levels, Levels) else Levels() if levels is None else Levels(Path(levels))
    if isinstance(name, Path):
        name = str(name if name.is_absolute() else f"./{name}")
    if match_length is not None:
        check_match_length(played, match_length)
    if isinstance(played, MatchSet):
        return _set_bot(name, played, file, match_length)
    return _game_bot(name, played, file, match_length)


def _game_bot(name: str, ruleset: Ruleset, levels: Levels, match_length: int | None) -> Bot:
    if name == "random":
        return random_bot(ruleset)
    if name == "baseline":
        return baseline_bot(ruleset)
    if name == "pubeval":
        return pubeval_bot(ruleset)
    if name in LEVEL_NAMES:
        return level_bot(level_name(name), ruleset, levels, match_length)
    if peer := peer_spec(name):
        return Bot(name, ruleset, peer_player(*peer, ruleset))
    folder, style = _read_spec(name)
    if not folder or not find_checkpoint(folder).exists():
        engines = (f"{kind}:{PEERS[kind].option}" for kind in peers_able_to("play"))
        known = ", ".join((*BASELINES, *LEVEL_NAMES, *engines, *shipped_names()))
        raise TavlaError(f"unknown bot {name!r}; expected {known} or a checkpoint's folder")
    shown = str(Path(folder)) + name[len(folder) :]
    return checkpoint_bot(shown, ruleset, load_checkpoint(folder, ruleset), style)


def _set_bot(name: str, match_set: MatchSet, levels: Levels, match_length: int | None) -> Bot:
    parts = set_parts(name, match_set)
    games = tuple(dict.fromkeys(match_set.games))
    if parts is None:
        parts = dict.fromkeys(games, name)
    elif len(parts) != len(games):
        raise TavlaError(
            f"{name}: expected a bot for each game, such as {','.join(f'{game}=random' for game in games)}"
        )
    made = [_game_bot(parts[game], get_ruleset(game), levels, match_length) for game in match_set.games]
    return join_bots(name, match_set, made)


def at_ply(name: str, ply: int) -> str:
    """Return the name of a checkpoint's bot that looks `ply` plies ahead; the name of any other bot as it is."""
    is_checkpoint_name = name not in (*BASELINES, *LEVEL_NAMES) and find_checkpoint(name).is_dir()
    return f"{name}@{ply}" if ply and is_checkpoint_name else name


def set_parts(spec: str, match_set: MatchSet) -> dict[str, str] | None:
    """Return the value of each game in `GAME=VALUE,GAME=VALUE`; None if the text names no game of the set.

    Raises:
      TavlaError: the text does not begin with a game, or names a game twice.
    """
    names = tuple(dict.fromkeys(match_set.games))
    found = re.split(rf"(?:^|,)({'|'.join(map(re.escape, names))})=", spec)
    parts = dict(zip(found[1::2], found[2::2], strict=True))
    if parts and (found[0] or len(found) != 2 * len(parts) + 1):
        raise TavlaError(f"{spec}: expected each of {', '.join(names)} once, such as {names[0]}=...")
    return parts or None


def run_checkpoints(run: Path) -> list[str]:
    """Return the names of a training run's checkpoints as bots, the oldest first, `final` last if it differs.

    Raises:
      TavlaError: the run has no checkpoints.
    """
    found = sorted(path for path in (run / "checkpoints").glob("*") if is_checkpoint(path))
    final = run / "final"
    if is_checkpoint(final):
        last = read_card(found[-1] / CARD_FILE).weights_sha256 if found else None
        if read_card(final / CARD_FILE).weights_sha256 != last:
            found.append(final)
    if not found:
        raise TavlaError(f"{run}: not a training run with checkpoints")
    return [str(path) for path in found]


_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_SPEC = re.compile(
    rf"(?P<folder>.*?)(?:@(?P<ply>[0-9]+))?(?::(?P<noise>{_NUMBER})(?:,(?P<cap>{_NUMBER}))?)?"
    rf"(?:\+(?P<awareness>{'|'.join(get_args(Awareness))}))?",
    re.DOTALL | re.ASCII,
)


def _read_spec(spec: str) -> tuple[str, PlayStyle]:
    """Return the folder and the style of a bot's name; the name of an existing folder has no style."""
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
