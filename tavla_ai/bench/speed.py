"""Benchmarks of the engine on one core.

Each measure warms up, repeats, and reports the median with the spread. Every repeat must count the same work; a
different count is an error, not a fast result.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bench.core import machine_name, one_core
from tavla_ai.bots import PlayStyle, network_player
from tavla_ai.bots.peers import counting_peer, evaluating_peer
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import DEFAULT_SEARCH
from tavla_ai.match import utilities
from tavla_ai.network import Checkpoint
from tavla_ai.rules import NUM_CHECKERS, Ruleset, compile_rules

Measure = Literal["plays", "evaluate", "selfplay", "search", "tournament"]
MEASURES: tuple[Measure, ...] = ("plays", "evaluate", "selfplay", "search", "tournament")

_SEED = 1
# A little noise, so that the two sides of a tournament do not play alike.
_NOISE = 0.05


@dataclass(frozen=True)
class BenchSizes:
    """Amount of work of one repeat; with less work, rates say little.

    Attributes:
      walk_games: number of games of random play that give the positions of `plays` and `evaluate`.
      peer_positions: greatest number of these positions in one repeat of an outside engine.
      self_play_games: number of games of `selfplay`.
      search_games: number of games of self-play that give the positions of `search`.
      search_decisions: approximate number of decisions of these games that are searched.
      tournament_pairs: number of pairs of games of `tournament`.
      judged_pairs: number of pairs of games of which the luck is measured too.
    """

    walk_games: int = 300
    peer_positions: int = 2000
    self_play_games: int = 1000
    search_games: int = 20
    search_decisions: int = 200
    tournament_pairs: int = 200
    judged_pairs: int = 50


FULL_SIZES = BenchSizes()


class BenchResult(BaseModel):
    """Result of one measure: a rate per second, on one core."""

    model_config = ConfigDict(frozen=True)

    measure: str = Field(description="name of the measure")
    unit: str = Field(description="things that are counted")
    median: float = Field(description="rate per second, median of the repeats")
    slowest: float = Field(description="rate per second of the slowest repeat")
    fastest: float = Field(description="rate per second of the fastest repeat")
    repeats: int = Field(description="number of timed repeats, after one to warm up")
    count: int = Field(description="things counted in each repeat, the same in all")
    median_ms: float | None = Field(
        default=None, description="median time of one thing, in milliseconds; null if single things were not timed"
    )
    peer: str | None = Field(default=None, description="outside engine that did the same work; null if none did")
    peer_median: float | None = Field(default=None, description="rate per second of the outside engine, median")
    ratio: float | None = Field(default=None, description="our median divided by the outside engine's")


class BenchReport(BaseModel):
    """Results of all measures, with the machine and the network."""

    model_config = ConfigDict(frozen=True)

    ruleset: str = Field(description="name of the game")
    network: str = Field(description="network that evaluated")
    kernels: str = Field(description="instruction set of the network's arithmetic")
    machine: str = Field(description="processor, as the system names it")
    results: tuple[BenchResult, ...] = Field(description="results, one for each unit")


@dataclass(frozen=True)
class Timed:
    """Counts of one repeat by unit; they must be the same in every repeat.

    If single things were timed, `milliseconds` has the time of each thing by unit.
    """

    counts: dict[str, int]
    milliseconds: dict[str, list[float]] = field(default_factory=dict)


def run_bench(
    ruleset: Ruleset,
    measures: tuple[Measure, ...],
    checkpoint: Checkpoint | None,
    repeats: int = 5,
    against: str | None = None,
    sizes: BenchSizes = FULL_SIZES,
) -> BenchReport:
    """Time each measure on one pinned core.

    Args:
      checkpoint: checkpoint of the network that evaluates and plays; None takes untrained weights with one layer of
        128, whose games are longer and wilder than real ones.
      repeats: number of timed repeats.
      against: name of an outside engine that also does the work of `plays` and `evaluate`, on the same positions.
      sizes: amount of work of one repeat.

    Raises:
      TavlaError: there is less than one repeat, or the outside engine is unknown, not installed, cannot do the work or
        does not play the game.
      RuntimeError: a repeat counted other numbers than the one before.
    """
    if repeats < 1:
        raise TavlaError(f"repeats {repeats}: expected at least 1")
    peer_work = {} if against is None else _peer_work(against, ruleset, measures, repeats, sizes)
    network = checkpoint.network_for(ruleset) if checkpoint else _untrained(ruleset)
    work: dict[Measure, Callable[[], Timed]] = {
        "plays": _plays(ruleset, sizes),
        "evaluate": _evaluate(ruleset, network, sizes),
        "selfplay": _self_play(ruleset, network, sizes),
        "search": _search(ruleset, network, sizes),
        "tournament": _tournament(ruleset, network, sizes),
    }
    results: list[BenchResult] = []
    with one_core():
        for measure in measures:
            ours = time_work(measure, work[measure], repeats)
            if against is not None and measure in peer_work:
                (theirs,) = time_work(against, peer_work[measure], repeats)
                ours[0] = _compared(ours[0], against, theirs)
            results += ours
    return BenchReport(
        ruleset=ruleset.name,
        network=checkpoint.name if checkpoint else "untrained, 128",
        kernels=network.kernels,
        machine=machine_name(),
        results=tuple(results),
    )


def time_work(measure: str, work: Callable[[], Timed], repeats: int) -> list[BenchResult]:
    """Time `work` `repeats` times, after one to warm up; return one result for each unit that it counts.

    Raises:
      RuntimeError: a repeat counted other numbers than the one before.
    """
    expected = work().counts
    rates: dict[str, list[float]] = {unit: [] for unit in expected}
    milliseconds: dict[str, list[float]] = {}
    for _ in range(repeats):
        started = time.perf_counter()
        timed = work()
        seconds = time.perf_counter() - started
        if timed.counts != expected:
            raise RuntimeError(f"{measure}: counted {timed.counts}, the repeat before {expected}")
        for unit, times in timed.milliseconds.items():
            milliseconds.setdefault(unit, []).extend(times)
        for unit, count in timed.counts.items():
            rates[unit].append(
                count / (sum(timed.milliseconds[unit]) / 1000 if unit in timed.milliseconds else seconds)
            )
    return [
        BenchResult(
            measure=measure,
            unit=unit,
            median=statistics.median(values),
            slowest=min(values),
            fastest=max(values),
            repeats=repeats,
            count=expected[unit],
            median_ms=statistics.median(milliseconds[unit]) if unit in milliseconds else None,
        )
        for unit, values in rates.items()
    ]


def _peer_work(
    name: str, ruleset: Ruleset, measures: Sequence[Measure], repeats: int, sizes: BenchSizes
) -> dict[Measure, Callable[[], Timed]]:
    """Return the work of `plays` and `evaluate` done by an outside engine, as far as they are measured.

    Every repeat has its own positions, because the engine may remember what it has evaluated.
    """
    if not ruleset.has_western_movement:
        raise TavlaError(f"{name}: expected a game with the movement of western backgammon, not {ruleset.name}")
    work: dict[Measure, Callable[[], Timed]] = {}
    rules = compile_rules(ruleset)
    boards, rolls = engine.random_walk(rules, _SEED, 0, sizes.walk_games)
    # With five checkers left no roll ends the game. At the end of a game outside engines count afterstates differently
    # (gnubg-nn lists one of two ends that differ by a hit).
    unfinished = boards[:, 0, 0] <= NUM_CHECKERS - 5
    boards, rolls = boards[unfinished], rolls[unfinished]
    size = min(sizes.peer_positions, len(boards) // (repeats + 1))

    def chunks() -> Iterator[slice]:
        return (slice(begin, begin + size) for begin in range(0, len(boards), size))

    if "plays" in measures:
        counter = counting_peer(name)
        counted, to_count = counter.convert(boards), chunks()
        dice = [(first, second) for first, second in rolls.tolist()]
        expected = engine.count_plays(rules, boards, rolls).tolist()

        def plays() -> Timed:
            chunk = next(to_count)
            if counter.count_plays(counted[chunk], dice[chunk]) != expected[chunk]:
                raise RuntimeError(f"{name}: counts other plays than the engine")
            return Timed({"rolls": size})

        work["plays"] = plays
    if "evaluate" in measures:
        evaluator = evaluating_peer(name)
        evaluated, to_evaluate = evaluator.convert(boards), chunks()

        def evaluate() -> Timed:
            evaluator.evaluate(evaluated[next(to_evaluate)])
            return Timed({"positions": size})

        work["evaluate"] = evaluate
    return work


def _compared(ours: BenchResult, name: str, theirs: BenchResult) -> BenchResult:
    """Return a result together with that of an outside engine."""
    return ours.model_copy(update={"peer": name, "peer_median": theirs.median, "ratio": ours.median / theirs.median})


def _plays(ruleset: Ruleset, sizes: BenchSizes) -> Callable[[], Timed]:
    """Generate all plays of every position of random games; all afterstates of a roll must be different."""
    rules = compile_rules(ruleset)
    boards, dice = engine.random_walk(rules, _SEED, 0, sizes.walk_games)
    for board, roll in zip(boards[:500], dice[:500], strict=True):
        afterstates, _, _ = engine.legal_plays(rules, board, int(roll[0]), int(roll[1]))
        if len(np.unique(afterstates.reshape(len(afterstates), -1), axis=0)) != len(afterstates):
            raise RuntimeError("plays: the same afterstate was generated twice")

    def work() -> Timed:
        counts = engine.count_plays(rules, boards, dice)
        return Timed({"rolls": len(counts), "afterstates": int(counts.sum())})

    return work


def _evaluate(ruleset: Ruleset, network: engine.Network, sizes: BenchSizes) -> Callable[[], Timed]:
    """Evaluate unrelated positions, each without help from the one before."""
    rules = compile_rules(ruleset)
    boards, _ = engine.random_walk(rules, _SEED, 0, sizes.walk_games)
    _, inputs = utilities(ruleset, None)
    inputs = np.repeat(inputs, len(boards), axis=0)

    def work() -> Timed:
        outcomes = network.evaluate(boards, inputs)
        if not np.allclose(outcomes.sum(axis=1), 1, atol=1e-4):
            raise RuntimeError("evaluate: probabilities do not add up to 1")
        return Timed({"positions": len(outcomes)})

    return work


def _self_play(ruleset: Ruleset, network: engine.Network, sizes: BenchSizes) -> Callable[[], Timed]:
    """Play whole games of self-play with λ-targets, as training does."""
    rules = compile_rules(ruleset)
    values, inputs = utilities(ruleset, None)

    def work() -> Timed:
        result = engine.self_play(
            rules, network, _SEED, 0, sizes.self_play_games, lambda_=0.7, values=values, inputs=inputs, shares=[1.0]
        )
        return Timed({"games": sizes.self_play_games, "turns": result.plies, "afterstates": result.evaluated})

    return work


def _search(ruleset: Ruleset, network: engine.Network, sizes: BenchSizes) -> Callable[[], Timed]:
    """Decide at 1-ply and at 2-ply with the evaluator's own filters.

    The positions come from self-play; those with a single legal play are left out. A game with stages cannot be
    searched and is decided at 0-ply.
    """
    rules = compile_rules(ruleset)
    values, inputs = utilities(ruleset, None)
    games = engine.self_play(
        rules, network, _SEED, 0, sizes.search_games, lambda_=0.7, values=values, inputs=inputs, shares=[1.0]
    )
    boards = np.ascontiguousarray(games.boards[:, ::-1])
    rolls = engine.rolls(_SEED, 0, len(boards))
    searcher = engine.Searcher(rules, network, **DEFAULT_SEARCH.filters())
    every = max(1, len(boards) // sizes.search_decisions)
    decisions = [
        (board, roll)
        for board, roll in zip(boards[::every], rolls[::every].tolist(), strict=True)
        if len(engine.legal_plays(rules, board, *roll)[0]) > 1
    ]
    plies = (0,) if ruleset.has_stages else (1, 2)

    def work() -> Timed:
        counts, milliseconds = {}, {}
        for ply in plies:
            times = []
            for board, (first, second) in decisions:
                started = time.perf_counter()
                _, _, looked_at, _ = searcher.rank(board, first, second, values, inputs, ply)
                times.append(1000 * (time.perf_counter() - started))
                if looked_at.max() != ply:
                    raise RuntimeError(f"search: no play was looked at {ply}-ply deep")
            counts[f"{ply}-ply decisions"] = len(decisions)
            milliseconds[f"{ply}-ply decisions"] = times
        return Timed(counts, milliseconds)

    return work


def _tournament(ruleset: Ruleset, network: engine.Network, sizes: BenchSizes) -> Callable[[], Timed]:
    """Play paired games at 0-ply between the network and the network with a little noise, some with luck measured.

    A game with stages has neither noise nor measured luck: the network plays itself.
    """
    rules = compile_rules(ruleset)
    values, inputs = utilities(ruleset, None)
    player = network_player(ruleset, network)
    is_plain = ruleset.has_stages
    noisy = player if is_plain else network_player(ruleset, network, PlayStyle(noise=_NOISE, cap=3 * _NOISE))
    runs: dict[str, tuple[engine.Player | None, int]] = {"paired games": (None, sizes.tournament_pairs)}
    if not is_plain:
        runs["paired games, luck judged"] = player, sizes.judged_pairs

    def work() -> Timed:
        counts, milliseconds = {}, {}
        for unit, (luck_network, pairs) in runs.items():
            started = time.perf_counter()
            result = engine.duel(
                rules, player, noisy, _SEED, 0, pairs, values=values, inputs=inputs, luck_network=luck_network
            )
            elapsed = 1000 * (time.perf_counter() - started)
            if result.games + result.void_games != 2 * pairs:
                raise RuntimeError(f"tournament: {result.games} games and {result.void_games} void of {2 * pairs}")
            counts[unit] = 2 * pairs
            milliseconds[unit] = [elapsed / (2 * pairs)] * (2 * pairs)
        return Timed(counts, milliseconds)

    return work


def _untrained(ruleset: Ruleset) -> engine.Network:
    rng = np.random.default_rng(_SEED)
    num_scores = len(ruleset.scores)
    widths = (engine.num_board_features(ruleset.num_places) + num_scores - 2, 128, num_scores)
    return engine.Network(
        [
            (
                rng.uniform(-1, 1, (out, into)).astype(np.float32) / np.float32(np.sqrt(into)),
                np.zeros(out, np.float32),
            )
            for into, out in pairwise(widths)
        ],
        ruleset.num_places,
    )
