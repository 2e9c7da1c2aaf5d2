"""Games with players outside the engine, the mirror of `engine.duel`: many games run side by side, so that each player
gets its decisions in batches.

Dice, seats and scoring are the same as in `engine.duel` and `engine.duel_set`; between two of the engine's players the
results are the same too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Bot, ChosenPlay, CubeAnswer, Fault
from tavla_ai.match import MatchEquity, MatchState, Utilities, as_utilities
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset, compile_rules
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.doubling import ContestCube
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
      equity: match equity table of contests with a cube; None plays without one.
    """

    ruleset: Ruleset
    players: tuple[Bot, Bot]
    utilities: Utilities
    luck_player: engine.Player | None = None
    equity: MatchEquity | None = None


@dataclass(frozen=True, kw_only=True)
class WatchedAction:
    """An action of a side in a watched contest.

    Attributes:
      pair: number of the pair.
      a_seat: A's seat.
      leg: number of the game in the set.
      round: number of the game in a match, including void games.
      ply: number of the turn in the game.
      side: 0 if A acts, 1 if B does.
      away: points that A and B still need; 0 in single games.
      is_crawford: whether this is the Crawford game.
    """

    pair: int
    a_seat: int
    leg: int
    round: int
    ply: int
    side: int
    away: tuple[int, int]
    is_crawford: bool


@dataclass(frozen=True, kw_only=True)
class WatchedDouble(WatchedAction):
    """A double, or the answer to it.

    Attributes:
      action: the kind of action.
      cube: value of the cube after the double.
    """

    action: Literal["double", "take", "drop"]
    cube: int


@dataclass(frozen=True, kw_only=True)
class WatchedTurn(WatchedAction):
    """A roll and its play.

    Attributes:
      board: `[2, places]` before the roll, the player on roll first.
      dice: the player's roll.
      after: the board after the play, the player first; a fault if the player made no play.
      score: the player's score, if the play ends the game; the cube is not counted.
      cube: value of the cube.
      is_void: whether the game ends with this turn without a score.
    """

    board: npt.NDArray[np.int8]
    dice: tuple[int, int]
    after: npt.NDArray[np.int8] | Fault
    score: int | None
    cube: int
    is_void: bool


