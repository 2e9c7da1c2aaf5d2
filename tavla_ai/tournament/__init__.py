"""Bots against each other: paired contests, their results on disk, replays and ratings."""

from __future__ import annotations

from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.folder import (
    REPORT_FILE,
    BotIdentity,
    ResultsFolder,
    Settings,
    read_contests,
    read_lines,
    read_settings,
)
from tavla_ai.tournament.lockstep import Leg, WatchedTurn, play_pairs
from tavla_ai.tournament.ratings import ELO_PER_LOGIT, Pairing, Rating, Ratings, rate
from tavla_ai.tournament.replay import TournamentReplay, check_has_mat, play_between, replay_pairs
from tavla_ai.tournament.results import BotTotal, PairResult, TournamentResult, rated_pairings
from tavla_ai.tournament.runners import LocalRunner, Runner, ray_runner
from tavla_ai.tournament.schedule import Schedule, scheduled
from tavla_ai.tournament.table import ContestTable
from tavla_ai.tournament.tournament import MAX_WORKERS, check_limits, play_pairing, play_tournament

__all__ = [
    "ELO_PER_LOGIT",
    "MAX_WORKERS",
    "REPORT_FILE",
    "BotIdentity",
    "BotTotal",
    "ContestTable",
    "Contests",
    "Leg",
    "LocalRunner",
    "PairResult",
    "Pairing",
    "Rating",
    "Ratings",
    "ResultsFolder",
    "Runner",
    "Schedule",
    "Settings",
    "TournamentReplay",
    "TournamentResult",
    "WatchedTurn",
    "check_has_mat",
    "check_limits",
    "play_between",
    "play_pairing",
    "play_pairs",
    "play_tournament",
    "rate",
    "rated_pairings",
    "ray_runner",
    "read_contests",
    "read_lines",
    "read_settings",
    "replay_pairs",
    "scheduled",
]
