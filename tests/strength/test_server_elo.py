"""The game server's Elo: its examples, and simulations of it."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from cases import FAULTS

from tavla_ai.errors import TavlaError
from tavla_ai.strength import server_elo as elo
from tavla_ai.tournament import Pairing, rate

LADDER = {"easy": 1200.0, "medium": 1500.0, "hard": 1750.0}

ELO_CASE = next(case for case in FAULTS if case["id"] == "el01_elo_update")["expectation"]


def simulated(strengths: dict[str, float], games: int, rng: np.random.Generator) -> list[Pairing]:
    pairings = []
    for a, b in combinations(strengths, 2):
        wins = int(rng.binomial(games, elo.expected_score(strengths[a], strengths[b])))
        pairings.append(Pairing(a, b, wins, games - wins))
    return pairings


@pytest.mark.parametrize(
    ("rating", "opponent", "score", "played", "new"),
    [
        (1500, 1750, 1, 0, 1526),
        (1500, 1750, 0, 29, 1494),
        (1500, 1200, 1, 0, 1505),
        (1500, 1200, 0, 30, 1486),
        (1612, 1500, 1, 100, 1618),
        (1500, 1500, 0.5, 3, 1500),
    ],
)
def test_the_houses_examples(rating: float, opponent: float, score: float, played: int, new: float) -> None:
    assert elo.update(rating, opponent, score, played) == new


def test_the_loser_scores_nothing() -> None:
    a, b = ELO_CASE["A"], ELO_CASE["B"]
    assert elo.expected_score(a, b) == pytest.approx(ELO_CASE["expected_A"], abs=5e-6)
    for who, score in (("A_wins", 1), ("B_wins", 0)):
        new_a = elo.update(a, b, score, 30, rounded=False)
        new_b = elo.update(b, a, 1 - score, 30, rounded=False)
        assert (new_a, new_b) == pytest.approx((ELO_CASE[who]["A"], ELO_CASE[who]["B"]), abs=5e-5)
        assert new_a + new_b == pytest.approx(ELO_CASE["sum_is_constant"], abs=1e-9)


def test_a_half_goes_up() -> None:
    assert elo.update(1500.5, 1500.5, 0.5, 0) == 1501
    assert elo.update(-0.5, -0.5, 0.5, 0) == 0


def test_a_mars_is_no_second_win() -> None:
    with pytest.raises(TavlaError, match="score 2: expected 1 for a won match"):
        elo.update(1500, 1500, 2, 0)
    with pytest.raises(TavlaError, match="-1 matches"):
        elo.update(1500, 1500, 1, -1)


def test_a_simulation_is_the_update_many_times() -> None:
    """A player who always wins has the same ratings in every run."""
    result = elo.simulate({"hard": 1.0}, matches=40, runs=3)
    rating, path = 1500.0, [1500.0]
    for played in range(40):
        rating = elo.update(rating, 1750, 1, played)
        path.append(rating)
    assert list(result.mean) == path
    assert set(result.deviation) == {0}
    assert result.settles_at is None


@pytest.mark.parametrize("strength", [1200.0, 1500.0, 1650.0, 1900.0])
def test_a_players_rating_ends_near_the_true_strength(strength: float) -> None:
    result = elo.simulate(elo.chances(strength), matches=600, runs=400)
    assert result.settles_at == pytest.approx(strength, abs=1e-6)
    # A win worth less than half a point is rounded to none, so a strong player against weak bots stays slightly low.
    assert result.final_mean == pytest.approx(strength, abs=15)
    assert 20 < result.final_deviation < 70
    assert (np.diff(np.array(result.band), axis=1) >= 0).all()
    assert len(result.mean) == len(result.band) == 601


def test_simulations_depend_on_their_seed_only() -> None:
    first, again, other = (elo.simulate({"easy": 0.8}, matches=20, runs=50, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.mean != other.mean


def test_the_mix_decides_who_is_met() -> None:
    wins = {"easy": 0.9, "medium": 0.6, "hard": 0.3}
    alone = elo.simulate({"hard": 0.3}, matches=400, runs=200)
    mixed = elo.simulate(wins, mix={"hard": 5}, matches=400, runs=200)
    assert alone.final_mean == mixed.final_mean
    assert mixed.mix == {"hard": 1}
    assert alone.settles_at == pytest.approx(1750 + 400 * math.log10(0.3 / 0.7))


@pytest.mark.parametrize(
    ("wins", "options", "message"),
    [
        ({"expert": 0.5}, {}, "win chance of 'expert': no such bot; expected one of easy, medium, hard"),
        ({"easy": 1.5}, {}, "win chance 1.5 against easy"),
        ({"easy": math.nan}, {}, "win chance nan"),
        ({"easy": 0.5}, {"mix": {"hard": 1}}, "mix of 'hard': expected a win chance"),
        ({"easy": 0.5}, {"mix": {"easy": -1}}, "mix -1 of easy"),
        ({"easy": 0.5}, {"mix": {"easy": 0}}, "mix: expected a share above 0"),
        ({}, {}, "mix: expected a share above 0"),
        ({"easy": 0.5}, {"bots": {"easy": math.inf}}, "bot 'easy': rating inf"),
        ({"easy": 0.5}, {"matches": 0}, "0 matches"),
        ({"easy": 0.5}, {"runs": 0}, "0 runs"),
    ],
)
def test_simulations_name_mistakes(wins: dict[str, float], options: dict[str, object], message: str) -> None:
    with pytest.raises(TavlaError) as caught:
        elo.simulate(wins, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_the_ladder_is_found_again_by_simulation() -> None:
    """Levels that play by the house's gaps, in a round robin of 1000 matches each, are rated at the house's ratings."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        ratings = rate(simulated(LADDER, 1000, rng), anchors={"medium": 1500})
        for name, truth in LADDER.items():
            player = ratings.rating(name)
            assert abs(player.rating - truth) <= 3.5 * player.standard_error
            assert player.standard_error < 16
