"""Options that several commands take, and how positions are read and written."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import click

from tavla_ai import formats
from tavla_ai.bots import DEFAULT_LEVELS, LEVELS_VARIABLE, Levels
from tavla_ai.errors import RulesetError
from tavla_ai.formats import ReadPosition
from tavla_ai.rules import Position, Ruleset
from tavla_ai.tournament import MAX_WORKERS


def _levels(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Levels | None:
    if path is None:
        return Levels() if DEFAULT_LEVELS.exists() else None
    return Levels(path)


levels_option = click.option(
    "--levels",
    type=Path,
    metavar="FILE",
    envvar=LEVELS_VARIABLE,
    show_envvar=True,
    callback=_levels,
    help=f"Where the levels easy, medium and hard are measured.  [default: {DEFAULT_LEVELS}, if it is there]",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(0, MAX_WORKERS),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each CPU",
    help="Engine threads; 0 is one. Results do not depend on it.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
DEFAULT_RULESET = "north-sultan"
ruleset_option = click.option(
    "--ruleset",
    "ruleset_name",
    metavar="NAME",
    default=DEFAULT_RULESET,
    show_default=True,
    help="The game; `tavla rulesets` lists them.",
)


def _position_option(other_contents: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "--position",
        "position_text",
        metavar="POSITION",
        help="The board seen by the player on roll, as `24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5`, each side in its own "
        "numbering and the player on roll first; of tavla and backgammon also a GNU Position ID, a GNUbg ID, an XGID "
        f"or a FIBS board, whose dice and score {other_contents}.  "
        "[default: the start position]",
    )


position_option = _position_option("are not used")
position_and_stakes_option = _position_option("hold")


def read_text(text: str | None, ruleset: Ruleset) -> ReadPosition:
    """Return the position to play from and what its text says besides; the start without a text.

    Raises:
      TavlaError: it cannot be read, `ruleset` cannot reach it, or the game is over.
    """
    if text is None:
        return ReadPosition(Position.start(ruleset), "position")
    read = formats.read_position(text, ruleset)
    if read.position.is_over(ruleset):
        raise RulesetError(f"{read.format} {text!r}: the game is over, there is nothing to play")
    return read


def read_position(text: str | None, ruleset: Ruleset) -> Position:
    """Return the position to play from; see `read_text`."""
    return read_text(text, ruleset).position


def write_position(position: Position, ruleset: Ruleset) -> str:
    """Return the position as `--position` takes it: the ID where there is one."""
    return position.to_id() if ruleset.family == "opposed-hit" else position.to_text(ruleset)


def read_numbers(ctx: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, float] | None:
    """Return the numbers of an option such as `easy=0.9,medium=0.6`, as its callback."""
    if text is None:
        return None
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        name = name.strip()
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not name or not math.isfinite(value):
            raise click.BadParameter(f"{part!r}: expected BOT=NUMBER, separated by commas", ctx, parameter)
        if name in numbers:
            raise click.BadParameter(f"{part!r}: {name} stands there twice", ctx, parameter)
        numbers[name] = value
    return numbers
