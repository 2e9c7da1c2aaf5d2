"""Tournaments: paired games and matches between bots, and what they say about strength.

Games come in pairs with the same dice and the seats swapped. The two games of a pair are not independent, so
a pair is one sample: standard errors come from the means of pairs, never from single games.

A judge, which is any network, says how lucky each roll was. What it says is 0 on average whatever the network, so a
result without its luck has the same mean as the raw one; the better the judge, the smaller its error.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bearoff import load_tables
from tavla_ai.bots import Bot
from tavla_ai.checkpoint import Checkpoint
from tavla_ai.contests import Contests, utilities
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import TavlaError
from tavla_ai.progress import ProgressCallback
from tavla_ai.ratings import Pairing, Ratings, rate
from tavla_ai.results import BotIdentity, ResultsFolder, Settings
from tavla_ai.rulesets import MatchSet, Ruleset, check_match_length, games_of, scores_of
from tavla_ai.runners import ContestTable, LocalRunner, Runner, ray_runner

MAX_WORKERS = 1024

# Who plays whom: each two once; the first against each other one; each against the next.
Schedule = Literal["round-robin", "gauntlet", "ladder"]

# The normal distribution's two-sided 95 % quantile.
_QUANTILE = 1.959964
# Self-play keeps every position of a call.
_GAMES_PER_CALL = 2000
# Rounding: an error no larger is none.
_NO_ERROR = 1e-9
# A sequential stop is thought of after so many pairs, and each time that there are half as many again.
_FIRST_LOOK = 200
_GROWTH = 1.5


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
    adjusted: float | None = Field(
        default=None,
        description="the same number without the luck of the rolls; in matches it may lie a little beyond 0 or 1; "
        "null where nobody judged luck",
    )
    adjusted_standard_error: float | None = Field(default=None, description="of `adjusted`, from the means of pairs")
    adjusted_interval: tuple[float, float] | None = Field(default=None, description="95 % interval of `adjusted`")


class PairResult(_Measured):
    """What A scored against B; every number is A's unless it says otherwise."""

    ruleset: str = Field(description="name of the game, or of the set of games")
    a: str = Field(description="name of A")
    b: str = Field(description="name of B")
    seed: int = Field(description="seed of the dice")
    match_length: int | None = Field(description="points that win a match; null for single games")
    wins: int = Field(description="contests won: matches, or single games")
    losses: int = Field(description="contests lost")
    draws: int = Field(description="contests neither won nor lost, void and undecided ones too")
    share: float = Field(description="contests won and half of those drawn, as a share of all")
    share_standard_error: float | None = Field(
        description="of `share`, from the means of pairs; null for a single pair"
    )
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
    games_per_second: float | None = Field(
        description="speed on this machine, which the dice do not decide; null where all games were played before"
    )


class BotTotal(_Measured):
    """What one bot scored over all its pairings, each of which counts alike."""

    name: str = Field(description="the bot's name")


class TournamentResult(BaseModel):
    """The pairings of a tournament, and each bot's total."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str = Field(description="name of the game, or of the set of games")
    seed: int = Field(description="seed of the dice, the same for every pairing")
    match_length: int | None = Field(description="points that win a match; null for single games")
    judge: str | None = Field(
        default=None, description="whose network judged luck, in a set `GAME=DIR` for each game that was; null without"
    )
    pairings: tuple[PairResult, ...] = Field(description="in the order played")
    totals: tuple[BotTotal, ...] = Field(description="one for each bot, in the order given")
    ratings: Ratings | None = Field(
        default=None,
        description="Bradley–Terry ratings around 1500 from games, or matches, won; matches are taken without their "
        "luck where it was judged; null where two bots have one name",
    )


def play_pairing(
    ruleset: Ruleset,
    a: Bot,
    b: Bot,
    games: int,
    seed: int,
    match_length: int | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
    judge: Checkpoint | None = None,
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
      judge: whose network judges the luck of the rolls, at 0-ply; None does without.

    Raises:
      TavlaError: games not even or below 2, a seed or a number of workers out of range.
      RulesetError: the house does not offer that match length, or luck is not known in the game.
    """
    return play_tournament(ruleset, [a, b], games, seed, match_length, workers, progress, judge=judge).pairings[0]


