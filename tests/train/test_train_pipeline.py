"""Training end to end on tiny runs, through `python -m train`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from command_line import ok
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from training import Watched, train, weights

from tavla_ai.network import load_checkpoint
from train.run import RunDirectory

SMALL = {
    "games": 400,
    "network.hidden": "[16]",
    "self_play.games_per_round": 40,
    "learner.threads": 1,
    "learner.batch_size": 512,
    "evaluation.games": 20,
    "evaluation.final_games": 40,
    "evaluation.every_games": 200,
}


def arguments(run: Path, *more: str, **settings: object) -> list[str]:
    chosen = {**SMALL, **{key.replace("__", "."): value for key, value in settings.items()}}
    return ["--run", str(run), *(f"--set={key}={value}" for key, value in chosen.items()), *more]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the small recipe."""
    run = tmp_path_factory.mktemp("runs") / "small"
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert train(monkeypatch, *arguments(run, self_play__threads=1)) == 0
    return run


def test_a_run_leaves_everything_needed_to_trust_it(finished: Path) -> None:
    card = load_checkpoint(finished / "final").card
    assert card.games == 400
    assert card.positions > 400
    assert card.config["games"] == 400
    assert set(card.code) == {"commit", "changed"}
    assert {"numpy", "torch", "ray"} <= set(card.versions)
    assert [result.opponent for result in card.results] == ["random", "pubeval", "previous"]
    assert all(result.games == 40 and result.standard_error > 0 for result in card.results)
    assert len({result.seed for result in card.results}) == 1
    for name in ("config.yaml", "code.json", "log.txt", "metrics.jsonl"):
        assert (finished / name).stat().st_size > 0


def test_tensorboard_shows_losses_speed_and_strength(finished: Path) -> None:
    events = EventAccumulator(str(finished / "tensorboard"))
    events.Reload()
    tags = set(events.Tags()["scalars"])
    assert {
        "losses/cross_entropy",
        "losses/td_error",
        "learner/gradient_norm",
        "speed/games_per_second",
        "speed/positions_per_second",
        "charts/mars_rate",
        "charts/mean_plies",
        "ray/staleness",
        "ppg/random",
        "ppg/pubeval",
        "ppg/pubeval_low",
        "ppg/pubeval_high",
        "final_ppg/random",
    } <= tags


def test_the_untrained_network_is_measured_too(finished: Path) -> None:
    lines = [json.loads(line) for line in (finished / "metrics.jsonl").read_text().splitlines()]
    first = next(line for line in lines if "ppg/pubeval" in line)
    assert first["games"] == 0
    assert first["ppg/pubeval"] < -1


