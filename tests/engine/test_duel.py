"""Paired games and matches: the same dice twice, and the results that a replay in Python gives too."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from network_reference import possible
from networks import untrained

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.match import utilities
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import Position, compile_rules, get_ruleset

SEED = 33
SCORES = (2, 1, -1, -2)
SCORE_INDEX = {score: index for index, score in enumerate(SCORES)}

Utilities = tuple[np.ndarray, np.ndarray]
NetworkOf = Callable[..., engine.Network]


@pytest.fixture(scope="module")
def pubeval(pubeval_weights: tuple[np.ndarray, np.ndarray]) -> engine.Player:
    return engine.Player.pubeval(*pubeval_weights)


# The same games by hand


class Decision(NamedTuple):
    """What a player knows: `values` and `inputs` are those of his utility."""

    rules: engine.Rules
    before: np.ndarray
    roll: tuple[int, int]
    legal: np.ndarray
    values: np.ndarray
    inputs: np.ndarray
    streams: Any
    ply: int


Chooser = Callable[[Decision], int]


def random_chooser(decision: Decision) -> int:
    return int(decision.streams.choice(decision.ply, len(decision.legal)))


def network_chooser(network: engine.Network) -> Chooser:
    def choose(decision: Decision) -> int:
        shares = network.evaluate_plays(decision.rules, decision.before, *decision.roll, decision.inputs)
        worth = possible(get_ruleset("north-sultan"), decision.legal, shares) @ decision.values
        finished = decision.legal[:, 0, 0] == 15
        worth[finished] = decision.values[0 if decision.before[1, 0] == 0 else 1]
        return int(worth.argmax())

    return choose


def pubeval_chooser(contact: np.ndarray, race: np.ndarray) -> Chooser:
    """As its author's note has it: 24 times five inputs, from the back point on, then his bar and my off."""

    def inputs(after: np.ndarray) -> list[float]:
        units: list[float] = []
        for point in range(24, 0, -1):
            n = int(after[0, point]) - int(after[1, 25 - point])
            units += [n == -1, n == 1, n >= 2, n == 3, (n - 3) / 2 if n >= 4 else 0]
        return [*units, after[1, 25] / 2, after[0, 0] / 15]

    def choose(decision: Decision) -> int:
        mine, theirs = (int(np.flatnonzero(side)[-1]) for side in decision.before)
        weights = contact if mine + theirs > 25 else race
        finished = decision.legal[:, 0, 0] == 15
        if finished.any():
            return int(finished.argmax())
        return int((np.array([inputs(after) for after in decision.legal]) @ weights.astype(float)).argmax())

    return choose


class Replay:
    """Plays what `engine.duel` plays; players are (A, B)."""

    def __init__(
        self, preset: str, players: tuple[Chooser, Chooser], length: int, grid: Utilities, streams_of: Any
    ) -> None:
        self.ruleset = get_ruleset(preset)
        self.rules = compile_rules(self.ruleset)
        self.players, self.length, self.grid, self.streams_of = players, length, grid, streams_of
        self.scores = [0, 0, 0, 0]

    def utility(self, away: tuple[int, int]) -> Utilities:
        row = (away[0] - 1) * self.length + away[1] - 1 if self.length else 0
        return self.grid[0][row], self.grid[1][row]

    def game(self, streams: Any, first_seat: int | None, a_seat: int, away: list[int]) -> tuple[int, int]:
        """The seat that wins and its score."""
        seat, roll = streams.opening(self.ruleset.opening == "reroll")
        if first_seat is not None:
            seat, roll = first_seat, streams.roll(0)
        before = Position.start(self.ruleset).board
        for ply in count():
            if ply:
                roll = streams.roll(ply)
            legal, _, _ = engine.legal_plays(self.rules, before, *roll)
            utility = self.utility((away[seat], away[1 - seat]))
            decision = Decision(self.rules, before, roll, legal, *utility, streams, ply)
            after = legal[self.players[seat ^ a_seat](decision)]
            score = Position(after).score(self.ruleset)
            if score is not None:
                return seat, score
            before = np.ascontiguousarray(after[::-1])
            seat = 1 - seat
        raise AssertionError

    def contest(self, seed: int, pair: int, a_seat: int) -> int:
        """What A gets from a game or a match."""
        away = [self.length, self.length]
        first_seat = None
        for round_ in count():
            winner, score = self.game(self.streams_of(seed, pair, round_), first_seat, a_seat, away)
            points = score if winner == a_seat else -score
            self.scores[SCORE_INDEX[points]] += 1
            if not self.length:
                return points
            away[winner] -= score
            if away[winner] <= 0:
                return 1 if winner == a_seat else -1
            if self.ruleset.next_game == "winner_rolls":
                first_seat = winner
        raise AssertionError


