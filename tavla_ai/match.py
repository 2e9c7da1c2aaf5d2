"""Matches: the score, the cube, the match equity table, and what each score of a game is worth.

A game's possible scores are listed best first, as in `Ruleset.scores`; a `Utility` gives each of them a
value. In a single game that is the points themselves, in a match the match-winning chance (mwc) after the
score. Tavla has no cube and no Crawford game, so the table is an exact recursion over games between equal
players, and a game's shares of drawn, single and larger scores are `equal_shares`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tavla_ai.errors import RulesetError
from tavla_ai.rulesets import Ruleset

# Wins by more than the smallest score, as a share of wins, between equal and strong players. Tavla 27 to 28 %,
# Plakoto 42 %, measured between strong programs (the project's notes on its peers, "Reference values"); where
# nothing has been measured, tavla's.
MARS_SHARE = 0.27
_MARS_SHARES = {"plakoto": 0.42}
# Of those, the share of each larger score in turn that stops there: in western backgammon, where some 5 % of
# gammons are backgammons.
_STOPS = 0.95

# Beyond this the far corners of the table are too close to 0 and 1 for the gaps between their utilities.
MAX_LENGTH = 40

_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Utility:
    """What each possible score of a game is worth to one side.

    Attributes:
      values: K values, best score first, never rising: points in a single game, mwc in a match.
      total: what the two sides' values of one result add up to: 0 for points, 1 for match-winning chances.

    Raises:
      RulesetError: fewer than two values, one that is not finite, values that rise, or a win worth no more
        than a loss.
    """

    values: tuple[float, ...]
    total: float = 0.0

    def __post_init__(self) -> None:
        values = tuple(float(value) for value in self.values)
        object.__setattr__(self, "values", values)
        if len(values) < 2:
            raise RulesetError(f"utility {values}: expected a value for each of at least 2 scores")
        if not np.isfinite(values).all():
            raise RulesetError(f"utility {values}: expected finite values")
        if any(better < worse for better, worse in pairwise(values)):
            raise RulesetError(f"utility {values}: expected values that fall, best score first")
        if not self._unit() > 0:
            raise RulesetError(f"utility {values}: the smallest win is worth no more than the smallest loss")

    @classmethod
    def points(cls, ruleset: Ruleset) -> Utility:
        """Return the utility of a single game: the points of each of the ruleset's scores."""
        return cls(tuple(float(score) for score in ruleset.scores))

    @property
    def inputs(self) -> tuple[float, ...]:
        """The K − 2 numbers that tell a network this utility, best score first; none is negative.

        The gaps between neighbouring scores, in units of the gap between the smallest win and the smallest
        loss, which is itself left out. In tavla they are the value of winning and of losing a mars: (½, ½) in
        a single game, (0, 0) at double match point, and never above 1 in a match while at most a third of the
        wins are mars. Where a draw splits the middle gap in two, the part above it is kept.
        """
        gaps = [better - worse for better, worse in pairwise(self.values)]
        del gaps[len(gaps) // 2]
        unit = self._unit()
        return tuple(gap / unit for gap in gaps)

    def opponent(self) -> Utility:
        """Return the utility of the same game to the other side, best score first for that side."""
        return Utility(tuple(self.total - value for value in reversed(self.values)), self.total)

    def _unit(self) -> float:
        num_wins = len(self.values) // 2
        return self.values[num_wins - 1] - self.values[-num_wins]


CubeOwner = Literal["centred", "me", "opponent"]


@dataclass(frozen=True)
class Cube:
    """The doubling cube, seen by one side.

    Attributes:
      value: what the game's points are multiplied by, a power of two.
      owner: who may double: `centred`, either side; else that side alone.

    Raises:
      RulesetError: a value that is no power of two, or an unknown owner.
    """

    value: int = 1
    owner: CubeOwner = "centred"

    def __post_init__(self) -> None:
        if self.value < 1 or self.value & (self.value - 1):
            raise RulesetError(f"cube {self.value}: expected a power of two")
        if self.owner not in get_args(CubeOwner):
            raise RulesetError(f"cube owner {self.owner!r}: expected {', '.join(get_args(CubeOwner))}")

    def swap(self) -> Cube:
        """Return the same cube seen by the other side."""
        owners: dict[CubeOwner, CubeOwner] = {"me": "opponent", "opponent": "me"}
        return Cube(self.value, owners.get(self.owner, self.owner))


@dataclass(frozen=True)
class MatchState:
    """The stakes of a game in progress, seen by one side ("me").

    Attributes:
      length: points that win the match; None for single games, which are played for points.
      score: points won so far, mine first; (0, 0) in single games.
      game: number of this game in the match, counted from 0; it decides which game of a set is played.
      is_crawford: whether this is the Crawford game, in which nobody may double.
      cube: the doubling cube; centred on 1 in games that have none.

    Raises:
      RulesetError: a length under 1, a score that is negative or already wins the match, points without a
        match, a negative game, or a Crawford game without exactly one side a point away.
    """

    length: int | None = None
    score: tuple[int, int] = (0, 0)
    game: int = 0
    is_crawford: bool = False
    cube: Cube = Cube()

    def __post_init__(self) -> None:
        mine, theirs = self.score
        if self.game < 0:
            raise RulesetError(f"game {self.game} of a match: expected 0 or more")
        if self.length is None:
            if self.score != (0, 0):
                raise RulesetError(
                    f"score {mine}-{theirs}: expected a match length with it; single games have no score"
                )
            if self.is_crawford:
                raise RulesetError("Crawford game: expected a match; single games have none")
            return
        _check_length(self.length)
        for side, points in (("my", mine), ("the opponent's", theirs)):
            if not 0 <= points < self.length:
                raise RulesetError(
                    f"match score {mine}-{theirs}: {side} {points} points,"
                    f" expected 0 to {self.length - 1} in a match to {self.length}"
                )
        if self.is_crawford and self.score.count(self.length - 1) != 1:
            raise RulesetError(
                f"Crawford game at {mine}-{theirs}: expected exactly one side with {self.length - 1} points,"
                f" one away from winning a match to {self.length}"
            )

    @property
    def away(self) -> tuple[int, int]:
        """Points that I and the opponent still need.

        Raises:
          RulesetError: there is no match.
        """
        if self.length is None:
            raise RulesetError("away: single games have no match score")
        return self.length - self.score[0], self.length - self.score[1]

    def swap(self) -> MatchState:
        """Return the same state seen by the other side."""
        return replace(self, score=(self.score[1], self.score[0]), cube=self.cube.swap())


def equal_shares(ruleset: Ruleset, mars_share: float | None = None, draw_share: float = 0.0) -> tuple[float, ...]:
    """Return the probability of each of the ruleset's scores between equal players.

    Args:
      mars_share: wins by more than the smallest score, as a share of wins; None takes what has been measured.
        Where two scores are larger, the middle one gets all but a twentieth of it.
      draw_share: drawn games, as a share of all, in games that can be drawn; a match equity table does not
        depend on it.

    Returns:
      K probabilities, best score first, the same read backwards.

    Raises:
      RulesetError: a share outside 0 to 1, or draws in a game that has none.
    """
    mars_share = _MARS_SHARES.get(ruleset.family, MARS_SHARE) if mars_share is None else mars_share
    for name, share in (("mars share", mars_share), ("draw share", draw_share)):
        if not 0 <= share <= 1:
            raise RulesetError(f"{name} {share}: expected 0 to 1")
    if draw_share > 0 and 0 not in ruleset.scores:
        raise RulesetError(f"draw share {draw_share}: no game of {ruleset.name} is drawn")
    num_wins = len(ruleset.scores) // 2
    wins: list[float] = []  # from the smallest win up
    rest, stops = 1 - draw_share, 1 - mars_share
    for _ in range(num_wins - 1):
        wins.append(rest * stops)
        rest -= wins[-1]
        stops = _STOPS
    wins.append(rest)
    half = [share / 2 for share in reversed(wins)]
    return (*half, *([draw_share] if len(ruleset.scores) % 2 else []), *reversed(half))


def match_equity_table(length: int, score_shares: Sequence[float], scores: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the chance of winning a match between equal players from every score between games.

    `M(a, b) = Σ p(s)·M(a − s, b) + Σ p(−s)·M(a, b − s)` over the scores that are not draws, divided by
    `1 − p(0)`: a drawn game is played again.

    Args:
      length: points that win the match.
      score_shares: K probabilities of a game's scores, best first; equal players have the same shares, so
        they read the same backwards.
      scores: the K scores in points, best first, as in `Ruleset.scores`.

    Returns:
      `[length + 1, length + 1]` float64, `M[a, b]` the mwc of the side that needs `a` points against one that
      needs `b`; row 0 is a match won, column 0 a match lost; `M[0, 0]`, which no match reaches, is ½.

    Raises:
      RulesetError: a length outside 1 to `MAX_LENGTH`, scores that do not fall or are not symmetric about 0,
        or shares that are negative, not symmetric, do not add up to 1, or leave nothing but draws.
    """
    _check_length(length)
    if length > MAX_LENGTH:
        raise RulesetError(f"match length {length}: expected at most {MAX_LENGTH} for a match equity table")
    shares = _check_shares(score_shares, scores)
    decided = sum(share for share, score in zip(shares, scores, strict=True) if score != 0)
    table = np.empty((length + 1, length + 1), dtype=np.float64)
    np.fill_diagonal(table, 0.5)
    table[0, 1:] = 1.0
    table[1:, 0] = 0.0
    # Scores reached from (a, b) have a smaller a + b. The trailer's half is computed, since small chances
    # keep their precision; M(b, a) = 1 − M(a, b) fills the other.
    for both in range(3, 2 * length):
        for opp_away in range(max(1, both - length), (both + 1) // 2):
            away = both - opp_away
            chance = sum(
                share * table[_after(away, opp_away, score)]
                for share, score in zip(shares, scores, strict=True)
                if score != 0
            )
            table[away, opp_away] = chance / decided
            table[opp_away, away] = 1.0 - table[away, opp_away]
    return table


def match_utility(table: npt.NDArray[np.float64], away: int, opp_away: int, scores: Sequence[int]) -> Utility:
    """Return the match-winning chance after each score of the next game.

    Args:
      table: `[n + 1, n + 1]` float64 from `match_equity_table`, with n at least as large as both needs.
      away: points that this side needs.
      opp_away: points that the other side needs.
      scores: the K scores in points, best first.

    Raises:
      RulesetError: a need outside 1 to n; the message names it.
    """
    longest = table.shape[0] - 1
    for side, need in (("away", away), ("opponent's away", opp_away)):
        if not 1 <= need <= longest:
            raise RulesetError(f"{side} {need}: expected 1 to {longest}, as far as the match equity table goes")
    return Utility(tuple(float(table[_after(away, opp_away, score)]) for score in scores), total=1.0)


def match_utility_grid(length: int, score_shares: Sequence[float], scores: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the utility values at every score of a match, for the engine.

    Args:
      length: points that win the match.
      score_shares: K probabilities of a game's scores, as in `match_equity_table`.
      scores: the K scores in points, best first.

    Returns:
      `[length, length, K]` float64, the mwc after each score at `[away − 1, opp_away − 1]`.

    Raises:
      RulesetError: see `match_equity_table`.
    """
    table = match_equity_table(length, score_shares, scores)
    needs = range(1, length + 1)
    return np.array([[match_utility(table, a, b, scores).values for b in needs] for a in needs])


def _after(away: int, opp_away: int, score: int) -> tuple[int, int]:
    """Return what both sides need after one side's `score`; points beyond the match are not counted."""
    return max(0, away - max(0, score)), max(0, opp_away - max(0, -score))


def _check_length(length: int) -> None:
    if length < 1:
        raise RulesetError(f"match length {length}: expected at least 1 point")


def _check_shares(score_shares: Sequence[float], scores: Sequence[int]) -> list[float]:
    scores = [int(score) for score in scores]
    if len(scores) < 2 or any(a <= b for a, b in pairwise(scores)):
        raise RulesetError(f"scores {scores}: expected at least two, best first")
    if scores != [-score for score in reversed(scores)]:
        raise RulesetError(f"scores {scores}: expected the same scores for both sides")
    shares = [float(share) for share in score_shares]
    if len(shares) != len(scores):
        raise RulesetError(f"score shares {shares}: {len(shares)} numbers, expected one for each of {scores}")
    if not all(0 <= share <= 1 for share in shares):
        raise RulesetError(f"score shares {shares}: expected probabilities, 0 to 1")
    if abs(sum(shares) - 1) > _TOLERANCE:
        raise RulesetError(f"score shares {shares}: they add up to {sum(shares):.6g}, expected 1")
    if any(abs(a - b) > _TOLERANCE for a, b in zip(shares, reversed(shares), strict=True)):
        raise RulesetError(f"score shares {shares}: expected the same shares for both of two equal players")
    if all(share == 0 for share, score in zip(shares, scores, strict=True) if score != 0):
        raise RulesetError(f"score shares {shares}: every game is a draw, so no match would end")
    return shares
