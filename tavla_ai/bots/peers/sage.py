"""Open Sage, as the Python package bgsage."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import bgbot_cpp
import bgsage
import numpy as np
import numpy.typing as npt
from bgsage.weights import default_weights

from tavla_ai.bots.peers.abilities import Boards, CubeAnswer, WesternPeer
from tavla_ai.match import CubeOwner, MatchState

_OWNERS: dict[CubeOwner, str] = {"centred": "centered", "me": "player", "opponent": "opponent"}


class Sage(WesternPeer):
    """Boards are 26 numbers in the mover's numbering: own checkers positive, the opponent's negative.

    Place 25 is the mover's bar, place 0 the opponent's, both counted positive. What it calls 1-ply is 0-ply here.
    """

    version = version("bgsage")

    def __init__(self) -> None:
        self._strategies: dict[int, Any] = {}

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

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        """See `PlayingPeer`. Plays within its look-ahead always count backgammons."""
        positions = [(position, bgbot_cpp.CubeOwner.CENTERED) for position in self.convert(boards)]
        found = bgbot_cpp.batch_evaluate_post_move(positions, self._strategy(ply), 1, jacoby=False)
        return np.array([row["probs"] for row in found], np.float64)

    def cube_answers(self, boards: Boards, states: Sequence[MatchState], ply: int) -> list[CubeAnswer]:
        """See `DoublingPeer`. It decides by Janowski's formula from its own outcomes of the game."""
        positions = [
            {"board": board, "cube_value": state.cube.value, "cube_owner": _OWNERS[state.cube.owner], **_match(state)}
            for board, state in zip(self.convert(boards), states, strict=True)
        ]
        found = bgsage.batch_cube_action(positions, f"{ply + 1}ply", n_threads=1, jacoby=False, beaver=False)
        return [CubeAnswer(bool(one.should_double), bool(one.should_take)) for one in found]

    def _strategy(self, ply: int) -> Any:
        if ply not in self._strategies:
            weights = default_weights()
            self._strategies[ply] = (
                bgbot_cpp.create_strategy(weights.strategy_type, *weights.weight_args)
                if ply == 0
                else bgbot_cpp.create_multipy(weights.strategy_type, *weights.weight_args, n_plies=ply + 1)
            )
        return self._strategies[ply]


def _match(state: MatchState) -> dict[str, int | bool]:
    """Return the fields of a position that say what a match stands at; none for a single game."""
    if state.length is None:
        return {}
    mine, theirs = state.away
    return {"away1": mine, "away2": theirs, "is_crawford": state.is_crawford}
