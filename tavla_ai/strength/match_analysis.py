"""Analyses of matches: the loss of every decision, the luck of every roll, and summaries of both players.

The loss of a decision is the value of the best decision minus its own, by the evaluator. The luck of a roll is the
value of its best play minus the mean over all rolls, at 0-ply. Luck has mean zero for any player, so a result minus
its luck has the same mean and much less noise. Losses and luck are in points of the game, which are comparable at any
score, and in the unit of the stakes: points with the cube counted in single games, match-winning chances in matches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tavla_ai.evaluator import RankedPlay
from tavla_ai.match import CubeDecision, MatchState
from tavla_ai.rules import MatchSet, Position, Ruleset, format_play, games_of
from tavla_ai.strength.decisions import GRADES, Grade, Phase

CubeAction = Literal["double", "no double", "take", "pass"]
# A missed double counts as a decision only where doubling would not be a blunder.
CLOSE_CUBE = GRADES["blunder"]


@dataclass(frozen=True, kw_only=True)
class AnalyzedDecision:
    """A judged decision.

    Attributes:
      game: number of the game in the match.
      turn: number of the turn in the game, from 1; a double and its answer are turns too.
      move: number of its line in a match file; a line has both players' turns.
      player: the player who decided, 0 or 1.
      match: the stakes before it, seen by the side on roll; for an answer to a double, that is the side that doubled.
      before: the board, the side on roll first.
      point: value of one point of this game, in the unit of the stakes.
      loss_points: loss against the best decision, in points.
      is_counted: whether there was a choice.
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
        """Loss against the best decision, in the unit of the stakes."""
        return self.loss_points * self.point

    @property
    def grade(self) -> Grade | None:
        """Grade of the loss; None if it is small."""
        found: Grade | None = None
        for name, least in GRADES.items():
            if self.loss_points >= least:
                found = name
        return found


@dataclass(frozen=True, kw_only=True)
class AnalyzedPlay(AnalyzedDecision):
    """A roll and its play.

    Attributes:
      dice: the roll, as written in the match.
      num_plays: number of legal plays.
      best: the best play.
      played: the play made; None if no legal play was made, so that only the luck is known.
      rank: rank of the play made, 1 for the best; None without one.
      value_before: mean 0-ply value of the best plays of all possible rolls, in the unit of the stakes, seen by the
        player.
      value_rolled: 0-ply value of the best play of the actual roll.
      phase: phase of the game.
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
        """Luck of the roll: its value above the mean, in the unit of the stakes."""
        return self.value_rolled - self.value_before

    @property
    def luck_points(self) -> float:
        """Luck of the roll in points."""
        return self.luck / self.point


@dataclass(frozen=True, kw_only=True)
class AnalyzedCube(AnalyzedDecision):
    """A decision with the cube, before a roll.

    Attributes:
      action: the action taken.
      best: the right action.
      decision: values of doubling to the side on roll, in the unit of `cube`.
    """

    action: CubeAction
    best: CubeAction
    decision: CubeDecision

    @property
    def on_roll(self) -> int:
        """The player who is on roll; for an answer to a double, the player who doubled."""
        return 1 - self.player if self.action in ("take", "pass") else self.player


@dataclass(frozen=True)
class Summary:
    """Summary of a player's decisions.

    Attributes:
      rolls: number of rolls of the player.
      decisions: number of plays and cube decisions with a choice.
      cube_decisions: number of cube decisions among them.
      loss: total loss, in the unit of the stakes.
      loss_points: total loss in points.
      cube_loss_points: loss of the cube decisions, in points.
      doubtful: number of doubtful decisions.
      errors: number of errors.
      blunders: number of blunders.
      luck: total luck of the rolls, in the unit of the stakes.
      luck_points: total luck in points.
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
        """Thousandths of a point lost per decision with a choice; 0 without any."""
        return 1000 * self.loss_points / self.decisions if self.decisions else 0.0


