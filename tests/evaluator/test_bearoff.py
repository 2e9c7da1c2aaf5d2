"""Bear-off tables: against known figures, against slow recursions over the oracle's plays, and their cache."""

from __future__ import annotations

import gc
import json
import logging
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb
from pathlib import Path
from threading import Thread

import numpy as np
import oracle
import pytest
from cases import FAULTS, ROLLS, faults_board
from command_line import fails, ok, ok_json

from tavla_ai import engine
from tavla_ai.cli.bearoff import bearoff as bearoff_command
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import (
    CACHE_VARIABLE,
    HEADER_SIZE,
    bearoff,
    cache_folder,
    find_tables,
    load_tables,
    open_tables,
    shape_of,
)
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names

SMALL = {"north-sultan": False, "traditional": True}
GAMES = tuple(name for name in ruleset_names() if name != "gul-bara")
WEIGHTS = {(high, low): 1 if high == low else 2 for high, low in ROLLS}
Home = tuple[int, ...]  # checkers on the points 1, 2, ...


def row_of(counts: dict[int, int], num_places: int = 26) -> np.ndarray:
    """A side with these checkers on its points and the others off."""
    row = np.zeros(num_places, np.int8)
    for point, count in counts.items():
        row[point] = count
    row[0] = 15 - row.sum()
    return row


def home_row(home: Home) -> np.ndarray:
    return row_of(dict(enumerate(home, 1)))


def small_shape(larger_first: bool) -> engine.BearoffShape:
    return engine.BearoffShape(larger_first=larger_first, points=8, checkers=3, pair_points=6, pair_checkers=3)


def small_tables(larger_first: bool) -> engine.Bearoff:
    shape = small_shape(larger_first)
    return engine.Bearoff(shape, engine.build_bearoff(shape))


