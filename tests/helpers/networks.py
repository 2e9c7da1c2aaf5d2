"""Networks of random weights, without a checkpoint."""

from __future__ import annotations

import numpy as np

from tavla_ai import engine
from tavla_ai.rules import get_ruleset


def untrained(preset: str, seed: int, hidden: int = 16) -> engine.Network:
    """A network of random weights: it plays badly, but not at random."""
    ruleset = get_ruleset(preset)
    rng = np.random.default_rng(seed)
    num_scores = len(ruleset.scores)
    widths = (engine.num_board_features(ruleset.num_places) + num_scores - 2, hidden, num_scores)
    layers = [
        (rng.standard_normal((widths[i + 1], widths[i])).astype(np.float32), np.zeros(widths[i + 1], np.float32))
        for i in range(2)
    ]
    return engine.Network(layers, ruleset.num_places)
