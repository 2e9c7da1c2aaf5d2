"""The torch value network, for training and export; at play time the engine runs its folded form."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tavla_ai.network.spec import NetworkSpec


class ValueNetwork(nn.Module):
    """Predicts the distribution over the game's scores for the player who has just moved.

    The first layer reads thermometer features, which share what they learn between counts; the engine
    folds it into one table row for each (side, place, count).
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        self.spec = spec
        self.layers = nn.ModuleList(nn.Linear(into, out) for out, into in spec.layer_shapes())

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return logits `[B, K]` float32 of the scores, best first.

        Args:
          features: `[B, spec.num_inputs]` float32, as `engine.encode` gives them for afterstates.
        """
        hidden = features
        for layer in self.layers[:-1]:
            hidden = torch.relu(layer(hidden))
        logits: torch.Tensor = self.layers[-1](hidden)
        return logits


def to_numpy(module: ValueNetwork) -> dict[str, NDArray[np.float32]]:
    """Return a copy of the weights as float32 arrays, by their names in checkpoints."""
    return {
        name: tensor.detach().to("cpu", torch.float32).numpy().copy() for name, tensor in module.state_dict().items()
    }


def from_numpy(spec: NetworkSpec, weights: Mapping[str, NDArray[np.float32]]) -> ValueNetwork:
    """Return a network with the given weights."""
    module = ValueNetwork(spec)
    module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    return module
