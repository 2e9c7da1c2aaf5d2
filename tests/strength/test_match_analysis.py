"""Match analysis: losses and luck against hand computations, exact tables and the engine's own look-ahead."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint
from evaluator_fake import EvaluatorFake
from hypothesis import given, settings
from hypothesis import strategies as st

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.formats import Game, Match, Turn, read_mat
from tavla_ai.match import Cube, MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import Position, Ruleset, get_ruleset, legal_plays
from tavla_ai.strength import GRADES, AnalyzedCube, AnalyzedPlay, GameAnalysis, MatchAnalysis, analyze_match

ROOT = Path(__file__).parents[2]
MATCHES = ROOT / "tests" / "data" / "matches"
FILES = {path.stem: path.read_text() for path in sorted(MATCHES.glob("*.mat"))}
TAVLA = get_ruleset("north-sultan")
BACKGAMMON = get_ruleset("oyna-backgammon")
NAMES = ("Ada", "Bob")
# For tests that hold for any values.
RACER = EvaluatorFake(TAVLA)


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """A small network, with the bear-off tables."""
    return Evaluator(load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("analysis") / "small")))


@pytest.fixture(scope="module")
def bare(evaluator: Evaluator) -> Evaluator:
    """The same network without tables."""
    return Evaluator(evaluator.checkpoint, options=EvaluatorOptions(use_tables=False))


@pytest.fixture(scope="module")
def shipped() -> Evaluator:
    return Evaluator(load_checkpoint(ROOT / "checkpoints" / "tavla"))


@pytest.fixture(scope="module")
def with_cube() -> Evaluator:
    return Evaluator(load_checkpoint(ROOT / "checkpoints" / "backgammon"))


def random_game(
    seed: int, start: Position | None = None, ruleset: Ruleset = TAVLA, number: int = 1, score: tuple[int, int] = (0, 0)
) -> Game:
    """Return a game of random plays, player 0 on roll first."""
    rng = np.random.default_rng(seed)
    before, turns, player = start or Position.start(ruleset), [], 0
    while True:
        first, second = rng.integers(1, 7, 2).tolist()
        if not turns and start is None and first == second:
            continue
        plays = legal_plays(ruleset, before, (first, second))
        play = plays[int(rng.integers(len(plays)))]
        turns.append(Turn(player, "play", (first, second), play.steps, before=before))
        if play.score is not None:
            return Game(number, score, tuple(turns), player, play.score)
        before, player = play.afterstate.swap(), 1 - player


def one_game(*turns: Turn, winner: int | None = None, points: int | None = None, length: int | None = None) -> Match:
    score = (0, 0) if length is None else (length - 1, length - 1)
    return Match(length, NAMES, (Game(1, score, turns, winner, points),))


def seen(game: GameAnalysis, play: AnalyzedPlay, value: float) -> float:
    """Return a player's value as player 0 sees it."""
    return value if play.player == 0 else game.total - value


