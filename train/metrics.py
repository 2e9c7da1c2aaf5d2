"""Metrics of a run: its progress, means since the last line of metrics, and its cost."""

from __future__ import annotations

import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from tavla_ai.tournament import PairResult
from train.batch import Batch
from train.learner import RoundMetrics

log = logging.getLogger("train")


@dataclass
class Progress:
    """Progress of a run: the part of its state that is neither weights nor optimiser."""

    round_index: int = 0
    games: int = 0
    positions: int = 0
    next_game: int = 0
    next_evaluation: int = 0
    worker_deaths: int = 0
    lost_batches: int = 0
    void_games: int = 0
    play_seconds: float = 0.0
    learn_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    total_seconds: float = 0.0
    core_seconds: float = 0.0
    # Points per game and standard error against each opponent, at the last evaluation.
    standings: dict[str, list[float]] = field(default_factory=dict)

    def cost(self) -> dict[str, float]:
        """Return the times of the run's parts, over all its sessions, and the peak memory of this process."""
        seconds = {
            "play_seconds": self.play_seconds,
            "learn_seconds": self.learn_seconds,
            "evaluation_seconds": self.evaluation_seconds,
            "total_seconds": self.total_seconds,
        }
        rounded = {name: round(value, 1) for name, value in {**seconds, "peak_memory_mib": _peak_memory()}.items()}
        return rounded | {"core_hours": round(self.core_seconds / 3600, 5)}


class Reporter:
    """Receiver of a run's progress."""

    def advance(self, progress: Progress, metrics: dict[str, float]) -> None:
        """Receive the run's progress and the newest metrics."""

    def evaluated(self, results: list[PairResult]) -> None:
        """Receive the results of an evaluation."""

    def warned(self, warning: str) -> None:
        """Receive a warning about the run."""


@dataclass
class Window:
    """Sums since the last line of metrics."""

    started: float = field(default_factory=time.monotonic)
    games: int = 0
    positions: int = 0
    plies: int = 0
    evaluated: int = 0
    big_wins: int = 0
    td_error: float = 0.0
    afterstates: int = 0
    staleness: float = 0.0
    rounds: list[RoundMetrics] = field(default_factory=list)

    def add(self, batch: Batch, trained: RoundMetrics, staleness: int) -> None:
        """Add a round.

        Args:
          batch: games of the round.
          trained: results of training on them.
          staleness: age of the weights that played, in rounds before those that learn.
        """
        self.games += batch.games
        self.positions += trained.positions
        self.afterstates += len(batch.afterstates)
        self.plies += batch.plies
        self.evaluated += batch.evaluated
        self.big_wins += batch.big_wins
        self.td_error += batch.sum_abs_td_error
        self.staleness += staleness
        self.rounds.append(trained)

    def metrics(self, progress: Progress) -> dict[str, float]:
        """Return the means of the rounds added (at least one) and the run's totals, by TensorBoard's tags."""
        seconds = max(time.monotonic() - self.started, 1e-9)

        def mean(value: Callable[[RoundMetrics], float]) -> float:
            return sum(value(trained) for trained in self.rounds) / len(self.rounds)

        return {
            "losses/cross_entropy": mean(lambda trained: trained.loss),
            "losses/excess": mean(lambda trained: trained.excess_loss),
            "losses/siblings": mean(lambda trained: trained.sibling_error),
            "losses/td_error": self.td_error / max(self.afterstates, 1),
            "learner/gradient_norm": mean(lambda trained: trained.gradient_norm),
            "learner/learning_rate": self.rounds[-1].learning_rate,
            "charts/mars_rate": self.big_wins / max(self.games, 1),
            "charts/mean_plies": self.plies / max(self.games, 1),
            "charts/void_games": float(progress.void_games),
            "speed/games_per_second": self.games / seconds,
            "speed/positions_per_second": self.positions / seconds,
            "speed/afterstates_per_second": self.evaluated / seconds,
            "speed/play_seconds": progress.play_seconds,
            "speed/learn_seconds": progress.learn_seconds,
            "charts/peak_memory_mib": _peak_memory(),
            "ray/staleness": self.staleness / len(self.rounds),
            "ray/worker_deaths": float(progress.worker_deaths),
            "ray/lost_batches": float(progress.lost_batches),
        }


class MetricsLog:
    """Writer of metrics for TensorBoard and as JSON lines; it must be closed."""

    def __init__(self, tensorboard: Path, lines: Path, purge_from: int | None = None) -> None:
        """Open both files.

        Args:
          tensorboard: folder of the event files.
          lines: file with one JSON object per line.
          purge_from: number of games from which TensorBoard drops the values of an interrupted session; None drops
            none.
        """
        self._writer = SummaryWriter(str(tensorboard), purge_step=purge_from)
        self._lines = lines

    def write(self, metrics: dict[str, float], games: int) -> None:
        """Write metrics that were measured after `games` games."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, games)
        with self._lines.open("a") as file:
            file.write(json.dumps({"games": games, **metrics}) + "\n")

    def write_window(self, window: Window, progress: Progress) -> dict[str, float]:
        """Write and return the means since the last line, and log the most important ones."""
        metrics = window.metrics(progress)
        self.write(metrics, progress.games)
        log.info(
            "games %d  games/s %.0f  positions/s %.0f  loss %.4f  td_error %.4f  mars %.3f  plies %.1f",
            progress.games,
            metrics["speed/games_per_second"],
            metrics["speed/positions_per_second"],
            metrics["losses/cross_entropy"],
            metrics["losses/td_error"],
            metrics["charts/mars_rate"],
            metrics["charts/mean_plies"],
        )
        return metrics

    def write_result(self, label: str, opponent: str, result: PairResult, games: int) -> None:
        """Write points per game against an opponent with their 95 % interval, under the tag `label/opponent`."""
        points = result.points_per_game
        # A single pair has no interval.
        low, high = result.interval or (points, points)
        log.info(
            "against %s: %+.3f ± %.3f (95 %%) points per game over %d games",
            opponent,
            points,
            (high - low) / 2,
            result.games,
        )
        tag = f"{label}/{opponent}"
        self.write({tag: points, f"{tag}_low": low, f"{tag}_high": high}, games)

    def close(self) -> None:
        """Flush TensorBoard's file and close both."""
        self._writer.close()


def _peak_memory() -> float:
    """Return the peak memory of this process, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
