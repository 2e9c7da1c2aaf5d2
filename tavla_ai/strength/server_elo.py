"""The game server's own Elo: players' ratings change with each match, bots' ratings are fixed.

House rules of North Sultan: a player starts at 1500, K is 32 for the first 30 rated matches and 16 after them, the
rating is rounded after each match, and the bots' ratings are fixed. A match counts as won or lost; a mars in a
game of the match does not count again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.errors import TavlaError

START = 1500.0
BOTS: Mapping[str, float] = {"easy": 1200.0, "medium": 1500.0, "hard": 1750.0}
# K of a player's first matches, the number of those, and K afterwards.
FIRST_K, FIRST_MATCHES, LATER_K = 32, 30, 16
# Percentiles of the runs' ratings.
PERCENTILES = (5, 25, 50, 75, 95)

MAX_MATCHES = 1_000_000
MAX_RUNS = 1_000_000
# A limit far beyond any player's rating, within which the formula is exact enough.
_MAX_RATING = 1e5


def expected_score(rating: float, opponent: float) -> float:
    """Return the share of matches that a player should win: 1 / (1 + 10^((opponent − rating) / 400))."""
    # tanh does not overflow for any difference of ratings.
    return 0.5 * (1 + math.tanh((rating - opponent) * math.log(10) / 800))


def update(rating: float, opponent: float, score: float, matches_played: int, *, rounded: bool = True) -> float:
    """Return a player's rating after a match.

    Args:
      rating: rating of the player before the match.
      opponent: rating of the opponent before the match. A bot's rating does not change. Between two players the same
        function gives the other rating; without rounding and with the same K the sum of both ratings stays the same.
      score: 1 for a won match, 0 for a lost one, 0.5 for one without a winner.
      matches_played: number of the player's rated matches before this one; it decides K.
      rounded: whether to round to whole points, as the server does. The house does not say how halves are rounded; here
        they go up, like `Math.round`.

    Raises:
      TavlaError: the score is not 0 to 1, or the number of matches is negative.
    """
    if not 0 <= score <= 1:
        raise TavlaError(f"score {score:g}: expected 1 for a won match, 0 for a lost one; a mars is no second win")
    if matches_played < 0:
        raise TavlaError(f"{matches_played} matches played: expected 0 or more")
    new = rating + _k(matches_played) * (score - expected_score(rating, opponent))
    return float(math.floor(new + 0.5)) if rounded else new


class EloSimulation(BaseModel):
    """Final ratings of a player over many runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bots: dict[str, float] = Field(description="rating of each bot")
    win_chances: dict[str, float] = Field(description="true chance of the player of winning a match against each bot")
    mix: dict[str, float] = Field(description="share of matches against each bot")
    matches: int = Field(description="number of matches of a run")
    runs: int = Field(description="number of independent runs")
    seed: int = Field(description="seed of the matches")
    settles_at: float | None = Field(
        description="rating at which wins and losses balance without rounding; null if there is none"
    )
    final_mean: float = Field(description="mean rating after the last match")
    final_deviation: float = Field(description="standard deviation of that rating over the runs")
    percentiles: tuple[int, ...] = Field(description="percentiles of `band`")
    mean: tuple[float, ...] = Field(description="mean rating after 0, 1, 2, ... matches")
    deviation: tuple[float, ...] = Field(description="standard deviation of the rating after 0, 1, 2, ... matches")
    band: tuple[tuple[float, ...], ...] = Field(
        description="for each number of matches, the percentiles of the rating over the runs"
    )


