"""`tavla calibrate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tavla_ai.bots import LEVEL_NAMES, LEVELS_FILE, LevelName, level_name
from tavla_ai.cli._options import (
    json_option,
    ratings_option,
    ruleset_option,
    seed_option,
    workers_option,
)
from tavla_ai.cli._printing import percent, print_json, print_table
from tavla_ai.cli.levels import print_ladders
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import (
    DEFAULT_MATCHES,
    DEFAULT_SEARCH_MATCHES,
    Calibration,
    CalibrationEffort,
    CalibrationRound,
    win_share,
)
from tavla_ai.strength import calibrate as calibrate_levels

Command = Callable[..., Any]

_CHECKPOINTS: dict[LevelName, str] = {"easy": "tavla/easy", "medium": "tavla", "hard": "tavla/hard"}


def _checkpoint_option(name: LevelName, how: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}",
        metavar="DIR",
        default=_CHECKPOINTS[name],
        show_default=True,
        help=f"The checkpoint of {name.title()}, {how}.",
    )


@click.command()
@ruleset_option
@click.option(
    "--match-length", type=int, metavar="POINTS", help="Points that win the matches.  [default: the house's own]"
)
@ratings_option("--ratings", "LEVEL=ELO,...", "The ratings to reach; their differences are measured.")
@_checkpoint_option("hard", "which plays as well as it can")
@_checkpoint_option("medium", "weakened against Hard")
@_checkpoint_option("easy", "weakened against Medium")
@seed_option("Seed of the dice and of the errors.")
@click.option(
    "--matches",
    type=click.IntRange(min=2),
    default=DEFAULT_MATCHES,
    show_default=True,
    help="Matches that measure each gap, an even number; 20,000 measure it to about +- 6 Elo.",
)
@click.option(
    "--search-matches",
    type=click.IntRange(min=2),
    default=DEFAULT_SEARCH_MATCHES,
    show_default=True,
    help="Matches of each round of the search, an even number.",
)
@workers_option
@click.option(
    "--out",
    type=Path,
    metavar="FILE",
    default=Path(LEVELS_FILE),
    show_default=True,
    help="The file of levels to write; its other ladders stay.",
)
@json_option
def calibrate(
    ruleset_name: str,
    match_length: int | None,
    ratings: dict[str, float],
    hard: str,
    medium: str,
    easy: str,
    seed: int,
    matches: int,
    search_matches: int,
    workers: int,
    out: Path,
    as_json: bool,
) -> None:
    """Find the noise that gives the levels of a house their ratings, and measure the levels.

    Hard plays without noise. The noise of Medium is searched in matches against Hard, that of Easy in matches against
    Medium. Each gap is then measured on fresh dice; its 95 % interval must lie within 15 Elo of the requested gap. The
    file gets the measured gaps; Medium keeps its requested rating. Takes some minutes; progress goes to stderr.

    \b
    Examples:
      tavla calibrate --ruleset north-sultan --match-length 3 --ratings easy=1200,medium=1500,hard=1750
      tavla calibrate --ruleset oyna-tavla --match-length 5 --hard runs/better/final --out mine.yaml
    """
    ruleset = get_ruleset(ruleset_name)
    asked = {level_name(name): rating for name, rating in ratings.items()}
    folders = {"hard": hard, "medium": medium, "easy": easy}
    checkpoints = {name: load_checkpoint(folders[name], ruleset) for name in LEVEL_NAMES}
    result = calibrate_levels(
        ruleset,
        ruleset.default_match_length if match_length is None else match_length,
        asked,
        checkpoints,
        out,
        seed=seed,
        effort=CalibrationEffort(matches, search_matches),
        workers=workers,
        report=_print_round,
    )
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        _print_calibration(out, result)


def _print_round(played: CalibrationRound) -> None:
    what = "measured" if played.is_verification else "search"
    click.echo(
        f"{what}: {played.level} with noise {played.noise:.4f}, cap {played.cap:.4f}: "
        f"{played.gap:.0f} +- {played.error:.0f} Elo below {played.stronger} ({played.matches:,} matches)",
        err=True,
    )


def _print_calibration(out: Path, result: Calibration) -> None:
    print_table(
        f"{result.ladder.ruleset}, matches to {result.ladder.match_length}, seed {result.ladder.seed}: gaps in Elo",
        ["stronger", "weaker", "asked", "measured", "95 %", "wins %", "of which asked", "matches", "searched"],
        [
            [
                gap.stronger,
                gap.weaker,
                f"{gap.target:.0f}",
                f"{gap.gap:.1f}",
                f"{gap.interval[0]:.1f} to {gap.interval[1]:.1f}",
                percent(gap.share),
                percent(win_share(gap.target)),
                f"{gap.matches:,}",
                f"{gap.searched:,}",
            ]
            for gap in result.gaps
        ],
        num_text=2,
    )
    print_ladders(out, (result.ladder,))
