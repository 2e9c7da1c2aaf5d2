"""The input `shots` in torch: the number of rolls that hit each blot.

It equals `engine.shots` and the last columns of `engine.encode`. `tests/oracle/shots.py` plays out every roll.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from tavla_ai.rules import BAR

_POINTS = BAR - 1


def shot_columns(boards: torch.Tensor) -> torch.Tensor:
    """Return the columns `[B, 28]` float32: for each number of `engine.shots` its share of 36, and whether it is > 0.

    It uses operations of tensors only, so it can be exported.

    Args:
      boards: `[B, 2, 26]` int64, afterstates.
    """
    sides = torch.stack([_shots_of_side(boards[:, side], boards[:, 1 - side]) for side in (0, 1)], dim=1).flatten(1)
    return torch.stack([sides.to(torch.float32) / 36, (sides >= 1).to(torch.float32)], dim=2).flatten(1)


@dataclass(frozen=True)
class _Shooter:
    """The side that rolls, in its own numbering.

    Attributes:
      points: `[24]` int64, 1 to 24.
      stands: `[B, 50]` bool, by point: the side has a checker there.
      is_open: `[B, 50]` bool, by point: the other side does not block it.
      on_bar: `[B, 1, 1]` int64, the side's checkers on the bar.
    """

    points: torch.Tensor
    stands: torch.Tensor
    is_open: torch.Tensor
    on_bar: torch.Tensor

    def behind(self, places: torch.Tensor, pips: torch.Tensor) -> torch.Tensor:
        """Return `[B, len(pips), 24]`: the entry of `places` at the place `pips` behind each point."""
        return places[:, self.points + pips[:, None]]

    def entry(self, pips: torch.Tensor) -> torch.Tensor:
        """Return `[len(pips), 24]`: whether a checker enters on the point with these pips."""
        return self.points == BAR - pips[:, None]


def _shots_of_side(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """Return `[B, 7]` int64, see `engine.shots`: the effect of a side's rolls `[B, 26]` on the other's blots."""
    points = torch.arange(1, _POINTS + 1)
    # Pad the rows so that a point can be read up to 24 pips back; the padding is empty and blocked.
    beyond = (0, _POINTS)
    stands = nn.functional.pad(mine[:, :BAR] > 0, beyond)
    opposed = torch.flip(theirs[:, :BAR], [1])
    is_open = nn.functional.pad(nn.functional.pad(opposed[:, :_POINTS] < 2, (1, 0)), beyond)
    blots = opposed[:, :_POINTS] == 1
    shooter = _Shooter(points, stands, is_open, mine[:, BAR, None, None])

    high, low = torch.tensor([(high, low) for high in range(2, 7) for low in range(1, high)]).unbind(1)
    two_dice = _two_dice(shooter, high, low)
    die = torch.arange(1, 7)
    doubles = _doubles(shooter, die)

    hits = torch.cat([two_dice, doubles], dim=1) & blots.unsqueeze(1)
    rolls = torch.cat([torch.full_like(high, 2), torch.ones_like(die)])
    quarters = hits.reshape(-1, len(rolls), 4, _POINTS // 4).any(dim=3)
    stake = (hits * points).amax(dim=2) @ rolls
    return torch.stack(
        [
            hits.any(dim=2).to(torch.int64) @ rolls,
            torch.div(stake, _POINTS, rounding_mode="floor"),
            (hits.sum(dim=2) > 1).to(torch.int64) @ rolls,
            *(quarters[:, :, quarter].to(torch.int64) @ rolls for quarter in range(4)),
        ],
        dim=1,
    )


def _two_dice(shooter: _Shooter, high: torch.Tensor, low: torch.Tensor) -> torch.Tensor:
    """Return `[B, len(high), 24]` bool: the points that a roll of two different dice reaches."""
    behind, entry, is_open, on_bar = shooter.behind, shooter.entry, shooter.is_open, shooter.on_bar
    from_high, from_low = behind(shooter.stands, high), behind(shooter.stands, low)
    in_two = behind(shooter.stands, high + low)
    free = from_high | from_low | (in_two & (behind(is_open, high) | behind(is_open, low)))
    entering = entry(high) | entry(low)
    one_enters = entering | (is_open[:, BAR - high].unsqueeze(2) & (from_low | entry(high + low)))
    one_enters = one_enters | (is_open[:, BAR - low].unsqueeze(2) & (from_high | entry(high + low)))
    return (free & (on_bar == 0)) | (one_enters & (on_bar == 1)) | (entering & (on_bar > 1))


def _doubles(shooter: _Shooter, die: torch.Tensor) -> torch.Tensor:
    """Return `[B, len(die), 24]` bool: the points that a double reaches."""
    behind, entry, is_open, on_bar = shooter.behind, shooter.entry, shooter.is_open, shooter.on_bar
    passes = torch.ones_like(behind(is_open, die))
    reached = torch.zeros_like(passes)
    for steps in range(1, 5):
        pips = steps * die
        lands = behind(shooter.stands, pips) & (steps + on_bar <= 4)
        # Any checker on the bar may enter first; a checker moves on when all have entered.
        lands = lands | (entry(pips) & (on_bar > 0) & ((steps + on_bar <= 5) | (steps == 1)))
        reached = reached | (lands & passes)
        passes = passes & behind(is_open, pips)
    return reached & ((on_bar == 0) | is_open[:, BAR - die].unsqueeze(2))
