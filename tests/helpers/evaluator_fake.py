"""An evaluator without a network: a side wins the more often the further it is ahead in the race."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import BaseEvaluator, BestPlay, Evaluation, RankedPlay
from tavla_ai.match import CubeDecision, MatchEquity, MatchState, Utility, cube_decision
from tavla_ai.rules import (
    NUM_PLACES,
    LegalPlay,
    MatchSet,
    Position,
    Ruleset,
    hit_chance,
    legal_plays,
)

# A lead of this many pips is nearly won.
_CLEAR = 100


def pip_lead(position: Position) -> int:
    """Return how many pips the first side is ahead."""
    mine, theirs = position.board[:, :NUM_PLACES].astype(int) @ np.arange(NUM_PLACES)
    return int(theirs - mine)


class EvaluatorFake(BaseEvaluator):
    """The same values at every ply; all wins and losses are single ones, and an even race is even.

    Plays of the same worth keep the order of `legal_plays`.
    """

    version = "fake"

    def __init__(self, ruleset: Ruleset, match_set: MatchSet | None = None, threads: int = 1) -> None:
        super().__init__(ruleset, match_set)
        self._threads = threads

    @property
    def threads(self) -> int:
        return self._threads

    def with_threads(self, threads: int) -> Self:
        return type(self)(self.ruleset, self.match_set, threads)

    def outcomes(self, lead: int, score: int | None = None) -> tuple[float, ...]:
        """Return the probabilities of the scores to a side with a lead; of a game that is over, its score."""
        scores = self.ruleset.scores
        if score is not None:
            return tuple(float(one == score) for one in scores)
        win = 0.5 + 0.49 * max(-1.0, min(1.0, lead / _CLEAR))
        single = min(one for one in scores if one > 0)
        return tuple({single: win, -single: 1 - win}.get(one, 0.0) for one in scores)

    def evaluate(
        self, position: Position, match: MatchState = MatchState(), *, ply: int = 0, time_ms: float | None = None
    ) -> Evaluation:
        return self._evaluation(position, pip_lead(position), match, ply)

    def evaluate_afterstate(
        self, afterstate: Position, match: MatchState = MatchState(), *, ply: int = 0, time_ms: float | None = None
    ) -> Evaluation:
        return self._evaluation(afterstate, pip_lead(afterstate), match, ply)

    def rank_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
        explain: bool = False,
    ) -> tuple[RankedPlay, ...]:
        utility = self.utility(match)
        ranked = [
            RankedPlay(
                play.steps,
                play.afterstate,
                play.score,
                Evaluation.of(self._after(play), self.ruleset.scores, utility, ply),
                hit_chance=hit_chance(self.ruleset, play.afterstate) if explain and play.score is None else None,
            )
            for play in legal_plays(self.ruleset, position, dice)
        ]
        best = max(play.evaluation.value for play in ranked)
        ordered = sorted(ranked, key=lambda play: -play.evaluation.value)
        return tuple(replace(play, loss=best - play.evaluation.value) for play in ordered)

    def best_play(
        self,
        position: Position,
        dice: tuple[int, int],
        utility: Utility,
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> BestPlay:
        plays = legal_plays(self.ruleset, position, dice)
        counts = np.stack([play.afterstate.board for play in plays])[:, :, :NUM_PLACES].astype(int)
        leads = ((counts[:, 1] - counts[:, 0]) @ np.arange(NUM_PLACES)).tolist()
        after = [self.outcomes(lead, play.score) for lead, play in zip(leads, plays, strict=True)]
        best = max(range(len(after)), key=lambda i: utility.mean(after[i]))
        return BestPlay(plays[best], after[best])

    def _after(self, play: LegalPlay) -> tuple[float, ...]:
        return self.outcomes(pip_lead(play.afterstate), play.score)

    def _evaluation(self, position: Position, lead: int, match: MatchState, ply: int) -> Evaluation:
        utility = self.utility(match)
        if position.is_over(self.ruleset):
            raise RulesetError("the game is over")
        return Evaluation.of(self.outcomes(lead), self.ruleset.scores, utility, ply)

    def _cube_by_rolls(self, position: Position, match: MatchState, equity: MatchEquity, ply: int) -> CubeDecision:
        return cube_decision(self.evaluate(position, match, ply=ply).outcomes, match, equity)
