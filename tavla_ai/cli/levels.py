"""`tavla levels`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.bots import LEVEL_NAMES, Ladder, Levels, RatedLevel
from tavla_ai.cli._options import json_option, levels_option, seed_option
from tavla_ai.cli._printing import percent, print_json, print_table, progress
from tavla_ai.errors import TavlaError
from tavla_ai.network import checkpoint_name, is_checkpoint
from tavla_ai.report.levels import write_likeness
from tavla_ai.report.strength import write_tables
from tavla_ai.rules import Ruleset, get_ruleset
from tavla_ai.strength import (
    BLUNDER,
    LikenessReport,
    LossSpread,
    measure_likeness,
)

_DEFAULT_GAMES = 2000


@click.command()
@click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help="The house.  [default: all; for a report the first of the file]"
)
@click.option(
    "--match-length",
    type=int,
    metavar="POINTS",
    help="For a report, the ladder of this match length.  [default: that of the shortest matches]",
)
@click.option(
    "--table",
    type=Path,
    metavar="FILE",
    help="Write the tables of strength into a Markdown file, between its two marks.",
)
@click.option(
    "--report", type=Path, metavar="DIR", help="Measure how human they play; write report.html and report.json."
)
@click.option(
    "--games",
    type=int,
    default=_DEFAULT_GAMES,
    show_default=True,
    help="Games of each level of a report, an even number.",
)
@seed_option("Seed of a report's dice and errors.")
@levels_option
@json_option
def levels(
    ruleset_name: str | None,
    match_length: int | None,
    table: Path | None,
    report: Path | None,
    games: int,
    seed: int,
    levels: Levels,
    as_json: bool,
) -> None:
    """List the levels with their measured ratings, or report how human they play.

    For a report each level plays single games against Hard. Hard's network judges each play at 0-ply: its loss, by
    phase of the game, by number of close plays and by kind of error.

    \b
    Examples:
      tavla levels
      tavla levels --report likeness --ruleset north-sultan --games 20
    """
    file = levels
    if table is not None:
        if report is not None:
            raise click.UsageError("expected either --table or --report, not both")
        ladder = file.ladder(_house(file, ruleset_name), match_length)
        write_tables(table, file, ladder)
        click.echo(f"{table}: levels of {ladder.ruleset}, matches to {ladder.match_length}")
        return
    if report is None:
        found = tuple(ladder for ladder in file.ladders if ruleset_name in (None, ladder.ruleset))
        if not found and ruleset_name is not None:
            file.ladder(get_ruleset(ruleset_name), match_length)
        if as_json:
            print_json({"path": str(file.path), "ladders": [ladder.model_dump(mode="json") for ladder in found]})
        else:
            print_ladders(file.path, found)
        return
    if report.exists() and not report.is_dir():
        raise TavlaError(f"{report}: is a file; expected a folder, or a new name")
    ruleset = _house(file, ruleset_name)
    with progress("games", games * len(LEVEL_NAMES)) as advance:
        likeness = measure_likeness(ruleset, file, match_length, games, seed, advance)
    write_likeness(report, likeness)
    if as_json:
        print_json(likeness.model_dump(mode="json"))
    else:
        _print_likeness(report, likeness)


def _house(file: Levels, ruleset_name: str | None) -> Ruleset:
    """Return the named house, or the first of the file."""
    if ruleset_name is None and not file.ladders:
        raise TavlaError(f"{file.name}: has no levels; make some with tavla calibrate")
    return get_ruleset(ruleset_name or file.ladders[0].ruleset)


def print_ladders(path: Path, ladders: tuple[Ladder, ...]) -> None:
    """Print ladders of a file of levels."""
    file = Levels(path)
    print_table(
        f"{file.name}: noise and caps in points, ratings relative to the anchor's",
        ["house", "level", "checkpoint", "", "ply", "noise", "cap", "asked", "rating", "95 %"],
        [
            [
                f"{ladder.ruleset}, to {ladder.match_length}",
                name,
                checkpoint_name(file.folder(rated)),
                _state(file, rated),
                str(rated.ply),
                f"{rated.noise:.4f}",
                f"{rated.cap:.4f}",
                f"{rated.target:.0f}",
                f"{rated.rating:.1f}",
                "anchor" if name == ladder.anchor else f"{rated.interval[0]:.1f} to {rated.interval[1]:.1f}",
            ]
            for ladder in ladders
            for name, rated in ((name, ladder.levels[name]) for name in LEVEL_NAMES)
        ],
        num_text=4,
    )


def _state(levels: Levels, rated: RatedLevel) -> str:
    """Return why a checkpoint is not the measured one; empty if it is."""
    if not is_checkpoint(levels.folder(rated)):
        return "missing"
    return "" if levels.is_as_measured(rated) else "not the measured one"


def _print_likeness(out: Path, report: LikenessReport) -> None:
    print_table(
        f"{report.ruleset}, single games against Hard, seed {report.seed}: points lost by a play, as Hard judges it",
        ["level", "decisions", *_SPREAD, "cap", *(f"{phase}: mean, blunders" for phase in report.levels[0].phases)],
        [
            [
                level.level,
                f"{level.loss.decisions:,}",
                *_spread_cells(level.loss),
                f"{level.cap:.3f}",
                *(f"{_points(loss.mean)}, {percent(loss.blunder_share)} %" for loss in level.phases.values()),
            ]
            for level in report.levels
        ],
    )
    for level in report.levels:
        if level.kinds:
            kinds = ", ".join(f"{kind.kind} {percent(kind.share)} %" for kind in level.kinds)
            click.echo(f"errors of {level.level}: {kinds}")
    click.echo(f"written: {out}")


_SPREAD = ("mean", "median", "90 %", "99 %", "largest", "as Hard %", f"over {BLUNDER:g} %")


def _spread_cells(loss: LossSpread) -> list[str]:
    points = (loss.mean, loss.median, loss.p90, loss.p99, loss.maximum)
    return [*map(_points, points), percent(loss.same_share), percent(loss.blunder_share)]


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
