"""The first day: every line of docs/first-day.md works in an empty folder, from the wheel alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def commands(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment with the wheel and what it depends on."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel], check=True)
    return environment / "bin"


@pytest.mark.slow
def test_the_wheel_has_the_bots_and_the_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    shipped = {name for name in names if name.startswith("tavla_ai/shipped/")}
    sources = {f"tavla_ai/shipped/{path.relative_to(ROOT / 'checkpoints')}" for path in checkpoint_files()}
    assert shipped == sources
    assert "tavla_ai/py.typed" in names
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".inl"))]
    # The checkpoints of all games may take 12 MB, so that a wheel stays quick to install.
    assert wheel.stat().st_size < 12_000_000


def checkpoint_files() -> list[Path]:
    return [path for path in (ROOT / "checkpoints").rglob("*") if path.is_file()]


@pytest.mark.slow
def test_every_line_of_the_first_day_works(commands: Path, tmp_path: Path) -> None:
    """No other command is on the path, so that neither a compiler nor an installed package helps."""
    environment = {"PATH": str(commands), "HOME": str(tmp_path), "TAVLA_CACHE_DIR": str(tmp_path / "cache")}
    folder = tmp_path / "empty"
    folder.mkdir()
    for heavy in ("torch", "ray", "onnx"):
        missing = subprocess.run([commands / "python", "-c", f"import {heavy}"], capture_output=True, check=False)
        assert missing.returncode == 1, f"{heavy} is installed"
    blocks = BLOCK.findall((ROOT / "docs" / "first-day.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 6
    for language, text in blocks:
        # A line with a comment `# exit code 2` is expected to fail so, and to name what to do.
        shell = [commands / "python", "-c", text] if language == "python" else ["/bin/sh", "-e", "-c", text]
        done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        expected = 2 if "# exit code 2" in text else 0
        assert done.returncode == expected, f"{text}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, text
        if expected:
            assert "pip install" in done.stderr, text
    assert os.listdir(folder)
