"""Golden vectors: inputs of the model with the engine's answers, against which any runtime can be checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tavla_ai import engine
from tavla_ai.errors import CheckpointError
from tavla_ai.match import Utility, as_utilities, match_equity
from tavla_ai.network.checkpoint import Checkpoint
from tavla_ai.rules import Ruleset, compile_rules

NUM_GOLDEN = 1000

_SEED = 20_011_001
_GAMES = 30  # per utility: about 2,000 positions, of which about 100 are kept
_MATCH_LENGTH = 7
_MATCH_SCORES = 8


def golden_vectors(checkpoint: Checkpoint, network: engine.Network) -> dict[str, NDArray[Any]]:
    """Return positions from this network's self-play with the engine's answers.

    Returns:
      `boards` `[NUM_GOLDEN, 2, num_places]` int8, `utility` and `outcomes` `[NUM_GOLDEN, K]` float32,
      `expected_utility` `[NUM_GOLDEN]` float32, as inputs and outputs of the model.
    """
    rules = compile_rules(checkpoint.card.ruleset)
    rng = np.random.default_rng(_SEED)
    parts = [
        _played_for(utility, rules, network, first_game=i * _GAMES)
        for i, utility in enumerate(_utilities(checkpoint.card.ruleset, rng))
    ]
    boards, utility, inputs = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if len(boards) < NUM_GOLDEN:
        raise CheckpointError(
            f"{checkpoint.path}: its self-play gave {len(boards)} positions, expected at least {NUM_GOLDEN}"
        )
    chosen = rng.choice(len(boards), NUM_GOLDEN, replace=False)
    boards, utility, inputs = boards[chosen], utility[chosen], inputs[chosen]
    outcomes = network.evaluate(boards, inputs)
    expected = (outcomes.astype(np.float64) * utility).sum(axis=1)
    return {
        "boards": boards,
        "utility": utility,
        "outcomes": outcomes,
        "expected_utility": expected.astype(np.float32),
    }


def _utilities(ruleset: Ruleset, rng: np.random.Generator) -> list[Utility]:
    """Return the stakes of golden games: points, double match point, and other match scores."""
    # Each further point is a third as likely: a quarter of tavla's wins are mars.
    weights = [3.0 ** -abs(score) for score in ruleset.scores]
    shares = [weight / sum(weights) for weight in weights]
    grid = match_equity(ruleset, _MATCH_LENGTH, {ruleset.name: shares}).utility_grid()
    cells = 1 + rng.choice(_MATCH_LENGTH**2 - 1, _MATCH_SCORES, replace=False)
    values = grid.reshape(_MATCH_LENGTH**2, -1)[[0, *cells]].tolist()
    return [Utility.points(ruleset), *(Utility(tuple(row), total=1.0) for row in values)]


def _played_for(
    utility: Utility, rules: engine.Rules, network: engine.Network, first_game: int
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Return the boards of games where seat 0 plays for `utility`, with each mover's values and inputs."""
    sides = [_as_float32(side) for side in (utility, utility.opponent())]
    values, inputs = as_utilities(sides)
    games = engine.self_play(
        rules, network, _SEED, first_game, _GAMES, lambda_=1.0, values=values[:1], inputs=inputs[:1], shares=[1.0]
    )
    # The engine reports the mover's stakes as network inputs, which tell the two sides apart wherever the
    # network can.
    distance = np.abs(games.utility_inputs[:, None, :] - inputs).sum(axis=2)
    side = distance.argmin(axis=1)
    return games.boards, values[side], inputs[side]


def _as_float32(utility: Utility) -> Utility:
    """Return the utility as a float32 model receives it, so that the expected answers are exact for that."""
    return Utility(tuple(float(np.float32(value)) for value in utility.values), utility.total)
