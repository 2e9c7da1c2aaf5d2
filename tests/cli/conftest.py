"""Checkpoints that the commands take."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.network import Result


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkpoint of north-sultan, which no test changes."""
    result = Result(
        opponent="pubeval",
        games=10_000,
        points_per_game=0.512,
        standard_error=0.013,
        win_share=0.68,
        mars_share=0.31,
        seed=5,
    )
    return write_checkpoint(tmp_path_factory.mktemp("cli") / "small", results=(result,))


@pytest.fixture(scope="session")
def backgammon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkpoint of a game with a cube."""
    return write_checkpoint(tmp_path_factory.mktemp("cli") / "cube", "oyna-backgammon", num_scores=6)
