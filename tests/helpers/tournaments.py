"""Tournaments, set up and played in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tavla_ai.bots import Bot
from tavla_ai.network import Checkpoint
from tavla_ai.rules import MatchSet, Ruleset
from tavla_ai.tournament import Arena, PlayedTournament, play_tournament


def played(
    game: Ruleset | MatchSet,
    bots: Sequence[Bot],
    games: int,
    seed: int,
    match_length: int | None = None,
    *,
    luck_networks: Sequence[Checkpoint | None] = (),
    **options: Any,
) -> PlayedTournament:
    return play_tournament(Arena(game, bots, seed, match_length, luck_networks), games, **options)
