"""Match equity: the chance of winning a match at every score, and the worth of each score of a game.

A game's possible scores are listed best first, as in `Ruleset.scores`; a `Utility` gives each of them a
value. In a single game that is the points themselves, in a match the match-winning chance (mwc) after the
score. `MatchEquity` holds the mwc of every score between games, by exact recursion from the shares of a
game's outcomes and the house's rules: who starts the next game, which game of a set it is, what follows a
draw, and the cube, whose play within a game follows Janowski's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.match.state import Cube, MatchState, Utility, check_length
from tavla_ai.rules import MatchSet, Ruleset, get_ruleset

# Of the wins by more than the smallest score, the share of each larger score in turn that stops there: in western
# backgammon, where some 5 % of gammons are backgammons.
_STOPS = 0.95

# In longer tables the far corners are too close to 0 and 1 to keep gaps between their utilities.
MAX_LENGTH = 40

_TOLERANCE = 1e-6

# Greatest number of states that a table remembers.
_MOST_STATES = 4096
_Known = TypeVar("_Known")


def equal_shares(ruleset: Ruleset, mars_share: float | None = None, draw_share: float = 0.0) -> tuple[float, ...]:
    """Return the probability of each of the ruleset's scores between equal players.

    Args:
      mars_share: share of wins by more than the smallest score; None takes the family's share. If two scores are
        larger, the middle one gets all but a twentieth of it.
      draw_share: share of drawn games, in games that can be drawn.

    Returns:
      K probabilities, best score first, the same read backwards.

    Raises:
      RulesetError: a share outside 0 to 1, or draws in a game that has none.
    """
    mars_share = ruleset.mars_share if mars_share is None else mars_share
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


Starter = Literal["fresh", "me", "opponent"]

# Rows of the table: who starts a game, and whether the Crawford game has been played.
_FRESH, _ME, _OPPONENT = range(3)
_STARTERS: dict[Starter, int] = {"fresh": _FRESH, "me": _ME, "opponent": _OPPONENT}
_BEFORE, _AFTER = range(2)


@dataclass(frozen=True, eq=False)
class MatchEquity:
    """A match equity table: the chance of winning a match from every score. `match_equity` makes it.

    Everything is seen by one side ("me") of two that play equally well. A table serves every match that is no
    longer than its own.

    Attributes:
      games: rulesets of the games that are played in turn; one, or those of a set.
      length: points of the longest match.
      shares: for each of `games` the K probabilities of its scores to the side that starts it, best first.
    """

    games: tuple[Ruleset, ...]
    length: int
    shares: tuple[tuple[float, ...], ...]
    # float64 `[games, 2, 3, length + 1, length + 1]`: game of the set, before or after the Crawford game, who
    # starts, my points away, the opponent's.
    _values: npt.NDArray[np.float64] = field(repr=False)
    # Utilities by state, as far as they were needed.
    _utilities: dict[MatchState, Utility] = field(default_factory=dict, repr=False, init=False)
    # The engine's stakes by state, as far as they were needed.
    _stakes: dict[MatchState, engine.CubeStakes] = field(default_factory=dict, repr=False, init=False)

    def ruleset_of(self, state: MatchState) -> Ruleset:
        """Return the ruleset of the game in a state."""
        return self.games[state.game % len(self.games)]

    @property
    def has_crawford(self) -> bool:
        """Whether its matches have a Crawford game."""
        return any(ruleset.crawford for ruleset in self.games)

    def mwc(self, state: MatchState, starter: Starter = "fresh") -> float:
        """Return my chance of winning the match at the start of a game, before its opening roll.

        Args:
          state: the score; the cube is centred on 1.
          starter: who starts the game: `fresh`, either side with chance ½.

        Raises:
          RulesetError: no match, one longer than the table, a game in progress whose cube was turned, an
            unknown starter, or a Crawford game where the house has none.
        """
        self._check(state)
        if state.length is None:
            raise RulesetError("match-winning chance: expected a match; single games are played for points")
        if state.cube != Cube():
            raise RulesetError(f"cube {state.cube.value}, {state.cube.owner}: a game starts with it centred on 1")
        away, opp_away = state.away
        phase = _BEFORE if state.is_crawford else self._phase(away, opp_away)
        return float(self._values[self._game(state.game), phase, _index(starter), away, opp_away])

    def value_after(self, state: MatchState, points: int) -> float:
        """Return the worth to me of the game in progress if it ends with these points for me.

        Args:
          points: points with the cube counted; negative if the opponent wins them, 0 for a draw. Points beyond the
            match do not count.

        Returns:
          My match-winning chance before the next game; without a match, the points.

        Raises:
          RulesetError: a match longer than the table, a cube or a Crawford game where the house has none.
        """
        self._check(state)
        if state.length is None:
            return float(points)
        return self._after(self._game(state.game), *state.away, points)

    def utility(self, state: MatchState) -> Utility:
        """Return the worth to me of each score of the game in progress.

        In a match that is my chance of winning it, the cube counted; in single games the points, in units of
        the cube.

        Raises:
          RulesetError: see `value_after`.
        """
        return _remembered(self._utilities, state, self._utility)

    def _utility(self, state: MatchState) -> Utility:
        ruleset = self.ruleset_of(state)
        if state.length is None:
            self._check(state)
            return Utility.points(ruleset)
        values = (self.value_after(state, score * state.cube.value) for score in ruleset.scores)
        return Utility(tuple(values), total=1.0)

    def cube_stakes(self, state: MatchState) -> engine.CubeStakes:
        """Return the stakes of the game in progress as the engine's cube decisions take them, seen by me.

        Raises:
          RulesetError: see `value_after`.
        """
        return _remembered(self._stakes, state, self._cube_stakes)

    def _cube_stakes(self, state: MatchState) -> engine.CubeStakes:
        self._check(state)
        worth, away = None, (1, 1)
        if state.length is not None:
            worth, away = self._worth(self._game(state.game), *state.away), state.away
        return engine.CubeStakes(
            worth,
            away,
            limit=self.ruleset_of(state).cube_limit,
            value=state.cube.value,
            owner=state.cube.owner,
            is_crawford=state.is_crawford,
        )

    def _worth(self, index: int, away: int, opp_away: int) -> npt.NDArray[np.float64]:
        """Return the mwc after game `index` of the set ends with −length to length points for me."""
        return np.array([self._after(index, away, opp_away, points) for points in range(-self.length, self.length + 1)])

    def utility_grid(self, game: int = 0) -> npt.NDArray[np.float64]:
        """Return the utility values at every score of the match, for the engine.

        Args:
          game: number of the game in the match, counted from 0.

        Returns:
          `[length, length, K]` float64, the mwc after each score at `[away − 1, opp_away − 1]`, with the cube
          on 1.
        """
        index, needs = self._game(game), range(1, self.length + 1)
        scores = self.games[index].scores
        return np.array(
            [[[self._after(index, away, opp_away, score) for score in scores] for opp_away in needs] for away in needs]
        )

    def table(self, game: int = 0, starter: Starter = "fresh") -> npt.NDArray[np.float64]:
        """Return the mwc at the start of a game at every score.

        Where a side is a point away and the house has a Crawford game, this is it; `after_crawford` has the
        games that follow.

        Args:
          game: number of the game in the match, counted from 0.
          starter: who starts the game.

        Returns:
          `[length + 1, length + 1]` float64, read-only, the mwc at `[away, opp_away]`; row 0 is a match won,
          column 0 a match lost; `[0, 0]`, which no match reaches, is ½.
        """
        table: npt.NDArray[np.float64] = self._values[self._game(game), _BEFORE, _index(starter)]
        return table

    def after_crawford(self, game: int = 0, starter: Starter = "fresh") -> npt.NDArray[np.float64]:
        """Return my mwc after the Crawford game, when the opponent is a point away.

        Returns:
          `[length + 1]` float64, read-only, by the points that I still need.

        Raises:
          RulesetError: the house has no Crawford game.
        """
        if not self.has_crawford:
            raise RulesetError(f"Crawford game: {self._name()} has none")
        column: npt.NDArray[np.float64] = self._values[self._game(game), _AFTER, _index(starter), :, 1]
        return column

    def _name(self) -> str:
        return " → ".join(ruleset.name for ruleset in self.games)

    def _game(self, game: int) -> int:
        if game < 0:
            raise RulesetError(f"game {game} of a match: expected 0 or more")
        return game % len(self.games)

    def _phase(self, away: int, opp_away: int) -> int:
        """Return the phase of a game at a score that is not the Crawford game, or of what follows any game at it."""
        return _AFTER if self.has_crawford and min(away, opp_away) == 1 else _BEFORE

    def _after(self, index: int, away: int, opp_away: int, points: int) -> float:
        """Return the mwc once game `index` of the set, begun at this score, has ended with `points` for me."""
        following = (index + 1) % len(self.games)
        starter = _FRESH
        if points != 0 and self.games[following].next_game == "winner_rolls":
            starter = _ME if points > 0 else _OPPONENT
        after = max(0, away - max(0, points)), max(0, opp_away - max(0, -points))
        return float(self._values[(following, self._phase(away, opp_away), starter, *after)])

    def _check(self, state: MatchState) -> None:
        ruleset = self.ruleset_of(state)
        if state.length is not None and state.length > self.length:
            raise RulesetError(
                f"match length {state.length}: expected at most {self.length}, as far as the match equity table goes"
            )
        if state.is_crawford and not self.has_crawford:
            raise RulesetError(f"Crawford game: {self._name()} has none")
        if state.cube != Cube() and not ruleset.cube:
            raise RulesetError(f"cube {state.cube.value}, {state.cube.owner}: {ruleset.name} has no cube")
        if state.cube.value > ruleset.cube_limit:
            raise RulesetError(f"cube {state.cube.value}: expected at most {ruleset.cube_limit} in {ruleset.name}")


def match_equity(
    game: Ruleset | MatchSet, length: int, shares: Mapping[str, Sequence[float]] | None = None
) -> MatchEquity:
    """Return the match equity table of a game or a set of games, between equal players.

    A game's mwc is the mean of the mwc after its scores; in a game with a cube, what `engine.cubeful_equity` makes
    of them. A drawn game leaves the score and moves on to the next game of the set, so the games at one score
    form a ring, which is solved exactly.

    Args:
      length: points that win the match, 1 to `MAX_LENGTH`.
      shares: ruleset name → K probabilities of the scores to the side that starts the game, best first; a
        game that is not among them gets its `equal_shares`.

    Raises:
      RulesetError: a length out of range, shares of a game that is not played, shares that are not K
        probabilities or leave nothing but draws, or a game with a cube that can be drawn.
    """
    check_length(length)
    if length > MAX_LENGTH:
        raise RulesetError(f"match length {length}: expected at most {MAX_LENGTH} for a match equity table")
    games = (game,) if isinstance(game, Ruleset) else tuple(get_ruleset(name) for name in game.games)
    given = dict(shares or {})
    for name in given:
        if name not in {ruleset.name for ruleset in games}:
            raise RulesetError(f"score shares of {name!r}: {game.name} is played as {', '.join(r.name for r in games)}")
    checked = tuple(
        _check_shares(ruleset, given[ruleset.name]) if ruleset.name in given else equal_shares(ruleset)
        for ruleset in games
    )
    for ruleset in games:
        if ruleset.cube and 0 in ruleset.scores:
            raise RulesetError(f"{ruleset.name}: a game with a cube cannot be drawn")
    if all(_draw_share(ruleset, own) == 1 for ruleset, own in zip(games, checked, strict=True)):
        raise RulesetError(f"score shares {checked}: every game is a draw, so no match would end")
    values = np.full((len(games), 2, 3, length + 1, length + 1), np.nan)
    values[..., 0, :] = 1.0
    values[..., 0] = 0.0
    values[..., 0, 0] = 0.5
    equity = MatchEquity(games, length, checked, values)
    # Scores reached from (a, b) have a smaller a + b.
    for both in range(2, 2 * length + 1):
        for opp_away in range(max(1, both - length), both // 2 + 1):
            phases = (_AFTER, _BEFORE) if equity.has_crawford and opp_away == 1 else (_BEFORE,)
            for phase in phases:
                _solve(equity, values, phase, both - opp_away, opp_away)
    values.flags.writeable = False
    return equity


def _remembered(known: dict[MatchState, _Known], state: MatchState, make: Callable[[MatchState], _Known]) -> _Known:
    """Return what is known of a state, or make it; a table remembers only so many states."""
    if state not in known:
        made = make(state)
        if len(known) >= _MOST_STATES:
            known.clear()
        known[state] = made
    return known[state]


def _solve(equity: MatchEquity, values: npt.NDArray[np.float64], phase: int, away: int, opp_away: int) -> None:
    """Fill in one score and its mirror, where `away` is at least `opp_away`, for each game and starter.

    The trailer's chances are sums of small numbers, which keep their precision; the leader's are what is left.
    """
    # Without the draws: the mwc when I start each game, and when the opponent does.
    started: list[float] = []
    answered: list[float] = []
    draws: list[float] = []
    for index, ruleset in enumerate(equity.games):
        can_double = ruleset.cube and not (equity.has_crawford and phase == _BEFORE and opp_away == 1 and away > 1)
        shares = equity.shares[index]
        for side, outcomes in ((started, shares), (answered, shares[::-1])):
            side.append(_game_value(equity, index, away, opp_away, outcomes, can_double))
        draws.append(_draw_share(ruleset, shares))
    # What a fresh start of each game is worth: its mean u(g) = d(g) + p(g)·u(g + 1) over both starters, where
    # p are the draws; round the ring back to u(0).
    means = [(mine + theirs) / 2 for mine, theirs in zip(started, answered, strict=True)]
    fresh = [0.5] * len(means)
    if away != opp_away:
        total, reached = 0.0, 1.0
        for mean, draw in zip(means, draws, strict=True):
            total += reached * mean
            reached *= draw
        fresh[0] = total / (1 - reached)
        for index in reversed(range(1, len(means))):
            fresh[index] = means[index] + draws[index] * fresh[(index + 1) % len(means)]
    for index, draw in enumerate(draws):
        drawn = draw * fresh[(index + 1) % len(draws)]
        mine, theirs = started[index] + drawn, answered[index] + drawn
        if away == opp_away:
            theirs = 1 - mine
        cells = values[index, phase]
        # To need a point more is never worth more: neither rounding nor the cube's model, which is approximate,
        # may say so.
        bounds = cells[:, away, opp_away - 1], cells[:, away - 1, opp_away]
        cells[:, away, opp_away] = np.clip([fresh[index], mine, theirs], *bounds)
        if away != opp_away:
            cells[[_FRESH, _OPPONENT, _ME], opp_away, away] = 1 - cells[:, away, opp_away]


def _game_value(
    equity: MatchEquity, index: int, away: int, opp_away: int, outcomes: Sequence[float], can_double: bool
) -> float:
    """Return the mwc before a game with these outcomes to me, its draws counted as lost matches."""
    scores = equity.games[index].scores
    if can_double:
        stakes = engine.CubeStakes(
            equity._worth(index, away, opp_away), (away, opp_away), limit=equity.games[index].cube_limit
        )
        return engine.cubeful_equity(scores, outcomes, stakes)
    return sum(
        share * equity._after(index, away, opp_away, score)
        for score, share in zip(scores, outcomes, strict=True)
        if score != 0
    )


def _draw_share(ruleset: Ruleset, shares: Sequence[float]) -> float:
    return shares[ruleset.scores.index(0)] if 0 in ruleset.scores else 0.0


def _index(starter: Starter) -> int:
    if starter not in _STARTERS:
        raise RulesetError(f"starter {starter!r}: expected {', '.join(_STARTERS)}")
    return _STARTERS[starter]


def _check_shares(ruleset: Ruleset, score_shares: Sequence[float]) -> tuple[float, ...]:
    name = f"score shares of {ruleset.name} {[float(share) for share in score_shares]}"
    shares = tuple(float(share) for share in score_shares)
    if len(shares) != len(ruleset.scores):
        raise RulesetError(
            f"{name}: {len(shares)} numbers, expected one for each of {', '.join(map(str, ruleset.scores))}"
        )
    if not all(0 <= share <= 1 for share in shares):
        raise RulesetError(f"{name}: expected probabilities, 0 to 1")
    if abs(sum(shares) - 1) > _TOLERANCE:
        raise RulesetError(f"{name}: they add up to {sum(shares):.6g}, expected 1")
    return shares
