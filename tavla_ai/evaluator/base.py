"""The decisions that a game server asks for, from any evaluator's values.

Every decision takes the stakes as a `MatchState`, seen by the side that decides. A single game is worth its points; a
game of a match is worth the chance of winning the match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Literal, Self

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator.evaluation import BestPlay, Evaluation, RankedPlay
from tavla_ai.match import CubeDecision, MatchEquity, MatchState, Utility, check_double, match_equity
from tavla_ai.rules import (
    ROLLS,
    LegalPlay,
    MatchSet,
    Position,
    Ruleset,
    check_concession,
    check_match_length,
    concession_value,
    forced_play,
)

# Look-ahead of concession decisions: the next two rolls can decide them.
_CONCESSION_PLY = 2

# Values that differ by less are the same: a network's arithmetic is no finer.
_TOLERANCE = 1e-6


class BaseEvaluator(ABC):
    """Decisions from values: a subclass values positions and plays, and the decisions follow.

    Attributes:
      ruleset: the game.
      match_set: the set whose games are played in turn, of which `ruleset` is one; None plays the game alone.

    Raises:
      RulesetError: the set does not play the game.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        match_set: MatchSet | None = None,
        shares: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        """Make an evaluator of a game.

        Args:
          ruleset: the game.
          match_set: set of games that are played in turn.
          shares: for match equity, ruleset name → probabilities of the scores to the side that starts a game.
        """
        if match_set is not None and ruleset.name not in match_set.games:
            raise RulesetError(f"{match_set.name}: does not play {ruleset.name}")
        self.ruleset = ruleset
        self.match_set = match_set
        self._shares = dict(shares or {})
        self._equity: MatchEquity | None = None

    @property
    @abstractmethod
    def version(self) -> str:
        """A name for the values; evaluators of the same name find the same values."""

    @property
    @abstractmethod
    def threads(self) -> int:
        """Number of threads of a search; values do not depend on it."""

    @abstractmethod
    def with_threads(self, threads: int) -> Self:
        """Return the same evaluator with another number of threads.

        Raises:
          RulesetError: the number is out of range.
        """

    @abstractmethod
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
          ply: look-ahead; with `time_ms`, the deepest look-ahead that is tried.
          time_ms: time limit in milliseconds, until which the search looks deeper and deeper.

        Raises:
          RulesetError: the game is over, the ply is out of range, or the stakes are impossible; see `utility`.
        """

    @abstractmethod
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
          ply: as in `evaluate`.
          time_ms: as in `evaluate`.

        Raises:
          RulesetError: see `evaluate`.
        """

    @abstractmethod
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

        Plays that were looked at more deeply come before the others. A play that ends the game is worth its score.

        Args:
          position: the board before the play, the side on roll first.
          dice: the roll, in either order.
          match: the stakes, seen by the side on roll.
          ply: as in `evaluate`.
          time_ms: as in `evaluate`.
          explain: whether to count the opponent's hitting rolls after each play.

        Raises:
          RulesetError: a die is not 1 to 6; see `evaluate`.
        """

    @abstractmethod
    def best_play(
        self,
        position: Position,
        dice: tuple[int, int],
        utility: Utility,
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> BestPlay:
        """Return the first play of `rank_plays`, faster.

        Args:
          position: as in `rank_plays`.
          dice: as in `rank_plays`.
          utility: what the scores are worth to the side on roll.
          ply: as in `evaluate`.
          time_ms: as in `evaluate`.

        Raises:
          RulesetError: the game is over, or the ply is out of range.
        """

    def match_equity(self, length: int) -> MatchEquity:
        """Return the match equity table of matches to `length` points or more.

        It is `match.match_equity` for the evaluator's own game or set, made once.

        Raises:
          RulesetError: the length is greater than that of the longest table.
        """
        if self._equity is None or self._equity.length < length:
            self._equity = match_equity(self.match_set or self.ruleset, length, self._shares)
        return self._equity

    def for_any_length(self) -> Self:
        """Return the same evaluator, which also values matches of lengths that the house does not offer."""
        other = copy(self)
        other.ruleset = self.ruleset.for_any_length()
        return other

    def _equity_of(self, match: MatchState) -> MatchEquity:
        """Return the match equity table of a match that the house offers."""
        if match.length is not None:
            check_match_length(self.match_set or self.ruleset, match.length)
        return self.match_equity(match.length or 1)

    def utility(self, match: MatchState) -> Utility:
        """Return what each score of the game is worth to the side that sees the match in this state.

        Raises:
          RulesetError: the house does not offer matches of this length, the state is of another game of the set, or has
            a cube or a Crawford game in a house without; see `MatchEquity`.
        """
        equity = self._equity_of(match)
        game = equity.ruleset_of(match)
        if game.name != self.ruleset.name:
            raise RulesetError(f"game {match.game} of the set: {game.name} is played, not {self.ruleset.name}")
        return equity.utility(match)

    def roll_values(self, position: Position, match: MatchState = MatchState()) -> dict[tuple[int, int], float]:
        """Return what each roll's best play is worth at 0-ply, by roll, the larger die first.

        Their mean, in which a double counts once and any other roll twice, is what the position is worth before the
        dice. The luck of a roll is the difference between its value and this mean.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll.

        Returns:
          21 values, in the unit of `Evaluation.value`.

        Raises:
          RulesetError: see `evaluate`.
        """
        utility = self.utility(match)
        return {
            (first, second): utility.mean(self.best_play(position, (first, second), utility).outcomes)
            for first, second, _ in ROLLS
        }

    def choose_play(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> LegalPlay:
        """Return the best play; a play without an alternative, or a pass, is returned without valuing it.

        Raises:
          RulesetError: see `rank_plays`.
        """
        utility = self.utility(match)
        forced = self.forced_play(position, dice)
        if forced is not None:
            return forced
        return self.best_play(position, dice, utility, ply=ply, time_ms=time_ms).play

    def forced_play(self, position: Position, dice: tuple[int, int]) -> LegalPlay | None:
        """Return the only legal play, which a server can make by itself; None where there is a choice.

        Raises:
          RulesetError: see `legal_plays`.
        """
        return forced_play(self.ruleset, position, dice)

    def should_concede(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        kind: Literal["game", "match"] = "game",
        dice: tuple[int, int] | None = None,
        is_on_roll: bool = True,
        ply: int | None = None,
        margin: float = 0.0,
    ) -> bool:
        """Return whether conceding is worth at least as much as playing on.

        Args:
          position: the board, the side that would concede first.
          match: the stakes, seen by that side.
          kind: what is conceded: the game, for the points that the house sets, or the whole match.
          dice: its roll, if it has already rolled: a checker that it still bears off may save the mars.
          is_on_roll: whether the side that would concede is on roll; otherwise the opponent is.
          ply: look-ahead; None takes 2-ply, which sees what the next two rolls decide, and 0-ply in Gul Bara.
          margin: how much less than playing on conceding may be worth, in units of `Evaluation.value`; at 0 a side
            concedes only what it has lost in any case.

        Raises:
          RulesetError: the house has no concessions, the match is conceded in a single game, or there are dice of a
            side that is not on roll; see `evaluate`.
        """
        if dice is not None and not is_on_roll:
            raise RulesetError(f"dice {dice}: expected none, because the side that would concede is not on roll")
        conceded = -concession_value(self.ruleset, position.board)
        ply = self._concession_ply(ply)
        value = self._worth(match, conceded if kind == "game" else "match lost") + margin + _TOLERANCE
        if dice is not None:
            return not self._is_roll_worth_more(position, dice, match, value, ply)
        is_worth_more = self._is_worth_more if is_on_roll else self._is_afterstate_worth_more
        return not is_worth_more(position, match, value, ply)

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
          position: the board, the side that answers first.
          value: points that the opponent concedes, before a cube multiplies them, or the whole match.
          match: the stakes, seen by the side that answers.
          is_on_roll: whether the side that answers is on roll; otherwise the opponent is.
          ply: as in `should_concede`.

        Raises:
          RulesetError: the house has no concessions, no win of the game scores these points, or the match is conceded
            in a single game; see also `evaluate`.
        """
        check_concession(self.ruleset)
        return self.prefers_end(position, value, match, is_on_roll=is_on_roll, ply=ply)

    def prefers_end(
        self,
        position: Position,
        value: int | Literal["match"],
        match: MatchState = MatchState(),
        *,
        is_on_roll: bool = False,
        ply: int | None = None,
    ) -> bool:
        """Return whether winning `value` points now is worth at least what playing on is, in any house.

        Arguments and errors are those of `accept_concession`, which follows the house's rules.
        """
        if value != "match" and (value <= 0 or value not in self.ruleset.scores):
            wins = ", ".join(str(score) for score in reversed(self.ruleset.scores) if score > 0)
            raise RulesetError(f"concession of {value} points: expected {wins}, or the match")
        ply = self._concession_ply(ply)
        conceded = self._worth(match, "match won" if value == "match" else value) + _TOLERANCE
        is_worth_more = self._is_worth_more if is_on_roll else self._is_afterstate_worth_more
        return not is_worth_more(position, match, conceded, ply)

    # Comparisons with a threshold, which a subclass may decide before the whole value is known.

    def _is_worth_more(self, position: Position, match: MatchState, value: float, ply: int) -> bool:
        """Return whether a position is worth more than `value` to the side on roll; see `evaluate`."""
        return self.evaluate(position, match, ply=ply).value > value

    def _is_afterstate_worth_more(self, afterstate: Position, match: MatchState, value: float, ply: int) -> bool:
        """Return whether an afterstate is worth more than `value` to its mover; see `evaluate_afterstate`."""
        return self.evaluate_afterstate(afterstate, match, ply=ply).value > value

    def _is_roll_worth_more(
        self, position: Position, dice: tuple[int, int], match: MatchState, value: float, ply: int
    ) -> bool:
        """Return whether the best play of a roll is worth more than `value`; see `rank_plays`."""
        return self.rank_plays(position, dice, match, ply=ply)[0].evaluation.value > value

    def _concession_ply(self, ply: int | None) -> int:
        if ply is not None:
            return ply
        return 0 if self.ruleset.has_stages else _CONCESSION_PLY

    def _worth(self, match: MatchState, end: int | Literal["match won", "match lost"]) -> float:
        """Return what an end of the game, or of the match, is worth."""
        if isinstance(end, int):
            return self.utility(match).values[self.ruleset.scores.index(end)]
        if match.length is None:
            raise RulesetError("conceding the match: expected a match; this is a single game")
        return 1.0 if end == "match won" else 0.0

    def cube_decision(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> CubeDecision:
        """Return what doubling now would be worth to the side on roll, before the dice.

        `match.cube_decision` decides from outcomes alone. This decision also plays the 21 rolls; with at most
        four checkers left in the bear-off it is exact.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll; their cube says which side may double.
          ply: look-ahead of the plays of each roll.

        Raises:
          RulesetError: the house has no cube; see also `evaluate`.
        """
        if not self.ruleset.cube:
            raise RulesetError(f"cube: {self.ruleset.name} has none")
        return self._cube_by_rolls(position, match, self._equity_of(match), ply)

    @abstractmethod
    def _cube_by_rolls(self, position: Position, match: MatchState, equity: MatchEquity, ply: int) -> CubeDecision:
        """Return `cube_decision` in a house with a cube; `equity` is the table of the match."""

    def should_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side on roll should double before it rolls; False where it may not double.

        Raises:
          RulesetError: see `cube_decision`.
        """
        return self.cube_decision(position, match, ply=ply).should_double

    def respond_to_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side that has been doubled should take; otherwise it should pass.

        Args:
          position: the side that doubled, which is on roll, first.
          match: the stakes before the double, seen by the side that doubled.
          ply: look-ahead.

        Raises:
          RulesetError: the side on roll may not double; see also `cube_decision`.
        """
        self.check_double(match)
        return self.cube_decision(position, match, ply=ply).should_take

    def check_double(self, match: MatchState) -> None:
        """Raise `RulesetError` unless the side on roll may double; it sees the stakes."""
        check_double(match, self._equity_of(match))
