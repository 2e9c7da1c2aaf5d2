"""Luck networks: the networks that measure the luck of the rolls.

The luck of a roll is 0 on average for any network, so a result without luck has the same mean as the raw result. The
better the network, the smaller the error.
"""

from __future__ import annotations

from collections.abc import Sequence

from tavla_ai.bots import Bot, set_parts
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint, load_checkpoint, load_strongest, strongest_checkpoint
from tavla_ai.rules import MatchSet, Ruleset, games_of
from tavla_ai.tournament.arena import Arena


def luck_networks(game: Ruleset | MatchSet, bots: Sequence[Bot]) -> tuple[Checkpoint | None, ...]:
    """Return for each game the strongest shipped network, else that of the first bot that has one, else None.

    In a set Gul Bara has none, so its luck is left out: a turn of Gul Bara is more than one roll.
    """
    return tuple(
        None if ruleset.has_stages and isinstance(game, MatchSet) else _luck_network(ruleset, bots, number)
        for number, ruleset in enumerate(games_of(game))
    )


def named_luck_networks(game: Ruleset | MatchSet, spec: str) -> tuple[Checkpoint | None, ...]:
    """Return for each game the network that `spec` names; None for a game of a set that it does not name.

    Args:
      spec: a checkpoint's folder or shipped name; for a set of games `portes=DIR,fevga=DIR`.

    Raises:
      TavlaError: a set of games, and `spec` names a network for none of them; also the errors of `set_parts`.
      CheckpointError: same as `load_checkpoint`.
    """
    if isinstance(game, Ruleset):
        return (load_checkpoint(spec, game),)
    parts = set_parts(spec, game)
    if parts is None:
        example = ",".join(f"{name}=DIR" for name in dict.fromkeys(game.games))
        raise TavlaError(f"{spec}: expected a checkpoint for each game whose luck counts, such as {example}")
    return tuple(
        load_checkpoint(parts[ruleset.name], ruleset) if ruleset.name in parts else None for ruleset in games_of(game)
    )


def luck_networks_text(arena: Arena) -> str | None:
    """Return the name of the luck network, for a set `GAME=NAME` of each game; None if luck is not measured."""
    named = [
        (ruleset.name, network.name)
        for ruleset, network in zip(games_of(arena.game), arena.luck_networks, strict=True)
        if network is not None
    ]
    if isinstance(arena.game, Ruleset):
        return named[0][1] if named else None
    return ",".join(f"{name}={path}" for name, path in named) or None


def _luck_network(ruleset: Ruleset, bots: Sequence[Bot], game: int) -> Checkpoint | None:
    if strongest_checkpoint(ruleset) is not None:
        return load_strongest(ruleset)
    return next((part.checkpoint for bot in bots if (part := bot.by_game[game]).checkpoint is not None), None)
