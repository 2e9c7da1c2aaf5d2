"""Endings with one checker left on each side: against value iteration over the oracle's plays."""

from __future__ import annotations

from functools import cache

import numpy as np
import oracle
import pytest
from cases import ROLLS
from command_line import fails, ok_json

from tavla_ai.evaluator import EvaluatorOptions, load_evaluator, load_tables
from tavla_ai.match import MatchState
from tavla_ai.rules import Position, compile_rules, get_ruleset

GAMES = ("north-sultan", "traditional", "oyna-backgammon")
WEIGHTS = {(high, low): 1 if high == low else 2 for high, low in ROLLS}
# My place and the opponent's, each in its own numbering; 25 is the bar.
State = tuple[int, int]
STATES = [(mine, his) for mine in range(1, 26) for his in range(1, 26) if mine + his != 25 and (mine, his) != (25, 25)]


def last(place: int) -> oracle.Side:
    return oracle.side({0: 14, place: 1})


def place_of(side: oracle.Side) -> int:
    return next(place for place in range(1, 26) if side[place])


@cache
def chances(game: str) -> dict[State, float]:
    """The chance that the side on roll wins, by plain value iteration."""
    reached: dict[State, list[tuple[int, list[State | None]]]] = {}
    for mine, his in STATES:
        reached[mine, his] = [
            (
                weight,
                [
                    None if me[0] == 15 else (place_of(other), place_of(me))
                    for me, other in oracle.legal_turns(game, (last(mine), last(his)), roll)
                ],
            )
            for roll, weight in WEIGHTS.items()
        ]
    found = dict.fromkeys(STATES, 0.5)
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for state, by_roll in reached.items():
            value = sum(
                weight * max(1.0 if after is None else 1 - found[after] for after in plays) for weight, plays in by_roll
            )
            change = max(change, abs(value / 36 - found[state]))
            found[state] = value / 36
    return found


def board_of(state: State) -> np.ndarray:
    return np.array([last(state[0]), last(state[1])], np.int8)


@pytest.mark.parametrize("game", GAMES)
def test_every_state_is_worth_what_value_iteration_finds(game: str) -> None:
    ruleset = get_ruleset(game)
    tables, rules = load_tables(ruleset), compile_rules(ruleset)
    assert tables is not None
    for state, chance in chances(game).items():
        outcomes, is_exact = tables.distribution_on_roll(rules, board_of(state))
        assert is_exact
        won = outcomes[ruleset.scores.index(1)]
        assert won == pytest.approx(chance, abs=1e-8)
        assert outcomes[ruleset.scores.index(-1)] == pytest.approx(1 - chance, abs=1e-8)
        after, _ = tables.distribution(rules, board_of(state)[::-1].copy())
        assert after.tolist() == outcomes[::-1].tolist()


def test_hit_and_run_makes_a_difference() -> None:
    """Traditional tavla forbids it in the home board, and the larger die comes first."""
    free, traditional = chances("north-sultan"), chances("traditional")
    assert max(abs(free[state] - traditional[state]) for state in STATES) > 0.01


@pytest.mark.parametrize("ply", [0, 1])
@pytest.mark.parametrize("game", ["north-sultan", "oyna-backgammon"])
def test_evaluators_and_plays_are_exact(game: str, ply: int) -> None:
    evaluator = load_evaluator(game)
    for state in STATES[::29]:
        position = Position.from_board(board_of(state), evaluator.ruleset)
        value = evaluator.evaluate(position, ply=ply).value
        assert value == pytest.approx(2 * chances(game)[state] - 1, abs=1e-5)
        total = 0.0
        for roll, weight in WEIGHTS.items():
            total += weight * evaluator.rank_plays(position, roll, MatchState(), ply=ply)[0].evaluation.value
        assert total / 36 == pytest.approx(value, abs=1e-5)


def test_networks_alone_are_wrong_there() -> None:
    alone = load_evaluator("oyna-backgammon", options=EvaluatorOptions(use_tables=False))
    errors = [
        abs(alone.evaluate(Position.from_board(board_of(state), alone.ruleset)).value - (2 * chance - 1)) / 2
        for state, chance in chances("oyna-backgammon").items()
    ]
    assert np.mean(errors) > 0.01


def test_the_command_line_shows_them() -> None:
    data = ok_json("bearoff", "show", "--position", "20:1 off:14 / 3:1 off:14", "--json")
    assert data["win"] == pytest.approx(chances("north-sultan")[20, 3], abs=1e-8)
    assert data["mover"] is None
    assert "one last checker on each side" in fails("bearoff", "show", "--position", "20:2 off:13 / 3:1 off:14")
