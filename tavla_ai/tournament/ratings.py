"""Ratings of players from their results against each other: Bradley–Terry by maximum likelihood, on the Elo scale.

A player rated `r` beats one rated `s` with probability 1 / (1 + 10^((s − r) / 400)); a draw is half a win and half a
loss (Bradley and Terry, Rank analysis of incomplete block designs, Biometrika 1952; conditions for a finite maximum:
Ford, Solution of a ranking problem from binary comparisons, 1957).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.errors import TavlaError
from tavla_ai.stats import interval_95

# Elo points of one unit of log-odds.
ELO_PER_LOGIT = 400 / math.log(10)

_MAX_STEPS = 200
_TOLERANCE = 1e-9
_NAMES_IN_MESSAGE = 5


@dataclass(frozen=True)
class Pairing:
    """The result of A against B, seen by A.

    Attributes:
      wins, losses, draws: numbers of games or matches; they may be fractions, such as luck-adjusted wins.
      standard_error: standard error of A's share of wins (draws as halves) if the games are not independent samples,
        such as pairs on the same dice. None counts each game as independent; a draw then counts as a whole game of
        information, so the errors are a little too large if many games are drawn.
    """

    a: str
    b: str
    wins: float
    losses: float
    draws: float = 0.0
    standard_error: float | None = None

    @property
    def games(self) -> float:
        """Return the number of games."""
        return self.wins + self.losses + self.draws

    @property
    def share(self) -> float:
        """Return A's share of wins, draws as halves."""
        return (self.wins + self.draws / 2) / self.games


class Rating(BaseModel):
    """The rating of a player."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the player")
    rating: float = Field(description="rating on the Elo scale")
    standard_error: float = Field(
        description="standard error of the rating, relative to the anchors or the mean; 0 for an anchor"
    )
    interval: tuple[float, float] = Field(description="95 % interval, normal approximation")
    games: float = Field(description="number of games or matches of the player")
    is_anchor: bool = Field(description="whether the rating was given, not measured")


class Ratings(BaseModel):
    """The ratings of all players of some pairings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    players: tuple[Rating, ...] = Field(description="ratings in the order in which the pairings name the players")
    covariance: tuple[tuple[float, ...], ...] = Field(
        description="covariance of the ratings, in Elo squared, in the order of the players"
    )
    log_likelihood: float = Field(description="log-likelihood of the results, without the prior, at these ratings")

    def rating(self, name: str) -> Rating:
        """Return the rating of one player.

        Raises:
          TavlaError: no such player.
        """
        return self.players[self._index(name)]

    def difference(self, a: str, b: str) -> tuple[float, float]:
        """Return the rating of A minus that of B, in Elo points, and its standard error.

        The errors of two ratings are not independent, so this error does not follow from them.

        Raises:
          TavlaError: no such player.
        """
        i, j = self._index(a), self._index(b)
        covariance = self.covariance
        variance = covariance[i][i] + covariance[j][j] - 2 * covariance[i][j]
        return self.players[i].rating - self.players[j].rating, math.sqrt(max(variance, 0.0))

    def _index(self, name: str) -> int:
        for index, player in enumerate(self.players):
            if player.name == name:
                return index
        raise TavlaError(f"player {name!r}: not rated; expected one of {_list(p.name for p in self.players)}")


