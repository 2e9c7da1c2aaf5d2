"""Cube decisions: Janowski's numbers in money games, hand-made ones in matches, and what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai.errors import RulesetError
from tavla_ai.match import (
    Cube,
    CubeDecision,
    MatchState,
    cash_point,
    cube_decision,
    cubeful_equity,
    match_equity,
    respond_to_double,
    should_double,
    take_point,
)
from tavla_ai.rules import get_ruleset

BACKGAMMON = get_ruleset("oyna-backgammon")
EQUITY = match_equity(BACKGAMMON, 11)
TABLE = EQUITY.table()
# With a limit that no game reaches the recursion is Janowski's own closed form.
ENDLESS = match_equity(BACKGAMMON.model_copy(update={"cube_limit": 2**40}), 1)
MONEY = MatchState()


def outcomes(win, gammons=0.0, gammons_lost=0.0, backgammons=0.0):
    """Outcomes with so many wins; gammons and backgammons are shares of the wins, and of the losses."""
    loss = 1 - win
    return (
        win * gammons * backgammons,
        win * gammons * (1 - backgammons),
        win * (1 - gammons),
        loss * (1 - gammons_lost),
        loss * gammons_lost * (1 - backgammons),
        loss * gammons_lost * backgammons,
    )


def at(away, opp_away, cube=1, owner="centred", is_crawford=False):
    return MatchState(11, (11 - away, 11 - opp_away), is_crawford=is_crawford, cube=Cube(cube, owner))


def decide(win, state=MONEY, **rates) -> CubeDecision:
    return cube_decision(outcomes(win, **rates), state, EQUITY)


def is_taken(game, state):
    """Whether the side that sees the outcomes and the stakes so takes a double."""
    return respond_to_double(game[::-1], state.swap(), EQUITY)


# Single games, for points


@pytest.mark.parametrize(("efficiency", "chance"), [(0, 0.25), (1, 0.2), (0.68, 0.5 / 2.34)])
def test_take_point_without_gammons(efficiency, chance):
    """A quarter with a dead cube, a fifth with a live one."""
    assert take_point(outcomes(0.5), MONEY, ENDLESS, efficiency) == pytest.approx(chance, abs=1e-9)
    assert cash_point(outcomes(0.5), MONEY, ENDLESS, efficiency) == pytest.approx(1 - chance, abs=1e-9)
    # The limit of 64 is six doublings away.
    assert take_point(outcomes(0.5), MONEY, EQUITY, efficiency) == pytest.approx(chance, abs=1e-4)


@given(st.floats(0, 0.6), st.floats(0, 0.6), st.floats(0, 0.2), st.floats(0, 1))
def test_money_points_are_janowskis(gammons, gammons_lost, backgammons, efficiency):
    """Janowski 1993: take at (L − ½) / (W + L + ½x), pass from (L + ½ + ½x) / (W + L + ½x)."""
    game = outcomes(0.5, gammons, gammons_lost, backgammons)
    won = 1 + gammons * (1 + backgammons)
    lost = 1 + gammons_lost * (1 + backgammons)
    width = won + lost + efficiency / 2
    assert take_point(game, MONEY, ENDLESS, efficiency) == pytest.approx((lost - 0.5) / width, abs=1e-6)
    assert cash_point(game, MONEY, ENDLESS, efficiency) == pytest.approx(
        (lost + 0.5 + efficiency / 2) / width, abs=1e-6
    )


@given(st.floats(0, 1), st.floats(0, 0.6), st.floats(0, 0.6))
def test_money_values_are_janowskis(win, gammons, gammons_lost):
    """Live: linear between the points where a cube is turned, which are worth a pass; dead: linear throughout."""
    game = outcomes(win, gammons, gammons_lost)
    won, lost = 1 + gammons, 1 + gammons_lost
    width = won + lost + 0.5
    take, cash = (lost - 0.5) / width, (lost + 1) / width
    dead = win * (won + lost) - lost
    live = {
        "me": np.interp(win, [0, cash, 1], [-lost, 1, won]),
        "opponent": np.interp(win, [0, take, 1], [-lost, -1, won]),
        "centred": np.interp(win, [0, take, cash, 1], [-lost, -1, 1, won]),
    }
    for owner, worth in live.items():
        state = MatchState(cube=Cube(1, owner))
        expected = 0.32 * dead + 0.68 * worth
        assert cubeful_equity(game, state, ENDLESS) == pytest.approx(expected, abs=1e-6)
        assert cube_decision(game, state, ENDLESS).no_double == pytest.approx(expected, abs=1e-6)
    doubled = 2 * (0.32 * dead + 0.68 * live["opponent"])
    assert cube_decision(game, MONEY, ENDLESS).double_take == pytest.approx(doubled, abs=1e-6)


@pytest.mark.parametrize(
    ("win", "doubles", "takes"), [(0.5, False, True), (0.65, False, True), (0.73, True, True), (0.82, True, False)]
)
def test_doubling_window_without_gammons(win, doubles, takes):
    decision = decide(win)
    assert (decision.should_double, decision.should_take, decision.is_too_good) == (doubles, takes, False)
    assert should_double(outcomes(win), MONEY, EQUITY) == doubles
    assert respond_to_double(outcomes(win), MONEY, EQUITY) == takes


@pytest.mark.parametrize(
    ("wins", "doubles", "takes"),
    [(13, False, True), (18, False, True), (19, True, True), (27, True, True), (28, True, False)],
)
def test_the_last_roll_is_exact(wins, doubles, takes):
    """It decides the game: double with more than half of the 36 rolls, take with a quarter."""
    decision = cube_decision(outcomes(wins / 36), MONEY, EQUITY, efficiency=0)
    assert decision.no_double == pytest.approx((2 * wins - 36) / 36)
    assert decision.double_take == pytest.approx(2 * decision.no_double)
    assert (decision.should_double, decision.should_take) == (doubles, takes)


def test_too_good_to_double():
    """Gammons count with the cube in the middle, so a likely one is worth more than the pass."""
    decision = decide(0.95, gammons=0.6)
    assert decision.is_too_good
    assert not decision.should_double
    assert not decision.should_take
    assert decision.value == decision.no_double > decision.double_pass == 1


def test_a_pass_costs_the_present_cube():
    for cube in (1, 2, 32):
        decision = decide(0.7, MatchState(cube=Cube(cube, "me")))
        assert decision.pass_points == cube
        assert decision.double_pass == 1


def test_single_games_are_counted_in_the_present_cube():
    one, four = (decide(0.7, MatchState(cube=Cube(cube, "me"))) for cube in (1, 4))
    assert four.no_double == pytest.approx(one.no_double, abs=2e-3)


def test_the_limit():
    """At 64 nobody doubles; a cube that would come to 64 is dead once it does, so a quarter is a take."""
    decision = decide(0.7, MatchState(cube=Cube(64, "me")))
    assert not decision.can_double
    assert not decision.should_double
    assert decision.no_double == pytest.approx(0.4)
    assert cash_point(outcomes(0.5), MatchState(cube=Cube(32, "me")), EQUITY) == pytest.approx(0.75)
    assert decide(0.7, MatchState(cube=Cube(32, "me"))).double_take == pytest.approx(0.8)


def test_who_may_double():
    assert decide(0.7, MatchState(cube=Cube(2, "me"))).can_double
    assert not decide(0.7, MatchState(cube=Cube(2, "opponent"))).can_double
    assert decide(0.7).can_double


# Matches, by hand


def test_double_match_point_has_no_cube():
    """The first game of a match to 1, too."""
    for state in (at(1, 1), MatchState(1)):
        decision = decide(0.8, state, gammons=0.4, gammons_lost=0.2)
        assert not decision.can_double
        assert not decision.should_double
        assert decision.no_double == pytest.approx(0.8)


def test_two_away_each_is_one_game_for_the_match_once_doubled():
    """A pass leaves 1-away against 2-away, the Crawford game: with 27 % gammons .6825, so .3175 is a take."""
    assert TABLE[1, 2] == pytest.approx(0.6825)
    for game in (outcomes(0.5), outcomes(0.5, 0.4, 0.1)):
        assert take_point(game, at(2, 2), EQUITY) == pytest.approx(0.3175)
        assert cash_point(game, at(2, 2), EQUITY) == pytest.approx(0.6825)
    decision = decide(0.6, at(2, 2), gammons=0.27, gammons_lost=0.27)
    assert decision.double_take == pytest.approx(0.6)
    assert decision.double_pass == pytest.approx(0.6825)


@pytest.mark.parametrize(("opp_away", "drop"), [(3, TABLE[2, 1]), (4, 0.5)])
def test_the_leader_two_away_is_redoubled_at_once(opp_away, drop):
    """A cube of 2 wins him the match but not the trailer, who turns it to 4 whatever his chances.

    What decides is who wins the game, wherever the leader would take that cube.
    """
    pass_value = TABLE[1, opp_away]
    assert cash_point(outcomes(0.5), at(2, opp_away), EQUITY) == pytest.approx(pass_value)
    for win in (drop + 0.01, 0.7, pass_value):
        assert decide(win, at(2, opp_away), gammons=0.3).double_take == pytest.approx(win)
    # The same cube seen by the trailer before his roll: not to turn it can only lose.
    decision = decide(0.3, at(opp_away, 2, 2, "me"), gammons_lost=0.3)
    assert decision.should_double
    assert decision.no_double < decision.double_take == pytest.approx(0.3)


def test_a_cube_that_already_wins_the_match_is_dead_for_its_owner():
    decision = decide(0.7, at(2, 5, 2, "me"))
    assert not decision.can_double
    lost = EQUITY.utility(at(2, 5, 2, "me")).values[3]
    assert decision.no_double == pytest.approx(0.7 + 0.3 * lost)
    assert not decide(0.7, at(3, 5, 4, "me")).can_double
    assert decide(0.7, at(3, 5, 2, "me")).can_double


def test_nobody_doubles_in_the_crawford_game():
    game = outcomes(0.6, 0.3)
    state = at(3, 1, is_crawford=True)
    decision = cube_decision(game, state, EQUITY)
    assert not decision.can_double
    assert not decision.should_double
    assert decision.no_double == pytest.approx(float(np.dot(game, EQUITY.utility(state).values)))
    assert cubeful_equity(game, state, EQUITY) == decision.no_double


@given(st.integers(2, 11), st.floats(0.02, 0.98), st.floats(0, 0.4), st.floats(0, 0.4))
def test_after_the_crawford_game_the_trailer_doubles(away, win, gammons, gammons_lost):
    """All is lost with the game in any case, so he doubles at once unless he is too good to."""
    decision = decide(win, at(away, 1), gammons=gammons, gammons_lost=gammons_lost)
    assert decision.should_double or decision.is_too_good
    leader = decide(1 - win, at(1, away), gammons=gammons_lost, gammons_lost=gammons)
    assert not leader.can_double


def test_the_free_drop():
    """Two points away after the Crawford game, a pass leaves double match point: an underdog passes."""
    assert cash_point(outcomes(0.5, 0.3), at(2, 1), EQUITY) == pytest.approx(0.5)
    assert not is_taken(outcomes(0.49), at(1, 2))
    assert is_taken(outcomes(0.51), at(1, 2))
    # Three points away it costs the leader .1825 of his .6825: he takes with much less.
    assert is_taken(outcomes(0.4, gammons_lost=0.27), at(1, 3))


def test_a_double_that_cannot_gain_is_still_answered():
    """The rules let the leader, a point away, double after the Crawford game; a pass would lose the match."""
    assert is_taken(outcomes(0.01), at(4, 1))


def test_gammons_lost_make_a_pass():
    """At four points away the doubled gammon loses the match."""
    state = at(4, 4)
    assert take_point(outcomes(0.5, 0, 0.5), state, EQUITY) > take_point(outcomes(0.5), state, EQUITY)
    assert is_taken(outcomes(0.28), state)
    assert not is_taken(outcomes(0.28, 0, 0.5), state)


# What always holds

RATES = st.tuples(st.floats(0, 1), st.floats(0, 0.7), st.floats(0, 0.7), st.floats(0, 0.2))
SCORES = st.tuples(st.integers(1, 11), st.integers(1, 11), st.sampled_from([1, 2, 4, 8, 16, 32, 64]))


@given(RATES, SCORES)
def test_match_values_are_chances_in_order(rates, score):
    """Mine is worth most in my hands, least in his, and never less than a cube that nobody turns."""
    game = outcomes(*rates)
    worth = {owner: cubeful_equity(game, at(*score, owner), EQUITY) for owner in ("me", "centred", "opponent")}
    dead = float(np.dot(game, EQUITY.utility(at(*score)).values))
    assert 0 <= worth["opponent"] <= worth["centred"] + 1e-9 <= worth["me"] + 2e-9 <= 1 + 2e-9
    assert worth["opponent"] - 1e-9 <= dead <= worth["me"] + 1e-9
    for owner in ("me", "centred", "opponent"):
        state = at(*score, owner)
        decision = cube_decision(game, state, EQUITY)
        for value in (decision.no_double, decision.double_take, decision.double_pass, decision.value):
            assert -1e-12 <= value <= 1 + 1e-12
        assert decision.double_pass == EQUITY.value_after(state, score[2])
        assert decision.value >= decision.no_double - 1e-9
        if owner == "me":
            assert decision.no_double >= dead - 1e-9


@given(RATES, st.one_of(st.none(), SCORES), st.sampled_from(["me", "centred", "opponent"]))
def test_what_one_side_gains_the_other_loses(rates, score, owner):
    game = outcomes(*rates)
    state = MatchState(cube=Cube(2, owner)) if score is None else at(*score, owner)
    both = cubeful_equity(game, state, EQUITY) + cubeful_equity(game[::-1], state.swap(), EQUITY)
    assert both == pytest.approx(0 if score is None else 1, abs=1e-9)
    if score is None:
        assert take_point(game, state, EQUITY) == pytest.approx(1 - cash_point(game[::-1], state, EQUITY), abs=1e-9)


@given(st.floats(0, 0.6), st.floats(0, 0.6), st.one_of(st.none(), SCORES), st.sampled_from(["me", "centred"]))
def test_values_rise_without_a_jump(gammons, gammons_lost, score, owner):
    state = MatchState(cube=Cube(2, owner)) if score is None else at(*score, owner)
    decisions = [decide(i / 100, state, gammons=gammons, gammons_lost=gammons_lost) for i in range(101)]
    for name in ("no_double", "double_take", "value"):
        values = np.array([getattr(decision, name) for decision in decisions])
        steps = np.diff(values)
        assert steps.min() >= -1e-12, name
        assert steps.max() <= 0.08 * max(1, values[-1] - values[0]), name


@given(RATES, SCORES)
def test_the_points_are_where_the_answer_changes(rates, score):
    """An answer is a take from the take point of the one who gives it, a pass from the doubler's cash point."""
    _, gammons, gammons_lost, backgammons = rates
    away, opp_away, cube = score
    state = at(away, opp_away, min(cube, 32), "opponent")
    chance = take_point(outcomes(0.5, gammons, gammons_lost, backgammons), state, EQUITY)
    for win, is_take in ((chance + 1e-6, True), (chance - 1e-6, False)):
        if 0 < win < 1:
            assert is_taken(outcomes(win, gammons, gammons_lost, backgammons), state) == is_take


