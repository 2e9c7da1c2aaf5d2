"""Exact values of the last rolls of a game with a cube, from every roll, play and cube action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.match.cube import may_double, turned
from tavla_ai.match.equity import MatchEquity
from tavla_ai.match.state import MatchState
from tavla_ai.rules import BAR, NUM_CHECKERS, NUM_PLACES, OFF, ROLLS

# Largest number of checkers on both sides for which the full search takes milliseconds.
MAX_CHECKERS = 4

_HOME = 6

_Row = tuple[int, ...]


def ends_soon(board: npt.NDArray[np.int8]) -> bool:
    """Return whether a board `[2, 26]` of backgammon is a bear-off with at most `MAX_CHECKERS` checkers left."""
    left = board[:, 1:NUM_PLACES]
    return bool(left[:, _HOME:BAR].sum() == 0 and left.sum() <= MAX_CHECKERS and (left.sum(axis=1) > 0).all())


@dataclass(eq=False)
class _Seat:
    """A side and its stakes.

    Attributes:
      stakes: seen by that side.
      win: worth of a single win, which is also the worth of a double that is passed.
      may_double: whether the rules let it double.
      taken_unit: unit of values after a taken double, in the unit before it.
      total: the sum of the two sides' values.
      opponent: the other side of the same stakes, made when it is first needed.
      taken: the same side after a taken double, made when it is first needed.
    """

    stakes: MatchState
    win: float
    may_double: bool
    taken_unit: int
    total: int
    opponent: _Seat | None = None
    taken: _Seat | None = None


class CubeEnding:
    """Exact values of bear-offs with a cube, for positions that `ends_soon` accepts.

    In a bear-off a side's plays depend on its own checkers alone, and with only these left neither side loses a gammon.
    """

    def __init__(self, rules: engine.Rules, equity: MatchEquity) -> None:
        self._rules = rules
        self._equity = equity
        self._successors: dict[_Row, list[set[_Row]]] = {}
        self._seats: dict[MatchState, _Seat] = {}
        self._known: dict[tuple[_Row, _Row, int], float] = {}

    def rolled(self, board: npt.NDArray[np.int8], stakes: MatchState) -> float:
        """Return the value of a position to the side on roll if it does not double now.

        Args:
          board: `[2, 26]` int8, the side on roll first.
          stakes: seen by that side.

        Returns:
          Match-winning chance; in single games points, in units of the cube.
        """
        mine, theirs = (tuple(row[: _HOME + 1].tolist()) for row in board)
        return self._rolled(mine, theirs, self._seat(stakes))

    def _rolled(self, mine: _Row, theirs: _Row, seat: _Seat) -> float:
        key = (mine, theirs, id(seat))
        if key not in self._known:
            total = 0.0
            for rows, (_, _, weight) in zip(self._after(mine), ROLLS, strict=True):
                total += weight * max(self._played(row, theirs, seat) for row in rows)
            self._known[key] = total / 36
        return self._known[key]

    def _played(self, mine: _Row, theirs: _Row, seat: _Seat) -> float:
        """Return the value of a play to its mover; the opponent then doubles if that gains."""
        if not any(mine[1:]):
            return seat.win
        other = seat.opponent or self._opponent(seat)
        value = self._rolled(theirs, mine, other)
        if other.may_double:
            other.taken = other.taken or self._seat(turned(other.stakes))
            value = max(value, min(other.taken_unit * self._rolled(theirs, mine, other.taken), other.win))
        return seat.total - value

    def _opponent(self, seat: _Seat) -> _Seat:
        seat.opponent = self._seat(seat.stakes.swap())
        return seat.opponent

    def _seat(self, stakes: MatchState) -> _Seat:
        if stakes not in self._seats:
            is_match = stakes.length is not None
            won = self._equity.value_after(stakes, stakes.cube.value)
            self._seats[stakes] = _Seat(
                stakes,
                win=won if is_match else won / stakes.cube.value,
                may_double=may_double(stakes, self._equity),
                taken_unit=1 if is_match else 2,
                total=1 if is_match else 0,
            )
        return self._seats[stakes]

    def _after(self, row: _Row) -> list[set[_Row]]:
        """Return the checkers that a side can have left after each of the 21 rolls."""
        if row not in self._successors:
            board = np.zeros((2, NUM_PLACES), np.int8)
            board[0, : _HOME + 1] = row
            board[1, [OFF, 1]] = NUM_CHECKERS - 1, 1
            self._successors[row] = [
                {tuple(after[0, : _HOME + 1].tolist()) for after in engine.legal_plays(self._rules, board, *roll)[0]}
                for *roll, _ in ROLLS
            ]
        return self._successors[row]
