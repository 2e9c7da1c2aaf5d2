"""`tavla bearoff`."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import click

from tavla_ai import engine
from tavla_ai.cli._options import json_option, position_option, read_position, ruleset_option
from tavla_ai.cli._printing import percent, print_json, print_table, progress, write_position
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import (
    BEAROFF_RULES,
    CACHE_VARIABLE,
    BearoffRule,
    CachedTables,
    cache_folder,
    open_tables,
    rule_of,
    shape_of,
)
from tavla_ai.rules import Position, Ruleset, compile_rules, get_ruleset

folder_option = click.option(
    "--folder",
    type=Path,
    metavar="DIR",
    help=f"Folder of the tables.  [default: {CACHE_VARIABLE}, or the user's cache folder]",
)


@click.group()
def bearoff() -> None:
    """Build the exact bear-off tables, or look up a position in them.

    \b
    Examples:
      tavla bearoff build --rule standard
      tavla bearoff show --position "6:2 4:1 1:1 / 3:3 2:3 1:4"
    """


@bearoff.command()
@click.option(
    "--rule", type=click.Choice((*BEAROFF_RULES, "all")), default="all", show_default=True, help="The tables to build."
)
@folder_option
@click.option("--force", is_flag=True, help="Build again also tables that are up to date.")
@json_option
def build(rule: BearoffRule | Literal["all"], folder: Path | None, force: bool, as_json: bool) -> None:
    """Build the tables that are missing, damaged or of another version; a few seconds each.

    Commands build the tables that they need. `larger-first` is for traditional tavla, where the larger die is played
    first in the bear-off; `standard` is for the other games. Gul Bara has no tables.

    \b
    Example:
      tavla bearoff build
    """
    found = {}
    rules: tuple[BearoffRule, ...] = BEAROFF_RULES if rule == "all" else (rule,)
    for name in rules:
        with progress(f"bear-off tables, {name}", 100) as advance:
            found[name] = open_tables(shape_of(name), folder=folder, force=force, progress=advance)
        if found[name].path is None:
            raise TavlaError(
                f"{folder or cache_folder()}: the bear-off tables cannot be written there; "
                f"name another folder with --folder or {CACHE_VARIABLE}"
            )
    if as_json:
        print_json([_tables_data(name, tables) for name, tables in found.items()])
        return
    print_table(
        "Bear-off tables",
        ["rule", "file", "", "positions", "pairs", "MB", "seconds"],
        [
            [
                name,
                str(tables.path),
                "built" if tables.is_built else "up to date",
                f"{tables.tables.num_positions:,}",
                f"{tables.tables.num_pairs:,}",
                f"{tables.num_bytes / 1e6:.1f}",
                f"{tables.seconds:.1f}",
            ]
            for name, tables in found.items()
        ],
        num_text=3,
    )


def _tables_data(rule: BearoffRule, tables: CachedTables) -> dict[str, Any]:
    return {
        "rule": rule,
        "positions": tables.tables.num_positions,
        "pairs": tables.tables.num_pairs,
        "path": None if tables.path is None else str(tables.path),
        "built": tables.is_built,
        "bytes": tables.num_bytes,
        "seconds": round(tables.seconds, 3),
    }


@bearoff.command()
@ruleset_option
@position_option
@folder_option
@json_option
def show(ruleset_name: str, position_text: str | None, folder: Path | None, as_json: bool) -> None:
    """Show the chances of a bear-off for the player on roll, and the number of rolls that each side needs.

    With few checkers left on both sides the chances are exact, for best play. Otherwise they follow from the numbers of
    rolls that both sides need when each plays to need the fewest on average.

    \b
    Example:
      tavla bearoff show --position "6:2 4:1 1:1 / 3:3 2:3 1:4"
    """
    ruleset = get_ruleset(ruleset_name)
    position = read_position(position_text, ruleset)
    rule = rule_of(ruleset)
    if rule is None:
        raise RulesetError(f"{ruleset.name} has no bear-off tables: a turn of it is more than one roll")
    with progress(f"bear-off tables, {rule}", 100) as advance:
        tables = open_tables(shape_of(rule), folder=folder, progress=advance).tables
    rules = compile_rules(ruleset)
    if not tables.covers(rules, position.board):
        raise RulesetError(
            f"position {position.to_text(ruleset)!r}: not in the bear-off tables; expected each side's checkers off or "
            f"on its points 1 to {tables.shape.points}, or one last checker on each side in tavla and backgammon"
        )
    data = _position_data(tables, rules, position, ruleset)
    if as_json:
        print_json(data)
        return
    click.echo(position.render(ruleset) + "\n")
    basis = "exact" if data["exact"] else "each side playing for the fewest rolls"
    print_table(
        f"Player on roll, {basis}",
        ["points", "win %", "mars %", "mars lost %"],
        [[f"{data['equity']:+.4f}", *(f"{100 * data[key]:.3f}" for key in ("win", "mars", "mars_lost"))]],
        num_text=0,
    )
    if data["mover"] is None:
        return
    columns = [data[side][key] for side in ("mover", "opponent") for key in ("rolls_to_clear", "rolls_to_first")]
    print_table(
        f"Rolls to bear off, on average {data['mover']['expected_rolls']:.5f} for the player on roll and "
        f"{data['opponent']['expected_rolls']:.5f} for the opponent",
        ["rolls", "all %", "the first %", "opponent: all %", "the first %"],
        [
            [str(rolls), *map(percent, chances)]
            for rolls, chances in enumerate(zip_longest(*columns))
            if any(percent(chance) not in ("", "0.0") for chance in chances)
        ],
    )


def _position_data(tables: engine.Bearoff, rules: engine.Rules, position: Position, ruleset: Ruleset) -> dict[str, Any]:
    outcomes, is_exact = tables.distribution_on_roll(rules, position.board)
    by_score = list(zip(ruleset.scores, outcomes.tolist(), strict=True))
    data: dict[str, Any] = {
        "ruleset": ruleset.name,
        "position": write_position(position, ruleset),
        "exact": is_exact,
        "scores": ruleset.scores,
        "outcomes": outcomes.tolist(),
        "equity": sum(score * share for score, share in by_score),
        "win": sum(share for score, share in by_score if score > 0),
        "mars": sum(share for score, share in by_score if score > 1),
        "mars_lost": sum(share for score, share in by_score if score < -1),
    }
    is_race = not position.board[:, tables.shape.points + 1 :].any()
    for side, row in zip(("mover", "opponent"), position.board, strict=True):
        data[side] = None
        if is_race:
            data[side] = {
                "expected_rolls": tables.expected_rolls(row),
                "rolls_to_clear": tables.rolls_to_clear(row).tolist(),
                "rolls_to_first": tables.rolls_to_first(row).tolist(),
            }
    return data
