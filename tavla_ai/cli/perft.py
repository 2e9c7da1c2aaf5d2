"""`tavla perft`."""

from __future__ import annotations

import click

from tavla_ai.cli._options import json_option, position_option, read_position, ruleset_option
from tavla_ai.cli._printing import print_json, write_position
from tavla_ai.rules import (
    get_ruleset,
    perft_by_roll,
)


@click.command()
@ruleset_option
@position_option
@click.option("--depth", type=click.IntRange(1, 100), default=2, show_default=True, help="Depth in turns.")
@click.option("--divide", is_flag=True, help="Show the count below each first roll.")
@json_option
def perft(ruleset_name: str, position_text: str | None, depth: int, divide: bool, as_json: bool) -> None:
    """Count the distinct positions after each of the 21 rolls, to a depth of some turns.

    A turn without a legal move counts as one position; a finished game has no further turns. In gul-bara only the first
    stage of each roll is played: nothing cascades and no dice are passed on.

    \b
    Example:
      tavla perft --depth 2 --divide
    """
    ruleset = get_ruleset(ruleset_name)
    position = read_position(position_text, ruleset)
    counts = {f"{high}{low}": count for (high, low), count in perft_by_roll(ruleset, position, depth).items()}
    total = sum(counts.values())
    if as_json:
        data = {"ruleset": ruleset.name, "position": write_position(position, ruleset), "depth": depth, "count": total}
        print_json(data | ({"rolls": counts} if divide else {}))
        return
    if divide:
        for roll, count in counts.items():
            click.echo(f"{roll}: {count}")
    click.echo(total)
