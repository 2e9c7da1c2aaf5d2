"""The shipped networks at another program's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavla_ai.evaluator import Evaluator
from tavla_ai.network import load_checkpoint

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tavla_bot() -> Evaluator:
    return Evaluator(load_checkpoint(ROOT / "checkpoints/tavla"))


@pytest.fixture(scope="session")
def backgammon_bot() -> Evaluator:
    return Evaluator(load_checkpoint(ROOT / "checkpoints/backgammon"))
