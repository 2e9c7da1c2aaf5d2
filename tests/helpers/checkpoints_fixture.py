"""A small checkpoint with random weights, for tests that need one on disk."""

from pathlib import Path

import numpy as np

from tavla_ai.network import CardDraft, NetworkSpec, Result, save_checkpoint
from tavla_ai.rules import get_ruleset


def write_checkpoint(
    path: Path,
    ruleset: str = "north-sultan",
    seed: int = 1,
    num_scores: int = 4,
    results: tuple[Result, ...] = (),
    score_shares: tuple[float, ...] | None = None,
    outcomes: tuple[float, ...] | None = None,
) -> Path:
    """Write a checkpoint whose network prefers some plays to others, and return its path.

    With `outcomes` it answers those probabilities whatever it is shown.
    """
    game = get_ruleset(ruleset)
    network = NetworkSpec(hidden=(8, 8), num_places=game.num_places, num_scores=num_scores)
    rng = np.random.default_rng(seed)
    weights = {}
    for i, (out, into) in enumerate(network.layer_shapes()):
        weights[f"layers.{i}.weight"] = rng.normal(0, 0.5, (out, into)).astype(np.float32)
        weights[f"layers.{i}.bias"] = rng.normal(0, 0.5, out).astype(np.float32)
    if outcomes is not None:
        last = len(network.hidden)
        weights[f"layers.{last}.weight"][:] = 0
        weights[f"layers.{last}.bias"][:] = np.log(outcomes)
    save_checkpoint(
        path,
        weights,
        CardDraft(
            ruleset=game,
            network=network,
            games=12_000,
            positions=340_000,
            seed=seed,
            config={"td": {"lambda": 0.7}},
            code={"commit": "0123abc"},
            versions={"numpy": np.__version__},
            cost={},
            results=results,
            score_shares=score_shares,
        ),
    )
    return path
