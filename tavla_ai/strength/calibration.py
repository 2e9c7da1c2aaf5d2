"""Calibration: find the noise at which a checkpoint plays at a level's target rating.

A ladder is made from the top. Hard plays as well as it can; Medium's noise is searched against Hard, Easy's against
Medium, each round on its own dice. The search does not decide the written figures: each gap is measured again on fresh
dice, with enough matches that its 95 % interval lies within the tolerance of the requested gap.
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
from tavla_ai.errors import TavlaError
from tavla_ai.files import require_writable
from tavla_ai.network import Checkpoint, shipped_folder
from tavla_ai.rules import Ruleset
from tavla_ai.stats import interval_95, margin_95
from tavla_ai.tournament import ELO_PER_LOGIT, Pairing, PairResult, play_pairing, rate, rated_pairings

DEFAULT_MATCHES, DEFAULT_SEARCH_MATCHES = 40_000, 4_000
ANCHOR: LevelName = "medium"

# A level's cap in units of its noise. A tighter cap needs more noise, and the level misses more clear plays; a wider
# cap allows larger errors. With this cap, 99 of 100 losses as Hard sees them are within it.
CAP_PER_NOISE = 2.5

# Largest noise tried, in points; beyond it play is almost random.
_MAX_NOISE = 0.8
_FIRST_NOISE = 0.05
# Measurements of a gap before a calibration gives up; at the right noise one in a few hundred fails.
_VERIFICATIONS = 4
# Error of the line through the rounds, as a part of the gap that it spans.
_CURVATURE = 0.1
# Decimals of a noise; levels are written with exactly the measured noise.
_DECIMALS = 4


@dataclass(frozen=True)
class CalibrationEffort:
    """Number of matches of a calibration, and the wanted precision of each gap.

    Attributes:
      matches: number of matches of each measured gap, even.
      search_matches: number of matches of each round of a search, even.
      search_rounds: number of rounds of a search after two noises with the gap between them are found.
      tolerance: largest distance of the 95 % interval's ends from the requested gap, in Elo points.

    Raises:
      TavlaError: matches not even or below 2.
    """

    matches: int = DEFAULT_MATCHES
    search_matches: int = DEFAULT_SEARCH_MATCHES
    search_rounds: int = 8
    tolerance: float = 15.0

    def __post_init__(self) -> None:
        for number in (self.matches, self.search_matches):
            if number < 2 or number % 2:
                raise TavlaError(f"{number} matches: expected an even number from 2 up; pairs have the same dice")


@dataclass(frozen=True)
class CalibrationRound:
    """A round: matches of a level with some noise against the level above it.

    Attributes:
      level: the weaker level.
      stronger: the level above it.
      noise: noise of the weaker level, in points.
      cap: cap of the weaker level, in points.
      gap: measured gap in Elo points.
      error: standard error of the gap.
      matches: number of matches.
      is_verification: whether the round's figures are written; otherwise the round belongs to the search.
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

    def is_near(self, target: float, tolerance: float) -> bool:
        """Return whether the interval of the gap lies within `tolerance` of `target`."""
        low, high = self.interval
        return target - tolerance <= low and high <= target + tolerance


class MeasuredGap(BaseModel):
    """A gap between two neighbours of a ladder, measured on dice that no search used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stronger: LevelName = Field(description="the stronger level")
    weaker: LevelName = Field(description="the weaker level")
    target: float = Field(description="requested gap in Elo points")
    gap: float = Field(description="measured gap in Elo points")
    interval: tuple[float, float] = Field(description="95 % interval of the gap, from pairs on the same dice")
    share: float = Field(description="share of matches that the stronger level won")
    matches: int = Field(description="number of matches")
    searched: int = Field(description="number of matches of the search")


class Calibration(BaseModel):
    """A ladder and its measured gaps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ladder: Ladder = Field(description="the ladder, as written to the file of levels")
    gaps: tuple[MeasuredGap, ...] = Field(description="gaps from the top down")


