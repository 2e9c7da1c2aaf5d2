"""GNU Backgammon's networks as the Python package gnubg-nn."""

from __future__ import annotations

import gnubg_nn

from tavla_ai.bots.peers.abilities import Boards


class GnubgNN:
    """Boards are two lists of 25 counts, the opponent's first: points 1 to 24, then the bar."""

    def convert(self, boards: Boards) -> list[object]:
        """Return the peer's form of `[N, 2, 26]` int8 boards, the mover first."""
        return [[opponent[1:], mover[1:]] for mover, opponent in boards.tolist()]

    def count_plays(self, positions: list[object], dice: list[tuple[int, int]]) -> list[int]:
        """Return the number of distinct afterstates of each position with its roll; a pass is one."""
        return [
            len(gnubg_nn.moves(position, first, second)) or 1
            for position, (first, second) in zip(positions, dice, strict=True)
        ]

    def evaluate(self, positions: list[object]) -> None:
        """Evaluate each position with the networks alone (0-ply)."""
        for position in positions:
            gnubg_nn.probabilities(position, 0)
