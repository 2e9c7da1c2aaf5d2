"""`tavla elo-simulate`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import fails, ok, ok_json


def test_elo_simulate_prints_a_table_and_draws(tmp_path: Path) -> None:
    plot = tmp_path / "elo.svg"
    out = ok("elo-simulate", "--strength", 1650, "--runs", 300, "--matches", 60, "--plot", plot)
    assert "wins and losses balance at 1650.0" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["0", "1500.0", "0.0", *["1500"] * 5] in rows
    assert any(row[:1] == ["60"] for row in rows)
    root = ET.parse(plot).getroot()
    assert len(root.findall("{http://www.w3.org/2000/svg}polygon")) == 2


def test_elo_simulate_json() -> None:
    given = ("elo-simulate", "--win", "a=0.5", "--bots", "a=1000", "--mix", "a=2", "--runs", 50, "--matches", 500)
    data = ok_json(*given)
    assert data["bots"] == {"a": 1000}
    assert len(data["band"]) == 501
    assert data["final_mean"] == pytest.approx(1000, abs=40)
    assert "the player only wins or only loses" in ok("elo-simulate", "--win", "easy=1", "--runs", 2, "--matches", 5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "expected either --strength or --win"),
        (["--strength", "1500", "--win", "easy=0.5"], "expected either --strength or --win"),
        (["--strength", "nan"], "strength: rating nan"),
        (["--win", "easy"], "'--win': 'easy': expected BOT=NUMBER"),
        (["--win", "easy=x"], "'easy=x': expected BOT=NUMBER"),
        (["--win", "easy=0.5,easy=0.6"], "easy is given twice"),
        (["--win", "easy=2"], "win chance 2 against easy"),
        (["--win", "expert=0.5"], "no such bot; expected one of easy, medium, hard"),
        (["--strength", "1500", "--bots", ""], "'--bots'"),
        (["--strength", "1500", "--mix", "easy=0"], "mix: expected a share above 0"),
        (["--strength", "1500", "--matches", "0"], "'--matches'"),
    ],
)
def test_elo_simulate_mistakes(args: list[str], message: str) -> None:
    assert message in fails("elo-simulate", *args)
