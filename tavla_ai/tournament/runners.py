"""Where the contests of a tournament are played: on threads of this process, or on Ray workers.

Contests come back in their order and are the same wherever they were played.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from tavla_ai.cluster import joined_cluster
from tavla_ai.progress import ProgressCallback
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.table import ContestTable

# Ctrl-C and progress wait for one call of the engine.
_SECONDS_PER_CALL = 0.5
# Games with an outside engine go on together, so many pairs at a time.
_LOCKSTEP_PAIRS = 128
# A Ray worker always has its next piece of work waiting.
_IN_FLIGHT = 2
_FIRST_RAY_PAIRS = 8


class Runner(Protocol):
    """Plays contests somewhere."""

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """Play the pairs `first` to `end` − 1 of bot number `a` against number `b` and yield them in order.

        Args:
          progress: called with the number of contests finished since its last call.
        """


class LocalRunner:
    """Plays on threads of this process."""

    def __init__(self, table: ContestTable, workers: int) -> None:
        self._table, self._workers = table, workers

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """See `Runner`."""
        workers, is_native = self._workers, self._table.is_native(a, b)
        chunk = 4 * workers if is_native else _LOCKSTEP_PAIRS
        while first < end:
            count = min(chunk, end - first)
            began = time.perf_counter()
            yield self._table.play(a, b, first, count, workers, progress)
            first += count
            if is_native:
                # A multiple of the workers keeps all of them busy.
                chunk = max(1, _next_chunk(count, time.perf_counter() - began) // workers) * workers


class _RayWorker:
    """A Ray worker's own table."""

    def __init__(self, recipe: dict[str, Any]) -> None:
        self._table = ContestTable.from_recipe(recipe)

    def pid(self) -> int:
        """Return the process, for those who watch over it."""
        return os.getpid()

    def play(self, a: int, b: int, first_pair: int, num_pairs: int) -> tuple[Contests, float]:
        """Return the contests and the seconds that they took."""
        began = time.perf_counter()
        return self._table.play(a, b, first_pair, num_pairs), time.perf_counter() - began


class RayRunner:
    """Plays on Ray workers; `ray_runner` makes them."""

    def __init__(self, ray: Any, workers: Sequence[Any]) -> None:
        self.workers = workers
        self._ray = ray

    def play(self, a: int, b: int, first: int, end: int, progress: ProgressCallback | None) -> Iterator[Contests]:
        """See `Runner`."""
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
            chunk = max(1, _next_chunk(finished[begin].num_pairs, seconds))
            if progress is not None:
                progress(2 * finished[begin].num_pairs)
            while due in finished:
                contests = finished.pop(due)
                due += contests.num_pairs
                yield contests


@contextmanager
def ray_runner(table: ContestTable, workers: int, address: str = "local") -> Iterator[RayRunner]:
    """Yield a runner on so many Ray workers of one CPU each; a worker that dies is replaced, its work done again.

    Args:
      address: see `joined_cluster`.

    Raises:
      TavlaError: Ray is not installed, or not to be found there; or a bot is in no checkpoint.
    """
    recipe = table.recipe()
    with joined_cluster(address, num_cpus=workers, configure_logging=False) as ray:
        remote: Any = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD")
        # Weights travel once to each machine.
        shared = ray.put(recipe)
        yield RayRunner(ray, [remote(_RayWorker).remote(shared) for _ in range(workers)])


def _next_chunk(count: int, seconds: float) -> int:
    """Return how many pairs to play at once, after `count` took so long."""
    return min(4 * count, int(count * _SECONDS_PER_CALL / max(seconds, 1e-6)))