def rules_of(name: str) -> engine.Rules:
    return compile_rules(get_ruleset(name))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with the full tables of the standard rule in it."""
    path = tmp_path_factory.mktemp("cache")
    found = open_tables(shape_of("standard"), folder=path)
    assert found.is_built
    assert found.num_bytes < 65 * 10**6
    return path


@pytest.fixture(scope="module")
def full(folder: Path) -> engine.Bearoff:
    return open_tables(shape_of("standard"), folder=folder).tables


# Known figures


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({6: 1}, 1.25),
        ({5: 1}, 1 + Fraction(5, 36)),
        ({5: 1, 2: 1}, 1.47530),
        ({6: 2}, 2.10961),
        (dict.fromkeys(range(1, 7), 1), 3.46365),
        (dict.fromkeys(range(1, 7), 2), 6.36033),
        ({1: 15}, 6.97951),
        ({1: 10}, 4.40815),
        ({6: 7, 5: 5, 4: 3}, 10.53901),
        ({6: 15}, 12.26632),
    ],
)
def test_expected_rolls_are_the_published_ones(counts: dict[int, int], expected: float, full: engine.Bearoff) -> None:
    """The published figures are sums of up to twenty chances of 16 bits, each off by at most 2^-17."""
    assert full.expected_rolls(row_of(counts)) == pytest.approx(float(expected), abs=1.6e-4)


@cache
def ace_chances(count: int) -> dict[int, Fraction]:
    """The chance of each number of rolls for a pile on the ace point: a double takes four, another roll two."""
    if count <= 0:
        return {0: Fraction(1)}
    chances: dict[int, Fraction] = {}
    for taken, share in ((4, Fraction(1, 6)), (2, Fraction(5, 6))):
        for rolls, chance in ace_chances(count - taken).items():
            chances[rolls + 1] = chances.get(rolls + 1, Fraction(0)) + share * chance
    return chances


def test_a_pile_on_the_ace_point(full: engine.Bearoff) -> None:
    rules = rules_of("north-sultan")
    for count in range(1, 16):
        row = row_of({1: count})
        expected = ace_chances(count)
        found = full.rolls_to_clear(row)
        assert len(found) == max(expected) + 1
        for rolls, chance in enumerate(found):
            assert chance == pytest.approx(float(expected.get(rolls, 0)), abs=1e-9)
        outcomes, is_exact = full.distribution_on_roll(rules, np.stack([row, row]))
        roller = sum(p * q for (mine, p), (his, q) in product(expected.items(), repeat=2) if mine <= his)
        assert outcomes[:2].sum() == pytest.approx(float(roller), abs=1e-9)
        assert is_exact == (count <= 8)


@pytest.mark.parametrize(("count", "win"), [(3, 0.86111), (4, 0.86111), (5, 0.78781), (6, 0.78781), (15, 0.67021)])
def test_the_roller_wins_as_published(count: int, win: float, full: engine.Bearoff) -> None:
    outcomes, _ = full.distribution_on_roll(rules_of("oyna-tavla"), np.stack([row_of({1: count})] * 2))
    assert outcomes[:2].sum() == pytest.approx(win, abs=2e-5)


def test_how_many_positions_there_are(full: engine.Bearoff) -> None:
    assert full.num_positions == comb(23, 8) == 490_314
    assert full.num_pairs == comb(14, 6) ** 2
    shape = engine.BearoffShape(larger_first=False, points=6, pair_checkers=6)
    home = engine.Bearoff(shape, engine.build_bearoff(shape))
    assert home.num_positions == 54_264
    assert home.num_pairs == 853_776


def test_a_bear_off_that_is_sure(full: engine.Bearoff) -> None:
    """Certainties are exact: no rounding makes a sure win anything else."""
    assert full.rolls_to_clear(row_of({1: 2})).tolist() == [0, 1]
    assert full.rolls_to_first(row_of({1: 15})).tolist() == [0, 1]
    assert full.rolls_to_first(row_of({6: 14})).tolist() == [1]


# Against recursions over the oracle's plays


@cache
def ends_of(preset: str, home: Home) -> dict[tuple[int, int], set[Home]]:
    """The ends of each roll, in the oracle's rules; the opponent stands where nobody meets him."""
    me = tuple(home_row(home).tolist())
    opp = oracle.side({6: 15})
    return {roll: {tuple(after[0][1:9]) for after in oracle.legal_turns(preset, (me, opp), roll)} for roll in WEIGHTS}


def homes(points: int, checkers: int) -> Iterator[Home]:
    for places in combinations_with_replacement(range(points + 1), checkers):
        home = tuple(places.count(point) for point in range(1, points + 1)) + (0,) * (8 - points)
        if any(home):
            yield home


@cache
def brute_force(preset: str, home: Home) -> tuple[float, dict[int, float], bool]:
    """The mean and the chances of the rolls to clear, and whether these depend on which of equal ends is chosen."""
    if not any(home):
        return 0.0, {0: 1.0}, False
    mean, chances, is_tied = 1.0, dict[int, float](), False
    for roll, ends in ends_of(preset, home).items():
        found = [brute_force(preset, end) for end in ends]
        least = min(mean for mean, _, _ in found)
        best = [end for end in found if end[0] < least + 1e-12]
        is_tied |= best[0][2] or any(end[1] != pytest.approx(best[0][1], abs=1e-12) for end in best)
        mean += WEIGHTS[roll] * least / 36
        for rolls, chance in best[0][1].items():
            chances[rolls + 1] = chances.get(rolls + 1, 0) + WEIGHTS[roll] * chance / 36
    return mean, chances, is_tied


