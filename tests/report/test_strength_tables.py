"""The tables of a ladder's strength, in documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import ok, ok_json
from levels_fixture import ladder, write_levels

from tavla_ai.bots import LEVEL_NAMES, Ladder, Levels
from tavla_ai.network import load_checkpoint
from tavla_ai.report.strength import FIGURES_BEGIN, FIGURES_END, LEVELS_BEGIN, LEVELS_END, levels_table, strength_tables

ROOT = Path(__file__).parents[2]


def test_the_tables_are_of_what_was_measured(own_levels: Path) -> None:
    ok_json("measure", "easy", "--levels", own_levels, "--games", 20, "--opponent", "random")
    ok_json("measure", own_levels.parent / "hard", "--games", 20, "--opponent", "pubeval")
    document = own_levels.parent / "README.md"
    document.write_text(f"before\n{FIGURES_BEGIN}\nold\n{FIGURES_END}\nafter\n")
    ok("levels", "--table", document, "--levels", own_levels, "--match-length", 3)
    text = document.read_text()
    assert text.startswith(f"before\n{FIGURES_BEGIN}\n| level |")
    assert text.endswith(f"{FIGURES_END}\nafter\n")
    assert "old" not in text
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    random = Levels(own_levels).ladders[0].levels["easy"].results[0]
    assert f"{random.points_per_game:+.3f}".replace("-", "−") in rows["Easy"]
    (pubeval,) = load_checkpoint(own_levels.parent / "hard").card.results
    assert f"{pubeval.points_per_game:+.3f}".replace("-", "−") in rows["Hard"]
    assert "±" not in rows["Medium"]
    assert "1752" in rows["Hard"]


@pytest.mark.parametrize(
    ("document", "begin", "end", "tables"),
    [
        ("README.md", LEVELS_BEGIN, LEVELS_END, levels_table),
        ("docs/levels.md", FIGURES_BEGIN, FIGURES_END, strength_tables),
    ],
)
def test_documents_show_what_the_cards_say(
    document: str, begin: str, end: str, tables: Callable[[Levels, Ladder], str]
) -> None:
    text = (ROOT / document).read_text()
    shown = text[text.index(begin) + len(begin) + 1 : text.index(end)]
    assert shown == tables(Levels(), Levels().ladders[0])


@pytest.mark.parametrize(("game", "opponent"), [("fevga", "baseline"), ("traditional", "pubeval")])
def test_levels_are_compared_by_an_opponent_that_plays_their_game(game: str, opponent: str, tmp_path: Path) -> None:
    for name in LEVEL_NAMES:
        write_checkpoint(tmp_path / name, game)
    levels = Levels(write_levels(tmp_path, ladder(game)))
    for tables in (levels_table, strength_tables):
        assert f"points per game against {opponent}" in tables(levels, levels.ladders[0])
