"""Fevga: parallel movement, block, first checker, walls, leave-a-move (§1, §2 c)."""

from __future__ import annotations

from collections.abc import Sequence

from .core import End, Position, Side, Stage, State, swap
from .parallel import Block


def passed(me: Side) -> bool:
    """Some own man is beyond own 12: on 1..11 or borne off (§2 c)."""
    return any(me[0:12])


def wall(me: Side, opp: Side) -> bool:
    """Wall A: own 24..19 held, a man of his on his 24..13; B: own 11..6 held, his on his 24 (§2 c)."""
    return (all(me[19:25]) and any(opp[13:25])) or (all(me[6:12]) and bool(opp[24]))


class Fevga(Block):
    """With `leave_move=False` the opponent may be left without a move (case FEV7n)."""

    def __init__(self, *, leave_move: bool = True) -> None:
        self.leave_move = leave_move

    def sources(self, state: State, dice_left: Stage) -> Sequence[int | str]:
        """Until a man has passed, only one man may have left 24 (§2 c)."""
        me = state[0]
        points = super().sources(state, dice_left)
        return points if me[24] == 15 or passed(me) else [point for point in points if point != 24]

    def may_stop(self, state: State) -> bool:
        """A turn may not end in a wall; inside the turn it may stand (§2 c)."""
        return not wall(*state)

    def can_move(self, position: Position) -> bool:
        """The player to move has a single step for some number 1..6 that ends in no wall (§2 c)."""
        return any(self.may_stop(after) for die in range(1, 7) for _, after in self.steps(self.begin(position), (die,)))

    def prefer(self, position: Position, dice: Stage, ends: list[End]) -> list[End]:
        """If some legal end leaves the opponent a move, only those are legal (§2 c)."""
        if not self.leave_move:
            return ends
        leaving = [end for end in ends if end.score is not None or self.can_move(swap(end.position))]
        return leaving or ends