@pytest.mark.parametrize("preset", SMALL)
def test_rolls_are_those_of_brute_force(preset: str) -> None:
    tables = small_tables(SMALL[preset])
    num_compared = 0
    for home in homes(8, 3):
        mean, chances, is_tied = brute_force(preset, home)
        row = home_row(home)
        assert tables.expected_rolls(row) == pytest.approx(mean, abs=1e-9)
        found = tables.rolls_to_clear(row)
        assert found.sum() == pytest.approx(1, abs=1e-15)
        if not is_tied:
            num_compared += 1
            assert dict(enumerate(found)) == pytest.approx(
                {rolls: chances.get(rolls, 0) for rolls in range(len(found))}, abs=1e-9
            )
    assert num_compared > 100


@pytest.mark.parametrize("preset", SMALL)
def test_wins_are_those_of_brute_force(preset: str) -> None:
    @cache
    def wins(mine: Home, his: Home) -> float:
        """The chance that the side on roll wins, both playing for nothing else."""
        if not any(his):
            return 0.0
        return sum(
            weight * max(1 - wins(his, end) for end in ends_of(preset, mine)[roll]) / 36
            for roll, weight in WEIGHTS.items()
        )

    tables, rules = small_tables(SMALL[preset]), rules_of(preset)
    for mine, his in product(homes(6, 3), repeat=2):
        board = np.stack([home_row(mine), home_row(his)])
        outcomes, is_exact = tables.distribution_on_roll(rules, board)
        assert is_exact
        win = wins(mine, his)
        assert outcomes.tolist() == pytest.approx([0, win, 1 - win, 0], abs=1e-9)


def test_the_larger_die_first_costs_rolls() -> None:
    free, larger_first = (small_tables(rule).expected_rolls(row_of({6: 1, 4: 1, 1: 1})) for rule in (False, True))
    assert larger_first > free + 0.07


# Against the engine's plays, in every game


def random_row(rng: np.random.Generator, points: int, checkers: int, num_places: int) -> np.ndarray:
    places, counts = np.unique(rng.integers(1, points + 1, checkers), return_counts=True)
    return row_of(dict(zip(places.tolist(), counts.tolist(), strict=True)), num_places)


def mean(chances: np.ndarray) -> float:
    return float(chances @ np.arange(len(chances)))


def check_consistent(tables: engine.Bearoff, preset: str, num_positions: int) -> None:
    """A position is worth what the best of the engine's plays of each roll are worth."""
    rules = rules_of(preset)
    rng = np.random.default_rng(7)
    for i in range(num_positions):
        checkers = (15, 15) if i % 2 else tuple(rng.integers(1, 9, 2).tolist())
        points = 8 if i % 2 else 6
        board = np.stack([random_row(rng, points, count, rules.num_places) for count in checkers])
        clear, first, win = 1.0, 1.0, 0.0
        for roll, weight in WEIGHTS.items():
            after, _, scores = engine.legal_plays(rules, board, *roll)
            goes_on = [row for row, score in zip(after, scores, strict=True) if score == engine.NO_SCORE]
            assert all(tables.covers(rules, row) for row in goes_on)
            if len(goes_on) < len(after):
                win += weight / 36
                continue
            clear += weight / 36 * min(tables.expected_rolls(row[0]) for row in goes_on)
            first += weight / 36 * min(mean(tables.rolls_to_first(row[0])) for row in goes_on)
            win += weight / 36 * max(won(tables, rules, row) for row in goes_on)
        assert tables.expected_rolls(board[0]) == pytest.approx(clear, abs=1e-8)
        if board[0, 0] == 0:
            assert mean(tables.rolls_to_first(board[0])) == pytest.approx(first, abs=1e-8)
        outcomes, is_exact = tables.distribution_on_roll(rules, board)
        assert is_exact == (i % 2 == 0)
        if is_exact:
            assert outcomes[np.array(get_ruleset(preset).scores) > 0].sum() == pytest.approx(win, abs=1e-9)


