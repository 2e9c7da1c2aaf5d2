"""Doubling, decided by the 21 rolls.

The side on roll plays each roll; Janowski's formula then estimates what the position, with the cube, is worth to the
opponent. With a few checkers left in the bear-off, every roll and every cube action is searched instead; this is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tavla_ai.evaluator.evaluation import BestPlay
from tavla_ai.match import (
    CubeDecision,
    CubeEnding,
    MatchEquity,
    MatchState,
    Utility,
    cube_decision,
    ends_soon,
    turned,
)
from tavla_ai.rules import ROLLS, Position, Ruleset, compile_rules

# Finds the best play of a roll, given what the scores are worth to its mover.
FindBestPlay = Callable[[tuple[int, int], Utility], BestPlay]


def cube_by_rolls(
    ruleset: Ruleset,
    position: Position,
    match: MatchState,
    equity: MatchEquity,
    outcomes: Sequence[float],
    best_play: FindBestPlay,
) -> CubeDecision:
    """Return what doubling now is worth to the side on roll, before the dice.

    Args:
      ruleset: the game, which has a cube and the plays of western backgammon.
      position: the side on roll first.
      match: the stakes, seen by the side on roll.
      equity: the match equity table; in single games it only names the game.
      outcomes: K probabilities of the scores to the side on roll, best first, with the cube where it is.
      best_play: function that finds the best play of a roll for the side on roll.

    Raises:
      RulesetError: see `match.cube_decision`.
    """
    static = cube_decision(outcomes, match, equity)
    ending = CubeEnding(compile_rules(ruleset), equity) if ends_soon(position.board) else None

    def rolled(stakes: MatchState) -> float:
        if ending is not None:
            return ending.rolled(position.board, stakes)
        return _value_of_rolling(stakes, equity, best_play)

    no_double, double_take = rolled(match), static.double_take
    if static.can_double:
        # Money values are in units of the cube before the double.
        double_take = rolled(turned(match)) * (2 if match.length is None else 1)
    return static.with_values(no_double, double_take, match, is_exact=ending is not None)


def _value_of_rolling(stakes: MatchState, equity: MatchEquity, best_play: FindBestPlay) -> float:
    """Return what rolling is worth to the side on roll; the opponent may then use the cube.

    In single games the value is in units of the cube.
    """
    utility = equity.utility(stakes)
    unit = 1 if stakes.length is not None else stakes.cube.value
    theirs = stakes.swap()
    total = 0.0
    for *dice, weight in ROLLS:
        first, second = dice
        best = best_play((first, second), utility)
        if best.play.score is not None:
            value = equity.value_after(stakes, best.play.score * stakes.cube.value) / unit
        else:
            shares = np.array(best.outcomes)
            answered = cube_decision((shares[::-1] / shares.sum()).tolist(), theirs, equity).value
            value = 1 - answered if stakes.length is not None else -answered
        total += weight * value
    return total / 36