def play_tournament(
    ruleset: Ruleset | MatchSet,
    bots: Sequence[Bot],
    games: int,
    seed: int,
    match_length: int | None = None,
    workers: int = 1,
    progress: ProgressCallback | None = None,
    *,
    schedule: Schedule = "round-robin",
    judge: Checkpoint | Sequence[Checkpoint | None] | None = None,
    until_ci: float | None = None,
    out: Path | None = None,
    ray_workers: int = 0,
    ray_address: str = "local",
) -> TournamentResult:
    """Play the pairings of a schedule and return all results.

    All pairings have the same dice: pair number n of the seed is the same in each, so that comparisons
    between pairings are paired too, and a pairing's result does not depend on who else takes part. A bot's
    total takes pair number n of all its pairings as one sample.

    With `until_ci` a pairing stops once its interval is narrow enough, the one without luck if there is a judge. It
    looks after 200 pairs and each time that there are half as many again. Who stops when the error happens to look
    small stops a little too often when it is underestimated: the interval then holds slightly less often than 95 %,
    and a mean whose error goes with it, such as a share near 0 or 1, is drawn a little to the outside.

    Args:
      ruleset: the game, or a set of games, which is played in matches.
      bots: at least two, made for this game.
      games: games (or matches) of each pairing, even; with `until_ci` at most so many.
      schedule: who plays whom.
      judge: whose network judges the luck of the rolls, at 0-ply; for a set one for each of its games, None where
        its luck is left out. None does without.
      until_ci: half of the 95 % interval that is enough, in points per game or as a share of matches.
      out: a folder for the results. One that holds a part of this tournament is gone on with: what was played is
        not played again.
      ray_workers: so many Ray workers play, of one CPU each; 0 plays on this process's threads.
      ray_address: `local` starts a Ray of its own; see `ray_runner`.

    The other arguments and errors are those of `play_pairing`.

    Raises:
      TavlaError: fewer than two bots, no such interval, too many or too few judges, Ray is not installed, or the folder
        holds something else.
      RulesetError: an outside engine is to play Gul Bara.
    """
    if len(bots) < 2:
        raise TavlaError(f"a tournament of {len(bots)}: expected at least 2 bots")
    _check(ruleset, games, seed, match_length, workers)
    if until_ci is not None and not until_ci > 0:
        raise TavlaError(f"interval of ±{until_ci:g}: expected more than 0")
    judges = (judge,) if judge is None or isinstance(judge, Checkpoint) else tuple(judge)
    table = ContestTable(ruleset, bots, seed, match_length, judges if any(judges) else ())
    pairings = scheduled(len(bots), schedule)
    with ExitStack() as stack:
        folder = None
        if out is not None:
            settings = _settings(table, games, schedule, until_ci)
            folder = stack.enter_context(ResultsFolder(out).opened(settings))
        runner = stack.enter_context(_runner(table, workers, ray_workers, ray_address))
        results: list[PairResult] = []
        played: list[list[Contests]] = [[] for _ in bots]
        for number, (a, b) in enumerate(pairings):
            contests, speed = _play(table, runner, folder, number, (a, b), games // 2, until_ci, progress)
            results.append(_pair_result(table, a, b, contests, speed))
            played[a].append(contests)
            played[b].append(contests.swapped())
        result = TournamentResult(
            ruleset=ruleset.name,
            seed=seed,
            match_length=match_length,
            judge=_judge_name(table),
            pairings=tuple(results),
            ratings=rate(rated_pairings(results)) if len({bot.name for bot in bots}) == len(bots) else None,
            totals=tuple(
                BotTotal(name=bot.name, **_measures(scores_of(ruleset), match_length, own))
                for bot, own in zip(bots, played, strict=True)
            ),
        )
        if folder is not None:
            # Speed is no result: a tournament that was broken off has the same summary as one that was not.
            folder.write_summary(
                result.model_dump(mode="json", exclude={"pairings": {"__all__": {"games_per_second"}}})
            )
    return result


def scheduled(num_bots: int, schedule: Schedule) -> list[tuple[int, int]]:
    """Return who plays whom, as numbers of bots."""
    if schedule == "gauntlet":
        return [(0, other) for other in range(1, num_bots)]
    if schedule == "ladder":
        return list(pairwise(range(num_bots)))
    return list(combinations(range(num_bots), 2))


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
    values, inputs = utilities(ruleset, None)
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


def rated_pairings(results: Sequence[PairResult]) -> list[Pairing]:
    """Return what ratings are made of: contests won, lost and drawn, with the error of pairs on the same dice."""
    found = []
    for result in results:
        wins, losses, draws = float(result.wins), float(result.losses), float(result.draws)
        share, error = result.share, result.share_standard_error
        if result.match_win_share is not None and result.adjusted is not None and 0 < result.adjusted < 1:
            contests = wins + losses + draws
            share, error = result.adjusted, result.adjusted_standard_error
            wins, losses, draws = share * contests, (1 - share) * contests, 0.0
        # Where nothing varied the error of a share says nothing.
        has_error = error is not None and error > _NO_ERROR and 0 < share < 1
        found.append(Pairing(result.a, result.b, wins, losses, draws, error if has_error else None))
    return found


@contextmanager
def _runner(table: ContestTable, workers: int, ray_workers: int, ray_address: str) -> Iterator[Runner]:
    if ray_workers:
        with ray_runner(table, ray_workers, ray_address) as runner:
            yield runner
    else:
        yield LocalRunner(table, workers)


def _play(
    table: ContestTable,
    runner: Runner,
    folder: ResultsFolder | None,
    number: int,
    players: tuple[int, int],
    num_pairs: int,
    until_ci: float | None,
    progress: ProgressCallback | None,
) -> tuple[Contests, float | None]:
    """Return the contests of pairing number `number`, and the games that were played a second, if any were."""
    parts = []
    if folder is not None and (stored := folder.stored(number)) is not None:
        parts.append(stored)
    done = sum(part.num_pairs for part in parts)
    if progress is not None and done:
        progress(2 * done)
    games, seconds = 0, 0.0
    for look in _looks(num_pairs, until_ci):
        start = time.perf_counter()
        for more in runner.play(*players, done, look, progress) if done < look else ():
            if folder is not None:
                folder.append(number, done, more)
            parts.append(more)
            done += more.num_pairs
            games += more.num_games
        seconds += time.perf_counter() - start
        if until_ci is not None and _half_width(table, Contests.joined(parts).first(look)) <= until_ci:
            break
    return Contests.joined(parts), games / max(seconds, 1e-9) if games else None


def _looks(num_pairs: int, until_ci: float | None) -> Iterator[int]:
    """Yield after how many pairs it is asked whether there are enough."""
    look = num_pairs if until_ci is None else _FIRST_LOOK
    while look < num_pairs:
        yield look
        look = int(_GROWTH * look)
    yield num_pairs


def _half_width(table: ContestTable, contests: Contests) -> float:
    measures = _measures(scores_of(table.game), table.match_length, [contests])
    error = measures.get("adjusted_standard_error", measures["standard_error"])
    return float("inf") if error is None else _QUANTILE * float(error)


def _settings(table: ContestTable, games: int, schedule: Schedule, until_ci: float | None) -> Settings:
    judge = _judge_name(table)
    return Settings(
        ruleset=table.game,
        bots=tuple(BotIdentity.of_bot(bot) for bot in table.bots),
        pairings=tuple(scheduled(len(table.bots), schedule)),
        games=games,
        seed=table.seed,
        match_length=table.match_length,
        judge=None if judge is None else BotIdentity.of(judge, *table.judges),
        until_ci=until_ci,
    )


def _judge_name(table: ContestTable) -> str | None:
    """Return the network that judges luck, or those that do in the games of a set."""
    judges = [
        (ruleset.name, str(judge.path))
        for ruleset, judge in zip(games_of(table.game), table.judges, strict=True)
        if judge is not None
    ]
    if isinstance(table.game, Ruleset):
        return judges[0][1] if judges else None
    return ",".join(f"{name}={path}" for name, path in judges) or None


def _pair_result(table: ContestTable, a: int, b: int, contests: Contests, speed: float | None) -> PairResult:
    scores = contests.scores.sum(axis=(0, 1))
    signs = np.sign(contests.points).astype(np.float64)
    share, share_error = _mean([(1 + signs.mean(axis=1)) / 2])
    return PairResult(
        ruleset=table.game.name,
        a=table.bots[a].name,
        b=table.bots[b].name,
        seed=table.seed,
        match_length=table.match_length,
        wins=int((signs > 0).sum()),
        losses=int((signs < 0).sum()),
        draws=int((signs == 0).sum()),
        share=share,
        share_standard_error=share_error,
        opponent_mars_share=_mars_share(scores_of(table.game), scores[::-1]),
        void_games=int(contests.void_games.sum()),
        faults=dict(contests.count_faults()),
        plies_per_game=int(contests.plies.sum()) / contests.num_games,
        games_per_second=speed,
        **_measures(scores_of(table.game), table.match_length, [contests]),
    )


def _measures(all_scores: tuple[int, ...], match_length: int | None, played: Sequence[Contests]) -> dict[str, Any]:
    """Return the fields of `_Measured` for one side over pairings on the same dice."""
    points = np.array(all_scores)
    scores = np.sum([contests.scores.sum(axis=(0, 1)) for contests in played], axis=0)
    games = sum(contests.num_games for contests in played)
    raw = [contests.points.mean(axis=1) for contests in played]
    if match_length is not None:
        raw = [(1 + samples) / 2 for samples in raw]
    mean, error = _mean(raw)
    found: dict[str, Any] = {
        "matches": None if match_length is None else sum(contests.points.size for contests in played),
        "games": games,
        "points_per_game": float(scores @ points) / games if match_length is not None else mean,
        "win_share": float(scores[points > 0].sum()) / games,
        "draw_share": float(scores[points == 0].sum()) / games,
        "mars_share": _mars_share(all_scores, scores),
        "match_win_share": None if match_length is None else mean,
        "standard_error": error,
        "interval": _interval(mean, error, is_share=match_length is not None),
    }
    lucks = [contests.luck.mean(axis=1) for contests in played if contests.luck is not None]
    if lucks and len(lucks) == len(played):
        mean, error = _mean([samples - luck for samples, luck in zip(raw, lucks, strict=True)])
        found |= {
            "adjusted": mean,
            "adjusted_standard_error": error,
            "adjusted_interval": _interval(mean, error, is_share=match_length is not None),
        }
    return found


def _mean(samples: Sequence[npt.NDArray[np.float64]]) -> tuple[float, float | None]:
    """Return the mean over pairings of their means over pairs, and its standard error.

    Pairings share their dice, so what pair number n adds to the error is added up over the pairings first. Those that
    stopped earlier have fewer pairs.
    """
    most = max(map(len, samples))
    means = [float(one.mean()) for one in samples]
    shares = np.zeros(most)
    for one, mean in zip(samples, means, strict=True):
        shares[: len(one)] += (one - mean) / (len(one) * len(samples))
    error = float(np.sqrt(shares @ shares * most / (most - 1))) if most > 1 else None
    return float(np.mean(means)), error


def _interval(mean: float, error: float | None, *, is_share: bool) -> tuple[float, float] | None:
    if error is None:
        return None
    low, high = mean - _QUANTILE * error, mean + _QUANTILE * error
    return (max(0.0, low), min(1.0, high)) if is_share else (low, high)


def _mars_share(all_scores: tuple[int, ...], scores: npt.NDArray[Any]) -> float | None:
    points = np.array(all_scores)
    wins = int(scores[points > 0].sum())
    return int(scores[points > 1].sum()) / wins if wins else None


def _check(ruleset: Ruleset | MatchSet, games: int, seed: int, match_length: int | None, workers: int) -> None:
    if games < 2 or games % 2:
        raise TavlaError(
            f"{games} games: expected an even number from 2 up; pairs have the same dice with seats swapped"
        )
    _check_limits(seed, workers)
    if match_length is not None:
        check_match_length(ruleset, match_length)


def _check_limits(seed: int, workers: int) -> None:
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
    if not 1 <= workers <= MAX_WORKERS:
        raise TavlaError(f"{workers} workers: expected 1 to {MAX_WORKERS}")
