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
from pathlib import Path

from tavla_ai.bots import Bot
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import MatchSet, Ruleset, check_match_length, games_of, scores_of
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.folder import BotIdentity, ResultsFolder, Settings
from tavla_ai.tournament.ratings import rate
from tavla_ai.tournament.results import (
    BotTotal,
    PairResult,
    TournamentResult,
    half_width,
    measures_of,
    pair_result,
    rated_pairings,
)
from tavla_ai.tournament.runners import LocalRunner, Runner, ray_runner
from tavla_ai.tournament.schedule import Schedule, looks, scheduled
from tavla_ai.tournament.table import ContestTable

MAX_WORKERS = 1024


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
            results.append(pair_result(table, a, b, contests, speed))
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
                BotTotal(name=bot.name, **measures_of(scores_of(ruleset), match_length, own))
                for bot, own in zip(bots, played, strict=True)
            ),
        )
        if folder is not None:
            # Speed is no result: a tournament that was broken off has the same summary as one that was not.
            folder.write_summary(
                result.model_dump(mode="json", exclude={"pairings": {"__all__": {"games_per_second"}}})
            )
    return result


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
    for look in looks(num_pairs, until_ci):
        start = time.perf_counter()
        for more in runner.play(*players, done, look, progress) if done < look else ():
            if folder is not None:
                folder.append(number, done, more)
            parts.append(more)
            done += more.num_pairs
            games += more.num_games
        seconds += time.perf_counter() - start
        if until_ci is not None and half_width(table, Contests.joined(parts).first(look)) <= until_ci:
            break
    return Contests.joined(parts), games / max(seconds, 1e-9) if games else None


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


def _check(ruleset: Ruleset | MatchSet, games: int, seed: int, match_length: int | None, workers: int) -> None:
    if games < 2 or games % 2:
        raise TavlaError(
            f"{games} games: expected an even number from 2 up; pairs have the same dice with seats swapped"
        )
    check_limits(seed, workers)
    if match_length is not None:
        check_match_length(ruleset, match_length)


def check_limits(seed: int, workers: int) -> None:
    """Raise `TavlaError` unless a seed and a number of workers are in range."""
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
    if not 1 <= workers <= MAX_WORKERS:
        raise TavlaError(f"{workers} workers: expected 1 to {MAX_WORKERS}")
