"""The training pipeline: self-play → learner → checkpoint → measurement, until all games are played.

A *round* is `self_play.games_per_round` games followed by training on them. In synchronous mode all games of
a round are played by the weights of the round before, so the same seed gives the same weights for
any number of workers. In asynchronous mode workers never wait: a round is the games that have arrived, played by
weights that may be some versions old.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from tavla_ai.errors import CheckpointError, ConfigError
from tavla_ai.network import Card, CardDraft, Checkpoint, Result, fold, load_checkpoint, save_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import as_result, measure_score_shares
from tavla_ai.tournament import PairResult
from train.batch import Batch, Task, merge
from train.config import TrainConfig, dump_config
from train.evaluation import FloatWeights, Opponents, false_floor
from train.growth import can_grow, grow
from train.learner import Learner
from train.metrics import MetricsLog, Progress, Reporter, Window
from train.pool import Pool
from train.run import TRAINER_FILE, RunDirectory, code_version, library_versions
from train.stop import StopRequest

log = logging.getLogger("train")

_LOG_SECONDS = 10.0


class Interrupted(Exception):  # noqa: N818 - a request, not an error
    """The run was interrupted; its state is saved."""


class Pipeline:
    """A training run in its directory."""

    def __init__(self, config: TrainConfig, run: RunDirectory, pool: Pool, reporter: Reporter | None = None) -> None:
        self._config = config
        self._run = run
        self._pool = pool
        self._reporter = reporter or Reporter()
        self._ruleset = get_ruleset(config.ruleset)
        self._spec = config.network_spec
        self._parent = self._load_parent()
        self._opponents = Opponents(config)
        initial = (
            grow(self._parent.weights, self._parent.card.network, self._spec, config.seed) if self._parent else None
        )
        self._learner = Learner(self._spec, config.learner, config.seed, initial)
        self._code = code_version()
        self.progress = Progress()
        self._previous: FloatWeights | None = None
        self._results: tuple[Result, ...] = ()
        self._score_shares: tuple[float, ...] | None = None
        self._last_saved_round = -1
        self._last_save = time.monotonic()

    def resume(self) -> None:
        """Resume from the run's newest checkpoint; a run without one starts from the beginning.

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
        """Train until all games are played, or for `max_rounds` rounds.

        Returns:
          Whether the run is finished; if not, it can be resumed.

        Raises:
          Interrupted: SIGINT or SIGTERM was received; the state is saved.
          DivergedError: the loss or gradient is not finite; the last checkpoint stays valid.
        """
        started = time.monotonic()
        before = self.progress.total_seconds
        core_before = self.progress.core_seconds - time.process_time()
        rounds_left = max_rounds or self._config.num_rounds
        metrics = MetricsLog(self._run.tensorboard, self._run.metrics, purge_from=self.progress.games or None)
        play = self._asynchronous if self._config.ray.mode == "asynchronous" else self._synchronous
        try:
            with StopRequest() as stop:
                if self.progress.round_index == 0:
                    self._evaluate(metrics)
                window = Window()
                while rounds_left > 0 and not self.is_finished:
                    tick = time.perf_counter()
                    batch = play()
                    self.progress.play_seconds += time.perf_counter() - tick
                    self._train_round(batch, window)
                    rounds_left -= 1
                    self.progress.total_seconds = before + time.monotonic() - started
                    # Ray workers are other processes; their batches say how long they took.
                    core_before += batch.seconds if self._config.ray.workers else 0.0
                    self.progress.core_seconds = core_before + time.process_time()
                    last = rounds_left == 0 or self.is_finished or stop.is_made
                    if last or time.monotonic() - window.started >= _LOG_SECONDS:
                        self._reporter.advance(self.progress, metrics.write_window(window, self.progress))
                        window = Window()
                    if self.progress.games >= self.progress.next_evaluation and not self.is_finished:
                        self._evaluate(metrics)
                    if last or time.monotonic() - self._last_save >= self._config.checkpoint.every_seconds:
                        self._save()
                    if stop.is_made:
                        raise Interrupted
        finally:
            metrics.close()
        return self.is_finished

    @property
    def is_finished(self) -> bool:
        """Whether all games have been played and learned from."""
        return self.progress.games >= self._config.games

    def finish(self) -> Card:
        """Measure the finished network on dice used for nothing else, and save it as `final`."""
        started = time.monotonic()
        evaluation = self._config.evaluation
        weights = self._learner.average_weights()
        with closing(MetricsLog(self._run.tensorboard, self._run.metrics)) as metrics:
            results = self._measure("final_ppg", weights, evaluation.final_games, evaluation.final_seed, metrics)
        self._score_shares = measure_score_shares(
            self._ruleset,
            fold(weights, self._spec),
            evaluation.final_games,
            evaluation.final_seed + 1,
            self._config.self_play.num_threads,
        )
        self.progress.total_seconds += time.monotonic() - started
        self._results = tuple(as_result(result) for result in results)
        return self._write_checkpoint(self._run.final)

    # Rounds of self-play.

    def _round_games(self) -> int:
        """Games of the next round: `games_per_round`, or fewer in the last round."""
        return min(self._config.self_play.games_per_round, self._config.games - self.progress.games)

    def _synchronous(self) -> Batch:
        """Play the next games with the newest weights, on any worker; a lost task is played again."""
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
        """Keep every worker busy and take the games that arrive; games of a dead worker are lost."""
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

    def _train_round(self, batch: Batch, window: Window) -> None:
        progress = self.progress
        tick = time.perf_counter()
        trained = self._learner.train_round(
            batch.afterstates, progress.round_index, progress.games / self._config.games
        )
        progress.learn_seconds += time.perf_counter() - tick
        window.add(batch, trained, staleness=progress.round_index - batch.version)
        progress.round_index += 1
        progress.games += batch.games
        progress.positions += trained.positions
        progress.void_games += batch.void_games
        statistics = self._pool.statistics
        progress.worker_deaths += statistics.worker_deaths
        progress.lost_batches += statistics.lost_batches
        statistics.worker_deaths = statistics.lost_batches = 0

    def _evaluate(self, metrics: MetricsLog) -> None:
        """Measure the averaged weights during training."""
        evaluation = self._config.evaluation
        weights = self._learner.average_weights()
        self._measure("ppg", weights, evaluation.games, evaluation.seed, metrics)
        self._previous = weights
        every = evaluation.every_games
        self.progress.next_evaluation = (self.progress.games // every + 1) * every

    def _measure(
        self, label: str, weights: FloatWeights, games: int, seed: int, metrics: MetricsLog
    ) -> list[PairResult]:
        """Measure weights against each opponent."""
        tick = time.perf_counter()
        results = {}
        for opponent, result in self._opponents.play(weights, self._previous, games, seed):
            metrics.write_result(label, opponent, result, self.progress.games)
            results[opponent] = result
        self.progress.evaluation_seconds += time.perf_counter() - tick
        self._reporter.evaluated(list(results.values()))
        if warning := false_floor(self.progress.standings, results):
            log.warning("%s", warning)
            self._reporter.warned(warning)
        self.progress.standings = {
            opponent: [result.points_per_game, result.standard_error]
            for opponent, result in results.items()
            if result.standard_error is not None
        }
        return list(results.values())

    # Saving.

    def _save(self) -> None:
        if self.progress.round_index != self._last_saved_round:
            state = self._trainer_state()
            self._write_checkpoint(
                self._run.checkpoint_path(self.progress.round_index),
                {TRAINER_FILE: lambda file: torch.save(state, file)},
            )
            self._run.keep_newest(self._config.checkpoint.num_to_keep)
            self._last_saved_round = self.progress.round_index
        self._last_save = time.monotonic()

    def _trainer_state(self) -> dict[str, Any]:
        """Return the state that `resume` needs beside the saved weights."""
        return {
            "learner": self._learner.state(),
            "progress": vars(self.progress),
            "previous": {name: torch.from_numpy(array) for name, array in (self._previous or {}).items()},
        }

    def _write_checkpoint(self, path: Path, extra_files: Mapping[str, Callable[[Path], None]] | None = None) -> Card:
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
                cost=self.progress.cost(),
                results=self._results,
                score_shares=self._score_shares,
            ),
            parent=self._parent.card if self._parent else None,
            extra_files=extra_files,
        )

    def _load_parent(self) -> Checkpoint | None:
        if self._config.parent is None:
            return None
        parent = load_checkpoint(self._config.parent)
        before = parent.card.ruleset
        if not self._ruleset.extends(before):
            raise ConfigError(
                f"parent {self._config.parent}: trained for {before.name}, which is too unlike {self._ruleset.name}; "
                "expected a game of the same family, with the same scores or with fewer large ones"
            )
        if not self._ruleset.plays_like(before):
            log.info("the parent was trained for %s: its weights are only a beginning", before.name)
        if not can_grow(parent.card.network, self._spec):
            raise ConfigError(
                f"parent {self._config.parent}: hidden layers {list(parent.card.network.hidden)} with inputs "
                f"{parent.card.network.inputs} cannot grow into network.hidden {list(self._spec.hidden)} with "
                f"network.inputs {self._spec.inputs}; no layer may become narrower and no input may be dropped"
            )
        return parent
