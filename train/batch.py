"""Batches that self-play hands to the learner: afterstates with their targets, and counts of their games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Task:
    """A range of games to play with one version of the weights."""

    version: int
    first_game: int
    num_games: int


@dataclass(frozen=True)
class Afterstates:
    """Afterstates to learn from, in game order; the afterstates of a decision follow each other.

    Attributes:
      boards: `[N, 2, num_places]` int8; row 0 is the player who has just moved.
      targets: `[N, K]` float32, probability of each score for that player.
      utility_inputs: `[N, K − 2]` float32, the stakes of that player as the network reads them.
      values: `[N, K]` float32, value of each score to that player, in points; `[0, K]` from a target that compares no
        plays.
      siblings: `[D]` int32, number of afterstates of each decision; the sum is N.
    """

    boards: NDArray[np.int8]
    targets: NDArray[np.float32]
    utility_inputs: NDArray[np.float32]
    values: NDArray[np.float32]
    siblings: NDArray[np.int32]

    @classmethod
    def of_plays_made(
        cls, boards: NDArray[np.int8], targets: NDArray[np.float32], utility_inputs: NDArray[np.float32]
    ) -> Self:
        """Return afterstates with one for each decision, so that no plays are compared."""
        no_values = np.zeros((0, targets.shape[1]), np.float32)
        return cls(boards, targets, utility_inputs, no_values, np.ones(len(boards), np.int32))

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """Join the parts, in their order."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(part.arrays() for part in parts), strict=True)))

    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Return the arrays in the order of the fields, which is also their order in the trainer's state."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def __len__(self) -> int:
        """Return the number of afterstates, N."""
        return len(self.boards)


@dataclass(frozen=True)
class Batch:
    """Results of a range of self-play games.

    Attributes:
      version: version of the weights that played.
      first_game: index of the first game.
      games: games played, void ones included.
      afterstates: the afterstates and their targets.
      void_games: games that the stuck rule ended.
      big_wins: games won with more points than the smallest win.
      plies: turns played.
      evaluated: number of afterstates that the network evaluated.
      sum_abs_td_error: |expected utility of the target − that of the prediction|, summed over afterstates.
      seconds: playing time of the games.
    """

    version: int
    first_game: int
    games: int
    afterstates: Afterstates
    void_games: int
    big_wins: int
    plies: int
    evaluated: int
    sum_abs_td_error: float
    seconds: float


def merge(batches: Sequence[Batch]) -> Batch:
    """Join the batches of one round, in game order."""
    ordered = sorted(batches, key=lambda batch: batch.first_game)
    return Batch(
        version=min(batch.version for batch in ordered),
        first_game=ordered[0].first_game,
        games=sum(batch.games for batch in ordered),
        afterstates=Afterstates.concatenated([batch.afterstates for batch in ordered]),
        void_games=sum(batch.void_games for batch in ordered),
        big_wins=sum(batch.big_wins for batch in ordered),
        plies=sum(batch.plies for batch in ordered),
        evaluated=sum(batch.evaluated for batch in ordered),
        sum_abs_td_error=sum(batch.sum_abs_td_error for batch in ordered),
        seconds=sum(batch.seconds for batch in ordered),
    )