def test_threads_do_not_change_the_weights(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(monkeypatch, *arguments(tmp_path / "run", self_play__threads=2)) == 0
    assert weights(tmp_path / "run") == weights(finished)


def test_another_seed_changes_the_weights(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(monkeypatch, *arguments(tmp_path / "run", "--seed", "2")) == 0
    assert weights(tmp_path / "run") != weights(finished)


@pytest.mark.parametrize("window", [1, 3])
def test_stopping_and_resuming_gives_the_weights_of_an_unbroken_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    settings = {"learner__window_rounds": window, "learner__passes": 1.5}
    assert train(monkeypatch, *arguments(whole, **settings)) == 0
    assert train(monkeypatch, *arguments(broken, "--rounds", "5", **settings)) == 0
    assert not (broken / "final").exists()
    assert train(monkeypatch, "--resume", str(broken)) == 0
    assert weights(broken) == weights(whole)


def test_a_finished_run_is_not_run_again(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = weights(finished)
    assert train(monkeypatch, *arguments(finished, "--resume", "auto", self_play__threads=1)) == 0
    assert weights(finished) == before


def test_an_occupied_directory_is_refused_and_kept(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in finished.iterdir())
    assert train(monkeypatch, *arguments(finished)) == 2
    error = capsys.readouterr().err
    assert "has a run already" in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in finished.iterdir()) == before


def test_resuming_with_another_setting_is_refused(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(monkeypatch, "--resume", str(finished), "--set", "td.lambda=0.1") == 2
    assert "td.lambda" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        (["--set", "nonsense=1"], "nonsense: unknown key"),
        (["--config", "no-such.yaml"], "no-such.yaml"),
        (["--set", "parent=no-such-checkpoint"], "no-such-checkpoint: no such checkpoint"),
        (["--set", "learner.device=cuda:7"], "cuda:7"),
        (["--resume", "no-such-run"], "no-such-run"),
        (["--set", "evaluation.opponents=[nobody]"], "nobody"),
        (["--workers", "1", "--set", "ray.address=127.0.0.1:1"], "ray.address '127.0.0.1:1': nothing answers there"),
        (["--workers", "1", "--set", "ray.address=ray://127.0.0.1:1"], "nothing answers there"),
        (["--workers", "1", "--set", "ray.address=somewhere"], "host:port"),
        (["--set", "learner.device=meta"], "learner.device"),
        (["--bogus"], "--bogus"),
        (["--rounds", "0"], "--rounds"),
    ],
)
def test_a_mistake_is_one_line_and_makes_no_directory(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    fragment: str,
) -> None:
    run = tmp_path / "run"
    assert train(monkeypatch, "--run", str(run), *more) == 2
    error = capsys.readouterr().err
    assert fragment in error
    assert error.count("\n") == 1
    assert not run.exists()


def test_a_parent_of_another_shape_or_game_is_refused(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parent = f"parent={finished / 'final'}"
    assert train(monkeypatch, *arguments(tmp_path / "a", "--set", parent, network__hidden="[8]")) == 2
    assert "hidden layers" in capsys.readouterr().err
    assert train(monkeypatch, *arguments(tmp_path / "b", "--set", parent, ruleset="tawula")) == 2
    assert "trained for north-sultan" in capsys.readouterr().err
    assert train(monkeypatch, *arguments(tmp_path / "c", "--set", parent, games=40)) == 0
    child = load_checkpoint(tmp_path / "c" / "final").card
    assert child.parent == load_checkpoint(finished / "final").card.weights_sha256


def test_divergence_stops_with_the_last_checkpoint_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    settings = {"learner__optimizer": "sgd", "learner__learning_rate": 1e30, "learner__max_gradient_norm": 1e9}
    assert train(monkeypatch, *arguments(run, **settings)) == 3
    assert "not finite" in capsys.readouterr().err
    assert not (run / "final").exists()


def test_a_damaged_checkpoint_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert train(monkeypatch, *arguments(run, "--rounds", "2")) == 0
    (checkpoint,) = (run / "checkpoints").iterdir()
    trainer = checkpoint / "trainer.pt"
    # Every file that the trainer writes loads without pickle.
    assert torch.load(trainer, weights_only=True)["progress"]["round_index"] == 2
    trainer.write_bytes(trainer.read_bytes()[:100])
    assert train(monkeypatch, "--resume", str(run)) == 2
    assert "trainer.pt: damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda state: {}, "does not fit this run"),
        (lambda state: [1], "not a trainer's state"),
        (lambda state: {**state, "progress": {"speed": 1}}, "does not fit this run"),
        (lambda state: {**state, "learner": {**state["learner"], "average": []}}, "does not fit this run"),
    ],
)
def test_a_trainer_state_of_something_else_is_not_resumed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[dict[str, Any]], object],
    fragment: str,
) -> None:
    run = tmp_path / "run"
    assert train(monkeypatch, *arguments(run, "--rounds", "1")) == 0
    capsys.readouterr()
    (checkpoint,) = (run / "checkpoints").iterdir()
    trainer = checkpoint / "trainer.pt"
    torch.save(change(torch.load(trainer, weights_only=True)), trainer)
    assert train(monkeypatch, "--resume", str(run)) == 2
    error = capsys.readouterr().err
    assert fragment in error
    assert error.count("\n") == 1


def test_a_start_that_was_killed_half_way_can_be_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / ".config.yaml.tmp").write_text("games: 1")
    assert train(monkeypatch, *arguments(run, "--resume", "auto", "--rounds", "1")) == 0
    (run / "config.yaml").write_text("[1: {")
    assert train(monkeypatch, "--resume", str(run)) == 2
    assert "config.yaml: not YAML" in capsys.readouterr().err


def test_two_processes_cannot_train_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert train(monkeypatch, *arguments(run, "--rounds", "1")) == 0
    with RunDirectory(run).lock():
        assert train(monkeypatch, "--resume", str(run)) == 2
    assert "another process is training this run" in capsys.readouterr().err


def test_a_path_that_cannot_be_a_directory_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert train(monkeypatch, *arguments(file / "run")) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_resumes_to_the_same_weights(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    # The second evaluation is printed half-way through the run.
    stream = Watched("against previous", lambda: os.kill(os.getpid(), number))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        assert train(patched, *arguments(run, self_play__threads=1)) == 130
    assert "can be resumed" in stream.getvalue()
    assert not (run / "final").exists()
    assert train(monkeypatch, "--resume", str(run)) == 0
    assert weights(run) == weights(finished)


def test_a_killed_run_resumes_to_the_same_weights(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    settings = {"checkpoint__every_seconds": 0.01, "self_play__threads": 1}
    command = [sys.executable, "-m", "train", *arguments(run, **settings)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "against previous" in line:
            break
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert (run / "checkpoints").is_dir()
    assert train(monkeypatch, "--resume", str(run)) == 0
    assert weights(run) == weights(finished)


def test_a_trained_bot_is_exported_and_verified(finished: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    ok("export", finished / "final", "--out", bundle)
    ok("export", "--verify", bundle)
    assert (bundle / "model.onnx").is_file()


def test_learning_beats_random_after_a_short_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    settings = {
        "games": 4000,
        "network__hidden": "[32]",
        "self_play__games_per_round": 250,
        "evaluation__every_games": 100_000,
        "evaluation__final_games": 400,
        "evaluation__opponents": "[random]",
    }
    assert train(monkeypatch, *arguments(run, **settings)) == 0
    (result,) = load_checkpoint(run / "final").card.results
    assert result.points_per_game > 1.0
