"""Match states, match equity tables and utilities."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from cases import FAULTS
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai.errors import RulesetError
from tavla_ai.match import (
    MAX_LENGTH,
    Cube,
    MatchEquity,
    MatchState,
    Utility,
    as_utilities,
    equal_shares,
    match_equity,
)
from tavla_ai.rules import MatchSet, Ruleset, get_match_set, get_ruleset, match_set_names, ruleset_names

FAULTS = {case["id"]: case for case in FAULTS}
SULTAN = get_ruleset("north-sultan")
PORTES = get_ruleset("portes")
PLAKOTO = get_ruleset("plakoto")
BACKGAMMON = get_ruleset("oyna-backgammon")
GREEK = get_match_set("zar-greek")
QUARTER = (0.125, 0.375, 0.375, 0.125)
WITH_DRAWS = (0.1, 0.3, 0.2, 0.3, 0.1)
# A starter with a marked edge, who also wins more mars.
EDGE = (0.20, 0.38, 0.32, 0.10)
GREEK_SHARES = {
    "portes": (0.16, 0.36, 0.36, 0.12),
    "plakoto-greek": (0.22, 0.26, 0.12, 0.22, 0.18),
    "fevga": (0.10, 0.46, 0.40, 0.04),
}


def mars_shares(mars):
    """Shares of the four scores when that part of the wins are mars."""
    return (mars / 2, (1 - mars) / 2, (1 - mars) / 2, mars / 2)


def tavla(length, shares=QUARTER) -> MatchEquity:
    return match_equity(SULTAN, length, {"north-sultan": shares})


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
    assert equal_shares(get_ruleset("portes")) == pytest.approx(mars_shares(0.27))
    assert equal_shares(get_ruleset("plakoto"))[0] == pytest.approx(0.205)


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
    table = tavla(5).table()
    for name, value in case["values"].items():
        away, opp_away = (int(side.removesuffix("-away")) for side in name.split("/"))
        assert table[away, opp_away] == float(Fraction(value)), name


def test_table_is_the_plain_recursion():
    table = tavla(6).table()
    for away in range(1, 7):
        for opp_away in range(1, 7):
            assert table[away, opp_away] == float(exact_mwc(away, opp_away, Fraction(1, 4)))


def test_table_agrees_with_the_reference_at_27_percent_mars():
    known = {(1, 2): 0.6825, (1, 3): 0.8166, (2, 3): 0.6584, (3, 5): 0.7319, (5, 7): 0.6906, (1, 7): 0.9772}
    for equity in (match_equity(SULTAN, 7), tavla(7, mars_shares(0.27))):
        for score, mwc in known.items():
            assert equity.table()[score] == pytest.approx(mwc, abs=5e-5)


@given(st.sampled_from(ruleset_names()), st.integers(1, 8), st.floats(0, 0.9), st.floats(0, 0.9))
def test_a_table_of_equal_players_is_symmetric(name, length, mars, draws):
    """And a fresh start is symmetric whatever the starter's edge."""
    ruleset = get_ruleset(name)
    shares = equal_shares(ruleset, mars, draws if 0 in ruleset.scores else 0)
    equity = match_equity(ruleset, length, {name: shares})
    table, mine, theirs = (equity.table(starter=starter) for starter in ("fresh", "me", "opponent"))
    assert table.shape == (length + 1, length + 1)
    assert table.dtype == np.float64
    assert (table + table.T == 1).all()
    assert (np.diag(table) == 0.5).all()
    assert (table[0, 1:] == 1).all()
    assert (table[1:, 0] == 0).all()
    assert (np.diff(table[:, 1:], axis=0) <= 0).all()
    if ruleset.next_game == "fresh":
        np.testing.assert_allclose(mine, table, atol=1e-12)
    np.testing.assert_allclose(mine + theirs.T, 1, atol=1e-12)


@given(st.integers(1, 12), st.floats(0, 0.9))
def test_needing_a_point_more_costs_something(length, mars):
    assert (np.diff(tavla(length, mars_shares(mars)).table()[:, 1:], axis=0) < 0).all()


def test_drawn_games_are_played_again():
    with_draws = match_equity(PLAKOTO, 7, {"plakoto": WITH_DRAWS}).table()
    np.testing.assert_allclose(with_draws, tavla(7).table(), atol=1e-12)


def test_one_point_games_make_a_fair_coin_race():
    table = tavla(3, (0, 0.5, 0.5, 0)).table()
    assert table[1, 2] == 0.75
    assert table[1, 3] == 0.875


