"""Match states, match equity tables and utilities."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai.errors import RulesetError
from tavla_ai.match import (
    MARS_SHARE,
    MAX_LENGTH,
    MatchState,
    Utility,
    equal_shares,
    match_equity_table,
    match_utility,
    match_utility_grid,
)
from tavla_ai.rulesets import get_ruleset, ruleset_names

FAULTS = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "data" / "faults.json").read_text(encoding="utf-8"))
}
SCORES = (2, 1, -1, -2)
QUARTER = (0.125, 0.375, 0.375, 0.125)
WITH_DRAWS = (0.1, 0.3, 0.2, 0.3, 0.1)
DRAW_SCORES = (2, 1, 0, -1, -2)


def mars_shares(mars):
    """Shares of the four scores when that part of the wins are mars."""
    return (mars / 2, (1 - mars) / 2, (1 - mars) / 2, mars / 2)


def exact_mwc(away, opp_away, mars):
    if away <= 0 or opp_away <= 0:
        return Fraction(away <= 0)
    return (
        (1 - mars) * (exact_mwc(away - 1, opp_away, mars) + exact_mwc(away, opp_away - 1, mars))
        + mars * (exact_mwc(away - 2, opp_away, mars) + exact_mwc(away, opp_away - 2, mars))
    ) / 2


# Shares of the scores


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("north-sultan", (0.125, 0.375, 0.375, 0.125)),
        ("tawula", (0.125, 0.375, 0.375, 0.125)),
        ("plakoto", (0.125, 0.375, 0, 0.375, 0.125)),
        ("oyna-backgammon", (0.00625, 0.11875, 0.375, 0.375, 0.11875, 0.00625)),
    ],
)
def test_shares_of_equal_players(name, shares):
    assert equal_shares(get_ruleset(name), 0.25) == pytest.approx(shares)


@given(st.sampled_from(ruleset_names()), st.floats(0, 1), st.floats(0, 0.9))
def test_shares_add_up_and_read_the_same_backwards(name, mars, draws):
    ruleset = get_ruleset(name)
    has_draws = 0 in ruleset.scores
    shares = equal_shares(ruleset, mars, draws if has_draws else 0)
    assert len(shares) == len(ruleset.scores)
    assert sum(shares) == pytest.approx(1)
    assert shares == shares[::-1]
    assert min(shares) >= 0
    wins = sum(share for share, score in zip(shares, ruleset.scores, strict=True) if score > 0)
    larger = sum(share for share, score in zip(shares, ruleset.scores, strict=True) if score > 1)
    assert larger == pytest.approx(mars * wins)
    if has_draws:
        assert shares[2] == draws


def test_shares_that_have_been_measured():
    assert MARS_SHARE == 0.27
    assert equal_shares(get_ruleset("portes")) == pytest.approx(mars_shares(0.27))
    assert equal_shares(get_ruleset("plakoto"))[0] == pytest.approx(0.21)


def test_one_score_alone_takes_it_all():
    single = get_ruleset("portes").model_copy(update={"scores": (1, -1)})
    assert equal_shares(single) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("name", "shares", "message"),
    [
        ("portes", (1.1,), "mars share 1.1: expected 0 to 1"),
        ("portes", (float("nan"),), "mars share nan"),
        ("plakoto", (0.3, -0.1), "draw share -0.1"),
        ("fevga", (0.3, 0.1), "draw share 0.1: no game of fevga is drawn"),
    ],
)
def test_bad_shares_are_refused(name, shares, message):
    with pytest.raises(RulesetError, match=message):
        equal_shares(get_ruleset(name), *shares)


# Match equity table


def test_table_of_the_fault_case_is_exact():
    case = FAULTS["ma02_match_table_no_cube"]["expectation"]
    assert case["mars_share_of_wins"] == "1/4"
    table = match_equity_table(5, QUARTER, SCORES)
    for name, value in case["values"].items():
        away, opp_away = (int(side.removesuffix("-away")) for side in name.split("/"))
        assert table[away, opp_away] == float(Fraction(value)), name


def test_table_is_the_plain_recursion():
    table = match_equity_table(6, QUARTER, SCORES)
    for away in range(1, 7):
        for opp_away in range(1, 7):
            assert table[away, opp_away] == float(exact_mwc(away, opp_away, Fraction(1, 4)))


def test_table_agrees_with_the_reference_at_27_percent_mars():
    table = match_equity_table(7, mars_shares(0.27), SCORES)
    known = {(1, 2): 0.6825, (1, 3): 0.8166, (2, 3): 0.6584, (3, 5): 0.7319, (5, 7): 0.6906, (1, 7): 0.9772}
    for score, mwc in known.items():
        assert table[score] == pytest.approx(mwc, abs=5e-5)


@given(st.integers(1, 12), st.floats(0, 0.9))
def test_table_identities(length, mars):
    table = match_equity_table(length, mars_shares(mars), SCORES)
    assert table.shape == (length + 1, length + 1)
    assert table.dtype == np.float64
    assert (table + table.T == 1).all()
    assert (np.diag(table) == 0.5).all()
    assert (np.diff(table[:, 1:], axis=0) < 0).all()
    assert (table[0, 1:] == 1).all()
    assert (table[1:, 0] == 0).all()


def test_drawn_games_are_played_again():
    table = match_equity_table(7, WITH_DRAWS, DRAW_SCORES)
    without = match_equity_table(7, (0.125, 0.375, 0.375, 0.125), SCORES)
    np.testing.assert_allclose(table, without, atol=1e-12)


def test_one_point_games_make_a_fair_coin_race():
    table = match_equity_table(3, (0.5, 0.5), (1, -1))
    assert table[1, 2] == 0.75
    assert table[1, 3] == 0.875


@pytest.mark.parametrize(
    ("length", "shares", "scores", "message"),
    [
        (0, QUARTER, SCORES, "match length 0: expected at least 1"),
        (MAX_LENGTH + 1, QUARTER, SCORES, "match length 41: expected at most 40"),
        (5, (0.5, 0.5), SCORES, "2 numbers, expected one for each"),
        (5, (0.2, 0.375, 0.375, 0.125), SCORES, "add up to 1.075"),
        (5, (-0.125, 0.625, 0.375, 0.125), SCORES, "-0.125.*expected probabilities"),
        (5, (float("nan"),) * 4, SCORES, "nan.*expected probabilities"),
        (5, (0.2, 0.4, 0.3, 0.1), SCORES, "expected the same shares for both"),
        (5, (0, 0, 1, 0, 0), DRAW_SCORES, "every game is a draw"),
        (5, QUARTER, (1, 2, -2, -1), "best first"),
        (5, QUARTER, (3, 1, -1, -2), "same scores for both"),
    ],
)
def test_bad_table_arguments_are_refused(length, shares, scores, message):
    with pytest.raises(RulesetError, match=message):
        match_equity_table(length, shares, scores)


# Utility


POINT_INPUTS = {"oyna-backgammon": (0.5,) * 4, "plakoto": (0.5,) * 3, "plakoto-greek": (0.5,) * 3, "tawula": (3, 3)}


@pytest.mark.parametrize("name", ruleset_names())
def test_points_are_half_and_half(name):
    ruleset = get_ruleset(name)
    utility = Utility.points(ruleset)
    assert utility.values == ruleset.scores
    assert utility.inputs == POINT_INPUTS.get(name, (0.5, 0.5))
    assert utility.opponent() == utility


@pytest.mark.parametrize("name", ruleset_names())
def test_every_match_of_every_house_has_its_utilities(name):
    """In the float32 that the engine takes, too: all finite, K − 2 inputs, the opponent's the other way round."""
    ruleset = get_ruleset(name)
    for length in {*(ruleset.match_lengths or (1, 5, MAX_LENGTH)), ruleset.default_match_length}:
        grid = match_utility_grid(length, equal_shares(ruleset), ruleset.scores)
        assert grid.shape == (length, length, len(ruleset.scores))
        assert (np.diff(grid, axis=2) <= 0).all()
        utilities = [Utility(tuple(row), total=1.0) for row in grid.reshape(-1, len(ruleset.scores)).tolist()]
        inputs = np.array([utility.inputs for utility in utilities], np.float32)
        assert inputs.shape == (length**2, len(ruleset.scores) - 2)
        assert np.isfinite(inputs).all()
        assert (inputs >= 0).all()
        for away in range(length):
            for opp_away in range(length):
                mine, theirs = utilities[away * length + opp_away], utilities[opp_away * length + away]
                assert mine.opponent().values == pytest.approx(theirs.values, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "inputs"),
    [
        ((1, -1), ()),
        ((1, 0, -1), (0.5,)),
        ((2, 1, 0, -1, -2), (0.5, 0.5, 0.5)),
        ((3, 2, 1, -1, -2, -3), (0.5, 0.5, 0.5, 0.5)),
        ((7, 1, -1, -7), (3, 3)),
    ],
)
def test_inputs_are_two_fewer_than_the_scores(values, inputs):
    assert Utility(values).inputs == inputs


