"""Each example of docs/examples runs from an empty folder and prints something worth reading."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PRINTED = {
    "serve_a_decision": '"play": "8/5 6/5"',
    "play_a_level": " wins ",
    "tournament": "easy     hard     -",
    "analyze_match": "best was ",
    "train_tiny": "against Easy: ",
    "onnx_client": "8/5 6/5      +",
}


def test_every_example_is_run_and_short() -> None:
    examples = list(EXAMPLES.glob("*.py"))
    assert {path.stem for path in examples} == set(PRINTED)
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 50 for path in examples)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "onnx_client")) for name in PRINTED]
)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    if name == "onnx_client":
        pytest.importorskip("onnxruntime")
        pytest.importorskip("onnxscript")
    if name == "train_tiny":
        pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[name] in done.stdout
