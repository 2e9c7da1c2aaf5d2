"""Speed of the engine, and cost of decisions through Python, on one core."""

from __future__ import annotations

from tavla_ai.bench.decide import FULL_DECIDE_SIZES, DecideReport, DecideSizes, DecisionCost, decision_costs
from tavla_ai.bench.speed import (
    FULL_SIZES,
    MEASURES,
    BenchReport,
    BenchResult,
    BenchSizes,
    Measure,
    Timed,
    run_bench,
    time_work,
)

__all__ = [
    "FULL_DECIDE_SIZES",
    "FULL_SIZES",
    "MEASURES",
    "BenchReport",
    "BenchResult",
    "BenchSizes",
    "DecideReport",
    "DecideSizes",
    "DecisionCost",
    "Measure",
    "Timed",
    "decision_costs",
    "run_bench",
    "time_work",
]
