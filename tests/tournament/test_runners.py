"""Runners of contests: only the speed depends on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.bots import Bot, load_bot
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import (
    Arena,
    Contests,
    LocalRunner,
    play_pairing,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RANDOM = load_bot("random", NORTH_SULTAN)
PUBEVAL = load_bot("pubeval", NORTH_SULTAN)


@pytest.fixture(scope="module")
def network_bot(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    return load_bot(str(write_checkpoint(tmp_path_factory.mktemp("tournament") / "small")), NORTH_SULTAN)


def without_speed(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.model_dump(mode="json")
    for pairing in data.get("pairings", [data]):
        assert pairing.pop("games_per_second") > 0
    return data


@pytest.mark.parametrize("match_length", [None, 3])
def test_workers_and_chunks_do_not_matter(network_bot: Bot, match_length: int | None) -> None:
    def play(workers: int) -> dict[str, Any]:
        return without_speed(play_pairing(NORTH_SULTAN, network_bot, RANDOM, 302, 9, match_length, workers=workers))

    expected = play(1)
    assert play(3) == expected
    assert play(200) == expected
    arena = Arena(NORTH_SULTAN, [network_bot, RANDOM], 9, match_length)
    whole = arena.play(0, 1, 0, 151)
    for threads, seconds_per_call in ((1, 0.0), (2, 1e9)):
        parts = list(LocalRunner(arena, threads, seconds_per_call).play(0, 1, 0, 151, None))
        assert len(parts) > 1
        joined = Contests.joined(parts)
        for name in ("points", "scores", "void_games", "plies"):
            np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))


@pytest.mark.parametrize("match_length", [None, 3])
def test_progress_adds_up(match_length: int | None) -> None:
    calls: list[int] = []
    play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, 500, 1, match_length, progress=calls.append)
    assert len(calls) > 1
    assert sum(calls) == 500


def test_an_interrupt_stops_between_calls() -> None:
    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, 10**12, 1, progress=interrupt)
