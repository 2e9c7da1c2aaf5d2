"""Self-play and its targets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from cases import FAULTS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from network_reference import possible

from tavla_ai import engine
from tavla_ai.match import Utility, as_utilities, match_equity
from tavla_ai.network import NetworkSpec, fold
from tavla_ai.rules import Position, get_ruleset

TRACE_CASE = next(case for case in FAULTS if case["id"].startswith("tr02"))["expectation"]
SCORES = (2, 1, -1, -2)
SEED = 17

Utilities = tuple[np.ndarray, np.ndarray]
NetworkOf = Callable[..., engine.Network]


# λ-returns


def truth(predictions: np.ndarray, outcome: int, lambda_: float) -> np.ndarray:
    """The forward view: a mean of what the player sees n turns on, with weights (1 − λ)·λⁿ⁻¹, in float64.

    What is seen one turn on is the other player's, so it is reversed once a turn; all the weight that is
    left goes to the outcome.
    """
    length, num_scores = predictions.shape
    seen = np.concatenate([predictions.astype(np.float64), np.eye(num_scores)[[outcome]]])
    targets = np.zeros((length, num_scores))
    for t in range(length):
        for turns in range(1, length - t + 1):
            view = seen[t + turns, :: (-1) ** turns]
            weight = (1 - lambda_) if turns < length - t else 1.0
            targets[t] += weight * lambda_ ** (turns - 1) * view
    return targets


@st.composite
def trajectories(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    length, num_scores = draw(st.integers(0, 40)), draw(st.integers(2, 8))
    logits = draw(hnp.arrays(np.float64, (length, num_scores), elements=st.floats(-8, 8)))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return shares.astype(np.float32), draw(st.integers(0, num_scores - 1))


@given(trajectory=trajectories(), lambda_=st.floats(0, 1))
def test_lambda_returns_are_the_forward_view(trajectory: tuple[np.ndarray, int], lambda_: float) -> None:
    predictions, outcome = trajectory
    targets = engine.lambda_returns(predictions, outcome, lambda_)
    assert targets.dtype == np.float32
    assert targets.shape == predictions.shape
    np.testing.assert_allclose(targets, truth(predictions, outcome, lambda_), atol=1e-5)
    np.testing.assert_allclose(targets.sum(axis=1), 1, atol=1e-5)


@given(trajectory=trajectories())
def test_lambda_0_is_exactly_the_next_prediction(trajectory: tuple[np.ndarray, int]) -> None:
    predictions, outcome = trajectory
    targets = engine.lambda_returns(predictions, outcome, 0.0)
    end = np.eye(predictions.shape[1], dtype=np.float32)[[outcome]]
    np.testing.assert_array_equal(targets, np.concatenate([predictions[1:], end])[: len(predictions), ::-1])


@given(trajectory=trajectories())
def test_lambda_1_is_exactly_the_outcome(trajectory: tuple[np.ndarray, int]) -> None:
    """For the loser in the last row, for the winner in the row before, and so on in turn."""
    predictions, outcome = trajectory
    targets = engine.lambda_returns(predictions, outcome, 1.0)
    num_scores = predictions.shape[1]
    expected = [
        outcome if (len(predictions) - t) % 2 == 0 else num_scores - 1 - outcome for t in range(len(predictions))
    ]
    np.testing.assert_array_equal(targets, np.eye(num_scores, dtype=np.float32)[expected])


def test_td_lambda_of_two_states() -> None:
    """Case tr02, seen by the side to move, over two games.

    A moves at s0, B at s1, and B wins. The engine's rows belong to who made the afterstate: B's before s0, A's
    before s1; to the side to move they are worth the opposite.
    """
    lambda_, step = 0.7, 0.1
    case = TRACE_CASE
    values = np.zeros(2)  # of s0 and s1, to the side to move
    for s0, s1 in (
        (case["mover_point_of_view_game_1"]["s0"], case["mover_point_of_view_game_1"]["s1"]),
        (-case["after_game_2"]["s0"], case["after_game_2"]["s1"]),
    ):
        win = (1 - values) / 2  # to the side that has just moved
        targets = engine.lambda_returns(np.stack([win, 1 - win], axis=1).astype(np.float32), 0, lambda_)
        values += step * (targets[:, 1] - targets[:, 0] - values)
        np.testing.assert_allclose(values, [s0, s1], atol=1e-7)


@pytest.mark.parametrize(
    ("outcome", "lambda_", "shape"),
    [
        (-1, 0.5, (3, 4)),
        (4, 0.5, (3, 4)),
        (0, -0.1, (3, 4)),
        (0, 1.1, (3, 4)),
        (0, np.nan, (3, 4)),
        (0, 0.5, (3, 1)),
        (0, 0.5, (3, 9)),
    ],
)
def test_lambda_returns_refuses_what_it_cannot_do(outcome: int, lambda_: float, shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"outcome|lambda_|predictions"):
        engine.lambda_returns(np.full(shape, 0.25, np.float32), outcome, lambda_)


# Self-play


def fields(result: engine.SelfPlayResult) -> list[bytes]:
    return [
        getattr(result, name).tobytes() for name in ("boards", "targets", "utility_inputs", "lengths", "score_indices")
    ]


def games_of(result: engine.SelfPlayResult) -> list[slice]:
    ends = np.cumsum(result.lengths)
    assert ends[-1] == len(result.boards) == len(result.targets) == len(result.utility_inputs)
    return [slice(end - length, end) for end, length in zip(ends, result.lengths, strict=True)]


@pytest.fixture(scope="module")
def mix() -> Utilities:
    """Points, double match point, and two scores of a match where a mars is worth more to one side."""
    shares = {"north-sultan": (0.125, 0.375, 0.375, 0.125)}
    grid = match_equity(get_ruleset("north-sultan"), 3, shares).utility_grid()
    utilities = [
        Utility(SCORES),
        Utility(tuple(grid[0, 0]), total=1.0),
        Utility(tuple(grid[0, 1]), total=1.0),
        Utility(tuple(grid[1, 0]), total=1.0),
    ]
    assert utilities[1].inputs == (0, 0)
    assert utilities[2].inputs == tuple(reversed(utilities[3].inputs)) != utilities[3].inputs
    return as_utilities(utilities)


@pytest.mark.parametrize("lambda_", [0.0, 0.7, 1.0])
def test_targets_follow_from_the_predictions(
    lambda_: float, rules: engine.Rules, network_of: NetworkOf, mix: Utilities
) -> None:
    """They are the λ-returns of what the network says of the recorded afterstates."""
    network = network_of((24,))
    result = engine.self_play(
        rules, network, SEED, 0, 20, lambda_=lambda_, values=mix[0], inputs=mix[1], shares=[1, 1, 1, 1]
    )
    raw = network.evaluate(result.boards, result.utility_inputs)
    predictions = possible(get_ruleset("north-sultan"), result.boards, raw).astype(np.float32)
    errors = 0.0
    for game, outcome in zip(games_of(result), result.score_indices, strict=True):
        np.testing.assert_allclose(result.targets[game], truth(predictions[game], outcome, lambda_), atol=1e-5)
        last = np.zeros(4, np.float32)
        last[3 - outcome] = 1
        np.testing.assert_array_equal(result.targets[game][-1], last)
        values = values_of(result.utility_inputs[game], mix)
        errors += np.abs((values * (result.targets[game] - predictions[game])).sum(axis=1)).sum()
    assert result.sum_abs_td_error == pytest.approx(errors, rel=1e-4)


def values_of(inputs: np.ndarray, mix: Utilities) -> np.ndarray:
    """The values that each row plays for, up to what is added to all four: what is won is lost by the other."""
    values, known = mix
    rows = []
    for row in inputs:
        same, opposed = (np.flatnonzero((known == wanted).all(axis=1)) for wanted in (row, row[::-1]))
        rows.append(values[same[0]] if len(same) else -values[opposed[0]][::-1])
    return np.array(rows)


def test_games_are_played_by_the_rules_to_their_end(
    preset: str, rules: engine.Rules, network_of: NetworkOf, single_game: Utilities
) -> None:
    """Each afterstate is the best of the legal plays of its roll, and the play after the last one wins."""
    network, ruleset = network_of((24,)), get_ruleset(preset)
    values, inputs = single_game
    result = engine.self_play(rules, network, SEED, 5, 12, lambda_=0.7, values=values, inputs=inputs, shares=[1.0])
    assert (result.boards.sum(axis=2) == 15).all()
    assert not (result.boards[:, 0, 1:25] * result.boards[:, 1, 24:0:-1]).any()
    assert (result.boards[:, :, 0] < 15).all()
    evaluated = 0
    for number, game in enumerate(games_of(result)):
        rolls = engine.rolls(SEED, 5 + number, result.lengths[number] + 1)
        _, rolls[0] = engine.opening(rules, SEED, 5 + number)
        before = Position.start(ruleset).board
        for after, roll in zip(result.boards[game], rolls, strict=False):
            legal, _, _ = engine.legal_plays(rules, before, *roll.tolist())
            evaluated += len(legal)
            assert (legal[:, 0, 0] < 15).all()  # a win that can be had is taken
            shares = network.evaluate_plays(rules, before, *roll.tolist(), inputs[0])
            worth = possible(get_ruleset("north-sultan"), legal, shares) @ values[0]
            (index,) = np.flatnonzero((legal == after).all(axis=(1, 2)))
            assert worth[index] > worth.max() - 1e-5
            before = np.ascontiguousarray(after[::-1])
        legal, _, _ = engine.legal_plays(rules, before, *rolls[-1].tolist())
        evaluated += len(legal)
        finished = legal[legal[:, 0, 0] == 15]
        assert SCORES[result.score_indices[number]] in {Position(end).score(ruleset) for end in finished}
    assert result.plies == result.lengths.sum() + len(result.lengths)
    assert result.evaluated == evaluated


def test_threads_and_split_ranges_change_nothing(rules: engine.Rules, network_of: NetworkOf, mix: Utilities) -> None:
    def play(first: int, number: int, threads: int = 1) -> engine.SelfPlayResult:
        shares = [0.4, 0.1, 0.2, 0.3]
        return engine.self_play(
            rules,
            network_of(),
            SEED,
            first,
            number,
            lambda_=0.7,
            values=mix[0],
            inputs=mix[1],
            shares=shares,
            threads=threads,
        )

    whole = play(0, 10)
    for threads in (2, 3, 16):
        assert fields(play(0, 10, threads)) == fields(whole)
    for cuts in ((0, 5, 10), (0, 1, 2, 9, 10)):
        parts = [fields(play(first, last - first)) for first, last in pairwise(cuts)]
        assert [b"".join(part) for part in zip(*parts, strict=True)] == fields(whole)
    twice = play(0, 10, 2)
    assert (twice.plies, twice.evaluated) == (whole.plies, whole.evaluated)
    assert twice.sum_abs_td_error == pytest.approx(whole.sum_abs_td_error, rel=1e-9)
    assert fields(play(1, 10)) != fields(whole)
    none = play(0, 0)
    assert none.boards.shape[0] == none.targets.shape[0] == len(none.lengths) == none.plies == 0


def test_at_double_match_point_the_inputs_are_zero(rules: engine.Rules, network_of: NetworkOf, mix: Utilities) -> None:
    result = engine.self_play(
        rules, network_of(), SEED, 0, 5, lambda_=0.7, values=mix[0], inputs=mix[1], shares=[0, 1, 0, 0]
    )
    assert result.utility_inputs.shape == (len(result.boards), 2)
    assert not result.utility_inputs.any()


@pytest.mark.parametrize("utility", [2, 3])
def test_opponents_play_for_opposed_utilities(
    utility: int, rules: engine.Rules, network_of: NetworkOf, mix: Utilities
) -> None:
    """Seat 0 has the drawn utility, seat 1 the reversed one, whoever starts."""
    shares = [float(utility == i) for i in range(4)]
    result = engine.self_play(
        rules, network_of(), SEED, 0, 12, lambda_=0.7, values=mix[0], inputs=mix[1], shares=shares
    )
    mine = mix[1][utility]
    starts = set()
    for number, game in enumerate(games_of(result)):
        seat, _ = engine.opening(rules, SEED, number)
        starts.add(seat)
        seats = (seat + np.arange(result.lengths[number])) % 2
        np.testing.assert_array_equal(result.utility_inputs[game], np.where(seats[:, None] == 0, mine, mine[::-1]))
    assert starts == {0, 1}


def test_utilities_are_drawn_with_their_shares(
    rules: engine.Rules, network_of: NetworkOf, mix: Utilities, reference_streams: type
) -> None:
    """Game by game from the game's own stream, so that a share changes only the games it must."""
    shares = np.array([2.0, 1.0, 0.0, 1.0])
    result = engine.self_play(
        rules, network_of((8,)), SEED, 0, 400, lambda_=0.7, values=mix[0], inputs=mix[1], shares=shares.tolist()
    )
    drawn = []
    for number, game in enumerate(games_of(result)):
        seat, _ = engine.opening(rules, SEED, number)
        seat_0 = result.utility_inputs[game][seat]
        (index,) = np.flatnonzero((mix[1] == seat_0).all(axis=1))
        drawn.append(index)
        random = reference_streams(SEED, number).utility_draw()
        assert index == np.searchsorted(np.cumsum(shares) / shares.sum(), random, side="right")
    counts = np.bincount(drawn, minlength=4)
    assert counts[2] == 0
    np.testing.assert_allclose(counts / 400, shares / 4, atol=0.1)


