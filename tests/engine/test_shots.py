"""Shots: what a roll would hit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from oracle.shots import shots

from tavla_ai import engine
from tavla_ai.network import NetworkSpec


def board(mine: dict[int, int], his: dict[int, int]) -> np.ndarray:
    """Return a board of the side that has just moved and the one to roll, each in its own numbering."""
    counts = np.zeros((1, 2, 26), np.int8)
    for side, checkers in enumerate((mine, his)):
        for place, count in checkers.items():
            counts[0, side, place] = count
        counts[0, side, 0] += 15 - counts[0, side].sum()
    return counts


# Rolls that hit a blot so many pips away with nothing in between, as in any book on the game.
ROLLS_AT = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3, 13: 0, 15: 1, 16: 1}
ROLLS_AT |= {18: 1, 20: 1, 21: 0, 22: 0}


@pytest.mark.parametrize(("away", "rolls"), ROLLS_AT.items())
def test_a_lone_blot_is_hit_as_often_as_the_books_say(away: int, rolls: int) -> None:
    # The blot stands `away` pips in front of the checker on the roller's 24 point: that is the other's point 1 + away.
    found = engine.shots(board({1 + away: 1}, {24: 1}))
    assert found.dtype == np.uint8
    assert found.shape == (1, 2, 7)
    assert found[0, 1, 0] == rolls
    quarter = (24 - away - 1) // 6
    assert found[0, 1, 3:].tolist() == [rolls * (i == quarter) for i in range(4)]
    assert found[0, 1, 1] == rolls * (24 - away) // 24
    assert found[0, 1, 2] == 0


def test_blocks_and_the_bar_take_shots_away() -> None:
    # Six away, 5-1 and 4-2 and the doubles blocked.
    assert engine.shots(board({7: 1, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, {24: 1}))[0, 1, 0] == 11
    # With two on the bar others hit with doubles only: with 3-3 and 6-6, or with 1-1.
    assert engine.shots(board({7: 1}, {24: 1, 25: 2}))[0, 1, 0] == 2
    assert engine.shots(board({2: 1}, {24: 1, 25: 2}))[0, 1, 0] == 11 + 1


def test_of_two_blots_the_one_further_on_counts() -> None:
    # On the roller's 23 and 21 points: any 1 hits the first, a 3 or 2-1 the other; 1-1, 2-1 and 3-1 either.
    found = engine.shots(board({2: 1, 4: 1}, {24: 1}))[0, 1].tolist()
    assert found == [11 + 9, (11 * 23 + 9 * 21) // 24, 5, 0, 0, 0, 20]


@pytest.mark.parametrize("name", ["north-sultan", "oyna-backgammon"])
def test_shots_are_those_of_rolls_played_out(name: str, rules_of: Callable[..., engine.Rules]) -> None:
    boards, _ = engine.random_walk(rules_of(name), 5, 0, 60)
    boards = boards[:: len(boards) // 150][:150]
    found = engine.shots(np.ascontiguousarray(boards))
    assert (found[:, :, 0] > 0).mean() > 0.3
    assert (boards[:, :, 25] > 0).sum() > 10
    for position, numbers in zip(boards.tolist(), found.tolist(), strict=True):
        assert numbers == [shots(*position), shots(*position[::-1])], position


@pytest.fixture(scope="module")
def crowded_bars() -> np.ndarray:
    """Positions with one to twelve checkers on the roller's bar and blots where they enter, int8[24, 2, 26]."""
    boards = [
        board({1: 1, 5: 1, 9: 2, blocked: 2}, {25: on_bar, 24: 1, 20: 2})
        for on_bar in range(1, 13)
        for blocked in (2, 3)
    ]
    return np.concatenate(boards)


def test_shots_from_a_crowded_bar(crowded_bars: np.ndarray) -> None:
    for position, numbers in zip(crowded_bars.tolist(), engine.shots(crowded_bars).tolist(), strict=True):
        assert numbers[1][0] >= 20
        assert numbers == [shots(*position), shots(*position[::-1])], position


def test_torch_reads_the_same_shots(rules_of: Callable[..., engine.Rules], crowded_bars: np.ndarray) -> None:
    """The sanitized build is tested without torch."""
    torch = pytest.importorskip("torch")
    twin = pytest.importorskip("tavla_ai.network.torch_inputs.shots")
    walked, _ = engine.random_walk(rules_of("oyna-backgammon"), 6, 0, 40)
    boards = np.concatenate([walked, crowded_bars])
    encoded = engine.encode(boards, np.zeros((len(boards), 0), np.float32), ["shots"])
    shots_alone = encoded[:, -engine.INPUTS["shots"].width :]
    assert 0.05 < (shots_alone > 0).mean() < 0.95
    np.testing.assert_array_equal(twin.shot_columns(torch.from_numpy(boards).long()).numpy(), shots_alone)
    values = engine.shots(boards).reshape(len(boards), -1)
    np.testing.assert_allclose(shots_alone[:, ::2], values / 36, rtol=1e-6)
    np.testing.assert_array_equal(shots_alone[:, 1::2], values >= 1)


def test_only_boards_of_the_common_places_have_shots() -> None:
    with pytest.raises(ValueError, match="26"):
        engine.encode(np.zeros((1, 2, 27), np.int8), np.zeros((1, 2), np.float32), ["shots"])
    with pytest.raises(ValueError, match="26"):
        NetworkSpec(hidden=(8,), num_places=27, num_scores=4, inputs="shots")
