"""The worth of a game: the score, the cube, match equity and cube decisions."""

from __future__ import annotations

from tavla_ai.match.cube import (
    CubeDecision,
    cash_point,
    check_double,
    cube_decision,
    cubeful_equity,
    may_double,
    respond_to_double,
    should_double,
    take_point,
    turned,
)
from tavla_ai.match.equity import MAX_LENGTH, MatchEquity, Starter, equal_shares, match_equity
from tavla_ai.match.stakes import Utilities, as_utilities, match_utilities, utilities
from tavla_ai.match.state import Cube, CubeOwner, MatchState, Utility

__all__ = [
    "MAX_LENGTH",
    "Cube",
    "CubeDecision",
    "CubeOwner",
    "MatchEquity",
    "MatchState",
    "Starter",
    "Utilities",
    "Utility",
    "as_utilities",
    "cash_point",
    "check_double",
    "cube_decision",
    "cubeful_equity",
    "equal_shares",
    "match_equity",
    "match_utilities",
    "may_double",
    "respond_to_double",
    "should_double",
    "take_point",
    "turned",
    "utilities",
]
