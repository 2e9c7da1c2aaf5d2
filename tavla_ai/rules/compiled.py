"""Rulesets compiled for the engine."""

from __future__ import annotations

from functools import lru_cache

from tavla_ai.engine import Rules, Variant
from tavla_ai.rules.rulesets import NUM_PLACES, Ruleset


@lru_cache
def compile_rules(ruleset: Ruleset) -> Rules:
    """Return a ruleset compiled for the engine."""
    return Rules(
        family=ruleset.family,
        setup=[ruleset.setup.get(place, 0) for place in range(NUM_PLACES)],
        reserve=ruleset.reserve,
        variant=Variant(
            hit_and_run=ruleset.hit_and_run,
            larger_die_first=ruleset.bear_off_order == "larger_first",
            pinned_blocks_bear_off=ruleset.pinned_blocks_bear_off,
            leave_a_move=ruleset.leave_a_move,
            cascade_from=ruleset.cascade_from or 0,
        ),
        opening_rerolls=ruleset.opening == "reroll",
        winner_rolls=ruleset.next_game == "winner_rolls",
        scores=list(ruleset.scores),
        stuck_limit=ruleset.stuck_limit,
    )
