"""`tavla calibrate`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner
from command_line import fails

from tavla_ai.cli import main
from tavla_ai.strength import Calibration, CalibrationEffort, calibrate

EASY_NETWORK = Path(__file__).parents[2] / "checkpoints" / "tavla" / "easy"
NETWORKS = ("--hard", EASY_NETWORK, "--medium", EASY_NETWORK, "--easy", EASY_NETWORK)


def test_a_calibration_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def quick(*args: Any, effort: CalibrationEffort, **options: Any) -> Calibration:
        return calibrate(*args, effort=replace(effort, search_rounds=2, tolerance=150), **options)

    monkeypatch.setattr("tavla_ai.cli.calibrate.calibrate_levels", quick)
    out = tmp_path / "levels.yaml"
    asked = ("calibrate", *NETWORKS, "--matches", 200, "--search-matches", 60, "--workers", 1, "--out", out, "--json")
    result = CliRunner().invoke(main, [str(arg) for arg in asked])
    assert result.exit_code == 0, result.stderr
    assert "search: medium with noise" in result.stderr
    assert "measured: easy with noise" in result.stderr
    found = json.loads(result.stdout)
    assert [gap["weaker"] for gap in found["gaps"]] == ["medium", "easy"]
    assert [gap["matches"] for gap in found["gaps"]] == [200, 200]


def test_a_calibration_that_cannot_be_writes_nothing(tmp_path: Path) -> None:
    weak, out = write_checkpoint(tmp_path / "weak"), tmp_path / "levels.yaml"
    few = ("--matches", 40000, "--search-matches", 100, "--workers", 1, "--out", out)

    def refused(*args: object) -> str:
        result = CliRunner().invoke(main, [str(arg) for arg in ("calibrate", *NETWORKS, *few, *args)])
        assert result.exit_code == 2
        assert not out.exists()
        line = result.stderr.strip().splitlines()[-1]
        assert line.startswith("error: ")
        return line

    assert "Elo below hard without noise; expected at most the gap of 250: take a stronger" in refused("--medium", weak)
    assert "the largest; expected at least the gap of 7500" in refused("--ratings", "easy=1,medium=1500,hard=9000")
    assert "100 matches: they measure a gap of 300 Elo to ±95.10; expected at least" in refused("--matches", 100)
    # As many as the message asks for are enough, though 4,000 come within a rounding of it.
    line = refused("--matches", 4000)
    assert "4,000 matches: they measure a gap of 300 Elo to ±15.04; expected at least 4,020 for ±15" in line


def test_bad_input_of_a_calibration_is_one_line(tmp_path: Path) -> None:
    asked = ("calibrate", *NETWORKS, "--out", tmp_path / "levels.yaml", "--ratings")
    assert "expected them to rise from easy to hard" in fails(*asked, "easy=1500,medium=1200,hard=1750")
    assert "expected one for each of easy, medium, hard" in fails(*asked, "easy=1200,hard=1750")
    assert "level 'novice': expected easy, medium, hard" in fails(*asked, "novice=1,medium=2,hard=3")
    assert "expected BOT=NUMBER" in fails(*asked, "easy,medium=2,hard=3")
    good = "easy=1200,medium=1500,hard=1750"
    assert "match length 4" in fails(*asked, good, "--match-length", 4)
    assert "expected an even number" in fails(*asked, good, "--search-matches", 5)
    assert "expected an even number" in fails(*asked, good, "--matches", 5)
    assert "no such checkpoint" in fails(*asked, good, "--hard", tmp_path / "none")
    (tmp_path / "levels.yaml").write_text("a: [")
    assert "not a file of levels" in fails(*asked, good)
    assert "cannot be written" in fails(*asked, good, "--out", tmp_path / "levels.yaml" / "mine.yaml")
    assert (tmp_path / "levels.yaml").read_text() == "a: ["
