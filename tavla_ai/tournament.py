"""Tournaments: paired games and matches between bots, and what they say about strength.

Games come in pairs with the same dice and the seats swapped. The two games of a pair are not independent, so
a pair is one sample: standard errors come from the means of pairs, never from single games.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bearoff import load_tables
from tavla_ai.bots import Bot
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import TavlaError
from tavla_ai.lockstep import LockstepResult, play_pairs
from tavla_ai.match import Utility, match_equity
from tavla_ai.rulesets import Ruleset

MAX_WORKERS = 1024

ProgressCallback = Callable[[int], None]

# The normal distribution's two-sided 95 % quantile.
_QUANTILE = 1.959964
# Ctrl-C and progress wait for one call of the engine.
_SECONDS_PER_CALL = 0.5
# Games with an outside engine go on together, so many pairs at a time.
_LOCKSTEP_PAIRS = 128
# Self-play keeps every position of a call.
_GAMES_PER_CALL = 2000


class _Measured(BaseModel):
    """What games say about one side; all of it is seen by that side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    matches: int | None = Field(description="matches played; null for single games")
    games: int = Field(description="games played, those within matches and void ones too")
    points_per_game: float = Field(description="mean score of a game, in points; a void game counts as 0")
    win_share: float = Field(description="games won, as a share of all")
    draw_share: float = Field(description="games drawn, as a share of all; void ones are not among them")
    mars_share: float | None = Field(
        description="games won by more than one point, as a share of wins; null without a win"
    )
    match_win_share: float | None = Field(description="matches won, as a share of all; null for single games")
    standard_error: float | None = Field(
        description="of match_win_share in matches, else of points_per_game, from the means of pairs; "
        "null for a single pair"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % interval of the same number, normal approximation; null for a single pair"
    )


class PairResult(_Measured):
    """What A scored against B; every number is A's unless it says otherwise."""

    ruleset: str = Field(description="name of the game")
    a: str = Field(description="name of A")
    b: str = Field(description="name of B")
    seed: int = Field(description="seed of the dice")
    match_length: int | None = Field(description="points that win a match; null for single games")
    opponent_mars_share: float | None = Field(
        description="games that B won by more than one point, as a share of B's wins; null without one"
    )
    void_games: int = Field(description="games that the stuck rule or a player's fault ended, worth nothing")
    faults: dict[str, int] = Field(
        default={},
        description="which outside engine failed how: games that ended so, counted among the void ones; in a match "
        "such a game leaves the match undecided, half a win for each side",
    )
    plies_per_game: float = Field(description="mean turns of a game, both sides counted")
    games_per_second: float = Field(description="speed on this machine, which the dice do not decide")


class BotTotal(_Measured):
    """What one bot scored over all its pairings."""

    name: str = Field(description="the bot's name")