def summarize(decisions: Iterable[AnalyzedDecision], player: int) -> Summary:
    """Return the summary of a player's own decisions among some decisions."""
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
      number: number of the game in the match.
      ruleset: the game that is played.
      score: points of the two players before the game.
      is_crawford: whether it is the Crawford game.
      winner: the player who won; None if the game was interrupted or drawn.
      points: points won, with the cube; 0 in a drawn game, None if the game was interrupted.
      result: worth of the result to player 0, in the unit of the stakes; None if the game was interrupted.
      total: worth of a result to both players together: 0, or 1 in a match.
      decisions: decisions of both players, in order.
    """

    number: int
    ruleset: Ruleset
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
        """Return the summary of a player in the game."""
        return summarize(self.decisions, player)

    def result_of(self, player: int) -> float | None:
        """Return the worth of the result to a player, in the unit of the stakes; None if the game was interrupted."""
        if self.result is None or player == 0:
            return self.result
        return self.total - self.result

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result minus the player's luck plus the opponent's; None if the game was interrupted."""
        result = self.result_of(player)
        return None if result is None else result - net_luck(self.decisions, player)


@dataclass(frozen=True)
class MatchAnalysis:
    """A match, or a session of single games.

    Attributes:
      game: the game, or the set of games that is played in turn.
      players: names of player 0 and player 1.
      length: points that win the match; None for single games.
      ply: look-ahead of the plays' values.
      headers: headers of the match.
      games: games in order.
      problems: turns that could not be valued, with the reason, one line each; the problems of reading come first.
    """

    game: Ruleset | MatchSet
    players: tuple[str, str]
    length: int | None
    ply: int
    headers: tuple[tuple[str, str], ...]
    games: tuple[GameAnalysis, ...]
    problems: tuple[str, ...]

    @property
    def has_cube(self) -> bool:
        """Whether a game is played with a cube."""
        return any(ruleset.cube for ruleset in games_of(self.game))

    def ruleset_of(self, decision: AnalyzedDecision) -> Ruleset:
        """Return the game of a decision."""
        return next(game.ruleset for game in self.games if game.number == decision.game)

    @property
    def decisions(self) -> tuple[AnalyzedPlay | AnalyzedCube, ...]:
        """Decisions of all games, in order."""
        return tuple(decision for game in self.games for decision in game.decisions)

    def summary(self, player: int) -> Summary:
        """Return the summary of a player."""
        return summarize(self.decisions, player)

    def phase_summary(self, player: int, phase: Phase) -> Summary:
        """Return the summary of a player's plays in one phase of the game."""
        plays = (decision for decision in self.decisions if isinstance(decision, AnalyzedPlay))
        return summarize((play for play in plays if play.phase == phase), player)

    def worst(self, top: int | None = None) -> tuple[AnalyzedPlay | AnalyzedCube, ...]:
        """Return the graded decisions, those with the largest loss in points first; at most `top` of them."""
        graded = [decision for decision in self.decisions if decision.grade is not None]
        return tuple(sorted(graded, key=lambda decision: -decision.loss_points)[:top])

    def result_of(self, player: int) -> float | None:
        """Return a player's result: the chance of winning the match after the last game, or the sum of points.

        None if a game was interrupted.
        """
        results = [game.result_of(player) for game in self.games]
        known = [result for result in results if result is not None]
        if len(known) < len(results) or not known:
            return None
        return sum(known) if self.length is None else known[-1]

    def luck_adjusted(self, player: int) -> float | None:
        """Return the result minus the player's luck plus the opponent's; None if a game was interrupted.

        In a match it is a noisy chance of winning, which may be below 0 or above 1.
        """
        result = self.result_of(player)
        return None if result is None else result - net_luck(self.decisions, player)

    def action_text(self, decision: AnalyzedPlay | AnalyzedCube) -> str:
        """Return the action taken as text."""
        if isinstance(decision, AnalyzedCube):
            return decision.action
        return "?" if decision.played is None else self.play_text(decision, decision.played)

    def best_text(self, decision: AnalyzedPlay | AnalyzedCube) -> str:
        """Return the right action as text."""
        return decision.best if isinstance(decision, AnalyzedCube) else self.play_text(decision, decision.best)

    def play_text(self, decision: AnalyzedPlay, play: RankedPlay) -> str:
        """Return a play of a decision as text."""
        return format_play(decision.before, play.steps, self.ruleset_of(decision))


def net_luck(decisions: Iterable[AnalyzedDecision], player: int) -> float:
    """Return a player's luck minus the opponent's, in the unit of the stakes."""
    return sum(
        decision.luck if decision.player == player else -decision.luck
        for decision in decisions
        if isinstance(decision, AnalyzedPlay)
    )
