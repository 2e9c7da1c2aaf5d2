"""A game in play outside the engine, with the same dice, turns and stuck rule as in the engine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import ChosenPlay
from tavla_ai.rules import Ruleset

# A game of tavla has about 55 turns; further rolls are drawn when a game needs them.
_ROLLS_AT_ONCE = 64


class OpenGame:
    """A game in play, before the play of a turn.

    Args:
      ruleset: the game, in which a turn is one roll.
      rules: the game, compiled for the engine.
      seed: seed of the dice.
      number: number of the game, or of its pair.
      round: number of the game in its match.
      first_seat: the seat that starts; None if the opening roll decides.

    Attributes:
      board: int8 `[2, num_places]`, the side on roll first.
      seat: the seat on roll.
      ply: number of the turn.
      dice: the roll.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        rules: engine.Rules,
        seed: int,
        number: int,
        round: int = 0,
        first_seat: int | None = None,
    ) -> None:
        self.board: npt.NDArray[np.int8] = rules.start()
        self.ply = 0
        self._stuck, self._stuck_limit = 0, ruleset.stuck_limit
        self._stream = seed, number, round
        self._rolls: npt.NDArray[np.int8] | None = None
        self.dice: tuple[int, int]
        if first_seat is None:
            self.seat, self.dice = engine.opening(rules, seed, number, round)
        else:
            self.seat, self.dice = first_seat, self._roll()

    def is_void_after(self, chosen: ChosenPlay) -> bool:
        """Return whether the stuck rule ends the game with a play."""
        return chosen.score is None and self._stuck_after(chosen) >= self._stuck_limit

    def move(self, chosen: ChosenPlay) -> None:
        """Make a play that does not end the game, and roll for the next turn."""
        self._stuck = self._stuck_after(chosen)
        self.board = np.ascontiguousarray(chosen.afterstate[::-1])
        self.seat ^= 1
        self.ply += 1
        self.dice = self._roll()

    def _stuck_after(self, chosen: ChosenPlay) -> int:
        """Return the number of turns in a row, including this play, that did not change the board."""
        return self._stuck + 1 if np.array_equal(chosen.afterstate, self.board) else 0

    def _roll(self) -> tuple[int, int]:
        if self._rolls is None or self.ply >= len(self._rolls):
            seed, number, round = self._stream
            self._rolls = engine.rolls(seed, number, self.ply + _ROLLS_AT_ONCE, round)
        first, second = self._rolls[self.ply].tolist()
        return first, second
