"""Decisions follow from values: an evaluator that knows no more than the race decides by the race."""

from __future__ import annotations

import pytest
from evaluator_fake import EvaluatorFake, pip_lead

from tavla_ai.errors import RulesetError
from tavla_ai.match import Cube, MatchState, respond_to_double
from tavla_ai.rules import ROLLS, Position, get_match_set, get_ruleset, legal_plays

HOUSE = get_ruleset("oyna-tavla")
WITH_CUBE = get_ruleset("oyna-backgammon")
START = Position.start(HOUSE)
# No contact; the first side is 15 and 80 pips ahead.
AHEAD = Position.from_sides({6: 5, 5: 5, 4: 5}, {6: 5, 5: 5, 7: 5})
FAR_AHEAD = Position.from_sides({6: 5, 5: 5, 4: 5}, {10: 10, 11: 5})


def test_the_best_play_is_the_first_of_all() -> None:
    racer = EvaluatorFake(HOUSE)
    hit = Position.from_sides({6: 5, 8: 3, 13: 5, 24: 2}, {6: 4, 8: 3, 13: 5, 24: 2, 20: 1})
    plays = racer.rank_plays(hit, (4, 1))
    assert len(plays) == len(legal_plays(HOUSE, hit, (4, 1)))
    assert [play.loss for play in plays] == sorted(play.loss for play in plays)
    assert pip_lead(plays[0].afterstate) == max(pip_lead(play.afterstate) for play in plays)
    chosen = racer.choose_play(hit, (4, 1))
    assert (chosen.steps, chosen.afterstate) == (plays[0].steps, plays[0].afterstate)


def test_a_roll_is_worth_its_best_play() -> None:
    racer = EvaluatorFake(HOUSE)
    match = MatchState(5, (1, 3))
    values = racer.roll_values(START, match)
    assert list(values) == [(first, second) for first, second, _ in ROLLS]
    for dice, value in values.items():
        assert value == pytest.approx(racer.rank_plays(START, dice, match)[0].evaluation.value)


def test_a_concession_is_compared_with_playing_on() -> None:
    racer = EvaluatorFake(HOUSE)
    # A checker is off, so that conceding costs a point.
    behind = Position.from_sides({6: 14}, {1: 1}, off=(1, 14))
    value = racer.evaluate(behind).value
    assert -0.9 < value < -0.7
    assert not racer.should_concede(behind)
    assert racer.should_concede(behind, margin=1 + value)
    assert racer.accept_concession(behind.swap(), 1)
    assert racer.accept_concession(behind, 1, is_on_roll=True)
    # The whole match is worth more than any game of it.
    assert not racer.should_concede(behind, MatchState(5, (1, 1)), kind="match")
    assert racer.accept_concession(START, "match", MatchState(5, (4, 0)))


def test_the_cube_is_offered_by_the_side_ahead() -> None:
    racer = EvaluatorFake(WITH_CUBE)
    assert not racer.should_double(Position.start(WITH_CUBE))
    assert not racer.should_double(AHEAD.swap())
    assert racer.should_double(FAR_AHEAD)
    assert not racer.respond_to_double(FAR_AHEAD)
    assert racer.respond_to_double(Position.start(WITH_CUBE))
    with pytest.raises(RulesetError, match="the side on roll may not double a cube of 2, opponent"):
        racer.respond_to_double(FAR_AHEAD, MatchState(cube=Cube(2, "opponent")))
    with pytest.raises(RulesetError, match="oyna-tavla has none"):
        EvaluatorFake(HOUSE).cube_decision(START)


@pytest.mark.parametrize("position", [AHEAD, FAR_AHEAD, AHEAD.swap()])
def test_a_double_is_answered_alike_by_the_evaluator_and_by_outcomes_alone(position: Position) -> None:
    """Both are seen by the side that doubles."""
    racer, match = EvaluatorFake(WITH_CUBE), MatchState(5, (2, 1))
    outcomes = racer.evaluate(position, match).outcomes
    assert racer.respond_to_double(position, match) == respond_to_double(outcomes, match, racer.match_equity(5))


def test_a_game_of_a_set_is_worth_what_the_set_says() -> None:
    greek = get_match_set("zar-greek")
    portes = EvaluatorFake(get_ruleset("portes"), greek)
    assert portes.utility(MatchState(5, (0, 0), game=3)) == portes.utility(MatchState(5, (0, 0)))
    with pytest.raises(RulesetError, match="game 1 of the set: plakoto-greek is played, not portes"):
        portes.utility(MatchState(5, (0, 0), game=1))
    with pytest.raises(RulesetError, match="zar-greek: does not play oyna-tavla"):
        EvaluatorFake(HOUSE, greek)
