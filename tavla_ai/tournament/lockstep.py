"""Games with players outside the engine, the mirror of `engine.duel`: many games run side by side, so that each player
gets its decisions in batches.

Dice, seats and scoring are the same as in `engine.duel` and `engine.duel_set`; between two of the engine's players the
results are the same too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Bot, ChosenPlay, Fault
from tavla_ai.match import Utilities
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset, compile_rules
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.open_game import OpenGame


@dataclass(frozen=True)
class Leg:
    """A game of a contest, its players and its stakes.

    Attributes:
      ruleset: the game.
      players: A and B.
      utilities: float32 `[1 or length², K]` by (points the player needs − 1, points the opponent needs − 1), and the
        network inputs for them, float32 `[same, K − 2]`.
      luck_player: network that measures the luck of the rolls; None leaves out luck.
    """

    ruleset: Ruleset
    players: tuple[Bot, Bot]
    utilities: Utilities
    luck_player: engine.Player | None = None


@dataclass(frozen=True, kw_only=True)
class WatchedTurn:
    """A turn of a watched contest.

    Attributes:
      pair: number of the pair.
      a_seat: A's seat.
      leg: number of the game in the set.
      round: number of the game in a match, including void games.
      ply: number of the turn in the game.
      side: 0 if A plays, 1 if B plays.
      away: points that A and B still need; 0 in single games.
      board: `[2, places]` before the roll, the player on roll first.
      dice: the player's roll.
      after: the board after the play, the player first; a fault if the player made no play.
      score: the player's score, if the play ends the game.
      is_void: whether the game ends with this turn without a score.
    """

    pair: int
    a_seat: int
    leg: int
    round: int
    ply: int
    side: int
    away: tuple[int, int]
    board: npt.NDArray[np.int8]
    dice: tuple[int, int]
    after: npt.NDArray[np.int8] | Fault
    score: int | None
    is_void: bool


@dataclass
class _Contest:
    """A contest in play.

    Attributes:
      pair: number of the pair.
      a_seat: A's seat.
      away: points that each seat still needs.
      game: the game in play.
      leg: number of the game in the set.
      round: number of the game in the match, including void games.
      first_seat: the seat that started the game; None if the opening roll decided.
    """

    pair: int
    a_seat: int
    away: list[int]
    game: OpenGame
    leg: int = 0
    round: int = 0
    first_seat: int | None = None

    @property
    def side(self) -> int:
        """0 if A is on roll, 1 if B is."""
        return self.game.seat ^ self.a_seat


def play_pairs(
    legs: Sequence[Leg],
    *,
    seed: int,
    first_pair: int,
    num_pairs: int,
    length: int,
    threads: int = 1,
    progress: ProgressCallback | None = None,
    watch: Callable[[WatchedTurn], None] | None = None,
) -> Contests:
    """Play pairs of games, or of matches to `length` points (0: single games), as `engine.duel` does.

    If a player fails or answers with an illegal play, the game ends as void, and a match stays undecided.

    Args:
      legs: the game, or the games of a set, which a match plays in turn.
      threads: engine threads.
      progress: called with the number of contests finished since its last call.
      watch: called with every turn. The turns of a contest come in order; turns of several contests are mixed.

    Raises:
      RulesetError: a turn of one of the games is more than one roll (Gul Bara).
    """
    for one in legs:
        one.ruleset.check_has_no_stages("games turn by turn")
    scores = sorted({score for one in legs for score in one.ruleset.scores}, reverse=True)
    has_luck = any(one.luck_player for one in legs)
    referee = _Referee(
        legs=legs,
        scores=scores,
        seed=seed,
        length=length,
        first_pair=first_pair,
        threads=threads,
        watch=watch,
        result=Contests.empty(num_pairs, len(scores), has_luck=has_luck),
    )
    contests = [referee.contest(first_pair + pair, a_seat) for pair in range(num_pairs) for a_seat in (0, 1)]
    while contests:
        going = []
        by_side = [
            (leg, side, [contest for contest in contests if contest.leg == leg and contest.side == side])
            for leg in range(len(legs))
            for side in (0, 1)
        ]
        for leg, side, turns in by_side:
            for contest, chosen in zip(turns, referee.choose(leg, side, turns), strict=True):
                if not referee.move(contest, chosen):
                    going.append(contest)
        if progress is not None and len(going) < len(contests):
            progress(len(contests) - len(going))
        contests = going
    return referee.result


@dataclass(frozen=True, kw_only=True)
class _Referee:
    """Plays contests by the rules of their games and records their results.

    Attributes:
      legs: the game, or the games of a set.
      scores: every score of these games, best first.
      seed: seed of the dice.
      length: points that win a match; 0 for single games.
      first_pair: number of the result's first pair.
      threads: engine threads.
      watch: called with every turn.
      result: the results so far.
    """

    legs: Sequence[Leg]
    scores: list[int]
    seed: int
    length: int
    first_pair: int
    threads: int
    watch: Callable[[WatchedTurn], None] | None
    result: Contests

    @cached_property
    def rules(self) -> list[engine.Rules]:
        return [compile_rules(leg.ruleset) for leg in self.legs]

    def index(self, contest: _Contest) -> tuple[int, int]:
        """Return the index of a contest in the result."""
        return contest.pair - self.first_pair, contest.a_seat

    def contest(self, pair: int, a_seat: int) -> _Contest:
        """Return a contest at the start of its first game."""
        game = OpenGame(self.legs[0].ruleset, self.rules[0], self.seed, pair)
        return _Contest(pair, a_seat, [self.length, self.length], game)

    def _next_game(self, contest: _Contest) -> None:
        """Begin the game of the contest's round and leg."""
        ruleset, rules = self.legs[contest.leg].ruleset, self.rules[contest.leg]
        contest.game = OpenGame(ruleset, rules, self.seed, contest.pair, contest.round, contest.first_seat)

    def choose(self, leg: int, side: int, turns: list[_Contest]) -> list[ChosenPlay | Fault]:
        """Return the plays of a side in its turns."""
        if not turns:
            return []
        values, inputs = self.legs[leg].utilities
        boards = np.stack([contest.game.board for contest in turns])
        dice = np.array([contest.game.dice for contest in turns], np.int8)
        rows = [0] * len(turns)
        if self.length:
            rows = [_row(contest, self.length) for contest in turns]
        self._add_luck(leg, side, turns, boards, dice, rows)
        return (
            self.legs[leg]
            .players[side]
            .choose_plays(
                boards,
                dice,
                (values[rows], inputs[rows]),
                seed=self.seed,
                games=np.array([contest.pair for contest in turns], np.uint64),
                rounds=np.array([contest.round for contest in turns], np.uint32),
                plies=np.array([contest.game.ply for contest in turns], np.uint32),
                threads=self.threads,
            )
        )

    def _add_luck(
        self,
        leg: int,
        side: int,
        turns: list[_Contest],
        boards: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        rows: list[int],
    ) -> None:
        ruleset, luck_player, (values, inputs) = (
            self.legs[leg].ruleset,
            self.legs[leg].luck_player,
            self.legs[leg].utilities,
        )
        if luck_player is None or self.result.luck is None:
            return
        can_double = [
            contest.game.ply > 0 or ruleset.opening == "reroll" or contest.first_seat is not None for contest in turns
        ]
        lucks = engine.roll_luck(
            self.rules[leg],
            luck_player,
            boards,
            dice,
            values[rows],
            inputs[rows],
            can_double=np.array(can_double, np.uint8),
            threads=min(self.threads, len(turns)),
        )
        for contest, luck in zip(turns, lucks.tolist(), strict=True):
            self.result.luck[self.index(contest)] += luck if side == 0 else -luck

    def move(self, contest: _Contest, chosen: ChosenPlay | Fault) -> bool:
        """Make a play, and return whether the contest is over."""
        at = self.index(contest)
        self.result.plies[at] += 1
        if isinstance(chosen, Fault):
            self._show(contest, chosen, is_void=True)
            self.result.void_games[at] += 1
            self.result.faults[2 * at[0] + at[1]] = chosen.reason
            return True
        is_void = contest.game.is_void_after(chosen)
        self._show(contest, chosen, is_void=is_void)
        if chosen.score is not None:
            return self._score(contest, chosen.score)
        if is_void:
            return self._void(contest)
        contest.game.move(chosen)
        return False

    def _show(self, contest: _Contest, chosen: ChosenPlay | Fault, *, is_void: bool) -> None:
        """Report a turn to `watch`."""
        if self.watch is None:
            return
        self.watch(
            WatchedTurn(
                pair=contest.pair,
                a_seat=contest.a_seat,
                leg=contest.leg,
                round=contest.round,
                ply=contest.game.ply,
                side=contest.side,
                away=(contest.away[contest.a_seat], contest.away[contest.a_seat ^ 1]),
                board=contest.game.board,
                dice=contest.game.dice,
                after=chosen if isinstance(chosen, Fault) else chosen.afterstate,
                score=None if isinstance(chosen, Fault) else chosen.score,
                is_void=is_void,
            )
        )

    def _void(self, contest: _Contest) -> bool:
        """End a game without a score; in a match it is played again. Return whether the contest is over."""
        self.result.void_games[self.index(contest)] += 1
        if self.length == 0:
            return True
        contest.first_seat = None
        contest.round += 1
        self._next_game(contest)
        return False

    def _score(self, contest: _Contest, score: int) -> bool:
        """Score a game for the player on roll, and return whether the contest is over."""
        at, winner, sign = self.index(contest), contest.game.seat, 1 if contest.side == 0 else -1
        self.result.scores[(*at, self.scores.index(sign * score))] += 1
        if self.length == 0:
            self.result.points[at] = sign * score
            return True
        contest.away[winner] -= score
        if contest.away[winner] <= 0:
            self.result.points[at] = sign
            return True
        contest.round += 1
        contest.leg = (contest.leg + 1) % len(self.legs)
        # After a drawn game the next one starts with a fresh opening roll.
        winner_rolls = self.legs[contest.leg].ruleset.next_game == "winner_rolls"
        contest.first_seat = winner if winner_rolls and score > 0 else None
        self._next_game(contest)
        return False


def _row(contest: _Contest, length: int) -> int:
    """Return the row of the utilities of the player on roll."""
    seat = contest.game.seat
    return (contest.away[seat] - 1) * length + contest.away[seat ^ 1] - 1
