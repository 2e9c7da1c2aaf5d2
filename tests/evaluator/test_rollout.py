"""Rollouts of plays, here and on Ray."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import Evaluator, EvaluatorOptions, RolloutSettings, roll_out
from tavla_ai.match import MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import Position, get_ruleset

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    return Evaluator(load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("rollout") / "net")))


@pytest.fixture(scope="module")
def shipped() -> Evaluator:
    return Evaluator(load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla"))


def test_a_rollout_says_what_exact_tables_say(shipped: Evaluator) -> None:
    """Three rolls from the end the rolled-out value of each play is the exact one within its error."""
    position = Position.from_sides({6: 2, 4: 1, 1: 1}, {1: 4, 2: 3}, off=(11, 8))
    plays = shipped.rank_plays(position, (4, 3))
    exact = {play.afterstate: play.evaluation.value for play in plays}
    for result in roll_out(shipped, position, plays, settings=RolloutSettings(trials=36)):
        # What the tables cover is not rolled out any further.
        assert result.evaluation.value == pytest.approx(exact[result.play.afterstate], abs=1e-6)
        assert result.standard_error == pytest.approx(0, abs=1e-9)


def test_the_best_play_comes_first_and_costs_nothing(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = shipped.rank_plays(start, (3, 1))[:3]
    results = roll_out(shipped, start, plays, settings=RolloutSettings(trials=144))
    assert (results[0].loss, results[0].loss_error) == (0.0, 0.0)
    values = [result.evaluation.value for result in results]
    assert values == sorted(values, reverse=True)
    assert results[0].play == plays[0]  # 8/5 6/5
    assert all(result.trials == 144 for result in results)
    assert values[0] == pytest.approx(0.156, abs=3 * results[0].standard_error)  # gnubg, 2-ply
    assert sum(results[0].evaluation.outcomes) == pytest.approx(1)


def test_luck_adjusted_trials_vary_far_less(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = shipped.rank_plays(start, (3, 1))[:1]
    (adjusted,) = roll_out(shipped, start, plays, settings=RolloutSettings(trials=360))
    (raw,) = roll_out(shipped, start, plays, settings=RolloutSettings(trials=360, adjusts_luck=False))
    assert adjusted.standard_error < raw.standard_error / 3
    assert abs(adjusted.evaluation.value - raw.evaluation.value) < 4 * raw.standard_error


def test_it_stops_once_the_best_play_is_clear(shipped: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = shipped.rank_plays(start, (3, 1))[:2]  # 8/5 6/5 is .15 better than any other play
    done: list[int] = []
    results = roll_out(
        shipped, start, plays, settings=RolloutSettings(trials=36_000, confidence=3), progress=done.append
    )
    assert results[0].trials < 3_000
    assert results[1].loss > 3 * results[1].loss_error
    assert sum(done) == sum(result.trials for result in results)


def test_a_play_that_ends_the_game_needs_no_trials(evaluator: Evaluator) -> None:
    position = Position.from_sides({2: 1, 1: 1}, {6: 15}, off=(13, 0))
    plays = evaluator.rank_plays(position, (2, 1))
    results = roll_out(evaluator, position, plays, MatchState(3, (1, 1)), RolloutSettings(trials=36))
    assert (results[0].trials, results[0].evaluation.value) == (0, 1.0)


@pytest.mark.parametrize(
    "options", [{"truncate": 4}, {"truncate": 4, "ply": 1}, {"adjusts_luck": False, "truncate": 9}]
)
def test_trials_do_not_depend_on_threads(evaluator: Evaluator, options: dict[str, int]) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = evaluator.rank_plays(start, (6, 2))[:2]
    settings = RolloutSettings(trials=72, **options)
    threaded = Evaluator(evaluator.checkpoint, options=EvaluatorOptions(threads=3))
    state = MatchState(5, (1, 3))
    assert roll_out(evaluator, start, plays, state, settings) == roll_out(threaded, start, plays, state, settings)
    other = roll_out(evaluator, start, plays, state, settings.model_copy(update={"seed": 2}))
    assert other != roll_out(evaluator, start, plays, state, settings)


@pytest.mark.ray
def test_trials_do_not_depend_on_ray_workers(evaluator: Evaluator) -> None:
    start = Position.start(NORTH_SULTAN)
    plays = evaluator.rank_plays(start, (6, 2))[:2]
    settings = RolloutSettings(trials=72, truncate=6)
    here = roll_out(evaluator, start, plays, settings=settings)
    assert roll_out(evaluator, start, plays, settings=settings, workers=2) == here


def test_what_cannot_be_rolled_out_is_refused(evaluator: Evaluator, tmp_path: Path) -> None:
    with pytest.raises(TavlaError, match="expected at least one play"):
        roll_out(evaluator, Position.start(NORTH_SULTAN), [])
    game = get_ruleset("gul-bara")
    other = Evaluator(load_checkpoint(write_checkpoint(tmp_path / "net", "gul-bara")))
    plays = other.rank_plays(Position.start(game), (3, 1))
    with pytest.raises(RulesetError, match="rollout: not in gul-bara, where a turn is more than one roll"):
        roll_out(other, Position.start(game), plays)