Watch = Callable[[WatchedTurn | WatchedDouble], None]


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
      cube: the doubling cube; None plays without one.
    """

    pair: int
    a_seat: int
    away: list[int]
    game: OpenGame
    leg: int = 0
    round: int = 0
    first_seat: int | None = None
    cube: ContestCube | None = None

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
    watch: Watch | None = None,
) -> Contests:
    """Play pairs of games, or of matches to `length` points (0: single games), as `engine.duel` does.

    If a player fails or answers with an illegal play, the game ends as void, and a match stays undecided. With a cube,
    the side on roll may double before any turn but the first of a game.

    Args:
      legs: the game, or the games of a set, which a match plays in turn.
      threads: engine threads.
      progress: called with the number of contests finished since its last call.
      watch: called with every action. Those of a contest come in order; those of several contests are mixed.

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
        result=Contests.empty(
            num_pairs, len(scores), has_luck=has_luck, has_cube=any(one.equity is not None for one in legs)
        ),
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
            rolling, passed = referee.double(leg, side, turns)
            going += passed
            for contest, chosen in zip(rolling, referee.choose(leg, side, rolling), strict=True):
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
    watch: Watch | None
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
        contest = _Contest(pair, a_seat, [self.length, self.length], game)
        if (equity := self.legs[0].equity) is not None:
            contest.cube = ContestCube(equity, self.length)
            contest.cube.begin_game(contest.away)
        return contest

    def _next_game(self, contest: _Contest) -> None:
        """Begin the game of the contest's round and leg."""
        ruleset, rules = self.legs[contest.leg].ruleset, self.rules[contest.leg]
        contest.game = OpenGame(ruleset, rules, self.seed, contest.pair, contest.round, contest.first_seat)
        if contest.cube is not None:
            contest.cube.begin_game(contest.away)

    def double(self, leg: int, side: int, turns: list[_Contest]) -> tuple[list[_Contest], list[_Contest]]:
        """Let a side double before its rolls and the other side answer.

        Returns:
          The contests in which the side now rolls, and those that go on with another game after a pass.
        """
        cubes = {
            id(contest): contest.cube
            for contest in turns
            if contest.cube is not None
            and contest.game.ply > 0
            and contest.cube.may_double(contest.game.seat, contest.away, contest.leg)
        }
        asked = [contest for contest in turns if id(contest) in cubes]
        wanted = self._cube_answers(leg, side, asked)
        doubled = [contest for contest, answer in zip(asked, wanted, strict=True) if _is_yes(answer, "should_double")]
        replies = self._cube_answers(leg, side ^ 1, doubled)
        faults = {id(contest): answer for contest, answer in zip(asked, wanted, strict=True)}
        faults |= {id(contest): answer for contest, answer in zip(doubled, replies, strict=True)}
        passed: list[_Contest] = []
        over: set[int] = set()
        for contest in asked:
            if isinstance(fault := faults[id(contest)], Fault):
                self._fault(contest, fault)
                over.add(id(contest))
        for contest, reply in zip(doubled, replies, strict=True):
            if id(contest) in over:
                continue
            cube = cubes[id(contest)]
            self._show_double(contest, side, "double", 2 * cube.value)
            self._count(contest, doubles=1)
            if _is_yes(reply, "should_take"):
                cube.turn(contest.game.seat)
                self._show_double(contest, side ^ 1, "take", cube.value)
                continue
            self._show_double(contest, side ^ 1, "drop", 2 * cube.value)
            self._count(contest, passes=1)
            over.add(id(contest))
            if not self._score(contest, 1):
                passed.append(contest)
        return [contest for contest in turns if id(contest) not in over], passed

    def _cube_answers(self, leg: int, side: int, turns: list[_Contest]) -> list[CubeAnswer | Fault]:
        """Return what a side thinks of doubling in these contests, seen by the side on roll."""
        equity = self.legs[leg].equity
        if not turns or equity is None:
            return []
        return (
            self.legs[leg]
            .players[side]
            .cube_answers(
                np.stack([contest.game.board for contest in turns]),
                [self._state(contest) for contest in turns],
                equity,
                threads=self.threads,
            )
        )

    @staticmethod
    def _state(contest: _Contest) -> MatchState:
        assert contest.cube is not None
        return contest.cube.state(contest.game.seat, contest.away, contest.leg)

    def _count(self, contest: _Contest, *, points: int = 0, doubles: int = 0, passes: int = 0) -> None:
        """Add to the contest's counts of a game with a cube; `points` are A's."""
        if self.result.cube is not None:
            self.result.cube[self.index(contest)] += points, doubles, passes

    def _stakes(self, leg: int, turns: list[_Contest]) -> Utilities:
        """Return what the side on roll plays for in each contest; in single games in units of the cube."""
        values, inputs = self.legs[leg].utilities
        equity = self.legs[leg].equity
        if equity is not None:
            return as_utilities([equity.utility(self._state(contest)) for contest in turns])
        rows = [_row(contest, self.length) if self.length else 0 for contest in turns]
        return values[rows], inputs[rows]

    def choose(self, leg: int, side: int, turns: list[_Contest]) -> list[ChosenPlay | Fault]:
        """Return the plays of a side in its turns."""
        if not turns:
            return []
        stakes = self._stakes(leg, turns)
        boards = np.stack([contest.game.board for contest in turns])
        dice = np.array([contest.game.dice for contest in turns], np.int8)
        self._add_luck(leg, side, turns, boards, dice, stakes)
        return (
            self.legs[leg]
            .players[side]
            .choose_plays(
                boards,
                dice,
                stakes,
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
        stakes: Utilities,
    ) -> None:
        ruleset, luck_player = self.legs[leg].ruleset, self.legs[leg].luck_player
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
            *stakes,
            can_double=np.array(can_double, np.uint8),
            threads=min(self.threads, len(turns)),
        )
        for contest, luck in zip(turns, lucks.tolist(), strict=True):
            # The stakes of a single game are in units of the cube.
            unit = 1 if self.length or contest.cube is None else contest.cube.value
            self.result.luck[self.index(contest)] += unit * (luck if side == 0 else -luck)

    def move(self, contest: _Contest, chosen: ChosenPlay | Fault) -> bool:
        """Make a play, and return whether the contest is over."""
        self.result.plies[self.index(contest)] += 1
        if isinstance(chosen, Fault):
            self._show(contest, chosen, is_void=True)
            self._fault(contest, chosen)
            return True
        is_void = contest.game.is_void_after(chosen)
        self._show(contest, chosen, is_void=is_void)
        if chosen.score is not None:
            return self._score(contest, chosen.score)
        if is_void:
            return self._void(contest)
        contest.game.move(chosen)
        return False

    def _fault(self, contest: _Contest, fault: Fault) -> None:
        """End a contest by a player's failure."""
        at = self.index(contest)
        self.result.void_games[at] += 1
        self.result.faults[2 * at[0] + at[1]] = fault.reason

    def _show_double(self, contest: _Contest, side: int, action: Literal["double", "take", "drop"], cube: int) -> None:
        """Report a double or its answer to `watch`."""
        if self.watch is not None:
            self.watch(WatchedDouble(**_where(contest, side), action=action, cube=cube))

    def _show(self, contest: _Contest, chosen: ChosenPlay | Fault, *, is_void: bool) -> None:
        """Report a turn to `watch`."""
        if self.watch is None:
            return
        self.watch(
            WatchedTurn(
                **_where(contest, contest.side),
                board=contest.game.board,
                dice=contest.game.dice,
                after=chosen if isinstance(chosen, Fault) else chosen.afterstate,
                score=None if isinstance(chosen, Fault) else chosen.score,
                cube=1 if contest.cube is None else contest.cube.value,
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
        """Score a game for the player on roll, before the cube, and return whether the contest is over."""
        at, winner, sign = self.index(contest), contest.game.seat, 1 if contest.side == 0 else -1
        self.result.scores[(*at, self.scores.index(sign * score))] += 1
        points = score if contest.cube is None else score * contest.cube.value
        self._count(contest, points=sign * points)
        if self.length == 0:
            self.result.points[at] = sign * points
            return True
        contest.away[winner] -= points
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


def _where(contest: _Contest, side: int) -> dict[str, Any]:
    """Return the fields of an action that say where it was taken, and by which side."""
    return {
        "pair": contest.pair,
        "a_seat": contest.a_seat,
        "leg": contest.leg,
        "round": contest.round,
        "ply": contest.game.ply,
        "side": side,
        "away": (contest.away[contest.a_seat], contest.away[contest.a_seat ^ 1]),
        "is_crawford": contest.cube is not None and contest.cube.is_crawford,
    }


def _is_yes(answer: CubeAnswer | Fault, question: Literal["should_double", "should_take"]) -> bool:
    return not isinstance(answer, Fault) and getattr(answer, question)


def _row(contest: _Contest, length: int) -> int:
    """Return the row of the utilities of the player on roll."""
    seat = contest.game.seat
    return (contest.away[seat] - 1) * length + contest.away[seat ^ 1] - 1