@given(st.floats(0, 1))
def test_one_away_against_two_is_the_hand_formula(mars):
    """The leader wins unless he loses a mars, or a single game and then the last one."""
    assert tavla(2, mars_shares(mars)).table()[1, 2] == pytest.approx(1 - mars / 2 - (1 - mars) / 4)


def test_the_starters_edge_is_his_first_game_where_openings_are_fresh():
    """1-away / 1-away is one game; at 1-away / 2-away only the starter of the first is known."""
    equity = tavla(2, EDGE)
    starts, answers = equity.table(starter="me"), equity.table(starter="opponent")
    assert starts[1, 1] == pytest.approx(0.58)
    assert answers[1, 1] == pytest.approx(0.42)
    assert starts[1, 2] == pytest.approx(0.58 + 0.32 / 2)
    assert answers[1, 2] == pytest.approx(0.42 + 0.38 / 2)
    np.testing.assert_allclose(equity.table(), (starts + answers) / 2)


def test_the_winner_starts_where_the_house_says_so():
    """After the single game that the 1-away side lost, the other starts double match point."""
    equity = match_equity(PORTES, 2, {"portes": EDGE})
    assert equity.table(starter="me")[1, 2] == pytest.approx(0.58 + 0.32 * 0.42)
    assert equity.table(starter="opponent")[1, 2] == pytest.approx(0.42 + 0.38 * 0.42)
    utility = equity.utility(MatchState(2, (1, 0)))
    assert utility.values == pytest.approx((1, 1, 0.42, 0))


def test_a_draw_in_a_set_moves_on_to_the_next_game_with_a_fresh_start():
    """Double match point of the Greek set, by hand: only plakoto is drawn, and fevga follows it."""
    equity = match_equity(GREEK, 3, GREEK_SHARES)
    assert [equity.table(game, "me")[1, 1] for game in range(4)] == pytest.approx([0.52, 0.48 + 0.12 / 2, 0.56, 0.52])
    # 1-away / 2-away in plakoto: the match is won, drawn out to fevga with a fresh start, or level with the
    # opponent starting fevga.
    fevga = equity.table(2)
    assert equity.table(1, "me")[1, 2] == pytest.approx(0.48 + 0.12 * fevga[1, 2] + 0.22 * (1 - 0.56))
    utility = equity.utility(MatchState(3, (2, 1), game=4))
    assert utility.values == pytest.approx((1, 1, fevga[1, 2], 1 - 0.56, 0))


def test_a_set_of_draws_alone_but_for_one_game_still_ends():
    """Each game of the ring is solved for at once, however often it goes round."""
    drawn = MatchSet(
        name="drawn", title="", games=("plakoto", "plakoto-greek"), match_lengths=(3,), default_match_length=3
    )
    shares = {"plakoto": (0, 0, 1, 0, 0), "plakoto-greek": (0.0, 0.4, 0.3, 0.3, 0.0)}
    equity = match_equity(drawn, 2, shares)
    for score in ((1, 1), (1, 2), (2, 1)):
        first, second = equity.table(0), equity.table(1)
        assert first[score] == pytest.approx(second[score])
    assert equity.table(1, "me")[1, 1] == pytest.approx(0.4 + 0.3 / 2)
    # The greek game is drawn with 0.3, and then comes back with nothing changed.
    fresh, dmp = equity.table(1)[1, 2], equity.table(0)[1, 1]
    assert fresh == pytest.approx(0.35 + 0.35 * dmp + 0.3 * fresh)


@pytest.mark.parametrize("name", match_set_names())
def test_every_set_has_its_table(name):
    match_set = get_match_set(name)
    for length in match_set.match_lengths:
        equity = match_equity(match_set, length)
        assert [ruleset.name for ruleset in equity.games] == list(match_set.games)
        for game, ruleset in enumerate(equity.games):
            assert (np.diag(equity.table(game)) == 0.5).all()
            assert equity.utility_grid(game).shape == (length, length, len(ruleset.scores))


