"""Phases of a game and grades of a decision."""

from __future__ import annotations

from typing import Literal, get_args

from tavla_ai.rules import BAR, Position, Ruleset

Grade = Literal["doubtful", "error", "blunder"]
Phase = Literal["opening", "contact", "race", "bear-off"]

# Least loss of each grade, in points; these are GNU Backgammon's doubtful, bad and very bad.
GRADES: dict[Grade, float] = {"doubtful": 0.04, "error": 0.08, "blunder": 0.16}
PHASES: tuple[Phase, ...] = get_args(Phase)

# Number of turns of each side that count as the opening.
OPENING_TURNS = 2

_HOME = range(1, 7)


def phase_of(ruleset: Ruleset, before: Position, own_turns: int) -> Phase:
    """Return the phase of the game for the side on roll.

    Args:
      before: the board before the play, the side on roll first.
      own_turns: number of turns that the side has had.
    """
    if own_turns < OPENING_TURNS:
        return "opening"
    if before.has_contact(ruleset):
        return "contact"
    is_home = not before.board[0, _HOME.stop : BAR + 1].any()
    return "bear-off" if is_home else "race"
