"""Measuring a checkpoint, and keeping in its card what came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tavla_ai.bots import BASELINES, Level, checkpoint_bot, make_bot
from tavla_ai.checkpoint import Card, LossRate, Result, load_checkpoint, write_card
from tavla_ai.error_rate import JudgedSet, measure_error_rates, time_decision
from tavla_ai.errors import RulesetError
from tavla_ai.tournament import PairResult, play_pairing

ProgressCallback = Callable[[int], None]


def as_result(result: PairResult, ply: int = 0) -> Result:
    """Return what A scored against B as A's card keeps it.

    Args:
      ply: look-ahead of A.
    """
    return Result(
        opponent=result.b,
        games=result.games,
        points_per_game=result.points_per_game,
        standard_error=result.standard_error,
        win_share=result.win_share,
        mars_share=result.mars_share or 0.0,
        seed=result.seed,
        ply=ply,
        adjusted=result.adjusted,
        adjusted_standard_error=result.adjusted_standard_error,
    )


def measure_checkpoint(
    path: Path,
    opponents: Sequence[str],
    games: int,
    seed: int,
    judged: dict[str, JudgedSet],
    *,
    ply: int = 0,
    luck: bool = False,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Card:
    """Measure a checkpoint in the game it was trained for and write what came out into its card.

    A figure that the card has already of the same opponent or set, at the same look-ahead, is replaced. The card is
    written after each figure, so that a long measuring that is stopped keeps what it has.

    Args:
      path: the checkpoint's folder.
      opponents: bots as the tournament takes them.
      games: single games against each, even.
      seed: of the dice; choose one that was used for nothing else.
      judged: sets of judged decisions of the game, by name.
      ply: look-ahead of the checkpoint.
      luck: judge the luck of the rolls with the checkpoint's own network, but in games against baselines.
      workers: engine threads; figures do not depend on them, but for the time of a decision, which is taken on one.
      progress: called with the number of games and decisions finished since its last call.

    Raises:
      TavlaError: an opponent is not known or does not play the game, games not even, a seed out of range.
      RulesetError: a set is of another game.
    """
    checkpoint = load_checkpoint(path)
    card = checkpoint.card
    ruleset = card.ruleset
    for name, decisions in judged.items():
        if decisions.header.ruleset != ruleset.name:
            raise RulesetError(
                f"{name}: decisions of {decisions.header.ruleset}, {path} was trained for {ruleset.name}"
            )
    bot = checkpoint_bot(str(path), ruleset, checkpoint, Level(ply=ply))
    players = [make_bot(spec, ruleset) for spec in opponents]
    for player in players:
        judge = checkpoint if luck and player.name not in BASELINES else None
        played = play_pairing(ruleset, bot, player, games, seed, None, workers, progress, judge)
        result = as_result(played, ply)
        others = [old for old in card.results if (old.opponent, old.ply) != (result.opponent, ply)]
        card = card.model_copy(update={"results": (*others, result)})
        write_card(path, card)
    for name, decisions in judged.items():
        (rate,) = measure_error_rates(decisions, [bot], workers, progress)
        loss = LossRate(
            positions=name,
            judges=", ".join(judge.name for judge in decisions.header.judges),
            decisions=rate.decisions,
            ply=ply,
            loss=rate.loss or 0.0,
            standard_error=rate.standard_error,
            best_share=rate.best_share or 0.0,
        )
        kept = [old for old in card.loss_rates if (old.positions, old.ply) != (name, ply)]
        card = card.model_copy(update={"loss_rates": (*kept, loss)})
        if ply == 0:
            card = card.model_copy(update={"decision_microseconds": 1e6 * time_decision(decisions, bot)})
        write_card(path, card)
    return card