@given(seed=st.integers(0, 10_000), length=st.sampled_from([None, 1, 5]))
@settings(max_examples=8, deadline=None)
def test_luck_and_loss_lead_from_before_the_roll_to_after_the_play(seed: int, length: int | None) -> None:
    analysis = analyze_match(Match(length, NAMES, (random_game(seed),)), RACER)
    (game,) = analysis.games
    for play in game.plays:
        assert play.played is not None
        assert play.value_before + play.luck - play.loss == pytest.approx(play.played.evaluation.value, abs=1e-6)
        assert play.loss == pytest.approx(play.best.evaluation.value - play.played.evaluation.value, abs=1e-6)
        assert play.loss >= 0
        assert play.loss_points == pytest.approx(play.loss / play.point)
    # Values that are not exact change from turn to turn; with these changes counted, everything adds up.
    plays = game.plays
    drift = sum(
        seen(game, after, after.value_before) - seen(game, play, play.played.evaluation.value)
        for play, after in pairwise(plays)
        if play.played is not None
    )
    signs = [1 if play.player == 0 else -1 for play in plays]
    moved = sum(sign * (play.luck - play.loss) for sign, play in zip(signs, plays, strict=True))
    assert game.result is not None
    assert seen(game, plays[0], plays[0].value_before) + moved + drift == pytest.approx(game.result, abs=1e-5)
    # Nothing depends on the side from which it is seen.
    adjusted = [game.luck_adjusted(player) for player in (0, 1)]
    assert None not in adjusted
    assert sum(filter(None, adjusted)) == pytest.approx(game.total)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_where_the_tables_are_exact_nothing_is_left_over(evaluator: Evaluator, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sides = [np.bincount(rng.integers(1, 7, 8), minlength=7) for _ in range(2)]
    points = [{point: int(side[point]) for point in range(1, 7) if side[point]} for side in sides]
    match = Match(None, NAMES, (random_game(seed, Position.from_sides(*points)),))
    analysis = analyze_match(match, evaluator)
    (game,) = analysis.games
    start = game.plays[0].value_before
    ours, theirs = game.summary(0), game.summary(1)
    assert game.result == pytest.approx(start + ours.luck - theirs.luck - ours.loss + theirs.loss, abs=1e-4)
    assert analysis.luck_adjusted(0) == pytest.approx(start - ours.loss + theirs.loss, abs=1e-4)


def test_the_mean_over_the_rolls_is_the_engines_look_ahead(bare: Evaluator) -> None:
    analysis = analyze_match(Match(5, NAMES, (random_game(3),)), bare)
    first, *others = analysis.games[0].plays
    for play in others:
        value = bare.evaluate(play.before, play.match, ply=1).value
        assert play.value_before == pytest.approx(value, abs=1e-5)
    # The dice that decide who starts are not the same.
    values = bare.roll_values(first.before, first.match)
    mean = np.mean([value for (larger, smaller), value in values.items() if larger != smaller])
    assert first.value_before == pytest.approx(mean)
    assert first.value_before != pytest.approx(bare.evaluate(first.before, first.match, ply=1).value, abs=1e-5)


# Bob bears off with any next roll. Ada does with 6-5 and with 3-3, 4-4, 5-5, 6-6, which is 6 of 36 rolls.
LAST_ROLL = Position.from_sides({6: 1, 5: 1}, {1: 1}, off=(13, 14))
BEFORE = 6 / 36 - 30 / 36


@pytest.mark.parametrize("length", [None, 3], ids=["points", "double match point"])
def test_a_last_roll_by_hand(evaluator: Evaluator, length: int | None) -> None:
    def value(points: float) -> float:
        return points if length is None else (points + 1) / 2

    good = Turn(0, "play", (6, 5), ((6, 0), (5, 0)), before=LAST_ROLL)
    (play,) = analyze_match(one_game(good, winner=0, points=1, length=length), evaluator).games[0].plays
    assert (play.loss, play.grade, play.is_counted, play.rank) == (0, None, True, 1)
    assert play.point == pytest.approx(value(1) - value(0))
    # It is the first roll, so it cannot be a double.
    before = 2 / 30 - 28 / 30
    assert play.value_before == pytest.approx(value(before), abs=1e-6)
    assert play.luck_points == pytest.approx(1 - before, abs=1e-6)
    # The five played first, and the six from the five point, leaves a checker behind.
    bad = Turn(0, "play", (5, 6), ((6, 1), (5, 0)), before=LAST_ROLL)
    end = Turn(1, "play", (2, 1), ((1, 0),), before=Position.from_sides({1: 1}, {1: 1}, off=(14, 14)))
    analysis = analyze_match(one_game(bad, end, winner=1, points=1, length=length), evaluator)
    play, last = analysis.games[0].plays
    assert play.loss_points == pytest.approx(2)
    assert play.loss == pytest.approx(2 if length is None else 1)
    assert (play.grade, play.best.steps, play.played and play.played.steps) == ("blunder", good.play, bad.play)
    assert (last.is_counted, last.luck, last.loss) == (False, 0, 0)
    ada, bob = analysis.summary(0), analysis.summary(1)
    assert (ada.decisions, ada.blunders, bob.decisions, bob.error_rate) == (1, 1, 0, 0)
    assert ada.error_rate == pytest.approx(2000)
    assert analysis.result_of(0) == pytest.approx(value(-1))
    assert analysis.luck_adjusted(0) == pytest.approx(value(-1) - play.luck)
    assert analysis.worst() == (play,)


def test_later_rolls_may_be_doubles(evaluator: Evaluator) -> None:
    first = Turn(1, "play", (2, 1), (), before=LAST_ROLL.swap())
    later = Turn(0, "play", (2, 1), ((6, 4), (5, 4)), before=LAST_ROLL)
    analysis = analyze_match(one_game(first, later), evaluator)
    play = analysis.games[0].plays[-1]
    assert play.value_before == pytest.approx(BEFORE, abs=1e-6)
    assert play.luck == pytest.approx(-1 - BEFORE, abs=1e-6)
    assert play.loss == pytest.approx(0, abs=1e-6)
    assert (analysis.result_of(0), analysis.luck_adjusted(0)) == (None, None)


@pytest.mark.parametrize(("loss", "grade"), [(0.039, None), (0.04, "doubtful"), (0.08, "error"), (0.16, "blunder")])
def test_grades(shipped: Evaluator, loss: float, grade: str | None) -> None:
    play = analyze_match(read_mat(FILES["resigned-3"], TAVLA), shipped).games[0].plays[0]
    assert replace(play, loss_points=loss).grade == grade
    assert list(GRADES.values()) == sorted(GRADES.values())


def test_good_players_lose_little_and_random_ones_much(shipped: Evaluator) -> None:
    analysis = analyze_match(read_mat(FILES["cubeless-7"], TAVLA), shipped)
    rates = [analysis.summary(player).error_rate for player in (0, 1)]
    assert all(3 < rate < 20 for rate in rates)
    assert analysis.result_of(0) == 0
    assert analysis.luck_adjusted(0) == pytest.approx(0.45, abs=0.1)
    assert len(analysis.games) == 10
    for player in (0, 1):
        whole = analysis.summary(player)
        assert whole.loss == pytest.approx(sum(game.summary(player).loss for game in analysis.games))
        phases = [analysis.phase_summary(player, phase) for phase in ("opening", "contact", "race", "bear-off")]
        assert sum(phase.decisions for phase in phases) == whole.decisions
        assert phases[0].rolls == 20
    random = analyze_match(Match(None, NAMES, (random_game(1),)), shipped)
    assert all(random.summary(player).error_rate > 150 for player in (0, 1))


def test_turns_are_counted() -> None:
    match = read_mat(FILES["resigned-3"], TAVLA)
    counts: list[int] = []
    analyze_match(match, RACER, progress=counts.append)
    assert sum(counts) == sum(len(game.turns) for game in match.games)


def test_a_deeper_look_values_the_play_made_as_deeply(evaluator: Evaluator) -> None:
    match = Match(None, NAMES, (random_game(5),))
    plays = analyze_match(match, evaluator, ply=1).games[0].plays
    shallow = analyze_match(match, evaluator).games[0].plays
    for play, before in zip(plays, shallow, strict=True):
        assert play.played is not None
        assert play.played.evaluation.ply >= play.best.evaluation.ply or play.played.score is not None
        assert play.luck == before.luck
        assert play.loss >= 0
    assert any(play.loss != before.loss for play, before in zip(plays, shallow, strict=True))
    with pytest.raises(RulesetError, match="ply 9"):
        analyze_match(match, evaluator, ply=9)


def test_what_cannot_be_judged_is_named() -> None:
    start = Position.start(TAVLA)
    turns = (
        Turn(0, "play", (3, 1), ((8, 5), (8, 5)), before=start),
        Turn(1, "play", (3, 1), ((8, 5), (6, 5))),
        Turn(0, "play", (6, 5), None, before=start),
    )
    analysis = analyze_match(one_game(*turns), RACER)
    assert analysis.problems == (
        "game 1, turn 1: the play is not legal",
        "game 1, turn 2: the board before it is not known",
    )
    first, last = analysis.games[0].plays
    assert (first.played, first.loss, first.is_counted) == (None, 0, False)
    assert (last.played, last.turn, last.move) == (None, 3, 2)
    text = FILES["cubeless-7"].replace("41: 13/9 24/23", "41: 13/9 13/9", 1)
    lenient = analyze_match(read_mat(text, TAVLA, strict=False), RACER)
    assert "line 7" in lenient.problems[0]
    assert len(lenient.games) == 10


def test_a_match_of_another_kind_is_refused() -> None:
    with pytest.raises(RulesetError, match="match length 50"):
        analyze_match(Match(50, NAMES, (random_game(1),)), RACER)
    with_impossible_score = Match(5, NAMES, (random_game(1), Game(2, (5, 0), ())))
    analysis = analyze_match(with_impossible_score, RACER)
    assert [game.number for game in analysis.games] == [1]
    assert "game 2: match score 5-0" in analysis.problems[0]


def states(analysis: MatchAnalysis, game: int) -> list[MatchState]:
    found: list[MatchState] = []
    for play in analysis.games[game].plays:
        state = play.match if play.player == 0 else play.match.swap()
        if not found or found[-1] != state:
            found.append(state)
    return found


def test_the_cube_and_the_crawford_game_are_followed(with_cube: Evaluator) -> None:
    analysis = analyze_match(read_mat(FILES["cube-3"], BACKGAMMON), with_cube)
    assert states(analysis, 1) == [
        MatchState(3, (1, 0), 1),
        MatchState(3, (1, 0), 1, cube=Cube(2, "opponent")),
        MatchState(3, (1, 0), 1, cube=Cube(4, "me")),
    ]
    analysis = analyze_match(read_mat(FILES["cube-5"], BACKGAMMON), with_cube)
    assert [game.is_crawford for game in analysis.games] == [False, False, True]
    assert all(isinstance(decision, AnalyzedPlay) for decision in analysis.games[2].decisions)
    games = tuple(Game(k, score, ()) for k, score in enumerate([(0, 4), (1, 4), (4, 4)], start=1))
    empty = analyze_match(Match(5, NAMES, games), with_cube)
    assert [game.is_crawford for game in empty.games] == [True, False, False]


def test_cube_decisions_lose_what_the_other_action_gains(with_cube: Evaluator) -> None:
    analysis = analyze_match(read_mat(FILES["cube-5"], BACKGAMMON), with_cube)
    cubes = [decision for decision in analysis.decisions if isinstance(decision, AnalyzedCube)]
    assert [cube.action for cube in cubes if cube.action != "no double"] == ["double", "take", "double", "pass"] * 2
    for cube in cubes:
        found = with_cube.cube_decision(cube.before, cube.match)
        doubled = min(found.double_take, found.double_pass)
        gain = {
            "double": found.no_double - doubled,
            "no double": doubled - found.no_double,
            "take": found.double_take - found.double_pass,
            "pass": found.double_pass - found.double_take,
        }[cube.action]
        assert cube.loss == pytest.approx(max(0, gain) if cube.action != cube.best else 0)
        if cube.action in ("take", "pass"):
            # The answer is to the double just before it.
            assert cube.on_roll == 1 - cube.player
            assert (cube.best == "take") == found.should_take
        else:
            assert (cube.best == "double") == found.should_double
    summaries = [analysis.summary(player) for player in (0, 1)]
    assert sum(s.cube_loss_points for s in summaries) == pytest.approx(sum(cube.loss_points for cube in cubes))
    assert sum(s.cube_decisions for s in summaries) == sum(cube.is_counted for cube in cubes) < len(cubes)


def test_what_counts_and_how_lucky_it_was_is_as_gnubg_says(with_cube: Evaluator) -> None:
    # GNU Backgammon 1.07 at 0-ply, `show statistics match`: unforced moves, close or actual cube decisions, and luck
    # in match-winning chance, which its own network values with the cube.
    analysis = analyze_match(read_mat(FILES["cube-5"], BACKGAMMON), with_cube)
    for player, (unforced, cube_decisions, luck) in enumerate([(44, 7, 0.32058), (45, 10, -0.16696)]):
        summary = analysis.summary(player)
        assert (summary.decisions - summary.cube_decisions, summary.cube_decisions) == (unforced, cube_decisions)
        assert summary.luck == pytest.approx(luck, abs=0.05)


def test_a_match_without_a_cube_has_no_missed_doubles(with_cube: Evaluator) -> None:
    text = '; [CubeLimit "1"]\n' + FILES["cubeless-7"]
    analysis = analyze_match(read_mat(text, BACKGAMMON), with_cube)
    assert all(isinstance(decision, AnalyzedPlay) for decision in analysis.decisions)


def test_in_single_games_the_cube_counts(with_cube: Evaluator) -> None:
    text = FILES["cube-5"].replace(" 5 point match", " 0 point match")
    analysis = analyze_match(read_mat(text, BACKGAMMON), with_cube)
    assert analysis.result_of(0) == 2 + 2 + 1
    later = [play for play in analysis.games[0].plays if play.match.cube.value == 2]
    assert later
    assert all(play.point == 2 and play.loss == 2 * play.loss_points for play in later)
    mine = [decision.loss for decision in analysis.decisions if decision.player == 0]
    assert analysis.summary(0).loss == pytest.approx(sum(mine))
