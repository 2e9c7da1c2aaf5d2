"""Tawula: parallel movement, hitting, a reserve to enter, capote (§1, §2 e)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .core import BAR, RESERVE, Family, Position, Side, Stage, State, moved, side
from .parallel import cross

START = 24
STARTING_TABLE = range(19, 25)
ONE_MAN_ONLY = range(14, 25)
STARTERS = 2


class TawulaPosition(NamedTuple):
    """res_me and res_opp: men that have not entered yet."""

    me: Side
    opp: Side
    res_me: int = 0
    res_opp: int = 0


class TawulaState(NamedTuple):
    """entered: a man has entered in this turn; hit_in_table: a man was hit in his own starting table."""

    me: Side
    opp: Side
    res_me: int
    res_opp: int
    entered: bool
    hit_in_table: bool


def reserve_may_enter(me: Side, opp: Side, point: int) -> bool:
    """No own man on the point and fewer than two of his (§2 e)."""
    return not me[point] and opp[cross(point)] < 2


def bar_may_enter(me: Side, opp: Side, point: int) -> bool:
    """Fewer than two of his men; own men bar the point unless it is the own starting point (§2 e)."""
    return opp[cross(point)] < 2 and (not me[point] or point == START)


def capote(winner: Side, loser: Side) -> bool:
    """Winner: some off, the others home; loser: one on the bar, the other 14 home (§2 e)."""
    return winner[0] >= 1 and sum(winner[:7]) == 15 and loser[BAR] == 1 and sum(loser[1:7]) == 14


class Tawula(Family):
    """State: `TawulaState`."""

    def start(self) -> Position:
        """§1: 2@24 and 13 in reserve."""
        men = side({24: STARTERS})
        return TawulaPosition(men, men, 13, 13)

    def begin(self, position: Position) -> State:
        """No man has entered or been hit when a turn begins."""
        return TawulaState(*TawulaPosition(*position), entered=False, hit_in_table=False)

    def position(self, state: State) -> Position:
        """Without the flags of the turn."""
        return TawulaPosition(*state[:4])

    def men(self, position: Position) -> tuple[int, int]:
        """The reserve counts."""
        me, opp, res_me, res_opp = position
        return sum(me) + res_me, sum(opp) + res_opp

    def sources(self, state: State, dice_left: Stage) -> Sequence[int | str]:
        """The bar first; with a reserve, a man must enter before an ordinary move if any die left lets one.

        The two starters are locked while there is a reserve (§2 e).
        """
        me, opp, res_me, _, entered, _ = state
        if me[BAR]:
            return (BAR,)
        points = super().sources(state, dice_left)
        if not res_me:
            return points
        if not entered and any(reserve_may_enter(me, opp, 25 - die) for die in dice_left):
            return (RESERVE,)
        return (RESERVE, *(point for point in points if point != START or me[START] > STARTERS))

    def may_land(self, state: State, source: int | str, target: int) -> bool:
        """Closed by two opposing men; on own 24..14 also by one own man, but bar to 24 is free (§2 e)."""
        me, opp = state[0], state[1]
        if source == RESERVE:
            return reserve_may_enter(me, opp, target)
        if source == BAR:
            return bar_may_enter(me, opp, target)
        return opp[cross(target)] < 2 and not (target in ONE_MAN_ONLY and me[target])

    def after_step(self, state: State, source: int | str, target: int) -> State:
        """A single opposing man is hit (§1); where it stood decides whether he must be able to enter."""
        me, opp, res_me, res_opp, entered, hit_in_table = state
        if target and opp[cross(target)] == 1:
            hit_in_table = hit_in_table or cross(target) in STARTING_TABLE
            opp = moved(opp, cross(target), BAR)
        if isinstance(source, str):
            res_me -= 1
            me = (*me[:target], me[target] + 1, *me[target + 1 :])
        else:
            me = moved(me, source, target)
        return TawulaState(me, opp, res_me, res_opp, entered or source in (BAR, RESERVE), hit_in_table)

    def may_bear_off(self, state: State, point: int, die: int) -> bool:
        """A man in reserve is not home."""
        return not state[2] and super().may_bear_off(state, point, die)

    def may_stop(self, state: State) -> bool:
        """After a hit in his starting table he must be able to enter on some of his 24..19 (§2 e)."""
        me, opp, *_, hit_in_table = state
        return not hit_in_table or any(bar_may_enter(opp, me, point) for point in STARTING_TABLE)

    def win(self, winner: Side, loser: Side) -> int:
        """1; there is no mars (§1)."""
        return 1

    def score(self, position: Position) -> int | None:
        """Capote is worth 7 (§2 e); else by the bear-off."""
        me, opp = position[0], position[1]
        if capote(me, opp):
            return 7
        if capote(opp, me):
            return -7
        return super().score(position)
