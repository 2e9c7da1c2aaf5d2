"""Paired contests: the games and matches of two bots.

A contest is a single game or a match. Pair number n of a seed has the same dice for all bots; its two contests have
swapped seats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Contests:
    """Paired contests between A and B, all seen by A.

    Attributes:
      points: int16 `[pairs, 2]`, A's points of a game, or ±1 for a match; first with A in seat 0, then in seat 1 with
        the same dice. A void game and an unfinished match are 0.
      scores: int32 `[pairs, 2, K]`, number of decided games by A's score, in the order of `scores_of`: best first.
      void_games: int32 `[pairs, 2]`, games that the stuck rule or a fault ended.
      plies: int32 `[pairs, 2]`, turns of all games.
      luck: float64 `[pairs, 2]`, A's luck minus B's, in points or in match-winning chance; None if it was not measured.
      cube: int32 `[pairs, 2, 3]` of contests with a cube: A's points less B's over all games, the number of doubles of
        both sides, and the number of games that a pass ended; None without a cube. `scores` leave out the cube.
      faults: 2 × pair + A's seat → the fault that ended the contest.
    """

    points: npt.NDArray[np.int16]
    scores: npt.NDArray[np.int32]
    void_games: npt.NDArray[np.int32]
    plies: npt.NDArray[np.int32]
    luck: npt.NDArray[np.float64] | None = None
    faults: dict[int, str] = field(default_factory=dict)
    cube: npt.NDArray[np.int32] | None = None

    @staticmethod
    def empty(num_pairs: int, num_scores: int, *, has_luck: bool, has_cube: bool = False) -> Contests:
        """Return contests that have not begun."""
        shape = num_pairs, 2
        return Contests(
            np.zeros(shape, np.int16),
            np.zeros((*shape, num_scores), np.int32),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.int32),
            np.zeros(shape) if has_luck else None,
            cube=np.zeros((*shape, 3), np.int32) if has_cube else None,
        )

    @staticmethod
    def joined(parts: Sequence[Contests]) -> Contests:
        """Return the contests of all parts, in order."""
        cubes = [part.cube for part in parts if part.cube is not None]
        lucks = [part.luck for part in parts if part.luck is not None]
        faults: dict[int, str] = {}
        before = 0
        for part in parts:
            faults |= {2 * before + index: fault for index, fault in part.faults.items()}
            before += part.num_pairs
        return Contests(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.void_games for part in parts]),
            np.concatenate([part.plies for part in parts]),
            np.concatenate(lucks) if lucks else None,
            faults,
            np.concatenate(cubes) if cubes else None,
        )

    @property
    def num_pairs(self) -> int:
        """Number of pairs of contests."""
        return len(self.points)

    @property
    def num_games(self) -> int:
        """Number of games, including void ones."""
        return int(self.scores.sum()) + int(self.void_games.sum())

    def first(self, num_pairs: int) -> Contests:
        """Return the first `num_pairs` pairs."""
        return Contests(
            self.points[:num_pairs],
            self.scores[:num_pairs],
            self.void_games[:num_pairs],
            self.plies[:num_pairs],
            None if self.luck is None else self.luck[:num_pairs],
            {index: fault for index, fault in self.faults.items() if index < 2 * num_pairs},
            None if self.cube is None else self.cube[:num_pairs],
        )

    def swapped(self) -> Contests:
        """Return the same contests seen by B."""
        luck = None if self.luck is None else -self.luck
        cube = None if self.cube is None else self.cube * np.array([-1, 1, 1], np.int32)
        return Contests(-self.points, self.scores[..., ::-1], self.void_games, self.plies, luck, self.faults, cube)

    def count_faults(self) -> Counter[str]:
        """Return the number of contests that each fault ended."""
        return Counter(self.faults.values())
