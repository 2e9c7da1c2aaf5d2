"""The handed cases: boards of real faults and of the rules, with their right answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import oracle

from tavla_ai.rules import Position

DATA = Path(__file__).parents[1] / "data"
MATCHES = DATA / "matches"
FAULTS: list[dict[str, Any]] = json.loads((DATA / "faults.json").read_text(encoding="utf-8"))

# The 21 rolls, the higher die first.
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def fault(name: str) -> dict[str, Any]:
    """Return the one case of `faults.json` whose id begins so."""
    (case,) = (case for case in FAULTS if case["id"].startswith(name))
    return case


def read_side(men: dict[str, int], off: int, bar: int) -> np.ndarray:
    """Return a side's counts, int8 `[26]`."""
    return np.array(oracle.side({int(point): count for point, count in men.items()} | {0: off, 25: bar}), np.int8)


def faults_board(board: dict[str, Any]) -> np.ndarray:
    """Return a board of `faults.json`, where both sides' points are counted in the mover's numbering."""
    opp = {str(25 - int(point)): count for point, count in board["opp"].items()}
    return np.stack(
        [
            read_side(board["me"], board["off_me"], board["bar_me"]),
            read_side(opp, board["off_opp"], board["bar_opp"]),
        ]
    )


def faults_position(board: dict[str, Any]) -> Position:
    """Return the same as a position."""
    return Position(faults_board(board))
