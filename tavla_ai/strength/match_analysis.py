"""Matches gone through: what each decision lost, how lucky each roll was, and how well both sides played.

A loss is what a decision is worth less than the best one, by the evaluator. Luck is what the best play of a roll is
worth more than the mean over all rolls, at 0-ply: its mean is zero whoever plays, so a result less its luck has the
same mean and is far less noisy. Both are kept in points of the game at hand, which makes them comparable at any
score, and with the worth of such a point in the unit of the stakes: points in single games, with the cube
counted, and match-winning chances in matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import BaseEvaluator, RankedPlay
from tavla_ai.formats import Game, Match, Turn
from tavla_ai.match import Cube, CubeDecision, MatchState
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Play, Position, Ruleset, apply_steps, format_play
from tavla_ai.strength.decisions import GRADES, Grade, Phase, phase_of

CubeAction = Literal["double", "no double", "take", "pass"]
# Not to double is a decision that counts where doubling would be no blunder; else nobody thinks of it.
CLOSE_CUBE = GRADES["blunder"]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What is known of any decision.

    Attributes:
      game: the game's number in the match.
      turn: its number in the game, from 1 up; a double and its answer are turns too.
      move: number of the line of a match file that it stands on, both players' turns on one.
      player: who decided, 0 or 1.
      match: the stakes before it, seen by the side on roll, which before an answer is the one that doubled.
      before: the board, the side on roll first.
      point: what a point of this game is worth, in the unit of the stakes.
      loss_points: how much less it is worth than the best decision, in points.
      is_counted: whether there was something to decide.
    """

    game: int
    turn: int
    move: int
    player: int
    match: MatchState
    before: Position
    point: float
    loss_points: float
    is_counted: bool

    @property
    def on_roll(self) -> int:
        """The player who is on roll."""
        return self.player

    @property
    def loss(self) -> float:
        """How much less it is worth than the best decision, in the unit of the stakes."""
        return self.loss_points * self.point

    @property
    def grade(self) -> Grade | None:
        """How bad it is; None where it is not."""
        found: Grade | None = None
        for name, least in GRADES.items():
            if self.loss_points >= least:
                found = name
        return found


@dataclass(frozen=True, kw_only=True)
class JudgedPlay(Judged):
    """A roll and what was done with it.

    Attributes:
      dice: the roll, as it is written in the match.
      num_plays: legal plays of it.
      best: the best of them.
      played: the one made; None where none was, or none that is legal, so that only the luck is known.
      rank: the place of the one made among them, the best being 1; None without one.
      value_before: mean over the rolls that could have come of their best plays' 0-ply values, in the unit of the
        stakes, seen by the player.
      value_rolled: the same value of the roll that came.
      phase: what kind of position it is.
    """

    dice: tuple[int, int]
    num_plays: int
    best: RankedPlay
    played: RankedPlay | None
    rank: int | None
    value_before: float
    value_rolled: float
    phase: Phase

    @property
    def luck(self) -> float:
        """How much better than the mean the roll was, in the unit of the stakes."""
        return self.value_rolled - self.value_before

    @property
    def luck_points(self) -> float:
        """The same in points."""
        return self.luck / self.point


@dataclass(frozen=True, kw_only=True)
class JudgedCube(Judged):
    """A decision with the cube, before a roll.

    Attributes:
      action: what was done.
      best: what should have been.
      decision: what doubling is worth to the side on roll, in the unit of `cube`.
    """

    action: CubeAction
    best: CubeAction
    decision: CubeDecision

    @property
    def on_roll(self) -> int:
        """The player who is on roll: before an answer the one that doubled."""
        return 1 - self.player if self.action in ("take", "pass") else self.player


