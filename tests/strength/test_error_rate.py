"""Error rates: the losses of players on judged decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tavla_ai.bots import Bot, Fault, load_bot
from tavla_ai.rules import compile_rules, get_ruleset
from tavla_ai.strength import (
    PHASES,
    QUANTUM,
    JudgedSet,
    build_judged_set,
    load_judged_set,
    measure_error_rate,
    measure_error_rates,
    sorted_plays,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RULES = compile_rules(NORTH_SULTAN)
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

Boards = npt.NDArray[np.int8]


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


def test_a_players_loss_is_the_mean_over_decisions(judged: JudgedSet) -> None:
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
    rate = measure_error_rate(own, load_bot(str(checkpoint), NORTH_SULTAN))
    # Two plays whose values round to neighbours may change places.
    assert rate.loss == pytest.approx(0, abs=1000 * QUANTUM)
    assert rate.shallow_share == 0


def test_random_plays_lose_the_same_for_any_number_of_threads(judged: JudgedSet) -> None:
    random = measure_error_rate(judged, load_bot("random", NORTH_SULTAN))
    assert random == measure_error_rate(judged, load_bot("random", NORTH_SULTAN), threads=2)
    assert random.loss is not None
    assert random.loss > 20
    assert 0 < random.shallow_share < 1


def test_players_are_compared_on_the_same_decisions(judged: JudgedSet) -> None:
    first, random = Bot("first", NORTH_SULTAN, FirstPlay(failing=2)), load_bot("random", NORTH_SULTAN)
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


@pytest.mark.peer
def test_peers_lose_little_on_what_they_judged() -> None:
    pytest.importorskip("gnubg")
    pytest.importorskip("bgsage")
    judged = load_judged_set(BENCHMARKS / "reporting.npz")
    gnubg, sage = (measure_error_rate(judged, load_bot(spec, NORTH_SULTAN)) for spec in ("gnubg:0", "sage:0"))
    assert gnubg.loss is not None
    assert sage.loss is not None
    assert gnubg.loss == pytest.approx(3.2, abs=1.2)
    assert sage.loss == pytest.approx(3.2, abs=1.2)
