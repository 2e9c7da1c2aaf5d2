"""Paired games and matches: the same dice twice, and results that a replay by hand gives too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tavla_ai import engine
from tavla_ai.position import Position
from tavla_ai.rulesets import Ruleset, get_ruleset

SEED = 33
SCORES = (2, 1, -1, -2)

Utilities = tuple[np.ndarray, np.ndarray]
NetworkOf = Callable[..., engine.Network]
Weights = tuple[np.ndarray, np.ndarray]


# The same by hand. A chooser is a function (before, legal, worth of each score, inputs, dice, streams, ply) → play.


def choose_at_random(rules: engine.Rules, before: np.ndarray, roll: list[int], decision: Any) -> int:
    legal, _ = engine.legal_plays(rules, before, *roll)
    return decision["streams"].choice(decision["ply"], len(legal))
