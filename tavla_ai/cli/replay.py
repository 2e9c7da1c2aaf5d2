"""`tavla replay`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.bots import Levels
from tavla_ai.cli._options import levels_option
from tavla_ai.formats import write_mat
from tavla_ai.tournament import TournamentReplay


@click.command()
@click.argument("folder", type=Path, metavar="DIR")
@click.option(
    "--game", "number", type=int, default=1, show_default=True, help="Which one: the line in its results.jsonl."
)
@click.option("--mat", "wants_mat", is_flag=True, help="Print it as a match file.")
@levels_option
def replay(folder: Path, number: int, wants_mat: bool, levels: Levels | None) -> None:
    """Print a game or match of a tournament's folder, move for move.

    It is played again, by the bots and with the dice that the folder names.

    \b
    Example:
      tavla replay results --game 7
    """
    contest = TournamentReplay.from_folder(folder, levels).contest(number)
    click.echo(write_mat(contest.match()) if wants_mat else contest.text(), nl=not wants_mat)
