"""Dice: the published generator, fair, and a function of (seed, game, turn) alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from cases import FAULTS
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.rules import get_ruleset

DICE_CASE = next(case for case in FAULTS if case["kind"] == "dice")["expectation"]
P_DOUBLE, P_EACH_DOUBLE, P_EACH_MIXED = (
    float(Fraction(DICE_CASE[name])) for name in ("P_double", "P_each_double", "P_each_mixed")
)
USES_DICE, REROLLS = "north-sultan", "oyna-tavla"
SEEDS = st.integers(0, 2**64 - 1)


def chi_square(counts: np.ndarray, expected: np.ndarray | float) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def limit(freedom: int) -> float:
    """The chi-square that chance exceeds once in 10,000 times (Wilson and Hilferty 1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + 3.719 * math.sqrt(part)) ** 3


def check_fair(rolls: np.ndarray) -> None:
    """Faces, doubles, mixed rolls and the two dice of `[n, 2]` rolls are as of two fair dice."""
    n = len(rolls)
    table = np.zeros((6, 6), int)
    np.add.at(table, tuple(rolls.T - 1), 1)
    assert table.sum() == n
    assert chi_square(table, n / 36) < limit(35)
    for faces in (table.sum(axis=0), table.sum(axis=1)):
        assert chi_square(faces, n / 6) < limit(5)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    assert chi_square(table, independent) < limit(25)
    classes = np.array([table[i, j] + table[j, i] * (i != j) for i in range(6) for j in range(i + 1)])
    each = [P_EACH_DOUBLE if i == j else P_EACH_MIXED for i in range(6) for j in range(i + 1)]
    assert chi_square(classes, n * np.array(each)) < limit(20)
    assert_share(np.trace(table), n, P_DOUBLE)


def assert_share(count: int, n: int, chance: float) -> None:
    """A count within four standard deviations."""
    assert abs(count - n * chance) < 4 * math.sqrt(n * chance * (1 - chance))


# The generator


def test_reference_is_the_published_philox(reference_streams: Any) -> None:
    """The known answers for philox4x32-10 of Random123, the authors' library (kat_vectors)."""
    philox = reference_streams.philox
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), 0x299F31D0_A4093822
    ones = (0xFFFFFFFF,) * 4, 0xFFFFFFFF_FFFFFFFF
    assert philox((0, 0, 0, 0), 0) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    assert philox(*ones) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    assert philox(*pi) == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


@given(seed=SEEDS, game=SEEDS)
def test_rolls_and_openings_are_those_of_the_reference(
    seed: int, game: int, reference_streams: Any, rules_of: Callable[..., engine.Rules]
) -> None:
    streams = reference_streams(seed, game)
    assert list(map(tuple, engine.rolls(seed, game, 12).tolist())) == [streams.roll(n) for n in range(12)]
    for preset, rerolls in ((USES_DICE, False), (REROLLS, True)):
        assert engine.opening(rules_of(preset), seed, game) == streams.opening(rerolls)


def test_pinned_rolls(rules_of: Callable[..., engine.Rules]) -> None:
    """A change of the dice changes every recorded result: it must be seen here first."""
    for (seed, game), pinned in PINNED.items():
        assert engine.rolls(seed, game, 6).tolist() == pinned
    for preset, pinned in PINNED_OPENINGS.items():
        assert [engine.opening(rules_of(preset), 1, game) for game in range(6)] == pinned


PINNED = {
    (0, 0): [[3, 6], [6, 3], [1, 2], [5, 3], [6, 5], [3, 1]],
    (1, 2): [[6, 4], [5, 6], [4, 3], [6, 3], [6, 2], [2, 5]],
    (2026, 1_000_000_007): [[6, 6], [5, 3], [4, 2], [1, 6], [4, 5], [2, 2]],
    (2**64 - 1, 2**64 - 1): [[2, 3], [4, 2], [6, 1], [2, 2], [1, 4], [5, 5]],
}
PINNED_OPENINGS = {
    USES_DICE: [(0, (4, 1)), (1, (1, 4)), (0, (4, 2)), (1, (3, 6)), (1, (2, 5)), (1, (1, 2))],
    REROLLS: [(0, (6, 6)), (1, (1, 2)), (0, (6, 4)), (1, (4, 6)), (1, (5, 3)), (1, (6, 6))],
}


# Fairness


def test_a_million_rolls_of_one_stream_are_fair() -> None:
    """Together, and those of each player: the turns alternate."""
    rolls = engine.rolls(7, 0, 2_400_000)
    assert rolls.dtype == np.int8
    for part in (rolls, rolls[::2], rolls[1::2]):
        check_fair(part)
    check_fair(np.stack([rolls[:-1, 0], rolls[1:, 0]], axis=1))  # one turn and the next
    check_fair(np.stack([rolls[:-1, 1], rolls[1:, 0]], axis=1))


def test_the_same_turn_of_many_games_is_fair() -> None:
    """As training sees the dice: few rolls of each game, games in a row; and seeds in a row."""
    games = np.stack([engine.rolls(7, game, 3) for game in range(60_000)])
    for ply in range(3):
        check_fair(games[:, ply])
    check_fair(np.stack([games[:-1, 0, 0], games[1:, 0, 0]], axis=1))
    seeds = np.stack([engine.rolls(seed, 0, 1)[0] for seed in range(60_000)])
    check_fair(seeds)
    check_fair(np.stack([seeds[:-1, 0], seeds[1:, 0]], axis=1))


