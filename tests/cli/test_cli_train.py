"""`tavla train`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import fails, tavla


def test_training_runs_from_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "not a checkout of tavla-ai" in fails("train", "--config", "x.yaml")


@pytest.mark.skipif(sys.platform == "win32", reason="replaces the process")
def test_train_hands_over_to_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "__init__.py").touch()
    (tmp_path / "train" / "__main__.py").write_text("import sys; print(sys.argv[1:]); sys.exit(3)\n")
    args = ["--config", "x.yaml", "--set", "td.lambda=0.7", "--help"]
    done = subprocess.run(tavla("train", *args), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{args}\n", "")
