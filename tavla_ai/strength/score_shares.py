"""How often each score occurs when a network plays itself."""

from __future__ import annotations

import numpy as np

from tavla_ai import engine
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import load_tables
from tavla_ai.match import utilities
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset, compile_rules
from tavla_ai.tournament import Workers, check_seed

# Self-play keeps every position of a call.
_GAMES_PER_CALL = 2000


def measure_score_shares(
    ruleset: Ruleset,
    network: engine.Network,
    games: int,
    seed: int,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> tuple[float, ...]:
    """Return how often the side that starts a single game gets each score when a network plays itself.

    Match equity tables are made of these shares; a checkpoint's card keeps them as `score_shares`.

    Args:
      network: plays both sides at 0-ply, for points, with the game's bear-off tables.
      games: games to play.
      seed: seed of the dice, 0 to 2**64 − 1.
      workers: engine threads; the result does not depend on them.
      progress: called with the number of games finished since its last call.

    Returns:
      K probabilities, best score first; void games do not count.

    Raises:
      TavlaError: no games, a seed or a number of workers out of range, or nothing but void games.
    """
    if games < 1:
        raise TavlaError(f"{games} games: expected at least 1")
    check_seed(seed)
    threads = Workers(workers).threads
    rules = compile_rules(ruleset)
    values, inputs = utilities(ruleset, None)
    tables = load_tables(ruleset)
    counts = np.zeros(len(ruleset.scores), dtype=np.int64)
    for first in range(0, games, _GAMES_PER_CALL):
        number = min(_GAMES_PER_CALL, games - first)
        played = engine.self_play(
            rules, network, seed, first, number, 0.0, values, inputs, [1.0], min(threads, number), tables
        )
        counts += np.array(played.starter_scores)
        if progress is not None:
            progress(number)
    if counts.sum() == 0:
        raise TavlaError(f"{ruleset.name}: all of {games} games were void")
    return tuple((counts / counts.sum()).tolist())
