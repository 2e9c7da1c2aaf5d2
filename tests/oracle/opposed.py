"""Tavla, Portes, western backgammon and traditional tavla: opposed movement, hitting (§1, §2 a and a')."""

from __future__ import annotations

from collections.abc import Sequence

from .core import BAR, End, Family, Position, Side, Stage, State, all_home, moved, side


class Opposed(Family):
    """State: (me, opp, frozen), frozen being the own home points where a man that hit must stay."""

    def __init__(self, *, hit_run_home: bool = True, larger_first: bool = False, triple: bool = False) -> None:
        self.hit_run_home = hit_run_home
        self.larger_first = larger_first
        self.triple = triple

    def start(self) -> Position:
        """§1: 2@24 5@13 3@8 5@6."""
        men = side({24: 2, 13: 5, 8: 3, 6: 5})
        return men, men

    def begin(self, position: Position) -> State:
        """No man is frozen when a turn begins."""
        me, opp = position
        return me, opp, ()

    def position(self, state: State) -> Position:
        """Without the frozen points."""
        return state[:2]

    def sources(self, state: State, dice_left: Stage) -> Sequence[int | str]:
        """The bar first, all of it (§1); then any point with more men than frozen ones (§2 a)."""
        me, _, frozen = state
        if me[BAR]:
            return (BAR,)
        return [point for point in range(24, 0, -1) if me[point] > (point in frozen)]

    def may_land(self, state: State, source: int | str, target: int) -> bool:
        """Closed by two or more opposing men (§1)."""
        return bool(state[1][25 - target] < 2)

    def after_step(self, state: State, source: int | str, target: int) -> State:
        """A single opposing man is hit; at home the hitter is frozen if hit-and-run is forbidden (§2 a)."""
        me, opp, frozen = state
        assert isinstance(source, int)
        if target and opp[25 - target] == 1:
            opp = moved(opp, 25 - target, BAR)
            if not self.hit_run_home and target <= 6:
                frozen = tuple(sorted((*frozen, target)))
        return moved(me, source, target), opp, frozen

    def win(self, winner: Side, loser: Side) -> int:
        """1; 2 with none off; western 3 when one of those men is on the bar or in the winner's home (§1)."""
        if self.triple and not loser[0] and any(loser[19:26]):
            return 3
        return super().win(winner, loser)

    def prefer(self, position: Position, dice: Stage, ends: list[End]) -> list[End]:
        """Traditional: in the bear-off the larger die is played first, where that is maximal (§2 a')."""
        if not self.larger_first or len(set(dice)) == 1 or not all_home(position[0]):
            return ends
        return [end for end in ends if end.order[0] == max(dice)] or ends
