"""Score shares: the frequency of each score when a network plays itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tavla_ai import engine
from tavla_ai.errors import CheckpointError, TavlaError
from tavla_ai.evaluator import load_tables
from tavla_ai.match import utilities
from tavla_ai.network import check_is_not_packaged, load_checkpoint, write_card
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import MatchSet, Ruleset, compile_rules, games_of
from tavla_ai.tournament import Workers, check_seed

# Seed of the dice for a card's shares; tournaments and evaluations use other seeds.
_CARD_SEED = 4_000_037
# A call of self-play keeps all of its positions in memory.
_GAMES_PER_CALL = 2000


def measure_score_shares(
    ruleset: Ruleset,
    network: engine.Network,
    games: int,
    seed: int,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> tuple[float, ...]:
    """Return the share of each score for the side that starts a single game, when a network plays itself.

    Match equity tables are made of these shares; a checkpoint's card keeps them as `score_shares`.

    Args:
      network: network that plays both sides at 0-ply, for points, with the game's bear-off tables.
      games: number of games.
      seed: seed of the dice, 0 to 2**64 − 1.
      workers: engine threads; the result does not depend on them.
      progress: called with the number of games finished since its last call.

    Returns:
      K probabilities, best score first, without void games.

    Raises:
      TavlaError: no games, a seed or a number of workers out of range, or only void games.
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
            rules,
            network,
            seed,
            first,
            number,
            lambda_=0.0,
            values=values,
            inputs=inputs,
            shares=[1.0],
            threads=min(threads, number),
            tables=tables,
        )
        counts += np.array(played.starter_scores)
        if progress is not None:
            progress(number)
    if counts.sum() == 0:
        raise TavlaError(f"{ruleset.name}: all of {games} games were void")
    return tuple((counts / counts.sum()).tolist())


@dataclass(frozen=True)
class ScoreShares:
    """Shares of the scores for the side that starts a game.

    Attributes:
      values: K probabilities, best score first.
      source: their source, for people.
    """

    values: tuple[float, ...]
    source: str


def measure_card_shares(
    path: str | Path, games: int, workers: int = 1, progress: ProgressCallback | None = None
) -> tuple[float, ...]:
    """Let a checkpoint play itself at its own game, write the score shares into its card, and return them.

    Arguments and errors are those of `measure_score_shares`; the seed is always the same.

    Raises:
      CheckpointError: the checkpoint cannot be used.
    """
    checkpoint = load_checkpoint(path)
    check_is_not_packaged(checkpoint.path)
    network = checkpoint.engine_network()
    shares = measure_score_shares(checkpoint.card.ruleset, network, games, _CARD_SEED, workers, progress)
    write_card(checkpoint.path, checkpoint.card.model_copy(update={"score_shares": shares}))
    return shares


def shares_of_cards(game: Ruleset | MatchSet, paths: Sequence[str | Path]) -> dict[str, ScoreShares]:
    """Return the score shares in checkpoints' cards for a game, or for the games of a set, by ruleset.

    A card's shares apply to every game that plays like the checkpoint's own game; later paths replace earlier ones.

    Raises:
      CheckpointError: a checkpoint cannot be used, serves none of the games, or its card has no shares.
    """
    rulesets = games_of(game)
    found: dict[str, ScoreShares] = {}
    for path in paths:
        card = load_checkpoint(path).card
        served = [ruleset for ruleset in rulesets if ruleset.plays_like(card.ruleset)]
        if not served:
            names = ", ".join(ruleset.name for ruleset in rulesets)
            raise CheckpointError(f"{path}: trained for {card.ruleset.name}, which does not play like {names}")
        if card.score_shares is None:
            raise CheckpointError(
                f"{path}: its card has no score shares; measure them with `tavla met --checkpoint DIR --measure "
                f"GAMES`, or give them with --shares"
            )
        for ruleset in served:
            source = f"measured in {path}, in games of {card.ruleset.name}"
            found[ruleset.name] = ScoreShares(card.score_shares, source)
    return found


def assumed_shares(ruleset: Ruleset, values: tuple[float, ...]) -> ScoreShares:
    """Return assumed shares, as `equal_shares` gives them, with a text about the assumption."""
    larger = sum(share for score, share in zip(ruleset.scores, values, strict=True) if score > 1)
    wins = sum(share for score, share in zip(ruleset.scores, values, strict=True) if score > 0)
    percent = 100 * larger / wins
    return ScoreShares(
        values,
        f"assumed: {percent:.1f} % of wins count more than a point, starting gives no edge; --checkpoint takes those "
        "of its card, --measure GAMES measures them",
    )
