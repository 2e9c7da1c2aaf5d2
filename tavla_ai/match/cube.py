"""Decisions with the doubling cube: doubling and taking.

A decision is made before the roll. It uses the outcomes of the game if the cube were never turned again, and the worth
of points at the score. The engine (`value/cube.hpp`) turns these into values with a cube by Janowski's model. Gammons
count whether or not the cube was turned; beavers and the Jacoby rule do not exist.

Values are points in single games, in units of the present cube, so that a pass costs 1; in a match they are
match-winning chances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tavla_ai import engine
from tavla_ai.engine import CUBE_EFFICIENCY
from tavla_ai.errors import RulesetError
from tavla_ai.match.equity import MatchEquity
from tavla_ai.match.state import Cube, MatchState

# Networks answer in float32.
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class CubeDecision:
    """Values of doubling and of not doubling now, to the player on roll.

    The values of doubling are given even where the player may not double, as if it were allowed.

    Attributes:
      no_double: the value of rolling without doubling.
      double_take: the value of a double that the opponent takes.
      double_pass: the value of a double that the opponent passes.
      pass_points: points that a pass costs the opponent: the present value of the cube.
      can_double: whether the player may double and can gain from it: the cube is centred or the player's own, below
        the limit, this is not the Crawford game, and a win with the present cube does not already win the match.
      should_double: whether doubling now is worth more than not doubling, or the same where a lost game loses the
        match.
      should_take: whether the opponent should take a double.
      is_too_good: whether the player should not double because playing on is worth more than a pass.
    """

    no_double: float
    double_take: float
    double_pass: float
    pass_points: int
    can_double: bool
    should_double: bool
    should_take: bool
    is_too_good: bool

    @staticmethod
    def of(found: tuple[float, float, float, bool, bool, bool, bool], pass_points: int) -> CubeDecision:
        """Return a decision of the engine, which answers as `engine.decide_cube`."""
        no_double, double_take, double_pass, can_double, should_double, should_take, is_too_good = found
        return CubeDecision(
            no_double=no_double,
            double_take=double_take,
            double_pass=double_pass,
            pass_points=pass_points,
            can_double=can_double,
            should_double=should_double,
            should_take=should_take,
            is_too_good=is_too_good,
        )

    @property
    def value(self) -> float:
        """The worth of the position to the player on roll when both sides use the cube as they should."""
        return min(self.double_take, self.double_pass) if self.should_double else self.no_double


def cube_decision(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> CubeDecision:
    """Return what doubling is worth to the player on roll, before the dice.

    Args:
      outcomes: K probabilities of that player's scores, best first, with the cube left where it is.
      state: the match seen by that player, with the cube as it is before a double.
      equity: match equity table of the match; in single games only its ruleset is used.
      efficiency: how live the cube is, from 0 (dead) to 1 (live). 0 is exact if this roll decides the game, so that
        the cube is not turned again.

    Raises:
      RulesetError: outcomes that are not K probabilities, an efficiency out of range, a game without a cube,
        or a state that the table does not have.
    """
    found = engine.decide_cube(*_question(outcomes, state, equity, efficiency), efficiency)
    return CubeDecision.of(found, state.cube.value)


def should_double(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> bool:
    """Return whether the player on roll should double; see `cube_decision`."""
    return cube_decision(outcomes, state, equity, efficiency).should_double


def respond_to_double(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> bool:
    """Return whether the opponent should take when the player on roll doubles; otherwise it should pass.

    The point of view and the arguments are those of `cube_decision`: the side that doubles, before its dice, with the
    cube as it is before the double.

    Raises:
      RulesetError: the player on roll may not double, see `check_double`, or see `cube_decision`.
    """
    decision = cube_decision(outcomes, state, equity, efficiency)
    check_double(state, equity)
    return decision.should_take


def cubeful_equity(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> float:
    """Return what a position is worth to me between two turns, whichever side rolls next.

    The cube stays where it is until the next turn; before my own roll, `cube_decision` has what doubling would
    change. Arguments and errors are those of `cube_decision`.
    """
    return engine.cubeful_equity(*_question(outcomes, state, equity, efficiency), efficiency)


def take_point(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> float:
    """Return the lowest chance of winning with which I should take if the opponent doubles the present cube.

    Only the sizes of wins and of losses are taken from `outcomes`, not how often I win. Arguments and errors are
    those of `cube_decision`.
    """
    return engine.cube_points(*_question(outcomes, state, equity, efficiency), efficiency)[0]


def cash_point(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float = CUBE_EFFICIENCY
) -> float:
    """Return the chance of winning from which the opponent should pass if I double the present cube.

    Arguments and errors are those of `take_point`.
    """
    return engine.cube_points(*_question(outcomes, state, equity, efficiency), efficiency)[1]


def _question(
    outcomes: Sequence[float], state: MatchState, equity: MatchEquity, efficiency: float
) -> tuple[tuple[int, ...], list[float], engine.CubeStakes]:
    """Return the scores, their probabilities and the stakes, checked, as the engine takes them."""
    ruleset = equity.ruleset_of(state)
    if not ruleset.cube:
        raise RulesetError(f"cube: {ruleset.name} has none")
    shares = [float(share) for share in outcomes]
    if len(shares) != len(ruleset.scores):
        raise RulesetError(
            f"outcomes {shares}: {len(shares)} numbers, expected one for each of {', '.join(map(str, ruleset.scores))}"
        )
    if not (np.isfinite(shares).all() and min(shares) >= 0 and abs(sum(shares) - 1) <= _TOLERANCE):
        raise RulesetError(f"outcomes {shares}: expected probabilities that add up to 1")
    if not 0 <= efficiency <= 1:
        raise RulesetError(f"cube efficiency {efficiency}: expected 0 to 1")
    return ruleset.scores, shares, equity.cube_stakes(state)


def turned(state: MatchState) -> MatchState:
    """Return the stakes after a taken double, seen by the player who doubled."""
    return replace(state, cube=Cube(2 * state.cube.value, "opponent"))


def may_double(state: MatchState, equity: MatchEquity) -> bool:
    """Return whether the rules let the player on roll double."""
    return (
        not state.is_crawford
        and state.cube.owner != "opponent"
        and 2 * state.cube.value <= equity.ruleset_of(state).cube_limit
    )


def check_double(state: MatchState, equity: MatchEquity) -> None:
    """Raise `RulesetError` unless the rules let the player on roll double.

    Doubling is not allowed if the house has no cube, if the cube is the opponent's or at its limit, and in the Crawford
    game.
    """
    ruleset = equity.ruleset_of(state)
    if not ruleset.cube:
        raise RulesetError(f"cube: {ruleset.name} has none")
    if not may_double(state, equity):
        why = "in the Crawford game" if state.is_crawford else f"a cube of {state.cube.value}, {state.cube.owner}"
        raise RulesetError(f"double: the side on roll may not double {why}")
