"""The stakes of a game: the score of the match, the cube, and the worth of each score of the game to a side.

A game's possible scores are listed best first, as in `Ruleset.scores`; a `Utility` gives each of them a value. In a
single game that is the points themselves, in a match the match-winning chance after the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tavla_ai.errors import RulesetError
from tavla_ai.rules import Ruleset, checked_whole


@dataclass(frozen=True)
class Utility:
    """The worth of each possible score of a game to one side.

    Attributes:
      values: K values, best score first, never rising: points in a single game, mwc in a match.
      total: sum of the two sides' values of a result: 0 for points, 1 for match-winning chances.

    Raises:
      RulesetError: fewer than two values, one that is not finite, values that rise, or a win worth no more
        than a loss.
    """

    values: tuple[float, ...]
    total: float = 0.0

    def __post_init__(self) -> None:
        values = tuple(float(value) for value in self.values)
        object.__setattr__(self, "values", values)
        if len(values) < 2:
            raise RulesetError(f"utility {values}: expected a value for each of at least 2 scores")
        if not np.isfinite(values).all():
            raise RulesetError(f"utility {values}: expected finite values")
        if any(better < worse for better, worse in pairwise(values)):
            raise RulesetError(f"utility {values}: expected values that fall, best score first")
        if not self.point > 0:
            raise RulesetError(f"utility {values}: the smallest win is worth no more than the smallest loss")

    @classmethod
    def points(cls, ruleset: Ruleset) -> Utility:
        """Return the utility of a single game: the points of each of the ruleset's scores."""
        return cls(tuple(float(score) for score in ruleset.scores))

    @property
    def inputs(self) -> tuple[float, ...]:
        """The K − 2 numbers that tell a network this utility, best score first; none is negative.

        The gaps between neighbouring scores, in units of the gap between the smallest win and the smallest
        loss, which is itself left out. In tavla they are the value of winning and of losing a mars: (½, ½) in
        a single game, (0, 0) at double match point, and never above 1 in a match while at most a third of the
        wins are mars. Where a draw splits the middle gap in two, the part above it is kept.
        """
        gaps = [better - worse for better, worse in pairwise(self.values)]
        del gaps[len(gaps) // 2]
        unit = 2 * self.point
        return tuple(gap / unit for gap in gaps)

    def mean(self, outcomes: Sequence[float]) -> float:
        """Return the mean worth of K probabilities of the scores, best first."""
        return sum(value * share for value, share in zip(self.values, outcomes, strict=True))

    def opponent(self) -> Utility:
        """Return the utility of the same game to the other side, best score first for that side."""
        return self._opponent

    @cached_property
    def _opponent(self) -> Utility:
        return Utility(tuple(self.total - value for value in reversed(self.values)), self.total)

    @cached_property
    def arrays(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The utility as the engine takes it: values float32 `[1, K]` and inputs float32 `[1, K − 2]`, read-only."""
        values, inputs = np.array([self.values], np.float32), np.array([self.inputs], np.float32)
        values.flags.writeable = inputs.flags.writeable = False
        return values, inputs

    @property
    def point(self) -> float:
        """The worth of a point: half of the gap between the smallest win and the smallest loss."""
        num_wins = len(self.values) // 2
        return (self.values[num_wins - 1] - self.values[-num_wins]) / 2


CubeOwner = Literal["centred", "me", "opponent"]


@dataclass(frozen=True)
class Cube:
    """The doubling cube, seen by one side.

    Attributes:
      value: factor of the game's points, a power of two.
      owner: the side that may double: `centred` is either side, otherwise only that side.

    Raises:
      RulesetError: a value that is not a power of two, or an unknown owner.
    """

    value: int = 1
    owner: CubeOwner = "centred"

    def __post_init__(self) -> None:
        if checked_whole(self.value, "cube") < 1 or self.value & (self.value - 1):
            raise RulesetError(f"cube {self.value}: expected a power of two")
        if self.owner not in get_args(CubeOwner):
            raise RulesetError(f"cube owner {self.owner!r}: expected {', '.join(get_args(CubeOwner))}")

    def swap(self) -> Cube:
        """Return the same cube seen by the other side."""
        owners: dict[CubeOwner, CubeOwner] = {"me": "opponent", "opponent": "me"}
        return Cube(self.value, owners.get(self.owner, self.owner))


@dataclass(frozen=True)
class MatchState:
    """The stakes of a game in progress, seen by one side ("me").

    Attributes:
      length: points that win the match; None for single games, which are played for points.
      score: points won so far, mine first; (0, 0) in single games.
      game: number of this game in the match, counted from 0; it decides which game of a set is played.
      is_crawford: whether this is the Crawford game, in which nobody may double.
      cube: the doubling cube; centred on 1 in games that have none.

    Raises:
      RulesetError: a length under 1, a score that is negative or already wins the match, points without a
        match, a negative game, or a Crawford game without exactly one side a point away or with a turned cube.
    """

    length: int | None = None
    score: tuple[int, int] = (0, 0)
    game: int = 0
    is_crawford: bool = False
    cube: Cube = Cube()

    def __post_init__(self) -> None:
        if not isinstance(self.score, tuple | list) or len(self.score) != 2:
            raise RulesetError(f"score {self.score!r}: expected two whole numbers, mine first")
        mine, theirs = (checked_whole(points, "score") for points in self.score)
        object.__setattr__(self, "score", (mine, theirs))
        if checked_whole(self.game, "game of a match") < 0:
            raise RulesetError(f"game {self.game} of a match: expected 0 or more")
        if self.length is None:
            if self.score != (0, 0):
                raise RulesetError(
                    f"score {mine}-{theirs}: expected a match length with it; single games have no score"
                )
            if self.is_crawford:
                raise RulesetError("Crawford game: expected a match; single games have none")
            return
        check_length(self.length)
        for side, points in (("my", mine), ("the opponent's", theirs)):
            if not 0 <= points < self.length:
                raise RulesetError(
                    f"match score {mine}-{theirs}: {side} {points} points,"
                    f" expected 0 to {self.length - 1} in a match to {self.length}"
                )
        if self.is_crawford and self.score.count(self.length - 1) != 1:
            raise RulesetError(
                f"Crawford game at {mine}-{theirs}: expected exactly one side with {self.length - 1} points,"
                f" one away from winning a match to {self.length}"
            )
        if self.is_crawford and self.cube != Cube():
            raise RulesetError(f"cube {self.cube.value}, {self.cube.owner}: nobody may double in the Crawford game")

    @property
    def away(self) -> tuple[int, int]:
        """Points that I and the opponent still need.

        Raises:
          RulesetError: there is no match.
        """
        if self.length is None:
            raise RulesetError("away: single games have no match score")
        return self.length - self.score[0], self.length - self.score[1]

    def swap(self) -> MatchState:
        """Return the same state seen by the other side."""
        return replace(self, score=(self.score[1], self.score[0]), cube=self.cube.swap())


def check_length(length: int) -> None:
    """Raise `RulesetError` unless a match can be played to `length` points."""
    if checked_whole(length, "match length") < 1:
        raise RulesetError(f"match length {length}: expected at least 1 point")
