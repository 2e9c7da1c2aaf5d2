"""Output of commands: JSON, tables, positions, numbers, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import LegalPlay, Position, Ruleset, format_play

# Width of a table without a terminal: wide enough that nothing is cut.
_FILE_WIDTH = 200

# Least width of a text column on a narrow terminal; longer text is folded.
_TEXT_WIDTH = 20


def print_json(data: object) -> None:
    """Print the result of a command for machines."""
    click.echo(json.dumps(data, indent=2))


def print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, num_text: int = 1) -> None:
    """Print a table whose first `num_text` columns are text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, show_header=any(headers))
    for i, header in enumerate(headers):
        longest = max(len(header), *(len(row[i]) for row in rows))
        if i < num_text:
            table.add_column(header, overflow="fold", min_width=min(longest, _TEXT_WIDTH))
        else:
            table.add_column(header, justify="right", no_wrap=True, min_width=longest)
    for row in rows:
        table.add_row(*row)
    console = Console(markup=False, highlight=False, emoji=False)
    if sys.stdout is None or not sys.stdout.isatty():
        console.width = _FILE_WIDTH
    # No number is ever cut: a table that needs more than the terminal has runs over.
    needed = Measurement.get(console, console.options.update(max_width=10 * _FILE_WIDTH), table).minimum
    console.width = max(console.width, needed)
    console.print(title)
    console.print(table)


def write_position(position: Position, ruleset: Ruleset) -> str:
    """Return the position as `--position` takes it: the ID where there is one."""
    return position.to_id() if ruleset.moves_as_backgammon else position.to_text(ruleset)


def play_data(ruleset: Ruleset, position: Position, play: LegalPlay) -> dict[str, Any]:
    return {
        "play": format_play(position, play.steps, ruleset),
        "steps": play.steps,
        "position": write_position(play.afterstate.swap(), ruleset),  # with the opponent on roll
        "score": play.score,
    }


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal, nothing for None."""
    return "" if share is None else f"{100 * share:.1f}"


def with_error(value: float, error: float | None, form: str) -> str:
    """Return a number and its standard error, if there is one, both as `form` says, the error without its sign."""
    return f"{value:{form}}" + ("" if error is None else f" +- {error:{form.lstrip('+')}}")


def plain(value: object) -> str:
    """Return a value of a ruleset as text for people."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "any" if value is None else str(value)


@contextmanager
def progress(what: str, total: int) -> Iterator[ProgressCallback | None]:
    """Show a progress bar on stderr, on a terminal only; yields the function that moves it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
