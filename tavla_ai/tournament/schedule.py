"""Schedules of pairings, and the stopping rule of a pairing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Literal

# Every two bots; the first against all others; each against the next.
Schedule = Literal["round-robin", "gauntlet", "ladder"]
# First check of the stopping rule, in pairs; every later check is after 1.5 times as many.
_FIRST_LOOK = 200
_GROWTH = 1.5


def scheduled(num_bots: int, schedule: Schedule) -> list[tuple[int, int]]:
    """Return the pairings, as numbers of bots."""
    if schedule == "gauntlet":
        return [(0, other) for other in range(1, num_bots)]
    if schedule == "ladder":
        return list(pairwise(range(num_bots)))
    return list(combinations(range(num_bots), 2))


def looks(num_pairs: int, until_ci: float | None) -> Iterator[int]:
    """Yield the numbers of pairs at which the stopping rule is checked, the last of them `num_pairs`."""
    look = num_pairs if until_ci is None else _FIRST_LOOK
    while look < num_pairs:
        yield look
        look = int(_GROWTH * look)
    yield num_pairs
