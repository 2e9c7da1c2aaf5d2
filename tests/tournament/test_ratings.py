"""Ratings: the maximum of the likelihood, and standard errors that hold in simulations."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from tavla_ai.errors import TavlaError
from tavla_ai.strength import server_elo as elo
from tavla_ai.tournament import ELO_PER_LOGIT, Pairing, Ratings, rate

LADDER = {"easy": 1200.0, "medium": 1500.0, "hard": 1750.0}
STRENGTHS = {"a": 1300.0, "b": 1420.0, "c": 1500.0, "d": 1580.0, "e": 1700.0}


def simulated(strengths: dict[str, float], games: int, rng: np.random.Generator) -> list[Pairing]:
    pairings = []
    for a, b in combinations(strengths, 2):
        wins = int(rng.binomial(games, elo.expected_score(strengths[a], strengths[b])))
        pairings.append(Pairing(a, b, wins, games - wins))
    return pairings


def log_likelihood(ratings: dict[str, float], pairings: list[Pairing]) -> float:
    total = 0.0
    for pairing in pairings:
        chance = 1 / (1 + 10 ** ((ratings[pairing.b] - ratings[pairing.a]) / 400))
        total += (pairing.wins + pairing.draws / 2) * math.log(chance)
        total += (pairing.losses + pairing.draws / 2) * math.log(1 - chance)
    return total


def values(ratings: Ratings) -> dict[str, float]:
    return {player.name: player.rating for player in ratings.players}


def test_two_players_are_as_far_apart_as_their_odds() -> None:
    ratings = rate([Pairing("a", "b", 75, 25)], prior=0)
    gap = 400 * math.log10(3)
    assert ratings.difference("a", "b")[0] == pytest.approx(gap)
    assert ratings.difference("b", "a")[0] == pytest.approx(-gap)
    assert values(ratings) == pytest.approx({"a": 1500 + gap / 2, "b": 1500 - gap / 2})
    # The error of log-odds is 1 / sqrt(n p q).
    error = ELO_PER_LOGIT / math.sqrt(100 * 0.75 * 0.25)
    assert ratings.difference("a", "b")[1] == pytest.approx(error)
    assert ratings.rating("a").standard_error == pytest.approx(error / 2)
    assert ratings.log_likelihood == pytest.approx(75 * math.log(0.75) + 25 * math.log(0.25))


def test_no_other_ratings_are_more_likely() -> None:
    rng = np.random.default_rng(3)
    pairings = simulated(STRENGTHS, 30, rng)
    ratings = rate(pairings, prior=0)
    best = log_likelihood(values(ratings), pairings)
    assert ratings.log_likelihood == pytest.approx(best)
    for _ in range(200):
        other = {name: rating + rng.normal(0, 5) for name, rating in values(ratings).items()}
        assert log_likelihood(other, pairings) < best


def test_exact_shares_give_back_the_ladder() -> None:
    """The level gaps of the house: 84.9 %, 80.8 % and 96.0 % of matches."""
    shares = {("medium", "easy"): 0.849, ("hard", "medium"): 0.808, ("hard", "easy"): 0.960}
    for (a, b), share in shares.items():
        assert elo.expected_score(LADDER[a], LADDER[b]) == pytest.approx(share, abs=5e-4)
    pairings = [Pairing(a, b, 1000 * share, 1000 * (1 - share)) for (a, b), share in shares.items()]
    assert values(rate(pairings, anchors={"medium": 1500})) == pytest.approx(LADDER, abs=3)


def test_order_and_orientation_do_not_matter() -> None:
    pairings = simulated(STRENGTHS, 20, np.random.default_rng(1))
    turned = [Pairing(p.b, p.a, p.losses, p.wins) for p in reversed(pairings)]
    assert values(rate(turned)) == pytest.approx(values(rate(pairings)))
    split = [Pairing(p.a, p.b, p.wins / 2, p.losses / 2) for p in pairings for _ in range(2)]
    again = rate(split)
    assert values(again) == pytest.approx(values(rate(pairings)))
    np.testing.assert_allclose(again.covariance, rate(pairings).covariance, atol=1e-6)


def test_draws_are_half_wins() -> None:
    drawn = rate([Pairing("a", "b", 10, 4, 6)])
    assert drawn == rate([Pairing("a", "b", 13, 7)])
    assert rate([Pairing("a", "b", 0, 0, 9)]).difference("a", "b")[0] == pytest.approx(0)


def test_intervals_cover_the_truth() -> None:
    """95 of 100 intervals hold the true rating, with the mean fixed, with an anchor, and of a difference."""
    rng = np.random.default_rng(11)
    tables = 250
    covered = np.zeros((3, len(STRENGTHS)))
    for _ in range(tables):
        pairings = simulated(STRENGTHS, 60, rng)
        free = rate(pairings)
        anchored = rate(pairings, anchors={"a": STRENGTHS["a"]})
        for i, (name, strength) in enumerate(STRENGTHS.items()):
            for row, ratings in enumerate((free, anchored)):
                low, high = ratings.rating(name).interval
                covered[row, i] += low <= strength <= high
            gap, error = free.difference(name, "c")
            covered[2, i] += abs(gap - (strength - STRENGTHS["c"])) <= 1.96 * error
    # Four standard deviations of the share over all tables.
    slack = 4 * math.sqrt(0.95 * 0.05 / tables)
    shares = covered / tables
    assert (abs(shares[0] - 0.95) < slack).all()
    assert (abs(np.delete(shares[1], 0) - 0.95) < slack).all()
    assert (abs(np.delete(shares[2], 2) - 0.95) < slack).all()
    assert shares[1, 0] == shares[2, 2] == 1


def test_the_covariance_is_that_of_repeated_tournaments() -> None:
    """A parametric bootstrap: the ratings of many simulated tournaments spread as the covariance says."""
    rng = np.random.default_rng(5)
    names = list(STRENGTHS)
    runs = np.array([list(values(rate(simulated(STRENGTHS, 200, rng), prior=0)).values()) for _ in range(400)])
    exact = [
        Pairing(a, b, 200 * chance, 200 * (1 - chance))
        for a, b in combinations(names, 2)
        for chance in [elo.expected_score(STRENGTHS[a], STRENGTHS[b])]
    ]
    expected = np.array(rate(exact, prior=0).covariance)
    np.testing.assert_allclose(expected.sum(axis=0), 0, atol=1e-9)
    deviation = np.sqrt(np.diag(expected))
    assert (abs(np.cov(runs.T) - expected) < 0.25 * np.outer(deviation, deviation)).all()
    np.testing.assert_allclose(runs.mean(axis=0), list(STRENGTHS.values()), atol=0.25 * deviation.max())


def test_a_given_standard_error_scales_the_information() -> None:
    share, games = 0.6, 400
    independent = math.sqrt(share * (1 - share) / games)
    plain = rate([Pairing("a", "b", 240, 160)], prior=0)
    same = rate([Pairing("a", "b", 240, 160, standard_error=independent)], prior=0)
    assert same.difference("a", "b") == pytest.approx(plain.difference("a", "b"))
    # If the error is known, shares are enough.
    halved = rate([Pairing("a", "b", share, 1 - share, standard_error=independent / 2)], prior=0)
    assert halved.difference("a", "b")[0] == pytest.approx(plain.difference("a", "b")[0])
    assert halved.difference("a", "b")[1] == pytest.approx(plain.difference("a", "b")[1] / 2)


def test_a_smaller_error_has_more_weight() -> None:
    pairings = [
        Pairing("a", "b", 60, 40, standard_error=0.01),
        Pairing("b", "c", 60, 40, standard_error=0.01),
        Pairing("a", "c", 50, 50, standard_error=0.2),
    ]
    step = 400 * math.log10(1.5)
    assert rate(pairings, prior=0).difference("a", "c")[0] == pytest.approx(2 * step, rel=0.02)


def test_anchors_stay_and_the_others_follow() -> None:
    rng = np.random.default_rng(2)
    pairings = simulated(LADDER, 4000, rng)
    free = rate(pairings, prior=0)
    one = rate(pairings, anchors={"easy": 700}, prior=0)
    assert one.rating("easy").model_dump() == {
        "name": "easy",
        "rating": pytest.approx(700),
        "standard_error": 0,
        "interval": pytest.approx((700, 700)),
        "games": 8000,
        "is_anchor": True,
    }
    for a, b in combinations(LADDER, 2):
        assert one.difference(a, b) == pytest.approx(free.difference(a, b))
    two = rate(pairings, anchors={"easy": 1200, "hard": 1750})
    assert two.rating("medium").rating == pytest.approx(1500, abs=3 * two.rating("medium").standard_error)
    assert two.rating("medium").standard_error < one.rating("medium").standard_error
    everyone = rate(pairings, anchors=LADDER)
    assert values(everyone) == pytest.approx(LADDER)
    assert np.array(everyone.covariance).sum() == 0


def test_the_mean_is_what_was_asked_for() -> None:
    assert np.mean(list(values(rate(simulated(STRENGTHS, 9, np.random.default_rng(4)), mean=0)).values())) == (
        pytest.approx(0)
    )


def test_a_player_with_only_wins_is_rated() -> None:
    few, many = (rate([Pairing("a", "b", wins, 0)]) for wins in (1, 100))
    gap, error = few.difference("a", "b")
    assert 0 < gap < many.difference("a", "b")[0] < 3000
    assert error > gap
    assert values(rate([Pairing("a", "b", 1, 0)], anchors={"b": 1200}))["a"] > 1200
    # The maximum is found even with a million wins against the prior.
    million = rate([Pairing("a", "b", 1e6, 0), Pairing("b", "c", 0, 1e6)], anchors={"a": 1000, "c": 1000})
    assert -2500 < million.rating("b").rating < -1000
    everyone = [Pairing(a, b, 50, 0) for a, b in combinations("abcd", 2)]
    assert list(values(rate(everyone)).values()) == sorted(values(rate(everyone)).values(), reverse=True)


def test_the_prior_hardly_moves_ratings_from_many_games() -> None:
    pairings = simulated(LADDER, 4000, np.random.default_rng(2))
    assert values(rate(pairings)) == pytest.approx(values(rate(pairings, prior=0)), abs=0.6)


def test_anchors_that_the_results_contradict() -> None:
    pairings = [Pairing("a", "x", 5, 5), Pairing("x", "b", 5, 5)]
    assert rate(pairings, anchors={"a": -1500, "b": 1500}).rating("x").rating == pytest.approx(0, abs=1)
    with pytest.raises(TavlaError, match="no maximum found; the anchors are too far apart"):
        rate(pairings, anchors={"a": -20_000, "b": 20_000})


@pytest.mark.parametrize(
    ("pairings", "options", "message"),
    [
        ([], {}, "no pairing"),
        ([Pairing("a", "a", 1, 0)], {}, "pairing a - a: expected two players"),
        ([Pairing("a", "b", -1, 0)], {}, "pairing a - b: -1 wins"),
        ([Pairing("a", "b", 1, math.nan)], {}, "nan losses"),
        ([Pairing("a", "b", 0, 0)], {}, "no games"),
        ([Pairing("a", "b", 1, 1, standard_error=0)], {}, "standard error 0"),
        ([Pairing("a", "b", 1, 0, standard_error=0.1)], {}, "nothing varied"),
        ([Pairing("a", "b", 1, 1)], {"anchors": {"z": 1}}, "anchor 'z': plays in no pairing; expected one of a, b"),
        ([Pairing("a", "b", 1, 1)], {"anchors": {"a": math.inf}}, "rating inf"),
        ([Pairing("a", "b", 1, 1)], {"mean": math.nan}, "mean nan"),
        ([Pairing("a", "b", 1, 1)], {"prior": -1}, "prior -1"),
        (
            [Pairing("a", "b", 1, 1), Pairing("c", "d", 1, 1)],
            {},
            "no games connect these groups of players: a, b | c, d",
        ),
        ([Pairing("a", "b", 1, 1), Pairing("c", "d", 1, 1)], {"anchors": {"a": 1}}, "groups of players: a, b | c, d"),
        ([Pairing("a", "b", 1, 0)], {"prior": 0}, "one side won every game: a | b; expected a prior"),
    ],
)
def test_mistakes_are_named(pairings: list[Pairing], options: dict[str, object], message: str) -> None:
    with pytest.raises(TavlaError) as caught:
        rate(pairings, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_anchors_connect_players_without_common_games() -> None:
    pairings = [Pairing("a", "b", 1, 1), Pairing("c", "d", 1, 1)]
    assert values(rate(pairings, anchors={"a": 1000, "d": 2000}, prior=0)) == pytest.approx(
        {"a": 1000, "b": 1000, "c": 2000, "d": 2000}
    )


def test_an_unknown_player_has_no_rating() -> None:
    with pytest.raises(TavlaError, match="player 'z': not rated; expected one of a, b"):
        rate([Pairing("a", "b", 1, 1)]).difference("a", "z")
