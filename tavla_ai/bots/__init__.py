"""Bots, levels and outside engines: players with names."""

from __future__ import annotations

from tavla_ai.bots.bot import (
    BASELINES,
    Bot,
    ChosenPlay,
    PlayStyle,
    baseline_bot,
    baselines_of,
    checkpoint_bot,
    join_bots,
    network_player,
    plays_pubeval,
    pubeval_bot,
    random_bot,
)
from tavla_ai.bots.level import UNMEASURED_EASY, level_bot, timeout_bot
from tavla_ai.bots.levels import (
    LEVEL_NAMES,
    LEVELS_FILE,
    LEVELS_VARIABLE,
    Ladder,
    LevelName,
    Levels,
    RatedLevel,
    level_name,
    save_levels,
)
from tavla_ai.bots.peers import peers_able_to
from tavla_ai.bots.peers.abilities import CubeAnswer
from tavla_ai.bots.peers.player import Fault, OutsidePlayer, PeerPlayer, close_plays
from tavla_ai.bots.spec import at_ply, load_bot, run_checkpoints, set_parts

__all__ = [
    "BASELINES",
    "LEVELS_FILE",
    "LEVELS_VARIABLE",
    "LEVEL_NAMES",
    "UNMEASURED_EASY",
    "Bot",
    "ChosenPlay",
    "CubeAnswer",
    "Fault",
    "Ladder",
    "LevelName",
    "Levels",
    "OutsidePlayer",
    "PeerPlayer",
    "PlayStyle",
    "RatedLevel",
    "at_ply",
    "baseline_bot",
    "baselines_of",
    "checkpoint_bot",
    "close_plays",
    "join_bots",
    "level_bot",
    "level_name",
    "load_bot",
    "network_player",
    "peers_able_to",
    "plays_pubeval",
    "pubeval_bot",
    "random_bot",
    "run_checkpoints",
    "save_levels",
    "set_parts",
    "timeout_bot",
]
