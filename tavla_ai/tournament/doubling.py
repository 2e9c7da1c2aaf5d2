"""The doubling cube of a contest that is played turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

from tavla_ai.match import Cube, CubeOwner, MatchEquity, MatchState, may_double


@dataclass
class ContestCube:
    """The cube of the game in play, and the Crawford game of the match.

    Attributes:
      equity: match equity table of the contest's match; of single games any table of the game.
      length: points that win the match; 0 for single games.
      value: factor of the game's points.
      owner: seat that may double; None while the cube is centred.
      is_crawford: whether this is the Crawford game.
    """

    equity: MatchEquity
    length: int
    value: int = 1
    owner: int | None = None
    is_crawford: bool = False
    _had_crawford: bool = False

    def state(self, seat: int, away: list[int], game: int) -> MatchState:
        """Return the stakes seen by a seat; `away` are the points that each seat needs, `game` is the game's number."""
        owner: CubeOwner = "centred" if self.owner is None else "me" if self.owner == seat else "opponent"
        cube = Cube(self.value, owner)
        if self.length == 0:
            return MatchState(cube=cube)
        score = self.length - away[seat], self.length - away[seat ^ 1]
        return MatchState(self.length, score, game, self.is_crawford, cube)

    def may_double(self, seat: int, away: list[int], game: int) -> bool:
        """Return whether the rules let a seat that is on roll double and the match leaves it something to gain."""
        state = self.state(seat, away, game)
        return may_double(state, self.equity) and (self.length == 0 or self.value < away[seat])

    def turn(self, seat: int) -> None:
        """Double for a seat; the other seat takes and owns the cube."""
        self.value *= 2
        self.owner = seat ^ 1

    def begin_game(self, away: list[int]) -> None:
        """Centre the cube for the next game; the first in which a side needs one point is the Crawford game."""
        self.value, self.owner = 1, None
        self.is_crawford = self.equity.has_crawford and not self._had_crawford and 1 in away and away != [1, 1]
        self._had_crawford = self._had_crawford or self.is_crawford
