"""`tavla moves`."""

from __future__ import annotations

import click

from tavla_ai.cli._options import json_option, position_option, read_position, ruleset_option
from tavla_ai.cli._printing import play_data, print_json, print_table, write_position
from tavla_ai.rules import (
    check_play,
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

    In gul-bara these are the plays of the roll's first stage. `tavla analyze` evaluates plays.

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
    rows = [play_data(ruleset, position, play) for play in legal_plays(ruleset, position, roll)]
    if as_json:
        data = {"ruleset": ruleset.name, "position": write_position(position, ruleset), "dice": roll}
        print_json(data | {"scores": ruleset.scores, "plays": rows})
        return
    click.echo(position.render(ruleset) + "\n")
    title = f"{len(rows)} legal play{'s' if len(rows) > 1 else ''} of {roll[0]}-{roll[1]}"
    print_table(title, ["", "play"], [[str(i), row["play"]] for i, row in enumerate(rows, 1)], num_text=2)
