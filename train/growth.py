"""Growth of a network: wider and deeper, with the same answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from tavla_ai.network import NetworkSpec
from tavla_ai.network.module import ValueNetwork, to_numpy


def can_grow(old: NetworkSpec, new: NetworkSpec) -> bool:
    """Return whether a network of one shape can grow into another shape."""
    last = old.hidden[-1]
    extra = new.hidden[len(old.hidden) :]
    return (
        (old.num_places, old.num_scores) == (new.num_places, new.num_scores)
        and set(old.input_names) <= set(new.input_names)
        and len(old.hidden) <= len(new.hidden)
        and all(after >= before for before, after in zip(old.hidden, new.hidden, strict=False))
        and all(width >= last for width in extra)
    )


def grow(
    weights: Mapping[str, NDArray[np.float32]], old: NetworkSpec, new: NetworkSpec, seed: int
) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a larger network with the same answers as a smaller one.

    At first no unit reads the new units, and new inputs have weight 0. A new layer copies the layer before it, which is
    exact after a rectifier (Chen, Goodfellow, Shlens: Net2Net, ICLR 2016).

    Args:
      weights: `layers.N.weight` and `layers.N.bias` of the smaller network.
      old: shape of the smaller network.
      new: shape of the larger network; `can_grow(old, new)` must be true.
      seed: seed of the new units' weights.
    """
    torch.manual_seed(seed)
    grown = to_numpy(ValueNetwork(new))
    kept = 0
    for i in range(len(new.hidden)):
        weight, bias = grown[f"layers.{i}.weight"], grown[f"layers.{i}.bias"]
        is_new = i >= len(old.hidden)
        units = old.hidden[-1] if is_new else old.hidden[i]
        weight[:units] = 0
        if i == 0:
            for name, columns in old.columns().items():
                weight[:units, new.columns()[name]] = weights["layers.0.weight"][:, columns]
        else:
            weight[:units, :kept] = np.eye(units, dtype=np.float32) if is_new else weights[f"layers.{i}.weight"]
        bias[:units] = 0 if is_new else weights[f"layers.{i}.bias"]
        kept = units
    last, first = f"layers.{len(new.hidden)}", f"layers.{len(old.hidden)}"
    grown[f"{last}.weight"][:] = 0
    grown[f"{last}.weight"][:, :kept] = weights[f"{first}.weight"]
    grown[f"{last}.bias"][:] = weights[f"{first}.bias"]
    return grown