def test_void_games_leave_nothing_behind(
    rules_of: Callable[..., engine.Rules], network_of: NetworkOf, mix: Utilities
) -> None:
    """From a start with a man of each side on the bar and one way in, two rolls in a row often fail.

    With a stuck limit of two those games are void; the others are those of the usual limit.
    """
    setup = {25: 1, 8: 2, 7: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}

    def played(**changes: int) -> engine.SelfPlayResult:
        rules, (values, inputs) = rules_of("north-sultan", setup=setup, **changes), mix
        return engine.self_play(
            rules, network_of(), SEED, 0, 60, lambda_=0.7, values=values, inputs=inputs, shares=[0, 0, 1, 1]
        )

    usual, short = played(), played(stuck_limit=2)
    assert (usual.lengths > 0).all()
    start = [setup.get(place, 0) for place in range(26)]
    void = []
    for game in games_of(usual):
        boards = np.concatenate([[[start, start]], usual.boards[game]])
        passed = (boards[1:] == boards[:-1, ::-1]).all(axis=(1, 2))
        void.append(bool((passed[1:] & passed[:-1]).any()))
    assert 5 < sum(void) < 55
    np.testing.assert_array_equal(short.lengths == 0, void)
    np.testing.assert_array_equal(short.score_indices == -1, void)
    played = np.logical_not(void)
    np.testing.assert_array_equal(short.lengths[played], usual.lengths[played])
    np.testing.assert_array_equal(short.score_indices[played], usual.score_indices[played])
    kept = np.repeat(played, usual.lengths)
    for name in ("boards", "targets", "utility_inputs"):
        np.testing.assert_array_equal(getattr(short, name), getattr(usual, name)[kept])
    assert len(games_of(short)) == 60


