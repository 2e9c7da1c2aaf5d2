"""The worth of positions and plays, and the decisions that follow."""

from __future__ import annotations

from tavla_ai.evaluator.base import BaseEvaluator
from tavla_ai.evaluator.bearoff import (
    BEAROFF_RULES,
    CACHE_VARIABLE,
    HEADER_SIZE,
    BearoffRule,
    CachedTables,
    cache_folder,
    find_tables,
    load_tables,
    open_tables,
    rule_of,
    shape_of,
)
from tavla_ai.evaluator.evaluation import BestPlay, Evaluation, RankedPlay
from tavla_ai.evaluator.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.evaluator.load import load_evaluator
from tavla_ai.evaluator.rollout import FIRST_ROLLS, RolledOut, RolloutSettings, roll_out
from tavla_ai.evaluator.search import DEFAULT_SEARCH, SearchSettings

__all__ = [
    "BEAROFF_RULES",
    "CACHE_VARIABLE",
    "DEFAULT_SEARCH",
    "FIRST_ROLLS",
    "HEADER_SIZE",
    "BaseEvaluator",
    "BearoffRule",
    "BestPlay",
    "CachedTables",
    "Evaluation",
    "Evaluator",
    "EvaluatorOptions",
    "RankedPlay",
    "RolledOut",
    "RolloutSettings",
    "SearchSettings",
    "cache_folder",
    "find_tables",
    "load_evaluator",
    "load_tables",
    "open_tables",
    "roll_out",
    "rule_of",
    "shape_of",
]
