"""`tavla dice-audit`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tavla_ai.cli._options import json_option, seed_option
from tavla_ai.cli._printing import percent, print_json, print_table
from tavla_ai.dice import DiceAudit, audit, read_rolls, rolls_of_seed, smallest_p_value
from tavla_ai.errors import TavlaError

# Significance level of all tests together.
_LEVEL = 0.05


@click.command("dice-audit")
@click.argument("files", nargs=-1, type=Path, metavar="[FILE]...")
@seed_option("Test the engine's own dice of this seed.", default=None)
@click.option(
    "--games", type=click.IntRange(1, 10_000_000), default=20_000, show_default=True, help="Games of the seed."
)
@click.option("--plies", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Rolls of each game.")
@json_option
def dice_audit(files: tuple[Path, ...], seed: int | None, games: int, plies: int, as_json: bool) -> None:
    """Compare the dice of each player with fair dice: faces, pairs, doubles, successive rolls and runs.

    A FILE has one JSON object per line, with the dice of one game:

    \b
      {"seats": ["hard", "easy"], "seed": 7, "game": 0, "plies": 53}
      {"seats": ["hard", "easy"], "first": 1, "rolls": "31 62 55", "opening": true}
      {"player": "easy", "rolls": "31 62 55"}

    The dice of a seed are generated again; `ruleset`, `round` (the game of a match) and `first` (the seat that won the
    previous game and so starts without opening dice) say which. `rolls` are in the order thrown. Opening dice are left
    out, since they are never a double. Dice of a seed that a player had twice, as in a round robin, count once.

    \b
    Example:
      tavla dice-audit --seed 7 --games 2000
    """
    if bool(files) == (seed is not None):
        raise click.UsageError("expected either files or --seed")
    if seed is not None:
        collected = rolls_of_seed(seed, games, plies)
    else:
        collected = read_rolls(files)
        if not collected.rolls:
            raise TavlaError(f"{', '.join(map(str, files))}: no dice")
    audits = [audit(rolls, player) for player, rolls in collected.rolls.items()]
    smallest = smallest_p_value(audits)
    num_tests = 0 if smallest is None else smallest.num_tests
    if as_json:
        print_json(
            {
                "openings_left_out": collected.openings,
                "repeated_left_out": collected.repeated,
                "tests": num_tests,
                "smallest_p_value": None if smallest is None else smallest.p_value,
                "bonferroni_p_value": None if smallest is None else smallest.bonferroni_p_value,
                "audits": [audit.model_dump(mode="json") for audit in audits],
            }
        )
        return
    _print_audits(audits, num_tests)
    for number, what in (
        (collected.openings, "opening dice, never a double"),
        (collected.repeated, "repeated dice of a seed"),
    ):
        if number:
            click.echo(f"{number} rolls left out: {what}")
    if smallest is None:
        click.echo("Too few rolls to test anything.")
        return
    threshold = _LEVEL / num_tests
    verdict = "rarely this small with fair dice" if smallest.p_value < threshold else "no evidence against the dice"
    click.echo(
        f"{num_tests} tests: fair dice have a smallest p below {_LEVEL} / {num_tests} = {threshold:.2g} (Bonferroni) "
        f"in at most one of {1 / _LEVEL:.0f} audits.\n"
        f"Here it is {_p_text(smallest.p_value)} ({smallest.audit.player}, {smallest.test.name}): {verdict}."
    )


def _print_audits(audits: Sequence[DiceAudit], num_tests: int) -> None:
    print_table(
        "Dice thrown",
        ["player", "rolls", "doubles %", *(f"{face} %" for face in range(1, 7))],
        [
            [
                audit.player,
                f"{audit.rolls:,}",
                percent(audit.doubles_share),
                *map(percent, audit.face_shares or [None] * 6),
            ]
            for audit in audits
        ],
    )
    print_table(
        "Compared with fair dice",
        ["player", "test", "chi-square", "freedom", "p", f"p x {num_tests}"],
        [
            [
                audit.player,
                test.name,
                "" if test.p_value is None else f"{test.statistic:.2f}",
                str(test.freedom),
                "too few rolls" if test.p_value is None else _p_text(test.p_value),
                "" if test.p_value is None else _p_text(min(1.0, test.p_value * num_tests)),
            ]
            for audit in audits
            for test in audit.tests
        ],
        num_text=2,
    )


def _p_text(value: float) -> str:
    return f"{value:.4f}" if value >= 0.001 else f"{value:.1e}"
