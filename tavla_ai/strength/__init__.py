"""Strength: analysis of matches, error rates on judged decisions, measurement and calibration of levels."""

from __future__ import annotations

from tavla_ai.strength.calibration import (
    DEFAULT_MATCHES,
    DEFAULT_SEARCH_MATCHES,
    Calibration,
    CalibrationEffort,
    CalibrationRound,
    calibrate,
    win_share,
)
from tavla_ai.strength.decision_sampler import SampledDecisions, sample_decisions
from tavla_ai.strength.decisions import GRADES, PHASES
from tavla_ai.strength.disagreements import Difference, find_differences
from tavla_ai.strength.error_rate import ErrorRate, PhaseRate, measure_error_rate, measure_error_rates
from tavla_ai.strength.human_likeness import (
    BLUNDER,
    DOUBTFUL,
    KINDS,
    LevelLikeness,
    LikenessReport,
    LossSpread,
    measure_likeness,
)
from tavla_ai.strength.judged_set import (
    QUANTUM,
    JudgedHeader,
    JudgedSet,
    JudgeInfo,
    RolloutInfo,
    load_judged_set,
    save_judged_set,
    sorted_plays,
)
from tavla_ai.strength.judged_set_builder import (
    DEFAULT_JUDGES,
    build_judged_set,
    judge_decisions,
)
from tavla_ai.strength.match_analysis import (
    CLOSE_CUBE,
    AnalyzedCube,
    AnalyzedPlay,
    GameAnalysis,
    MatchAnalysis,
    Summary,
)
from tavla_ai.strength.match_analyst import analyze_match
from tavla_ai.strength.measure import as_result, measure_checkpoint, measure_level
from tavla_ai.strength.score_shares import (
    ScoreShares,
    assumed_shares,
    measure_card_shares,
    measure_score_shares,
    shares_of_cards,
)
from tavla_ai.strength.server_elo import EloSimulation

__all__ = [
    "BLUNDER",
    "CLOSE_CUBE",
    "DEFAULT_JUDGES",
    "DEFAULT_MATCHES",
    "DEFAULT_SEARCH_MATCHES",
    "DOUBTFUL",
    "GRADES",
    "KINDS",
    "PHASES",
    "QUANTUM",
    "AnalyzedCube",
    "AnalyzedPlay",
    "Calibration",
    "CalibrationEffort",
    "CalibrationRound",
    "Difference",
    "EloSimulation",
    "ErrorRate",
    "GameAnalysis",
    "JudgeInfo",
    "JudgedHeader",
    "JudgedSet",
    "LevelLikeness",
    "LikenessReport",
    "LossSpread",
    "MatchAnalysis",
    "PhaseRate",
    "RolloutInfo",
    "SampledDecisions",
    "ScoreShares",
    "Summary",
    "analyze_match",
    "as_result",
    "assumed_shares",
    "build_judged_set",
    "calibrate",
    "find_differences",
    "judge_decisions",
    "load_judged_set",
    "measure_card_shares",
    "measure_checkpoint",
    "measure_error_rate",
    "measure_error_rates",
    "measure_level",
    "measure_likeness",
    "measure_score_shares",
    "sample_decisions",
    "save_judged_set",
    "shares_of_cards",
    "sorted_plays",
    "win_share",
]
