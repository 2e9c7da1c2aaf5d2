"""The engine: rules, dice, plays, the native network and self-play, in C++."""

from __future__ import annotations

from tavla_ai.engine._core import (
    BEAROFF_VERSION,
    FEATURE_VERSION,
    MAX_PLAYS,
    MOST_CANDIDATES,
    NO_SCORE,
    NUM_SHOT_INPUTS,
    SHOTS_VERSION,
    Bearoff,
    BearoffShape,
    DuelResult,
    Network,
    Player,
    Rules,
    Searcher,
    SelfPlayResult,
    available_kernels,
    build_bearoff,
    choose_plays,
    count_plays,
    duel,
    duel_set,
    encode,
    lambda_returns,
    legal_plays,
    legal_stage,
    lookahead,
    num_board_features,
    opening,
    perft,
    place_features,
    random_turns,
    random_walk,
    roll_luck,
    rolls,
    self_play,
    shots,
)
from tavla_ai.rulesets import NUM_PLACES, Ruleset

# Of dice streams.
MAX_SEED = 2**64 - 1
# Of a search.
MAX_PLY = 4

__all__ = [
    "BEAROFF_VERSION",
    "FEATURE_VERSION",
    "MAX_PLAYS",
    "MAX_PLY",
    "MAX_SEED",
    "MOST_CANDIDATES",
    "NO_SCORE",
    "NUM_SHOT_INPUTS",
    "SHOTS_VERSION",
    "Bearoff",
    "BearoffShape",
    "DuelResult",
    "Network",
    "Player",
    "Rules",
    "Searcher",
    "SelfPlayResult",
    "available_kernels",
    "build_bearoff",
    "choose_plays",
    "compile_rules",
    "count_plays",
    "duel",
    "duel_set",
    "encode",
    "lambda_returns",
    "legal_plays",
    "legal_stage",
    "lookahead",
    "num_board_features",
    "opening",
    "perft",
    "place_features",
    "random_turns",
    "random_walk",
    "roll_luck",
    "rolls",
    "self_play",
    "shots",
]


def compile_rules(ruleset: Ruleset) -> Rules:
    """Return the engine's form of a ruleset."""
    return Rules(
        family=ruleset.family,
        setup=[ruleset.setup.get(place, 0) for place in range(NUM_PLACES)],
        reserve=ruleset.reserve,
        opening_rerolls=ruleset.opening == "reroll",
        winner_rolls=ruleset.next_game == "winner_rolls",
        hit_and_run=ruleset.hit_and_run,
        larger_die_first=ruleset.bear_off_order == "larger_first",
        pinned_blocks_bear_off=ruleset.pinned_blocks_bear_off,
        leave_a_move=ruleset.leave_a_move,
        cascade_from=ruleset.cascade_from or 0,
        scores=list(ruleset.scores),
        stuck_limit=ruleset.stuck_limit,
    )