def test_games_and_seeds_have_dice_of_their_own() -> None:
    wide = [0, 1, 2, 255, 256, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    streams = {engine.rolls(seed, game, 30).tobytes() for seed in wide for game in wide}
    assert len(streams) == len(wide) ** 2
    assert len({engine.rolls(3, game, 30).tobytes() for game in range(5000)}) == 5000


# Openings


def openings(rules: engine.Rules, number: int) -> tuple[np.ndarray, np.ndarray]:
    seats, rolls = zip(*(engine.opening(rules, 11, game) for game in range(number)), strict=True)
    return np.array(seats), np.array(rolls)


def test_opening_with_the_opening_dice(rules_of: Callable[..., engine.Rules]) -> None:
    """Fifteen rolls, never a double, each with a chance of 1/15; the higher die starts."""
    n = 60_000
    seats, rolls = openings(rules_of(USES_DICE), n)
    assert (rolls[:, 0] != rolls[:, 1]).all()
    np.testing.assert_array_equal(seats, (rolls[:, 0] < rolls[:, 1]).astype(int))
    assert_share((seats == 0).sum(), n, 1 / 2)
    table = np.zeros((6, 6), int)
    np.add.at(table, tuple(rolls.T - 1), 1)
    assert chi_square(table[~np.eye(6, dtype=bool)], n / 30) < limit(29)
    assert chi_square((table + table.T)[np.tril_indices(6, -1)], n / 15) < limit(14)


def test_opening_with_a_fresh_roll(rules_of: Callable[..., engine.Rules]) -> None:
    """All 21 rolls, a double once in six, whoever starts; the roll is the first of the game's stream."""
    n = 60_000
    seats, rolls = openings(rules_of(REROLLS), n)
    check_fair(rolls)
    for seat in (0, 1):
        assert_share((seats == seat).sum(), n, 1 / 2)
        check_fair(rolls[seats == seat])
    for game in range(50):
        np.testing.assert_array_equal(rolls[game], engine.rolls(11, game, 1)[0])


def test_the_same_seat_starts_whatever_is_done_with_the_opening_dice(
    preset: str, rules: engine.Rules, rules_of: Callable[..., engine.Rules]
) -> None:
    assert [engine.opening(rules, 5, game)[0] for game in range(200)] == [
        engine.opening(rules_of(USES_DICE), 5, game)[0] for game in range(200)
    ]


# The dice of a game do not depend on what is played


def expected_dice(rules: engine.Rules, seed: int, game: int, n: int) -> np.ndarray:
    rolls = engine.rolls(seed, game, n)
    rolls[0] = engine.opening(rules, seed, game)[1]
    return rolls


def test_random_games_use_the_stream(preset: str, rules: engine.Rules) -> None:
    """The opening, then roll n on turn n; the starting player and the number of turns change nothing."""
    for game in range(20):
        _, dice = engine.random_walk(rules, 5, game, 1)
        np.testing.assert_array_equal(dice, expected_dice(rules, 5, game, len(dice)))
    if get_ruleset(preset).opening == "reroll":
        np.testing.assert_array_equal(dice, engine.rolls(5, 19, len(dice)))


def test_every_network_meets_the_same_dice(
    rules: engine.Rules, network_of: Callable[..., engine.Network], single_game: tuple[np.ndarray, np.ndarray]
) -> None:
    """Each afterstate of self-play follows from the one before it by a legal play of the stream's next roll."""
    start = engine.random_walk(rules, 5, 0, 1)[0][0]
    ways = []
    for seed in (1, 2, 3):
        for game in range(4):
            played = engine.self_play(
                rules,
                network_of((16,), seed),
                5,
                game,
                1,
                lambda_=0.7,
                values=single_game[0],
                inputs=single_game[1],
                shares=[1.0],
            )
            boards = played.boards
            dice = expected_dice(rules, 5, game, played.plies)
            before = start
            for after, roll in zip(boards, dice, strict=False):
                legal, _, _ = engine.legal_plays(rules, before, *roll.tolist())
                assert (legal == after).all(axis=(1, 2)).any()
                before = np.ascontiguousarray(after[::-1])
            legal, _, _ = engine.legal_plays(rules, before, *dice[len(boards)].tolist())
            assert (legal[:, 0, 0] == 15).any()
            ways.append(boards.tobytes())
    assert len(set(ways)) == len(ways)


def test_dice_are_a_pure_function(
    rules: engine.Rules, network_of: Callable[..., engine.Network], single_game: tuple[np.ndarray, np.ndarray]
) -> None:
    """Asked again, in another order and after other games were played, they are the same."""
    first = [engine.rolls(9, game, 40).tobytes() for game in range(20)]
    starts = [engine.opening(rules, 9, game) for game in range(20)]
    engine.self_play(
        rules, network_of(), 9, 0, 5, lambda_=0.7, values=single_game[0], inputs=single_game[1], shares=[1.0]
    )
    engine.duel(
        rules,
        engine.Player.random(),
        engine.Player.network(network_of()),
        9,
        0,
        5,
        values=single_game[0],
        inputs=single_game[1],
    )
    engine.random_walk(rules, 9, 0, 5)
    assert [engine.rolls(9, game, 40).tobytes() for game in reversed(range(20))] == first[::-1]
    assert [engine.opening(rules, 9, game) for game in reversed(range(20))] == starts[::-1]
    assert engine.rolls(9, 3, 10).tobytes() == first[3][:20]
