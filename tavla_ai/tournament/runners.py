"""Runners of a tournament's contests: threads of this process, or Ray workers.

Contests come back in order; they do not depend on the runner.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from tavla_ai.cluster import joined_cluster
from tavla_ai.errors import TavlaError
from tavla_ai.progress import ProgressCallback
from tavla_ai.tournament.arena import Arena
from tavla_ai.tournament.contests import Contests

MAX_WORKERS = 1024

# Ctrl-C and progress wait for the end of a call of the engine.
_SECONDS_PER_CALL = 0.5
# Number of pairs with an outside engine, or with a cube, that run side by side.
_LOCKSTEP_PAIRS = 128
# A Ray worker always has its next task waiting.
_IN_FLIGHT = 2
_FIRST_RAY_PAIRS = 8


@dataclass(frozen=True)
class Workers:
    """Number and kind of workers; results do not depend on them.

    Attributes:
      threads: engine threads of this process, 1 to `MAX_WORKERS`; an outside engine runs on one.
      ray: number of Ray workers, of one CPU each, that play instead; 0 for none.
      ray_address: address of the cluster, as `joined_cluster` takes it: `local` starts one on this machine, `auto`
        joins the running one.

    Raises:
      TavlaError: a number out of range.
    """

    threads: int = 1
    ray: int = 0
    ray_address: str = "local"

    def __post_init__(self) -> None:
        if not 1 <= self.threads <= MAX_WORKERS:
            raise TavlaError(f"{self.threads} workers: expected 1 to {MAX_WORKERS}")
        if not 0 <= self.ray <= MAX_WORKERS:
            raise TavlaError(f"{self.ray} Ray workers: expected 0 to {MAX_WORKERS}")


class Runner(Protocol):
    """A runner of contests."""

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """Play the pairs `first` to `end` − 1 of bot number `a` against number `b` and yield them in order.

        Args:
          progress: called with the number of contests finished since its last call.
        """


class LocalRunner:
    """Plays on threads of this process.

    Args:
      threads: engine threads; an outside engine runs on one.
      seconds_per_call: wanted duration of a call of the engine, which decides how many pairs are played at once.
    """

    def __init__(self, arena: Arena, threads: int, seconds_per_call: float = _SECONDS_PER_CALL) -> None:
        self._arena, self._threads, self._seconds_per_call = arena, threads, seconds_per_call

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """Same as `Runner.play`."""
        threads, is_whole = self._threads, self._arena.is_whole(a, b)
        chunk = 4 * threads if is_whole else _LOCKSTEP_PAIRS
        while first < end:
            count = min(chunk, end - first)
            began = time.perf_counter()
            yield self._arena.play(a, b, first, count, threads, progress)
            first += count
            if is_whole:
                # A multiple of the threads keeps all of them busy.
                chunk = _next_chunk(count, time.perf_counter() - began, self._seconds_per_call)
                chunk = max(1, chunk // threads) * threads


class _RayWorker:
    """A Ray worker with its own arena."""

    def __init__(self, recipe: dict[str, Any]) -> None:
        self._arena = Arena.from_recipe(recipe)

    def pid(self) -> int:
        """Return the process id."""
        return os.getpid()

    def play(self, a: int, b: int, first_pair: int, num_pairs: int) -> tuple[Contests, float]:
        """Return the contests and their playing time in seconds."""
        began = time.perf_counter()
        return self._arena.play(a, b, first_pair, num_pairs), time.perf_counter() - began


class RayRunner:
    """Plays on Ray workers; `ray_runner` makes them."""

    def __init__(self, ray: Any, workers: Sequence[Any]) -> None:
        self.workers = workers
        self._ray = ray

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """Same as `Runner.play`."""
        free = deque(list(self.workers) * _IN_FLIGHT)
        at_work: dict[Any, tuple[int, Any]] = {}
        finished: dict[int, Contests] = {}
        chunk, due = _FIRST_RAY_PAIRS, first
        while due < end:
            while free and first < end:
                count = min(chunk, end - first)
                worker = free.popleft()
                at_work[worker.play.remote(a, b, first, count)] = first, worker
                first += count
            (done,), _ = self._ray.wait(list(at_work), num_returns=1)
            begin, worker = at_work.pop(done)
            finished[begin], seconds = self._ray.get(done)
            free.append(worker)
            chunk = max(1, _next_chunk(finished[begin].num_pairs, seconds, _SECONDS_PER_CALL))
            if progress is not None:
                progress(2 * finished[begin].num_pairs)
            while due in finished:
                contests = finished.pop(due)
                due += contests.num_pairs
                yield contests


@contextmanager
def open_runner(arena: Arena, workers: Workers) -> Iterator[Runner]:
    """Yield a runner for an arena's contests; raises the errors of `ray_runner`."""
    if workers.ray:
        with ray_runner(arena, workers.ray, workers.ray_address) as runner:
            yield runner
    else:
        yield LocalRunner(arena, workers.threads)


@contextmanager
def ray_runner(arena: Arena, workers: int, address: str = "local") -> Iterator[RayRunner]:
    """Yield a runner on `workers` Ray workers of one CPU each. A dead worker is replaced; its tasks are played again.

    Args:
      address: address of the cluster, as `joined_cluster` takes it.

    Raises:
      TavlaError: Ray is not installed or not reachable, or a bot's network is not from a checkpoint.
    """
    recipe = arena.recipe()
    with joined_cluster(address, num_cpus=workers, configure_logging=False) as ray:
        remote: Any = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")
        # Weights travel once to each machine.
        shared = ray.put(recipe)
        yield RayRunner(ray, [remote(_RayWorker).remote(shared) for _ in range(workers)])


def _next_chunk(count: int, seconds: float, seconds_per_call: float) -> int:
    """Return the number of pairs for the next call, after `count` pairs took `seconds`."""
    return min(4 * count, int(count * seconds_per_call / max(seconds, 1e-6)))
