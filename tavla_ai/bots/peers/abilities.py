"""Abilities of outside engines: a protocol for each thing that one may be able to do.

An adapter is a class that fulfils the protocols of its abilities. It is made without arguments, or of the path of its
weights where the user names a file. Benchmarks are of games with the plays of western backgammon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tavla_ai.match import MatchState
from tavla_ai.rules import Ruleset

Ability = Literal["play", "double", "evaluate", "count plays"]

Boards = npt.NDArray[np.int8]
Dice = npt.NDArray[np.int8]


class PlayingPeer(Protocol):
    """An engine that can `play`: it values the afterstates that our own generator lists."""

    version: str
    # What it plays, as a clause for messages.
    games: str

    def plays(self, ruleset: Ruleset) -> bool:
        """Return whether it plays a game."""

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        """Return the chances of the side that has just moved, before the opponent rolls.

        Args:
          boards: `[N, 2, num_places]` int8 afterstates, the side that has just moved first; no game is over.
          ply: look-ahead, 0 being the networks alone.
          counts_backgammon: whether plays within the look-ahead are chosen for the third point too.

        Returns:
          `[N, 5]`: wins, of them by 2 points or more, by 3; losses by 2 points or more, by 3. An engine that knows of
          no mars answers 0 for all but the first.
        """


class WesternPeer:
    """An engine that plays every game with the plays of western backgammon."""

    games = "games of western movement only"

    def plays(self, ruleset: Ruleset) -> bool:
        """Return whether it plays a game."""
        return ruleset.has_western_movement


class CubeAnswer(NamedTuple):
    """What a player thinks of doubling a position.

    Attributes:
      should_double: whether the side on roll should double.
      should_take: whether the other side should take a double.
    """

    should_double: bool
    should_take: bool


class DoublingPeer(PlayingPeer, Protocol):
    """An engine that plays and can `double`."""

    def cube_answers(self, boards: Boards, states: Sequence[MatchState], ply: int) -> list[CubeAnswer]:
        """Return what the engine thinks of doubling each position before the roll.

        Args:
          boards: `[N, 2, 26]` int8, the side on roll first.
          states: the stakes, seen by that side, with the cube as it is before the double.
          ply: look-ahead, 0 being the networks alone.
        """


class ConvertingPeer(Protocol):
    """An engine with positions of its own, which benchmarks convert before they time anything."""

    def convert(self, boards: Boards) -> list[object]:
        """Return boards `[N, 2, 26]` int8, the mover first, as the engine takes them."""


class EvaluatingPeer(ConvertingPeer, Protocol):
    """An engine that can `evaluate` positions, for benchmarks."""

    def evaluate(self, positions: list[object]) -> None:
        """Evaluate each position statically, the mover having just moved."""


class CountingPeer(ConvertingPeer, Protocol):
    """An engine that can `count plays`, for benchmarks."""

    def count_plays(self, positions: list[object], dice: list[tuple[int, int]]) -> list[int]:
        """Return the number of distinct afterstates of each position with its roll; a pass is one."""