@pytest.mark.parametrize("win", [0.0, 1.0])
def test_a_decided_game_is_worth_its_score(win):
    for state in (MONEY, at(4, 6), at(5, 3, 2, "me")):
        decision = decide(win, state)
        cube = 1 if state.length is None else state.cube.value
        assert decision.no_double == pytest.approx(EQUITY.value_after(state, cube if win else -cube))


# Beside an outside engine


@pytest.mark.peer
def test_decisions_are_open_sages() -> None:
    """Its decisions before a roll come from the same model with another match table and, where the opponent
    redoubles at once, another efficiency; after the Crawford game it doubles even when too good to."""
    pytest.importorskip("bgsage")
    import bgbot_cpp

    owners = {"centred": bgbot_cpp.CubeOwner.CENTERED, "me": bgbot_cpp.CubeOwner.PLAYER}
    rng = np.random.default_rng(1)
    compared = same_doubles = same_takes = 0
    while compared < 2000:
        win, gammons, gammons_lost, backgammons = rng.uniform((0.02, 0, 0, 0), (0.98, 0.5, 0.5, 0.1))
        game = outcomes(win, gammons, gammons_lost, backgammons)
        away, opp_away = (int(need) for need in rng.integers(2, 12, 2))
        cube, owner = [(1, "centred"), (2, "me"), (4, "me")][rng.integers(3)]
        decision = cube_decision(game, at(away, opp_away, cube, owner), EQUITY)
        if not decision.can_double:
            continue
        chances = [win, sum(game[:2]), game[0], sum(game[4:]), game[5]]
        theirs = bgbot_cpp.cube_decision_1ply(chances, cube, owners[owner], 0.68, away, opp_away, False, False)
        compared += 1
        same_doubles += decision.should_double == theirs.should_double
        same_takes += decision.should_take == theirs.should_take
    assert same_doubles > 0.97 * compared
    assert same_takes > 0.98 * compared


