"""What the evaluator answers: the worth of a position and of a play."""

from __future__ import annotations

from dataclasses import dataclass

from tavla_ai.rules import (
    LegalPlay,
)


@dataclass(frozen=True)
class Evaluation:
    """What a position is worth to one side.

    Attributes:
      outcomes: probabilities of the game's scores, best first.
      scores: the scores, in points.
      value: what is played for: the chance of winning the match, or in single games the expected points.
      ply: how deep it was looked at.
    """

    outcomes: tuple[float, ...]
    scores: tuple[int, ...]
    value: float
    ply: int

    @property
    def equity(self) -> float:
        """Expected points of this game by itself, without a cube."""
        return sum(score * share for score, share in zip(self.scores, self.outcomes, strict=True))

    @property
    def win(self) -> float:
        """Chance of winning the game."""
        return self._share(1, self.scores[0])

    @property
    def draw(self) -> float:
        """Chance of a draw."""
        return self._share(0, 0)

    @property
    def mars(self) -> float:
        """Chance of winning more than one point."""
        return self._share(2, self.scores[0])

    @property
    def mars_lost(self) -> float:
        """Chance of losing more than one point."""
        return self._share(self.scores[-1], -2)

    def _share(self, least: int, most: int) -> float:
        return sum(share for score, share in zip(self.scores, self.outcomes, strict=True) if least <= score <= most)


@dataclass(frozen=True)
class RankedPlay(LegalPlay):
    """A legal play and what it is worth to its mover.

    Attributes:
      evaluation: of the position after it.
      loss: how much less it is worth than the best play, in units of `evaluation.value`.
      hit_chance: share of the opponent's 36 rolls with which he can hit, or pin; None if not asked for, or where
        nothing is ever hit.
    """

    evaluation: Evaluation
    loss: float = 0.0
    hit_chance: float | None = None