def test_double_match_point_knows_no_mars():
    table = match_equity_table(5, QUARTER, SCORES)
    utility = match_utility(table, 1, 1, SCORES)
    assert utility.values == (1, 1, 0, 0)
    assert utility.inputs == (0, 0)


def test_trailer_at_match_point_against_gains_from_a_mars_only():
    """2-away / 1-away: a mars wins the match, a single game leaves double match point, every loss ends it."""
    table = match_equity_table(5, QUARTER, SCORES)
    utility = match_utility(table, 2, 1, SCORES)
    assert utility.values == (1, 0.5, 0, 0)
    assert utility.inputs == (1, 0)
    assert utility.opponent() == match_utility(table, 1, 2, SCORES)
    assert utility.opponent().inputs == (0, 1)


@given(st.integers(1, 15), st.integers(1, 15), st.floats(0, 1 / 3))
def test_match_utilities_are_chances_and_swap_for_the_opponent(away, opp_away, mars):
    table = match_equity_table(15, mars_shares(mars), SCORES)
    mine = match_utility(table, away, opp_away, SCORES)
    theirs = match_utility(table, opp_away, away, SCORES)
    assert all(0 <= value <= 1 for value in mine.values)
    assert all(0 <= number <= 1 + 1e-9 for number in mine.inputs)
    assert mine.opponent().values == pytest.approx(theirs.values, abs=1e-12)
    assert mine.opponent().inputs == pytest.approx(mine.inputs[::-1], abs=1e-9)
    assert mine.opponent().opponent().values == pytest.approx(mine.values, abs=1e-12)


