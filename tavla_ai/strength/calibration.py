"""Calibration: the noise with which a checkpoint is as strong as a level is said to be.

A ladder is made from the top. Hard plays as well as it can; Medium's noise is searched against Hard, Easy's against
Medium, each by matches on dice that no other step has. What is written is not what the search saw: each gap is measured
once more on fresh dice, with so many matches that its 95 % interval lies within 15 Elo points of what was asked for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.bots import (
    LEVEL_NAMES,
    Bot,
    Ladder,
    LevelName,
    Levels,
    PlayStyle,
    RatedLevel,
    checkpoint_bot,
    save_levels,
)
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.files import require_writable
from tavla_ai.network import Checkpoint
from tavla_ai.rules import Ruleset
from tavla_ai.stats import interval_95, margin_95
from tavla_ai.tournament import ELO_PER_LOGIT, Pairing, PairResult, play_pairing, rate, rated_pairings

# A gap is as asked for if its 95 % interval lies within so many Elo points of it.
TOLERANCE = 15.0
DEFAULT_MATCHES, DEFAULT_SEARCH_MATCHES = 40_000, 4_000
ANCHOR: LevelName = "medium"

# A level's cap in units of its noise. A tighter one asks for more noise, and its levels miss more plays that are
# clear; a wider one lets a level make larger errors. With this one 99 of 100 losses are within the cap, Hard judging.
CAP_PER_NOISE = 2.5

# Points. Who is off by more plays no backgammon.
_MAX_NOISE = 0.8
_FIRST_NOISE = 0.05
_STEPS = 8
# How often a search goes on after a verification that did not hold; a right noise fails once in a few hundred times.
_VERIFICATIONS = 4
# Over a gap of so many Elo points the line through the steps is off by a tenth of them.
_CURVATURE = 0.1
# What is written is what was measured: noise has so many decimals.
_DECIMALS = 4


@dataclass(frozen=True)
class Step:
    """Matches of a level with some noise against the level above it.

    Attributes:
      level: who was weakened.
      stronger: the level above it.
      noise: its noise, in points.
      cap: its cap, in points.
      gap: Elo points by which it was weaker.
      error: standard error of the gap.
      matches: played.
      is_verification: whether this is measured to be written, not to search.
    """

    level: LevelName
    stronger: LevelName
    noise: float
    cap: float
    gap: float
    error: float
    matches: int
    is_verification: bool

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the gap."""
        return interval_95(self.gap, self.error)

    def is_near(self, target: float) -> bool:
        """Return whether the interval of the gap lies within the tolerance of `target`."""
        low, high = self.interval
        return target - TOLERANCE <= low and high <= target + TOLERANCE


class MeasuredGap(BaseModel):
    """A gap between two neighbours of a ladder, measured on dice that no search has seen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stronger: LevelName = Field(description="the better one")
    weaker: LevelName = Field(description="the other one")
    target: float = Field(description="Elo points asked for")
    gap: float = Field(description="Elo points measured")
    interval: tuple[float, float] = Field(description="95 % interval of the gap, from pairs on the same dice")
    share: float = Field(description="matches that the better one won, as a share of all")
    matches: int = Field(description="matches played")
    searched: int = Field(description="matches of the search before it")


class Calibration(BaseModel):
    """A ladder and what it was measured by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ladder: Ladder = Field(description="as it stands in the file of levels")
    gaps: tuple[MeasuredGap, ...] = Field(description="from the top down")