def rate(
    pairings: Sequence[Pairing],
    *,
    anchors: Mapping[str, float] | None = None,
    mean: float = 1500.0,
    prior: float = 0.5,
) -> Ratings:
    """Return the ratings that make the results most likely, with their covariance.

    Only differences can be measured, so either anchors or the mean of all ratings must be fixed.

    Args:
      pairings: results; two players may meet in several of them.
      anchors: player → known rating; the standard errors of the others are relative to these.
      mean: mean of all ratings, used without anchors.
      prior: number of draws added for each player against one virtual average opponent, which is rated too. They pull
        every rating slightly towards the middle, so a player that won or lost all games has a finite rating too.

    Raises:
      TavlaError: no pairing, a number out of range, an anchor that did not play, players that no chain of games
        connects, or, without a prior, a player or group that won or lost every game against the others.
    """
    anchors = dict(anchors or {})
    names = list(dict.fromkeys(name for pairing in pairings for name in (pairing.a, pairing.b)))
    _check(pairings, names, anchors, mean, prior)
    results = _design(pairings, names)
    fixed = [names.index(name) for name in anchors]
    everything = np.ones(len(pairings), bool)
    _check_connected(names, results.a, results.b, everything, everything, fixed)
    if prior == 0:
        _check_connected(names, results.a, results.b, results.shares > 0, results.shares < 1, fixed)

    design = results if prior == 0 else results.with_virtual_opponent(len(names), prior)
    logits = np.zeros(len(names) + (prior > 0))
    for index, rating in zip(fixed, anchors.values(), strict=True):
        logits[index] = rating / ELO_PER_LOGIT
    # Without anchors the first player is at 0 until the mean is known.
    free = np.setdiff1d(np.arange(len(logits)), fixed or [0])
    if fixed:
        logits[free] = np.mean([logits[i] for i in fixed])
    logits, information = _maximise(logits, free, design)
    inverse = np.zeros((len(logits), len(logits)))
    inverse[np.ix_(free, free)] = np.linalg.inv(information)

    ratings = logits[: len(names)] * ELO_PER_LOGIT
    covariance = inverse[: len(names), : len(names)] * ELO_PER_LOGIT**2
    if not fixed:
        centring = np.eye(len(names)) - 1 / len(names)
        covariance = centring @ covariance @ centring.T
        ratings = ratings - ratings.mean() + mean
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Ratings(
        players=tuple(
            Rating(
                name=name,
                rating=rating,
                standard_error=error,
                interval=interval_95(rating, error),
                games=sum(pairing.games for pairing in pairings if name in (pairing.a, pairing.b)),
                is_anchor=name in anchors,
            )
            for name, rating, error in zip(names, ratings.tolist(), deviations.tolist(), strict=True)
        ),
        covariance=tuple(tuple(row) for row in covariance.tolist()),
        log_likelihood=results.log_likelihood(logits),
    )


@dataclass(frozen=True)
class _Design:
    """Results for the likelihood, a row for each pairing.

    Attributes:
      a: int64 `[R]`, number of the player A.
      b: int64 `[R]`, number of the player B.
      weights: float64 `[R]`, number of independent games with the same information as the pairing.
      shares: float64 `[R]`, A's share of wins, draws as halves.
    """

    a: npt.NDArray[np.int64]
    b: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]

    def with_virtual_opponent(self, num_players: int, prior: float) -> _Design:
        """Return the results with `prior` draws of each player against one more player, whose number is the last."""
        everyone = np.arange(num_players)
        return _Design(
            np.concatenate([self.a, everyone]),
            np.concatenate([self.b, np.full(num_players, num_players)]),
            np.concatenate([self.weights, np.full(num_players, prior)]),
            np.concatenate([self.shares, np.full(num_players, 0.5)]),
        )

    def log_likelihood(self, logits: npt.NDArray[np.float64]) -> float:
        """Return the logarithm of the results' likelihood at the players' logits `[N]`."""
        gaps = logits[self.a] - logits[self.b]
        return -float(self.weights @ (self.shares * np.logaddexp(0, -gaps) + (1 - self.shares) * np.logaddexp(0, gaps)))


def _design(pairings: Sequence[Pairing], names: Sequence[str]) -> _Design:
    index = {name: i for i, name in enumerate(names)}
    games = np.array([pairing.games for pairing in pairings])
    shares = np.array([pairing.share for pairing in pairings])
    errors = np.array([math.nan if p.standard_error is None else p.standard_error for p in pairings])
    return _Design(
        np.array([index[pairing.a] for pairing in pairings]),
        np.array([index[pairing.b] for pairing in pairings]),
        # The number of independent games that would have the given standard error.
        np.where(np.isnan(errors), games, shares * (1 - shares) / errors**2),
        shares,
    )