@dataclass(frozen=True)
class Summary:
    """How a player did in some decisions.

    Attributes:
      rolls: that he had.
      decisions: plays and cube decisions that count: those with something to decide.
      cube_decisions: of these, with the cube.
      loss: what they lost together, in the unit of the stakes.
      loss_points: the same in points.
      cube_loss_points: of this, with the cube.
      doubtful: decisions of that grade.
      errors: decisions of that grade.
      blunders: decisions of that grade.
      luck: of his rolls together, in the unit of the stakes.
      luck_points: the same in points.
    """

    rolls: int
    decisions: int
    cube_decisions: int
    loss: float
    loss_points: float
    cube_loss_points: float
    doubtful: int
    errors: int
    blunders: int
    luck: float
    luck_points: float

    @property
    def error_rate(self) -> float:
        """Thousandths of a point lost for each decision that counts; 0 without any."""
        return 1000 * self.loss_points / self.decisions if self.decisions else 0.0


def summarize(decisions: Iterable[Judged], player: int) -> Summary:
    """Return how a player did in some decisions, among which are only his considered."""
    own = [decision for decision in decisions if decision.player == player]
    plays = [decision for decision in own if isinstance(decision, JudgedPlay)]
    cubes = [decision for decision in own if isinstance(decision, JudgedCube)]
    grades = [decision.grade for decision in own]
    return Summary(
        rolls=len(plays),
        decisions=sum(decision.is_counted for decision in own),
        cube_decisions=sum(decision.is_counted for decision in cubes),
        loss=sum(decision.loss for decision in own),
        loss_points=sum(decision.loss_points for decision in own),
        cube_loss_points=sum(decision.loss_points for decision in cubes),
        doubtful=grades.count("doubtful"),
        errors=grades.count("error"),
        blunders=grades.count("blunder"),
        luck=sum(play.luck for play in plays),
        luck_points=sum(play.luck_points for play in plays),
    )


@dataclass(frozen=True)
class GameAnalysis:
    """One game.

    Attributes:
      number: its number in the match.
      score: points that the two players had before it.
      is_crawford: whether it is the Crawford game.
      winner: who won; None where the game broke off.
      points: what he won, cube included; None where the game broke off.
      result: what its end is worth to player 0, in the unit of the stakes; None where the game broke off.
      total: what an end is worth to both players together: 0, or in a match 1.
      decisions: those of both players, in order.
    """

    number: int
    score: tuple[int, int]
    is_crawford: bool
    winner: int | None
    points: int | None
    result: float | None
    total: float
    decisions: tuple[JudgedPlay | JudgedCube, ...]

    @property
    def plays(self) -> tuple[JudgedPlay, ...]:
        """The rolls of both players, in order."""
        return tuple(decision for decision in self.decisions if isinstance(decision, JudgedPlay))

    def summary(self, player: int) -> Summary:
        """Return how a player did in it."""
        return summarize(self.decisions, player)

    def result_of(self, player: int) -> float | None:
        """Return what its end is worth to a player, in the unit of the stakes; None where it broke off."""
        if self.result is None or player == 0:
            return self.result
        return self.total - self.result

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result less the player's luck and plus the opponent's; None where the game broke off."""
        result = self.result_of(player)
        return None if result is None else result - net_luck(self.decisions, player)


@dataclass(frozen=True)
class MatchAnalysis:
    """A match, or a session of single games.

    Attributes:
      ruleset: the game.
      players: names of player 0 and player 1.
      length: points that win the match; None for single games.
      ply: look-ahead of the plays' values.
      headers: of the match.
      games: in order.
      problems: what could not be judged and why, one line each, those of the match's reader first.
    """

    ruleset: Ruleset
    players: tuple[str, str]
    length: int | None
    ply: int
    headers: tuple[tuple[str, str], ...]
    games: tuple[GameAnalysis, ...]
    problems: tuple[str, ...]

    @property
    def decisions(self) -> tuple[JudgedPlay | JudgedCube, ...]:
        """Those of all games, in order."""
        return tuple(decision for game in self.games for decision in game.decisions)

    def summary(self, player: int) -> Summary:
        """Return how a player did."""
        return summarize(self.decisions, player)

    def phase_summary(self, player: int, phase: Phase) -> Summary:
        """Return how a player did with his plays in positions of one kind."""
        plays = (decision for decision in self.decisions if isinstance(decision, JudgedPlay))
        return summarize((play for play in plays if play.phase == phase), player)

    def worst(self, top: int | None = None) -> tuple[JudgedPlay | JudgedCube, ...]:
        """Return the decisions that have a grade, the one that lost most points first; at most `top` of them."""
        graded = [decision for decision in self.decisions if decision.grade is not None]
        return tuple(sorted(graded, key=lambda decision: -decision.loss_points)[:top])

    def result_of(self, player: int) -> float | None:
        """Return what a player got: the chance of winning the match after its last game, or points in all.

        None where a game broke off.
        """
        results = [game.result_of(player) for game in self.games]
        known = [result for result in results if result is not None]
        if len(known) < len(results) or not known:
            return None
        return sum(known) if self.length is None else known[-1]

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result less the player's luck and plus the opponent's; None where a game broke off.

        In a match it is a chance with some noise in it, which may leave 0 to 1.
        """
        result = self.result_of(player)
        return None if result is None else result - net_luck(self.decisions, player)

    def action_text(self, decision: JudgedPlay | JudgedCube) -> str:
        """Return what was done, as people write it."""
        if isinstance(decision, JudgedCube):
            return decision.action
        return "?" if decision.played is None else self.play_text(decision, decision.played)

    def best_text(self, decision: JudgedPlay | JudgedCube) -> str:
        """Return what should have been done, as people write it."""
        return decision.best if isinstance(decision, JudgedCube) else self.play_text(decision, decision.best)

    def play_text(self, decision: JudgedPlay, play: RankedPlay) -> str:
        """Return a play of a decision, as people write it."""
        return format_play(decision.before, play.steps, self.ruleset)