def calibrate(
    ruleset: Ruleset,
    match_length: int,
    ratings: Mapping[LevelName, float],
    checkpoints: Mapping[LevelName, Checkpoint],
    out: Path,
    *,
    seed: int = 1,
    matches: int = DEFAULT_MATCHES,
    search_matches: int = DEFAULT_SEARCH_MATCHES,
    workers: int = 1,
    report: Callable[[Step], None] | None = None,
) -> Calibration:
    """Find the noise of a house's levels, measure them, and write them into a file of levels.

    The file's other ladders stay; nothing is written unless all gaps hold.

    Args:
      match_length: points that win the matches.
      ratings: the ratings asked for; only their differences are measured.
      checkpoints: whose network each level plays.
      out: the file of levels.
      seed: of the whole, 0 to 2**64 − 1; the result is the same for any number of workers.
      matches: of each measured gap, even.
      search_matches: of each step of a search, even.
      workers: engine threads.
      report: called with each step.

    Raises:
      TavlaError: ratings that do not rise from Easy to Hard, a gap that no noise gives, too few matches to know a gap
        to 15 Elo points, an existing file that cannot be read, or a number out of range.
      RulesetError: the house does not offer that match length, or Gul Bara, which is played without noise.
      CheckpointError: a network is of another game.
    """
    _check(ruleset, match_length, ratings, seed)
    for number in (matches, search_matches):
        if number < 2 or number % 2:
            raise TavlaError(f"{number} matches: expected an even number from 2 up; pairs have the same dice")
    # What cannot be read, written or told is found out before the long search.
    if out.exists():
        Levels(out).find(ruleset, match_length)
    require_writable(out)
    for weaker, stronger in pairwise(LEVEL_NAMES):
        _check_matches(matches, ratings[stronger] - ratings[weaker])
    table = _Table(ruleset, match_length, dict(checkpoints), seed, workers, report or (lambda _: None))
    steps: dict[LevelName, Step] = {}
    gaps: list[MeasuredGap] = []
    pairings: list[Pairing] = []
    for weaker, stronger in reversed(list(pairwise(LEVEL_NAMES))):
        above = steps[stronger].noise if stronger in steps else 0.0
        target = ratings[stronger] - ratings[weaker]
        search = _Search(table, stronger, above, weaker, target, search_matches)
        steps[weaker], result = search.run(matches)
        pairings += rated_pairings([result])
        gaps.append(
            MeasuredGap(
                stronger=stronger,
                weaker=weaker,
                target=target,
                gap=steps[weaker].gap,
                interval=steps[weaker].interval,
                share=result.share,
                matches=matches,
                searched=sum(step.matches for step in search.steps),
            )
        )
    rated = rate(pairings, anchors={ANCHOR: ratings[ANCHOR]}, prior=0.0)
    ladder = Ladder(
        ruleset=ruleset.name,
        match_length=match_length,
        anchor=ANCHOR,
        matches=matches,
        seed=seed,
        levels={
            name: RatedLevel(
                checkpoint=Path(os.path.relpath(checkpoints[name].path, out.parent)).as_posix(),
                weights_sha256=checkpoints[name].card.weights_sha256,
                noise=steps[name].noise if name in steps else 0.0,
                cap=steps[name].cap if name in steps else 0.0,
                target=ratings[name],
                rating=round(rated.rating(name).rating, 1),
                interval=_rounded(rated.rating(name).interval),
            )
            for name in LEVEL_NAMES
        },
    )
    save_levels(out, Levels(out).with_ladder(ladder))
    return Calibration(ladder=ladder, gaps=tuple(gaps))


def win_share(gap: float) -> float:
    """Return the share of matches that the stronger side wins, so many Elo points above the other."""
    return 1 / (1 + math.exp(-gap / ELO_PER_LOGIT))


class _Table:
    """Where levels with some noise play matches, each time on dice of their own."""

    def __init__(
        self,
        ruleset: Ruleset,
        match_length: int,
        checkpoints: dict[LevelName, Checkpoint],
        seed: int,
        workers: int,
        report: Callable[[Step], None],
    ) -> None:
        self.ruleset, self.match_length = ruleset, match_length
        self.checkpoints, self.workers, self.report = checkpoints, workers, report
        self._dice = np.random.SeedSequence(seed)

    def _bot(self, name: LevelName, noise: float) -> Bot:
        return checkpoint_bot(name, self.ruleset, self.checkpoints[name], PlayStyle(noise=noise, cap=_cap(noise)))

    def play(
        self, stronger: LevelName, above: float, weaker: LevelName, noise: float, matches: int, *, is_verification: bool
    ) -> tuple[Step, PairResult]:
        """Return what matches between two levels with such noises came to."""
        dice = int(self._dice.spawn(1)[0].generate_state(1, np.uint64)[0])
        bots = self._bot(stronger, above), self._bot(weaker, noise)
        result = play_pairing(self.ruleset, *bots, matches, dice, self.match_length, workers=self.workers)
        # A side that won, or lost, all matches is taken to be half a match away from it.
        share = min(max(result.share, 0.5 / matches), 1 - 0.5 / matches)
        error = max(result.share_standard_error or 0.0, 0.5 / matches)
        step = Step(
            level=weaker,
            stronger=stronger,
            noise=noise,
            cap=_cap(noise),
            gap=ELO_PER_LOGIT * math.log(share / (1 - share)),
            error=ELO_PER_LOGIT * error / (share * (1 - share)),
            matches=matches,
            is_verification=is_verification,
        )
        self.report(step)
        return step, result


