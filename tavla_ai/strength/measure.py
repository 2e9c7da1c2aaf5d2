"""Measurement of checkpoints and levels; cards and the file of levels keep the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tavla_ai.bots import (
    BASELINES,
    Bot,
    LevelName,
    Levels,
    PlayStyle,
    RatedLevel,
    checkpoint_bot,
    level_bot,
    load_bot,
    save_levels,
)
from tavla_ai.errors import CheckpointError, RulesetError, TavlaError
from tavla_ai.network import (
    CARD_FILE,
    Card,
    Checkpoint,
    LossRate,
    Result,
    check_is_not_packaged,
    load_checkpoint,
    read_card,
    write_card,
)
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset
from tavla_ai.strength.error_rate import measure_error_rates, time_decision
from tavla_ai.strength.judged_set import JudgedSet
from tavla_ai.tournament import PairResult, play_pairing


def as_result(result: PairResult, ply: int = 0) -> Result:
    """Return the result of A against B in the form of A's card.

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
    path: str | Path,
    opponents: Sequence[str],
    games: int,
    seed: int,
    judged: dict[str, JudgedSet],
    *,
    ply: int = 0,
    luck: bool = False,
    levels: Levels | None = None,
    may_replace: bool = False,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> Card:
    """Measure a checkpoint in the game that it was trained for, and write the figures into its card.

    A new figure replaces the card's figure for the same opponent or set at the same look-ahead. The card is written
    after each figure, so an interrupted measurement keeps its figures.

    Args:
      path: the checkpoint's folder, or the name of a shipped checkpoint.
      opponents: names of bots, as `load_bot` takes them.
      games: single games against each opponent, an even number.
      seed: seed of the dice; choose one that was used for nothing else.
      judged: sets of judged decisions of the game, by name.
      ply: look-ahead of the checkpoint.
      luck: whether to measure the luck of the rolls, with the checkpoint's own network, except against baselines.
      levels: the file of levels that name opponents; None takes the shipped levels.
      may_replace: whether a result of fewer games may replace a result of more games.
      workers: engine threads; figures do not depend on them. The time of a decision is measured on one thread.
      progress: called with the number of games and decisions finished since its last call.

    Raises:
      TavlaError: an opponent is unknown or does not play the game, the number of games is odd, the seed is out of
        range, the card has a result of more games, or the checkpoint was replaced during the measurement.
      RulesetError: a judged set is of another game.
    """
    checkpoint = load_checkpoint(path)
    check_is_not_packaged(checkpoint.path)
    path, card = checkpoint.path, checkpoint.card
    bot = checkpoint_bot(checkpoint.name, card.ruleset, checkpoint, PlayStyle(ply=ply))
    if not may_replace:
        _check_no_loss(path, card.results, opponents, ply, games)
    players = [load_bot(spec, card.ruleset, levels) for spec in opponents]
    figures = _figures(
        bot,
        players,
        judged,
        games=games,
        seed=seed,
        luck_network=checkpoint if luck else None,
        workers=workers,
        progress=progress,
    )
    for figure in figures:
        card = read_card(path / CARD_FILE)
        if card.weights_sha256 != checkpoint.card.weights_sha256:
            raise CheckpointError(f"{path}: has other weights than at the start of the measurement")
        card = card.model_copy(update=_among(card.results, card.loss_rates, figure))
        if ply == 0 and isinstance(figure, LossRate):
            seconds = time_decision(judged[figure.positions], bot)
            card = card.model_copy(update={"decision_microseconds": round(1e6 * seconds, 1)})
        write_card(path, card)
    return card


def measure_level(
    name: LevelName,
    levels: Levels,
    ruleset: Ruleset,
    match_length: int | None,
    opponents: Sequence[str],
    games: int,
    seed: int,
    judged: dict[str, JudgedSet],
    *,
    may_replace: bool = False,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> RatedLevel:
    """Measure a level, with its errors, in single games, and write the figures into the file of levels.

    Args:
      levels: the file.
      ruleset: the house.
      match_length: match length of the ladder; the nearest one is taken, as by `Levels.find`.

    The other arguments and the errors are the same as for `measure_checkpoint`.
    """
    check_is_not_packaged(levels.path)
    bot = level_bot(name, ruleset, levels, match_length)
    rated = levels.ladder(ruleset, match_length).levels[name]
    if not may_replace:
        _check_no_loss(levels.path, rated.results, opponents, rated.ply, games)
    players = [load_bot(spec, ruleset, levels, match_length) for spec in opponents]
    figures = _figures(
        bot, players, judged, games=games, seed=seed, luck_network=None, workers=workers, progress=progress
    )
    for figure in figures:
        # Another ladder of the file may have been measured at the same time.
        file = Levels(levels.path)
        ladder = file.ladder(ruleset, match_length)
        now = ladder.levels[name]
        if _play(now) != _play(rated):
            raise TavlaError(f"{levels.path}: {name} has changed since the start of the measurement")
        rated = now.model_copy(update=_among(now.results, now.loss_rates, figure))
        save_levels(file.path, file.with_ladder(ladder.model_copy(update={"levels": {**ladder.levels, name: rated}})))
    return rated


def _play(rated: RatedLevel) -> tuple[str, PlayStyle]:
    """Return everything that decides a level's play."""
    return rated.weights_sha256, rated.style


def _check_no_loss(where: Path, results: tuple[Result, ...], opponents: Sequence[str], ply: int, games: int) -> None:
    for result in results:
        if result.opponent in opponents and result.ply == ply and result.games > games:
            raise TavlaError(
                f"{where}: has a result of {result.games} games against {result.opponent}; expected at least "
                f"as many, not {games}, or --replace"
            )


def _figures(
    bot: Bot,
    opponents: Sequence[Bot],
    judged: dict[str, JudgedSet],
    *,
    games: int,
    seed: int,
    luck_network: Checkpoint | None,
    workers: int,
    progress: ProgressCallback | None,
) -> Iterator[Result | LossRate]:
    """Yield the result of a bot against each opponent and its loss on each set, one figure after the other."""
    ruleset = bot.ruleset
    for name, decisions in judged.items():
        if decisions.header.ruleset != ruleset.name:
            raise RulesetError(f"{name}: decisions of {decisions.header.ruleset}, {bot.name} plays {ruleset.name}")
    for opponent in opponents:
        network = None if opponent.name in BASELINES else luck_network
        played = play_pairing(
            ruleset, bot, opponent, games, seed, workers=workers, progress=progress, luck_network=network
        )
        yield as_result(played, bot.style.ply)
    for name, decisions in judged.items():
        (rate,) = measure_error_rates(decisions, [bot], workers, progress)
        yield LossRate(
            positions=name,
            judges=", ".join(judge.name for judge in decisions.header.judges),
            decisions=rate.decisions,
            ply=bot.style.ply,
            loss=rate.loss or 0.0,
            standard_error=rate.standard_error,
            best_share=rate.best_share or 0.0,
        )


def _among(
    results: tuple[Result, ...], loss_rates: tuple[LossRate, ...], figure: Result | LossRate
) -> dict[str, tuple[Result, ...] | tuple[LossRate, ...]]:
    """Return the figures with a new one, which replaces that of the same opponent or set and look-ahead."""
    if isinstance(figure, Result):
        key = figure.opponent, figure.ply
        return {"results": (*(old for old in results if (old.opponent, old.ply) != key), figure)}
    kept = (old for old in loss_rates if (old.positions, old.ply) != (figure.positions, figure.ply))
    return {"loss_rates": (*kept, figure)}
