"""`tavla moves` and `tavla perft`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tavla_ai import engine
from tavla_ai.bots import RankedPlay, rank_plays
from tavla_ai.checkpoint import load_checkpoint
from tavla_ai.cli.options import json_option, position_option, read_position, ruleset_option, write_position
from tavla_ai.cli.printing import percent, print_json, print_table
from tavla_ai.position import Position, check_play, format_play, parse_dice, parse_play
from tavla_ai.rulesets import Ruleset, get_ruleset


@click.command()
@ruleset_option
@position_option
@click.option("--dice", required=True, metavar="ROLL", help="The roll, such as 31.")
@click.option("--checkpoint", type=Path, metavar="DIR", help="Rank the plays with this checkpoint's network.")
@click.option("--play", "play_text", metavar="PLAY", help="Check one play, such as '8/5 6/5', instead of listing all.")
@json_option
def moves(
    ruleset_name: str,
    position_text: str | None,
    dice: str,
    checkpoint: Path | None,
    play_text: str | None,
    as_json: bool,
) -> None:
    """Show a position and every legal play of a roll.

    With a checkpoint the plays are ranked by expected points of a single game, with the mover's chances of
    winning, of winning a mars (more than one point) and of losing one. In gul-bara they are the plays of the
    roll's first stage.

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
    network = None if checkpoint is None else load_checkpoint(checkpoint, ruleset)
    plays = rank_plays(ruleset, position, roll, network)
    rows = [_play_data(ruleset, position, play) for play in plays]
    if as_json:
        print_json(
            {
                "ruleset": ruleset.name,
                "position": write_position(position, ruleset),
                "dice": roll,
                "scores": ruleset.scores,
            }
            | {"plays": rows}
        )
        return
    click.echo(position.render(ruleset) + "\n")
    title = f"{len(rows)} legal play{'s' if len(rows) > 1 else ''} of {roll[0]}-{roll[1]}"
    if network is None:
        print_table(title, ["", "play"], [[str(i), row["play"]] for i, row in enumerate(rows, 1)], num_text=2)
    else:
        shares = {"win": "win %", "draw": "draw %", "mars": "mars %", "mars_lost": "mars lost %"}
        if 0 not in ruleset.scores:
            del shares["draw"]
        print_table(
            title,
            ["", "play", "points", *shares.values()],
            [
                [str(i), row["play"], f"{row['equity']:+.4f}"] + [percent(row[key]) for key in shares]
                for i, row in enumerate(rows, 1)
            ],
            num_text=2,
        )


def _play_data(ruleset: Ruleset, position: Position, play: RankedPlay) -> dict[str, Any]:
    data: dict[str, Any] = {
        "play": format_play(position, play.steps, ruleset),
        "steps": play.steps,
        "position": write_position(play.afterstate.swap(), ruleset),  # with the opponent on roll
        "score": play.score,
    }
    if play.outcomes is not None:
        outcomes = list(zip(ruleset.scores, play.outcomes, strict=True))
        data |= {
            "equity": play.equity,
            "outcomes": play.outcomes,
            "win": sum(share for score, share in outcomes if score > 0),
            "draw": sum(share for score, share in outcomes if score == 0),
            "mars": sum(share for score, share in outcomes if score > 1),
            "mars_lost": sum(share for score, share in outcomes if score < -1),
        }
    return data


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
    plays = rank_plays(ruleset, position, roll)
    if depth == 1:
        return len(plays)
    rules = engine.compile_rules(ruleset)
    return sum(engine.perft(rules, play.afterstate.swap().board, depth - 1) for play in plays if play.score is None)
