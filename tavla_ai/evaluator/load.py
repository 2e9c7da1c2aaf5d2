"""The evaluator of a game: by default that of its strongest shipped network."""

from __future__ import annotations

from pathlib import Path

from tavla_ai.evaluator.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.network import load_checkpoint, load_strongest
from tavla_ai.rules import DEFAULT_RULESET, Ruleset, get_ruleset


def load_evaluator(
    game: str | Ruleset | None = None,
    checkpoint: str | Path | None = None,
    options: EvaluatorOptions = EvaluatorOptions(),
) -> Evaluator:
    """Return an evaluator of a game.

    Args:
      game: a ruleset or its name; None takes the game that the checkpoint was trained for, and without a checkpoint
        `north-sultan`.
      checkpoint: folder or shipped name of the network's checkpoint; None takes the strongest shipped network of the
        game.
      options: options of the evaluator, such as the set of games that a match is played over.

    Raises:
      RulesetError: the game is unknown, or the set of games does not play it.
      CheckpointError: no shipped network plays the game, or the checkpoint cannot be used for it; see
        `load_checkpoint`.
    """
    ruleset = get_ruleset(game) if isinstance(game, str) else game
    if checkpoint is not None:
        return Evaluator(load_checkpoint(checkpoint, ruleset), ruleset, options)
    ruleset = ruleset or get_ruleset(DEFAULT_RULESET)
    return Evaluator(load_strongest(ruleset), ruleset, options)
