"""A set of judged decisions, which several test files need."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.rules import get_ruleset
from tavla_ai.strength import JudgedSet, build_judged_set, save_judged_set


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("error-rate") / "small")


@pytest.fixture(scope="session")
def judged(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> JudgedSet:
    """45 decisions that the checkpoint has judged, looking one ply ahead."""
    path = tmp_path_factory.mktemp("judged") / "set.npz"
    return build_judged_set(path, get_ruleset("north-sultan"), checkpoint, [f"{checkpoint}@1"], 45, 7)


@pytest.fixture
def judged_path(judged: JudgedSet, tmp_path: Path) -> Path:
    save_judged_set(tmp_path / "set.npz", judged)
    return tmp_path / "set.npz"
