"""Pools of self-play workers: in this process, or Ray actors that may die and be replaced."""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

from tavla_ai.cluster import joined_cluster
from tavla_ai.errors import TavlaError
from tavla_ai.network import Weights
from train.batch import Batch, Task
from train.config import TrainConfig
from train.worker import SelfPlayWorker

log = logging.getLogger("train")


@dataclass
class PoolStatistics:
    """Counts since the pool was made."""

    worker_deaths: int = 0
    lost_batches: int = 0


class Pool(Protocol):
    """A pool of workers that plays tasks with the newest weights."""

    statistics: PoolStatistics

    @property
    def capacity(self) -> int:
        """Number of tasks that may be submitted now."""

    def broadcast(self, weights: Weights, version: int) -> None:
        """Use these weights for the tasks submitted from now on."""

    def submit(self, first_game: int, num_games: int) -> None:
        """Queue games; the pool must have capacity."""

    def next_result(self) -> Batch | Task:
        """Wait until a task ends, and return its batch, or the task itself if its worker died."""

    def close(self) -> None:
        """Stop the workers."""


class LocalPool:
    """Plays in this process, on the engine's own threads."""

    def __init__(self, config: TrainConfig) -> None:
        self.statistics = PoolStatistics()
        self._worker = SelfPlayWorker(config, config.self_play.num_threads)
        self._queued: Task | None = None
        self._weights: Weights = {}
        self._version = 0

    @property
    def capacity(self) -> int:
        """One task at a time. It may be a whole round, which the engine splits over threads."""
        return 1 if self._queued is None else 0

    def broadcast(self, weights: Weights, version: int) -> None:
        """Use these weights for the tasks submitted from now on."""
        self._weights, self._version = weights, version

    def submit(self, first_game: int, num_games: int) -> None:
        """Queue games; `next_result` plays them."""
        self._queued = Task(self._version, first_game, num_games)

    def next_result(self) -> Batch | Task:
        """Play the queued games."""
        task = self._queued
        if task is None:
            raise RuntimeError("no task was submitted")
        self._queued = None
        return self._worker.play(self._weights, task)

    def close(self) -> None:
        """Nothing to stop."""


@dataclass
class _Actor:
    handle: Any
    in_flight: int = 0
    ready: Any = field(default=None)


class RayPool:
    """Plays on Ray actors.

    A dead actor is replaced by a new one, which gets work when it answers; meanwhile the others work.
    The caller gets back the tasks of a dead actor and decides whether they are lost.
    """

    def __init__(self, config: TrainConfig) -> None:
        self.statistics = PoolStatistics()
        self._config = config
        self._cluster = ExitStack()
        self._ray = self._cluster.enter_context(
            joined_cluster(
                config.ray.address or "local",
                num_cpus=max(config.ray.workers, os.cpu_count() or 1),
                setting="ray.address",
                logging_level=logging.ERROR,
            )
        )
        self._actor_class = self._ray.remote(SelfPlayWorker)
        self._live: list[_Actor] = []
        self._starting: list[_Actor] = []
        self._running: dict[Any, tuple[_Actor, Task]] = {}
        self._finished: deque[Batch | Task] = deque()
        self._weights_ref: Any = None
        self._version = 0
        for _ in range(config.ray.workers):
            self._start_actor()
        self.wait_for_workers(1)

    @property
    def capacity(self) -> int:
        """Number of tasks that fit until every worker has `ray.max_in_flight` of them."""
        self._adopt_ready(timeout=0)
        return sum(self._config.ray.max_in_flight - actor.in_flight for actor in self._live)

    def broadcast(self, weights: Weights, version: int) -> None:
        """Put the weights into the object store once; each node fetches them once."""
        self._weights_ref, self._version = self._ray.put(dict(weights)), version

    def submit(self, first_game: int, num_games: int) -> None:
        """Send games to the live worker with the fewest waiting tasks."""
        actor = min(self._live, key=lambda actor: actor.in_flight)
        task = Task(self._version, first_game, num_games)
        # Ray resolves the reference because it is a direct argument; the worker receives the arrays.
        reference = actor.handle.play.remote(self._weights_ref, task)
        actor.in_flight += 1
        self._running[reference] = (actor, task)

    def next_result(self) -> Batch | Task:
        """Wait for the task that ends first."""
        while not self._finished:
            if not self._running:
                raise RuntimeError("no task was submitted")
            done, _ = self._ray.wait(list(self._running), num_returns=1)
            self._collect(done[0])
        return self._finished.popleft()

    def wait_for_workers(self, count: int) -> None:
        """Wait until at least `count` workers answer.

        Raises:
          TavlaError: fewer answer within `ray.start_timeout`.
        """
        deadline = time.monotonic() + self._config.ray.start_timeout
        while len(self._live) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TavlaError(
                    f"ray: {len(self._live)} of {count} workers started within "
                    f"{self._config.ray.start_timeout:g} s; the cluster has "
                    f"{self._ray.cluster_resources().get('CPU', 0):g} CPUs, each worker needs one; lower --workers or "
                    "raise ray.start_timeout"
                )
            self._adopt_ready(timeout=min(left, 1.0))

    def worker_pids(self) -> list[int]:
        """Return the process ids of the live workers, on all nodes."""
        return list(self._ray.get([actor.handle.ping.remote() for actor in self._live]))

    def close(self) -> None:
        """Stop the workers and leave the cluster."""
        for actor in self._live + self._starting:
            self._ray.kill(actor.handle)
        self._cluster.close()

    def _collect(self, reference: Any) -> None:
        actor, task = self._running.pop(reference)
        actor.in_flight -= 1
        try:
            self._finished.append(self._ray.get(reference))
        except self._ray.exceptions.RayTaskError as error:
            # The worker is alive and its task failed; it would fail on any other worker.
            raise error.as_instanceof_cause() from None
        except self._ray.exceptions.RayError as error:
            self.statistics.lost_batches += 1
            self._finished.append(task)
            if actor in self._live:
                log.warning("a worker died (%s); starting another", type(error).__name__)
                self._live.remove(actor)
                self.statistics.worker_deaths += 1
                self._start_actor()
                if not self._live:
                    self.wait_for_workers(1)

    def _start_actor(self) -> None:
        handle = self._actor_class.options(num_cpus=1, scheduling_strategy="SPREAD", max_restarts=0).remote(
            self._config
        )
        self._starting.append(_Actor(handle, ready=handle.ping.remote()))

    def _adopt_ready(self, timeout: float) -> None:
        if not self._starting:
            return
        ready, _ = self._ray.wait([actor.ready for actor in self._starting], num_returns=1, timeout=timeout)
        for actor in [actor for actor in self._starting if actor.ready in ready]:
            self._starting.remove(actor)
            try:
                self._ray.get(actor.ready)
            except self._ray.exceptions.RayTaskError as error:
                raise error.as_instanceof_cause() from None
            except self._ray.exceptions.RayError as error:
                log.warning("a worker died before it was ready (%s); starting another", type(error).__name__)
                self.statistics.worker_deaths += 1
                self._start_actor()
            else:
                self._live.append(actor)


def make_pool(config: TrainConfig) -> Pool:
    """Return the configured pool.

    Raises:
      TavlaError: Ray is not installed, the cluster cannot be reached, or no worker started in time.
    """
    return RayPool(config) if config.ray.workers else LocalPool(config)
