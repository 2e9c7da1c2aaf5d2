"""Tournaments: paired games and matches between bots.

Games come in pairs with the same dice and the seats swapped. The two games of a pair are not independent, so
a pair is one sample: standard errors come from the means of pairs, never from single games.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tavla_ai.bots import Bot
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset, scores_of
from tavla_ai.tournament.arena import Arena
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.folder import BotIdentity, ResultsFolder, Settings
from tavla_ai.tournament.luck import luck_networks_text
from tavla_ai.tournament.ratings import rate
from tavla_ai.tournament.results import (
    BotTotal,
    PairResult,
    PlayedTournament,
    TournamentResult,
    half_width,
    measures_of,
    pair_result,
    rated_pairings,
)
from tavla_ai.tournament.runners import Runner, Workers, open_runner
from tavla_ai.tournament.schedule import Schedule, looks, scheduled


def play_pairing(
    ruleset: Ruleset,
    a: Bot,
    b: Bot,
    games: int,
    seed: int,
    match_length: int | None = None,
    *,
    workers: int = 1,
    progress: ProgressCallback | None = None,
    luck_network: Checkpoint | None = None,
) -> PairResult:
    """Play A against B and return A's result.

    Pair number n of a seed has the same dice for all bots. In a single game a bot plays for points, in a match for its
    chance of winning the match; an outside engine always plays for points. The result, except the speed, is the same
    for any number of workers.

    Args:
      ruleset: the game; the bots must have been made for it.
      games: number of games, or of matches with a `match_length`; even, since they come in pairs.
      seed: seed of the dice, 0 to 2**64 − 1.
      match_length: points that win a match; None for single games.
      workers: engine threads; an outside engine runs on one.
      progress: called with the number of games (or matches) finished since its last call.
      luck_network: network that measures the luck of the rolls, at 0-ply; None leaves out luck.

    Raises:
      TavlaError: games not even or below 2, a seed or a number of workers out of range.
      RulesetError: the house does not offer the match length, or luck cannot be measured in the game.
    """
    arena = Arena(ruleset, [a, b], seed, match_length, () if luck_network is None else (luck_network,))
    return play_tournament(arena, games, workers=Workers(workers), progress=progress).result.pairings[0]


def play_tournament(
    arena: Arena,
    games: int,
    *,
    schedule: Schedule = "round-robin",
    until_ci: float | None = None,
    out: str | Path | None = None,
    workers: Workers = Workers(),
    progress: ProgressCallback | None = None,
) -> PlayedTournament:
    """Play the pairings of a schedule and return their contests and all results.

    All pairings use the same dice, pair by pair. So comparisons between pairings are paired too, and a pairing's result
    does not depend on the other bots. A bot's total takes pair number n of all its pairings as one sample.

    With `until_ci` a pairing stops when its interval is narrow enough (the one without luck if luck is measured). The
    first check is after 200 pairs, every later one after 1.5 times as many. Stopping is slightly more likely when the
    error is underestimated. So the interval holds slightly less often than 95 %, and a mean that is correlated with its
    error, such as a share near 0 or 1, is pulled slightly outwards.

    Args:
      arena: the game, at least two bots, the dice, and the networks that measure luck, at 0-ply.
      games: games (or matches) of each pairing, an even number; with `until_ci` the largest number.
      schedule: the pairings.
      until_ci: half of the 95 % interval at which a pairing stops, in points per game or as a share of matches.
      out: a folder for the results. An unfinished tournament in the folder is resumed: finished contests are not
        played again.
      workers: number and kind of workers.
      progress: called with the number of games (or matches) finished since its last call.

    Raises:
      TavlaError: fewer than two bots, games not even or below 2, an interval that is not above 0, Ray is not
        installed, or the folder holds something else.
    """
    _check(arena, games, until_ci)
    pairings = tuple(scheduled(len(arena.bots), schedule))
    with ExitStack() as stack:
        folder = None
        if out is not None:
            settings = _settings(arena, pairings, games, until_ci)
            folder = stack.enter_context(ResultsFolder(Path(out)).opened(settings))
        runner = stack.enter_context(open_runner(arena, workers))
        playing = _Playing(arena, runner, folder, games // 2, until_ci, progress)
        contests: list[Contests] = []
        results: list[PairResult] = []
        for number, (a, b) in enumerate(pairings):
            played, speed = playing.pairing(number, a, b)
            contests.append(played)
            results.append(pair_result(arena, a, b, played, speed))
        result = _result(arena, pairings, contests, results)
        if folder is not None:
            # Speed is not a result: a resumed tournament has the same summary as an uninterrupted one.
            folder.write_summary(
                result.model_dump(mode="json", exclude={"pairings": {"__all__": {"games_per_second"}}})
            )
    return PlayedTournament(arena, pairings, tuple(contests), result)


@dataclass(frozen=True)
class _Playing:
    """Plays pairings one after the other.

    Attributes:
      folder: folder for the contests; None keeps them only in memory.
      num_pairs: largest number of pairs of contests of each pairing.
      until_ci: same as `play_tournament`.
    """

    arena: Arena
    runner: Runner
    folder: ResultsFolder | None
    num_pairs: int
    until_ci: float | None
    progress: ProgressCallback | None

    def pairing(self, number: int, a: int, b: int) -> tuple[Contests, float | None]:
        """Return the contests of pairing number `number`, and the games per second; None if no game was played."""
        parts = []
        if self.folder is not None and (stored := self.folder.stored(number)) is not None:
            parts.append(stored)
        done = sum(part.num_pairs for part in parts)
        if self.progress is not None and done:
            self.progress(2 * done)
        games, seconds = 0, 0.0
        for look in looks(self.num_pairs, self.until_ci):
            start = time.perf_counter()
            for more in self.runner.play(a, b, done, look, self.progress) if done < look else ():
                if self.folder is not None:
                    self.folder.append(number, done, more)
                parts.append(more)
                done += more.num_pairs
                games += more.num_games
            seconds += time.perf_counter() - start
            if self._is_enough(Contests.joined(parts).first(look)):
                break
        return Contests.joined(parts), games / max(seconds, 1e-9) if games else None

    def _is_enough(self, contests: Contests) -> bool:
        return self.until_ci is not None and half_width(self.arena, contests) <= self.until_ci


def _result(
    arena: Arena,
    pairings: Sequence[tuple[int, int]],
    contests: Sequence[Contests],
    results: Sequence[PairResult],
) -> TournamentResult:
    own: list[list[Contests]] = [[] for _ in arena.bots]
    for (a, b), played in zip(pairings, contests, strict=True):
        own[a].append(played)
        own[b].append(played.swapped())
    return TournamentResult(
        ruleset=arena.game.name,
        seed=arena.seed,
        match_length=arena.match_length,
        cube=arena.cube,
        judge=luck_networks_text(arena),
        pairings=tuple(results),
        ratings=rate(rated_pairings(results)) if len({bot.name for bot in arena.bots}) == len(arena.bots) else None,
        totals=tuple(
            BotTotal(name=bot.name, **measures_of(scores_of(arena.game), arena.match_length, played_by_it))
            for bot, played_by_it in zip(arena.bots, own, strict=True)
        ),
    )


def _settings(arena: Arena, pairings: tuple[tuple[int, int], ...], games: int, until_ci: float | None) -> Settings:
    luck = luck_networks_text(arena)
    return Settings(
        ruleset=arena.game,
        bots=tuple(BotIdentity.of_bot(bot) for bot in arena.bots),
        pairings=pairings,
        games=games,
        seed=arena.seed,
        match_length=arena.match_length,
        judge=None if luck is None else BotIdentity.of(luck, *arena.luck_networks),
        until_ci=until_ci,
        cube=arena.cube,
    )


def _check(arena: Arena, games: int, until_ci: float | None) -> None:
    if len(arena.bots) < 2:
        raise TavlaError(f"a tournament of {len(arena.bots)}: expected at least 2 bots")
    if games < 2 or games % 2:
        raise TavlaError(
            f"{games} games: expected an even number from 2 up; pairs have the same dice with seats swapped"
        )
    if until_ci is not None and not until_ci > 0:
        raise TavlaError(f"interval of ±{until_ci:g}: expected more than 0")
