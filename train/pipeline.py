"""The training pipeline: self-play → learner → checkpoint → measurement, until the games are played.

A *round* is `self_play.games_per_round` games followed by training on them. In synchronous mode all games of
a round are played by the weights that the round before produced, so the same seed gives the same weights for
any number of workers. In asynchronous mode workers never wait: a round is whatever games arrived, played by
weights that may be some versions old.
"""

from __future__ import annotations

import json
import logging
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.tensorboard import SummaryWriter

from tavla_ai.bots import Bot, Levels, make_bot, network_player, plays_pubeval
from tavla_ai.errors import CheckpointError, ConfigError
from tavla_ai.network import Card, CardDraft, Checkpoint, Result, fold, load_checkpoint, save_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.stats import margin_95
from tavla_ai.strength import as_result, measure_score_shares
from tavla_ai.tournament import PairResult, play_pairing
from train.config import TrainConfig, dump_config
from train.growth import can_grow, grow
from train.learner import Learner, RoundMetrics
from train.pool import Pool, Task
from train.run import TRAINER_FILE, RunDirectory, code_version, library_versions
from train.worker import Batch, merge

log = logging.getLogger("train")

PREVIOUS = "previous"
_LOG_SECONDS = 10.0

FloatWeights = dict[str, NDArray[np.float32]]


@dataclass
class Progress:
    """Where a run is; the part of its state that is neither weights nor optimiser."""

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


@dataclass
class _Window:
    """What happened since the last line of metrics."""

    started: float = field(default_factory=time.monotonic)
    games: int = 0
    positions: int = 0
    plies: int = 0
    evaluated: int = 0
    big_wins: int = 0
    td_error: float = 0.0
    afterstates: int = 0
    staleness: float = 0.0
    losses: list[RoundMetrics] = field(default_factory=list)


class Reporter:
    """Receives progress; the command line shows it, tests ignore it."""

    def advance(self, progress: Progress, metrics: dict[str, float]) -> None:
        """Take the run's progress and the newest metrics."""

    def evaluated(self, results: list[PairResult]) -> None:
        """Take the results of an evaluation."""


class Interrupted(Exception):  # noqa: N818 - a request, not an error
    """The run was asked to stop; its state is saved."""