def net_luck(decisions: Iterable[Judged], player: int) -> float:
    """Return a player's luck less his opponent's, in the unit of the stakes."""
    return sum(
        decision.luck if decision.player == player else -decision.luck
        for decision in decisions
        if isinstance(decision, JudgedPlay)
    )


def analyze_match(
    match: Match, evaluator: BaseEvaluator, *, ply: int = 0, progress: ProgressCallback | None = None
) -> MatchAnalysis:
    """Judge every decision of a match.

    Plays are valued without the cube's later turns, cube decisions by the model of `cube`. A turn that the rules do
    not allow, or whose board is not known, is left out of what it cannot be judged for, and named in `problems`.

    Args:
      match: as `read_mat` returns it, the boards before its turns known.
      evaluator: of the game that the match was read as.
      ply: look-ahead of plays and of cube decisions.
      progress: called with the number of turns judged since its last call.

    Raises:
      RulesetError: a score, a length or a cube that the evaluator's game cannot have, or a ply out of range.
    """
    problems = list(match.problems)
    # Files of matches without a cube say so by its limit.
    has_cube = evaluator.ruleset.cube and ("CubeLimit", "1") not in match.headers
    games = []
    had_crawford = False
    for game in match.games:
        state = _first_state(match, game, evaluator.ruleset, had_crawford)
        had_crawford |= state.is_crawford
        games.append(_Judge(game, state, evaluator, ply, has_cube, problems).judge(progress))
    return MatchAnalysis(
        evaluator.ruleset, match.players, match.length, ply, match.headers, tuple(games), tuple(problems)
    )


def _first_state(match: Match, game: Game, ruleset: Ruleset, had_crawford: bool) -> MatchState:
    """Return the stakes at the start of a game, seen by player 0."""
    if match.length is None:
        return MatchState(game=max(0, game.number - 1))
    # A double in it shows that the match was played without a Crawford game.
    is_crawford = (
        ruleset.crawford
        and not had_crawford
        and game.score.count(match.length - 1) == 1
        and all(turn.action != "double" for turn in game.turns)
    )
    try:
        return MatchState(match.length, game.score, max(0, game.number - 1), is_crawford)
    except RulesetError as error:
        raise RulesetError(f"game {game.number}: {error}") from None


