"""Tournaments on Ray workers: the results of one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai import engine
from tavla_ai.bots import Bot, load_bot
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import Arena, Workers, play_tournament, ray_runner

ray = pytest.importorskip("ray")

pytestmark = pytest.mark.ray

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("ray") / "net"))


@pytest.fixture(scope="module")
def bots(network: Checkpoint) -> list[Bot]:
    return [load_bot(spec, NORTH_SULTAN) for spec in (f"{network.path}:0.2,0.3", "pubeval", "random")]


@pytest.fixture(scope="module", autouse=True)
def local_ray() -> Iterator[None]:
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=128 * 2**20)
    yield
    ray.shutdown()


def test_results_do_not_depend_on_where_they_are_played(bots: list[Bot], network: Checkpoint, tmp_path: Path) -> None:
    arena = Arena(NORTH_SULTAN, bots, 5, 3, [network])
    for workers in (0, 1, 2):
        play_tournament(arena, 100, out=tmp_path / str(workers), workers=Workers(ray=workers))
    for name in ("results.jsonl", "summary.json"):
        assert len({(tmp_path / str(workers) / name).read_bytes() for workers in (0, 1, 2)}) == 1


def test_a_worker_that_dies_is_replaced(bots: list[Bot], network: Checkpoint) -> None:
    arena = Arena(NORTH_SULTAN, bots, 5, None, [network])
    with ray_runner(arena, 2) as runner:
        parts = runner.play(0, 1, 0, 60, None)
        points = [next(parts).points]
        pids = ray.get([worker.pid.remote() for worker in runner.workers])
        os.kill(pids[0], signal.SIGKILL)
        points += [part.points for part in parts]
    np.testing.assert_array_equal(np.concatenate(points), arena.play(0, 1, 0, 60).points)


def test_a_network_in_no_checkpoint_cannot_travel(network: Checkpoint) -> None:
    bots = [
        Bot("learner", NORTH_SULTAN, engine.Player.network(network.engine_network())),
        load_bot("random", NORTH_SULTAN),
    ]
    with pytest.raises(TavlaError, match="learner: has no checkpoint that another process could read"):
        play_tournament(Arena(NORTH_SULTAN, bots, 1), 2, workers=Workers(ray=1))
