"""Further inputs of a network: the registry, and its agreement with the engine's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tavla_ai import engine
from tavla_ai.network import INPUTS, NetworkInput, NetworkSpec, fold, input_names
from tavla_ai.network.module import ValueNetwork, to_numpy
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names
from train.growth import can_grow, grow


def toy_columns(boards: torch.Tensor) -> torch.Tensor:
    """Whether each side has checkers on the bar."""
    return (boards[:, :, 25] > 0).to(torch.float32)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> NetworkInput:
    """An input that this test alone knows, on the Python side."""
    added = NetworkInput(
        "toy", "what a toy tells", "toy-1", 2, 26, "all games", lambda ruleset: True, lambda: toy_columns
    )
    monkeypatch.setitem(INPUTS, "toy", added)
    return added


def layers_of(spec: NetworkSpec) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.zeros(shape, np.float32), np.zeros(shape[0], np.float32)) for shape in spec.layer_shapes()]


def games_of(name: str) -> list[str]:
    return [game for game in ruleset_names() if INPUTS[name].is_of(get_ruleset(game))]


# The registry


def test_both_registries_have_the_same_rows() -> None:
    assert list(INPUTS) == list(engine.INPUTS)
    for name, row in INPUTS.items():
        told = engine.INPUTS[name]
        assert (row.name, row.version, row.width, row.num_places) == (name, told.version, told.width, told.num_places)


@pytest.mark.parametrize("name", INPUTS)
def test_games_have_boards_that_the_input_reads(name: str) -> None:
    assert games_of(name)
    assert {get_ruleset(game).num_places for game in games_of(name)} == {INPUTS[name].num_places}


@pytest.mark.parametrize("name", INPUTS)
def test_torch_columns_are_those_of_the_engine(name: str) -> None:
    columns = INPUTS[name].torch_columns()
    for game in games_of(name):
        boards, _ = engine.random_walk(compile_rules(get_ruleset(game)), 7, 0, 20)
        encoded = engine.encode(boards, np.zeros((len(boards), 0), np.float32), [name])
        further = encoded[:, engine.num_board_features(INPUTS[name].num_places) :]
        found = columns(torch.from_numpy(boards).long())
        assert found.dtype == torch.float32
        np.testing.assert_array_equal(found.numpy(), further)
        assert further.std(axis=0).max() > 0


@pytest.mark.parametrize("inputs", ["counts", *INPUTS])
def test_names_of_a_spec(inputs: str) -> None:
    expected = () if inputs == "counts" else (inputs,)
    assert input_names(inputs) == expected
    spec = NetworkSpec(hidden=(8,), num_scores=4, inputs=inputs)
    assert spec.input_names == expected
    assert spec.features == "+".join([engine.FEATURE_VERSION, *(INPUTS[name].version for name in expected)])
    assert spec.num_inputs == engine.num_board_features(26) + 2 + sum(INPUTS[name].width for name in expected)
    boards = engine.random_walk(compile_rules(get_ruleset("portes")), 7, 0, 1)[0]
    encoded = engine.encode(boards, np.zeros((len(boards), 2), np.float32), spec.input_names)
    assert encoded.shape == (len(boards), spec.num_inputs)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("blocks", "'blocks' is no input; expected counts, or .*shots"),
        ("shots+blocks", "'blocks' is no input"),
        ("counts+shots", "'counts' is no input"),
        ("", "'' is no input"),
        ("shots+shots", "shots is given twice"),
    ],
)
def test_a_spec_with_wrong_names_is_refused(inputs: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkSpec(hidden=(8,), num_scores=4, inputs=inputs)


# The engine is told what a network reads


def test_a_network_is_told_its_inputs() -> None:
    spec = NetworkSpec(hidden=(8,), num_scores=4, inputs="shots")
    folded = engine.Network(layers_of(spec), inputs=["shots"])
    assert (folded.num_utility_inputs, folded.num_outputs) == (2, 4)
    with pytest.raises(ValueError, match=r"layer 0 has 238 columns; counts \+ 2 utility inputs need 210"):
        engine.Network(layers_of(spec))
    counts = NetworkSpec(hidden=(8,), num_scores=4)
    with pytest.raises(ValueError, match=r"layer 0 has 210 columns; counts \+ 2 utility inputs \+ shots need 238"):
        engine.Network(layers_of(counts), inputs=["shots"])


@pytest.mark.parametrize(
    ("names", "num_places", "message"),
    [
        (["blocks"], 26, "'blocks' is not known, expected one of shots"),
        (["counts"], 26, "'counts' is not known"),
        (["shots", "shots"], 26, "shots is given twice"),
        (["shots"], 27, "shots reads boards of 26 places, not of 27"),
    ],
)
def test_inputs_that_the_engine_cannot_read_are_refused(names: list[str], num_places: int, message: str) -> None:
    spec = NetworkSpec(hidden=(8,), num_places=num_places, num_scores=4)
    with pytest.raises(ValueError, match=message):
        engine.Network(layers_of(spec), num_places, inputs=names)
    with pytest.raises(ValueError, match=message):
        engine.encode(np.zeros((1, 2, num_places), np.int8), np.zeros((1, 2), np.float32), names)


# A row of the registry is all that the Python side needs


def test_a_new_input_has_columns_and_a_version(toy: NetworkInput) -> None:
    spec = NetworkSpec(hidden=(8,), num_scores=4, inputs="shots+toy")
    assert spec.features.endswith("+shots-1+toy-1")
    counts, shots = engine.num_board_features(26), INPUTS["shots"].width
    assert spec.columns() == {
        "counts": slice(0, counts),
        "utility": slice(counts, counts + 2),
        "shots": slice(counts + 2, counts + 2 + shots),
        "toy": slice(counts + 2 + shots, counts + 4 + shots),
    }
    assert ValueNetwork(spec).layers[0].in_features == spec.num_inputs == counts + 4 + shots
    with pytest.raises(ValueError, match="toy: only for boards of 26 places a side"):
        NetworkSpec(hidden=(8,), num_scores=4, num_places=27, inputs="toy")
    with pytest.raises(ValueError, match="'toy' is not known"):
        fold(to_numpy(ValueNetwork(spec)), spec)


@pytest.mark.usefixtures("toy")
def test_a_network_grows_by_the_names_of_its_inputs() -> None:
    old = NetworkSpec(hidden=(8,), num_scores=4, inputs="shots")
    new = NetworkSpec(hidden=(12,), num_scores=4, inputs="toy+shots")
    assert can_grow(old, new)
    assert not can_grow(new, old)
    weights = to_numpy(ValueNetwork(old))
    grown = grow(weights, old, new, seed=1)["layers.0.weight"]
    for name, columns in old.columns().items():
        np.testing.assert_array_equal(grown[:8, new.columns()[name]], weights["layers.0.weight"][:, columns])
    assert (grown[:8, new.columns()["toy"]] == 0).all()
    assert (grown[8:] != 0).any(axis=0).all()