@pytest.mark.parametrize("length", [0, 1, 3])
@pytest.mark.parametrize("names", [("random", "random"), ("network", "random"), ("pubeval", "network")], ids="-".join)
def test_results_are_those_of_a_replay(
    names: tuple[str, str],
    length: int,
    preset: str,
    rules: engine.Rules,
    network_of: NetworkOf,
    pubeval: engine.Player,
    pubeval_weights: tuple[np.ndarray, np.ndarray],
    single_game: Utilities,
    match_grid: Callable[[int], Utilities],
    reference_streams: Any,
) -> None:
    """Who starts, the dice, what each player plays for, the score and who starts the next game."""
    network = network_of((16,), 5)
    players: dict[str, tuple[engine.Player, Chooser]] = {
        "random": (engine.Player.random(), random_chooser),
        "network": (engine.Player.network(network), network_chooser(network)),
        "pubeval": (pubeval, pubeval_chooser(*pubeval_weights)),
    }
    grid = match_grid(length) if length else single_game
    (a, choose_a), (b, choose_b) = (players[name] for name in names)
    first_pair, pairs = 7, 3
    result = engine.duel(rules, a, b, SEED, first_pair, pairs, length=length, values=grid[0], inputs=grid[1])
    replay = Replay(preset, (choose_a, choose_b), length, grid, reference_streams)
    expected = [
        [replay.contest(SEED, pair, a_seat) for a_seat in (0, 1)] for pair in range(first_pair, first_pair + pairs)
    ]
    assert result.points.tolist() == expected
    assert result.scores == replay.scores
    assert result.games == sum(replay.scores)


# Pairs


@pytest.mark.parametrize("length", [0, 3])
@pytest.mark.parametrize("name", ["random", "pubeval", "network"])
def test_a_player_against_itself_scores_nothing(
    name: str,
    length: int,
    rules: engine.Rules,
    network_of: NetworkOf,
    pubeval: engine.Player,
    single_game: Utilities,
    match_grid: Callable[[int], Utilities],
) -> None:
    """Seats exchanged with the same dice, the same games are played with exchanged results, pair by pair."""
    player = {
        "random": engine.Player.random(),
        "pubeval": pubeval,
        "network": engine.Player.network(network_of()),
    }[name]
    grid = match_grid(length) if length else single_game
    result = engine.duel(rules, player, player, SEED, 0, 100, length=length, values=grid[0], inputs=grid[1])
    assert result.points.shape == (100, 2)
    assert result.points.dtype == np.int16
    np.testing.assert_array_equal(result.points[:, 0], -result.points[:, 1])
    assert result.points.sum() == 0
    assert result.scores == result.scores[::-1]
    assert (result.points[:, 0] > 0).any()
    assert (result.points[:, 0] < 0).any()


def test_exchanged_players_give_exchanged_results(
    rules: engine.Rules, network_of: NetworkOf, pubeval: engine.Player, single_game: Utilities
) -> None:
    network = engine.Player.network(network_of())
    one = engine.duel(rules, network, pubeval, SEED, 0, 50, values=single_game[0], inputs=single_game[1])
    other = engine.duel(rules, pubeval, network, SEED, 0, 50, values=single_game[0], inputs=single_game[1])
    np.testing.assert_array_equal(one.points, -other.points[:, ::-1])
    assert one.scores == other.scores[::-1]
    assert one.plies == other.plies