class _Judge:
    """Goes through one game; `problems` takes down what cannot be judged."""

    def __init__(
        self, game: Game, state: MatchState, evaluator: BaseEvaluator, ply: int, has_cube: bool, problems: list[str]
    ) -> None:
        self.game, self.evaluator, self.ply, self.has_cube, self.problems = game, evaluator, ply, has_cube, problems
        self.state = state  # seen by player 0, with the cube as it is
        self.doubled: JudgedCube | None = None  # the double that awaits an answer
        self.num_rolls = [0, 0]

    def judge(self, progress: ProgressCallback | None) -> GameAnalysis:
        decisions: list[JudgedPlay | JudgedCube] = []
        for number, turn in enumerate(self.game.turns, start=1):
            if turn.before is None:
                self.problem(number, "the board before it is not known")
            elif turn.action == "play":
                decisions += self.no_double(number, turn, turn.before)
                decisions += self.play(number, turn, turn.before)
            elif self.has_cube:
                decisions += self.cube_action(number, turn, turn.before)
            if progress:
                progress(1)
        game, state = self.game, self.state
        result = None
        if game.winner is not None and game.points is not None:
            equity = self.evaluator.match_equity(state.length or 1)
            result = equity.value_after(state, game.points if game.winner == 0 else -game.points)
        return GameAnalysis(
            game.number,
            game.score,
            state.is_crawford,
            game.winner,
            game.points,
            result,
            0.0 if state.length is None else 1.0,
            tuple(decisions),
        )

    def move(self, number: int) -> int:
        return (number + 1 + self.game.turns[0].player) // 2

    def seen_by(self, player: int) -> MatchState:
        return self.state if player == 0 else self.state.swap()

    def play(self, number: int, turn: Turn, before: Position) -> list[JudgedPlay]:
        if turn.dice is None:
            self.problem(number, "a play without a roll")
            return []
        match = self.seen_by(turn.player)
        ranked = self.evaluator.rank_plays(before, turn.dice, match, ply=self.ply)
        best, played, rank = ranked[0], None, None
        if turn.play is not None:
            found = self.find(number, turn.play, before, ranked)
            if found is not None:
                played, rank = self.valued(replace(ranked[found], steps=turn.play), best, match), found + 1
                if played.evaluation.value > best.evaluation.value:
                    # A look-ahead that passes over plays at first sight may have passed over the best.
                    best, rank = played, 1
        values = self.evaluator.roll_values(before, match)
        larger, smaller = sorted(turn.dice, reverse=True)
        unit = _unit(match)
        judged = JudgedPlay(
            game=self.game.number,
            turn=number,
            move=self.move(number),
            player=turn.player,
            match=match,
            before=before,
            point=self.evaluator.utility(match).point * unit,
            loss_points=0.0 if played is None else self.in_points(best, match) - self.in_points(played, match),
            is_counted=played is not None and len(ranked) > 1,
            dice=turn.dice,
            num_plays=len(ranked),
            best=best,
            played=played,
            rank=rank,
            value_before=unit * self.mean(values, turn.dice),
            value_rolled=unit * values[larger, smaller],
            phase=phase_of(self.evaluator.ruleset, before, self.num_rolls[turn.player]),
        )
        self.num_rolls[turn.player] += 1
        return [judged]

    def find(self, number: int, steps: Play, before: Position, ranked: Sequence[RankedPlay]) -> int | None:
        """Return the index of the play that comes to the same board; None, with a problem, where there is none."""
        try:
            afterstate = apply_steps(before, steps, self.evaluator.ruleset)
            return next(i for i, play in enumerate(ranked) if play.afterstate == afterstate)
        except (RulesetError, StopIteration):
            self.problem(number, "the play is not legal")
            return None

    def valued(self, play: RankedPlay, best: RankedPlay, match: MatchState) -> RankedPlay:
        """Return a play valued as deeply as the best one, and no better than it in what is rounding alone."""
        evaluation = play.evaluation
        if play.score is None and evaluation.ply < best.evaluation.ply:
            evaluation = self.evaluator.evaluate_afterstate(play.afterstate, match, ply=best.evaluation.ply)
        loss = max(0.0, best.evaluation.value - evaluation.value)
        return replace(play, evaluation=evaluation, loss=loss)

    def in_points(self, play: RankedPlay, match: MatchState) -> float:
        return play.evaluation.value / self.evaluator.utility(match).point

    def mean(self, values: dict[tuple[int, int], float], dice: tuple[int, int]) -> float:
        """Return the mean over the rolls that could have come."""
        ruleset = self.evaluator.ruleset
        is_opening = sum(self.num_rolls) == 0 and (ruleset.next_game == "fresh" or self.game.number == 1)
        if is_opening and ruleset.opening == "use_dice" and dice[0] != dice[1]:
            # The dice that decided who starts were not the same.
            values = {roll: value for roll, value in values.items() if roll[0] != roll[1]}
        weights = [1 if first == second else 2 for first, second in values]
        return float(np.average(list(values.values()), weights=weights))

    # The cube

    def no_double(self, number: int, turn: Turn, before: Position) -> list[JudgedCube]:
        """Judge a roll that came without a double, where one was possible."""
        previous = self.game.turns[number - 2] if number > 1 else None
        match = self.seen_by(turn.player)
        # Nobody doubles before the opening roll, nor twice.
        if not self.has_cube or previous is None or previous.action != "play":
            return []
        decision = self.evaluator.cube_decision(before, match, ply=self.ply)
        if not decision.can_double:
            return []
        gain = min(decision.double_take, decision.double_pass) - decision.no_double
        return [self.cube(number, turn.player, "no double", gain, match, before, decision)]

    def cube_action(self, number: int, turn: Turn, before: Position) -> list[JudgedCube]:
        if turn.action == "double":
            match = self.seen_by(turn.player)
            decision = self.evaluator.cube_decision(before, match, ply=self.ply)
            loss = decision.no_double - min(decision.double_take, decision.double_pass)
            judged = self.cube(number, turn.player, "double", loss, match, before, decision)
            self.doubled = judged
            return [judged]
        doubled, self.doubled = self.doubled, None
        if doubled is None:
            self.problem(number, f"a {turn.action} without a double")
            return []
        decision = doubled.decision
        gain = decision.double_take - decision.double_pass
        if turn.action == "take":
            cube = Cube(2 * self.state.cube.value, "me" if turn.player == 0 else "opponent")
            self.state = replace(self.state, cube=cube)
            return [self.cube(number, turn.player, "take", gain, doubled.match, doubled.before, decision)]
        return [self.cube(number, turn.player, "pass", -gain, doubled.match, doubled.before, decision)]

    def cube(
        self,
        number: int,
        player: int,
        action: CubeAction,
        loss: float,
        match: MatchState,
        before: Position,
        decision: CubeDecision,
    ) -> JudgedCube:
        """Return a cube decision; `loss` is what the other action would have gained."""
        point = self.evaluator.utility(match).point
        best: CubeAction
        if action in ("take", "pass"):
            best = "take" if decision.should_take else "pass"
        else:
            best = "double" if decision.should_double else "no double"
        return JudgedCube(
            game=self.game.number,
            turn=number,
            move=self.move(number),
            player=player,
            match=match,
            before=before,
            point=point * _unit(match),
            loss_points=0.0 if action == best else max(0.0, loss / point),
            is_counted=action != "no double" or -loss / point < CLOSE_CUBE,
            action=action,
            best=best,
            decision=decision,
        )

    def problem(self, number: int, message: str) -> None:
        self.problems.append(f"game {self.game.number}, turn {number}: {message}")


def _unit(match: MatchState) -> float:
    """Return what turns the evaluator's values, in single games in units of the cube, into the unit of the stakes."""
    return 1.0 if match.length is not None else float(match.cube.value)