class TournamentResult(BaseModel):
    """A round robin: each two bots once, and each bot's total."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str = Field(description="name of the game")
    seed: int = Field(description="seed of the dice, the same for every pairing")
    match_length: int | None = Field(description="points that win a match; null for single games")
    pairings: tuple[PairResult, ...] = Field(description="each two bots once, in the order given")
    totals: tuple[BotTotal, ...] = Field(description="one for each bot, in the order given")


def play_pairing(
    ruleset: Ruleset,
    a: Bot,
    b: Bot,
    games: int,
    seed: int,
    match_length: int | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> PairResult:
    """Play A against B and return what A scored.

    Pair number n of a seed has the same dice whoever plays. In a single game a bot plays for points, in a
    match for its chance of winning the match at the score; an outside engine always plays for points. The
    result, speed aside, is the same for any number of workers.

    Args:
      ruleset: the game; the bots must have been made for it.
      games: games to play, or matches with a `match_length`; even, since they come in pairs.
      seed: of the dice, 0 to 2**64 − 1.
      match_length: points that win a match; None for single games.
      workers: engine threads; an outside engine runs on one.
      progress: called with the number of games (or matches) finished since its last call.

    Raises:
      TavlaError: games not even or below 2, a seed or a number of workers out of range.
      RulesetError: the house does not offer that match length.
    """
    _check(ruleset, games, seed, match_length, workers)
    tally = _play(ruleset, a, b, games // 2, seed, match_length, workers, progress)
    return _pair_result(ruleset, a, b, seed, match_length, tally)


def play_tournament(
    ruleset: Ruleset,
    bots: Sequence[Bot],
    games: int,
    seed: int,
    match_length: int | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
) -> TournamentResult:
    """Play every two bots against each other and return all results.

    All pairings have the same dice: pair number n of the seed is the same in each, so that comparisons
    between pairings are paired too, and a pairing's result does not depend on who else takes part. A bot's
    total takes pair number n of all its pairings as one sample.

    Args:
      bots: at least two, made for this game.
      games: games (or matches) of each pairing, even.

    The other arguments and errors are those of `play_pairing`.

    Raises:
      TavlaError: fewer than two bots.
    """
    if len(bots) < 2:
        raise TavlaError(f"a tournament of {len(bots)}: expected at least 2 bots")
    _check(ruleset, games, seed, match_length, workers)
    pairings: list[PairResult] = []
    tallies: list[list[_Tally]] = [[] for _ in bots]
    for i, j in combinations(range(len(bots)), 2):
        tally = _play(ruleset, bots[i], bots[j], games // 2, seed, match_length, workers, progress)
        pairings.append(_pair_result(ruleset, bots[i], bots[j], seed, match_length, tally))
        tallies[i].append(tally)
        tallies[j].append(tally.swapped())
    return TournamentResult(
        ruleset=ruleset.name,
        seed=seed,
        match_length=match_length,
        pairings=tuple(pairings),
        totals=tuple(
            BotTotal(name=bot.name, **_measures(ruleset, match_length, own))
            for bot, own in zip(bots, tallies, strict=True)
        ),
    )


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
      seed: of the dice, 0 to 2**64 − 1.
      workers: engine threads; the result does not depend on them.
      progress: called with the number of games finished since its last call.

    Returns:
      K probabilities, best score first; void games do not count.

    Raises:
      TavlaError: no games, a seed or a number of workers out of range, or nothing but void games.
    """
    if games < 1:
        raise TavlaError(f"{games} games: expected at least 1")
    _check_limits(seed, workers)
    rules = engine.compile_rules(ruleset)
    values, inputs = _utilities(ruleset, None)
    tables = load_tables(ruleset)
    counts = np.zeros(len(ruleset.scores), dtype=np.int64)
    for first in range(0, games, _GAMES_PER_CALL):
        number = min(_GAMES_PER_CALL, games - first)
        played = engine.self_play(
            rules, network, seed, first, number, 0.0, values, inputs, [1.0], min(workers, number), tables
        )
        counts += np.array(played.starter_scores)
        if progress is not None:
            progress(number)
    if counts.sum() == 0:
        raise TavlaError(f"{ruleset.name}: all of {games} games were void")
    return tuple((counts / counts.sum()).tolist())


@dataclass(frozen=True)
class _Tally:
    """Raw results of A against B.

    `points` is int16 `[pairs, 2]`, A's score of each game, or ±1 for a match; `scores` counts the decided
    games by A's score, in the ruleset's order.
    """

    points: npt.NDArray[np.int16]
    scores: npt.NDArray[np.int64]
    void_games: int
    plies: int
    seconds: float
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        return int(self.scores.sum()) + self.void_games

    def swapped(self) -> _Tally:
        """Return the same games seen by B."""
        return _Tally(-self.points, self.scores[::-1], self.void_games, self.plies, self.seconds)