class Pipeline:
    """One training run in its directory."""

    def __init__(self, config: TrainConfig, run: RunDirectory, pool: Pool, reporter: Reporter | None = None) -> None:
        self._config = config
        self._run = run
        self._pool = pool
        self._reporter = reporter or Reporter()
        self._ruleset = get_ruleset(config.ruleset)
        self._spec = config.network_spec
        self._parent = self._load_parent()
        self._opponents = {
            name: None if name == PREVIOUS else make_bot(name, self._ruleset, Levels())
            for name in self._opponent_names()
        }
        initial = (
            grow(self._parent.weights, self._parent.card.network, self._spec, config.seed) if self._parent else None
        )
        self._learner = Learner(self._spec, config.learner, config.seed, initial)
        self._code = code_version()
        self.progress = Progress()
        self._previous: FloatWeights | None = None
        self._results: tuple[Result, ...] = ()
        self._score_shares: tuple[float, ...] | None = None
        self._stop_requested = False
        self._last_saved_round = -1
        self._last_save = time.monotonic()

    def resume(self) -> None:
        """Continue from the run's newest checkpoint; a run without one starts from the beginning.

        Raises:
          CheckpointError: the newest checkpoint or its trainer state is damaged.
        """
        checkpoints = self._run.checkpoints()
        if not checkpoints:
            return
        newest = load_checkpoint(checkpoints[-1], self._ruleset)
        state = self._run.load_trainer(newest.path)
        try:
            self._learner.load_state(state["learner"])
            self.progress = Progress(**state["progress"])
            self._previous = {name: tensor.numpy() for name, tensor in state["previous"].items()} or None
            for weights in filter(None, (self._learner.weights(), self._learner.average_weights(), self._previous)):
                fold(weights, self._spec)
        except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            reason = " ".join(str(error).split())[:100]
            raise CheckpointError(
                f"{newest.path / TRAINER_FILE}: does not fit this run ({type(error).__name__}: {reason})"
            ) from None
        self._last_saved_round = self.progress.round_index
        log.info("resumed after round %d, %d games", self.progress.round_index, self.progress.games)

    def train(self, max_rounds: int | None = None) -> bool:
        """Run until all games are played, or for `max_rounds` rounds of this call.

        Returns:
          Whether the run is finished; if not, it can be resumed.

        Raises:
          Interrupted: SIGINT or SIGTERM came; the state is saved.
          DivergedError: loss or gradient not finite; the last checkpoint stands.
        """
        started = time.monotonic()
        before = self.progress.total_seconds
        core_before = self.progress.core_seconds - time.process_time()
        rounds_left = max_rounds or self._config.num_rounds
        writer = SummaryWriter(str(self._run.tensorboard), purge_step=self.progress.games or None)
        play = self._asynchronous if self._config.ray.mode == "asynchronous" else self._synchronous
        try:
            with self._stop_signals():
                if self.progress.round_index == 0:
                    self._evaluate(writer)
                window = _Window()
                while rounds_left > 0 and not self.is_finished:
                    tick = time.perf_counter()
                    batch = play()
                    self.progress.play_seconds += time.perf_counter() - tick
                    self._train_round(batch, window)
                    rounds_left -= 1
                    self.progress.total_seconds = before + time.monotonic() - started
                    # Ray workers are other processes, whose time comes with their games.
                    core_before += batch.seconds if self._config.ray.workers else 0.0
                    self.progress.core_seconds = core_before + time.process_time()
                    last = rounds_left == 0 or self.is_finished or self._stop_requested
                    if last or time.monotonic() - window.started >= _LOG_SECONDS:
                        self._report(writer, window)
                        window = _Window()
                    if self.progress.games >= self.progress.next_evaluation and not self.is_finished:
                        self._evaluate(writer)
                    if last or time.monotonic() - self._last_save >= self._config.checkpoint.every_seconds:
                        self._save()
                    if self._stop_requested:
                        raise Interrupted
        finally:
            writer.close()
        return self.is_finished

    @property
    def is_finished(self) -> bool:
        """Whether all games have been played and learned from."""
        return self.progress.games >= self._config.games

    def finish(self) -> Card:
        """Measure the finished network on dice used for nothing else, and save it as the run's `final`."""
        started = time.monotonic()
        with SummaryWriter(str(self._run.tensorboard)) as writer:
            results = self._evaluate(writer, final=True)
        self._score_shares = measure_score_shares(
            self._ruleset,
            fold(self._learner.average_weights(), self._spec),
            self._config.evaluation.final_games,
            self._config.evaluation.final_seed + 1,
            self._config.self_play.num_threads,
        )
        self.progress.total_seconds += time.monotonic() - started
        self._results = tuple(as_result(result) for result in results)
        return self._write_checkpoint(self._run.final, trainer=False)

    # Rounds of self-play.

    def _round_games(self) -> int:
        """Games of the next round: all of `games_per_round`, but for the last one."""
        return min(self._config.self_play.games_per_round, self._config.games - self.progress.games)

    def _synchronous(self) -> Batch:
        """Play the next games with the newest weights, whoever plays them; a lost task is played again."""
        pool = self._pool
        pool.broadcast(self._playing_weights(), self.progress.round_index)
        waiting = self._tasks(self.progress.next_game, self._round_games())
        done: list[Batch] = []
        running = 0
        while waiting or running:
            while waiting and pool.capacity > 0:
                pool.submit(*waiting.pop(0))
                running += 1
            result = pool.next_result()
            running -= 1
            if isinstance(result, Task):
                waiting.insert(0, (result.first_game, result.num_games))
            else:
                done.append(result)
        self.progress.next_game += sum(batch.games for batch in done)
        return merge(done)

    def _asynchronous(self) -> Batch:
        """Keep every worker busy and take the games that arrive; those of a worker that died are lost."""
        pool = self._pool
        pool.broadcast(self._playing_weights(), self.progress.round_index)
        wanted = self._round_games()
        done: list[Batch] = []
        while sum(batch.games for batch in done) < wanted:
            while pool.capacity > 0:
                pool.submit(self.progress.next_game, self._config.self_play.games_per_task)
                self.progress.next_game += self._config.self_play.games_per_task
            result = pool.next_result()
            if isinstance(result, Batch):
                done.append(result)
        return merge(done)

    def _playing_weights(self) -> FloatWeights:
        averaged = self._config.self_play.weights == "averaged"
        return self._learner.average_weights() if averaged else self._learner.weights()

    def _tasks(self, first_game: int, num_games: int) -> list[tuple[int, int]]:
        # In this process one call plays the whole round; the engine splits it over its threads.
        size = self._config.self_play.games_per_task if self._config.ray.workers else num_games
        return [(first_game + begin, min(size, num_games - begin)) for begin in range(0, num_games, size)]

    # Learning and measuring.

    def _train_round(self, batch: Batch, window: _Window) -> None:
        tick = time.perf_counter()
        metrics = self._learner.train_round(batch, self.progress.round_index, self.progress.games / self._config.games)
        self.progress.learn_seconds += time.perf_counter() - tick
        window.staleness += self.progress.round_index - batch.version
        self.progress.round_index += 1
        self.progress.games += batch.games
        self.progress.positions += metrics.positions
        self.progress.void_games += batch.void_games
        self.progress.worker_deaths += self._pool.statistics.worker_deaths
        self.progress.lost_batches += self._pool.statistics.lost_batches
        self._pool.statistics.worker_deaths = self._pool.statistics.lost_batches = 0
        window.games += batch.games
        window.positions += metrics.positions
        window.afterstates += len(batch.boards)
        window.plies += batch.plies
        window.evaluated += batch.evaluated
        window.big_wins += batch.big_wins
        window.td_error += batch.sum_abs_td_error
        window.losses.append(metrics)

    def _report(self, writer: SummaryWriter, window: _Window) -> None:
        seconds = max(time.monotonic() - window.started, 1e-9)
        count = len(window.losses)
        metrics = {
            "losses/cross_entropy": sum(m.loss for m in window.losses) / count,
            "losses/excess": sum(m.excess_loss for m in window.losses) / count,
            "losses/siblings": sum(m.sibling_error for m in window.losses) / count,
            "losses/td_error": window.td_error / max(window.afterstates, 1),
            "learner/gradient_norm": sum(m.gradient_norm for m in window.losses) / count,
            "learner/learning_rate": window.losses[-1].learning_rate,
            "charts/mars_rate": window.big_wins / max(window.games, 1),
            "charts/mean_plies": window.plies / max(window.games, 1),
            "charts/void_games": float(self.progress.void_games),
            "speed/games_per_second": window.games / seconds,
            "speed/positions_per_second": window.positions / seconds,
            "speed/afterstates_per_second": window.evaluated / seconds,
            "speed/play_seconds": self.progress.play_seconds,
            "speed/learn_seconds": self.progress.learn_seconds,
            "charts/peak_memory_mib": _peak_memory(),
            "ray/staleness": window.staleness / count,
            "ray/worker_deaths": float(self.progress.worker_deaths),
            "ray/lost_batches": float(self.progress.lost_batches),
        }
        self._write_metrics(writer, metrics)
        log.info(
            "games %d  games/s %.0f  positions/s %.0f  loss %.4f  td_error %.4f  mars %.3f  plies %.1f",
            self.progress.games,
            metrics["speed/games_per_second"],
            metrics["speed/positions_per_second"],
            metrics["losses/cross_entropy"],
            metrics["losses/td_error"],
            metrics["charts/mars_rate"],
            metrics["charts/mean_plies"],
        )
        self._reporter.advance(self.progress, metrics)

    def _evaluate(self, writer: SummaryWriter, final: bool = False) -> list[PairResult]:
        """Measure the averaged weights against each opponent."""
        tick = time.perf_counter()
        evaluation = self._config.evaluation
        weights = self._learner.average_weights()
        learner = Bot("learner", self._ruleset, network_player(self._ruleset, fold(weights, self._spec)))
        results = []
        for name, opponent in self._opponents.items():
            if opponent is None:
                if self._previous is None:
                    continue
                opponent = Bot(name, self._ruleset, network_player(self._ruleset, fold(self._previous, self._spec)))
            result = play_pairing(
                self._ruleset,
                learner,
                opponent,
                games=evaluation.final_games if final else evaluation.games,
                seed=evaluation.final_seed if final else evaluation.seed,
                workers=self._config.self_play.num_threads,
            )
            results.append(result)
            # A single pair has no standard error.
            half = margin_95(result.standard_error or 0.0)
            log.info(
                "against %s: %+.3f ± %.3f points per game over %d games",
                name,
                result.points_per_game,
                half,
                result.games,
            )
            label = f"final_ppg/{name}" if final else f"ppg/{name}"
            self._write_metrics(
                writer,
                {
                    label: result.points_per_game,
                    f"{label}_low": result.points_per_game - half,
                    f"{label}_high": result.points_per_game + half,
                },
            )
        if not final:
            self._previous = weights
            every = evaluation.every_games
            self.progress.next_evaluation = (self.progress.games // every + 1) * every
        self.progress.evaluation_seconds += time.perf_counter() - tick
        self._reporter.evaluated(results)
        return results

    def _write_metrics(self, writer: SummaryWriter, metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            writer.add_scalar(name, value, self.progress.games)
        with self._run.metrics.open("a") as file:
            file.write(json.dumps({"games": self.progress.games, **metrics}) + "\n")

    # Saving.

    def _save(self) -> None:
        if self.progress.round_index != self._last_saved_round:
            self._write_checkpoint(self._run.checkpoint_path(self.progress.round_index), trainer=True)
            self._run.keep_newest(self._config.checkpoint.num_to_keep)
            self._last_saved_round = self.progress.round_index
        self._last_save = time.monotonic()

    def _write_checkpoint(self, path: Path, trainer: bool) -> Card:
        state: dict[str, Any] = {
            "learner": self._learner.state(),
            "progress": vars(self.progress),
            "previous": {name: torch.from_numpy(array) for name, array in (self._previous or {}).items()},
        }
        return save_checkpoint(
            path,
            self._learner.average_weights(),
            CardDraft(
                ruleset=self._ruleset,
                network=self._spec,
                games=self.progress.games,
                positions=self.progress.positions,
                seed=self._config.seed,
                config=dump_config(self._config),
                code=self._code,
                versions=library_versions(),
                cost=self._cost(),
                results=self._results,
                score_shares=self._score_shares,
            ),
            parent=self._parent.card if self._parent else None,
            extra_files={TRAINER_FILE: lambda file: torch.save(state, file)} if trainer else None,
        )

    def _cost(self) -> dict[str, float]:
        """Return where the time went, over all sessions of the run, and this process's peak memory."""
        seconds = {
            "play_seconds": self.progress.play_seconds,
            "learn_seconds": self.progress.learn_seconds,
            "evaluation_seconds": self.progress.evaluation_seconds,
            "total_seconds": self.progress.total_seconds,
        }
        rounded = {name: round(value, 1) for name, value in {**seconds, "peak_memory_mib": _peak_memory()}.items()}
        return rounded | {"core_hours": round(self.progress.core_seconds / 3600, 5)}

    def _opponent_names(self) -> tuple[str, ...]:
        if self._config.evaluation.opponents is not None:
            return self._config.evaluation.opponents
        return ("random", *(("pubeval",) if plays_pubeval(self._ruleset) else ()), PREVIOUS)

    def _load_parent(self) -> Checkpoint | None:
        if self._config.parent is None:
            return None
        parent = load_checkpoint(Path(self._config.parent), self._ruleset)
        if not can_grow(parent.card.network, self._spec):
            raise ConfigError(
                f"parent {self._config.parent}: has hidden layers {list(parent.card.network.hidden)} and reads "
                f"{parent.card.network.inputs}, which cannot grow into network.hidden {list(self._spec.hidden)} that "
                f"reads {self._spec.inputs}"
            )
        return parent

    @contextmanager
    def _stop_signals(self) -> Iterator[None]:
        """Let the first SIGINT or SIGTERM end the round and save; a second one stops at once."""

        def request_stop(number: int, frame: FrameType | None) -> None:
            if self._stop_requested:
                raise KeyboardInterrupt
            self._stop_requested = True
            log.info("asked to stop; finishing the round")

        try:
            old = {number: signal.signal(number, request_stop) for number in (signal.SIGINT, signal.SIGTERM)}
        except ValueError:
            # Only the main thread may set handlers; elsewhere whoever runs us handles signals.
            yield
            return
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


def _peak_memory() -> float:
    """Return the most memory this process has had, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
