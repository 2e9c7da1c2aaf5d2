"""Statistics, against tables and closed forms."""

import math

import numpy as np
import pytest

from tavla_ai.stats import chi_square_p_value, interval_95, mean_of_pairs, share_interval_95, upper_gamma


@pytest.mark.parametrize(
    ("freedom", "p_value", "quantile"),
    [  # Abramowitz and Stegun, table 26.8
        (1, 0.05, 3.84146),
        (1, 0.001, 10.8276),
        (5, 0.995, 0.411740),
        (5, 0.05, 11.0705),
        (20, 0.5, 19.3374),
        (25, 0.01, 44.3141),
        (30, 0.1, 40.2560),
        (100, 0.001, 149.4493),
    ],
)
def test_chi_square_quantiles(freedom: int, p_value: float, quantile: float) -> None:
    assert chi_square_p_value(quantile, freedom) == pytest.approx(p_value, rel=2e-5)


def test_upper_gamma_where_it_is_elementary() -> None:
    for x in (0.0, 1e-12, 0.3, 1.0, 1.9, 2.1, 7.0, 40.0, 300.0):
        assert upper_gamma(1, x) == pytest.approx(math.exp(-x), rel=1e-12)
        assert upper_gamma(0.5, x) == pytest.approx(math.erfc(math.sqrt(x)), rel=1e-11)
        assert upper_gamma(3, x) == pytest.approx(math.exp(-x) * (1 + x + x * x / 2), rel=1e-11)
    assert upper_gamma(17.5, 1e4) == pytest.approx(0, abs=1e-300)


def test_an_interval_holds_the_mean_of_normal_numbers_95_times_in_100() -> None:
    samples = np.random.default_rng(1).normal(0.3, 1, (4000, 50))
    intervals = np.array([interval_95(*mean_of_pairs([one])) for one in samples])
    assert ((intervals[:, 0] < 0.3) & (intervals[:, 1] > 0.3)).mean() == pytest.approx(0.945, abs=0.01)


def test_pairings_on_the_same_dice_add_their_errors() -> None:
    pairs = np.array([0.0, 1.0, 2.0, 5.0])
    mean, error = mean_of_pairs([pairs])
    assert (mean, error) == pytest.approx((2, pairs.std(ddof=1) / 2))
    # The same numbers again say nothing new. Their opposites leave no spread, from which no error follows.
    assert mean_of_pairs([pairs, pairs]) == pytest.approx((mean, error))
    assert mean_of_pairs([pairs, -pairs]) == (0, None)
    assert mean_of_pairs([pairs[:1]]) == (0.0, None)


@pytest.mark.parametrize(("share", "number", "interval"), [(1.0, 10, (0.7225, 1.0)), (0.5, 40, (0.3520, 0.6480))])
def test_wilsons_interval_is_that_of_the_tables(share: float, number: int, interval: tuple[float, float]) -> None:
    assert share_interval_95(share, number) == pytest.approx(interval, abs=1e-4)
    assert share_interval_95(1 - share, number)[0] == pytest.approx(1 - share_interval_95(share, number)[1])