def _play(
    ruleset: Ruleset,
    a: Bot,
    b: Bot,
    num_pairs: int,
    seed: int,
    match_length: int | None,
    workers: int,
    progress: ProgressCallback | None,
) -> _Tally:
    rules = engine.compile_rules(ruleset)
    values, inputs = _utilities(ruleset, match_length)
    contest: dict[str, Any] = {"seed": seed, "length": match_length or 0, "values": values, "inputs": inputs}
    points: list[npt.NDArray[np.int16]] = []
    scores = np.zeros(len(ruleset.scores), dtype=np.int64)
    faults: Counter[str] = Counter()
    void_games = plies = done = 0
    is_native = isinstance(a.player, engine.Player) and isinstance(b.player, engine.Player)
    chunk = 4 * workers if is_native else _LOCKSTEP_PAIRS
    start = time.perf_counter()
    while done < num_pairs:
        count = min(chunk, num_pairs - done)
        began = time.perf_counter()
        contest |= {"first_pair": done, "num_pairs": count, "threads": min(workers, count)}
        result: engine.DuelResult | LockstepResult
        if isinstance(a.player, engine.Player) and isinstance(b.player, engine.Player):
            result = engine.duel(rules, a.player, b.player, **contest)
            if progress is not None:
                progress(2 * count)
            # A multiple of the workers keeps all of them busy.
            elapsed = time.perf_counter() - began
            aim = min(4 * count, int(count * _SECONDS_PER_CALL / max(elapsed, 1e-6)))
            chunk = max(1, aim // workers) * workers
        else:
            result = play_pairs(ruleset, a.player, b.player, **contest, progress=progress)
            faults += result.faults
        points.append(result.points)
        scores += result.scores
        void_games += result.void_games
        plies += result.plies
        done += count
    return _Tally(np.concatenate(points), scores, void_games, plies, time.perf_counter() - start, faults)


def _utilities(ruleset: Ruleset, match_length: int | None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return values `[N, K]` and network inputs `[N, K − 2]`, one row or one for each score of a match."""
    if match_length is None:
        utilities = [Utility.points(ruleset)]
    else:
        # Nobody doubles in the games of a tournament, so the scores are worth what they are without a cube.
        game = ruleset.model_copy(update={"cube": False, "crawford": False})
        grid = match_equity(game, match_length).utility_grid()
        utilities = [Utility(tuple(values), total=1.0) for values in grid.reshape(-1, len(ruleset.scores))]
    return (
        np.array([utility.values for utility in utilities], dtype=np.float32),
        np.array([utility.inputs for utility in utilities], dtype=np.float32),
    )


def _pair_result(ruleset: Ruleset, a: Bot, b: Bot, seed: int, match_length: int | None, tally: _Tally) -> PairResult:
    return PairResult(
        ruleset=ruleset.name,
        a=a.name,
        b=b.name,
        seed=seed,
        match_length=match_length,
        opponent_mars_share=_mars_share(ruleset, tally.scores[::-1]),
        void_games=tally.void_games,
        faults=dict(tally.faults),
        plies_per_game=tally.plies / tally.games,
        games_per_second=tally.games / max(tally.seconds, 1e-9),
        **_measures(ruleset, match_length, [tally]),
    )


def _measures(ruleset: Ruleset, match_length: int | None, tallies: Sequence[_Tally]) -> dict[str, Any]:
    """Return the fields of `_Measured` for one side over pairings on the same dice."""
    points = np.array(ruleset.scores)
    scores = np.sum([tally.scores for tally in tallies], axis=0)
    games = sum(tally.games for tally in tallies)
    # [pairs]: the mean over both games of a pair and over the pairings, which share its dice.
    samples = np.mean([tally.points.mean(axis=1) for tally in tallies], axis=0)
    if match_length is not None:
        samples = (1 + samples) / 2
    mean = float(samples.mean())
    error = interval = None
    if len(samples) > 1:
        error = float(samples.std(ddof=1) / np.sqrt(len(samples)))
        interval = (mean - _QUANTILE * error, mean + _QUANTILE * error)
        if match_length is not None:
            interval = (max(0.0, interval[0]), min(1.0, interval[1]))
    return {
        "matches": None if match_length is None else sum(tally.points.size for tally in tallies),
        "games": games,
        "points_per_game": float(scores @ points) / games,
        "win_share": float(scores[points > 0].sum()) / games,
        "draw_share": float(scores[points == 0].sum()) / games,
        "mars_share": _mars_share(ruleset, scores),
        "match_win_share": None if match_length is None else mean,
        "standard_error": error,
        "interval": interval,
    }


def _mars_share(ruleset: Ruleset, scores: npt.NDArray[np.int64]) -> float | None:
    points = np.array(ruleset.scores)
    wins = int(scores[points > 0].sum())
    return int(scores[points > 1].sum()) / wins if wins else None


def _check(ruleset: Ruleset, games: int, seed: int, match_length: int | None, workers: int) -> None:
    if games < 2 or games % 2:
        raise TavlaError(
            f"{games} games: expected an even number from 2 up; pairs have the same dice with seats swapped"
        )
    _check_limits(seed, workers)
    if match_length is not None:
        ruleset.check_match_length(match_length)


def _check_limits(seed: int, workers: int) -> None:
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
    if not 1 <= workers <= MAX_WORKERS:
        raise TavlaError(f"{workers} workers: expected 1 to {MAX_WORKERS}")
