"""`tavla export`."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import fails


@pytest.mark.parametrize(
    "args", [[], ["x"], ["--out", "y"], ["x", "--verify", "y"], ["--verify", "y", "--out", "z"]], ids=" ".join
)
def test_export_needs_one_task(args: list[str]) -> None:
    assert "--verify" in fails("export", *args)


def test_export_reports_what_is_missing(tmp_path: Path) -> None:
    assert "no such checkpoint" in fails("export", tmp_path / "none", "--out", tmp_path / "bundle")
    assert str(tmp_path / "none") in fails("export", "--verify", tmp_path / "none")
