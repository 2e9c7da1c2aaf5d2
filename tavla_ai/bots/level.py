"""Levels as bots, and the bot that plays when a player's time is up."""

from __future__ import annotations

from dataclasses import replace

from tavla_ai.bots.bot import Bot, PlayStyle, checkpoint_bot
from tavla_ai.bots.levels import LevelName, Levels, level_name
from tavla_ai.network import Checkpoint
from tavla_ai.rules import MatchSet, Ruleset

# Style of the bot for a time-out where no Easy level has been measured.
UNMEASURED_EASY = PlayStyle(noise=0.08, cap=0.15)


def level_bot(
    name: LevelName,
    ruleset: Ruleset,
    levels: Levels,
    match_length: int | None = None,
    *,
    match_set: MatchSet | None = None,
) -> Bot:
    """Return a level of a game's ladder.

    Args:
      levels: the file of levels.
      match_length: points that win the matches to play; None for single games.
      match_set: the set of games that `ruleset` belongs to; None plays the game alone.

    Raises:
      TavlaError: the file does not exist, has no levels of the game, or measured the level with other weights.
      CheckpointError: the level's checkpoint cannot be used; see `load_checkpoint`.
    """
    ladder = levels.ladder(ruleset, match_length)
    level = ladder.levels[level_name(name)]
    bot = checkpoint_bot(name, ruleset, levels.checkpoint(name, level, ruleset), level.style)
    return replace(bot, match_set=match_set)


def timeout_bot(
    checkpoint: Checkpoint,
    ruleset: Ruleset,
    levels: Levels,
    match_length: int | None = None,
    *,
    match_set: MatchSet | None = None,
) -> Bot:
    """Return the bot that plays for a player whose time is up: the Easy level.

    The measured Easy plays if the file of levels has the game and the measured network still exists. Otherwise the
    checkpoint's network plays with an unmeasured error, because the server needs a play.

    Args:
      checkpoint: the network that plays if there is no measured level.
      levels: the file of levels.
      match_length: see `level_bot`.
      match_set: see `level_bot`.

    Raises:
      TavlaError: the file of levels cannot be read; see `Levels`.
      CheckpointError: see `level_bot`.
    """
    ladder = levels.find(ruleset, match_length)
    if ladder is not None and levels.is_as_measured(ladder.levels["easy"]):
        return level_bot("easy", ruleset, levels, match_length, match_set=match_set)
    style = PlayStyle() if ruleset.has_stages else UNMEASURED_EASY
    return replace(checkpoint_bot("easy", ruleset, checkpoint, style), match_set=match_set)
