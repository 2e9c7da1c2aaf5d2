"""Decisions on which two bots differ."""

from __future__ import annotations

import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.bots import Bot, load_bot
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import find_differences
from tavla_ai.tournament import (
    Arena,
)

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("results") / "net"))


@pytest.fixture(scope="module")
def bots(network: Checkpoint) -> list[Bot]:
    return [load_bot(spec, NORTH_SULTAN) for spec in (str(network.path), f"{network.path}:0.2", "random")]


def test_differences_are_legal_plays_of_both(bots: list[Bot], network: Checkpoint) -> None:
    found = find_differences(Arena(NORTH_SULTAN, bots, 1), 0, 2, network, 3)
    assert found
    assert [abs(one.lead) for one in found] == sorted((abs(one.lead) for one in found), reverse=True)
    # A bot with the critic's own network never makes a play that the critic values lower.
    assert all(one.lead >= 0 for one in found if one.players[0] == bots[0].name)
    assert not find_differences(Arena(NORTH_SULTAN, bots, 1), 0, 0, network, 2)
