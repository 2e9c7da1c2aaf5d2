"""Weights by layer, `layers.N.weight` `[out, in]` and `layers.N.bias` `[out]`: checked, and folded into the engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tavla_ai import engine
from tavla_ai.errors import CheckpointError
from tavla_ai.network.spec import NetworkSpec

Weights = Mapping[str, NDArray[np.float32]]


def fold(weights: Weights, spec: NetworkSpec) -> engine.Network:
    """Return the engine's network with these weights, ready to evaluate.

    Raises:
      ValueError: the layers do not fit each other or the spec's inputs, or a weight is not finite.
    """
    layers = [
        (
            np.ascontiguousarray(weights[f"layers.{i}.weight"], dtype=np.float32),
            np.ascontiguousarray(weights[f"layers.{i}.bias"], dtype=np.float32),
        )
        for i in range(len(spec.hidden) + 1)
    ]
    return engine.Network(layers, spec.num_places, inputs=spec.input_names)


def check_weights(path: Path, network: NetworkSpec, weights: Weights) -> None:
    """Check that weights fit a network of this shape.

    Raises:
      CheckpointError: a weight is missing or not known, has another shape or dtype, or a value that is not finite;
        the message names `path` and the weight.
    """
    expected: dict[str, tuple[int, ...]] = {}
    for i, (out, into) in enumerate(network.layer_shapes()):
        expected[f"layers.{i}.weight"] = (out, into)
        expected[f"layers.{i}.bias"] = (out,)
    if set(weights) != set(expected):
        raise CheckpointError(f"{path}: has weights {sorted(weights)}, the network needs {sorted(expected)}")
    for name, shape in expected.items():
        if weights[name].shape != shape:
            raise CheckpointError(f"{path}: {name} has shape {weights[name].shape}, the network needs {shape}")
        if weights[name].dtype != np.float32:
            raise CheckpointError(f"{path}: {name} is {weights[name].dtype}, expected float32")
        if not np.isfinite(weights[name]).all():
            raise CheckpointError(f"{path}: {name} has a value that is not finite")