def calibrate(
    ruleset: Ruleset,
    match_length: int,
    ratings: Mapping[LevelName, float],
    checkpoints: Mapping[LevelName, Checkpoint],
    out: Path,
    *,
    seed: int = 1,
    effort: CalibrationEffort = CalibrationEffort(),
    workers: int = 1,
    report: Callable[[CalibrationRound], None] | None = None,
) -> Calibration:
    """Find the noise of a house's levels, measure the levels, and write them into a file of levels.

    The file's other ladders stay; nothing is written unless all gaps hold.

    Args:
      match_length: points that win the matches.
      ratings: the requested ratings; only their differences are measured.
      checkpoints: the checkpoint of each level.
      out: the file of levels.
      seed: seed of the calibration, 0 to 2**64 − 1; the result is the same for any number of workers.
      effort: number of matches, and the wanted precision of each gap.
      workers: engine threads.
      report: called with each round.

    Raises:
      TavlaError: ratings do not rise from Easy to Hard, no noise gives a gap, the matches are too few for the
        tolerance, an existing file cannot be read, or the seed is out of range.
      RulesetError: the house does not offer the match length, or the game is Gul Bara, which has no noise.
      CheckpointError: a network is of another game.
    """
    _check(ruleset, match_length, ratings, seed)
    # Fail before the long search if a file cannot be read or written or the matches are too few.
    if out.exists():
        Levels(out).find(ruleset, match_length)
    require_writable(out)
    for weaker, stronger in pairwise(LEVEL_NAMES):
        _check_matches(effort, ratings[stronger] - ratings[weaker])
    rounds = _Rounds(ruleset, match_length, dict(checkpoints), np.random.SeedSequence(seed), workers, report)
    measured, gaps, pairings = _measure_gaps(rounds, ratings, effort)
    rated = rate(pairings, anchors={ANCHOR: ratings[ANCHOR]}, prior=0.0)
    ladder = Ladder(
        ruleset=ruleset.name,
        match_length=match_length,
        anchor=ANCHOR,
        matches=effort.matches,
        seed=seed,
        levels={
            name: RatedLevel(
                checkpoint=_folder_from(out, checkpoints[name]),
                weights_sha256=checkpoints[name].card.weights_sha256,
                noise=measured[name].noise if name in measured else 0.0,
                cap=measured[name].cap if name in measured else 0.0,
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
    """Return the share of matches that the stronger side wins, `gap` Elo points above the other."""
    return 1 / (1 + math.exp(-gap / ELO_PER_LOGIT))


def _measure_gaps(
    rounds: _Rounds, ratings: Mapping[LevelName, float], effort: CalibrationEffort
) -> tuple[dict[LevelName, CalibrationRound], list[MeasuredGap], list[Pairing]]:
    """Return the final round of each weaker level, the gaps from the top down, and the pairings for the ratings."""
    measured: dict[LevelName, CalibrationRound] = {}
    gaps: list[MeasuredGap] = []
    pairings: list[Pairing] = []
    for weaker, stronger in reversed(list(pairwise(LEVEL_NAMES))):
        above = measured[stronger].noise if stronger in measured else 0.0
        search = _Search(rounds, stronger, above, weaker, ratings[stronger] - ratings[weaker], effort)
        found, result = search.run()
        measured[weaker] = found
        pairings += rated_pairings([result])
        gaps.append(
            MeasuredGap(
                stronger=stronger,
                weaker=weaker,
                target=search.target,
                gap=found.gap,
                interval=found.interval,
                share=result.share,
                matches=found.matches,
                searched=sum(one.matches for one in search.rounds),
            )
        )
    return measured, gaps, pairings


@dataclass(frozen=True)
class _Rounds:
    """Plays the rounds of a calibration, each on its own dice.

    Attributes:
      dice: source of the rounds' seeds.
      workers: engine threads.
      report: called with each round.
    """

    ruleset: Ruleset
    match_length: int
    checkpoints: dict[LevelName, Checkpoint]
    dice: np.random.SeedSequence
    workers: int
    report: Callable[[CalibrationRound], None] | None

    def _bot(self, name: LevelName, noise: float) -> Bot:
        return checkpoint_bot(name, self.ruleset, self.checkpoints[name], PlayStyle(noise=noise, cap=_cap(noise)))

    def play(
        self, stronger: LevelName, above: float, weaker: LevelName, noise: float, matches: int, *, is_verification: bool
    ) -> tuple[CalibrationRound, PairResult]:
        """Play a round of `weaker` with `noise` against `stronger` with noise `above`; return it and its matches."""
        seed = int(self.dice.spawn(1)[0].generate_state(1, np.uint64)[0])
        bots = self._bot(stronger, above), self._bot(weaker, noise)
        result = play_pairing(self.ruleset, *bots, matches, seed, self.match_length, workers=self.workers)
        # If a side won or lost all matches, half a match is counted the other way.
        share = min(max(result.share, 0.5 / matches), 1 - 0.5 / matches)
        error = max(result.share_standard_error or 0.0, 0.5 / matches)
        played = CalibrationRound(
            level=weaker,
            stronger=stronger,
            noise=noise,
            cap=_cap(noise),
            gap=ELO_PER_LOGIT * math.log(share / (1 - share)),
            error=ELO_PER_LOGIT * error / (share * (1 - share)),
            matches=matches,
            is_verification=is_verification,
        )
        if self.report is not None:
            self.report(played)
        return played, result


class _Search:
    """Finds the noise that makes a level weaker than another by a gap in Elo.

    Strength falls with noise, but measurements have errors. So no single measurement decides: a line is fitted to all
    of them, with the largest weights near the target.
    """

    def __init__(
        self,
        player: _Rounds,
        stronger: LevelName,
        above: float,
        weaker: LevelName,
        target: float,
        effort: CalibrationEffort,
    ) -> None:
        self.player, self.stronger, self.above, self.weaker = player, stronger, above, weaker
        self.target, self.effort = target, effort
        self.rounds: list[CalibrationRound] = []

    def run(self) -> tuple[CalibrationRound, PairResult]:
        """Return the measurement within the tolerance.

        Raises:
          TavlaError: no noise gives the gap, or the matches are too few to measure it.
        """
        low, high = self._bracket()
        for _ in range(self.effort.search_rounds):
            self.rounds.append(self._play(self._guess(low, high))[0])
        matches, tolerance = self.effort.matches, self.effort.tolerance
        for _ in range(_VERIFICATIONS):
            found, result = self._play(self._guess(low, high), is_verification=True)
            if found.is_near(self.target, tolerance):
                return found, result
            if margin_95(found.error) > tolerance:
                raise TavlaError(
                    f"{matches:,} matches: they measure a gap to ±{margin_95(found.error):.2f} Elo; expected clearly "
                    f"less than ±{tolerance:g}: use more matches"
                )
            self.rounds.append(found)
        raise TavlaError(
            f"{self.weaker}: {_VERIFICATIONS} measurements of {matches} matches each did not lie within "
            f"±{tolerance:.0f} Elo of the gap of {self.target:g} with their 95 % intervals; use more matches"
        )

    def _bracket(self) -> tuple[float, float]:
        """Return two noises between which the gap lies.

        Raises:
          TavlaError: the level is too weak without noise, or too strong with the largest noise.
        """
        plain, _ = self._play(0.0)
        self.rounds.append(plain)
        weaker = f"{self.weaker} ({self.player.checkpoints[self.weaker].path})"
        if plain.gap > self.target:
            raise TavlaError(
                f"{weaker} is {plain.gap:.0f} ± {margin_95(plain.error):.0f} Elo below {self.stronger} without noise; "
                f"expected at most the gap of {self.target:g}: take a stronger checkpoint for it"
            )
        low, high = 0.0, _FIRST_NOISE
        while True:
            found, _ = self._play(high)
            self.rounds.append(found)
            if found.gap > self.target:
                return low, high
            if high >= _MAX_NOISE:
                raise TavlaError(
                    f"{weaker} is {found.gap:.0f} ± {margin_95(found.error):.0f} Elo below {self.stronger} with a "
                    f"noise of {high:g} points, the largest; expected at least the gap of {self.target:g}"
                )
            low, high = high, min(2 * high, _MAX_NOISE)

    def _guess(self, low: float, high: float) -> float:
        """Return the noise at which the line through all measurements reaches the gap."""
        noises = np.array([one.noise for one in self.rounds])
        gaps = np.array([one.gap for one in self.rounds]) - self.target
        errors = np.array([one.error for one in self.rounds])
        weights = 1 / (errors**2 + (_CURVATURE * gaps) ** 2)
        slope, start = np.polyfit(noises, gaps, 1, w=np.sqrt(weights))
        found = -start / slope if slope > 0 else (low + high) / 2
        return round(float(np.clip(found, low, high)), _DECIMALS)

    def _play(self, noise: float, *, is_verification: bool = False) -> tuple[CalibrationRound, PairResult]:
        matches = self.effort.matches if is_verification else self.effort.search_matches
        return self.player.play(self.stronger, self.above, self.weaker, noise, matches, is_verification=is_verification)


def _cap(noise: float) -> float:
    return round(CAP_PER_NOISE * noise, _DECIMALS)


def _folder_from(levels: Path, checkpoint: Checkpoint) -> str:
    """Return a checkpoint's folder as a file of levels names it."""
    if checkpoint.path.is_relative_to(shipped_folder()):
        return checkpoint.name
    return Path(os.path.relpath(checkpoint.path, levels.parent)).as_posix()


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(interval[0], 1), round(interval[1], 1)


def _check_matches(effort: CalibrationEffort, gap: float) -> None:
    """Raise `TavlaError` if even independent matches could not measure a gap in Elo within the tolerance."""
    # A gap at which nearly all matches are won is refused later, if it cannot be reached.
    share = min(win_share(gap), 0.98)
    error = ELO_PER_LOGIT / math.sqrt(effort.matches * share * (1 - share))
    if margin_95(error) > effort.tolerance:
        needed = 2 * math.ceil(effort.matches * (margin_95(error) / effort.tolerance) ** 2 / 2)
        raise TavlaError(
            f"{effort.matches:,} matches: they measure a gap of {gap:.0f} Elo to ±{margin_95(error):.2f}; expected at "
            f"least {needed:,} for ±{effort.tolerance:g}"
        )


def _check(ruleset: Ruleset, match_length: int, ratings: Mapping[LevelName, float], seed: int) -> None:
    ruleset.check_match_length(match_length)
    ruleset.check_has_no_stages("calibration")
    text = ", ".join(f"{name}={rating:g}" for name, rating in ratings.items())
    if set(ratings) != set(LEVEL_NAMES):
        raise TavlaError(f"ratings {text}: expected one for each of {', '.join(LEVEL_NAMES)}, and no other")
    if not all(math.isfinite(rating) for rating in ratings.values()):
        raise TavlaError(f"ratings {text}: expected finite numbers")
    if not all(ratings[weaker] < ratings[stronger] for weaker, stronger in pairwise(LEVEL_NAMES)):
        raise TavlaError(f"ratings {text}: expected them to rise from {LEVEL_NAMES[0]} to {LEVEL_NAMES[-1]}")
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