def test_points_and_tally_of_single_games(rules: engine.Rules, pubeval: engine.Player, single_game: Utilities) -> None:
    result = engine.duel(
        rules, pubeval, engine.Player.random(), SEED, 0, 100, values=single_game[0], inputs=single_game[1]
    )
    assert result.games == 200
    assert result.void_games == 0
    assert result.scores == [int((result.points == score).sum()) for score in SCORES]
    assert result.plies > 200 * 7  # no game of tavla is shorter than that


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7])
def test_points_and_tally_of_matches(
    length: int, rules: engine.Rules, pubeval: engine.Player, match_grid: Callable[[int], Utilities]
) -> None:
    """A match is ±1; its games are as many as the winner and the loser can have needed."""
    result = engine.duel(
        rules,
        pubeval,
        engine.Player.random(),
        SEED,
        0,
        40,
        length=length,
        values=match_grid(length)[0],
        inputs=match_grid(length)[1],
    )
    assert set(np.unique(result.points)) <= {-1, 1}
    assert result.points.sum() > 60
    assert sum(result.scores) == result.games
    assert 80 * ((length + 1) // 2) <= result.games <= 80 * (2 * length - 1)


def test_pubeval_beats_random(
    rules_of: Callable[..., engine.Rules], pubeval: engine.Player, single_game: Utilities
) -> None:
    """By +1.906 ± 0.010 points a game in another implementation with the same scores."""
    result = engine.duel(
        rules_of("north-sultan"),
        pubeval,
        engine.Player.random(),
        SEED,
        0,
        1500,
        values=single_game[0],
        inputs=single_game[1],
        threads=2,
    )
    assert result.points.mean() == pytest.approx(1.906, abs=0.03)


def test_threads_and_split_ranges_change_nothing(
    rules: engine.Rules,
    network_of: NetworkOf,
    pubeval: engine.Player,
    single_game: Utilities,
    match_grid: Callable[[int], Utilities],
) -> None:
    network = engine.Player.network(network_of())
    for length, grid in ((0, single_game), (3, match_grid(3))):
        whole = engine.duel(rules, network, pubeval, SEED, 0, 20, length=length, values=grid[0], inputs=grid[1])
        for threads in (2, 3, 30):
            again = engine.duel(
                rules, network, pubeval, SEED, 0, 20, length=length, values=grid[0], inputs=grid[1], threads=threads
            )
            np.testing.assert_array_equal(again.points, whole.points)
            assert (again.scores, again.games, again.plies) == (whole.scores, whole.games, whole.plies)
        parts = [
            engine.duel(rules, network, pubeval, SEED, i, 5, length=length, values=grid[0], inputs=grid[1])
            for i in range(0, 20, 5)
        ]
        np.testing.assert_array_equal(np.concatenate([part.points for part in parts]), whole.points)
        assert np.sum([part.scores for part in parts], axis=0).tolist() == whole.scores
    none = engine.duel(rules, network, pubeval, SEED, 0, 0, values=single_game[0], inputs=single_game[1])
    assert (none.points.shape, none.games, none.scores) == ((0, 2), 0, [0, 0, 0, 0])


def test_void_games(
    rules_of: Callable[..., engine.Rules], match_grid: Callable[[int], Utilities], single_game: Utilities
) -> None:
    """A void game scores nothing; in a match it is played again, with dice of its own."""
    setup = {25: 1, 8: 2, 7: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}
    rules = rules_of("portes", setup=setup, stuck_limit=2)
    player = engine.Player.random()
    result = engine.duel(rules, player, player, SEED, 0, 100, values=single_game[0], inputs=single_game[1])
    assert result.void_games == (result.points == 0).sum() > 20
    assert result.games + result.void_games == 200
    assert sum(result.scores) == result.games
    result = engine.duel(
        rules, player, player, SEED, 0, 100, length=3, values=match_grid(3)[0], inputs=match_grid(3)[1]
    )
    assert result.void_games > 50
    assert set(np.unique(result.points)) == {-1, 1}


# What is refused


def test_duel_refuses_what_does_not_fit(
    rules_of: Callable[..., engine.Rules],
    network_of: NetworkOf,
    weights_of: Callable[..., dict[str, np.ndarray]],
    single_game: Utilities,
    match_grid: Callable[[int], Utilities],
) -> None:
    rules, random = rules_of("portes"), engine.Player.random()
    five = weights_of((8,), 0, 5)
    of_plakoto = engine.Player.network(
        engine.Network([(five[f"layers.{i}.weight"], five[f"layers.{i}.bias"]) for i in range(2)])
    )
    for a, b, length, pairs, grid, message in (
        (random, of_plakoto, 0, 1, single_game, "network: one output per score"),
        (of_plakoto, random, 0, 1, single_game, "network: one output per score"),
        (random, random, -1, 1, single_game, "length: a number from 0 up"),
        (random, random, 0, -1, single_game, "num_pairs: a number from 0 up"),
        (random, random, 3, 1, single_game, "utilities: one row for single games"),
        (random, random, 0, 1, match_grid(3), "utilities: one row for single games"),
        (random, random, 2, 1, match_grid(3), "utilities: one row for single games"),
    ):
        with pytest.raises(ValueError, match=message):
            engine.duel(rules, a, b, SEED, 0, pairs, length=length, values=grid[0], inputs=grid[1])


@pytest.mark.parametrize("number", [0, 121, 123])
def test_pubeval_wants_its_122_weights(number: int) -> None:
    right, wrong = np.zeros(122, np.float32), np.zeros(number, np.float32)
    for weights in ((right, wrong), (wrong, right)):
        with pytest.raises(ValueError, match="122 weights expected"):
            engine.Player.pubeval(*weights)


# Misjudgement and luck


def test_a_misjudging_bot_against_itself_is_exactly_even(network_of: NetworkOf, single_game: Utilities) -> None:
    player = engine.Player.network(network_of(), noise=0.3, cap=0.5)
    rules = compile_rules(get_ruleset("north-sultan"))
    result = engine.duel(rules, player, player, 5, 0, 50, values=single_game[0], inputs=single_game[1])
    assert (result.points.sum(axis=1) == 0).all()


def test_more_noise_is_weaker_and_its_cap_bounds_it(network_of: NetworkOf, single_game: Utilities) -> None:
    rules, network = compile_rules(get_ruleset("north-sultan")), network_of()
    best = engine.Player.network(network)
    capped = engine.Player.network(network, noise=5.0, cap=0.0)
    same = engine.duel(rules, best, capped, 5, 0, 50, values=single_game[0], inputs=single_game[1])
    assert (same.points.sum(axis=1) == 0).all()  # nothing but the best is within a cap of 0
    noisy = engine.Player.network(network, noise=5.0, cap=5.0)
    other = engine.duel(rules, best, noisy, 5, 0, 50, values=single_game[0], inputs=single_game[1])
    assert (other.points.sum(axis=1) != 0).any()


def test_an_error_belongs_to_the_position_in_its_game(network_of: NetworkOf, single_game: Utilities) -> None:
    rules = compile_rules(get_ruleset("north-sultan"))
    player = engine.Player.network(network_of(), noise=1.0, cap=5.0)

    def play(board: np.ndarray, roll: tuple[int, int], game: int, ply: int) -> bytes:
        afterstates, _ = engine.choose_plays(
            rules,
            player,
            board[None],
            np.array([roll], np.int8),
            *single_game,
            seed=3,
            games=np.array([game], np.uint64),
            rounds=np.zeros(1, np.uint32),
            plies=np.array([ply], np.uint32),
        )
        return afterstates.tobytes()

    start = rules.start()
    assert play(start, (3, 1), 0, 0) == play(start, (1, 3), 0, 7)
    assert len({play(start, (3, 1), game, 0) for game in range(20)}) > 3


@pytest.mark.parametrize("preset", ["north-sultan", "oyna-tavla", "plakoto", "fevga"])
def test_luck_is_nothing_on_average_and_most_of_what_results_vary_by(preset: str) -> None:
    ruleset = get_ruleset(preset)
    rules = compile_rules(ruleset)
    stakes = utilities(ruleset, None)
    network = engine.Player.network(untrained(preset, 3))
    result = engine.duel(
        rules,
        network,
        engine.Player.random(),
        5,
        0,
        40,
        values=stakes[0],
        inputs=stakes[1],
        threads=1,
        luck_network=network,
    )
    assert result.luck.shape == (40, 2)
    error = result.luck.std() / np.sqrt(result.luck.size)
    assert abs(result.luck.mean()) < 4 * error
    threaded = engine.duel(
        rules,
        network,
        engine.Player.random(),
        5,
        0,
        40,
        values=stakes[0],
        inputs=stakes[1],
        threads=3,
        luck_network=network,
    )
    np.testing.assert_array_equal(threaded.luck, result.luck)
    plain = engine.duel(rules, network, engine.Player.random(), 5, 0, 40, values=stakes[0], inputs=stakes[1])
    np.testing.assert_array_equal(plain.points, result.points)
    assert plain.luck.shape == (0, 2)


def test_without_its_luck_a_result_varies_less(match_grid: Callable[[int], Utilities]) -> None:
    """The shipped network knows most of what luck there was, in matches too."""
    ruleset = get_ruleset("north-sultan")
    rules = compile_rules(ruleset)
    network = load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla").engine_network()
    player = engine.Player.network(network)
    weak = engine.Player.network(network, noise=0.03, cap=0.1)
    single = utilities(ruleset, None)
    for length, stakes in ((0, single), (3, match_grid(3))):
        result = engine.duel(
            rules,
            player,
            weak,
            5,
            0,
            60,
            length=length,
            values=stakes[0],
            inputs=stakes[1],
            threads=1,
            luck_network=player,
        )
        points = result.points if length == 0 else (result.points + 1) / 2
        adjusted = points - result.luck
        assert adjusted.std() < points.std() / 2
        assert abs((adjusted - points).mean()) < 4 * result.luck.std() / np.sqrt(result.luck.size)


def test_only_a_network_judges_luck(single_game: Utilities, network_of: NetworkOf) -> None:
    rules = compile_rules(get_ruleset("north-sultan"))
    random = engine.Player.random()
    with pytest.raises(ValueError, match="luck_network: a network expected"):
        engine.duel(
            rules, random, random, 5, 0, 1, values=single_game[0], inputs=single_game[1], threads=1, luck_network=random
        )
    gul_bara = compile_rules(get_ruleset("gul-bara"))
    judge = engine.Player.network(untrained("gul-bara", 3))
    with pytest.raises(RulesetError, match="its luck is not known"):
        engine.duel(
            gul_bara,
            random,
            random,
            5,
            0,
            1,
            values=single_game[0],
            inputs=single_game[1],
            threads=1,
            luck_network=judge,
        )


@pytest.mark.parametrize("preset", ["north-sultan", "plakoto", "fevga", "tawula"])
def test_the_luck_of_all_rolls_is_nothing(preset: str) -> None:
    """Exactly, at every position: that is what makes it unbiased, whatever the judge thinks."""
    ruleset = get_ruleset(preset)
    rules = compile_rules(ruleset)
    stakes = utilities(ruleset, None)
    judge = engine.Player.network(untrained(preset, 3))
    boards, _ = engine.random_walk(rules, 1, 0, 2)
    for can_double in (0, 1):
        rolls = [(high, low) for high in range(1, 7) for low in range(1, high + can_double)]
        weights = np.array([1 + (high != low) for high, low in rolls])
        for board in boards[::9]:
            lucks = engine.roll_luck(
                rules,
                judge,
                np.tile(board, (len(rolls), 1, 1)),
                np.array(rolls, np.int8),
                *stakes,
                can_double=np.full(len(rolls), can_double, np.uint8),
            )
            assert weights @ lucks == pytest.approx(0, abs=1e-5)


def test_a_lucky_roll_is_worth_what_its_best_play_is() -> None:
    """Where a roll has few plays the judge looks at all of them: the luck is then that of the network itself."""
    ruleset = get_ruleset("north-sultan")
    rules = compile_rules(ruleset)
    network = load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla").engine_network()
    stakes = utilities(ruleset, None)
    # On the bar against five closed points: only a 6 enters.
    text = "bar:1 13:5 8:4 6:5 / 5:2 4:3 3:2 2:2 1:2 off:4"
    board = Position.from_text(text, ruleset).board.astype(np.int8)
    rolls = np.array([(2, 1), (5, 4), (6, 6)], np.int8)
    lucks = engine.roll_luck(
        rules,
        engine.Player.network(network),
        np.tile(board, (3, 1, 1)),
        rolls,
        *stakes,
        can_double=np.ones(3, np.uint8),
    )
    assert lucks[0] == lucks[1]


def test_roll_luck_refuses_what_does_not_fit(single_game: Utilities, network_of: NetworkOf) -> None:
    rules = compile_rules(get_ruleset("north-sultan"))
    board, judge = rules.start()[None], engine.Player.network(network_of())
    one = np.ones(1, np.uint8)
    with pytest.raises(ValueError, match="luck_network: a network expected"):
        engine.roll_luck(
            rules, engine.Player.random(), board, np.array([[3, 1]], np.int8), *single_game, can_double=one
        )
    with pytest.raises(ValueError, match="a double where there can be none"):
        engine.roll_luck(rules, judge, board, np.array([[3, 3]], np.int8), *single_game, can_double=0 * one)
    with pytest.raises(ValueError, match="one roll and one can_double per board"):
        engine.roll_luck(rules, judge, board, np.array([[3, 3]] * 2, np.int8), *single_game, can_double=one)
    with pytest.raises(RulesetError, match="dice 7-1"):
        engine.roll_luck(rules, judge, board, np.array([[7, 1]], np.int8), *single_game, can_double=one)


def test_duel_set_refuses_what_does_not_fit(match_grid: Callable[[int], Utilities]) -> None:
    rules, random = compile_rules(get_ruleset("north-sultan")), engine.Player.random()
    values, inputs = match_grid(3)
    with pytest.raises(ValueError, match="players and utilities for each game"):
        engine.duel_set([rules, rules], [random], [random], SEED, 0, 1, length=3, values=[values], inputs=[inputs])
    with pytest.raises(ValueError, match="length: a number from 1 up"):
        engine.duel_set([rules], [random], [random], SEED, 0, 1, length=0, values=[values], inputs=[inputs])
    with pytest.raises(ValueError, match="length \\* length rows"):
        engine.duel_set([rules], [random], [random], SEED, 0, 1, length=2, values=[values], inputs=[inputs])


def test_a_set_of_one_game_twice_is_that_game(match_grid: Callable[[int], Utilities]) -> None:
    rules, random = compile_rules(get_ruleset("north-sultan")), engine.Player.random()
    values, inputs = match_grid(3)
    players = [random] * 2
    of_set = engine.duel_set(
        [rules] * 2, players, players, SEED, 0, 20, length=3, values=[values] * 2, inputs=[inputs] * 2
    )
    of_game = engine.duel(rules, random, random, SEED, 0, 20, length=3, values=values, inputs=inputs)
    np.testing.assert_array_equal(of_set.points, of_game.points)
    np.testing.assert_array_equal(of_set.contest_scores, of_game.contest_scores)
