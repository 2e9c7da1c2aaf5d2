"""The evaluator: plays, values and decisions."""

from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai import engine
from tavla_ai.checkpoint import load_checkpoint
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator, legal_plays
from tavla_ai.match import Utility
from tavla_ai.position import Position, apply_steps, format_play
from tavla_ai.rulesets import get_ruleset, ruleset_names

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def checkpoint_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("evaluator") / "small")


# Plays


def test_without_a_network_plays_are_the_engines() -> None:
    position = Position.start(NORTH_SULTAN)
    plays = legal_plays(NORTH_SULTAN, position, (3, 1))
    boards, _, _ = engine.legal_plays(engine.compile_rules(NORTH_SULTAN), position.board, 3, 1)
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
    evaluator = Evaluator(checkpoint, tables=False)
    rules = engine.compile_rules(ruleset)
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
        outcomes = checkpoint.engine_network().evaluate(after, inputs)
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
    evaluator, position = Evaluator(load_checkpoint(path), tables=False), Position.start(ruleset)
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