def simulate(
    games: Sequence[Ruleset], shares: Sequence[Sequence[float]], away: int, opp_away: int, count: int, seed: int
) -> float:
    """Play matches, game by game, from the rules alone; the first game has a fresh start."""
    rng = np.random.default_rng(seed)
    needs = np.tile(np.array([away, opp_away]), (count, 1))  # mine, the opponent's
    starter = rng.integers(2, size=count)  # 0: I start
    won = 0
    number = 0
    while len(needs):
        ruleset, cumulative = games[number % len(games)], np.cumsum(shares[number % len(games)])
        number += 1
        cumulative[-1] = 1.0
        drawn = np.array(ruleset.scores)[np.searchsorted(cumulative, rng.random(len(needs)), side="right")]
        mine = np.where(starter == 0, drawn, -drawn)
        needs[:, 0] -= np.maximum(mine, 0)
        needs[:, 1] -= np.maximum(-mine, 0)
        starter = rng.integers(2, size=len(needs))
        if games[number % len(games)].next_game == "winner_rolls":
            starter[mine > 0] = 0
            starter[mine < 0] = 1
        won += int((needs[:, 0] <= 0).sum())
        goes_on = (needs > 0).all(axis=1)
        needs, starter = needs[goes_on], starter[goes_on]
    return won / count


@pytest.mark.parametrize(
    ("game", "shares", "score"),
    [
        (SULTAN, {"north-sultan": EDGE}, (0, 2)),
        (PORTES, {"portes": EDGE}, (0, 2)),
        (PLAKOTO, {"plakoto": (0.22, 0.26, 0.12, 0.22, 0.18)}, (1, 0)),
        (GREEK, GREEK_SHARES, (0, 2)),
        (GREEK, GREEK_SHARES | {"plakoto-greek": (0.05, 0.10, 0.70, 0.10, 0.05)}, (3, 4)),
    ],
    ids=["fresh", "winner-starts", "draws", "set", "set-of-draws"],
)
def test_a_million_simulated_matches_agree(game, shares, score):
    equity = match_equity(game, 5, shares)
    state = MatchState(5, score)
    count = 1_000_000
    played = simulate(equity.games, equity.shares, *state.away, count, seed=11)
    mwc = equity.mwc(state)
    error = (mwc * (1 - mwc) / count) ** 0.5
    assert abs(played - mwc) < 4 * error


@pytest.mark.parametrize(
    ("game", "length", "shares", "message"),
    [
        (SULTAN, 0, None, "match length 0: expected at least 1"),
        (SULTAN, MAX_LENGTH + 1, None, "match length 41: expected at most 40"),
        (SULTAN, 5, {"north-sultan": (0.5, 0.5)}, "2 numbers, expected one for each of 2, 1, -1, -2"),
        (SULTAN, 5, {"north-sultan": (0.2, 0.375, 0.375, 0.125)}, "add up to 1.075"),
        (SULTAN, 5, {"north-sultan": (-0.125, 0.625, 0.375, 0.125)}, "-0.125.*expected probabilities"),
        (SULTAN, 5, {"north-sultan": (float("nan"),) * 4}, "nan.*expected probabilities"),
        (SULTAN, 5, {"portes": QUARTER}, "score shares of 'portes': north-sultan is played as north-sultan"),
        (GREEK, 5, {"gul-bara": QUARTER}, "score shares of 'gul-bara': zar-greek is played as portes, plakoto-greek"),
        (PLAKOTO, 5, {"plakoto": (0, 0, 1, 0, 0)}, "every game is a draw"),
    ],
)
def test_bad_table_arguments_are_refused(game, length, shares, message):
    with pytest.raises(RulesetError, match=message):
        match_equity(game, length, shares)


def test_a_cube_in_a_game_that_can_be_drawn_is_refused():
    with pytest.raises(RulesetError, match="plakoto: a game with a cube cannot be drawn"):
        match_equity(PLAKOTO.model_copy(update={"cube": True}), 3)


def test_a_table_cannot_be_changed():
    equity = match_equity(BACKGAMMON, 3)
    with pytest.raises(ValueError, match="read-only"):
        equity.table()[1, 2] = 1
    with pytest.raises(ValueError, match="read-only"):
        equity.after_crawford()[1] = 1
    with pytest.raises(FrozenInstanceError):
        equity.length = 5


# Match equity with a cube


def test_cubeful_table_is_close_to_the_known_one():
    """Kazaross-XG2, from rollouts, in percent; here the cube model alone."""
    table = match_equity(BACKGAMMON, 11, {"oyna-backgammon": equal_shares(BACKGAMMON, 0.26)}).table()
    known = {
        (1, 2): 67.7,
        (1, 3): 75.1,
        (1, 4): 81.4,
        (2, 3): 59.9,
        (2, 4): 67.0,
        (3, 4): 57.2,
        (3, 5): 64.8,
        (5, 7): 63.6,
    }
    for score, mwc in known.items():
        assert 100 * table[score] == pytest.approx(mwc, abs=1.5), score


