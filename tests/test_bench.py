"""`tavla bench`: every measure counts what it should and prints what it timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner

from tavla_ai.bench import MEASURES, BenchSizes, DecideSizes, Measure, decision_costs, run_bench
from tavla_ai.cli import main
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import get_ruleset, ruleset_names

SMALL = BenchSizes(
    walk_games=10, self_play_games=10, search_games=3, search_decisions=10, tournament_pairs=5, judged_pairs=2
)


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ruleset_names())
def test_every_game_is_measured(ruleset: str) -> None:
    report = run_bench(get_ruleset(ruleset), MEASURES, None, repeats=1, sizes=SMALL)
    assert report.ruleset == ruleset
    assert {result.measure for result in report.results} == set(MEASURES)
    counts = {result.unit: result.count for result in report.results}
    assert (counts["games"], counts["paired games"]) == (10, 10)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_reports_its_counts_and_spread(measure: Measure) -> None:
    report = run_bench(get_ruleset("north-sultan"), (measure,), None, repeats=2, sizes=SMALL)
    assert report.ruleset == "north-sultan"
    assert report.results
    for result in report.results:
        assert result.measure == measure
        assert result.repeats == 2
        assert result.count > 0
        assert 0 < result.slowest <= result.median <= result.fastest


def test_the_command_prints_what_it_measured() -> None:
    done = CliRunner().invoke(main, ["bench", "evaluate", "--repeats", "2", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["ruleset"] == "north-sultan"
    (result,) = report["results"]
    assert (result["measure"], result["unit"], result["repeats"]) == ("evaluate", "positions", 2)
    assert result["count"] > 10_000


def test_plays_are_counted_as_the_generator_counts_them() -> None:
    done = CliRunner().invoke(main, ["bench", "plays", "--repeats", "1", "--json"])
    counts = {result["unit"]: result["count"] for result in json.loads(done.stdout)["results"]}
    # Random play of tavla has 18.7 distinct afterstates a roll on average, doubles included.
    assert 18 < counts["afterstates"] / counts["rolls"] < 19.5


@pytest.mark.parametrize("measure", ["decide", "learn"])
def test_decisions_and_learning_are_timed_by_themselves(measure: str) -> None:
    done = CliRunner().invoke(main, ["bench", measure, "plays"])
    assert done.exit_code == 2
    assert "by itself" in done.output


@pytest.mark.parametrize("name", ["oyna-tavla", "oyna-backgammon", "gul-bara"])
def test_decisions_through_python_are_timed_beside_the_engine(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    checkpoint = load_checkpoint(write_checkpoint(tmp_path / "net", name, num_scores=len(ruleset.scores)))
    sizes = DecideSizes(games=4, decisions=30, concessions=3, doubles=1)
    report = decision_costs(ruleset, checkpoint, repeats=2, sizes=sizes)
    costs = {cost.decision: cost for cost in report.costs}
    assert report.ruleset == name
    assert all(0 < cost.fastest_us <= cost.median_us for cost in report.costs)
    assert all(cost.count > 0 for cost in report.costs)
    assert ("Evaluator.cube_decision" in costs) == ruleset.cube
    assert costs["Evaluator.choose_play"].count <= 30
    if ruleset.has_stages:
        assert all(cost.ratio is None for cost in report.costs)
    else:
        assert costs["the engine alone, one batch"].ratio == 1
        assert costs["Bot.choose_plays, one batch"].ratio is not None


def test_the_command_shows_the_costs_of_the_strongest_network() -> None:
    done = CliRunner().invoke(main, ["bench", "decide", "--ruleset", "oyna-tavla", "--repeats", "1", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["network"].endswith("tavla/hard")
    assert {"Evaluator.choose_play", "Bot.choose_play", "Evaluator.should_concede, all"} <= {
        cost["decision"] for cost in report["costs"]
    }


def test_an_unknown_measure_is_refused() -> None:
    done = CliRunner().invoke(main, ["bench", "nonsense"])
    assert done.exit_code == 2


@pytest.mark.peer
@pytest.mark.parametrize(("peer", "package"), [("gnubg-nn", "gnubg_nn"), ("sage", "bgsage")])
def test_a_peer_does_the_same_work_in_the_same_run(peer: str, package: str) -> None:
    pytest.importorskip(package)
    done = CliRunner().invoke(main, ["bench", "plays", "evaluate", "--against", peer, "--repeats", "1", "--json"])
    assert done.exit_code == 0, done.output
    ratios = [result["ratio"] for result in json.loads(done.stdout)["results"] if result["peer"] == peer]
    assert len(ratios) == 2
    assert all(ratio > 0 for ratio in ratios)


def test_the_learner_is_timed_on_the_same_positions_each_time() -> None:
    pytest.importorskip("torch")
    from train.bench import command

    done = CliRunner().invoke(command, ["--hidden", "16", "--games", "50", "--repeats", "2", "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["count"] > 1000
    assert 0 < result["slowest"] <= result["median"] <= result["fastest"]