def won(tables: engine.Bearoff, rules: engine.Rules, after: np.ndarray) -> float:
    """The chance of the player who has just moved to win."""
    outcomes, _ = tables.distribution(rules, after)
    return float(outcomes[: len(outcomes) // 2].sum())


@pytest.mark.parametrize("preset", [name for name in GAMES if name != "traditional"])
def test_every_game_bears_off_as_the_tables_do(preset: str, full: engine.Bearoff) -> None:
    check_consistent(full, preset, 20)


@pytest.mark.slow
def test_larger_first_bears_off_as_the_tables_do(tmp_path: Path) -> None:
    tables = load_tables(get_ruleset("traditional"), folder=tmp_path)
    assert tables is not None
    check_consistent(tables, "traditional", 100)
    # The order of the dice costs something, but little.
    assert tables.expected_rolls(row_of({6: 15})) == pytest.approx(12.2716, abs=1e-4)


# Wins and mars from the rolls of both sides


@pytest.mark.parametrize("preset", ["north-sultan", "oyna-backgammon", "plakoto", "tawula"])
def test_chances_from_both_sides_rolls(preset: str, full: engine.Bearoff) -> None:
    ruleset, rules = get_ruleset(preset), rules_of(preset)
    rng = np.random.default_rng(3)
    for checkers in [(15, 15), (15, 3), (4, 15), (2, 15), (9, 9), (12, 8)]:
        board = np.stack([random_row(rng, 8, count, rules.num_places) for count in checkers])
        mine, his = (full.rolls_to_clear(row) for row in board)
        my_first, his_first = (full.rolls_to_first(row) for row in board)
        win = sum(p * his[rolls:].sum() for rolls, p in enumerate(mine))
        mars = sum(p * his_first[rolls:].sum() for rolls, p in enumerate(mine) if rolls > 0)
        mars_lost = sum(p * my_first[rolls + 1 :].sum() for rolls, p in enumerate(his))
        if preset == "tawula":
            mars = mars_lost = 0
        expected = dict.fromkeys(ruleset.scores, 0.0)
        expected |= {1: win - mars, -1: 1 - win - mars_lost}
        if preset != "tawula":
            expected |= {2: mars, -2: mars_lost}
        outcomes, is_exact = full.distribution_on_roll(rules, board)
        assert not is_exact
        assert dict(zip(ruleset.scores, outcomes.tolist(), strict=True)) == pytest.approx(expected, abs=1e-9)
        assert outcomes.sum() == pytest.approx(1, abs=1e-15)
        # The same position, seen by the opponent who has just moved.
        after, _ = full.distribution(rules, board[::-1].copy())
        assert after.tolist() == outcomes[::-1].tolist()


# Inputs on which public programs were wrong; both sides' points are in the mover's numbering there


def fault(name: str) -> dict[str, object]:
    (case,) = (case for case in FAULTS if case["id"].startswith(name))
    return case


def afterstates(case: dict) -> np.ndarray:
    return engine.legal_plays(rules_of("north-sultan"), faults_board(case["board"]), *case["dice"])[0]


def test_two_checkers_against_three_on_the_ace_point(full: engine.Bearoff) -> None:
    case = fault("ev01")
    expected = {
        tuple(home_row(tuple(json.loads(final).get(str(point), 0) for point in range(1, 7)))): float(Fraction(share))
        for final, share in case["expectation"]["win_probability_by_final_me"].items()
    }
    rules = rules_of("north-sultan")
    found = {tuple(after[0]): won(full, rules, after) for after in afterstates(case)}
    assert {row: found[row] for row in expected} == pytest.approx(expected, abs=1e-9)
    best = max(found, key=lambda row: found[row])
    assert best == tuple(faults_board(case["expectation"]["best_final"])[0])
    equity = 2 * found[best] - 1
    assert equity == pytest.approx(float(Fraction(case["expectation"]["equity_tavla_best"])), abs=1e-9)


def test_a_sure_mars(full: engine.Bearoff) -> None:
    rules, board = rules_of("north-sultan"), faults_board(fault("ev03")["board"])
    assert full.distribution_on_roll(rules, board) == (pytest.approx([1, 0, 0, 0]), False)
    assert full.distribution(rules, board[::-1].copy()) == (pytest.approx([0, 0, 0, 1]), False)


def test_saving_the_mars(full: engine.Bearoff) -> None:
    rules, expect = rules_of("north-sultan"), fault("ev04")["expectation"]
    for finals, outcomes in ((expect["acceptable_finals"], [0, 0, 1, 0]), (expect["wrong_finals"], [0, 0, 0, 1])):
        for final in finals:
            assert full.distribution(rules, faults_board(final))[0].tolist() == outcomes


def test_bear_off_without_waste(full: engine.Bearoff) -> None:
    case = fault("ev06")
    found = {tuple(after[0]): full.expected_rolls(after[0]) for after in afterstates(case)}
    expect = case["expectation"]
    assert min(found, key=lambda row: found[row]) == tuple(faults_board(expect["best_final"])[0])
    ranked = sorted(found.values())
    assert [ranked[0], ranked[1], ranked[-1]] == pytest.approx(
        [expect[f"expected_rolls_{which}"] for which in ("best", "second", "worst")], abs=1e-5
    )


# What the tables have


def test_what_is_covered(full: engine.Bearoff) -> None:
    rules = rules_of("north-sultan")

    def covers(mine: dict[int, int], his: dict[int, int]) -> bool:
        board = np.stack([row_of(mine), row_of(his)])
        # The same from both sides.
        assert full.covers(rules, board) == full.covers(rules, board[::-1].copy())
        return full.covers(rules, board)

    assert covers({8: 15}, {8: 15})
    assert covers({1: 1}, {1: 1})
    assert not covers({9: 1}, {1: 2})
    assert not covers({1: 14, 9: 1}, {1: 15})
    assert not covers({1: 14, 25: 1}, {1: 15})
    assert not covers({}, {1: 15})
    start = rules.start()
    assert not full.covers(rules, start)
    with pytest.raises(RulesetError, match="not in the bear-off tables"):
        full.distribution(rules, start)
    with pytest.raises(RulesetError, match="up to 15 checkers on the lowest 8 points"):
        full.expected_rolls(start[0])


def test_which_games_have_these_tables(full: engine.Bearoff) -> None:
    for name in ruleset_names():
        rules = rules_of(name)
        board = np.stack([row_of({3: 2}, rules.num_places)] * 2)
        expected = name not in ("traditional", "gul-bara")
        assert full.fits(rules) == full.covers(rules, board) == expected
    assert load_tables(get_ruleset("gul-bara")) is None


def test_a_reserve_is_not_covered(full: engine.Bearoff) -> None:
    rules = rules_of("tawula")
    board = np.stack([row_of({3: 2}, 27)] * 2)
    board[0, [0, 26]] = 12, 1
    assert not full.covers(rules, board)


def test_shapes_that_cannot_be_built() -> None:
    for wrong in ({"points": 9}, {"checkers": 16}, {"points": 0}, {"pair_points": 7}, {"pair_checkers": 10}):
        with pytest.raises(RulesetError, match="bear-off tables"):
            engine.build_bearoff(engine.BearoffShape(larger_first=False, **wrong))


def test_data_of_another_shape_is_refused() -> None:
    shape = small_shape(False)
    data = engine.build_bearoff(shape)
    for wrong in (data[:-9], data[:8], np.zeros(0, np.uint8)):
        with pytest.raises(RulesetError, match=r"bear-off tables: \d+ bytes"):
            engine.Bearoff(shape, wrong)
    outside = data.copy()
    outside[8:12] = 255
    with pytest.raises(RulesetError, match="row 1 points outside"):
        engine.Bearoff(shape, outside)


def test_tables_keep_their_data_alive() -> None:
    tables = small_tables(False)
    gc.collect()
    assert tables.expected_rolls(row_of({6: 1})) == pytest.approx(1.25)


def test_progress_is_in_percents_and_may_stop_the_building() -> None:
    percents: list[int] = []
    first = engine.build_bearoff(small_shape(False), percents.append)
    assert sum(percents) == 100
    np.testing.assert_array_equal(engine.build_bearoff(small_shape(False)), first)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.build_bearoff(small_shape(False), stop)


# The cache


@pytest.fixture
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget which tables this process has opened."""
    monkeypatch.setattr(bearoff, "_opened", {})


def forget() -> None:
    bearoff._opened.clear()


@pytest.mark.usefixtures("new_process")
class TestCache:
    SHAPE = small_shape(False)

    def build(self, folder: Path) -> Path:
        found = open_tables(self.SHAPE, folder=folder)
        assert found.is_built
        assert found.path == folder / "bearoff-standard.bin"
        assert list(folder.iterdir()) == [found.path]
        forget()
        return found.path

    def check_rebuilt(self, path: Path, reason: str, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING):
            found = open_tables(self.SHAPE, folder=path.parent)
        assert found.is_built
        (record,) = caplog.records
        assert record.levelname == "WARNING"
        assert re.search(reason, record.getMessage())
        assert str(path) in record.getMessage()
        assert found.tables.expected_rolls(row_of({6: 1})) == pytest.approx(1.25)
        forget()
        caplog.clear()
        assert not open_tables(self.SHAPE, folder=path.parent).is_built
        assert not caplog.records

    def test_what_is_there_is_used(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        folder = tmp_path / "made" / "as needed"
        path = self.build(folder)
        content = path.read_bytes()
        found = open_tables(self.SHAPE, folder=folder)
        assert not found.is_built
        assert found.num_bytes == len(content)
        assert open_tables(self.SHAPE, folder=folder) is found  # the process has it already
        again = open_tables(self.SHAPE, folder=folder, force=True)
        assert again.is_built
        assert path.read_bytes() == content
        assert not caplog.records

    @pytest.mark.parametrize("place", [HEADER_SIZE, HEADER_SIZE + 12_345, -1])
    def test_a_damaged_file_is_built_again(self, place: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = self.build(tmp_path)
        data = bytearray(path.read_bytes())
        data[place] ^= 1
        path.write_bytes(data)
        self.check_rebuilt(path, "checksum is wrong.*building it again", caplog)

    @pytest.mark.parametrize("size", [0, 100, HEADER_SIZE, HEADER_SIZE + 1000])
    def test_a_file_cut_short_is_built_again(self, size: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = self.build(tmp_path)
        path.write_bytes(path.read_bytes()[:size])
        self.check_rebuilt(path, "cut short|checksum is wrong", caplog)

    @pytest.mark.parametrize(
        ("begin", "reason"), [(b"something else", "not a file"), (b"tavla-ai bear-off tables\n[1]\xff", "damaged")]
    )
    def test_a_damaged_header(
        self, begin: bytes, reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = self.build(tmp_path)
        path.write_bytes(begin + path.read_bytes()[len(begin) :])
        self.check_rebuilt(path, reason, caplog)

    def test_another_version_is_built_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(engine, "BEAROFF_VERSION", 0)
            path = self.build(tmp_path)
        self.check_rebuilt(path, "version 0, expected 1", caplog)

    def test_another_shape_or_rule_is_built_again(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = self.build(tmp_path)
        larger_first = open_tables(small_shape(True), folder=tmp_path).path
        assert larger_first is not None
        path.write_bytes(larger_first.read_bytes())
        self.check_rebuilt(path, "rule 'larger-first', expected 'standard'", caplog)
        forget()
        shape = engine.BearoffShape(larger_first=False, points=6, checkers=2, pair_checkers=2)
        assert open_tables(shape, folder=tmp_path).is_built
        assert "points 8, expected 6" in caplog.text

    def test_nothing_is_built_where_that_is_not_wanted(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        assert find_tables(self.SHAPE, folder=tmp_path) is None
        assert load_tables(get_ruleset("north-sultan"), folder=tmp_path, build=False) is None
        assert not caplog.records
        path = self.build(tmp_path)
        assert find_tables(self.SHAPE, folder=tmp_path) is not None
        forget()
        path.write_bytes(b"x" * (HEADER_SIZE + 1))
        assert find_tables(self.SHAPE, folder=tmp_path) is None
        assert "not used" in caplog.text

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        in_the_way = tmp_path / "file"
        in_the_way.write_text("")
        found = open_tables(self.SHAPE, folder=in_the_way)
        assert found.path is None
        assert "used from memory" in caplog.text
        assert found.tables.expected_rolls(row_of({6: 1})) == pytest.approx(1.25)
        assert open_tables(self.SHAPE, folder=in_the_way) is found

    def test_a_full_disk_leaves_nothing_behind(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", refuse)
        assert open_tables(self.SHAPE, folder=tmp_path).path is None
        assert "No space left on device" in caplog.text
        assert list(tmp_path.iterdir()) == []

    def test_many_may_build_at_once(self, tmp_path: Path) -> None:
        program = (
            "import sys; from pathlib import Path; from tavla_ai import engine\n"
            "from tavla_ai.evaluator.bearoff import *\n"
            "from tavla_ai.evaluator.bearoff import open_tables\n"
            "shape = engine.BearoffShape(larger_first=False, checkers=3, pair_checkers=3)\n"
            "for _ in range(10): open_tables(shape, folder=Path(sys.argv[1]), force=True)\n"
        )
        processes = [
            subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        for process in processes:
            assert (process.communicate()[1], process.returncode) == ("", 0)
        assert [path.name for path in tmp_path.iterdir()] == ["bearoff-standard.bin"]
        assert not open_tables(self.SHAPE, folder=tmp_path).is_built

    def test_threads_share_the_tables(self, tmp_path: Path) -> None:
        found: list[engine.Bearoff] = []
        threads = [
            Thread(target=lambda: found.append(open_tables(self.SHAPE, folder=tmp_path).tables)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert all(tables is found[0] for tables in found)


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == tmp_path / "xdg" / "tavla-ai"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "tavla-ai"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "tavla-ai"
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen"


# The command line


def test_the_examples_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    text = (bearoff_command.help or "") + (bearoff_command.commands["show"].help or "")
    examples = re.findall(r"^ *tavla (.*)$", text, re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        assert ok(*shlex.split(example))


@pytest.mark.usefixtures("new_process")
def test_build_says_what_there_is(folder: Path) -> None:
    args = ("bearoff", "build", "--rule", "standard", "--folder", folder)
    (data,) = ok_json(*args)
    assert data == data | {"rule": "standard", "built": False, "positions": 490_314, "pairs": 9_018_009}
    assert Path(data["path"]).stat().st_size == data["bytes"]
    assert "up to date" in ok(*args)


def test_show_gives_chances_and_rolls(folder: Path) -> None:
    args = ("bearoff", "show", "--folder", folder, "--position", "6:1 4:1 / 1:3")
    data = ok_json(*args)
    assert data["exact"]
    assert sum(data["outcomes"]) == pytest.approx(1)
    assert data["mover"]["rolls_to_first"] == [1]
    assert data["opponent"]["expected_rolls"] == pytest.approx(1 + 5 / 6)
    assert f"{100 * data['win']:.3f}" in ok(*args)


def test_show_refuses_what_is_no_bear_off(folder: Path) -> None:
    assert "points 1 to 8" in fails("bearoff", "show", "--folder", folder)
    assert "no bear-off tables" in fails("bearoff", "show", "--ruleset", "gul-bara")
    assert "'bogus'" in fails("bearoff", "build", "--rule", "bogus")
