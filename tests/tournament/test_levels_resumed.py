"""Tournaments of levels on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok
from levels_fixture import ladder, write_levels

from tavla_ai.bots import (
    LEVEL_NAMES,
)


def with_easy(ruleset: str = "north-sultan", **changes: Any) -> dict[str, Any]:
    found = ladder(ruleset)
    found["levels"]["easy"] |= changes
    return found


@pytest.mark.parametrize(("game", "house"), [("north-sultan", "north-sultan"), ("zar-turkish", "portes")])
def test_a_tournament_of_levels_is_not_resumed_after_a_new_calibration(game: str, house: str, tmp_path: Path) -> None:
    """This holds for single games and for a set, which has the levels of its games."""
    for seed, name in enumerate(LEVEL_NAMES):
        write_checkpoint(tmp_path / name, seed=seed)
    path, out = write_levels(tmp_path, ladder(house)), tmp_path / "out"
    command = ("tournament", "easy", "hard", "--games", 4, "--out", out, "--levels", path, "--ruleset", game)
    ok(*command)
    ok(*command)
    assert "easy, hard" in ok("replay", out, "--levels", path).splitlines()[0]
    write_levels(tmp_path, with_easy(house, noise=0.3))
    assert "easy was calibrated again" in fails(*command)
    assert "easy was calibrated again" in fails("replay", out, "--levels", path)
