"""Analyses of matches: every decision with its loss, every roll with its luck, and summaries of how well both sides
played.

A loss is what a decision is worth less than the best one, by the evaluator. Luck is what the best play of a roll is
worth more than the mean over all rolls, at 0-ply: its mean is zero whoever plays, so a result less its luck has the
same mean and is far less noisy. Both are kept in points of the game at hand, which makes them comparable at any
score, and with the worth of such a point in the unit of the stakes: points in single games, with the cube
counted, and match-winning chances in matches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tavla_ai.evaluator import RankedPlay
from tavla_ai.match import CubeDecision, MatchState
from tavla_ai.rules import Position, Ruleset, format_play
from tavla_ai.strength.decisions import GRADES, Grade, Phase

CubeAction = Literal["double", "no double", "take", "pass"]
# A missed double counts as a decision only where doubling would not be a blunder.
CLOSE_CUBE = GRADES["blunder"]


@dataclass(frozen=True, kw_only=True)
class AnalyzedDecision:
    """A decision, valued.

    Attributes:
      game: the game's number in the match.
      turn: its number in the game, from 1 up; a double and its answer are turns too.
      move: number of the line of a match file that it stands on, both players' turns on one.
      player: the player who decided, 0 or 1.
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
class AnalyzedPlay(AnalyzedDecision):
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
class AnalyzedCube(AnalyzedDecision):
    """A decision with the cube, before a roll.

    Attributes:
      action: what was done.
      best: what should have been done.
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
    """How well a player did in some decisions.

    Attributes:
      rolls: rolls of the player.
      decisions: plays and cube decisions that count: those with something to decide.
      cube_decisions: of these, with the cube.
      loss: what they lost together, in the unit of the stakes.
      loss_points: the same in points.
      cube_loss_points: of this, with the cube.
      doubtful: decisions of that grade.
      errors: decisions of that grade.
      blunders: decisions of that grade.
      luck: luck of the rolls together, in the unit of the stakes.
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


def summarize(decisions: Iterable[AnalyzedDecision], player: int) -> Summary:
    """Return how a player did in some decisions, of which only the player's own count."""
    own = [decision for decision in decisions if decision.player == player]
    plays = [decision for decision in own if isinstance(decision, AnalyzedPlay)]
    cubes = [decision for decision in own if isinstance(decision, AnalyzedCube)]
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
      winner: the player who won; None where the game was interrupted.
      points: what the winner won, cube included; None where the game was interrupted.
      result: what its end is worth to player 0, in the unit of the stakes; None where the game was interrupted.
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
    decisions: tuple[AnalyzedPlay | AnalyzedCube, ...]

    @property
    def plays(self) -> tuple[AnalyzedPlay, ...]:
        """The rolls of both players, in order."""
        return tuple(decision for decision in self.decisions if isinstance(decision, AnalyzedPlay))

    def summary(self, player: int) -> Summary:
        """Return how a player did in it."""
        return summarize(self.decisions, player)

    def result_of(self, player: int) -> float | None:
        """Return what its end is worth to a player, in the unit of the stakes; None where it was interrupted."""
        if self.result is None or player == 0:
            return self.result
        return self.total - self.result

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result less the player's luck and plus the opponent's; None where the game was interrupted."""
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
      problems: what could not be valued and why, one line each, those of the match's reader first.
    """

    ruleset: Ruleset
    players: tuple[str, str]
    length: int | None
    ply: int
    headers: tuple[tuple[str, str], ...]
    games: tuple[GameAnalysis, ...]
    problems: tuple[str, ...]

    @property
    def decisions(self) -> tuple[AnalyzedPlay | AnalyzedCube, ...]:
        """Those of all games, in order."""
        return tuple(decision for game in self.games for decision in game.decisions)

    def summary(self, player: int) -> Summary:
        """Return how a player did."""
        return summarize(self.decisions, player)

    def phase_summary(self, player: int, phase: Phase) -> Summary:
        """Return how a player did with the plays in positions of one phase."""
        plays = (decision for decision in self.decisions if isinstance(decision, AnalyzedPlay))
        return summarize((play for play in plays if play.phase == phase), player)

    def worst(self, top: int | None = None) -> tuple[AnalyzedPlay | AnalyzedCube, ...]:
        """Return the decisions that have a grade, the one that lost most points first; at most `top` of them."""
        graded = [decision for decision in self.decisions if decision.grade is not None]
        return tuple(sorted(graded, key=lambda decision: -decision.loss_points)[:top])

    def result_of(self, player: int) -> float | None:
        """Return what a player got: the chance of winning the match after its last game, or points in all.

        None where a game was interrupted.
        """
        results = [game.result_of(player) for game in self.games]
        known = [result for result in results if result is not None]
        if len(known) < len(results) or not known:
            return None
        return sum(known) if self.length is None else known[-1]

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result less the player's luck and plus the opponent's; None where a game was interrupted.

        In a match it is a chance with some noise in it, which may leave 0 to 1.
        """
        result = self.result_of(player)
        return None if result is None else result - net_luck(self.decisions, player)

    def action_text(self, decision: AnalyzedPlay | AnalyzedCube) -> str:
        """Return what was done, as people write it."""
        if isinstance(decision, AnalyzedCube):
            return decision.action
        return "?" if decision.played is None else self.play_text(decision, decision.played)

    def best_text(self, decision: AnalyzedPlay | AnalyzedCube) -> str:
        """Return what should have been done, as people write it."""
        return decision.best if isinstance(decision, AnalyzedCube) else self.play_text(decision, decision.best)

    def play_text(self, decision: AnalyzedPlay, play: RankedPlay) -> str:
        """Return a play of a decision, as people write it."""
        return format_play(decision.before, play.steps, self.ruleset)


def net_luck(decisions: Iterable[AnalyzedDecision], player: int) -> float:
    """Return a player's luck less the opponent's, in the unit of the stakes."""
    return sum(
        decision.luck if decision.player == player else -decision.luck
        for decision in decisions
        if isinstance(decision, AnalyzedPlay)
    )
