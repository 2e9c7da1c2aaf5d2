"""Options of the stakes, and how the stakes are printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, get_args

import click

from tavla_ai.cli._options import option_group
from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.formats import ReadPosition
from tavla_ai.match import Cube, CubeOwner, MatchState


@dataclass(frozen=True)
class StakesOptions:
    """The stakes that the user gave; None where the user gave none."""

    length: int | None
    score: tuple[int, int] | None
    game: int | None
    is_crawford: bool
    cube: int | None
    cube_owner: CubeOwner | None

    def match_state(self, read: ReadPosition | None) -> MatchState:
        """Return the stakes, seen by the side on roll: those of the position's text, changed by what the user gave.

        Raises:
          RulesetError: impossible stakes.
        """
        state = read.match if read is not None and read.match is not None else MatchState()
        if self.length is not None:
            state = MatchState(self.length, self.score or (0, 0), cube=state.cube)
        elif self.score is not None:
            if state.length is None:
                raise RulesetError("--score: single games have no score; expected --match with it")
            state = replace(state, score=self.score)
        if self.game is not None:
            state = replace(state, game=self.game)
        if self.cube is not None or self.cube_owner is not None:
            cube = Cube(
                state.cube.value if self.cube is None else self.cube,
                state.cube.owner if self.cube_owner is None else self.cube_owner,
            )
            if (cube.value > 1) == (cube.owner == "centred"):
                raise RulesetError(
                    f"cube {cube.value}, {cube.owner}: a centred cube shows 1, and a turned one has an owner"
                )
            state = replace(state, cube=cube)
        if self.is_crawford:
            state = replace(state, is_crawford=True)
        return state


def _read_score(_ctx: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9]{1,5})\s*-\s*([0-9]{1,5})\s*", text)
    if match is None:
        raise NotationError(f"score {text!r}: expected two numbers such as 2-3")
    return int(match[1]), int(match[2])


stakes_options = option_group(
    "stakes",
    StakesOptions,
    click.option(
        "--match", "length", type=int, metavar="POINTS", help="Points that win the match.  [default: a single game]"
    ),
    click.option(
        "--score",
        metavar="A-B",
        callback=_read_score,
        help="Points won so far, the player on roll first.  [default: 0-0]",
    ),
    click.option("--game", type=int, metavar="N", help="Number of this game in the match, from 0; for sets of games."),
    click.option("--crawford", "is_crawford", is_flag=True, help="This is the Crawford game."),
    click.option("--cube", type=int, metavar="VALUE", help="Value of the cube.  [default: 1]"),
    click.option(
        "--cube-owner", type=click.Choice(get_args(CubeOwner)), help="Owner of the cube, seen by the player on roll."
    ),
)


def stakes_data(match: MatchState) -> dict[str, Any] | None:
    """Return the stakes for machines; None for a single game without a turned cube."""
    if match == MatchState():
        return None
    return {
        "length": match.length,
        "score": match.score,
        "game": match.game,
        "crawford": match.is_crawford,
        "cube": {"value": match.cube.value, "owner": match.cube.owner},
    }


def stakes_text(match: MatchState) -> str:
    """Return the stakes for people."""
    parts = []
    if match.length is not None:
        parts.append(f"match to {match.length} at {match.score[0]}-{match.score[1]}")
        if match.is_crawford:
            parts.append("Crawford game")
    else:
        parts.append("single game")
    if match.cube != Cube():
        parts.append(f"cube {match.cube.value}, {match.cube.owner}")
    return ", ".join(parts)


def value_name(match: MatchState) -> str:
    """Return the heading of a column of values."""
    return "points" if match.length is None else "match"


def value_text(value: float, match: MatchState) -> str:
    """Return a value for people: points, or the chance of winning the match in percent."""
    return f"{value:+.4f}" if match.length is None else f"{100 * value:.2f} %"


def loss_text(loss: float, match: MatchState) -> str:
    """Return the loss of a play against the best play, in the same units; empty for the best play."""
    return "" if loss == 0 else value_text(-loss, match)
