"""Decisions of a bot that plays inside another program, in western backgammon or tavla."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import BaseEvaluator
from tavla_ai.match import Cube, MatchState
from tavla_ai.rules import BAR, OFF, LegalPlay, Play, Position, Ruleset


@dataclass
class Player:
    """A bot that plays inside another program.

    A bot of a house without a cube never doubles and ignores a turned cube in its plays. It takes a double if, at twice
    the stakes, it expects to lose at most the single point that a pass costs.

    Attributes:
      evaluator: the network and its game.
      ply: look-ahead.
      time_ms: time for a play in milliseconds, during which the search deepens; None for no limit.

    Raises:
      RulesetError: the game does not have the boards or plays of backgammon.
    """

    evaluator: BaseEvaluator
    ply: int = 0
    time_ms: float | None = None

    def __post_init__(self) -> None:
        check_plays(self.evaluator.ruleset)

    @property
    def ruleset(self) -> Ruleset:
        """The bot's game."""
        return self.evaluator.ruleset

    def stakes(self, match: MatchState) -> MatchState:
        """Return the stakes under the bot's house rules: without a cube or Crawford rule if the house has none.

        A cube above the house's limit becomes the limit, where it cannot be turned either.
        """
        if not self.ruleset.cube:
            return replace(match, is_crawford=False, cube=Cube())
        cube = replace(match.cube, value=min(match.cube.value, self.ruleset.cube_limit))
        return replace(match, cube=cube, is_crawford=match.is_crawford and self.ruleset.crawford)

    def choose_play(self, position: Position, dice: tuple[int, int], match: MatchState) -> LegalPlay:
        """Return the play of a roll; position and stakes are seen by the side on roll.

        Raises:
          RulesetError: the game is over, or stakes that no table goes to.
        """
        return self.evaluator.choose_play(position, dice, self.stakes(match), ply=self.ply, time_ms=self.time_ms)

    def should_double(self, position: Position, match: MatchState) -> bool:
        """Return whether the side on roll doubles before it rolls.

        Raises:
          RulesetError: see `choose_play`.
        """
        if position.is_over(self.ruleset):
            raise RulesetError("the game is over")
        return self.ruleset.cube and self.evaluator.should_double(position, self.stakes(match), ply=self.ply)

    def should_take(self, position: Position, match: MatchState) -> bool:
        """Return whether a double is taken.

        Args:
          position: the side that doubled, which is on roll, first.
          match: the stakes before the double, seen by that side.

        Raises:
          RulesetError: see `choose_play`.
        """
        if self.ruleset.cube:
            return self.evaluator.respond_to_double(position, self.stakes(match), ply=self.ply)
        return 2 * self.evaluator.evaluate(position, ply=self.ply).equity <= 1

    def accepts_resignation(self, position: Position, points: int, match: MatchState) -> bool:
        """Return whether the resignation of the side on roll is accepted.

        Args:
          position: the side that resigns, which is on roll, first.
          points: points that it resigns, before a cube multiplies them; more than the game can lose count as its
            maximum.
          match: the stakes, seen by that side.

        Raises:
          RulesetError: fewer than 1 point, or see `choose_play`.
        """
        points = min(points, self.ruleset.scores[0])
        return self.evaluator.prefers_end(position.swap(), points, self.stakes(match).swap(), ply=self.ply)


def check_plays(ruleset: Ruleset) -> None:
    """Raise `RulesetError` unless the plays of every roll are those of western backgammon."""
    if not ruleset.has_western_movement:
        raise RulesetError(f"{ruleset.name}: this protocol plays only games with the plays of backgammon")


def play_text(steps: Play) -> str:
    """Return a play step by step, such as `bar/20 24/18 18/13 6/off`; an empty text for no move.

    Steps are not joined and hits are not marked, which every program can read.
    """
    names = {BAR: "bar", OFF: "off"}
    return " ".join(f"{names.get(start, start)}/{names.get(end, end)}" for start, end in steps)
