"""Train, measure and ship tavla bots: rules, positions, matches, checkpoints, bots and tournaments."""

from __future__ import annotations

from importlib.metadata import version

from tavla_ai.analysis import MatchAnalysis, analyze_match
from tavla_ai.bearoff import load_tables
from tavla_ai.bots import Bot, make_bot
from tavla_ai.checkpoint import Card, Checkpoint, load_checkpoint
from tavla_ai.cube import (
    CubeDecision,
    cash_point,
    cube_decision,
    cubeful_equity,
    respond_to_double,
    should_double,
    take_point,
)
from tavla_ai.error_rate import ErrorRate, JudgedSet, load_judged_set, measure_error_rate, measure_error_rates
from tavla_ai.errors import CheckpointError, ConfigError, NotationError, RulesetError, TavlaError
from tavla_ai.evaluator import Evaluation, Evaluator, LegalPlay, RankedPlay, SearchSettings, legal_plays
from tavla_ai.levels import Ladder, Level, Levels, RatedLevel
from tavla_ai.match import Cube, MatchEquity, MatchState, Utility, equal_shares, match_equity
from tavla_ai.position import Position, apply_steps, check_play, concession_value, format_play, parse_dice, parse_play
from tavla_ai.rollout import RolledOut, RolloutSettings, roll_out
from tavla_ai.rulesets import MatchSet, Ruleset, get_match_set, get_ruleset, match_set_names, ruleset_names
from tavla_ai.tournament import PairResult, TournamentResult, play_pairing, play_tournament

__version__ = version("tavla-ai")

__all__ = [
    "Bot",
    "Card",
    "Checkpoint",
    "CheckpointError",
    "ConfigError",
    "Cube",
    "CubeDecision",
    "ErrorRate",
    "Evaluation",
    "Evaluator",
    "JudgedSet",
    "Ladder",
    "LegalPlay",
    "Level",
    "Levels",
    "MatchAnalysis",
    "MatchEquity",
    "MatchSet",
    "MatchState",
    "NotationError",
    "PairResult",
    "Position",
    "RankedPlay",
    "RatedLevel",
    "RolledOut",
    "RolloutSettings",
    "Ruleset",
    "RulesetError",
    "SearchSettings",
    "TavlaError",
    "TournamentResult",
    "Utility",
    "__version__",
    "analyze_match",
    "apply_steps",
    "cash_point",
    "check_play",
    "concession_value",
    "cube_decision",
    "cubeful_equity",
    "equal_shares",
    "format_play",
    "get_match_set",
    "get_ruleset",
    "legal_plays",
    "load_checkpoint",
    "load_judged_set",
    "load_tables",
    "make_bot",
    "match_equity",
    "match_set_names",
    "measure_error_rate",
    "measure_error_rates",
    "parse_dice",
    "parse_play",
    "play_pairing",
    "play_tournament",
    "respond_to_double",
    "roll_out",
    "ruleset_names",
    "should_double",
    "take_point",
]