def test_the_crawford_game_has_no_cube():
    """1-away / 2-away: the trailer needs a gammon, or a single game and the last one. 1-away / 3-away: after
    the single game the trailer, 2-away, doubles at once."""
    shares = (0.01, 0.12, 0.37, 0.37, 0.12, 0.01)
    equity = match_equity(BACKGAMMON, 5, {"oyna-backgammon": shares})
    assert equity.mwc(MatchState(5, (4, 3), is_crawford=True)) == pytest.approx(1 - 0.13 - 0.37 / 2)
    trailer = equity.mwc(MatchState(5, (3, 4)))
    assert equity.mwc(MatchState(5, (4, 2), is_crawford=True)) == pytest.approx(1 - 0.01 - 0.12 / 2 - 0.37 * trailer)
    assert equity.mwc(MatchState(5, (4, 4))) == 0.5


def test_after_the_crawford_game_the_trailer_doubles_at_once():
    """An even need is worth no more than the odd one below it: the leader passes the first double for free."""
    equity = match_equity(BACKGAMMON, 7)
    away = equity.after_crawford()
    assert away[0] == 1
    assert away[1] == away[2] == 0.5
    # Doubled and taken, a game is worth two points or four to the trailer.
    gammons = 0.27
    assert away[3] == pytest.approx(0.5 * ((1 - gammons) * away[1] + gammons), abs=1e-12)
    assert away[5] == pytest.approx(0.5 * ((1 - gammons) * away[3] + gammons * away[1]), abs=1e-2)
    assert away[4] == pytest.approx(away[3], abs=1e-12)
    assert equity.mwc(MatchState(7, (4, 6))) == away[3]
    assert equity.mwc(MatchState(7, (6, 4))) == 1 - away[3]
    assert equity.mwc(MatchState(7, (4, 6), is_crawford=True)) == equity.table()[3, 1] < away[3]


def test_utility_counts_the_cube():
    """Gammon at 4 is 8 points, and those beyond the match do not count."""
    equity = match_equity(BACKGAMMON, 11)
    state = MatchState(11, (2, 5), cube=Cube(4, "me"))
    utility = equity.utility(state)
    table = equity.table()
    assert utility.values[:3] == pytest.approx((1, table[1, 6], table[5, 6]))
    assert utility.values[3:] == pytest.approx((table[9, 2], 0, 0))
    assert utility.opponent().values == pytest.approx(equity.utility(state.swap()).values)
    assert equity.value_after(state, 9) == 1
    assert equity.value_after(state, -4) == table[9, 2]


def test_a_shorter_match_reads_the_same_table():
    assert match_equity(BACKGAMMON, 9).mwc(MatchState(5, (1, 3))) == match_equity(BACKGAMMON, 5).mwc(
        MatchState(5, (1, 3))
    )


@given(st.floats(0, 1), st.floats(0.3, 0.7))
def test_every_cubeful_utility_falls(mars, wins):
    """Even where the model is far from home: all wins gammons, a starter who mostly wins."""
    even = equal_shares(BACKGAMMON, mars)
    shares = [2 * wins * share for share in even[:3]] + [2 * (1 - wins) * share for share in even[3:]]
    grid = match_equity(BACKGAMMON, 7, {"oyna-backgammon": shares}).utility_grid()
    assert (np.diff(grid, axis=2) <= 0).all()
    assert ((grid >= 0) & (grid <= 1)).all()


# What cannot be looked up


@pytest.mark.parametrize(
    ("game", "state", "message"),
    [
        (SULTAN, MatchState(), "expected a match; single games are played for points"),
        (SULTAN, MatchState(7), "match length 7: expected at most 5, as far as the match equity table goes"),
        (SULTAN, MatchState(5, (4, 0), is_crawford=True), "Crawford game: north-sultan has none"),
        (SULTAN, MatchState(5, cube=Cube(2, "me")), "cube 2, me: north-sultan has no cube"),
        (BACKGAMMON, MatchState(5, cube=Cube(2, "me")), "cube 2, me: a game starts with it centred on 1"),
        (BACKGAMMON, MatchState(5, cube=Cube(128, "me")), "cube 128: expected at most 64"),
    ],
)
def test_states_beyond_the_table_are_refused(game, state, message):
    with pytest.raises(RulesetError, match=message):
        match_equity(game, 5).mwc(state)


