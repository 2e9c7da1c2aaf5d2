"""The evaluator: a network, the game it plays and the bear-off tables of that game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator.base import BaseEvaluator
from tavla_ai.evaluator.bearoff import load_tables
from tavla_ai.evaluator.evaluation import BestPlay, Evaluation, RankedPlay
from tavla_ai.evaluator.search import DEFAULT_SEARCH, SearchSettings
from tavla_ai.match import CubeDecision, MatchEquity, MatchState, Utility
from tavla_ai.network import Checkpoint
from tavla_ai.rules import (
    LegalPlay,
    MatchSet,
    Position,
    Ruleset,
    check_roll,
    compile_rules,
    counted_board,
    hit_chances,
    legal_plays,
)

MAX_THREADS = 1024

# Some 13 GB.
_MAX_CACHE_ENTRIES = 1 << 27


@dataclass(frozen=True, kw_only=True)
class EvaluatorOptions:
    """Options of an evaluator; each has a default.

    Attributes:
      match_set: set of games that are played in turn, with the evaluator's game among them; None plays the game alone.
      shares: for match equity, ruleset name → probabilities of the scores to the side that starts a game; the default
        for the evaluator's own game is in the checkpoint's card.
      search: which plays a search looks at more deeply.
      use_tables: whether bear-off tables are used; they are built the first time.
      threads: number of threads of a search.
      cache_entries: number of searched positions to remember, about 100 bytes each.

    Raises:
      RulesetError: a number is out of range.
    """

    match_set: MatchSet | None = None
    shares: Mapping[str, Sequence[float]] | None = None
    search: SearchSettings = DEFAULT_SEARCH
    use_tables: bool = True
    threads: int = 1
    cache_entries: int = 1 << 16

    def __post_init__(self) -> None:
        if not 1 <= self.threads <= MAX_THREADS:
            raise RulesetError(f"threads {self.threads}: expected 1 to {MAX_THREADS}")
        if not 0 <= self.cache_entries <= _MAX_CACHE_ENTRIES:
            raise RulesetError(f"cache of {self.cache_entries} entries: expected 0 to {_MAX_CACHE_ENTRIES}")


class Evaluator(BaseEvaluator):
    """Values and decisions of one game, with one network. Calls from several threads wait for each other.

    The bear-off tables value the races that they cover. An evaluator that is sent to another process is made there
    again from its arguments.

    Args:
      checkpoint: the network.
      ruleset: the game; None takes the checkpoint's own.
      options: see `EvaluatorOptions`.

    Raises:
      CheckpointError: the network is of another game.
      RulesetError: the set does not play the game.
    """

    def __init__(
        self, checkpoint: Checkpoint, ruleset: Ruleset | None = None, options: EvaluatorOptions = EvaluatorOptions()
    ) -> None:
        ruleset = ruleset or checkpoint.card.ruleset
        shares = dict(options.shares or {})
        if checkpoint.card.score_shares is not None:
            shares.setdefault(ruleset.name, checkpoint.card.score_shares)
        super().__init__(ruleset, options.match_set, shares)
        self.checkpoint = checkpoint
        self.options = options
        self.tables = load_tables(ruleset) if options.use_tables else None
        self._searcher = engine.Searcher(
            compile_rules(ruleset),
            checkpoint.network_for(ruleset),
            self.tables,
            cache_entries=options.cache_entries,
            threads=options.threads,
            **options.search.filters(),
        )

    def __reduce__(self) -> tuple[type[Evaluator], tuple[Checkpoint, Ruleset, EvaluatorOptions]]:
        # The engine's tables and networks cannot be pickled: a copy makes its own.
        return Evaluator, (self.checkpoint, self.ruleset, self.options)

    @property
    def version(self) -> str:
        """The hash of the network's weights, which names the values."""
        return self.checkpoint.card.weights_sha256

    @property
    def threads(self) -> int:
        """Threads of a search, which change no value."""
        return self.options.threads

    def with_threads(self, threads: int) -> Self:
        """Return the same evaluator with another number of threads; see `BaseEvaluator`."""
        return type(self)(self.checkpoint, self.ruleset, replace(self.options, threads=threads))

    def evaluate(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side on roll, before the dice; see `BaseEvaluator`."""
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            position.swap().board, *utility.opponent().arrays, self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes[::-1].tolist(), utility, reached)

    def evaluate_afterstate(
        self,
        afterstate: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side that has just moved; see `BaseEvaluator`."""
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            afterstate.board, *utility.arrays, self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes.tolist(), utility, reached)

    def rank_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
        explain: bool = False,
    ) -> tuple[RankedPlay, ...]:
        """Return every legal play of a roll, the best first; see `BaseEvaluator`."""
        utility = self.utility(match)
        plays = legal_plays(self.ruleset, position, dice)
        outcomes, values, plies, order = self._searcher.rank(
            counted_board(self.ruleset, position),
            *dice,
            *utility.arrays,
            self._checked_ply(ply, time_ms),
            time_ms,
        )
        chances = self._hit_chances(plays) if explain else [None] * len(plays)
        rows, worth, looks = outcomes.tolist(), values.tolist(), plies.tolist()
        best = worth[order[0]]
        return tuple(
            [
                RankedPlay(
                    plays[i].steps,
                    plays[i].afterstate,
                    plays[i].score,
                    self._evaluation(rows[i], utility, looks[i]),
                    max(0.0, best - worth[i]),
                    chances[i],
                )
                for i in order.tolist()
            ]
        )

    def _hit_chances(self, plays: Sequence[LegalPlay]) -> list[float | None]:
        """Return `hit_chance` after each play; None after one that ends the game."""
        found = iter(hit_chances(self.ruleset, [play.afterstate for play in plays if play.score is None]) or ())
        return [next(found, None) if play.score is None else None for play in plays]

    def best_play(
        self,
        position: Position,
        dice: tuple[int, int],
        utility: Utility,
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> BestPlay:
        """Return the best play of a roll; see `BaseEvaluator`."""
        check_roll(dice)
        play, outcomes, _ = self._searcher.best(
            counted_board(self.ruleset, position),
            *dice,
            *utility.arrays,
            self._checked_ply(ply, time_ms),
            time_ms,
        )
        return BestPlay(LegalPlay.of(play), tuple(outcomes.tolist()))

    def _cube_by_rolls(self, position: Position, match: MatchState, equity: MatchEquity, ply: int) -> CubeDecision:
        stakes = equity.cube_stakes(match)
        found = self._searcher.cube_decision(position.board, stakes, self._checked_ply(ply, None))
        return CubeDecision.of(found, match.cube.value)

    def trials(
        self,
        afterstate: Position,
        utility: Utility,
        *,
        ply: int,
        truncate: int,
        adjusts_luck: bool,
        seed: int,
        first_trial: int,
        num_trials: int,
    ) -> npt.NDArray[np.float64]:
        """Return what trials of a rollout came to for the side that has just moved; see `rollout`.

        Returns:
          `[num_trials, K]` float64; the mean of the rows is a distribution over the scores.

        Raises:
          RulesetError: the game is over, or is not rolled out.
        """
        found: npt.NDArray[np.float64] = self._searcher.roll_out(
            afterstate.board,
            *utility.arrays,
            ply=ply,
            truncate=truncate,
            adjusts_luck=adjusts_luck,
            seed=seed,
            first_trial=first_trial,
            num_trials=num_trials,
        )
        return found

    # The search stops as soon as the rest cannot change the answer.

    def _is_worth_more(self, position: Position, match: MatchState, value: float, ply: int) -> bool:
        utility = self.utility(match)
        found = self._searcher.compare(
            position.swap().board,
            *utility.opponent().arrays,
            self._checked_ply(ply, None),
            utility.total - value,
        )
        # What the opponent gets is not the side's own.
        return not found if isinstance(found, bool) else utility.mean(found[::-1].tolist()) > value

    def _is_afterstate_worth_more(self, afterstate: Position, match: MatchState, value: float, ply: int) -> bool:
        utility = self.utility(match)
        found = self._searcher.compare(afterstate.board, *utility.arrays, self._checked_ply(ply, None), value)
        return found if isinstance(found, bool) else utility.mean(found.tolist()) > value

    def _is_roll_worth_more(
        self, position: Position, dice: tuple[int, int], match: MatchState, value: float, ply: int
    ) -> bool:
        utility = self.utility(match)
        check_roll(dice)
        board = counted_board(self.ruleset, position)
        found = self._searcher.compare_roll(board, *dice, *utility.arrays, self._checked_ply(ply, None), value)
        return found if isinstance(found, bool) else utility.mean(found.tolist()) > value

    def _checked_ply(self, ply: int, time_ms: float | None) -> int:
        if not 0 <= ply <= MAX_PLY:
            raise RulesetError(f"ply {ply}: expected 0 to {MAX_PLY}")
        if time_ms is not None and not time_ms > 0:
            raise RulesetError(f"time {time_ms} ms: expected more than 0")
        if time_ms is not None and ply == 0 and not self.ruleset.has_stages:
            return MAX_PLY
        return ply

    def _evaluation(self, outcomes: Sequence[float], utility: Utility, ply: int) -> Evaluation:
        return Evaluation.of(outcomes, self.ruleset.scores, utility, ply)
