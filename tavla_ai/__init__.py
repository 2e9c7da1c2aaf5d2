"""Tavla bots: rules, positions, matches, evaluation, bots, tournaments, measurement and export.

`load_bot` returns a bot that chooses plays; `load_evaluator` returns an evaluator that values positions and makes a
server's other decisions. Importing this package imports neither torch nor Ray.
"""

from __future__ import annotations

from importlib.metadata import version

from tavla_ai.bots import Bot, ChosenPlay, Ladder, Levels, RatedLevel, load_bot
from tavla_ai.errors import CheckpointError, ConfigError, NotationError, RulesetError, TavlaError
from tavla_ai.evaluator import (
    Evaluation,
    Evaluator,
    EvaluatorOptions,
    RankedPlay,
    RolledOut,
    RolloutSettings,
    SearchSettings,
    load_evaluator,
    roll_out,
)
from tavla_ai.formats import Match, read_match, read_position
from tavla_ai.match import (
    Cube,
    CubeDecision,
    MatchEquity,
    MatchState,
    Utility,
    cube_decision,
    match_equity,
)
from tavla_ai.network import Card, Checkpoint, load_checkpoint, shipped_names
from tavla_ai.network.export import export_bundle, verify_bundle
from tavla_ai.report.board import board_svg
from tavla_ai.rules import (
    LegalPlay,
    MatchSet,
    Play,
    Position,
    Ruleset,
    Step,
    apply_steps,
    check_play,
    concession_value,
    format_play,
    get_match_set,
    get_ruleset,
    hit_chance,
    legal_plays,
    match_set_names,
    parse_dice,
    parse_play,
    ruleset_names,
)
from tavla_ai.strength import (
    ErrorRate,
    JudgedSet,
    MatchAnalysis,
    analyze_match,
    load_judged_set,
    measure_error_rates,
)
from tavla_ai.tournament import (
    Arena,
    PairResult,
    PlayedTournament,
    Ratings,
    TournamentResult,
    Workers,
    play_pairing,
    play_tournament,
    rate,
)

__version__ = version("tavla-ai")

__all__ = [  # noqa: RUF022 - grouped by task
    "__version__",
    # Games and rules
    "Ruleset",
    "MatchSet",
    "ruleset_names",
    "get_ruleset",
    "match_set_names",
    "get_match_set",
    # Positions and plays
    "Position",
    "Play",
    "Step",
    "LegalPlay",
    "read_position",
    "board_svg",
    "parse_dice",
    "parse_play",
    "format_play",
    "legal_plays",
    "check_play",
    "apply_steps",
    "hit_chance",
    "concession_value",
    # Bots
    "load_bot",
    "Bot",
    "ChosenPlay",
    "Levels",
    "Ladder",
    "RatedLevel",
    # Evaluation
    "load_evaluator",
    "Evaluator",
    "EvaluatorOptions",
    "SearchSettings",
    "Evaluation",
    "RankedPlay",
    "roll_out",
    "RolloutSettings",
    "RolledOut",
    # Matches and the cube
    "MatchState",
    "Cube",
    "Utility",
    "match_equity",
    "MatchEquity",
    "cube_decision",
    "CubeDecision",
    # Tournaments
    "play_tournament",
    "play_pairing",
    "Arena",
    "Workers",
    "PlayedTournament",
    "TournamentResult",
    "PairResult",
    "rate",
    "Ratings",
    # Measurement and analysis
    "Match",
    "read_match",
    "analyze_match",
    "MatchAnalysis",
    "load_judged_set",
    "JudgedSet",
    "measure_error_rates",
    "ErrorRate",
    # Checkpoints and export
    "load_checkpoint",
    "shipped_names",
    "Checkpoint",
    "Card",
    "export_bundle",
    "verify_bundle",
    # Errors
    "TavlaError",
    "RulesetError",
    "NotationError",
    "CheckpointError",
    "ConfigError",
]
