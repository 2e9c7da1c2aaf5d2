"""Growth of a network: wider and deeper, with the same answers, or with scores of another game."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from tavla_ai.network import NetworkSpec
from tavla_ai.network.module import ValueNetwork, to_numpy

# The share of a largest score that a network begins to give to a score that its parent did not know. Wins of three
# points are about this share of the wins of two or more points in backgammon.
_SHARE_OF_NEW_SCORE = 0.05


def can_grow(old: NetworkSpec, new: NetworkSpec) -> bool:
    """Return whether a network of one shape can grow into another shape."""
    last = old.hidden[-1]
    extra = new.hidden[len(old.hidden) :]
    return (
        old.num_places == new.num_places
        and old.num_scores <= new.num_scores
        and (new.num_scores - old.num_scores) % 2 == 0
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
    exact after a rectifier (Chen, Goodfellow, Shlens: Net2Net, ICLR 2016). Where the new network knows larger scores
    than the old one, each takes a small share of the largest score that the old one knows.

    Args:
      weights: `layers.N.weight` and `layers.N.bias` of the smaller network.
      old: shape of the smaller network.
      new: shape of the larger network; `can_grow(old, new)` must be true.
      seed: seed of the new units' weights.
    """
    torch.manual_seed(seed)
    grown = to_numpy(ValueNetwork(new))
    kept = 0
    extra = (new.num_scores - old.num_scores) // 2
    for i in range(len(new.hidden)):
        weight, bias = grown[f"layers.{i}.weight"], grown[f"layers.{i}.bias"]
        is_new = i >= len(old.hidden)
        units = old.hidden[-1] if is_new else old.hidden[i]
        weight[:units] = 0
        if i == 0:
            for name, columns in old.columns().items():
                first = new.columns()[name].start + (extra if name == "utility" else 0)
                width = columns.stop - columns.start
                weight[:units, first : first + width] = weights["layers.0.weight"][:, columns]
        else:
            weight[:units, :kept] = np.eye(units, dtype=np.float32) if is_new else weights[f"layers.{i}.weight"]
        bias[:units] = 0 if is_new else weights[f"layers.{i}.bias"]
        kept = units
    last, first = f"layers.{len(new.hidden)}", f"layers.{len(old.hidden)}"
    grown[f"{last}.weight"][:] = 0
    grown[f"{last}.weight"][:, :kept] = _with_larger_scores(weights[f"{first}.weight"], extra, 0.0, 0.0)
    kept_share, new_share = np.log1p(-extra * _SHARE_OF_NEW_SCORE), np.log(_SHARE_OF_NEW_SCORE)
    grown[f"{last}.bias"][:] = _with_larger_scores(weights[f"{first}.bias"], extra, kept_share, new_share)
    return grown


def _with_larger_scores(
    rows: NDArray[np.float32], extra: int, kept_share: float, new_share: float
) -> NDArray[np.float32]:
    """Return the last layer's rows with `extra` copies of the first and the last, shifted by logarithms of shares."""
    if extra == 0:
        return rows
    best, worst = rows[:1], rows[-1:]
    return np.concatenate(
        [*[best + new_share] * extra, best + kept_share, rows[1:-1], worst + kept_share, *[worst + new_share] * extra]
    ).astype(np.float32)
