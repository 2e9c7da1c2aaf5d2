"""Plakoto: opposed movement, pinning (§1, §2 d)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .core import Family, Position, Side, Stage, State, moved, side

MOTHER = 24


class PlakotoPosition(NamedTuple):
    """pin_me: my points where my man lies pinned; pin_opp: his, in his numbering; both ascending."""

    me: Side
    opp: Side
    pin_me: tuple[int, ...] = ()
    pin_opp: tuple[int, ...] = ()


class Plakoto(Family):
    """The Macedonian and Bulgarian game; the Greek one has `pinned_blocks_bearoff`."""

    def __init__(self, *, pinned_blocks_bearoff: bool = False) -> None:
        self.pinned_blocks_bearoff = pinned_blocks_bearoff

    def start(self) -> Position:
        """§1: 15@24."""
        men = side({24: 15})
        return PlakotoPosition(men, men)

    def begin(self, position: Position) -> State:
        """The position itself."""
        return PlakotoPosition(*position)

    def sources(self, state: State, dice_left: Stage) -> Sequence[int | str]:
        """Any man that is not pinned."""
        me, _, pin_me, _ = state
        return [point for point in range(24, 0, -1) if me[point] and point not in pin_me]

    def may_land(self, state: State, source: int | str, target: int) -> bool:
        """Closed by two or more opposing men, or by a pinner on my man (§1, §2 d)."""
        _, opp, pin_me, _ = state
        return opp[25 - target] < 2 and target not in pin_me

    def after_step(self, state: State, source: int | str, target: int) -> State:
        """Landing on a single opposing man pins it; it is free again when my last man leaves it (§1)."""
        me, opp, pin_me, pin_opp = state
        assert isinstance(source, int)
        me = moved(me, source, target)
        pinned = set(pin_opp)
        if not me[source]:
            pinned.discard(25 - source)
        if target and opp[25 - target] == 1:
            pinned.add(25 - target)
        return PlakotoPosition(me, opp, pin_me, tuple(sorted(pinned)))

    def may_bear_off(self, state: State, point: int, die: int) -> bool:
        """As usual, a pinned man at home being home and in the way; Greek: no own man pinned (§2 d)."""
        if self.pinned_blocks_bearoff and state[2]:
            return False
        return super().may_bear_off(state, point, die)

    def score(self, position: Position) -> int | None:
        """Both mothers pinned: 0; his pinned by me and my 24 empty: 2 (§2 d); else by the bear-off."""
        me, opp, pin_me, pin_opp = position
        mine, his = MOTHER in pin_me, MOTHER in pin_opp
        if mine and his:
            return 0
        if his and not me[MOTHER]:
            return 2
        if mine and not opp[MOTHER]:
            return -2
        return super().score(position)