def simulate(
    win_chances: Mapping[str, float],
    *,
    bots: Mapping[str, float] = BOTS,
    mix: Mapping[str, float] | None = None,
    matches: int = 200,
    runs: int = 2000,
    seed: int = 1,
) -> EloSimulation:
    """Let a player of known strength play rated matches against the bots, in many runs.

    Args:
      win_chances: chance of winning a match against each bot that the player meets; `chances` computes them from a
        rating.
      bots: rating of each bot.
      mix: relative frequency of matches against each bot; None is equal.
      matches: number of matches of a run.
      runs: number of independent runs.
      seed: seed of the matches; the result is a function of the arguments.

    Raises:
      TavlaError: an unknown bot, no bot to play against, or a number out of range.
    """
    mix = dict.fromkeys(win_chances, 1.0) if mix is None else mix
    _check_simulation(win_chances, bots, mix, matches, runs)
    met = [name for name, weight in mix.items() if weight > 0]
    weights = np.array([mix[name] for name in met], np.float64)
    weights /= weights.sum()
    wins = np.array([win_chances[name] for name in met])
    opponents = np.array([bots[name] for name in met])

    rng = np.random.default_rng(seed)
    ratings = np.full(runs, START)
    path = [_summary(ratings)]
    for played in range(matches):
        chosen = rng.choice(len(met), runs, p=weights)
        scores = rng.random(runs) < wins[chosen]
        expected = 0.5 * (1 + np.tanh((ratings - opponents[chosen]) * math.log(10) / 800))
        ratings = np.floor(ratings + _k(played) * (scores - expected) + 0.5)
        path.append(_summary(ratings))
    means, deviations, bands = zip(*path, strict=True)
    return EloSimulation(
        bots=dict(bots),
        win_chances={name: float(win_chances[name]) for name in met},
        mix=dict(zip(met, weights.tolist(), strict=True)),
        matches=matches,
        runs=runs,
        seed=seed,
        settles_at=_balance(float(weights @ wins), opponents, weights),
        final_mean=means[-1],
        final_deviation=deviations[-1],
        percentiles=PERCENTILES,
        mean=means,
        deviation=deviations,
        band=bands,
    )


def _check_simulation(
    win_chances: Mapping[str, float], bots: Mapping[str, float], mix: Mapping[str, float], matches: int, runs: int
) -> None:
    for what, number, limit in (("matches", matches, MAX_MATCHES), ("runs", runs, MAX_RUNS)):
        if not 1 <= number <= limit:
            raise TavlaError(f"{number} {what}: expected 1 to {limit}")
    for name, rating in bots.items():
        _check_rating(f"bot {name!r}", rating)
    for what, named in (("win chance", win_chances), ("mix", mix)):
        for name, value in named.items():
            if name not in bots:
                raise TavlaError(f"{what} of {name!r}: no such bot; expected one of {', '.join(bots)}")
            if what == "win chance" and not 0 <= value <= 1:
                raise TavlaError(f"win chance {value:g} against {name}: expected 0 to 1")
            if not (math.isfinite(value) and value >= 0):
                raise TavlaError(f"mix {value:g} of {name}: expected a number from 0 up")
    met = [name for name, weight in mix.items() if weight > 0]
    if not met:
        raise TavlaError("mix: expected a share above 0 for at least one bot")
    for name in met:
        if name not in win_chances:
            raise TavlaError(f"mix of {name!r}: expected a win chance against it too")


def chances(strength: float, bots: Mapping[str, float] = BOTS) -> dict[str, float]:
    """Return the chances of a player with the true rating `strength` of winning a match against each bot."""
    _check_rating("strength", strength)
    return {name: expected_score(strength, rating) for name, rating in bots.items()}


def _k(matches_played: int) -> int:
    return FIRST_K if matches_played < FIRST_MATCHES else LATER_K


def _check_rating(what: str, rating: float) -> None:
    if not abs(rating) <= _MAX_RATING:
        raise TavlaError(f"{what}: rating {rating:g}: expected {-_MAX_RATING:g} to {_MAX_RATING:g}")


def _summary(ratings: npt.NDArray[np.float64]) -> tuple[float, float, tuple[float, ...]]:
    return float(ratings.mean()), float(ratings.std()), tuple(np.percentile(ratings, PERCENTILES).tolist())


def _balance(win_share: float, opponents: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> float | None:
    """Return the rating whose expected score over the mix is `win_share`, by bisection."""
    if not 0 < win_share < 1:
        return None
    low, high = -2 * _MAX_RATING, 2 * _MAX_RATING
    for _ in range(100):
        middle = (low + high) / 2
        expected = sum(
            weight * expected_score(middle, opponent)
            for weight, opponent in zip(weights.tolist(), opponents.tolist(), strict=True)
        )
        low, high = (middle, high) if expected < win_share else (low, middle)
    return (low + high) / 2
