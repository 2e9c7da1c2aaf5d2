"""Rules: positions, legal plays, and the rulesets of the houses."""

from __future__ import annotations

from tavla_ai.rules.compiled import compile_rules
from tavla_ai.rules.families import Family
from tavla_ai.rules.gnu_id import id_length, read_id, write_id
from tavla_ai.rules.houses import DEFAULT_RULESET, get_ruleset, ruleset_names
from tavla_ai.rules.match_sets import (
    MatchSet,
    check_match_length,
    games_of,
    get_game,
    get_match_set,
    match_set_names,
    scores_of,
)
from tavla_ai.rules.perft import perft_by_roll
from tavla_ai.rules.plays import (
    ROLLS,
    LegalPlay,
    Play,
    Step,
    apply_steps,
    check_dice,
    check_play,
    counted_board,
    format_play,
    hit_chance,
    legal_plays,
    parse_dice,
    parse_play,
    play_index,
    play_leading_to,
    score_of_play,
    steps_of,
)
from tavla_ai.rules.position import Position, check_board, concession_value
from tavla_ai.rules.rulesets import (
    BAR,
    MAX_OWN_ROLLS,
    NUM_CHECKERS,
    NUM_PLACES,
    OFF,
    OWN_ROLLS,
    PINNED,
    RESERVE,
    Ruleset,
)

__all__ = [
    "BAR",
    "DEFAULT_RULESET",
    "MAX_OWN_ROLLS",
    "NUM_CHECKERS",
    "NUM_PLACES",
    "OFF",
    "OWN_ROLLS",
    "PINNED",
    "RESERVE",
    "ROLLS",
    "Family",
    "LegalPlay",
    "MatchSet",
    "Play",
    "Position",
    "Ruleset",
    "Step",
    "apply_steps",
    "check_board",
    "check_dice",
    "check_match_length",
    "check_play",
    "compile_rules",
    "concession_value",
    "counted_board",
    "format_play",
    "games_of",
    "get_game",
    "get_match_set",
    "get_ruleset",
    "hit_chance",
    "id_length",
    "legal_plays",
    "match_set_names",
    "parse_dice",
    "parse_play",
    "perft_by_roll",
    "play_index",
    "play_leading_to",
    "read_id",
    "ruleset_names",
    "score_of_play",
    "scores_of",
    "steps_of",
    "write_id",
]
