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
    "--game",
    "number",
    type=int,
    default=1,
    show_default=True,
    help="Number of the game or match: its line in results.jsonl.",
)
@click.option("--mat", "wants_mat", is_flag=True, help="Print it as a match file.")
@levels_option
def replay(folder: Path, number: int, wants_mat: bool, levels: Levels) -> None:
    """Print a game or match of a tournament's folder, move for move.

    The folder names the bots and the dice; the game is played again with them.

    \b
    Example:
      tavla replay results --game 7
    """
    contest = TournamentReplay.from_folder(folder, levels).contest(number)
    click.echo(write_mat(contest.match()) if wants_mat else contest.text(), nl=not wants_mat)
