"""Perft of every game from its start: the engine, the oracle and pinned numbers agree.

Tavla's own presets are compared with the oracle in test_plays.py.
"""

from __future__ import annotations

import oracle
import pytest
from cases import ROLLS

from tavla_ai import engine
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names

TAVLA = (447, 202_782)
PINNED = {
    "north-sultan": TAVLA,
    "oyna-tavla": TAVLA,
    "portes": TAVLA,
    "oyna-backgammon": TAVLA,
    "traditional": (447, 200_516),
    "plakoto": (59, 3_474, 708_405),
    "plakoto-greek": (59, 3_474, 708_405),
    "fevga": (22, 479, 21_893),
    "gul-bara": (53, 2_768, 480_979),
    "tawula": (37, 1_380, 105_514),
}
NEW_GAMES = [name for name in PINNED if len(PINNED[name]) == 3]


def oracle_perft(preset: str, position: oracle.Position, depth: int) -> int:
    """Afterstates of all 21 rolls, `depth` turns deep; in Gul Bara a roll is its first stage."""
    total = 0
    for high, low in ROLLS:
        turns = oracle.stage_turns(preset, position, (high,) * 4 if high == low else (high, low))
        if depth == 1:
            total += len(turns)
            continue
        total += sum(
            oracle_perft(preset, oracle.swap(after), depth - 1) for after, turn in turns.items() if turn.score is None
        )
    return total


def oracle_start(preset: str) -> oracle.Position:
    position = oracle.start(preset)
    return position[:2] if preset == "gul-bara" else position


def test_every_preset_is_pinned() -> None:
    assert set(PINNED) == set(ruleset_names())


@pytest.mark.parametrize("preset", PINNED)
def test_the_engine_counts_what_is_pinned(preset: str) -> None:
    rules = compile_rules(get_ruleset(preset))
    found = [engine.perft(rules, rules.start(), depth) for depth in range(1, len(PINNED[preset]) + 1)]
    assert tuple(found) == PINNED[preset]


@pytest.mark.parametrize("preset", ["oyna-backgammon", *NEW_GAMES])
def test_the_oracle_counts_what_is_pinned(preset: str) -> None:
    for depth in (1, 2):
        assert oracle_perft(preset, oracle_start(preset), depth) == PINNED[preset][depth - 1]


@pytest.mark.slow
@pytest.mark.parametrize("preset", NEW_GAMES)
def test_the_oracle_counts_what_is_pinned_three_turns_deep(preset: str) -> None:
    assert oracle_perft(preset, oracle_start(preset), 3) == PINNED[preset][2]
