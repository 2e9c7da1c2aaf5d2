"""The value network: torch, every kernel, and evaluation play by play give the same numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from tavla_ai import engine
from tavla_ai.network import NetworkSpec, fold
from tavla_ai.network.module import ValueNetwork, from_numpy, to_numpy

SHAPES: list[tuple[tuple[int, ...], str]] = [
    *((hidden, "counts") for hidden in [(128,), (256, 32), (64, 48, 16), (100, 20), (7,), (1, 1)]),
    ((128,), "shots"),
    ((100, 20), "shots"),
]
NUM_POSITIONS = 10_000

WeightsOf = Callable[..., dict[str, np.ndarray]]
NetworkOf = Callable[..., engine.Network]
Positions = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def positions(
    rules_of: Callable[..., engine.Rules], network_of: NetworkOf, match_grid: Callable[[int], Positions]
) -> Positions:
    """Afterstates of self-play at all scores of a match to 3, and what their players played for."""
    values, inputs = match_grid(3)
    network = network_of((32,))
    result = engine.self_play(
        rules_of("north-sultan"), network, 21, 0, 400, lambda_=0.7, values=values, inputs=inputs, shares=[1.0] * 9
    )
    assert len(result.boards) >= NUM_POSITIONS
    chosen = np.random.default_rng(0).choice(len(result.boards), NUM_POSITIONS, replace=False)
    return result.boards[chosen], result.utility_inputs[chosen]


def layers_of(weights: dict[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(weights[f"layers.{i}.weight"], weights[f"layers.{i}.bias"]) for i in range(len(weights) // 2)]


def torch_evaluate(network: ValueNetwork, boards: np.ndarray, utility_inputs: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        encoded = engine.encode(boards, utility_inputs, network.spec.input_names)
        logits = network(torch.from_numpy(encoded))
        return torch.softmax(logits, dim=1).numpy()


# Agreement


@pytest.mark.parametrize(("hidden", "reads"), SHAPES, ids=str)
def test_torch_and_every_kernel_agree(
    hidden: tuple[int, ...], reads: str, weights_of: WeightsOf, positions: Positions
) -> None:
    spec = NetworkSpec(hidden=hidden, num_scores=4, inputs=reads)
    network = from_numpy(spec, weights_of(hidden, reads=reads))
    expected = torch_evaluate(network, *positions)
    if hidden[0] > 1:
        assert expected.std(axis=0).max() > 0.05  # predictions that differ, or agreement says little
    weights = to_numpy(network)
    assert engine.available_kernels()
    for kernels in engine.available_kernels():
        folded = engine.Network(layers_of(weights), inputs=spec.input_names, kernels=kernels)
        assert (folded.kernels, folded.num_outputs, folded.num_utility_inputs) == (kernels, 4, 2)
        found = folded.evaluate(*positions)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    best = fold(weights, spec)
    assert best.kernels == engine.available_kernels()[-1]
    np.testing.assert_array_equal(best.evaluate(*positions), found)


@pytest.mark.parametrize(("hidden", "reads"), SHAPES, ids=str)
def test_evaluation_play_by_play_agrees(
    hidden: tuple[int, ...], reads: str, weights_of: WeightsOf, rules: engine.Rules, positions: Positions
) -> None:
    """`evaluate_plays` changes rows where `evaluate` adds them all; on 10,000 afterstates from self-play."""
    weights = weights_of(hidden, reads=reads)
    spec = NetworkSpec(hidden=hidden, num_scores=4, inputs=reads)
    boards = np.ascontiguousarray(positions[0][:, ::-1])
    utility_inputs = positions[1]
    dice = np.random.default_rng(1).integers(1, 7, (len(boards), 2))
    networks = [
        engine.Network(layers_of(weights), inputs=spec.input_names, kernels=kernels)
        for kernels in engine.available_kernels()
    ]
    legal, inputs = [], []
    found: list[list[np.ndarray]] = [[] for _ in networks]
    number = 0
    for i in range(len(boards)):
        roll = dice[i].tolist()
        legal.append(engine.legal_plays(rules, boards[i], *roll)[0])
        number += len(legal[-1])
        inputs.append(np.repeat(utility_inputs[i : i + 1], len(legal[-1]), axis=0))
        for network, rows in zip(networks, found, strict=True):
            rows.append(network.evaluate_plays(rules, boards[i], *roll, utility_inputs[i]))
            assert rows[-1].shape == (len(legal[-1]), 4)
        if number >= NUM_POSITIONS:
            break
    assert number >= NUM_POSITIONS
    afterstates = np.concatenate(legal), np.concatenate(inputs)
    expected = torch_evaluate(from_numpy(spec, weights), *afterstates)
    for network, rows in zip(networks, found, strict=True):
        np.testing.assert_allclose(np.concatenate(rows), expected, rtol=0, atol=1e-5)
        np.testing.assert_allclose(network.evaluate(*afterstates), expected, rtol=0, atol=1e-5)


def test_evaluation_of_rolls_that_are_out_of_the_ordinary(rules: engine.Rules, network_of: NetworkOf) -> None:
    """The most plays known, a pass, a win, and hits from and onto a full bar."""
    crowd = np.zeros((2, 26), np.int8)
    crowd[0, [24, 22, 21, 20, 18, 17, 16, 15, 13, 12, 11, 10, 8, 6, 4]] = 1
    crowd[1, [0, 25]] = 14, 1
    closed = np.zeros((2, 26), np.int8)
    closed[0, [25, 13]] = 2, 13
    closed[1, :7] = 3, 2, 2, 2, 2, 2, 2
    end = np.zeros((2, 26), np.int8)
    end[0, [0, 2, 3]] = 13, 1, 1
    end[1, [25, 24]] = 14, 1
    hits = np.zeros((2, 26), np.int8)
    hits[0, [25, 6]] = 4, 11
    hits[1, [1, 2, 3, 4, 5, 25]] = 1, 1, 1, 1, 1, 10
    network = network_of((64, 16))
    inputs = np.array([0.5, 0.25], np.float32)
    for board, roll, at_least in (
        (crowd, (1, 1), 2000),
        (closed, (6, 5), 1),
        (end, (6, 5), 1),
        (hits, (5, 1), 1),
        (hits, (3, 3), 1),
    ):
        legal, _, _ = engine.legal_plays(rules, board, *roll)
        assert len(legal) >= at_least
        found = network.evaluate_plays(rules, board, *roll, inputs)
        expected = network.evaluate(legal, np.tile(inputs, (len(legal), 1)))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_logits_far_apart_stay_probabilities(weights_of: WeightsOf, positions: Positions) -> None:
    """Where softmax without care would overflow, or divide by zero."""
    weights = weights_of((32,))
    weights["layers.1.weight"] *= 100
    spec = NetworkSpec(hidden=(32,), num_scores=4)
    expected = torch_evaluate(from_numpy(spec, weights), *positions)
    for kernels in engine.available_kernels():
        found = engine.Network(layers_of(weights), kernels=kernels).evaluate(*positions)
        assert np.isfinite(found).all()
        # Logits of a thousand are themselves rounded to 1e-4.
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-3)
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("num_scores", [2, 5, 6, 8])
def test_other_numbers_of_scores(num_scores: int, weights_of: WeightsOf, positions: Positions) -> None:
    """Plakoto has five scores, western backgammon six."""
    weights = weights_of((48, 16), 3, num_scores)
    boards, _ = positions
    inputs = np.random.default_rng(2).random((len(boards), num_scores - 2), np.float32)
    expected = torch_evaluate(from_numpy(NetworkSpec(hidden=(48, 16), num_scores=num_scores), weights), boards, inputs)
    for kernels in engine.available_kernels():
        found = engine.Network(layers_of(weights), kernels=kernels).evaluate(boards, inputs)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_batches_of_any_size_and_threads_give_the_same_rows(weights_of: WeightsOf, positions: Positions) -> None:
    boards, inputs = positions[0][:300], positions[1][:300]
    for kernels in engine.available_kernels():
        network = engine.Network(layers_of(weights_of((64, 16))), kernels=kernels)
        whole = network.evaluate(boards, inputs)
        for size in (1, 2, 15, 16, 17, 31, 32, 33, 63, 65, 300):
            np.testing.assert_allclose(network.evaluate(boards[:size], inputs[:size]), whole[:size], atol=1e-6)
        for threads in (2, 3, 7, 400):
            np.testing.assert_allclose(network.evaluate(boards, inputs, threads=threads), whole, atol=1e-6)
        assert network.evaluate(boards[:0], inputs[:0]).shape == (0, 4)


def test_utility_inputs_matter(network_of: NetworkOf, positions: Positions) -> None:
    boards, inputs = positions
    network = network_of((64,))
    assert np.abs(network.evaluate(boards, inputs) - network.evaluate(boards, inputs[:, ::-1].copy())).max() > 0.01


# Inputs


def features(place: int, count: int) -> list[float]:
    if place == 0:
        return [count >= 1, count >= 5, count >= 10, count / 15]
    return [count >= 1, count >= 2, count >= 3, max(0, count - 3) / 2]


def test_place_features() -> None:
    table = engine.place_features(26)
    assert table.dtype == np.float32
    expected = [[features(place, count) for count in range(16)] for place in range(26)]
    np.testing.assert_array_equal(table, np.array(expected, np.float32))


def test_encode_lays_the_places_side_by_side(positions: Positions) -> None:
    boards, inputs = positions
    encoded = engine.encode(boards, inputs)
    assert encoded.dtype == np.float32
    assert encoded.shape == (len(boards), engine.num_board_features(26) + 2)
    expected = engine.place_features(26)[np.arange(26), boards].reshape(len(boards), -1)
    np.testing.assert_array_equal(encoded, np.concatenate([expected, inputs], axis=1))
    assert engine.encode(boards, inputs[:, :0].copy()).shape == (len(boards), engine.num_board_features(26))
    assert engine.encode(boards[:0], inputs[:0]).shape == (0, engine.num_board_features(26) + 2)


def test_spec_counts_the_inputs() -> None:
    spec = NetworkSpec(hidden=(64, 16), num_scores=4)
    assert spec.layer_shapes() == [(64, engine.num_board_features(26) + 2), (16, 64), (4, 16)]
    network = ValueNetwork(spec)
    assert [tuple(layer.weight.shape) for layer in network.layers] == spec.layer_shapes()
    assert network(torch.zeros(5, spec.num_inputs)).shape == (5, 4)


def test_weights_to_numpy_are_a_copy() -> None:
    network = ValueNetwork(NetworkSpec(hidden=(8,), num_scores=4))
    weights = to_numpy(network)
    before = {name: array.copy() for name, array in weights.items()}
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(1)
    for name, array in weights.items():
        np.testing.assert_array_equal(array, before[name])
    again = to_numpy(from_numpy(network.spec, weights))
    assert all((again[name] == weights[name]).all() for name in weights)


# What is refused


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", [f"layers.{i}.{kind}" for i in range(3) for kind in ("weight", "bias")])
def test_weights_that_are_not_finite_are_refused(name: str, value: float, weights_of: WeightsOf) -> None:
    weights = weights_of((16, 8))
    weights[name].flat[-1] = value
    with pytest.raises(ValueError, match="a weight that is not finite"):
        fold(weights, NetworkSpec(hidden=(16, 8), num_scores=4))


def test_layers_that_do_not_fit_are_refused(weights_of: WeightsOf) -> None:
    first, second, last = layers_of(weights_of((16, 8)))

    def cut(layer: tuple[np.ndarray, np.ndarray], out: int, into: int) -> tuple[np.ndarray, np.ndarray]:
        return np.ascontiguousarray(layer[0][:out, :into]), layer[1][:out].copy()

    for layers, message in (
        ([], "a first layer and an output layer"),
        ([first], "a first layer and an output layer"),
        ([cut(first, 16, 207), second, last], r"layer 0 has 207 columns; counts \+ 2 utility inputs need 210"),
        ([cut(first, 15, 210), second, last], "layer 1 takes 16 inputs, expected 15"),
        ([first, second, cut(last, 4, 7)], "layer 2 takes 7 inputs, expected 8"),
        ([first, second, cut(last, 1, 8)], "1 outputs, expected 2 to 8"),
        ([first, second, last, (np.zeros((9, 4), np.float32), np.zeros(9, np.float32))], "9 outputs"),
        ([first, (second[0], second[1][:7].copy()), last], "weight and bias differ"),
    ):
        with pytest.raises(ValueError, match=message):
            engine.Network(layers)


def test_unknown_kernels_are_refused(weights_of: WeightsOf) -> None:
    with pytest.raises(ValueError, match="'sse9': this machine can run baseline"):
        engine.Network(layers_of(weights_of((8,))), kernels="sse9")


def test_inputs_that_do_not_fit_are_refused(
    network_of: NetworkOf, rules_of: Callable[..., engine.Rules], positions: Positions
) -> None:
    network = network_of((8,))
    boards, inputs = positions[0][:5], positions[1][:5]
    for wrong in (inputs[:4].copy(), inputs[:, :1].copy(), np.zeros((5, 3), np.float32)):
        with pytest.raises(ValueError, match="utility_inputs"):
            network.evaluate(boards, wrong)
    with pytest.raises(ValueError, match="utility_inputs"):
        engine.encode(boards, inputs[:4].copy())
    with pytest.raises(ValueError, match="utility_inputs"):
        network.evaluate_plays(rules_of("portes"), boards[0], 3, 1, np.zeros(3, np.float32))