class _Search:
    """Finds the noise with which one level is so much weaker than another.

    Strength falls with noise, but what is measured of it has an error. So a noise is never chosen by one measurement:
    a line is fitted to all of them, those near the target counting most.
    """

    def __init__(
        self, table: _Table, stronger: LevelName, above: float, weaker: LevelName, target: float, matches: int
    ) -> None:
        self.table, self.stronger, self.above, self.weaker = table, stronger, above, weaker
        self.target, self.matches = target, matches
        self.steps: list[Step] = []

    def run(self, matches: int) -> tuple[Step, PairResult]:
        """Return the measurement that holds, of so many matches.

        Raises:
          TavlaError: no noise gives the gap, or so many matches do not tell it.
        """
        low, high = self._bracket()
        for _ in range(_STEPS):
            self.steps.append(self._play(self._guess(low, high), self.matches)[0])
        for _ in range(_VERIFICATIONS):
            step, result = self._play(self._guess(low, high), matches, is_verification=True)
            if step.is_near(self.target):
                return step, result
            if margin_95(step.error) > TOLERANCE:
                raise TavlaError(
                    f"{matches} matches: they tell a gap to ±{margin_95(step.error):.0f} Elo; expected enough for "
                    f"±{TOLERANCE:.0f} at most, and some way inside"
                )
            self.steps.append(step)
        raise TavlaError(
            f"{self.weaker}: {_VERIFICATIONS} measurements of {matches} matches each did not lie within "
            f"±{TOLERANCE:.0f} Elo of the gap of {self.target:g} with their 95 % intervals; expected more matches"
        )

    def _bracket(self) -> tuple[float, float]:
        """Return two noises between which the gap lies.

        Raises:
          TavlaError: the level is too weak without noise, or too strong with the largest.
        """
        plain, _ = self._play(0.0, self.matches)
        self.steps.append(plain)
        weaker = f"{self.weaker} ({self.table.checkpoints[self.weaker].path})"
        if plain.gap > self.target:
            raise TavlaError(
                f"{weaker} is {plain.gap:.0f} ± {margin_95(plain.error):.0f} Elo below {self.stronger} without noise; "
                f"expected at most the gap of {self.target:g}: take a stronger checkpoint for it"
            )
        low, high = 0.0, _FIRST_NOISE
        while True:
            step, _ = self._play(high, self.matches)
            self.steps.append(step)
            if step.gap > self.target:
                return low, high
            if high >= _MAX_NOISE:
                raise TavlaError(
                    f"{weaker} is {step.gap:.0f} ± {margin_95(step.error):.0f} Elo below {self.stronger} with a noise "
                    f"of {high:g} points, the largest; expected at least the gap of {self.target:g}"
                )
            low, high = high, min(2 * high, _MAX_NOISE)

    def _guess(self, low: float, high: float) -> float:
        """Return the noise at which the line through all measurements has the gap."""
        noises = np.array([step.noise for step in self.steps])
        gaps = np.array([step.gap for step in self.steps]) - self.target
        errors = np.array([step.error for step in self.steps])
        weights = 1 / (errors**2 + (_CURVATURE * gaps) ** 2)
        slope, start = np.polyfit(noises, gaps, 1, w=np.sqrt(weights))
        found = -start / slope if slope > 0 else (low + high) / 2
        return round(float(np.clip(found, low, high)), _DECIMALS)

    def _play(self, noise: float, matches: int, *, is_verification: bool = False) -> tuple[Step, PairResult]:
        return self.table.play(self.stronger, self.above, self.weaker, noise, matches, is_verification=is_verification)


def _cap(noise: float) -> float:
    return round(CAP_PER_NOISE * noise, _DECIMALS)


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(interval[0], 1), round(interval[1], 1)


def _check_matches(matches: int, gap: float) -> None:
    """Raise `TavlaError` if so many independent matches could not tell a gap in Elo within the tolerance."""
    # What is nearly always won is refused for its gap, if it cannot be reached.
    share = min(win_share(gap), 0.98)
    error = ELO_PER_LOGIT / math.sqrt(matches * share * (1 - share))
    if margin_95(error) > TOLERANCE:
        raise TavlaError(
            f"{matches} matches: they tell a gap of {gap:.0f} Elo to ±{margin_95(error):.0f}; expected enough for "
            f"±{TOLERANCE:.0f}"
        )


def _check(ruleset: Ruleset, match_length: int, ratings: Mapping[LevelName, float], seed: int) -> None:
    ruleset.check_match_length(match_length)
    if ruleset.family == "gul-bara":
        raise RulesetError(f"{ruleset.name}: a turn is more than one roll; only 0-ply without noise is played")
    text = ", ".join(f"{name}={rating:g}" for name, rating in ratings.items())
    if set(ratings) != set(LEVEL_NAMES):
        raise TavlaError(f"ratings {text}: expected one for each of {', '.join(LEVEL_NAMES)}, and no other")
    if not all(math.isfinite(rating) for rating in ratings.values()):
        raise TavlaError(f"ratings {text}: expected finite numbers")
    if not all(ratings[weaker] < ratings[stronger] for weaker, stronger in pairwise(LEVEL_NAMES)):
        raise TavlaError(f"ratings {text}: expected them to rise from {LEVEL_NAMES[0]} to {LEVEL_NAMES[-1]}")
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
