"""Shots by playing every roll out in every order; see `engine.shots`."""

from __future__ import annotations

from collections.abc import Sequence

BAR = 25


def landings(mine: Sequence[int], open_points: set[int], dice: tuple[int, ...]) -> set[int]:
    """Return all points that a side's checkers can land on when it plays `dice` in this order.

    Checkers on the bar enter first; a die that nobody can play is left out; nobody bears off.

    Args:
      mine: the side's counts, in its numbering.
      open_points: points that are not blocked.
      dice: two of them, or four of a double.
    """
    reached: set[int] = set()
    states = {tuple(mine)}
    for die in dice:
        following = set()
        for counts in states:
            sources = [BAR] if counts[BAR] else [point for point in range(1, 25) if counts[point]]
            targets = [(source, source - die) for source in sources if source - die in open_points]
            for source, target in targets:
                reached.add(target)
                after = list(counts)
                after[source] -= 1
                after[target] += 1
                following.add(tuple(after))
            if not targets:
                following.add(counts)
        states = following
    return reached


def shots(mine: Sequence[int], his: Sequence[int]) -> list[int]:
    """Return what `engine.shots` says of the side whose counts are `mine`."""
    open_points = {point for point in range(1, 25) if his[25 - point] < 2}
    blots = {point for point in range(1, 25) if his[25 - point] == 1}
    hits: list[set[int]] = []
    for first in range(1, 7):
        for second in range(1, 7):
            dice = (first,) * 4 if first == second else (first, second)
            hits.append((landings(mine, open_points, dice) | landings(mine, open_points, dice[::-1])) & blots)
    return [
        sum(bool(hit) for hit in hits),
        sum(max(hit, default=0) for hit in hits) // 24,
        sum(len(hit) > 1 for hit in hits),
        *(sum(any(low <= point < low + 6 for point in hit) for hit in hits) for low in (1, 7, 13, 19)),
    ]
