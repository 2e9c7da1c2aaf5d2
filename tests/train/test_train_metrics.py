"""Metrics: means over the rounds of a window, and the lines that they are written to."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from batches import play_batch

from tavla_ai.bots import load_bot
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import PairResult, play_pairing
from train.evaluation import false_floor
from train.learner import RoundMetrics
from train.metrics import MetricsLog, Progress, Window


def trained(loss: float, positions: int, rate: float) -> RoundMetrics:
    return RoundMetrics(
        loss=loss,
        excess_loss=loss / 2,
        sibling_error=0.0,
        gradient_norm=1.0,
        positions=positions,
        steps=1,
        learning_rate=rate,
    )


def pairing(games: int) -> PairResult:
    ruleset = get_ruleset("north-sultan")
    return play_pairing(ruleset, load_bot("pubeval", ruleset), load_bot("random", ruleset), games=games, seed=1)


def test_a_window_shows_means_of_its_rounds_and_totals_of_the_run() -> None:
    first, second = play_batch(games=3), play_batch(games=5)
    window = Window()
    window.add(first, trained(loss=1.0, positions=10, rate=0.1), staleness=0)
    window.add(second, trained(loss=2.0, positions=30, rate=0.05), staleness=3)
    metrics = window.metrics(Progress(void_games=7, worker_deaths=2))
    assert metrics["losses/cross_entropy"] == 1.5
    assert metrics["losses/excess"] == 0.75
    assert metrics["learner/learning_rate"] == 0.05
    assert metrics["ray/staleness"] == 1.5
    assert metrics["charts/mean_plies"] == (first.plies + second.plies) / 8
    assert metrics["charts/mars_rate"] == (first.big_wins + second.big_wins) / 8
    errors = first.sum_abs_td_error + second.sum_abs_td_error
    assert metrics["losses/td_error"] == pytest.approx(errors / (len(first.afterstates) + len(second.afterstates)))
    assert (metrics["charts/void_games"], metrics["ray/worker_deaths"]) == (7, 2)
    assert metrics["speed/positions_per_second"] == pytest.approx(metrics["speed/games_per_second"] * 40 / 8)


def test_a_result_is_written_with_its_interval(tmp_path: Path) -> None:
    lines = tmp_path / "metrics.jsonl"
    several, single = pairing(40), pairing(2)
    with closing(MetricsLog(tmp_path / "tensorboard", lines)) as metrics:
        metrics.write_result("ppg", "random", several, games=100)
        metrics.write_result("final_ppg", "random", single, games=200)
    first, second = (json.loads(line) for line in lines.read_text().splitlines())
    assert first["games"] == 100
    assert several.interval == (first["ppg/random_low"], first["ppg/random_high"])
    assert first["ppg/random_low"] < first["ppg/random"] < first["ppg/random_high"]
    # A single pair has no interval.
    assert single.interval is None
    assert second["final_ppg/random_low"] == second["final_ppg/random"] == second["final_ppg/random_high"]


def test_the_cost_is_seconds_and_core_hours() -> None:
    cost = Progress(play_seconds=1.26, learn_seconds=2.0, total_seconds=4.0, core_seconds=7200).cost()
    assert (cost["play_seconds"], cost["learn_seconds"], cost["total_seconds"]) == (1.3, 2.0, 4.0)
    assert cost["core_hours"] == 2
    assert cost["peak_memory_mib"] > 1


def standing(points: float, error: float | None = 0.03) -> PairResult:
    return pairing(2).model_copy(update={"points_per_game": points, "standard_error": error})


def test_a_run_that_stands_still_and_gains_on_others_warns_of_a_false_floor() -> None:
    before = {"random": [1.2, 0.02], "mars": [-0.2, 0.03], "previous": [0.4, 0.03]}
    flat = {"random": standing(1.21), "mars": standing(0.1), "previous": standing(0.06)}
    warning = false_floor(before, flat)
    assert warning is not None
    assert "+0.060 ± 0.030 against previous looks finished" in warning
    assert "still gains on mars (-0.200 to +0.100); train longer" in warning
    # It improves on its past, or the others have not moved by more than chance, or have been lost to.
    assert false_floor(before, flat | {"previous": standing(0.2)}) is None
    assert false_floor(before, flat | {"mars": standing(-0.13)}) is None
    assert false_floor(before, flat | {"mars": standing(-0.5)}) is None
    # Without a past or an error there is nothing to compare.
    assert false_floor({}, flat) is None
    assert false_floor(before, {"mars": flat["mars"]}) is None
    assert false_floor(before, flat | {"mars": standing(0.1, None)}) is None
