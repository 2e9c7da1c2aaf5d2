"""Perft: the number of positions at a depth of some turns, which checks a generator of plays."""

from __future__ import annotations

from tavla_ai import engine
from tavla_ai.rules.compiled import compile_rules
from tavla_ai.rules.plays import ROLLS, legal_plays
from tavla_ai.rules.position import Position
from tavla_ai.rules.rulesets import Ruleset


def perft_by_roll(ruleset: Ruleset, position: Position, depth: int) -> dict[tuple[int, int], int]:
    """Return the number of distinct positions after each of the 21 rolls, `depth` turns deep.

    A turn without a legal move counts as one position; a finished game has no further turns. In Gul Bara only the first
    stage of a roll is played.

    Args:
      ruleset: the game.
      position: the board, seen by the player on roll.
      depth: number of turns, at least 1.
    """
    return {(high, low): _count_below(ruleset, position, (high, low), depth) for high, low, _ in ROLLS}


def _count_below(ruleset: Ruleset, position: Position, roll: tuple[int, int], depth: int) -> int:
    """Return the count below one roll. The engine is called once per play, so that Ctrl-C works between the calls."""
    plays = legal_plays(ruleset, position, roll)
    if depth == 1:
        return len(plays)
    rules = compile_rules(ruleset)
    return sum(engine.perft(rules, play.afterstate.swap().board, depth - 1) for play in plays if play.score is None)
