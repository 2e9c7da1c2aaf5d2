"""`tavla moves` and `tavla perft`."""

from __future__ import annotations

import click

from tavla_ai import engine
from tavla_ai.cli._options import json_option, position_option, read_position, ruleset_option, write_position
from tavla_ai.cli._printing import print_json, print_table
from tavla_ai.rules import (
    Position,
    Ruleset,
    check_play,
    compile_rules,
    format_play,
    get_ruleset,
    legal_plays,
    parse_dice,
    parse_play,
)


@click.command()
@ruleset_option
@position_option
@click.option("--dice", required=True, metavar="ROLL", help="The roll, such as 31.")
@click.option("--play", "play_text", metavar="PLAY", help="Check one play, such as '8/5 6/5', instead of listing all.")
@json_option
def moves(
    ruleset_name: str,
    position_text: str | None,
    dice: str,
    play_text: str | None,
    as_json: bool,
) -> None:
    """Show a position and every legal play of a roll.

    In gul-bara they are the plays of the roll's first stage. `tavla analyze` says what they are worth.

    \b
    Examples:
      tavla moves --position 4HPwATDgc/ABMA --dice 31
      tavla moves --ruleset plakoto --position "24:13 20:1 10:1 / 24:14 15:1 pin:15" --dice 31
    """
    ruleset = get_ruleset(ruleset_name)
    position = read_position(position_text, ruleset)
    roll = parse_dice(dice)
    if play_text is not None:
        after = check_play(position, roll, parse_play(play_text), ruleset).swap()
        if as_json:
            print_json({"play": play_text, "position": write_position(after, ruleset)})
        else:
            click.echo(f"legal; the opponent is on roll in {write_position(after, ruleset)}")
        return
    rows = [
        {
            "play": format_play(position, play.steps, ruleset),
            "steps": play.steps,
            "position": write_position(play.afterstate.swap(), ruleset),  # with the opponent on roll
            "score": play.score,
        }
        for play in legal_plays(ruleset, position, roll)
    ]
    if as_json:
        data = {"ruleset": ruleset.name, "position": write_position(position, ruleset), "dice": roll}
        print_json(data | {"scores": ruleset.scores, "plays": rows})
        return
    click.echo(position.render(ruleset) + "\n")
    title = f"{len(rows)} legal play{'s' if len(rows) > 1 else ''} of {roll[0]}-{roll[1]}"
    print_table(title, ["", "play"], [[str(i), str(row["play"])] for i, row in enumerate(rows, 1)], num_text=2)


@click.command()
@ruleset_option
@position_option
@click.option("--depth", type=click.IntRange(1, 100), default=2, show_default=True, help="How many turns deep.")
@click.option("--divide", is_flag=True, help="Show the count below each first roll.")
@json_option
def perft(ruleset_name: str, position_text: str | None, depth: int, divide: bool, as_json: bool) -> None:
    """Count the distinct positions after each of the 21 rolls, so many turns deep.

    A turn without a move counts as one; a finished game goes no deeper. In gul-bara a roll is its first stage:
    nothing cascades and nothing is passed on.

    \b
    Example:
      tavla perft --depth 2 --divide
    """
    ruleset = get_ruleset(ruleset_name)
    position = read_position(position_text, ruleset)
    counts = {
        f"{high}{low}": _count_below(ruleset, position, (high, low), depth)
        for high in range(1, 7)
        for low in range(1, high + 1)
    }
    total = sum(counts.values())
    if as_json:
        data = {"ruleset": ruleset.name, "position": write_position(position, ruleset), "depth": depth, "count": total}
        print_json(data | ({"rolls": counts} if divide else {}))
        return
    if divide:
        for roll, count in counts.items():
            click.echo(f"{roll}: {count}")
    click.echo(total)


def _count_below(ruleset: Ruleset, position: Position, roll: tuple[int, int], depth: int) -> int:
    """Return the perft count below one roll; one engine call for each play, so that Ctrl-C is heard."""
    plays = legal_plays(ruleset, position, roll)
    if depth == 1:
        return len(plays)
    rules = compile_rules(ruleset)
    return sum(engine.perft(rules, play.afterstate.swap().board, depth - 1) for play in plays if play.score is None)
