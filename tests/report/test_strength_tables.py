"""The tables of a ladder's strength, in documents."""

from __future__ import annotations

from pathlib import Path

from command_line import ok, ok_json

from tavla_ai.bots import (
    Levels,
)
from tavla_ai.network import load_checkpoint
from tavla_ai.report.strength import BEGIN, END, strength_tables

SHIPPED = Path(__file__).parents[2] / "checkpoints" / "levels.yaml"


def test_the_tables_are_of_what_was_measured(own_levels: Path) -> None:
    ok_json("measure", "easy", "--levels", own_levels, "--games", 20, "--opponent", "random")
    ok_json("measure", own_levels.parent / "hard", "--games", 20, "--opponent", "pubeval")
    document = own_levels.parent / "README.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    ok("levels", "--table", document, "--levels", own_levels, "--match-length", 3)
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| level |")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    random = Levels(own_levels).ladders[0].levels["easy"].results[0]
    assert f"{random.points_per_game:+.3f}".replace("-", "−") in rows["Easy"]
    (pubeval,) = load_checkpoint(own_levels.parent / "hard").card.results
    assert f"{pubeval.points_per_game:+.3f}".replace("-", "−") in rows["Hard"]
    assert "±" not in rows["Medium"]
    assert "1752" in rows["Hard"]


def test_the_readme_shows_what_the_cards_say() -> None:
    text = (SHIPPED.parents[1] / "README.md").read_text()
    begin, end = text.index(BEGIN) + len(BEGIN) + 1, text.index(END)
    levels = Levels(SHIPPED)
    tables = strength_tables(levels, levels.ladders[0]).replace(str(SHIPPED.parents[1]) + "/", "")
    assert text[begin:end] == tables
