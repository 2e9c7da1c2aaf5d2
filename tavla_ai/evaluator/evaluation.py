"""Answers of an evaluator: the worth of a position and of a play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tavla_ai.match import Utility
from tavla_ai.rules import LegalPlay


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The worth of a position to one side.

    Attributes:
      outcomes: probabilities of the game's scores, best first.
      scores: the scores, in points.
      value: the chance of winning the match; in single games the expected points.
      ply: look-ahead of the evaluation.
    """

    outcomes: tuple[float, ...]
    scores: tuple[int, ...]
    value: float
    ply: int

    @classmethod
    def of(cls, outcomes: Sequence[float], scores: tuple[int, ...], utility: Utility, ply: int) -> Evaluation:
        """Return the evaluation of some outcomes, given what the scores are worth to that side."""
        return cls(tuple(outcomes), scores, utility.mean(outcomes), ply)

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


@dataclass(frozen=True, slots=True)
class RankedPlay(LegalPlay):
    """A legal play and its worth to the mover.

    Attributes:
      evaluation: worth of the position after the play.
      loss: how much less it is worth than the best play, in units of `evaluation.value`.
      hit_chance: share of the opponent's 36 rolls that can hit, or pin, a checker; None if it was not requested, if the
        play ends the game, or in games in which nothing is ever hit.
    """

    evaluation: Evaluation
    loss: float = 0.0
    hit_chance: float | None = None


@dataclass(frozen=True, slots=True)
class BestPlay:
    """The best play of a roll.

    Attributes:
      play: the play.
      outcomes: K probabilities of the mover's scores after it, best first.
    """

    play: LegalPlay
    outcomes: tuple[float, ...]
