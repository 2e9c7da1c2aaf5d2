"""The evaluator: plays, values and decisions."""

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cases import fault, faults_position
from checkpoints_fixture import write_checkpoint
from network_reference import possible

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.match import Cube, MatchState, Utility, match_equity
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import (
    Position,
    apply_steps,
    compile_rules,
    format_play,
    get_match_set,
    get_ruleset,
    hit_chance,
    legal_plays,
    ruleset_names,
)

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def checkpoint_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("evaluator") / "small")


# Plays


def test_without_a_network_plays_are_the_engines() -> None:
    position = Position.start(NORTH_SULTAN)
    plays = legal_plays(NORTH_SULTAN, position, (3, 1))
    boards, _, _ = engine.legal_plays(compile_rules(NORTH_SULTAN), position.board, 3, 1)
    assert [play.afterstate for play in plays] == [Position(board) for board in boards]
    assert all(apply_steps(position, play.steps, NORTH_SULTAN) == play.afterstate for play in plays)
    assert all(play.score is None for play in plays)
    assert "8/5 6/5" in [format_play(position, play.steps, NORTH_SULTAN) for play in plays]


def test_a_network_ranks_by_expected_points(checkpoint_path: Path) -> None:
    position = Position.start(NORTH_SULTAN)
    checkpoint = load_checkpoint(checkpoint_path)
    plays = Evaluator(checkpoint).rank_plays(position, (6, 6))
    boards = np.stack([play.afterstate.board for play in plays])
    inputs = np.tile(np.array(Utility.points(NORTH_SULTAN).inputs, np.float32), (len(plays), 1))
    outcomes = checkpoint.engine_network().evaluate(boards, inputs)
    equities = np.array([play.evaluation.equity for play in plays])
    np.testing.assert_allclose(np.array([play.evaluation.outcomes for play in plays]), outcomes, atol=1e-6)
    np.testing.assert_allclose(equities, outcomes @ np.array([2, 1, -1, -2]), atol=1e-6)
    assert (np.diff(equities) <= 0).all()
    assert len(np.unique(equities)) > 5


@pytest.mark.parametrize(("opp", "opp_off", "score"), [({6: 15}, 0, 2), ({6: 14}, 1, 1)], ids=["mars", "single"])
def test_a_finished_game_is_worth_its_score(
    checkpoint_path: Path, opp: dict[int, int], opp_off: int, score: int
) -> None:
    # 2-1 bears both checkers off.
    position = Position.from_sides({2: 1, 1: 1}, opp, off=(13, opp_off))
    plays = Evaluator(load_checkpoint(checkpoint_path)).rank_plays(position, (2, 1))
    finished = [play for play in plays if play.afterstate.is_over(NORTH_SULTAN)]
    assert [play.evaluation.equity for play in finished] == [play.score for play in finished] == [score]
    assert finished[0].evaluation.outcomes == tuple(float(s == score) for s in NORTH_SULTAN.scores)
    assert plays[0] is finished[0]


def test_a_finished_position_has_no_plays() -> None:
    over = Position.from_sides({}, {6: 15})
    with pytest.raises(RulesetError, match="over"):
        legal_plays(NORTH_SULTAN, over, (2, 1))


