"""Options that several commands take, and how positions are read and written."""

from __future__ import annotations

import click

from tavla_ai.errors import RulesetError
from tavla_ai.position import Position, check_board
from tavla_ai.rulesets import Ruleset

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
ruleset_option = click.option(
    "--ruleset",
    "ruleset_name",
    metavar="NAME",
    default="north-sultan",
    show_default=True,
    help="The game; `tavla rulesets` lists them.",
)
position_option = click.option(
    "--position",
    "position_text",
    metavar="POSITION",
    help="The board seen by the player on roll, as `24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5`, each side in its own "
    "numbering and the player on roll first; or a GNU Position ID, of tavla and backgammon only.  "
    "[default: the start position]",
)


def read_position(text: str | None, ruleset: Ruleset) -> Position:
    """Return the position to play from, refusing what `ruleset` cannot reach and finished games."""
    if text is None:
        return Position.start(ruleset)
    if ":" in text:
        name = f"position {text!r}"
        position = Position.from_text(text, ruleset)
    else:
        name = f"position ID {text!r}"
        if ruleset.family != "opposed-hit":
            raise RulesetError(
                f"{name}: IDs are of tavla and backgammon only; {ruleset.name} takes a text such as "
                f"{Position.start(ruleset).to_text(ruleset)!r}"
            )
        position = Position.from_id(text)
        check_board(position.board, ruleset)
    if position.is_over(ruleset):
        raise RulesetError(f"{name}: the game is over, there is nothing to play")
    return position


def write_position(position: Position, ruleset: Ruleset) -> str:
    """Return the position as `--position` takes it: the ID where there is one."""
    return position.to_id() if ruleset.family == "opposed-hit" else position.to_text(ruleset)
