"""Open Sage, as the Python package bgsage."""

from __future__ import annotations

import bgsage

from tavla_ai.bots.peers import Boards


class BgSage:
    """Boards are 26 numbers in the mover's numbering: his checkers positive, the opponent's negative.

    Place 25 is the mover's bar, place 0 the opponent's, both counted positive.
    """

    name = "bgsage"

    def convert(self, boards: Boards) -> list[object]:
        """Return the peer's form of `[N, 2, 26]` int8 boards, the mover first."""
        return [
            [opponent[25], *(mover[point] - opponent[25 - point] for point in range(1, 25)), mover[25]]
            for mover, opponent in boards.tolist()
        ]

    def count_plays(self, positions: list[object], dice: list[tuple[int, int]]) -> list[int]:
        """Return the number of distinct afterstates of each position with its roll; a pass is one."""
        return [
            len(bgsage.possible_moves(position, first, second)) or 1
            for position, (first, second) in zip(positions, dice, strict=True)
        ]

    def evaluate(self, positions: list[object]) -> None:
        """Evaluate each position with the networks alone, as positions after the mover's play."""
        bgsage.batch_post_move_evaluate(
            [{"board": position, "cube_owner": "centered"} for position in positions], "1ply", n_threads=1, jacoby=False
        )
