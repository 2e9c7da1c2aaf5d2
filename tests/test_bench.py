"""`tavla bench`: every measure counts what it should and prints what it timed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tavla_ai import bench
from tavla_ai.bench import MEASURES
from tavla_ai.cli import main
from tavla_ai.rules import ruleset_names


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ruleset_names())
def test_every_game_is_measured(ruleset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_WALK_GAMES", 10)
    monkeypatch.setattr(bench, "_SELF_PLAY_GAMES", 10)
    monkeypatch.setattr(bench, "_TOURNAMENT_PAIRS", 5)
    monkeypatch.setattr(bench, "_JUDGED_PAIRS", 2)
    done = CliRunner().invoke(main, ["bench", "--ruleset", ruleset, "--repeats", "1", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["ruleset"] == ruleset
    assert {result["measure"] for result in report["results"]} == set(MEASURES)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_reports_its_counts_and_spread(measure: str) -> None:
    done = CliRunner().invoke(main, ["bench", measure, "--repeats", "2", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["ruleset"] == "north-sultan"
    assert report["results"]
    for result in report["results"]:
        assert result["measure"] == measure
        assert result["repeats"] == 2
        assert result["count"] > 0
        assert 0 < result["slowest"] <= result["median"] <= result["fastest"]


def test_plays_are_counted_as_the_generator_counts_them() -> None:
    done = CliRunner().invoke(main, ["bench", "plays", "--repeats", "1", "--json"])
    counts = {result["unit"]: result["count"] for result in json.loads(done.stdout)["results"]}
    # Random play of tavla has 18.7 distinct afterstates a roll on average, doubles included.
    assert 18 < counts["afterstates"] / counts["rolls"] < 19.5


def test_learning_is_timed_by_itself() -> None:
    done = CliRunner().invoke(main, ["bench", "learn", "plays"])
    assert done.exit_code == 2
    assert "by itself" in done.output


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

    done = CliRunner().invoke(command, ["--hidden", "16", "--repeats", "2", "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["count"] > 10_000
    assert 0 < result["slowest"] <= result["median"] <= result["fastest"]
