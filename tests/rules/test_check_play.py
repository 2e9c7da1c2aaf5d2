"""A play that the roll does not allow is refused with the rule it breaks; every legal one is taken."""

from __future__ import annotations

import numpy as np
import pytest

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.rules import Position, check_play, compile_rules, get_ruleset, parse_play, ruleset_names

START = Position.start(get_ruleset("north-sultan"))
ON_THE_BAR = Position.from_sides({13: 5, 6: 9}, {24: 15}, bar=(1, 0))
LARGER = Position.from_sides({24: 1}, {12: 2}, off=(14, 13))
NOT_HOME = Position.from_sides({7: 1, 6: 2}, {1: 15}, off=(12, 0))
HIT_AND_RUN = Position.from_sides({7: 1, 20: 1}, {20: 1, 1: 12}, off=(13, 2))


@pytest.mark.parametrize("preset", ruleset_names())
def test_every_legal_play_is_taken(preset: str) -> None:
    ruleset = get_ruleset(preset)
    rules = compile_rules(ruleset)
    boards, dice = engine.random_walk(rules, 17, 0, 1)
    for board, (first, second) in zip(boards, dice.tolist(), strict=True):
        afterstates, paths, _ = engine.legal_plays(rules, board, first, second)
        for after, path in list(zip(afterstates, paths, strict=True))[:5]:
            steps = [(start, end) for start, end in path.tolist() if start >= 0]
            found = check_play(Position(board), (first, second), steps, ruleset)
            np.testing.assert_array_equal(found.board[:, :26], after[:, :26])


@pytest.mark.parametrize(
    ("position", "dice", "play", "fragment"),
    [
        (START, (3, 1), "8/5", "2 dice can be played"),
        (START, (3, 1), "13/5", "moves 8 pips, the dice give 4"),
        (START, (3, 1), "13/11 8/6", "no order of the dice"),
        (START, (3, 1), "6/1", "6/1"),
        (START, (3, 1), "7/4 8/7", "7/4"),
        (ON_THE_BAR, (3, 1), "13/10 13/12", "bar enter before"),
        (LARGER, (6, 5), "24/19", "only one die can be played: the 6"),
        (NOT_HOME, (6, 3), "6/off 6/3", "6/off"),
    ],
)
def test_an_illegal_play_is_refused_with_its_rule(
    position: Position, dice: tuple[int, int], play: str, fragment: str
) -> None:
    with pytest.raises(RulesetError) as caught:
        check_play(position, dice, parse_play(play), get_ruleset("north-sultan"))
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_house_rule_is_named() -> None:
    steps = parse_play("7/5 5/4")
    check_play(HIT_AND_RUN, (2, 1), steps, get_ruleset("north-sultan"))
    with pytest.raises(RulesetError, match="has hit in its own home may not move on"):
        check_play(HIT_AND_RUN, (2, 1), steps, get_ruleset("traditional"))