def test_utility_of_the_table_is_fair_to_equal_players():
    """The mean utility over a game's scores is the chance at the score before it, draws included."""
    table = match_equity_table(9, WITH_DRAWS, DRAW_SCORES)
    for away in range(1, 10):
        for opp_away in range(1, 10):
            values = match_utility(table, away, opp_away, DRAW_SCORES).values
            assert np.dot(values, WITH_DRAWS) == pytest.approx(table[away, opp_away], abs=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1.0,), "at least 2 scores"),
        ((1.0, 2.0, -1.0, -2.0), "expected values that fall"),
        ((2.0, 1.0, 1.0, -2.0), "smallest win is worth no more"),
        ((2.0, float("nan"), -1.0, -2.0), "finite"),
    ],
)
def test_bad_utilities_are_refused(values, message):
    with pytest.raises(RulesetError, match=message):
        Utility(values)


@pytest.mark.parametrize(("away", "opp_away", "named"), [(0, 1, "^away 0"), (6, 1, "^away 6"), (1, -1, "away -1")])
def test_needs_outside_the_table_are_refused(away, opp_away, named):
    table = match_equity_table(5, QUARTER, SCORES)
    with pytest.raises(RulesetError, match=f"{named}: expected 1 to 5"):
        match_utility(table, away, opp_away, SCORES)


@pytest.mark.parametrize(("shares", "scores"), [(QUARTER, SCORES), (WITH_DRAWS, DRAW_SCORES)])
def test_grid_holds_the_utility_of_every_score(shares, scores):
    grid = match_utility_grid(4, shares, scores)
    table = match_equity_table(4, shares, scores)
    assert grid.shape == (4, 4, len(scores))
    assert grid.dtype == np.float64
    assert grid.flags.c_contiguous
    for away in range(1, 5):
        for opp_away in range(1, 5):
            assert tuple(grid[away - 1, opp_away - 1]) == match_utility(table, away, opp_away, scores).values


@pytest.mark.parametrize("mars", [0, 0.27, 1 / 3])
def test_longest_match_keeps_its_utilities_apart(mars):
    grid = match_utility_grid(MAX_LENGTH, mars_shares(mars), SCORES)
    unit = grid[..., 1] - grid[..., 2]
    assert (unit > 0).all()
    for gap in (grid[..., 0] - grid[..., 1], grid[..., 2] - grid[..., 3]):
        assert (gap >= 0).all()
        assert (gap <= unit * (1 + 1e-3)).all()


# Match state


def test_match_state_knows_what_both_need():
    assert MatchState(5).away == (5, 5)
    assert MatchState(5, (4, 2)).away == (1, 3)
    assert MatchState(length=1).away == (1, 1)


@pytest.mark.parametrize(
    ("length", "score", "message"),
    [
        (0, (0, 0), "match length 0: expected at least 1 point"),
        (5, (5, 0), "match score 5-0: my 5 points, expected 0 to 4"),
        (5, (0, 7), "match score 0-7: the opponent's 7 points"),
        (5, (-1, 0), "match score -1-0: my -1 points"),
    ],
)
def test_impossible_match_states_are_refused(length, score, message):
    with pytest.raises(RulesetError, match=message):
        MatchState(length, score)
