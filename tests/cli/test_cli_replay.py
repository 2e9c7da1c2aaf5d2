"""`tavla replay`."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import fails, ok

from tavla_ai.formats import read_mat
from tavla_ai.rules import get_ruleset


@pytest.fixture(scope="module")
def results(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay") / "results"
    ok("tournament", checkpoint, "random", "--games", "10", "--out", folder)
    return folder


def test_a_game_is_printed_move_for_move(results: Path) -> None:
    assert ok("replay", results, "--game", "7").startswith("Game 1: ")
    assert ok("replay", results) == ok("replay", results, "--game", "1")
    assert "expected 1 to 10" in fails("replay", results, "--game", "11")


def test_a_game_is_printed_as_a_match_file(results: Path) -> None:
    match = read_mat(ok("replay", results, "--game", "3", "--mat"), get_ruleset("north-sultan"))
    assert len(match.games) == 1


def test_a_folder_without_a_tournament_is_one_line(tmp_path: Path) -> None:
    assert str(tmp_path) in fails("replay", tmp_path)
