"""The evaluator: what positions and plays are worth, and each decision that a game server asks for.

An `Evaluator` is one network, the game it plays and the bear-off tables of that game. Everything takes the stakes
as a `MatchState` seen by the side that decides: single games are worth their points, games of a match the chance
of winning the match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator.bearoff import load_tables
from tavla_ai.evaluator.evaluation import Evaluation, RankedPlay
from tavla_ai.evaluator.search import DEFAULT_SEARCH, SearchSettings
from tavla_ai.match import (
    CubeDecision,
    CubeEnding,
    MatchEquity,
    MatchState,
    Utility,
    as_utilities,
    cube_decision,
    ends_soon,
    match_equity,
    may_double,
    turned,
)
from tavla_ai.network import Checkpoint
from tavla_ai.rules import (
    ROLLS,
    LegalPlay,
    MatchSet,
    Position,
    Ruleset,
    compile_rules,
    concession_value,
    counted_board,
    hit_chance,
    legal_plays,
)

MAX_THREADS = 1024

# Some 13 GB.
_MAX_CACHE_ENTRIES = 1 << 27

# A concession waits for nobody: two rolls show what they decide.
_CONCESSION_PLY = 2

# Values that differ by less are the same: a network's arithmetic is no finer.
_TOLERANCE = 1e-6


class Evaluator:
    """Values and decisions of one game, with one network. Calls from several threads wait for each other.

    Args:
      checkpoint: the network.
      ruleset: the game; None takes the checkpoint's own.
      match_set: the set whose games are played in turn, of which `ruleset` is one; None plays the game alone.
      search: how look-ahead is narrowed.
      shares: for match equity, ruleset name → probabilities of the scores to the side that starts a game; those of
        the checkpoint's card stand in for its own game.
      tables: whether bear-off tables are used; they are built the first time.
      threads: of a search.
      cache_entries: searched positions to remember, some 100 bytes each.

    Raises:
      CheckpointError: the network is of another game.
      RulesetError: the set does not play the game, or a number out of range.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        ruleset: Ruleset | None = None,
        *,
        match_set: MatchSet | None = None,
        search: SearchSettings = DEFAULT_SEARCH,
        shares: Mapping[str, Sequence[float]] | None = None,
        tables: bool = True,
        threads: int = 1,
        cache_entries: int = 1 << 16,
    ) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise RulesetError(f"threads {threads}: expected 1 to {MAX_THREADS}")
        if not 0 <= cache_entries <= _MAX_CACHE_ENTRIES:
            raise RulesetError(f"cache of {cache_entries} entries: expected 0 to {_MAX_CACHE_ENTRIES}")
        self._arguments = {
            "checkpoint": checkpoint,
            "ruleset": ruleset,
            "match_set": match_set,
            "search": search,
            "shares": shares,
            "tables": tables,
            "threads": threads,
            "cache_entries": cache_entries,
        }
        self.checkpoint = checkpoint
        self.ruleset = ruleset or checkpoint.card.ruleset
        if match_set is not None and self.ruleset.name not in match_set.games:
            raise RulesetError(f"{match_set.name}: does not play {self.ruleset.name}")
        self.match_set = match_set
        self._shares = dict(shares or {})
        if checkpoint.card.score_shares is not None:
            self._shares.setdefault(self.ruleset.name, checkpoint.card.score_shares)
        self._equities: MatchEquity | None = None
        self.search = search
        self.threads = threads
        self.tables = load_tables(self.ruleset) if tables else None
        self._rules = compile_rules(self.ruleset)
        self._network = checkpoint.network_for(self.ruleset)
        self._searcher = engine.Searcher(
            self._rules,
            self._network,
            self.tables,
            cache_entries=cache_entries,
            threads=threads,
            **search.filters(),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Tables and networks are the engine's: a copy makes its own from the same arguments.
        return (_remade, (self._arguments,))

    # Stakes

    def match_equity(self, length: int) -> MatchEquity:
        """Return the match equity table of matches to `length` points or more.

        Raises:
          RulesetError: a length that no table goes to.
        """
        if self._equities is None or self._equities.length < length:
            self._equities = match_equity(self.match_set or self.ruleset, length, self._shares)
        return self._equities

    def utility(self, match: MatchState) -> Utility:
        """Return what each score of the game is worth to the side that sees the match so.

        Raises:
          RulesetError: the state is of another game of the set, or has a cube or a Crawford game in a house
            without; see `MatchEquity`.
        """
        equity = self.match_equity(match.length or 1)
        game = equity.ruleset_of(match)
        if game.name != self.ruleset.name:
            raise RulesetError(f"game {match.game} of the set: {game.name} is played, not {self.ruleset.name}")
        return equity.utility(match)

    # Values

    def evaluate(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side on roll, before the dice.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll.
          ply: look-ahead; with `time_ms` the deepest that is tried.
          time_ms: deepen until so many milliseconds are spent.

        Raises:
          RulesetError: the game is over, a ply out of range, or stakes that cannot be; see `utility`.
        """
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            position.swap().board, *as_utilities([utility.opponent()]), self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes[::-1], utility, reached)

    def evaluate_afterstate(
        self,
        afterstate: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side that has just moved, before the opponent's dice.

        Args:
          afterstate: the side that has just moved first.
          match: the stakes, seen by that side.
          ply: see `evaluate`.
          time_ms: see `evaluate`.

        Raises:
          RulesetError: see `evaluate`.
        """
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            afterstate.board, *as_utilities([utility]), self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes, utility, reached)

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
        """Return every legal play of a roll, the best first.

        Plays that were looked at more deeply come before the others. A play that ends the game is worth its
        score, and a race that the bear-off tables cover what they say.

        Args:
          position: the board before the play, the side on roll first.
          dice: the roll, in either order.
          match: the stakes, seen by the side on roll.
          ply: see `evaluate`.
          time_ms: see `evaluate`.
          explain: whether to count the opponent's hitting rolls after each play.

        Raises:
          RulesetError: a die is not 1 to 6; see `evaluate`.
        """
        utility = self.utility(match)
        plays = legal_plays(self.ruleset, position, dice)
        outcomes, values, plies, order = self._searcher.rank(
            counted_board(self.ruleset, position),
            *dice,
            *as_utilities([utility]),
            self._checked_ply(ply, time_ms),
            time_ms,
        )
        best = float(values[order[0]])
        return tuple(
            RankedPlay(
                **vars(plays[i]),
                evaluation=self._evaluation(outcomes[i], utility, int(plies[i])),
                loss=max(0.0, best - float(values[i])),
                hit_chance=(
                    hit_chance(self.ruleset, plays[i].afterstate) if explain and plays[i].score is None else None
                ),
            )
            for i in order.tolist()
        )

    def roll_values(self, position: Position, match: MatchState = MatchState()) -> dict[tuple[int, int], float]:
        """Return what each roll's best play is worth at 0-ply, by roll, the larger die first.

        Their mean, a double counting once and any other roll twice, is what the position is worth before the dice;
        how far a roll is above it is that roll's luck.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll.

        Returns:
          21 values, in the unit of `Evaluation.value`.

        Raises:
          RulesetError: see `evaluate`.
        """
        utility = self.utility(match)
        board, stakes = counted_board(self.ruleset, position), as_utilities([utility])
        values = {}
        for first, second, _ in ROLLS:
            outcomes, _, _, order = self._searcher.rank(board, first, second, *stakes, 0, None)
            values[first, second] = self._evaluation(outcomes[order[0]], utility, 0).value
        return values

    # Plays

    def choose_play(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> LegalPlay:
        """Return the best play; a forced one, or a pass, without looking at it.

        Raises:
          RulesetError: see `rank_plays`.
        """
        forced = self.forced_play(position, dice)
        return forced or self.rank_plays(position, dice, match, ply=ply, time_ms=time_ms)[0]

    def forced_play(self, position: Position, dice: tuple[int, int]) -> LegalPlay | None:
        """Return the only legal play, which a server makes by itself; None where there is a choice.

        Raises:
          RulesetError: see `legal_plays`.
        """
        plays = legal_plays(self.ruleset, position, dice)
        return plays[0] if len(plays) == 1 else None

    # Concessions

    def should_concede(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        kind: Literal["game", "match"] = "game",
        dice: tuple[int, int] | None = None,
        ply: int | None = None,
        margin: float = 0.0,
    ) -> bool:
        """Return whether the side on roll does as well to concede as to play on.

        Args:
          position: the side on roll, which would concede, first.
          match: the stakes, seen by that side.
          kind: the game, for what the house takes for it, or the whole match.
          dice: its roll, if it has been thrown: a checker that it still bears off may save the mars.
          ply: look-ahead; None looks far enough to see what the next rolls decide.
          margin: how much worse conceding may be, in units of the stakes; at 0 a side concedes only what is lost.

        Raises:
          RulesetError: the house has no concessions, or no match can be conceded in single games; see `evaluate`.
        """
        conceded = -concession_value(self.ruleset, position.board)
        ply = self._concession_ply(ply)
        playing_on = (
            self.evaluate(position, match, ply=ply).value
            if dice is None
            else self.rank_plays(position, dice, match, ply=ply)[0].evaluation.value
        )
        return self._worth(match, conceded if kind == "game" else "match lost") >= playing_on - margin - _TOLERANCE

    def accept_concession(
        self,
        position: Position,
        value: int | Literal["match"],
        match: MatchState = MatchState(),
        *,
        is_on_roll: bool = False,
        ply: int | None = None,
    ) -> bool:
        """Return whether the opponent's concession is worth at least what playing on is.

        Args:
          position: the board, the side that is asked first.
          value: points that the opponent concedes, before a cube multiplies them, or the whole match.
          match: the stakes, seen by the side that is asked.
          is_on_roll: whether the side that is asked is on roll; else the opponent is.
          ply: see `should_concede`.

        Raises:
          RulesetError: points that no win of the game scores, or see `evaluate`.
        """
        if value != "match" and (value <= 0 or value not in self.ruleset.scores):
            wins = ", ".join(str(score) for score in reversed(self.ruleset.scores) if score > 0)
            raise RulesetError(f"concession of {value} points: expected {wins}, or the match")
        evaluate: Callable[..., Evaluation] = self.evaluate if is_on_roll else self.evaluate_afterstate
        playing_on = evaluate(position, match, ply=self._concession_ply(ply)).value
        return self._worth(match, "match won" if value == "match" else value) >= playing_on - _TOLERANCE

    def _concession_ply(self, ply: int | None) -> int:
        if ply is not None:
            return ply
        return 0 if self.ruleset.family == "gul-bara" else _CONCESSION_PLY

    def _worth(self, match: MatchState, end: int | Literal["match won", "match lost"]) -> float:
        """Return what an end of the game, or of the match, is worth."""
        if isinstance(end, int):
            return self.utility(match).values[self.ruleset.scores.index(end)]
        if match.length is None:
            raise RulesetError("conceding the match: expected a match; this is a single game")
        return 1.0 if end == "match won" else 0.0

    # The cube

    def cube_decision(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> CubeDecision:
        """Return what doubling now would be worth to the side on roll, before the dice.

        Each roll is played, and what the cube is then worth to the opponent is Janowski's estimate; with no more
        than a few checkers left in the bear-off, every roll and cube action is looked at instead, which is exact.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll; its cube says who may double.
          ply: look-ahead of the plays, beyond the roll.

        Raises:
          RulesetError: the house has no cube, or see `evaluate`.
        """
        if not self.ruleset.cube:
            raise RulesetError(f"cube: {self.ruleset.name} has none")
        equity = self.match_equity(match.length or 1)
        static = cube_decision(self.evaluate(position, match, ply=ply).outcomes, match, equity)
        taken = turned(match) if static.can_double else match
        if ends_soon(position.board):
            ending = CubeEnding(self._rules, equity)
            no_double, doubled = (ending.rolled(position.board, stakes) for stakes in (match, taken))
        else:
            no_double, doubled = (self._after_rolls(position, stakes, equity, ply) for stakes in (match, taken))
        # Money values are in units of the cube that the doubler had.
        double_take = static.double_take if not static.can_double else doubled * (2 if match.length is None else 1)
        return static.with_values(no_double, double_take, match)

    def _after_rolls(self, position: Position, stakes: MatchState, equity: MatchEquity, ply: int) -> float:
        """Return what rolling is worth to the side on roll, the opponent then being free to use his cube.

        In single games the value is in units of the cube.
        """
        utility = as_utilities([self.utility(stakes)])
        unit = 1 if stakes.length is not None else stakes.cube.value
        theirs = stakes.swap()
        total = 0.0
        for first, second, weight in ROLLS:
            outcomes, _, _, order = self._searcher.rank(
                position.board, first, second, *utility, self._checked_ply(ply, None), None
            )
            best = outcomes[order[0]].astype(np.float64)
            if best.max() == 1.0 and self._ends_game(position, first, second, int(order[0])):
                score = self.ruleset.scores[int(best.argmax())]
                value = equity.value_after(stakes, score * stakes.cube.value) / unit
            else:
                found = cube_decision((best[::-1] / best.sum()).tolist(), theirs, equity).value
                value = 1 - found if stakes.length is not None else -found
            total += weight * value
        return total / 36

    def _ends_game(self, position: Position, first: int, second: int, play: int) -> bool:
        return bool(engine.legal_plays(self._rules, position.board, first, second)[2][play] != engine.NO_SCORE)

    def should_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side on roll should double before it rolls; False where it may not.

        Raises:
          RulesetError: see `cube_decision`.
        """
        return self.cube_decision(position, match, ply=ply).should_double

    def respond_to_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side that has been doubled should take.

        Args:
          position: the side that doubled, which is on roll, first.
          match: the stakes before the double, seen by the side that doubled.
          ply: look-ahead.

        Raises:
          RulesetError: the side on roll may not double, or see `cube_decision`.
        """
        self.check_double(match)
        return self.cube_decision(position, match, ply=ply).should_take

    def check_double(self, match: MatchState) -> None:
        """Raise `RulesetError` unless the rules let the side on roll double; the stakes are seen by that side."""
        if not self.ruleset.cube:
            raise RulesetError(f"cube: {self.ruleset.name} has none")
        if not may_double(match, self.match_equity(match.length or 1)):
            why = "in the Crawford game" if match.is_crawford else f"a cube of {match.cube.value}, {match.cube.owner}"
            raise RulesetError(f"double: the side on roll may not double {why}")

    # Rollouts take the engine's own terms.

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
            afterstate.board, *as_utilities([utility]), ply, truncate, adjusts_luck, seed, first_trial, num_trials
        )
        return found

    def _checked_ply(self, ply: int, time_ms: float | None) -> int:
        if not 0 <= ply <= MAX_PLY:
            raise RulesetError(f"ply {ply}: expected 0 to {MAX_PLY}")
        if time_ms is not None and not time_ms > 0:
            raise RulesetError(f"time {time_ms} ms: expected more than 0")
        if time_ms is not None and ply == 0 and self.ruleset.family != "gul-bara":
            return MAX_PLY
        return ply

    def _evaluation(self, outcomes: npt.NDArray[np.float32], utility: Utility, ply: int) -> Evaluation:
        shares = tuple(outcomes.astype(np.float64).tolist())
        value = sum(worth * share for worth, share in zip(utility.values, shares, strict=True))
        return Evaluation(shares, self.ruleset.scores, value, ply)


def _remade(arguments: dict[str, Any]) -> Evaluator:
    return Evaluator(**arguments)