@pytest.mark.parametrize("name", ruleset_names())
def test_every_game_is_ranked(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    checkpoint = load_checkpoint(write_checkpoint(tmp_path / "net", name, num_scores=len(ruleset.scores)))
    evaluator = Evaluator(checkpoint, options=EvaluatorOptions(use_tables=False))
    rules = compile_rules(ruleset)
    boards, dice = engine.random_walk(rules, 1, 0, 2)
    for board, roll in list(zip(boards, dice.tolist(), strict=True))[::7]:
        position = Position(board)
        plays = evaluator.rank_plays(position, tuple(roll))
        assert {play.afterstate for play in plays} == {
            play.afterstate for play in legal_plays(ruleset, position, tuple(roll))
        }
        equities = [play.evaluation.equity for play in plays]
        assert equities == sorted(equities, reverse=True)
        after = np.stack([play.afterstate.board for play in plays])
        inputs = np.tile(np.array(Utility.points(ruleset).inputs, np.float32), (len(plays), 1))
        outcomes = possible(ruleset, after, checkpoint.engine_network().evaluate(after, inputs))
        for play, row in zip(plays, outcomes, strict=True):
            assert play.score == play.afterstate.score(ruleset)
            if play.score is None:
                np.testing.assert_allclose(play.evaluation.outcomes, row, atol=1e-5)
                assert play.evaluation.equity == pytest.approx(row @ np.array(ruleset.scores), abs=1e-4)
            else:
                assert play.evaluation.equity == play.score


@pytest.mark.parametrize("name", ruleset_names())
def test_each_roll_is_worth_its_best_play(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    path = write_checkpoint(tmp_path / "net", name, num_scores=len(ruleset.scores))
    evaluator = Evaluator(load_checkpoint(path), options=EvaluatorOptions(use_tables=False))
    position = Position.start(ruleset)
    values = evaluator.roll_values(position)
    assert len(values) == 21
    for dice, value in values.items():
        assert dice[0] >= dice[1]
        assert value == evaluator.rank_plays(position, dice)[0].evaluation.value


def test_gul_bara_counts_the_roll_and_plays_its_first_stage() -> None:
    ruleset = get_ruleset("gul-bara")
    for rolls, counted in ((0, 1), (2, 3), (3, 3)):
        position = Position.from_text(f"24:15{f' rolls:{rolls}' if rolls else ''} / 24:15 rolls:2", ruleset)
        plays = legal_plays(ruleset, position, (2, 2))
        assert all(play.afterstate.board[:, 26].tolist() == [counted, 2] for play in plays)
        # Eight pips, even where higher doubles would follow.
        assert {play.afterstate.pip_counts()[0] for play in plays} == {352}


# Stakes: a network that answers the same whatever it is shown


FIXED = (0.2, 0.35, 0.3, 0.15)


@pytest.fixture(scope="module")
def indifferent(tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """Every position is worth `FIXED` to the side that has just moved."""
    path = write_checkpoint(tmp_path_factory.mktemp("fixed") / "net", "portes", outcomes=FIXED)
    return Evaluator(load_checkpoint(path), options=EvaluatorOptions(use_tables=False))


def test_the_value_of_a_single_game_is_its_points(indifferent: Evaluator) -> None:
    start = Position.start(indifferent.ruleset)
    found = indifferent.evaluate_afterstate(start)
    np.testing.assert_allclose(found.outcomes, FIXED, atol=1e-6)
    assert found.value == found.equity == pytest.approx(0.4 + 0.35 - 0.3 - 0.3, abs=1e-6)
    assert (found.win, found.mars, found.mars_lost) == pytest.approx((0.55, 0.2, 0.15), abs=1e-6)
    # Before the dice it is the other side that has just moved.
    on_roll = indifferent.evaluate(start)
    np.testing.assert_allclose(on_roll.outcomes, FIXED[::-1], atol=1e-6)
    assert on_roll.value == pytest.approx(-found.value, abs=1e-6)


@pytest.mark.parametrize("score", [(0, 0), (2, 1), (1, 2), (2, 2)])
def test_the_value_in_a_match_is_the_chance_of_winning_it(indifferent: Evaluator, score: tuple[int, int]) -> None:
    state = MatchState(3, score)
    equity = match_equity(indifferent.ruleset, 3)
    found = indifferent.evaluate_afterstate(Position.start(indifferent.ruleset), state)
    expected = sum(
        share * equity.value_after(state, points) for share, points in zip(FIXED, (2, 1, -1, -2), strict=True)
    )
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert found.equity == pytest.approx(0.15, abs=1e-6)
    theirs = indifferent.evaluate(Position.start(indifferent.ruleset), state.swap())
    assert theirs.value == pytest.approx(1 - expected, abs=1e-6)


def test_a_set_says_which_game_is_played(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "net", "fevga")
    greek = get_match_set("zar-greek")
    evaluator = Evaluator(load_checkpoint(path), options=EvaluatorOptions(match_set=greek))
    start = Position.start(evaluator.ruleset)
    assert 0 < evaluator.evaluate(start, MatchState(5, (1, 3), game=2)).value < 1
    with pytest.raises(RulesetError, match="game 1 of the set: plakoto-greek is played, not fevga"):
        evaluator.evaluate(start, MatchState(5, (1, 3), game=1))
    with pytest.raises(RulesetError, match="zar-turkish: does not play fevga"):
        Evaluator(load_checkpoint(path), options=EvaluatorOptions(match_set=get_match_set("zar-turkish")))


def test_the_cards_shares_decide_the_match(tmp_path: Path) -> None:
    shares = (0.05, 0.5, 0.4, 0.05)
    path = write_checkpoint(tmp_path / "net", "portes", score_shares=shares)
    evaluator = Evaluator(load_checkpoint(path))
    state = MatchState(5, (1, 2))
    assert evaluator.utility(state) == match_equity(evaluator.ruleset, 5, {"portes": shares}).utility(state)
    assert evaluator.utility(state) != match_equity(evaluator.ruleset, 5).utility(state)


def test_impossible_requests_name_what_is_wrong(indifferent: Evaluator) -> None:
    start = Position.start(indifferent.ruleset)
    with pytest.raises(RulesetError, match="ply 7: expected 0 to 4"):
        indifferent.evaluate(start, ply=7)
    with pytest.raises(RulesetError, match=r"time -1\.0 ms: expected more than 0"):
        indifferent.evaluate(start, time_ms=-1.0)
    with pytest.raises(RulesetError, match="cube"):
        indifferent.evaluate(start, MatchState(cube=Cube(2, "me")))
    with pytest.raises(RulesetError, match="cube: portes has none"):
        indifferent.should_double(start)
    with pytest.raises(RulesetError, match="die 7: expected 1 to 6"):
        indifferent.rank_plays(start, (7, 1))


# The handed cases, with the shipped network


@pytest.fixture(scope="module")
def shipped() -> Evaluator:
    return Evaluator(load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla"), get_ruleset("oyna-tavla"))


def test_fault_two_checker_bear_off_is_exact(shipped: Evaluator) -> None:
    case = fault("ev01")
    plays = shipped.rank_plays(faults_position(case["board"]), tuple(case["dice"]))
    assert plays[0].afterstate == faults_position(case["expectation"]["best_final"])
    assert plays[0].evaluation.value == pytest.approx(-13 / 108, abs=1e-7)
    wins = {
        tuple(sorted((int(point), count) for point, count in json.loads(me).items())): float(Fraction(chance))
        for me, chance in case["expectation"]["win_probability_by_final_me"].items()
    }
    for play in plays:
        me = tuple(
            (point, int(play.afterstate.board[0, point])) for point in range(1, 25) if play.afterstate.board[0, point]
        )
        assert play.evaluation.win == pytest.approx(wins.pop(me), abs=1e-7)
        # The other side sees the same.
        other = shipped.evaluate(play.afterstate.swap())
        assert other.win == pytest.approx(1 - play.evaluation.win, abs=1e-7)
    assert not wins


def test_fault_a_sure_mars_is_two_points(shipped: Evaluator) -> None:
    position = faults_position(fault("ev03")["board"])
    found = shipped.evaluate(position)
    assert (found.win, found.mars, found.value) == (1.0, 1.0, 2.0)
    assert shipped.evaluate_afterstate(position.swap()).value == -2.0


def test_fault_the_mars_is_saved(shipped: Evaluator) -> None:
    case = fault("ev04")
    position, dice = faults_position(case["board"]), tuple(case["dice"])
    plays = {play.afterstate: play.evaluation.value for play in shipped.rank_plays(position, dice)}
    best = shipped.choose_play(position, dice).afterstate
    assert best in [faults_position(final) for final in case["expectation"]["acceptable_finals"]]
    for final in case["expectation"]["acceptable_finals"]:
        assert plays[faults_position(final)] == -1.0
    for final in case["expectation"]["wrong_finals"]:
        assert plays[faults_position(final)] == -2.0
    # Before the roll is played two points are not conceded: a checker may still come off.
    assert not shipped.should_concede(position)
    assert not shipped.should_concede(position, dice=dice)
    # Where the opponent needs a point, a mars costs no more than a single game.
    assert shipped.should_concede(position, MatchState(5, (2, 4)), dice=dice)
    assert shipped.should_concede(position, MatchState(5, (2, 4)), dice=dice, kind="match")
    assert not shipped.should_concede(position, MatchState(5, (2, 3)), dice=dice, kind="match")


def test_fault_no_pips_are_wasted_in_the_bear_off(shipped: Evaluator) -> None:
    case = fault("ev06")
    assert shipped.tables is not None
    position, dice = faults_position(case["board"]), tuple(case["dice"])
    rolls = sorted(
        shipped.tables.expected_rolls(play.afterstate.board[0]) for play in legal_plays(NORTH_SULTAN, position, dice)
    )
    expect = case["expectation"]
    assert rolls[0] == pytest.approx(expect["expected_rolls_best"], abs=1e-5)
    assert rolls[1] == pytest.approx(expect["expected_rolls_second"], abs=1e-5)
    assert rolls[-1] == pytest.approx(expect["expected_rolls_worst"], abs=1e-5)
    for match in (MatchState(), MatchState(5, (1, 4))):
        assert shipped.choose_play(position, dice, match).afterstate == faults_position(expect["best_final"])


def test_fault_one_checker_each_in_contact(shipped: Evaluator) -> None:
    """The tables know it; a trained net alone is near, and its rollouts at 1-ply agree within their own error."""
    case = fault("ev08")
    position, exact = faults_position(case["board"]), case["expectation"]["mover_equity_tavla"]
    alone = Evaluator(shipped.checkpoint, shipped.ruleset, EvaluatorOptions(use_tables=False))
    for ply in (0, 1, 2):
        assert shipped.evaluate(position, ply=ply).value == pytest.approx(exact, abs=1e-6)
        assert alone.evaluate(position, ply=ply).value == pytest.approx(exact, abs=0.1)
    utility = alone.utility(MatchState()).opponent()
    trials = alone.trials(
        position.swap(), utility, ply=1, truncate=0, adjusts_luck=True, seed=3, first_trial=0, num_trials=3600
    )
    values = -trials @ np.array(utility.values)
    assert abs(values.mean() - exact) < 3 * values.std(ddof=1) / 60


def test_fault_three_shots_are_seen(shipped: Evaluator) -> None:
    case = fault("lv01")
    position, dice = faults_position(case["board"]), tuple(case["dice"])
    unnatural = faults_position(case["expectation"]["unnatural_final"])
    assert len(legal_plays(NORTH_SULTAN, position, dice)) == case["expectation"]["distinct_final_positions"]
    for ply in (0, 1):
        assert shipped.choose_play(position, dice, ply=ply).afterstate != unnatural
    assert shipped.choose_play(position, dice, ply=2).afterstate == faults_position(
        case["expectation"]["reference_best_final"]
    )


# Search


def test_look_ahead_is_the_same_on_more_threads(shipped: Evaluator, checkpoint_path: Path) -> None:
    checkpoint = load_checkpoint(checkpoint_path)
    one, two = Evaluator(checkpoint), Evaluator(checkpoint, options=EvaluatorOptions(threads=2))
    start = Position.start(NORTH_SULTAN)
    state = MatchState(3, (1, 2))
    assert one.rank_plays(start, (3, 1), state, ply=2) == two.rank_plays(start, (3, 1), state, ply=2)
    assert one.evaluate(start, state, ply=2) == two.evaluate(start, state, ply=2)


def test_a_clock_deepens_until_it_runs_out(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = shipped.rank_plays(start, (3, 1), time_ms=2000.0)
    assert plays[0].evaluation.ply >= 2
    assert shipped.rank_plays(start, (3, 1), time_ms=1000.0, ply=1)[0].evaluation.ply == 1
    # What no time is left for is answered all the same.
    assert len(shipped.rank_plays(start, (1, 1), time_ms=1e-6)) == 42
    assert shipped.rank_plays(start, (1, 1), time_ms=1e-6)[0].evaluation.ply == 0


def test_plays_that_were_looked_at_come_first(shipped: Evaluator) -> None:
    plays = shipped.rank_plays(Position.start(NORTH_SULTAN), (3, 1), ply=2)
    plies = [play.evaluation.ply for play in plays]
    assert plies == sorted(plies, reverse=True)
    assert set(plies) == {0, 1, 2}
    assert plays[0].loss == 0
    assert format_play(Position.start(NORTH_SULTAN), plays[0].steps, NORTH_SULTAN) == "8/5 6/5"


# Plays of a server


def test_a_forced_play_is_known(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    assert shipped.forced_play(start, (3, 1)) is None
    shut = Position.from_sides({6: 14}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 3}, bar=(1, 0))
    forced = shipped.forced_play(shut, (3, 1))
    assert forced is not None
    assert (forced.steps, forced.afterstate) == ((), shut)
    assert shipped.choose_play(shut, (3, 1)) == forced


@pytest.mark.parametrize(("distance", "rolls"), [(1, 11), (2, 12), (3, 14), (6, 17), (7, 6), (8, 6), (11, 2), (12, 3)])
def test_hit_chances_are_those_of_the_books(distance: int, rolls: int) -> None:
    # My blot on 20 faces his checker that far away; everything else is past everything.
    his = 5 + distance
    after = Position.from_sides({20: 1, 1: 14}, {his: 1}, off=(0, 14))
    assert hit_chance(NORTH_SULTAN, after) == pytest.approx(rolls / 36)


def test_games_without_hits_have_no_hit_chance() -> None:
    fevga, plakoto = get_ruleset("fevga"), get_ruleset("plakoto")
    assert hit_chance(fevga, Position.start(fevga)) is None
    pinned = Position.from_text("24:14 10:1 / 24:14 4:1", plakoto)
    assert 0 < (hit_chance(plakoto, pinned) or 0) < 1


# Concessions


def test_a_concession_is_taken_when_it_is_worth_it(shipped: Evaluator) -> None:
    won = Position.from_sides({1: 2}, {6: 15}, off=(13, 0))
    assert not shipped.accept_concession(won, 1, is_on_roll=True)
    assert shipped.accept_concession(won, 2, is_on_roll=True)
    # At a point from the match any win will do.
    assert shipped.accept_concession(won, 1, MatchState(5, (4, 0)), is_on_roll=True)
    assert shipped.accept_concession(won, "match", MatchState(5, (0, 0)), is_on_roll=True)
    assert shipped.accept_concession(Position.start(NORTH_SULTAN), 1)
    with pytest.raises(RulesetError, match="concession of 3 points: expected 1, 2, or the match"):
        shipped.accept_concession(won, 3)
    with pytest.raises(RulesetError, match="this is a single game"):
        shipped.accept_concession(won, "match")


@pytest.mark.parametrize("is_on_roll", [True, False])
def test_what_cannot_be_won_any_more_is_not_waited_for(shipped: Evaluator, is_on_roll: bool) -> None:
    """The opponent has borne off a checker, so a point is all there is to win."""
    for board, _ in zip(*engine.random_walk(compile_rules(NORTH_SULTAN), 5, 0, 20), strict=True):
        position = Position(board)
        if board[1, 0] > 0 and board[0, 0] < 15:
            assert shipped.accept_concession(position, 1, is_on_roll=is_on_roll, ply=0)
            assert shipped.evaluate(position).mars == 0
        if board[0, 0] > 0 and board[1, 0] < 15:
            assert shipped.evaluate(position).mars_lost == 0


def test_a_race_is_no_backgammon_once_nobody_is_left_behind(tmp_path: Path) -> None:
    evaluator = Evaluator(load_checkpoint(write_checkpoint(tmp_path / "net", "oyna-backgammon", num_scores=6)))
    race = Position.from_sides({10: 1, 3: 2}, {1: 12, 12: 3}, off=(12, 0))
    for ply in (0, 1):
        for outcomes in (
            evaluator.evaluate(race, ply=ply).outcomes,
            evaluator.evaluate_afterstate(race, ply=ply).outcomes,
        ):
            # My checkers are off, so I lose one point at most; his mars costs him two.
            assert (outcomes[0], outcomes[4], outcomes[5]) == (0, 0, 0)
            assert outcomes[1] > 0
    behind = Position.from_sides({10: 1, 3: 2}, {1: 12, 12: 2, 19: 1}, off=(12, 0))
    assert evaluator.evaluate(behind).outcomes[0] > 0


def test_a_copy_answers_the_same(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    copy = pickle.loads(pickle.dumps(shipped))
    assert copy.rank_plays(start, (3, 1), MatchState(3, (1, 2)), ply=1) == shipped.rank_plays(
        start, (3, 1), MatchState(3, (1, 2)), ply=1
    )


def test_another_number_of_threads_changes_no_other_option(checkpoint_path: Path) -> None:
    options = EvaluatorOptions(shares={"north-sultan": (0.1, 0.4, 0.4, 0.1)}, use_tables=False, cache_entries=100)
    evaluator = Evaluator(load_checkpoint(checkpoint_path), options=options)
    threaded = evaluator.with_threads(3)
    assert (threaded.options, threaded.tables) == (replace(options, threads=3), None)
    assert threaded.checkpoint == evaluator.checkpoint
    assert threaded.match_equity(5).mwc(MatchState(5, (1, 3))) == evaluator.match_equity(5).mwc(MatchState(5, (1, 3)))
    with pytest.raises(RulesetError, match="threads 0: expected 1 to"):
        evaluator.with_threads(0)


def test_numbers_out_of_range_are_refused(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    with pytest.raises(RulesetError, match="threads 0: expected 1 to"):
        EvaluatorOptions(threads=0)
    with pytest.raises(RulesetError, match="cache of -1 entries"):
        EvaluatorOptions(cache_entries=-1)
    with pytest.raises(RulesetError, match=r"dice \(3,\): expected two"):
        shipped.rank_plays(start, (3,))  # type: ignore[arg-type]
    with pytest.raises(RulesetError, match="die 'a': expected a whole number"):
        shipped.rank_plays(start, ("a", 1))  # type: ignore[arg-type]


def test_a_house_without_concessions_has_none(checkpoint_path: Path) -> None:
    evaluator = Evaluator(load_checkpoint(checkpoint_path))
    with pytest.raises(RulesetError, match="north-sultan has none"):
        evaluator.should_concede(Position.start(NORTH_SULTAN))


# The cube


def test_the_cube_is_turned_on_the_last_roll(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "net", "oyna-backgammon", num_scores=6)
    evaluator = Evaluator(load_checkpoint(path))
    # Two checkers that 26 of 36 rolls bear off, against one that comes off next turn.
    position = Position.from_sides({3: 1, 2: 1}, {1: 1}, off=(13, 14))
    decision = evaluator.cube_decision(position)
    assert evaluator.evaluate(position).win == pytest.approx(25 / 36)
    assert evaluator.should_double(position)
    assert evaluator.respond_to_double(position)
    assert decision.double_pass == 1
    # The last roll of a match that the opponent wins anyway if it fails.
    assert evaluator.should_double(position, MatchState(3, (1, 2)))
    assert not evaluator.should_double(position, MatchState(3, (1, 2), is_crawford=True))
    assert not evaluator.should_double(position, MatchState(cube=Cube(2, "opponent")))
    assert not evaluator.should_double(position, MatchState(cube=Cube(64, "me")))
    for match in (MatchState(3, (1, 2), is_crawford=True), MatchState(cube=Cube(2, "opponent"))):
        with pytest.raises(RulesetError, match="the side on roll may not double"):
            evaluator.respond_to_double(position, match)


def exact_cube(evaluator: Evaluator, position: Position, owner: str) -> tuple[float, float]:
    """Money values of rolling and of doubling with a take, by recursion over all rolls, plays and cube actions."""

    @cache
    def value(board: Position, owner: str) -> float:
        rolled = roll(board, owner)
        if owner == "opponent":
            return rolled
        return max(rolled, min(1.0, 2 * roll(board, "opponent")))

    @cache
    def roll(board: Position, owner: str) -> float:
        theirs = {"me": "opponent", "opponent": "me", "centred": "centred"}[owner]
        total = 0.0
        for first in range(1, 7):
            for second in range(1, first + 1):
                best = max(
                    -value(play.afterstate.swap(), theirs) if play.score is None else play.score
                    for play in legal_plays(evaluator.ruleset, board, (first, second))
                )
                total += (1 if first == second else 2) * best
        return total / 36

    return roll(position, owner), 2 * roll(position, "opponent")


@pytest.mark.parametrize(
    ("me", "opponent"), [({5: 1, 1: 1}, {1: 1}), ({5: 1, 2: 1}, {1: 1}), ({4: 1, 3: 1}, {5: 1, 1: 1}), ({6: 1}, {2: 1})]
)
@pytest.mark.parametrize("owner", ["centred", "me"])
def test_the_cube_in_a_short_bear_off(tmp_path: Path, me: dict[int, int], opponent: dict[int, int], owner: str) -> None:
    path = write_checkpoint(tmp_path / "net", "oyna-backgammon", num_scores=6)
    evaluator = Evaluator(load_checkpoint(path))
    position = Position.from_sides(me, opponent)
    cube = Cube() if owner == "centred" else Cube(2, "me")
    no_double, double_take = exact_cube(evaluator, position, owner)
    decision = evaluator.cube_decision(position, MatchState(cube=cube))
    assert decision.no_double == pytest.approx(no_double, abs=1e-9)
    assert decision.double_take == pytest.approx(double_take, abs=1e-9)
    assert decision.should_double == (min(1.0, double_take) > no_double)
