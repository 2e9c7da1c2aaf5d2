"""Checks that several formats share: the game, the stakes and the dice."""

from __future__ import annotations

from collections.abc import Sequence

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.match import MatchState
from tavla_ai.rules import BAR, Position, Ruleset, check_dice

Dice = tuple[int, int]

SINGLE_GAME = MatchState()

# Four bits of a Match ID hold the exponent; no format allows a higher cube.
MAX_CUBE_EXPONENT = 15


def check_boards(ruleset: Ruleset, what: str, instead: str = "") -> None:
    """Raise `RulesetError` unless positions of `ruleset` fit a backgammon format; `what` names the format."""
    if not ruleset.moves_as_backgammon:
        raise RulesetError(
            f"{what} exist for tavla and backgammon only; {ruleset.name} {instead or 'has other boards'}"
        )


def check_stakes(match: MatchState, ruleset: Ruleset | None, is_double_offered: bool = False) -> None:
    """Raise `RulesetError` if cube and Crawford game contradict each other or the ruleset."""
    cube = match.cube
    if match.is_crawford and (cube.value > 1 or cube.owner != "centred" or is_double_offered):
        raise RulesetError(f"cube {cube.value}: nobody may double in the Crawford game")
    if ruleset is None:
        return
    if not ruleset.cube and (cube.value > 1 or cube.owner != "centred" or is_double_offered):
        raise RulesetError(f"cube {cube.value}: {ruleset.name} is played without a cube")
    if ruleset.cube and cube.value > ruleset.cube_limit:
        raise RulesetError(f"cube {cube.value}: {ruleset.name} goes up to {ruleset.cube_limit}")


def checked_dice(first: int, second: int) -> Dice | None:
    """Return a roll; None if both dice are 0, which means in the formats that nothing has been rolled.

    Raises:
      RulesetError: one die is 0 and the other is not, or a die is above 6.
    """
    if first == second == 0:
        return None
    if first == 0 or second == 0:
        raise RulesetError(f"dice {first} and {second}: expected both rolled or both 0")
    check_dice(first, second)
    return first, second


def position_of(sides: Sequence[Sequence[int]]) -> Position:
    """Return the position of two rows of 26 counts, mover first; missing checkers are borne off.

    Raises:
      RulesetError: no game can reach it.
    """
    me, opp = ({point: side[point] for point in range(1, BAR) if side[point]} for side in sides)
    return Position.from_sides(me, opp, bar=(sides[0][BAR], sides[1][BAR]))


def line_of(text: str, what: str) -> str:
    """Return `text` if it fits a single line; otherwise raise `NotationError`, which calls it `what`."""
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise NotationError(f"{what} {text!r}: expected printable text on one line, without blanks around it")
    return text
