"""Utilities as arrays for the engine: values and network inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tavla_ai.match.equity import match_equity
from tavla_ai.match.state import Utility
from tavla_ai.rules import MatchSet, Ruleset, games_of

Utilities = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def utilities(ruleset: Ruleset, match_length: int | None) -> Utilities:
    """Return values `[N, K]` and network inputs `[N, K − 2]`: one row, or a row for each score of a match."""
    if match_length is None:
        return as_utilities([Utility.points(ruleset)])
    return match_utilities(ruleset, match_length)[0]


def match_utilities(game: Ruleset | MatchSet, length: int) -> list[Utilities]:
    """Return the utilities at each score of a match, for each of the games in turn."""
    if isinstance(game, Ruleset):
        # Nobody doubles in the games of a tournament, so scores have their worth without a cube.
        game = game.model_copy(update={"cube": False, "crawford": False})
    equity = match_equity(game, length)
    return [
        as_utilities(
            [
                Utility(tuple(values), total=1.0)
                for values in equity.utility_grid(number).reshape(-1, len(ruleset.scores))
            ]
        )
        for number, ruleset in enumerate(games_of(game))
    ]


def as_utilities(found: Sequence[Utility]) -> Utilities:
    """Return utilities as arrays: values float32 `[N, K]` and network inputs float32 `[N, K − 2]`."""
    return (
        np.array([utility.values for utility in found], dtype=np.float32),
        np.array([utility.inputs for utility in found], dtype=np.float32),
    )
