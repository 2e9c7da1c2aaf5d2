"""Judged decisions: what a player loses on them, and how they are made, kept and read again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner, Result
from command_line import fails as cli_fails

from tavla_ai import engine
from tavla_ai.bots import Bot, Fault, make_bot
from tavla_ai.cli import main
from tavla_ai.errors import TavlaError
from tavla_ai.network import Card, load_checkpoint
from tavla_ai.rules import compile_rules, get_ruleset
from tavla_ai.strength import (
    PHASES,
    QUANTUM,
    JudgedHeader,
    JudgedSet,
    JudgeInfo,
    SampledDecisions,
    build_judged_set,
    judge_decisions,
    load_judged_set,
    measure_error_rate,
    measure_error_rates,
    sample_decisions,
    save_judged_set,
    sorted_plays,
)
from tavla_ai.strength import judged_set_builder as judging

NORTH_SULTAN = get_ruleset("north-sultan")
RULES = compile_rules(NORTH_SULTAN)
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

Boards = npt.NDArray[np.int8]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("error-rate") / "small")


@pytest.fixture(scope="module")
def sampled(checkpoint: Path) -> SampledDecisions:
    return sample_decisions(NORTH_SULTAN, load_checkpoint(checkpoint), 5, 400)


@pytest.fixture(scope="module")
def judged(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> JudgedSet:
    path = tmp_path_factory.mktemp("judged") / "set.npz"
    return build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7)


@pytest.fixture
def judged_path(judged: JudgedSet, tmp_path: Path) -> Path:
    save_judged_set(tmp_path / "set.npz", judged)
    return tmp_path / "set.npz"


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["error-rate", *map(str, args)])


def fails(*args: object) -> str:
    return cli_fails("error-rate", *args)


# Sampling


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


# Judging


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


def test_judges_look_closer_at_what_either_likes_and_compare_at_the_same_ply() -> None:
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
    # Both look at 0 and at what one of them likes, then 2 drops out, and 0 and 1 are looked at to the end.
    assert first.asked == second.asked == [n, 3, 2]
    assert depths.tolist() == [2, 2, 1] + [0] * (n - 3)
    judged = JudgedSet(header(1, 2), decisions.boards, decisions.dice, decisions.phases, num_plays, values, depths)
    lost = judged.losses()
    # 1 is best; what dropped out is as much worse than 1 as it was when it dropped out.
    assert lost[:3] == pytest.approx([0.25, 0, ((0.9 - 0.0) + (1.0 - 0.5)) / 2], abs=2 * QUANTUM)
    assert lost[3:] == pytest.approx([((0.4 - 0.0) + (0.1 - 0.1)) / 2] * (n - 3), abs=2 * QUANTUM)


def test_a_play_that_stands_alone_needs_no_closer_look() -> None:
    decisions, plays = opening_decision()
    judge = TableJudge("one", [table(plays, {4: 0.5}, 0.0)])
    _, values, depths = judge_decisions(NORTH_SULTAN, [judge], 2, decisions)
    assert judge.asked == [len(plays), 0, 0]
    assert not depths.any()
    assert values[0, 4] == 0.5


def test_a_won_game_is_worth_its_score() -> None:
    """Both bear off the last checker, or one of two: a mars at once, or what the judge says."""
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


# Measuring


class FirstPlay:
    """Makes the first play of the sorted ones, and fails on some boards."""

    name = "first"

    def __init__(self, failing: int = 0) -> None:
        self.failing = failing

    def choose_plays(self, boards: Boards, dice: npt.NDArray[np.int8]) -> list[npt.NDArray[np.int8] | Fault]:
        made: list[npt.NDArray[np.int8] | Fault] = [
            sorted_plays(RULES, board, tuple(roll))[0][0] for board, roll in zip(boards, dice.tolist(), strict=True)
        ]
        made[: self.failing] = [Fault("first: tired")] * self.failing
        return made


def test_what_a_player_loses_is_the_mean_over_decisions(judged: JudgedSet) -> None:
    rate = measure_error_rate(judged, Bot("first", NORTH_SULTAN, FirstPlay()))
    lost = judged.losses()[judged.starts]
    assert rate.decisions == 45
    assert rate.loss == pytest.approx(1000 * lost.mean())
    assert rate.standard_error == pytest.approx(1000 * lost.std(ddof=1) / 45**0.5)
    assert rate.best_share == pytest.approx((lost == 0).mean())
    by_phase = [rate.phases[phase] for phase in PHASES]
    assert sum(one.decisions for one in by_phase) == 45
    assert sum(one.decisions * (one.loss or 0) for one in by_phase) == pytest.approx(1000 * lost.sum())


def test_the_judge_itself_loses_nothing(checkpoint: Path, tmp_path: Path) -> None:
    own = build_judged_set(tmp_path / "own.npz", NORTH_SULTAN, checkpoint, [str(checkpoint)], 60, 7)
    rate = measure_error_rate(own, make_bot(str(checkpoint), NORTH_SULTAN))
    # Two plays whose values round to neighbours may change places.
    assert rate.loss == pytest.approx(0, abs=1000 * QUANTUM)
    assert rate.shallow_share == 0


def test_random_plays_lose_the_same_for_any_number_of_threads(judged: JudgedSet) -> None:
    random = measure_error_rate(judged, make_bot("random", NORTH_SULTAN))
    assert random == measure_error_rate(judged, make_bot("random", NORTH_SULTAN), threads=2)
    assert random.loss is not None
    assert random.loss > 20
    assert 0 < random.shallow_share < 1


def test_players_are_compared_on_the_same_decisions(judged: JudgedSet) -> None:
    first, random = Bot("first", NORTH_SULTAN, FirstPlay(failing=2)), make_bot("random", NORTH_SULTAN)
    rates = measure_error_rates(judged, [first, random, first])
    assert rates[0] == measure_error_rate(judged, first)
    assert rates[1].loss == measure_error_rate(judged, random).loss
    assert (rates[2].difference, rates[2].difference_error) == (0, 0)
    swapped = measure_error_rates(judged, [random, first])[1]
    assert rates[1].difference == pytest.approx(-(swapped.difference or 0))
    assert rates[1].difference_error == pytest.approx(swapped.difference_error)
    assert rates[1].difference != 0


def test_decisions_in_which_a_player_fails_are_left_out(judged: JudgedSet) -> None:
    rate = measure_error_rate(judged, Bot("first", NORTH_SULTAN, FirstPlay(failing=5)))
    assert (rate.faults, rate.decisions) == (5, 40)
    assert rate.loss == pytest.approx(1000 * judged.losses()[judged.starts][5:].mean())
    nothing = measure_error_rate(judged, Bot("first", NORTH_SULTAN, FirstPlay(failing=45)))
    assert (nothing.faults, nothing.decisions, nothing.loss, nothing.best_share) == (45, 0, None, None)


# Files


def test_a_set_is_read_as_it_was_written(judged: JudgedSet, judged_path: Path) -> None:
    again = load_judged_set(judged_path)
    assert again.header == judged.header
    for name in ("boards", "dice", "phases", "num_plays", "values", "depths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(judged, name))


def rewritten(path: Path, **changes: Any) -> Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def json_array(data: object) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


def test_files_that_are_no_sets_are_refused(judged: JudgedSet, judged_path: Path, tmp_path: Path) -> None:
    data = judged.header.model_dump(mode="json")
    copy = tmp_path / "copy.npz"

    def refused(**changes: Any) -> str:
        copy.write_bytes(judged_path.read_bytes())
        return fails("random", "--positions", rewritten(copy, **changes))

    assert "no such set" in fails("random", "--positions", tmp_path / "none.npz")
    for content in (b"", b"PK\x03\x04 no zip", judged_path.read_bytes()[:3000]):
        copy.write_bytes(content)
        assert "not a set of judged decisions" in fails("random", "--positions", copy)
    assert "not a set" in refused(values=None)
    assert "not a set" in refused(values=np.array([{}], dtype=object))
    assert "header: schema_version" in refused(header=json_array(data | {"schema_version": 2}))
    assert "header: " in refused(header=np.zeros(3, np.uint8))
    assert "expected 2-dimensional float32" in refused(values=judged.values.astype(np.float64))
    assert "do not fit together" in refused(depths=judged.depths[1:])
    assert "do not fit together" in refused(values=judged.values * np.float32(np.nan))
    assert "do not fit together" in refused(phases=judged.phases + np.uint8(9))
    assert "unknown ruleset" in refused(header=json_array(data | {"ruleset": "tavli"}))
    counts = judged.num_plays.copy()
    counts[0] += 1
    counts[1] -= 1
    assert "made for other rules" in refused(num_plays=counts)


# Building


def test_a_build_that_was_stopped_goes_on(
    judged: JudgedSet, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.npz"
    calls = 0

    def stopped(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return judge_decisions(*args)

    monkeypatch.setattr(judging, "judge_decisions", stopped)
    with pytest.raises(KeyboardInterrupt):
        build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7)
    assert not path.exists()
    other = build_fails(path, checkpoint, [f"{checkpoint}@1"], 45, 8)
    assert "parts of another set; remove the folder" in other
    done: list[int] = []
    again = build_judged_set(path, NORTH_SULTAN, checkpoint, [f"{checkpoint}@1"], 45, 7, done.append)
    assert calls == 4
    assert done == [20, 20, 5]
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


# The command


def test_the_command_measures(judged: JudgedSet, judged_path: Path, checkpoint: Path) -> None:
    done = run(checkpoint, "random", "--positions", judged_path, "--workers", 2)
    assert done.exit_code == 0, done.stderr
    assert "45 decisions judged by" in done.stdout
    done = run(checkpoint, "random", "--ply", 1, "--positions", judged_path, "--json")
    found = json.loads(done.stdout)
    assert [bot["bot"] for bot in found["bots"]] == [f"{checkpoint}@1", "random"]
    assert found["set"] == judged.header.model_dump(mode="json")
    bots = [make_bot(spec, NORTH_SULTAN) for spec in (f"{checkpoint}@1", "random")]
    expected = measure_error_rates(judged, bots)[1]
    assert found["bots"][1] == expected.model_dump(mode="json")


def test_the_command_builds(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.npz"
    args = ("--build", path, "--decisions", 3, "--judges", checkpoint, "--network", checkpoint, "--seed", 4)
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{path}: 3 decisions, ")
    assert "exists already" in fails(*args)
    assert run("random", "--positions", path).exit_code == 0


def test_mistakes_are_one_line(judged_path: Path, checkpoint: Path, tmp_path: Path) -> None:
    assert "no bot: expected at least one" in fails("--positions", judged_path)
    assert "unknown bot 'pubevil'" in fails("pubevil", "--positions", judged_path)
    assert "--build takes no bots" in fails("random", "--build", tmp_path / "new.npz")
    assert "no such checkpoint" in fails(
        "--build", tmp_path / "x.npz", "--judges", checkpoint, "--network", tmp_path / "no"
    )


# The sets of the project


@pytest.mark.parametrize("name", ["choosing", "reporting"])
def test_the_sets_are_small_and_hold_what_they_say(name: str) -> None:
    path = BENCHMARKS / f"{name}.npz"
    judged = load_judged_set(path)
    assert path.stat().st_size < 1_000_000
    assert judged.header.decisions >= 5000
    assert [judge.name for judge in judged.header.judges] == ["gnubg:2", "sage:2"]
    pubeval = measure_error_rate(judged, make_bot("pubeval", NORTH_SULTAN))
    assert pubeval.loss == pytest.approx(38, abs=8)


def test_no_net_is_chosen_with_the_decisions_that_report_on_it() -> None:
    choosing, reporting = (load_judged_set(BENCHMARKS / f"{name}.npz") for name in ("choosing", "reporting"))
    assert choosing.header.seed != reporting.header.seed
    assert choosing.header.network == reporting.header.network
    keys = [
        {b.tobytes() + np.sort(d).tobytes() for b, d in zip(s.boards, s.dice, strict=True)}
        for s in (choosing, reporting)
    ]
    # Openings are few, and come up in both.
    assert len(keys[0] & keys[1]) < 0.08 * len(keys[0])


@pytest.mark.peer
def test_peers_lose_little_on_what_they_judged() -> None:
    pytest.importorskip("gnubg")
    pytest.importorskip("bgsage")
    judged = load_judged_set(BENCHMARKS / "reporting.npz")
    gnubg, sage = (measure_error_rate(judged, make_bot(spec, NORTH_SULTAN)) for spec in ("gnubg:0", "sage:0"))
    assert gnubg.loss is not None
    assert sage.loss is not None
    assert gnubg.loss == pytest.approx(3.2, abs=1.2)
    assert sage.loss == pytest.approx(3.2, abs=1.2)


# Keeping what was measured


def measure(*args: object) -> Card:
    result = CliRunner().invoke(main, ["measure", *map(str, args), "--json"])
    assert result.exit_code == 0, result.stderr
    return Card.model_validate(json.loads(result.stdout))


def test_what_was_measured_stands_in_the_card(judged: JudgedSet, judged_path: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "measured")
    card = measure(path, "--opponent", "random", "--games", 20, "--seed", 5, "--positions", judged_path)
    assert card == load_checkpoint(path).card
    (result,) = card.results
    assert (result.opponent, result.games, result.seed, result.ply) == ("random", 20, 5, 0)
    (rate,) = card.loss_rates
    expected = measure_error_rate(judged, make_bot(str(path), NORTH_SULTAN))
    assert (rate.positions, rate.loss, rate.standard_error) == ("set", expected.loss, expected.standard_error)
    assert card.decision_microseconds is not None

    # Another look-ahead stands beside it; the same again replaces it.
    card = measure(path, "--opponent", "random", "--games", 10, "--ply", 1, "--positions", judged_path)
    assert [(result.ply, result.games) for result in card.results] == [(0, 20), (1, 10)]
    assert [rate.ply for rate in card.loss_rates] == [0, 1]
    assert "20 games against random" in cli_fails("measure", path, "--opponent", "random", "--games", 10)
    card = measure(path, "--opponent", "random", "--games", 30)
    assert sorted((result.ply, result.games) for result in card.results) == [(0, 30), (1, 10)]
    shown = CliRunner().invoke(main, ["inspect", str(path)]).stdout
    assert "lost per decision" in shown
    assert "microseconds" in shown


def test_luck_is_judged_against_other_bots_than_baselines(checkpoint: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "lucky", seed=2)
    card = measure(path, "--opponent", "random", "--opponent", checkpoint, "--games", 200, "--luck")
    against_random, against_bot = card.results
    assert against_random.adjusted is None
    assert against_bot.adjusted is not None
    assert against_bot.adjusted_standard_error is not None


def test_mistakes_of_measuring_are_one_line(checkpoint: Path, judged_path: Path, tmp_path: Path) -> None:
    assert "'nobody'" in cli_fails("measure", checkpoint, "--opponent", "nobody")
    assert "7" in cli_fails("measure", checkpoint, "--games", 7)
    assert "nowhere" in cli_fails("measure", tmp_path / "nowhere")
    fevga = write_checkpoint(tmp_path / "fevga", ruleset="fevga")
    assert "fevga" in cli_fails("measure", fevga, "--positions", judged_path)
