"""Statistics: means of pairs on the same dice, 95 % intervals, and the chi-square distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Two-sided 95 % quantile of the normal distribution.
QUANTILE_95 = 1.959964

# A smaller standard error is only rounding.
_NO_SPREAD = 1e-12


def margin_95(error: float) -> float:
    """Return half the width of the 95 % interval of a number with this standard error, by the normal approximation."""
    return QUANTILE_95 * error


def interval_95(mean: float, error: float) -> tuple[float, float]:
    """Return the 95 % interval of a number with this standard error, by the normal approximation."""
    half = margin_95(error)
    return mean - half, mean + half


def share_interval_95(share: float, number: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was observed in `number` independent samples (JASA 22, 1927)."""
    square = QUANTILE_95**2
    middle = (share + square / (2 * number)) / (1 + square / number)
    half = QUANTILE_95 / (1 + square / number) * math.sqrt(share * (1 - share) / number + square / (4 * number**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_of_pairs(samples: Sequence[npt.NDArray[np.float64]]) -> tuple[float, float | None]:
    """Return the mean of the pairings' means over pairs, and its standard error.

    Pairings use the same dice, so the contributions of pair number n are added over the pairings first.

    Args:
      samples: for each pairing one number per pair; a pairing that stopped earlier has fewer.

    Returns:
      The mean and its standard error. The error is None for a single pair, and if all pairs are alike: then it is not
      0 but unknown.
    """
    most = max(map(len, samples))
    means = [float(one.mean()) for one in samples]
    shares = np.zeros(most)
    for one, mean in zip(samples, means, strict=True):
        shares[: len(one)] += (one - mean) / (len(one) * len(samples))
    error = float(np.sqrt(shares @ shares * most / (most - 1))) if most > 1 else 0.0
    return float(np.mean(means)), error if error > _NO_SPREAD else None


def chi_square_p_value(statistic: float, freedom: int) -> float:
    """Return the chance that chi-square with `freedom` degrees of freedom is at least `statistic`."""
    return upper_gamma(freedom / 2, statistic / 2)


def upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function Q(a, x), a > 0, x ≥ 0, to about 1e-12.

    A series below a + 1, a continued fraction above (Press et al., Numerical Recipes, section 6.2).
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - scale * total)
    b = x + 1 - a
    c, d = math.inf, 1 / b
    fraction = d
    for i in range(1, 100_000):
        b += 2
        d = 1 / (b - i * (i - a) * d)
        c = b - i * (i - a) / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return min(1.0, scale * fraction)