def test_other_lookups_that_do_not_exist_are_refused():
    equity = match_equity(SULTAN, 5)
    with pytest.raises(RulesetError, match="match length 7: expected at most 5"):
        equity.utility(MatchState(7))
    with pytest.raises(RulesetError, match="has no cube"):
        equity.utility(MatchState(cube=Cube(2, "me")))
    with pytest.raises(RulesetError, match="game -1 of a match"):
        equity.table(-1)
    with pytest.raises(RulesetError, match="starter 'nobody': expected fresh, me, opponent"):
        equity.mwc(MatchState(5), "nobody")
    with pytest.raises(RulesetError, match="Crawford game: north-sultan has none"):
        equity.after_crawford()


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
        grid = match_equity(ruleset, length).utility_grid()
        assert grid.shape == (length, length, len(ruleset.scores))
        assert (np.diff(grid, axis=2) <= 0).all()
        utilities = [Utility(tuple(row), total=1.0) for row in grid.reshape(-1, len(ruleset.scores)).tolist()]
        _, inputs = as_utilities(utilities)
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
    utility = tavla(5).utility(MatchState(5, (4, 4)))
    assert utility.values == (1, 1, 0, 0)
    assert utility.inputs == (0, 0)


def test_trailer_at_match_point_against_gains_from_a_mars_only():
    """2-away / 1-away: a mars wins the match, a single game leaves double match point, every loss ends it."""
    equity = tavla(5)
    utility = equity.utility(MatchState(5, (3, 4)))
    assert utility.values == (1, 0.5, 0, 0)
    assert utility.inputs == (1, 0)
    assert utility.opponent() == equity.utility(MatchState(5, (4, 3)))
    assert utility.opponent().inputs == (0, 1)


@given(st.integers(1, 15), st.integers(1, 15), st.floats(0, 1 / 3))
def test_match_utilities_are_chances_and_swap_for_the_opponent(away, opp_away, mars):
    equity = tavla(15, mars_shares(mars))
    state = MatchState(15, (15 - away, 15 - opp_away))
    mine, theirs = equity.utility(state), equity.utility(state.swap())
    assert all(0 <= value <= 1 for value in mine.values)
    assert all(0 <= number <= 1 + 1e-9 for number in mine.inputs)
    assert mine.opponent().values == pytest.approx(theirs.values, abs=1e-12)
    assert mine.opponent().inputs == pytest.approx(mine.inputs[::-1], abs=1e-9)
    assert mine.opponent().opponent().values == pytest.approx(mine.values, abs=1e-12)


def test_utility_of_the_table_is_fair_to_equal_players():
    """The mean utility over a game's scores is the chance at the score before it, draws included."""
    equity = match_equity(PLAKOTO, 9, {"plakoto": WITH_DRAWS})
    for mine in range(9):
        for theirs in range(9):
            state = MatchState(9, (mine, theirs))
            assert np.dot(equity.utility(state).values, WITH_DRAWS) == pytest.approx(equity.mwc(state), abs=1e-12)


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


@pytest.mark.parametrize(("game", "shares"), [(SULTAN, QUARTER), (PLAKOTO, WITH_DRAWS)])
def test_grid_holds_the_utility_of_every_score(game, shares):
    equity = match_equity(game, 4, {game.name: shares})
    grid = equity.utility_grid()
    assert grid.shape == (4, 4, len(game.scores))
    assert grid.dtype == np.float64
    assert grid.flags.c_contiguous
    for away in range(1, 5):
        for opp_away in range(1, 5):
            utility = equity.utility(MatchState(4, (4 - away, 4 - opp_away)))
            assert tuple(grid[away - 1, opp_away - 1]) == utility.values


def test_without_a_match_the_utility_is_the_points():
    equity = match_equity(GREEK, 3)
    assert equity.utility(MatchState()) == Utility.points(PORTES)
    assert equity.utility(MatchState(game=1)) == Utility.points(get_ruleset("plakoto-greek"))
    assert match_equity(BACKGAMMON, 1).utility(MatchState(cube=Cube(8, "me"))) == Utility.points(BACKGAMMON)
    assert equity.value_after(MatchState(), -2) == -2


@pytest.mark.parametrize("mars", [0, 0.27, 1 / 3])
def test_longest_match_keeps_its_utilities_apart(mars):
    grid = tavla(MAX_LENGTH, mars_shares(mars)).utility_grid()
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
