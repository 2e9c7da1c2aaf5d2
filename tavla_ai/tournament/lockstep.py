"""Games with players that are not the engine's: many at once, so that the decisions of each player come in batches.

The dice, the seats and the scoring are those of `engine.duel` and `engine.duel_set`: between two of the engine's
players the results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Bot, ChosenPlay, Fault
from tavla_ai.errors import RulesetError
from tavla_ai.match import Utilities
from tavla_ai.rules import Ruleset, compile_rules
from tavla_ai.tournament.contests import Contests

# A game of tavla has some 55 turns; the rolls of a longer one are drawn when it gets there.
_ROLLS_AT_ONCE = 64


@dataclass(frozen=True)
class Leg:
    """The game that some rounds of a contest are, and who plays it for what.

    Attributes:
      ruleset: the game.
      players: A and B.
      utilities: float32 `[1 or length², K]` by (points I need − 1, points he needs − 1), and how networks see them,
        float32 `[same, K − 2]`.
      judge: a network that says how lucky its rolls are; None leaves them out.
    """

    ruleset: Ruleset
    players: tuple[Bot, Bot]
    utilities: Utilities
    judge: engine.Player | None = None


@dataclass(frozen=True)
class WatchedTurn:
    """A turn of a contest that is watched.

    Attributes:
      pair: number of the pair.
      a_seat: A's seat.
      leg: number of the game's kind in a set.
      round: number of the game in a match, void ones counted.
      ply: number of the turn in the game.
      side: 0 where A plays, 1 where B does.
      away: points that A and B still need; 0 in single games.
      board: `[2, places]` before the roll, the player on roll first.
      dice: his roll.
      after: the board after his play, still seen by him; a fault where he made none.
      score: his score, if the play ends the game.
      is_void: whether the game ends here without a score.
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
    """A game, or a match, on its way."""

    pair: int
    a_seat: int
    away: list[int]
    board: npt.NDArray[np.int8]
    leg: int = 0
    round: int = 0
    first_seat: int | None = None
    seat: int = 0
    ply: int = 0
    stuck: int = 0
    rolls: npt.NDArray[np.int8] | None = None
    opening: tuple[int, int] = (0, 0)
    dice: tuple[int, int] = (0, 0)

    @property
    def side(self) -> int:
        """0 where A is to play, 1 where B is."""
        return self.seat ^ self.a_seat


def check_turns_are_plays(ruleset: Ruleset) -> None:
    """Check that a game can be played, or played again, turn by turn.

    Raises:
      RulesetError: it is Gul Bara.
    """
    if ruleset.family == "gul-bara":
        raise RulesetError(
            f"{ruleset.name}: a turn is more than one play; no outside engine plays it, and no game is played again"
        )


def play_pairs(
    legs: Sequence[Leg],
    *,
    seed: int,
    first_pair: int,
    num_pairs: int,
    length: int,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    watch: Callable[[WatchedTurn], None] | None = None,
) -> Contests:
    """Play pairs of games, or of matches to `length` points (0: single games), as `engine.duel` does.

    A player that fails, or that answers what is no legal play, ends the game: it is void, and a match is left
    undecided.

    Args:
      legs: the game, or the games of a set, which a match takes in turn.
      threads: of the engine's players.
      progress: called with the number of contests finished since its last call.
      watch: called with every turn; those of one contest come in order, contests go on side by side.

    Raises:
      RulesetError: Gul Bara is among the games.
    """
    for one in legs:
        check_turns_are_plays(one.ruleset)
    scores = sorted({score for one in legs for score in one.ruleset.scores}, reverse=True)
    result = Contests.empty(num_pairs, len(scores), any(one.judge for one in legs))
    table = _Table(legs, scores, seed, length, threads, watch, result, first_pair)
    contests = [table.contest(first_pair + pair, a_seat) for pair in range(num_pairs) for a_seat in (0, 1)]
    while contests:
        going = []
        by_side = [
            (leg, side, [contest for contest in contests if contest.leg == leg and contest.side == side])
            for leg in range(len(legs))
            for side in (0, 1)
        ]
        for leg, side, turns in by_side:
            for contest, chosen in zip(turns, table.choose(leg, side, turns), strict=True):
                points = table.move(contest, chosen)
                if points is None:
                    going.append(contest)
                else:
                    result.points[table.index(contest)] = points
        if progress is not None and len(going) < len(contests):
            progress(len(contests) - len(going))
        contests = going
    return result