def _maximise(
    logits: npt.NDArray[np.float64], free: npt.NDArray[np.int64], design: _Design
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the most likely logits `[N]` and the information `[F, F]` about the free ones, by Newton's method.

    The likelihood is concave, so steps that are halved until they help always converge.
    """
    a, b, weights, shares = design.a, design.b, design.weights, design.shares
    value = design.log_likelihood(logits)
    for _ in range(_MAX_STEPS):
        gaps = logits[a] - logits[b]
        # Both to full relative precision: after millions of wins in a row only the chance of a loss matters.
        wins, losses = np.exp(-np.logaddexp(0, -gaps)), np.exp(-np.logaddexp(0, gaps))
        surplus = weights * (shares * losses - (1 - shares) * wins)
        gradient = np.bincount(a, surplus, len(logits)) - np.bincount(b, surplus, len(logits))
        spread = weights * wins * losses
        information = np.zeros((len(logits), len(logits)))
        for rows, columns, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(information, (rows, columns), sign * spread)
        information = information[np.ix_(free, free)]
        if not len(free):
            return logits, information
        step = np.zeros_like(logits)
        try:
            step[free] = np.linalg.solve(information, gradient[free])
        except np.linalg.LinAlgError:
            break
        if not np.isfinite(step).all():
            break
        if abs(step).max() < _TOLERANCE:
            return logits, information
        while (new := design.log_likelihood(logits + step)) < value - 1e-12 * abs(value):
            step /= 2
        logits, value = logits + step, new
    raise TavlaError(
        "ratings: no maximum found; the anchors are too far apart for these results, or the prior is too small"
    )


def _check(
    pairings: Sequence[Pairing], names: Sequence[str], anchors: Mapping[str, float], mean: float, prior: float
) -> None:
    if not pairings:
        raise TavlaError("ratings of no pairing: expected at least 1")
    for pairing in pairings:
        where = f"pairing {pairing.a} - {pairing.b}"
        if pairing.a == pairing.b:
            raise TavlaError(f"{where}: expected two players")
        for what in ("wins", "losses", "draws"):
            number = getattr(pairing, what)
            if not (math.isfinite(number) and number >= 0):
                raise TavlaError(f"{where}: {number} {what}: expected a number from 0 up")
        if pairing.games == 0:
            raise TavlaError(f"{where}: no games")
        error = pairing.standard_error
        if error is None:
            continue
        if not (math.isfinite(error) and error > 0):
            raise TavlaError(f"{where}: standard error {error}: expected more than 0, or none")
        if not 0 < pairing.share < 1:
            raise TavlaError(
                f"{where}: standard error {error} of a share of {pairing.share:g}: expected none, nothing varied"
            )
    for name, rating in anchors.items():
        if name not in names:
            raise TavlaError(f"anchor {name!r}: plays in no pairing; expected one of {_list(names)}")
        if not math.isfinite(rating):
            raise TavlaError(f"anchor {name!r}: rating {rating}: expected a finite number")
    if not math.isfinite(mean):
        raise TavlaError(f"mean {mean}: expected a finite number")
    if not (math.isfinite(prior) and prior >= 0):
        raise TavlaError(f"prior {prior}: expected a number of draws from 0 up")


def _check_connected(
    names: Sequence[str],
    a: npt.NDArray[np.int64],
    b: npt.NDArray[np.int64],
    a_scored: npt.NDArray[np.bool_],
    b_scored: npt.NDArray[np.bool_],
    fixed: Sequence[int],
) -> None:
    """Refuse players that no chain of pairings compares.

    An arrow leads from A to B where `a_scored`, and back where `b_scored`; every player must reach every other. Anchors
    need no arrows between them.
    """
    reach = np.eye(len(names), dtype=bool)
    reach[a[a_scored], b[a_scored]] = True
    reach[b[b_scored], a[b_scored]] = True
    reach[np.ix_(list(fixed), list(fixed))] = True
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    both = reach & reach.T
    if both.all():
        return
    groups = list(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in both))
    listed = " | ".join(_list(names[i] for i in group) for group in groups)
    if (reach == reach.T).all():
        raise TavlaError(f"ratings: no games connect these groups of players: {listed}")
    raise TavlaError(
        f"ratings: between these groups of players one side won every game: {listed}; expected a prior above 0"
    )


def _list(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(listed[:_NAMES_IN_MESSAGE])
    return shown if len(listed) <= _NAMES_IN_MESSAGE else f"{shown} and {len(listed) - _NAMES_IN_MESSAGE} more"
