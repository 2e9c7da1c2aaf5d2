"""`tavla error-rate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner, Result
from command_line import fails as cli_fails

from tavla_ai.bots import load_bot
from tavla_ai.cli import main
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import (
    JudgedSet,
    build_judged_set,
    measure_error_rates,
    save_judged_set,
)

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("error-rate") / "small")


@pytest.fixture(scope="module")
def judged(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> JudgedSet:
    path = tmp_path_factory.mktemp("judged") / "set.npz"
    return build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7)


@pytest.fixture
def judged_path(judged: JudgedSet, tmp_path: Path) -> Path:
    save_judged_set(tmp_path / "set.npz", judged)
    return tmp_path / "set.npz"


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["error-rate", *map(str, args)])


def fails(*args: object) -> str:
    return cli_fails("error-rate", *args)


def test_the_command_measures(judged: JudgedSet, judged_path: Path, checkpoint: Path) -> None:
    done = run(checkpoint, "random", "--positions", judged_path, "--workers", 2)
    assert done.exit_code == 0, done.stderr
    assert "45 decisions judged by" in done.stdout
    done = run(checkpoint, "random", "--ply", 1, "--positions", judged_path, "--json")
    found = json.loads(done.stdout)
    assert [bot["bot"] for bot in found["bots"]] == [f"{checkpoint}@1", "random"]
    assert found["set"] == judged.header.model_dump(mode="json")
    bots = [load_bot(spec, NORTH_SULTAN) for spec in (f"{checkpoint}@1", "random")]
    expected = measure_error_rates(judged, bots)[1]
    assert found["bots"][1] == expected.model_dump(mode="json")


def test_the_command_builds(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.npz"
    args = ("--build", path, "--decisions", 3, "--judges", checkpoint, "--network", checkpoint, "--seed", 4)
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{path}: 3 decisions, ")
    assert "exists already" in fails(*args)
    assert run("random", "--positions", path).exit_code == 0


def test_mistakes_are_one_line(judged_path: Path, checkpoint: Path, tmp_path: Path) -> None:
    assert "no bot: expected at least one" in fails("--positions", judged_path)
    assert "unknown bot 'pubevil'" in fails("pubevil", "--positions", judged_path)
    assert "--build takes no bots" in fails("random", "--build", tmp_path / "new.npz")
    assert "no such checkpoint" in fails(
        "--build", tmp_path / "x.npz", "--judges", checkpoint, "--network", tmp_path / "no"
    )


def test_a_game_has_a_set_of_its_own(monkeypatch: pytest.MonkeyPatch, judged: JudgedSet, tmp_path: Path) -> None:
    """tavla is chosen with `choosing`, another game with the set of its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks").mkdir()
    save_judged_set(tmp_path / "benchmarks" / "choosing.npz", judged)
    for house in ((), ("--ruleset", "oyna-tavla")):
        assert "benchmarks/choosing.npz, north-sultan, 45 decisions" in run("random", *house).stdout
    net = write_checkpoint(tmp_path / "net", "fevga")
    build = ("--build", "benchmarks/fevga.npz", "--ruleset", "fevga", "--network", net, "--decisions", 4)
    assert "gnubg:2 and sage:2 do not play fevga; expected two networks that share nothing" in fails(*build)
    assert not (tmp_path / "benchmarks" / "fevga.npz.parts").exists()
    assert "benchmarks/fevga.npz: no such set" in fails("random", "--ruleset", "fevga")
    assert run(*build, "--judges", net, "--rollout", 36).exit_code == 0
    assert "benchmarks/fevga.npz, fevga, 4 decisions" in run("random", "baseline", "--ruleset", "fevga").stdout