# What is refused


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ((0.5, 0.5), "2 numbers, expected one for each of 3, 2, 1, -1, -2, -3"),
        ((0.5, 0.5, 0.5, 0, 0, 0), "expected probabilities that add up to 1"),
        ((1.5, -0.5, 0, 0, 0, 0), "expected probabilities that add up to 1"),
        ((float("nan"),) * 6, "expected probabilities that add up to 1"),
    ],
)
def test_bad_outcomes_are_refused(game, message):
    with pytest.raises(RulesetError, match=message):
        cube_decision(game, MONEY, EQUITY)


def test_bad_states_are_refused():
    game = outcomes(0.5)
    tavla = match_equity(get_ruleset("north-sultan"), 3)
    with pytest.raises(RulesetError, match="cube: north-sultan has none"):
        cube_decision((0.1, 0.4, 0.4, 0.1), MatchState(3), tavla)
    with pytest.raises(RulesetError, match="match length 13: expected at most 11"):
        cube_decision(game, MatchState(13), EQUITY)
    with pytest.raises(RulesetError, match=r"cube efficiency 1.5: expected 0 to 1"):
        cube_decision(game, MONEY, EQUITY, efficiency=1.5)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (MatchState(cube=Cube(2, "opponent")), "may not double a cube of 2, opponent"),
        (MatchState(cube=Cube(64, "me")), "may not double a cube of 64, me"),
        (at(1, 3, is_crawford=True), "may not double in the Crawford game"),
    ],
)
def test_an_impossible_double_is_not_answered(state, message):
    with pytest.raises(RulesetError, match=message):
        respond_to_double(outcomes(0.5), state, EQUITY)
