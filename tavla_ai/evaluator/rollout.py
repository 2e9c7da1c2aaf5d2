"""Rollouts: plays are compared by the results of games that continue from them.

All plays of a comparison get the same dice, and trial number n of a seed is the same on any thread or machine. So the
result of a rollout does not depend on how its work is spread over threads and machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.cluster import joined_cluster
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator.evaluation import Evaluation, RankedPlay
from tavla_ai.evaluator.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.match import MatchState, Utility
from tavla_ai.network import Checkpoint
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Position, Ruleset

# Trials come in whole rounds of the 36 first rolls, so that each roll is as frequent as with real dice.
FIRST_ROLLS = 36

_ROUNDS_A_BATCH = 4

Trials = npt.NDArray[np.float64]


class RolloutSettings(BaseModel):
    """Settings of a rollout."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trials: int = Field(default=1296, ge=FIRST_ROLLS, description="games of each play, rounded up to a multiple of 36")
    ply: int = Field(default=0, ge=0, le=MAX_PLY, description="look-ahead of the plays of both sides")
    truncate: int = Field(
        default=0,
        ge=0,
        description="turns after which the network's value replaces the rest; 0 plays to the end",
    )
    adjusts_luck: bool = Field(
        default=True, description="subtract the luck of each roll, as the network sees it: no bias, and much less noise"
    )
    confidence: float | None = Field(
        default=None,
        gt=0,
        description="stop when the best play leads all others by this number of standard errors; null plays all trials",
    )
    seed: int = Field(default=1, ge=0, lt=2**64, description="seed of the dice")


@dataclass(frozen=True)
class RolledOut:
    """Result of a play in a rollout.

    Attributes:
      play: the play, with its evaluation by a search.
      evaluation: evaluation by the rollout, seen by the mover; its ply is that of the plays in the games.
      standard_error: standard error of `evaluation.value`.
      loss: how much less the play is worth than the best play.
      loss_error: standard error of the loss, from trials with the same dice; 0 for the best play.
      trials: number of games; 0 for a play that ends the game.
    """

    play: RankedPlay
    evaluation: Evaluation
    standard_error: float
    loss: float
    loss_error: float
    trials: int


def roll_out(
    evaluator: Evaluator,
    position: Position,
    plays: Sequence[RankedPlay],
    match: MatchState = MatchState(),
    settings: RolloutSettings = RolloutSettings(),
    *,
    workers: int | None = None,
    ray_address: str = "local",
    progress: ProgressCallback | None = None,
) -> tuple[RolledOut, ...]:
    """Roll out plays of one decision and return them, the best first.

    Args:
      position: the board before the plays, the side on roll first.
      plays: plays from `Evaluator.rank_plays`.
      match: the stakes, seen by the side on roll.
      workers: number of Ray workers that share the trials; None uses the evaluator's own threads.
      ray_address: address of the Ray cluster, as in `joined_cluster`.
      progress: function that is called with the number of trials finished since its last call.

    Raises:
      TavlaError: there are no plays, or Ray is requested but not installed or not reachable.
      RulesetError: the game cannot be rolled out (Gul Bara), or the stakes are impossible; see `Evaluator.utility`.
    """
    if not plays:
        raise TavlaError("rollout: expected at least one play")
    evaluator.ruleset.check_has_no_stages("rollout")
    utility = evaluator.utility(match)
    rounds = -(-settings.trials // FIRST_ROLLS)
    found: list[Trials] = [np.empty((0, len(evaluator.ruleset.scores))) for _ in plays]
    for i, play in enumerate(plays):
        if play.score is not None:
            found[i] = np.array([[float(play.score == score) for score in evaluator.ruleset.scores]])
    going = [i for i, play in enumerate(plays) if play.score is None]
    with _runner(evaluator, utility, settings, workers, ray_address) as run:
        for first in range(0, rounds, _ROUNDS_A_BATCH):
            batch = min(_ROUNDS_A_BATCH, rounds - first) * FIRST_ROLLS
            work = [(plays[i].afterstate, first * FIRST_ROLLS, batch) for i in going]
            for i, more in zip(going, run(work), strict=True):
                found[i] = np.concatenate([found[i], more])
                if progress:
                    progress(batch)
            results = _summary(plays, found, utility, evaluator, settings.ply)
            if settings.confidence is not None and first > 0 and _is_clear(results, settings.confidence):
                break
    return results


def _summary(
    plays: Sequence[RankedPlay], found: Sequence[Trials], utility: Utility, evaluator: Evaluator, ply: int
) -> tuple[RolledOut, ...]:
    values = [trials @ np.array(utility.values) for trials in found]
    means = [float(value.mean()) for value in values]
    best = int(np.argmax(means))
    return tuple(
        RolledOut(
            plays[i],
            Evaluation(tuple(found[i].mean(axis=0).tolist()), evaluator.ruleset.scores, means[i], ply),
            _standard_error(values[i]),
            means[best] - means[i],
            # Both had the same dice; a play that ends the game has the same value in each trial.
            _standard_error(values[i] - values[best]) if i != best else 0.0,
            len(found[i]) if plays[i].score is None else 0,
        )
        for i in sorted(range(len(plays)), key=lambda i: -means[i])
    )


def _standard_error(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _is_clear(results: Sequence[RolledOut], confidence: float) -> bool:
    return all(result.loss > confidence * result.loss_error for result in results[1:])


Work = Sequence[tuple[Position, int, int]]


@contextmanager
def _runner(
    evaluator: Evaluator, utility: Utility, settings: RolloutSettings, workers: int | None, address: str
) -> Iterator[Callable[[Work], list[Trials]]]:
    """Yield a function that runs batches of trials, (afterstate, first trial, number of trials), here or on Ray."""
    options: dict[str, Any] = {
        "ply": settings.ply,
        "truncate": settings.truncate,
        "adjusts_luck": settings.adjusts_luck,
        "seed": settings.seed,
    }
    if workers is None:
        yield lambda work: [
            evaluator.trials(afterstate, utility, first_trial=first, num_trials=number, **options)
            for afterstate, first, number in work
        ]
        return
    with joined_cluster(address, num_cpus=workers, configure_logging=False) as ray:
        make_worker: Any = ray.remote(num_cpus=1)(_Worker)
        options_of_one = replace(evaluator.options, threads=1)
        made = [make_worker.remote(evaluator.checkpoint, evaluator.ruleset, options_of_one) for _ in range(workers)]

        def run(work: Work) -> list[Trials]:
            # The trials of each play are split over all workers and joined in their order.
            refs = []
            for afterstate, first, number in work:
                bounds = [first + number * part // workers for part in range(workers + 1)]
                refs.append(
                    [
                        worker.trials.remote(afterstate, utility, first_trial=begin, num_trials=end - begin, **options)
                        for worker, (begin, end) in zip(made, pairwise(bounds), strict=True)
                    ]
                )
            return [np.concatenate(ray.get(parts)) for parts in refs]

        yield run


class _Worker:
    """A Ray worker's own evaluator."""

    def __init__(self, checkpoint: Checkpoint, ruleset: Ruleset, options: EvaluatorOptions) -> None:
        self._evaluator = Evaluator(checkpoint, ruleset, options)

    def trials(self, afterstate: Position, utility: Utility, **options: Any) -> Trials:
        return self._evaluator.trials(afterstate, utility, **options)
