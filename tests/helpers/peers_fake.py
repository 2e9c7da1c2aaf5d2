"""An outside engine that needs no package: it would rather be ahead in the race."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots.peers.abilities import WesternPeer
from tavla_ai.rules import compile_rules, get_ruleset

Boards = npt.NDArray[np.int8]

_RULES = compile_rules(get_ruleset("north-sultan"))


class PipPeer(WesternPeer):
    """An adapter with every ability; when it looks ahead, it would rather be behind in the race."""

    version = "1"

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        self.asked.append((ply, len(boards)))
        pips = boards.astype(np.int64) @ np.arange(26)
        lead = (pips[:, 1] - pips[:, 0]) / 800 * (1 if ply == 0 else -1)
        flat = np.zeros(len(boards))
        return np.stack([0.5 + lead, flat, flat, flat, flat], axis=1)

    def convert(self, boards: Boards) -> list[object]:
        return list(boards)

    def evaluate(self, positions: list[object]) -> None:
        self.chances(np.array(positions, np.int8), 0, counts_backgammon=False)

    def count_plays(self, positions: list[object], dice: list[tuple[int, int]]) -> list[int]:
        boards = np.array(positions, np.int8)
        return [len(engine.legal_plays(_RULES, board, *roll)[0]) for board, roll in zip(boards, dice, strict=True)]