def test_a_finished_game_is_worth_its_score_whatever_the_network_says(
    rules_of: Callable[..., engine.Rules],
    weights_of: Callable[..., dict[str, np.ndarray]],
    single_game: Utilities,
) -> None:
    """A network that is all but sure of losing, or of a mars that can be had no more, takes what ends the game.

    There is a choice only with two different dice and at most two men left, and none in traditional tavla.
    """
    rules = rules_of("north-sultan")
    weights = weights_of((16,))
    weights["layers.1.weight"] *= 0.1
    weights["layers.1.bias"][:] = 9, 1, 0, 0
    result = engine.self_play(
        rules,
        fold(weights, NetworkSpec(hidden=(16,), num_scores=4)),
        SEED,
        0,
        1500,
        lambda_=0.7,
        values=single_game[0],
        inputs=single_game[1],
        shares=[1.0],
    )
    finishes = {1: [], 2: []}  # by score: whether it was taken
    for number, game in enumerate(games_of(result)):
        boards = result.boards[game]
        late = np.flatnonzero(boards[:, 1, 0] >= 13) + 1
        if not len(late):
            continue
        dice = engine.rolls(SEED, number, len(boards) + 1)
        for i in late:
            before = np.ascontiguousarray(boards[i - 1, ::-1])
            legal, _, _ = engine.legal_plays(rules, before, *dice[i].tolist())
            finished = legal[:, 0, 0] == 15
            if finished.any() and not finished.all():
                finishes[1 if before[1, 0] else 2].append(i == len(boards))
    assert len(finishes[1]) > 5
    assert all(finishes[1])
    assert len(finishes[2]) > 5
    assert all(finishes[2])


