"""The command line: results on stdout, one line and exit code 2 for a user's mistake, never a traceback."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from cases import MATCHES
from command_line import fails, ok, run, tavla

import tavla_ai
from tavla_ai.cli import main


def test_no_command_shows_help() -> None:
    assert ok() == ok("--help")


def test_version() -> None:
    assert ok("--version") == f"tavla, version {tavla_ai.__version__}\n"


def commands(group: click.Group = main, *path: str) -> dict[str, click.Command]:
    """Return every command by how it is called, those of groups too."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[" ".join((*path, name))] = command
        if isinstance(command, click.Group):
            found |= commands(command, *path, name)
    return found


def examples(command: click.Command) -> list[str]:
    return re.findall(r"^ *tavla (.*)$", command.help or "", re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_help_has_an_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # In a checkout `train --help` is the trainer's.
    assert re.search(rf"Examples?:\n +tavla {name}\b", ok(*name.split(), "--help"))


# What would need other files, build tables or never end.
ELSEWHERE = [
    "export",
    "train",
    "bench",
    "bearoff",
    "calibrate",
    "dice-verify",
    "error-rate",
    "external",
    "measure",
    "replay",
]


@pytest.mark.parametrize(
    "example",
    [
        example
        for name, command in {"": main, **commands()}.items()
        if name.split(" ")[0] not in ELSEWHERE
        for example in examples(command)
    ],
)
def test_the_examples_work(example: str, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(MATCHES / "cubeless-7.mat", tmp_path / "match.mat")
    # Nobody asks anything of `ubgi` here.
    assert ok(*shlex.split(example)) or example.startswith("ubgi")


def test_an_unknown_command_or_option_is_one_line() -> None:
    assert "No such command 'bogus'" in fails("bogus")
    assert "--bogus" in fails("moves", "--bogus")


def test_an_unreadable_file_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr("tavla_ai.cli.inspect.load_checkpoint", refuse)
    assert fails("inspect", "x") == "error: some/file: Permission denied"


def test_ctrl_c_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tavla_ai.cli.tournament.play_tournament", interrupt)
    result = run("tournament", "pubeval", "random")
    assert result.exit_code == 130
    assert result.output.strip() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_stops_a_running_tournament(tmp_path: Path) -> None:
    process = subprocess.Popen(
        tavla("tournament", "pubeval", "random", "--games", "1000000000", "--out", str(tmp_path / "results")),
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "results" / "results.jsonl").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr.strip() == ""


def test_what_the_terminal_cannot_show_is_no_traceback() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(tavla("rulesets", "portes"), env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


def test_nothing_heavy_is_imported() -> None:
    """The command line and every public name work where torch, Ray, onnx and onnxruntime are not installed."""
    heavy = ("torch", "ray", "onnx", "onnxscript", "onnxruntime")
    code = f"import sys; sys.modules |= dict.fromkeys({heavy}); import tavla_ai.cli; from tavla_ai import *"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_help_lists_every_command_by_task() -> None:
    listed = re.findall(r"^  (\S+) +\S", ok("--help").split("Options:")[1], re.MULTILINE)
    assert sorted(set(listed) - {"--version", "-h,"}) == sorted(main.commands)


def test_the_public_surface_is_real() -> None:
    assert len(set(tavla_ai.__all__)) == len(tavla_ai.__all__)
    assert all(hasattr(tavla_ai, name) for name in tavla_ai.__all__)
    assert isinstance(main, click.Group)
