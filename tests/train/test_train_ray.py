"""Self-play on Ray: the same weights as in process, even if workers or nodes die."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavla_ai.network import load_checkpoint
from train.config import TrainConfig, parse_config
from train.metrics import Progress as RunProgress
from train.metrics import Reporter
from train.pipeline import Pipeline
from train.pool import RayPool, make_pool
from train.run import RunDirectory

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.ray

ROUNDS = 8


def small_config(**ray_settings: object) -> TrainConfig:
    return parse_config(
        {
            "games": 40 * ROUNDS,
            "network": {"hidden": [16]},
            "self_play": {"games_per_round": 40, "games_per_task": 10},
            "learner": {"threads": 1},
            "evaluation": {"games": 2, "final_games": 2, "every_games": 10_000, "opponents": ["random"]},
            "ray": {"start_timeout": 60, **ray_settings},
        },
        [],
        "test",
    )


class AtRound(Reporter):
    """Does something once, when a given round has been trained."""

    def __init__(self, pipeline_round: int, action: object) -> None:
        self.round = pipeline_round
        self.action = action
        self.done = False

    def advance(self, progress: RunProgress, metrics: dict[str, float]) -> None:
        if not self.done and progress.round_index >= self.round:
            self.done = True
            self.action()  # type: ignore[operator]


def trained(config: TrainConfig, path: Path, pool: object, action: object = None) -> Pipeline:
    run = RunDirectory(path)
    reporter = AtRound(2, action) if action else Reporter()
    pipeline = Pipeline(config, run, pool, reporter)  # type: ignore[arg-type]
    run.create(config)
    # Two calls, so that progress is reported, and the action taken, between them.
    pipeline.train(2)
    assert pipeline.train()
    pipeline.finish()
    return pipeline


@pytest.fixture(scope="module")
def in_process(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The weights that the same seed gives without Ray."""
    config = small_config()
    path = tmp_path_factory.mktemp("local") / "run"
    trained(config, path, make_pool(config))
    return (path / "final" / "weights.safetensors").read_bytes()


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    """A cluster of a head and two nodes of one CPU each, in processes of this machine."""
    cluster = cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 100 * 2**20, "include_dashboard": False},
    )
    cluster.add_node(num_cpus=1, object_store_memory=100 * 2**20)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_two_nodes_one_removed_gives_the_weights_of_one_process(
    cluster: object, in_process: bytes, tmp_path: Path
) -> None:
    config = small_config(workers=2, address=cluster.address)  # type: ignore[attr-defined]
    pool = make_pool(config)
    assert isinstance(pool, RayPool)
    pool.wait_for_workers(2)
    node = next(iter(cluster.worker_nodes))  # type: ignore[attr-defined]
    pipeline = trained(
        config,
        tmp_path / "run",
        pool,
        lambda: cluster.remove_node(node, allow_graceful=False),  # type: ignore[attr-defined]
    )
    pool.close()
    assert pipeline.progress.games == config.games
    assert pipeline.progress.worker_deaths >= 1
    assert (tmp_path / "run" / "final" / "weights.safetensors").read_bytes() == in_process


@pytest.mark.parametrize("mode", ["synchronous", "asynchronous"])
def test_a_killed_worker_is_replaced_and_counted(cluster: object, in_process: bytes, tmp_path: Path, mode: str) -> None:
    config = small_config(workers=1, mode=mode, address=cluster.address)  # type: ignore[attr-defined]
    pool = make_pool(config)
    assert isinstance(pool, RayPool)
    pid = pool.worker_pids()[0]
    pipeline = trained(config, tmp_path / "run", pool, lambda: os.kill(pid, signal.SIGKILL))
    pool.close()
    assert pipeline.progress.worker_deaths == 1
    assert pipeline.progress.lost_batches >= 1
    assert pipeline.progress.games >= config.games
    final = tmp_path / "run" / "final"
    assert load_checkpoint(final).card.games == pipeline.progress.games
    if mode == "synchronous":
        assert (final / "weights.safetensors").read_bytes() == in_process
