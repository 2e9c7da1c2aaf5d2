"""Luck: results without it have the same mean and a smaller error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint
from tournaments import played

from tavla_ai.bots import load_bot
from tavla_ai.errors import RulesetError
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import get_match_set, get_ruleset
from tavla_ai.tournament import (
    Arena,
    play_pairing,
    play_pairs,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RANDOM = load_bot("random", NORTH_SULTAN)
PUBEVAL = load_bot("pubeval", NORTH_SULTAN)


@pytest.fixture(scope="module")
def luck_network() -> Checkpoint:
    return load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla")


@pytest.mark.parametrize(("match_length", "part"), [(None, 0.5), (3, 0.75)])
def test_without_luck_the_mean_is_the_same_and_the_error_smaller(
    luck_network: Checkpoint, match_length: int | None, part: float
) -> None:
    noisy = load_bot(f"{luck_network.path}:0.1", NORTH_SULTAN)
    best = load_bot(str(luck_network.path), NORTH_SULTAN)
    result = play_pairing(NORTH_SULTAN, best, noisy, 300, 5, match_length, workers=2, luck_network=luck_network)
    raw = result.points_per_game if match_length is None else result.match_win_share
    assert result.adjusted is not None
    assert result.standard_error is not None
    assert result.adjusted_standard_error is not None
    assert raw is not None
    assert abs(result.adjusted - raw) < 3 * result.standard_error
    assert 0 < result.adjusted_standard_error < part * result.standard_error
    assert result.adjusted_interval is not None
    plain = play_pairing(NORTH_SULTAN, best, noisy, 300, 5, match_length, workers=2)
    assert plain.adjusted is None
    assert plain.interval == result.interval


def test_luck_of_a_bot_against_itself_cancels_exactly(luck_network: Checkpoint) -> None:
    result = play_pairing(NORTH_SULTAN, PUBEVAL, PUBEVAL, 40, 1, luck_network=luck_network)
    assert result.adjusted == pytest.approx(0, abs=1e-12)
    assert result.adjusted_standard_error is None


def test_totals_have_no_luck_where_it_was_not_measured(luck_network: Checkpoint) -> None:
    result = played(NORTH_SULTAN, [PUBEVAL, RANDOM, PUBEVAL], games=20, seed=4, luck_networks=[luck_network]).result
    assert sum(total.adjusted or 0 for total in result.totals) == pytest.approx(0)
    assert result.judge == luck_network.name
    assert played(NORTH_SULTAN, [PUBEVAL, RANDOM], games=20, seed=4).result.totals[0].adjusted is None


def test_luck_of_gul_bara_cannot_be_measured(tmp_path: Path) -> None:
    gul_bara = get_ruleset("gul-bara")
    network = load_checkpoint(write_checkpoint(tmp_path / "net", "gul-bara"))
    random = load_bot("random", gul_bara)
    with pytest.raises(RulesetError, match="luck of the rolls: not in gul-bara, where a turn is more than one roll"):
        play_pairing(gul_bara, random, random, 2, 1, luck_network=network)


def check_games_apart(arena: Arena) -> None:
    """Check that matches to 3 with seed 3 are the same in lock-step as in the engine."""
    whole = arena.play(0, 1, 0, 10)
    apart = play_pairs(arena.legs(0, 1), seed=3, first_pair=0, num_pairs=10, length=3)
    assert whole.luck is not None
    assert apart.luck is not None
    np.testing.assert_allclose(apart.luck, whole.luck, atol=1e-9)
    for name in ("points", "scores", "void_games", "plies"):
        np.testing.assert_array_equal(getattr(apart, name), getattr(whole, name))


def test_luck_in_the_games_of_a_set(luck_network: Checkpoint, tmp_path: Path) -> None:
    """Luck measured in one of the games keeps the mean and reduces the error; in lock-step it is the same."""
    match_set = get_match_set("zar-greek")
    others = "plakoto-greek=random,fevga=random"
    bots = [load_bot(f"portes={luck_network.path}{noise},{others}", match_set) for noise in ("", ":0.1")]
    networks = [luck_network, None, None]
    result = played(match_set, bots, 200, 3, 3, luck_networks=networks, out=tmp_path / "out").result
    pairing = result.pairings[0]
    assert result.judge == f"portes={luck_network.name}"
    assert pairing.adjusted is not None
    assert pairing.match_win_share is not None
    assert pairing.standard_error is not None
    assert pairing.adjusted_standard_error is not None
    assert abs(pairing.adjusted - pairing.match_win_share) < 3 * pairing.standard_error
    assert 0 < pairing.adjusted_standard_error < pairing.standard_error
    check_games_apart(Arena(match_set, bots, 3, 3, networks))
