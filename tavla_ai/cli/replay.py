"""`tavla replay`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.bots import Levels
from tavla_ai.cli._options import levels_option
from tavla_ai.tournament import MatchFormat, TournamentReplay


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
@click.option("--mat", "kind", flag_value="mat", help="Print it as a .mat file (tavla and backgammon).")
@click.option("--json", "kind", flag_value="json", help="Print it as a JSON match file (any game).")
@levels_option
def replay(folder: Path, number: int, kind: MatchFormat | None, levels: Levels) -> None:
    """Print a game or match of a tournament's folder, move for move.

    The folder names the bots and the dice; the game is played again with them.

    \b
    Example:
      tavla replay results --game 7
    """
    contest = TournamentReplay.from_folder(folder, levels).contest(number)
    click.echo(contest.text() if kind is None else contest.match_file(kind), nl=kind is None)
