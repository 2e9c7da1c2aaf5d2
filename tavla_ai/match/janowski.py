"""Janowski's cube model: the value of a game with a doubling cube, from its outcomes without a cube.

Rick Janowski, "Take-Points in Money Games" (1993), and its usual extension to matches: a game is worth
a value between that with a dead cube, which is never turned again, and that with a live cube, which is
turned exactly where the other side is indifferent between taking and passing. In between, wins and losses
keep their sizes while the chance of winning changes, so that both are piecewise linear in that chance.

One recursion over the values of the cube serves money and matches. It ends where a cube is dead: at the
house's limit, or where the present cube already wins the match for the side that might double.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tavla_ai.match.state import CubeOwner

# Efficiency of a real cube; 0 is dead, 1 is live. Janowski found 0.6 to 0.75 in typical money positions.
CUBE_EFFICIENCY = 0.68


@dataclass(frozen=True)
class Curve:
    """A value that rises piecewise linearly with the chance of winning.

    Attributes:
      points: `(chance, value)`, from chance 0 to chance 1; neither number ever falls.
    """

    points: tuple[tuple[float, float], ...]

    def at(self, chance: float) -> float:
        """Return the value at a chance of winning, 0 to 1."""
        for (left, low), (right, high) in pairwise(self.points):
            if chance <= right and right > left:
                share = (chance - left) / (right - left)
                return low * (1 - share) + high * share
        return self.points[-1][1]

    def reaching(self, value: float) -> float:
        """Return the lowest chance at which the curve reaches a value; 1 if it never does."""
        for (left, low), (right, high) in pairwise(self.points):
            if low >= value:
                return left
            if high >= value:
                return left + (right - left) * (value - low) / (high - low)
        return 1.0


class CubeModel:
    """A game between the turns, seen by one side ("me"): its value for each value and owner of the cube."""

    def __init__(
        self,
        outcomes: Sequence[float],
        scores: Sequence[int],
        after: Callable[[int], float],
        away: tuple[float, float] = (math.inf, math.inf),
        limit: int = 64,
        efficiency: float = CUBE_EFFICIENCY,
    ) -> None:
        """Take a game's cubeless outcomes and the worth of points.

        Args:
          outcomes: K probabilities of my scores, best first.
          scores: the K scores in points, best first, without a draw.
          after: my value after winning a number of points, negative for losing them; never falls as they grow.
          away: points that I and the opponent still need; infinite without a match.
          limit: highest value of the cube.
          efficiency: how live the cube is, 0 to 1; at 0 it will not be turned again.
        """
        self._sizes = tuple(zip(scores, outcomes, strict=True))
        self._after = after
        self._away = away
        self._limit = limit
        self._efficiency = efficiency
        total = sum(outcomes)
        self.win_chance = sum(share for score, share in self._sizes if score > 0) / total

    def dead(self, value: int) -> Curve:
        """Return my value if the cube of `value` is never turned again."""
        return Curve(((0.0, self._mean(value, -1)), (1.0, self._mean(value, 1))))

    def curve(self, value: int, owner: CubeOwner, *, waits: bool = False) -> Curve:
        """Return my value with a cube of `value`, for each chance of winning.

        A side that loses the match with the present cube has nothing to lose by doubling. It does so at its
        next turn, wherever that leaves it, so its cube is fully live.

        Args:
          owner: the side that may double.
          waits: whether I am on roll and do not double this turn although I may. Then the cube is only as live as
            usual, even if I have nothing to lose.
        """
        mine, theirs = self._may_double(value, owner)
        dead, live = self.dead(value), self._live(value, owner)
        has_nothing_to_lose = mine != theirs and value >= self._away[1 if mine else 0] and not (mine and waits)
        efficiency = 1.0 if has_nothing_to_lose and self._efficiency > 0 else self._efficiency
        return Curve(
            tuple((chance, dead.at(chance) * (1 - efficiency) + worth * efficiency) for chance, worth in live.points)
        )

    def take_point(self, value: int) -> float:
        """Return the lowest chance of winning with which I take a cube of `value` that is doubled to me."""
        return self.curve(2 * value, "me").reaching(self._after(-value))

    def cash_point(self, value: int) -> float:
        """Return the lowest chance of winning with which the opponent passes when I double a cube of `value`."""
        return self.curve(2 * value, "opponent").reaching(self._after(value))

    def _live(self, value: int, owner: CubeOwner) -> Curve:
        """Return my value if each side doubles exactly where the other side is indifferent between taking and passing.

        The owner of the cube need not double, so a point where doubling would cost the owner is left out.
        """
        mine, theirs = self._may_double(value, owner)
        dead = self.dead(value)
        (start, end), between = dead.points, []
        if theirs:
            chance, worth = self._live(2 * value, "me").reaching(self._after(-value)), self._after(-value)
            if worth < dead.at(chance):
                between.append((chance, worth))
        if mine:
            chance, worth = self._live(2 * value, "opponent").reaching(self._after(value)), self._after(value)
            if worth > dead.at(chance):
                between.append((chance, worth))
        return Curve((start, *between, end))

    def _may_double(self, value: int, owner: CubeOwner) -> tuple[bool, bool]:
        """Return whether I, and the opponent, may double and have something to gain by it."""
        allowed = 2 * value <= self._limit
        return (
            allowed and owner != "opponent" and value < self._away[0],
            allowed and owner != "me" and value < self._away[1],
        )

    def _mean(self, value: int, sign: int) -> float:
        """Return my mean value after a win (`sign` 1) or a loss (−1) with a cube of `value`."""
        sizes = [(score, share) for score, share in self._sizes if score * sign > 0]
        total = sum(share for _, share in sizes)
        if total == 0:
            # It does not happen, so its size does not matter.
            return self._after(value * min((score for score, _ in sizes), key=abs))
        return sum(share * self._after(value * score) for score, share in sizes) / total
