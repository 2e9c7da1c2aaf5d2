"""Matches, as the readers of match files return them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tavla_ai.formats.common import Dice
from tavla_ai.formats.headers import Headers
from tavla_ai.rules import MatchSet, Play, Position, Ruleset

Action = Literal["play", "double", "take", "drop"]


@dataclass(frozen=True)
class Turn:
    """One action of a player, or a roll that was not played.

    Attributes:
      player: 0 or 1; in a `.mat` file 0 has the left column.
      action: kind of the action.
      dice: the roll, in the order written; None for other actions.
      play: the steps, in the player's own numbering; None without a roll or if the game was interrupted after it.
      cube: the value after the double; None for other actions.
      before: the board before the action, seen by the player; None if it is unknown: after an impossible play,
        and in turns that were not read from a file.
    """

    player: int
    action: Action = "play"
    dice: Dice | None = None
    play: Play | None = None
    cube: int | None = None
    before: Position | None = None


@dataclass(frozen=True)
class Game:
    """One game of a match.

    Attributes:
      number: number of the game in the file, from 1.
      score: points of the two players before the game.
      turns: the actions, in order.
      winner: the player who won; None if the game was interrupted or drawn.
      points: points won, with the cube; 0 in a drawn game, None if the game was interrupted.
    """

    number: int
    score: tuple[int, int]
    turns: tuple[Turn, ...]
    winner: int | None = None
    points: int | None = None


@dataclass(frozen=True)
class Match:
    """A match, or a session of single games.

    Attributes:
      length: points that win the match; None for single games.
      players: names of player 0 and player 1.
      games: the games, in order.
      headers: keys and values that say more about the match, such as the event, in order.
      problems: oddities of the file that do not change the game, one line each; with `strict=False` also its mistakes.
      game: the game, or the set of games that is played in turn; None if the file does not say.
    """

    length: int | None
    players: tuple[str, str]
    games: tuple[Game, ...]
    headers: Headers = ()
    problems: tuple[str, ...] = ()
    game: Ruleset | MatchSet | None = None
