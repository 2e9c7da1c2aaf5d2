"""Bots against each other: paired contests, their results on disk, replays and ratings."""

from __future__ import annotations

from tavla_ai.tournament.arena import Arena, check_seed
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.folder import REPORT_FILE, BotIdentity, ResultsFolder, Settings, read_lines, read_settings
from tavla_ai.tournament.lockstep import Leg, WatchedAction, WatchedDouble, WatchedTurn, play_pairs
from tavla_ai.tournament.luck import luck_networks, named_luck_networks
from tavla_ai.tournament.open_game import OpenGame
from tavla_ai.tournament.ratings import ELO_PER_LOGIT, Pairing, Rating, Ratings, rate
from tavla_ai.tournament.replay import MatchFormat, TournamentReplay, check_has_mat, play_between, replay_pairs
from tavla_ai.tournament.results import BotTotal, PairResult, PlayedTournament, TournamentResult, rated_pairings
from tavla_ai.tournament.runners import MAX_WORKERS, LocalRunner, Runner, Workers, ray_runner
from tavla_ai.tournament.schedule import Schedule, scheduled
from tavla_ai.tournament.tournament import play_pairing, play_tournament

__all__ = [
    "ELO_PER_LOGIT",
    "MAX_WORKERS",
    "REPORT_FILE",
    "Arena",
    "BotIdentity",
    "BotTotal",
    "Contests",
    "Leg",
    "LocalRunner",
    "MatchFormat",
    "OpenGame",
    "PairResult",
    "Pairing",
    "PlayedTournament",
    "Rating",
    "Ratings",
    "ResultsFolder",
    "Runner",
    "Schedule",
    "Settings",
    "TournamentReplay",
    "TournamentResult",
    "WatchedAction",
    "WatchedDouble",
    "WatchedTurn",
    "Workers",
    "check_has_mat",
    "check_seed",
    "luck_networks",
    "named_luck_networks",
    "play_between",
    "play_pairing",
    "play_pairs",
    "play_tournament",
    "rate",
    "rated_pairings",
    "ray_runner",
    "read_lines",
    "read_settings",
    "replay_pairs",
    "scheduled",
]
