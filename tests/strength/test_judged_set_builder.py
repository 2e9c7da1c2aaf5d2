"""Judged decisions: how they are sampled, judged and built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai import engine
from tavla_ai.bots import load_bot
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import compile_rules, get_ruleset
from tavla_ai.strength import (
    PHASES,
    QUANTUM,
    JudgedHeader,
    JudgedSet,
    JudgeInfo,
    RolloutInfo,
    SampledDecisions,
    build_judged_set,
    judge_decisions,
    load_judged_set,
    measure_error_rates,
    sample_decisions,
    sorted_plays,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RULES = compile_rules(NORTH_SULTAN)

Boards = npt.NDArray[np.int8]


@pytest.fixture(scope="module")
def sampled(checkpoint: Path) -> SampledDecisions:
    return sample_decisions(NORTH_SULTAN, load_checkpoint(checkpoint), 5, 400)


def test_decisions_have_a_choice_and_are_all_different(sampled: SampledDecisions) -> None:
    assert (engine.count_plays(RULES, sampled.boards, sampled.dice) >= 2).all()
    keys = {b.tobytes() + np.sort(d).tobytes() for b, d in zip(sampled.boards, sampled.dice, strict=True)}
    assert len(keys) == len(sampled.boards) == 400


def test_more_decisions_of_a_seed_begin_with_the_same(sampled: SampledDecisions, checkpoint: Path) -> None:
    few = sample_decisions(NORTH_SULTAN, load_checkpoint(checkpoint), 5, 50)
    np.testing.assert_array_equal(few.boards, sampled.boards[:50])
    np.testing.assert_array_equal(few.dice, sampled.dice[:50])
    other = sample_decisions(NORTH_SULTAN, load_checkpoint(checkpoint), 6, 50)
    assert not np.array_equal(other.boards, few.boards)


def test_every_phase_is_met(sampled: SampledDecisions) -> None:
    for board, phase in zip(sampled.boards, sampled.phases, strict=True):
        behind = np.flatnonzero(board[0])[-1] + np.flatnonzero(board[1])[-1]
        assert PHASES[phase] in (("opening", "contact") if behind >= 25 else ("race", "bear-off"))
    assert set(np.unique(sampled.phases)) == set(range(len(PHASES)))


class TableJudge:
    """A judge that knows each afterstate by its bytes, at each ply."""

    def __init__(self, name: str, plies: list[dict[bytes, float]]) -> None:
        self.name, self.plies = name, plies
        self.asked: list[int] = []

    def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
        self.asked.append(len(boards))
        return np.array([self.plies[ply][board.tobytes()] for board in boards])


def opening_decision() -> tuple[SampledDecisions, list[bytes]]:
    boards = RULES.start()[None]
    plays, _ = sorted_plays(RULES, boards[0], (3, 1))
    decisions = SampledDecisions(boards, np.array([[3, 1]], np.int8), np.zeros(1, np.uint8))
    return decisions, [play.tobytes() for play in plays]


def table(plays: list[bytes], known: dict[int, float], others: float) -> dict[bytes, float]:
    return {play: known.get(i, others) for i, play in enumerate(plays)}


def test_judges_look_deeper_at_the_plays_that_either_prefers_and_compare_at_the_same_ply() -> None:
    decisions, plays = opening_decision()
    first = TableJudge(
        "first", [table(plays, {0: 0.5, 1: 0.4}, 0.0), table(plays, {0: 1.0, 1: 0.9, 2: 0.0}, -9), table(plays, {}, -9)]
    )
    second = TableJudge(
        "second",
        [table(plays, {0: 0.3, 2: 0.4}, 0.1), table(plays, {0: 1.0, 1: 1.0, 2: 0.5}, -9), table(plays, {}, -9)],
    )
    for judge in (first, second):
        judge.plies[2] = table(plays, {0: 0.5, 1: 0.75}, -9)
    num_plays, values, depths = judge_decisions(NORTH_SULTAN, [first, second], 2, decisions)
    n = len(plays)
    assert num_plays.tolist() == [n]
    # Both judge play 0 and the play that one of them prefers; then play 2 is dropped; 0 and 1 are judged to the end.
    assert first.asked == second.asked == [n, 3, 2]
    assert depths.tolist() == [2, 2, 1] + [0] * (n - 3)
    judged = JudgedSet(header(1, 2), decisions.boards, decisions.dice, decisions.phases, num_plays, values, depths)
    lost = judged.losses()
    # Play 1 is best; a dropped play keeps the distance from it that it had when it was dropped.
    assert lost[:3] == pytest.approx([0.25, 0, ((0.9 - 0.0) + (1.0 - 0.5)) / 2], abs=2 * QUANTUM)
    assert lost[3:] == pytest.approx([((0.4 - 0.0) + (0.1 - 0.1)) / 2] * (n - 3), abs=2 * QUANTUM)


def test_a_single_remaining_play_is_not_judged_deeper() -> None:
    decisions, plays = opening_decision()
    judge = TableJudge("one", [table(plays, {4: 0.5}, 0.0)])
    _, values, depths = judge_decisions(NORTH_SULTAN, [judge], 2, decisions)
    assert judge.asked == [len(plays), 0, 0]
    assert not depths.any()
    assert values[0, 4] == 0.5


def test_a_won_game_is_worth_its_score() -> None:
    """Both plays bear off: the last checker, which scores a mars at once, or one of two, which the judge values."""
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, [0, 1, 3]] = 13, 1, 1
    board[0, 1, 20] = 15
    decisions = SampledDecisions(board, np.array([[2, 1]], np.int8), np.zeros(1, np.uint8))
    plays, scores = sorted_plays(RULES, board[0], (2, 1))
    assert (scores != engine.NO_SCORE).sum() in (0, 1)
    judge = TableJudge("one", [{play.tobytes(): 1.5 for play in plays}] * 2)
    _, values, _ = judge_decisions(NORTH_SULTAN, [judge], 1, decisions)
    assert values[0].tolist() == [2.0 if score != engine.NO_SCORE else 1.5 for score in scores]


def header(decisions: int, judges: int = 1) -> JudgedHeader:
    return JudgedHeader(
        ruleset="north-sultan",
        seed=1,
        decisions=decisions,
        sampler="by hand",
        network="none",
        judges=tuple(JudgeInfo(name=f"judge {i}", version="1", weight=1.0) for i in range(judges)),
        ply=2,
        filters=(),
    )


def test_an_interrupted_build_is_resumed(judged: JudgedSet, checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    done: list[int] = []

    def interrupt(number: int) -> None:
        done.append(number)
        if len(done) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7, interrupt)
    assert not path.exists()
    parts = {file: file.stat().st_mtime_ns for file in path.with_name("set.npz.parts").glob("*.npz")}
    assert len(parts) == 2
    other = build_fails(path, checkpoint, [f"{checkpoint}@1"], 45, 8)
    assert "parts of another set; remove the folder" in other
    kept: list[int] = []

    def watch(number: int) -> None:
        kept.append(sum(file.stat().st_mtime_ns == written for file, written in parts.items()))
        done.append(number)

    again = build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7, watch)
    assert kept == [2, 2, 2]
    assert done == [20, 20, 20, 20, 5]
    np.testing.assert_array_equal(again.values, judged.values)
    np.testing.assert_array_equal(load_judged_set(path).values, judged.values)
    assert [file.name for file in tmp_path.iterdir()] == ["set.npz"]


def build_fails(path: Path, network: Path, judges: list[str], decisions: int = 20, seed: int = 7) -> str:
    with pytest.raises(TavlaError) as caught:
        build_judged_set(path, NORTH_SULTAN, network, judges, decisions, seed)
    return str(caught.value)


def test_what_cannot_be_built_is_refused(judged_path: Path, checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.npz"
    assert "exists already" in build_fails(judged_path, checkpoint, [f"{checkpoint}@1"])
    assert "expected at least one" in build_fails(path, checkpoint, [])
    assert "the same look-ahead for all" in build_fails(path, checkpoint, [str(checkpoint), f"{checkpoint}@1"])
    assert "judge 'random': expected an outside engine or a checkpoint" in build_fails(path, checkpoint, ["random"])
    assert "expected at least 1" in build_fails(path, checkpoint, [f"{checkpoint}@1"], decisions=0)
    assert not path.with_name("new.npz.parts").exists()


# Other games


def rolled(name: str, plays: list[bytes], known: dict[int, float]) -> RollingTableJudge:
    return RollingTableJudge(name, [table(plays, known, -9)])


class RollingTableJudge(TableJudge):
    """A judge whose games say that the play of the greatest index is best."""

    def roll_out(self, boards: Boards, rollout: RolloutInfo) -> npt.NDArray[np.float64]:
        self.asked.append(len(boards))
        plays = list(self.plies[0])
        return np.array([plays.index(board.tobytes()) / 100 for board in boards])


@pytest.mark.parametrize(("doubt", "number"), [(0.2, 3), (0.06, 3), (0.02, 0)])
def test_plays_that_the_judges_disagree_about_by_more_than_the_margin_are_rolled_out(doubt: float, number: int) -> None:
    decisions, plays = opening_decision()
    first = rolled("first", plays, {0: 0.5, 1: 0.5 - doubt, 2: 0.49, 3: 0.0})
    second = rolled("second", plays, {0: 0.5 - doubt, 1: 0.5, 2: 0.49, 3: 0.0})
    rollout = RolloutInfo(trials=36, turns=8, margin=0.03)
    num_plays, values, depths = judge_decisions(NORTH_SULTAN, [first, second], 0, decisions, rollout)
    assert first.asked == second.asked == [len(plays), number]
    assert depths.tolist() == [int(number > 0)] * 3 + [0] * (len(plays) - 3)
    judged = JudgedSet(header(1, 2), decisions.boards, decisions.dice, decisions.phases, num_plays, values, depths)
    if number:
        # The games decide between the plays; another keeps its distance from the best of them.
        assert judged.losses()[:4] == pytest.approx([0.02, 0.01, 0, 0.49], abs=2 * QUANTUM)


@pytest.mark.parametrize("name", ["plakoto", "fevga"])
def test_a_set_of_another_game_has_players_that_fit(name: str, tmp_path: Path) -> None:
    """Without gnubg and pubeval: two networks judge, our baseline plays, and networks roll out what they dispute."""
    ruleset = get_ruleset(name)
    scores = len(ruleset.scores)
    nets = [str(write_checkpoint(tmp_path / f"net-{seed}", name, num_scores=scores, seed=seed)) for seed in (1, 2)]
    path = tmp_path / "set.npz"
    built = build_judged_set(path, ruleset, nets[0], nets, 8, 5, rollout_trials=30)
    assert built.header.sampler == "mixed-2"
    assert built.header.rollout == RolloutInfo(trials=36, turns=8, margin=0.02)
    assert set(np.unique(built.depths)) == {0, 1}
    assert [file.name for file in tmp_path.glob("set*")] == ["set.npz"]
    loaded = load_judged_set(path)
    assert loaded.boards.shape == (8, 2, ruleset.num_places)
    rates = measure_error_rates(loaded, [load_bot(spec, ruleset) for spec in ("random", "baseline", nets[0])])
    assert all(rate.loss is not None and rate.faults == 0 for rate in rates)


def test_a_build_that_fails_leaves_nothing_behind(checkpoint: Path, tmp_path: Path) -> None:
    def fails(error: type[BaseException], *args: Any, **options: Any) -> str:
        with pytest.raises(error) as caught:
            build_judged_set(tmp_path / "set.npz", *args, **options)
        assert list(tmp_path.glob("set*")) == []
        return str(caught.value)

    spec = [str(checkpoint)]
    gul_bara = write_checkpoint(tmp_path / "gul-bara", "gul-bara")
    refused = fails(RulesetError, get_ruleset("gul-bara"), gul_bara, [str(gul_bara)], 5, 7)
    assert "judged decisions: not in gul-bara, where a turn is more than one roll" in refused

    class Broken(TableJudge):
        def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
            raise TavlaError("no more paper")

    with pytest.MonkeyPatch.context() as patch:
        broken = Broken("broken", []), JudgeInfo(name="broken", version="1", weight=1.0), 0
        patch.setattr("tavla_ai.strength.judged_set_builder.make_judge", lambda spec, ruleset: broken)
        assert fails(TavlaError, NORTH_SULTAN, checkpoint, spec, 5, 7) == "no more paper"
        refused = fails(TavlaError, NORTH_SULTAN, checkpoint, spec, 5, 7, rollout_trials=36)
        assert refused == "judge 'broken': cannot roll out; expected checkpoints, or no rollouts"
