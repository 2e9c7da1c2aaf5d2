"""`tavla perft`."""

from __future__ import annotations

import pytest
from command_line import fails, ok, ok_json

import tavla_ai
from tavla_ai import engine
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names

START = "4HPwATDgc/ABMA"


def test_perft_counts() -> None:
    assert ok("perft", "--depth", "1") == "447\n"
    assert ok("perft") == "202782\n"
    assert ok_json("perft", "--depth", "2") == {
        "ruleset": "north-sultan",
        "position": START,
        "depth": 2,
        "count": 202782,
    }


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_perft_is_the_engines(ruleset: str) -> None:
    # A race close to its end: finished games go no deeper.
    text = "3:1 2:1 1:2 / 3:1 1:2"
    rules = compile_rules(get_ruleset(ruleset))
    board = tavla_ai.Position.from_text(text, get_ruleset(ruleset)).board
    for depth in (1, 2, 3):
        args = ("perft", "--ruleset", ruleset, "--position", text, "--depth", depth)
        assert int(ok(*args)) == engine.perft(rules, board, depth)


@pytest.mark.parametrize("ruleset", ["plakoto", "fevga", "gul-bara", "tawula"])
def test_perft_from_the_start_of_other_games(ruleset: str) -> None:
    rules = compile_rules(get_ruleset(ruleset))
    data = ok_json("perft", "--ruleset", ruleset)
    assert data["count"] == engine.perft(rules, rules.start(), 2)
    assert ok_json("perft", "--ruleset", ruleset, "--position", data["position"]) == data


def test_perft_divides_by_roll() -> None:
    lines = ok("perft", "--depth", "1", "--divide").splitlines()
    assert lines[:3] == ["11: 42", "21: 15", "22: 75"]
    assert len(lines) == 22
    assert sum(int(line.split()[1]) for line in lines[:-1]) == int(lines[-1]) == 447
    assert ok_json("perft", "--depth", "1", "--divide")["rolls"]["31"] == 16


@pytest.mark.parametrize("depth", ["0", "-1", "x"])
def test_perft_refuses_other_depths(depth: str) -> None:
    assert "'--depth'" in fails("perft", "--depth", depth)
