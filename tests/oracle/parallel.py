"""Parallel movement: both players go the same way round (§0), and the block of Fevga and Gul Bara (§1)."""

from __future__ import annotations

from .core import Family, Position, State, moved, side


def cross(point: int) -> int:
    """The same point in the other player's numbering (§0)."""
    return (point + 11) % 24 + 1


class Block(Family):
    """15 men on 24; a single man closes a point, and nothing is ever hit."""

    def start(self) -> Position:
        """§1: 15@24."""
        men = side({24: 15})
        return men, men

    def begin(self, position: Position) -> State:
        """The two sides only."""
        return position[0], position[1]

    def may_land(self, state: State, source: int | str, target: int) -> bool:
        """Closed by any opposing man (§1)."""
        return not state[1][cross(target)]

    def after_step(self, state: State, source: int | str, target: int) -> State:
        """The man moves; nothing else changes."""
        assert isinstance(source, int)
        return moved(state[0], source, target), state[1]