def test_self_play_refuses_what_does_not_fit(
    rules_of: Callable[..., engine.Rules], network_of: NetworkOf, single_game: Utilities
) -> None:
    rules, network = rules_of("portes"), network_of()
    values, inputs = single_game

    def play(
        values: np.ndarray = values,
        inputs: np.ndarray = inputs,
        shares: tuple[float, ...] = (1.0,),
        lambda_: float = 0.7,
        games: int = 1,
    ) -> None:
        engine.self_play(
            rules, network, 1, 0, games, lambda_=lambda_, values=values, inputs=inputs, shares=list(shares)
        )

    for change, message in (
        ({"lambda_": 1.5}, "lambda_"),
        ({"lambda_": float("nan")}, "lambda_"),
        ({"games": -1}, "num_games"),
        ({"shares": (0.5, 0.5)}, "shares: one per utility"),
        ({"shares": (0.0,)}, "shares: at least one above 0"),
        ({"shares": (-1.0,)}, "shares: numbers from 0 up"),
        ({"shares": (float("nan"),)}, "shares: numbers from 0 up"),
        ({"values": values[:, :3].copy()}, "one value per score"),
        ({"inputs": np.zeros((1, 3), np.float32)}, "two inputs fewer"),
        ({"values": np.tile(values, (2, 1))}, "same number of rows"),
    ):
        with pytest.raises(ValueError, match=message):
            play(**change)
