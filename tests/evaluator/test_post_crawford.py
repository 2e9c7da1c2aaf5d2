"""After the Crawford game the trailer loses the match with the game at any cube, so doubling cannot cost anything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cases import MATCHES

from tavla_ai import Evaluator, MatchState, Position, analyze_match, cube_decision, load_evaluator, read_match
from tavla_ai.match import Cube, match_equity
from tavla_ai.rules import ROLLS, get_ruleset

BACKGAMMON = get_ruleset("oyna-backgammon")


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return load_evaluator(BACKGAMMON).for_any_length()


def trailing(needs: int, cube: int = 1) -> MatchState:
    """The trailer needs some points, the leader fewer than the cube shows."""
    return MatchState(11, (11 - needs, 11 - cube), cube=Cube(cube, "me" if cube > 1 else "centred"))


@pytest.mark.parametrize("cube", [1, 2, 4])
@pytest.mark.parametrize("needs", range(2, 11))
def test_rolling_is_never_worth_more_than_a_double_that_is_taken(needs: int, cube: int) -> None:
    equity = match_equity(BACKGAMMON, 11)
    rng = np.random.default_rng(needs)
    for outcomes in rng.dirichlet([0.5, 1, 2, 2, 1, 0.5], 200):
        decision = cube_decision(outcomes.tolist(), trailing(needs, cube), equity)
        if decision.can_double:
            assert decision.no_double <= decision.double_take
        if decision.should_take and decision.can_double:
            assert decision.should_double


@pytest.mark.parametrize("ply", [0, 1])
@pytest.mark.parametrize("needs", range(2, 10))
def test_the_trailer_doubles_at_the_first_chance(evaluator: Evaluator, needs: int, ply: int) -> None:
    """At the start the leader passes where the trailer needs an even number of points (the free drop), else takes."""
    decision = evaluator.cube_decision(Position.start(BACKGAMMON), trailing(needs), ply=ply)
    assert decision.should_double
    # At 6-away take and pass are within the network's error of each other.
    assert needs == 6 or decision.should_take == (needs % 2 == 1)


def test_the_trailer_doubles_in_random_positions(evaluator: Evaluator) -> None:
    """Except where playing on for a gammon is better than the single point of a pass."""
    rng = np.random.default_rng(3)
    position = Position.start(BACKGAMMON)
    for turn in range(80):
        if turn % 20 == 0:
            position = Position.start(BACKGAMMON)
        needs = 2 + turn % 8
        decision = evaluator.cube_decision(position, trailing(needs))
        assert decision.no_double <= decision.double_take + 1e-9
        assert decision.should_double or decision.is_too_good
        first, second, _ = ROLLS[rng.integers(len(ROLLS))]
        play = evaluator.choose_play(position, (first, second), trailing(needs))
        if play.score is not None:
            break
        position = play.afterstate.swap()


def test_playing_on_for_a_gammon_can_be_right(evaluator: Evaluator) -> None:
    """At 2-away a gammon wins the match, a pass does not."""
    hopeless = Position.from_text("6:3 5:3 4:3 3:2 2:2 1:2 / bar:2 13:5 8:4 6:4", BACKGAMMON)
    decision = evaluator.cube_decision(hopeless, trailing(2))
    assert decision.is_too_good
    assert not decision.should_double


def test_an_analysis_does_not_doubt_the_double(evaluator: Evaluator) -> None:
    match = read_match(Path(MATCHES / "sites" / "c01-post-crawford-double.mat"))
    analysis = analyze_match(match, evaluator)
    doubles = [one for one in analysis.games[3].decisions if getattr(one, "action", "") == "double"]
    assert doubles
    assert all(one.loss == pytest.approx(0, abs=1e-9) for one in doubles)
