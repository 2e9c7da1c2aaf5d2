"""Costs of decisions through the public Python functions, compared with those of the engine alone.

All times are processor time on one core, on positions of seeded self-play. Before anything is timed, every function is
checked to make the engine's plays.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bench.core import machine_name, one_core
from tavla_ai.bots import Bot, ChosenPlay, PlayStyle, checkpoint_bot
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import Evaluator
from tavla_ai.match import MatchState, Utilities, as_utilities, utilities
from tavla_ai.network import Checkpoint
from tavla_ai.rules import Position, Ruleset, compile_rules, legal_plays

_SEED = 1
# An error like that of the weaker levels.
_NOISY = PlayStyle(noise=0.05, cap=0.15)
_MATCH = MatchState(5, (1, 2))
# A position is hopeless if it is won less often than this.
_HOPELESS = 0.002


@dataclass(frozen=True)
class DecideSizes:
    """Amount of work of one repeat; with less work, the costs say little.

    Attributes:
      games: number of games of self-play that give the positions.
      decisions: greatest number of plays that are decided.
      concessions: greatest number of positions of each kind in which a side may concede.
      doubles: greatest number of positions in which a side may double.
    """

    games: int = 40
    decisions: int = 400
    concessions: int = 30
    doubles: int = 20


FULL_DECIDE_SIZES = DecideSizes()


class DecisionCost(BaseModel):
    """The processor time of one decision."""

    model_config = ConfigDict(frozen=True)

    decision: str = Field(description="function that decides, with its variant")
    count: int = Field(description="number of decisions in each repeat, the same in all")
    fastest_us: float = Field(description="processor time of one decision in the fastest repeat, in microseconds")
    median_us: float = Field(description="processor time of one decision in the median repeat, in microseconds")
    ratio: float | None = Field(
        description="fastest time divided by that of the engine alone; null if the engine alone does not decide this"
    )


class DecideReport(BaseModel):
    """The costs of all decisions, with one network."""

    model_config = ConfigDict(frozen=True)

    ruleset: str = Field(description="name of the game")
    network: str = Field(description="folder of the network that decided")
    kernels: str = Field(description="instruction set of the network's arithmetic")
    machine: str = Field(description="processor, as the system names it")
    repeats: int = Field(description="number of timed repeats, after one to warm up")
    costs: tuple[DecisionCost, ...] = Field(description="costs, one for each kind of decision")


@dataclass(frozen=True)
class _Work:
    """Decisions to be timed.

    Attributes:
      decision: name in the report.
      count: number of decisions.
      prepare: function that makes everything the decisions need, and returns the function that decides; only the latter
        is timed.
      is_engine: whether this is the engine alone, with which the others are compared.
      has_ratio: whether the engine alone decides the same.
    """

    decision: str
    count: int
    prepare: Callable[[], Callable[[], object]]
    is_engine: bool = False
    has_ratio: bool = False


def decision_costs(
    ruleset: Ruleset, checkpoint: Checkpoint, repeats: int = 5, sizes: DecideSizes = FULL_DECIDE_SIZES
) -> DecideReport:
    """Time decisions with one network, on one pinned core.

    Args:
      ruleset: the game.
      checkpoint: checkpoint of the network that decides.
      repeats: number of timed repeats.
      sizes: amount of work of one repeat.

    Raises:
      TavlaError: there is less than one repeat.
      CheckpointError: the network is of another game.
      RuntimeError: a Python function made another play than the engine.
    """
    if repeats < 1:
        raise TavlaError(f"repeats {repeats}: expected at least 1")
    bench = _Bench(ruleset, checkpoint, sizes)
    bench.check()
    with one_core():
        timed = [(work, _times(work, repeats)) for work in bench.all_work()]
    base = next((min(times) for work, times in timed if work.is_engine), None)
    return DecideReport(
        ruleset=ruleset.name,
        network=checkpoint.name,
        kernels=checkpoint.network_for(ruleset).kernels,
        machine=machine_name(),
        repeats=repeats,
        costs=tuple(
            DecisionCost(
                decision=work.decision,
                count=work.count,
                fastest_us=min(times),
                median_us=statistics.median(times),
                ratio=min(times) / base if base is not None and work.has_ratio else None,
            )
            for work, times in timed
        ),
    )


def _times(work: _Work, repeats: int) -> list[float]:
    """Return the microseconds of a decision in each repeat."""
    work.prepare()()
    times = []
    for _ in range(repeats):
        run = work.prepare()
        started = time.process_time()
        run()
        times.append(1e6 * (time.process_time() - started) / work.count)
    return times


class _Bench:
    """Decisions with one network."""

    def __init__(self, ruleset: Ruleset, checkpoint: Checkpoint, sizes: DecideSizes) -> None:
        self.ruleset = ruleset
        self.checkpoint = checkpoint
        self.sizes = sizes
        self.rules = compile_rules(ruleset)
        self.evaluator = Evaluator(checkpoint, ruleset)
        self.bot = checkpoint_bot("bot", ruleset, checkpoint)
        self.positions = [Position(board) for board in self._self_play_boards()]
        every = -(-len(self.positions) // sizes.decisions)
        rolls = [(first, second) for first, second in engine.rolls(_SEED, 0, len(self.positions)).tolist()]
        self.decisions = [
            (position, dice)
            for position, dice in zip(self.positions[::every], rolls[::every], strict=True)
            if len(legal_plays(ruleset, position, dice)) > 1
        ]

    def _self_play_boards(self) -> npt.NDArray[np.int8]:
        values, inputs = utilities(self.ruleset, None)
        games = engine.self_play(
            self.rules,
            self.checkpoint.network_for(self.ruleset),
            _SEED,
            0,
            self.sizes.games,
            lambda_=0.7,
            values=values,
            inputs=inputs,
            shares=[1.0],
        )
        return np.ascontiguousarray(games.boards[:, ::-1])

    @cached_property
    def noisy(self) -> Bot:
        """A bot with noise, like the weaker levels."""
        return checkpoint_bot("noisy", self.ruleset, self.checkpoint, _NOISY)

    @cached_property
    def batch(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """All decisions as the engine takes them: boards and rolls."""
        boards = np.stack([position.board for position, _ in self.decisions])
        return boards, np.array([dice for _, dice in self.decisions], np.int8)

    def stakes(self, match: MatchState) -> Utilities:
        """Return what is played for, as the engine takes it."""
        return as_utilities([self.evaluator.utility(match)])

    def engine_alone(self, bot: Bot, match: MatchState) -> Callable[[], tuple[npt.NDArray[np.int8], object]]:
        """Return the function by which the engine alone makes all decisions of a bot; it gives the afterstates."""
        player = bot.player
        assert isinstance(player, engine.Player)
        batch, stakes = self.batch, self.stakes(match)
        zeros = np.zeros(len(self.decisions), np.uint32)
        games = zeros.astype(np.uint64)
        return lambda: engine.choose_plays(
            self.rules, player, *batch, *stakes, seed=_SEED, games=games, rounds=zeros, plies=zeros
        )

    def check(self) -> None:
        """Raise `RuntimeError` unless every function makes the same plays."""
        for match in (MatchState(), _MATCH):
            plays = [self.evaluator.choose_play(position, dice, match) for position, dice in self.decisions]
            faces: dict[str, list[Position]] = {
                "rank_plays": [
                    self.evaluator.rank_plays(position, dice, match)[0].afterstate for position, dice in self.decisions
                ],
                "Bot.choose_play": [
                    self.bot.choose_play(position, dice, match, seed=_SEED).afterstate
                    for position, dice in self.decisions
                ],
            }
            if not self.ruleset.has_stages:
                faces["the engine"] = [Position(after) for after in self.engine_alone(self.bot, match)()[0]]
                faces["Bot.choose_plays"] = list(self._batched(self.bot, match))
            for name, found in faces.items():
                if found != [play.afterstate for play in plays]:
                    raise RuntimeError(f"decide: {name} makes other plays than Evaluator.choose_play")
        if not self.ruleset.has_stages:
            ours = [self.noisy.choose_play(*one, seed=_SEED).afterstate for one in self.decisions]
            if ours != [Position(after) for after in self.engine_alone(self.noisy, MatchState())()[0]]:
                raise RuntimeError("decide: Bot.choose_play with noise makes other plays than the engine")

    def _batched(self, bot: Bot, match: MatchState) -> Iterator[Position]:
        for chosen in bot.choose_plays(*self.batch, self.stakes(match), seed=_SEED):
            assert isinstance(chosen, ChosenPlay)
            yield Position(chosen.afterstate)

    def all_work(self) -> Iterator[_Work]:
        """Yield everything that is timed, the engine alone first."""
        if not self.ruleset.has_stages:
            yield from self._engine_work()
        yield from self._play_work()
        yield from self._concession_work()
        if self.ruleset.cube:
            yield from self._cube_work()

    def _engine_work(self) -> Iterator[_Work]:
        number, stakes = len(self.decisions), self.stakes(MatchState())
        yield _Work(
            "the engine alone, one batch",
            number,
            lambda: self.engine_alone(self.bot, MatchState()),
            is_engine=True,
            has_ratio=True,
        )
        yield _Work(
            "Bot.choose_plays, one batch",
            number,
            lambda: lambda: self.bot.choose_plays(*self.batch, stakes, seed=_SEED),
            has_ratio=True,
        )

    def _play_work(self) -> Iterator[_Work]:
        evaluator, ruleset = self.evaluator, self.ruleset

        def plays(name: str, decide: Callable[[Position, tuple[int, int]], object], has_ratio: bool = True) -> _Work:
            def run() -> None:
                for position, dice in self.decisions:
                    decide(position, dice)

            return _Work(name, len(self.decisions), lambda: run, has_ratio=has_ratio)

        yield plays("Evaluator.choose_play", evaluator.choose_play)
        yield plays("Evaluator.choose_play, in a match", lambda at, dice: evaluator.choose_play(at, dice, _MATCH))
        yield plays("Bot.choose_play", self.bot.choose_play)
        yield plays("Bot.choose_play, in a match", lambda at, dice: self.bot.choose_play(at, dice, _MATCH))
        if not ruleset.has_stages:
            yield plays("Bot.choose_play, with noise", self.noisy.choose_play)
        yield plays("Evaluator.rank_plays", evaluator.rank_plays)
        yield plays("Evaluator.rank_plays, explained", lambda at, dice: evaluator.rank_plays(at, dice, explain=True))
        yield plays("Evaluator.forced_play", evaluator.forced_play, has_ratio=False)
        yield plays("legal_plays", lambda at, dice: legal_plays(ruleset, at, dice), has_ratio=False)

    def _concession_work(self) -> Iterator[_Work]:
        if self.ruleset.concession == "none":
            return
        for kind, positions in self._concessions().items():
            if positions:
                yield self._fresh(f"Evaluator.should_concede, {kind}", positions, Evaluator.should_concede)
                yield self._fresh(
                    f"Evaluator.accept_concession, {kind}",
                    positions,
                    lambda evaluator, position: evaluator.accept_concession(position.swap(), 1),
                )

    def _cube_work(self) -> Iterator[_Work]:
        yield self._fresh("Evaluator.cube_decision", self._some(self.positions, self.sizes.doubles), _cube_decision)

    def _fresh(self, name: str, positions: list[Position], decide: Callable[[Evaluator, Position], object]) -> _Work:
        """Return the work of an evaluator that has not seen the positions before."""

        def prepare() -> Callable[[], None]:
            evaluator = Evaluator(self.checkpoint, self.ruleset)
            evaluator.utility(MatchState())

            def run() -> None:
                for position in positions:
                    decide(evaluator, position)

            return run

        return _Work(name, len(positions), prepare)

    def _concessions(self) -> dict[str, list[Position]]:
        """Return positions of each kind, the side on roll first, and all of them together."""
        found: dict[str, list[Position]] = {"contact": [], "race": [], "hopeless": []}
        for position in self.positions:
            is_hopeless = self.evaluator.evaluate(position).win < _HOPELESS
            is_contact = position.has_contact(self.ruleset)
            found["hopeless" if is_hopeless else "contact" if is_contact else "race"].append(position)
        chosen = {kind: self._some(positions, self.sizes.concessions) for kind, positions in found.items()}
        return {"all": [position for positions in chosen.values() for position in positions], **chosen}

    @staticmethod
    def _some(positions: list[Position], most: int) -> list[Position]:
        return list(islice(positions[:: max(1, len(positions) // most)], most))


def _cube_decision(evaluator: Evaluator, position: Position) -> object:
    return evaluator.cube_decision(position)