class _Table:
    def __init__(
        self,
        legs: Sequence[Leg],
        scores: list[int],
        seed: int,
        length: int,
        threads: int,
        watch: Callable[[WatchedTurn], None] | None,
        result: Contests,
        first_pair: int,
    ) -> None:
        self.legs, self.scores = legs, scores
        self.rules = [compile_rules(leg.ruleset) for leg in legs]
        self.seed, self.length, self.threads = seed, length, threads
        self.watch, self.result, self.first_pair = watch, result, first_pair

    def index(self, contest: _Contest) -> tuple[int, int]:
        """Return where a contest stands in the result."""
        return contest.pair - self.first_pair, contest.a_seat

    def contest(self, pair: int, a_seat: int) -> _Contest:
        contest = _Contest(pair, a_seat, [self.length, self.length], self.rules[0].start())
        self._open(contest)
        return contest

    def _open(self, contest: _Contest) -> None:
        """Set up the game of the contest's round."""
        rules = self.rules[contest.leg]
        contest.board, contest.ply, contest.stuck, contest.rolls = rules.start(), 0, 0, None
        if contest.first_seat is None:
            contest.seat, contest.opening = engine.opening(rules, self.seed, contest.pair, contest.round)
        else:
            contest.seat, contest.opening = contest.first_seat, self._roll(contest)

    def _roll(self, contest: _Contest) -> tuple[int, int]:
        if contest.rolls is None or contest.ply >= len(contest.rolls):
            number = contest.ply + _ROLLS_AT_ONCE
            contest.rolls = engine.rolls(self.seed, contest.pair, number, contest.round)
        first, second = contest.rolls[contest.ply].tolist()
        return first, second

    def choose(self, leg: int, side: int, turns: list[_Contest]) -> list[ChosenPlay | Fault]:
        """Return what a side makes of its turns."""
        if not turns:
            return []
        values, inputs = self.legs[leg].utilities
        boards = np.stack([contest.board for contest in turns])
        for contest in turns:
            contest.dice = contest.opening if contest.ply == 0 else self._roll(contest)
        dice = np.array([contest.dice for contest in turns], np.int8)
        rows = [0] * len(turns)
        if self.length:
            rows = [(c.away[c.seat] - 1) * self.length + c.away[c.seat ^ 1] - 1 for c in turns]
        self._judge_luck(leg, side, turns, boards, dice, rows)
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
                plies=np.array([contest.ply for contest in turns], np.uint32),
                threads=self.threads,
            )
        )

    def _judge_luck(
        self,
        leg: int,
        side: int,
        turns: list[_Contest],
        boards: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        rows: list[int],
    ) -> None:
        judge, ruleset, (values, inputs) = self.legs[leg].judge, self.legs[leg].ruleset, self.legs[leg].utilities
        if judge is None or self.result.luck is None:
            return
        can_double = [c.ply > 0 or ruleset.opening == "reroll" or c.first_seat is not None for c in turns]
        lucks = engine.roll_luck(
            self.rules[leg],
            judge,
            boards,
            dice,
            values[rows],
            inputs[rows],
            np.array(can_double, np.uint8),
            threads=min(self.threads, len(turns)),
        )
        for contest, luck in zip(turns, lucks.tolist(), strict=True):
            self.result.luck[self.index(contest)] += luck if side == 0 else -luck

    def move(self, contest: _Contest, chosen: ChosenPlay | Fault) -> int | None:
        """Make a play, and return A's points once the contest is over."""
        at = self.index(contest)
        self.result.plies[at] += 1
        score = None if isinstance(chosen, Fault) else chosen.score
        has_moved = isinstance(chosen, Fault) or not np.array_equal(chosen.afterstate, contest.board)
        contest.stuck = 0 if has_moved else contest.stuck + 1
        is_void = isinstance(chosen, Fault) or (
            score is None and contest.stuck >= self.legs[contest.leg].ruleset.stuck_limit
        )
        if self.watch is not None:
            a_away, b_away = contest.away[contest.a_seat], contest.away[contest.a_seat ^ 1]
            self.watch(
                WatchedTurn(
                    contest.pair,
                    contest.a_seat,
                    contest.leg,
                    contest.round,
                    contest.ply,
                    contest.side,
                    (a_away, b_away),
                    contest.board,
                    contest.dice,
                    chosen if isinstance(chosen, Fault) else chosen.afterstate,
                    score,
                    is_void,
                )
            )
        contest.ply += 1
        if is_void:
            self.result.void_games[at] += 1
        if isinstance(chosen, Fault):
            self.result.faults[2 * at[0] + at[1]] = chosen.reason
            return 0
        if score is not None:
            return self._score(contest, score)
        if is_void:
            if self.length == 0:
                return 0
            contest.first_seat = None
            contest.round += 1
            self._open(contest)
            return None
        contest.board = np.ascontiguousarray(chosen.afterstate[::-1])
        contest.seat ^= 1
        return None

    def _score(self, contest: _Contest, score: int) -> int | None:
        winner = contest.seat
        points = score if contest.side == 0 else -score
        self.result.scores[(*self.index(contest), self.scores.index(points))] += 1
        if self.length == 0:
            return points
        contest.away[winner] -= score
        if contest.away[winner] <= 0:
            return 1 if contest.side == 0 else -1
        contest.round += 1
        contest.leg = (contest.leg + 1) % len(self.legs)
        # After a drawn game the next one starts with a fresh opening roll.
        winner_rolls = self.legs[contest.leg].ruleset.next_game == "winner_rolls"
        contest.first_seat = winner if winner_rolls and score > 0 else None
        self._open(contest)
        return None
