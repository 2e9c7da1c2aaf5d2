"""Human-likeness of the levels: the losses of their plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import fails, ok_json

from tavla_ai.bots import (
    Levels,
)
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import KINDS, measure_likeness

NORTH_SULTAN = get_ruleset("north-sultan")
SHIPPED = Path(__file__).parents[2] / "checkpoints" / "levels.yaml"


def test_no_shipped_level_makes_a_play_beyond_its_cap() -> None:
    report = measure_likeness(NORTH_SULTAN, Levels(SHIPPED), 3, games=60, seed=3, progress=None)
    easy, medium, hard = report.levels
    for level in report.levels:
        assert level.own_maximum <= level.cap + 1e-6
        assert level.phases["bear-off"].mean is not None
        assert level.phases["bear-off"].mean < 0.003
        # With one close play, the level finds it in most decisions.
        assert level.close[0].loss.median is not None
        assert level.close[0].loss.median < 0.01
    assert 0 == hard.loss.mean < (medium.loss.mean or 0) < (easy.loss.mean or 0)
    assert easy.own_maximum > medium.cap / 2


def test_the_report_says_what_plays_lose(levels_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "likeness"
    report = ok_json("levels", "--levels", levels_path, "--report", out, "--games", 4)
    assert json.loads((out / "report.json").read_text()) == report
    page = (out / "report.html").read_text()
    assert page.count("<svg") >= 4
    assert "<script" not in page
    easy, _, hard = report["levels"]
    assert hard["loss"]["same_share"] == 1
    assert hard["kinds"] == []
    loss = easy["loss"]
    assert 0 <= loss["median"] <= loss["p90"] <= loss["p99"] <= loss["maximum"]
    assert sum(phase["decisions"] for phase in easy["phases"].values()) == loss["decisions"]
    assert sum(one["loss"]["decisions"] for one in easy["close"]) == loss["decisions"]
    assert sum(kind["share"] for kind in easy["kinds"]) == pytest.approx(1)
    assert {kind["kind"] for kind in easy["kinds"]} <= set(KINDS)
    assert easy["own_maximum"] <= easy["cap"] + 1e-6
    assert easy["examples"][0]["loss"] == loss["maximum"]
    again = ok_json("levels", "--levels", levels_path, "--report", tmp_path / "again", "--games", 4)
    assert again == report


def test_a_report_of_bad_input_is_one_line(levels_path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    asked = ("levels", "--levels", levels_path, "--report")
    assert "expected a folder" in fails(*asked, tmp_path / "file")
    assert "3 games: expected an even number" in fails(*asked, tmp_path / "out", "--games", 3)
    assert "not in gul-bara, where a turn is more than one roll" in fails(
        *asked, tmp_path / "out", "--ruleset", "gul-bara"
    )
    assert not (tmp_path / "out").exists()
