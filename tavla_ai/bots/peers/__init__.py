"""Outside engines, for comparison: none of their code or weights is part of the product.

Each adapter needs the extra [peers], and says so where it is missing.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from tavla_ai.errors import TavlaError

PEERS = ("gnubg-nn", "bgsage")

Boards = npt.NDArray[np.int8]
Dice = npt.NDArray[np.int8]


class Peer(Protocol):
    """An outside engine that generates plays and evaluates positions of western backgammon."""

    name: str

    def convert(self, boards: Boards) -> list[object]:
        """Return boards `[N, 2, 26]` int8, the mover first, as the peer takes them."""

    def count_plays(self, positions: list[object], dice: list[tuple[int, int]]) -> list[int]:
        """Return the number of distinct afterstates of each position with its roll; a pass is one."""

    def evaluate(self, positions: list[object]) -> None:
        """Evaluate each position statically, the mover having just moved."""


def make_peer(name: str) -> Peer:
    """Return the adapter of an outside engine.

    Raises:
      TavlaError: no adapter has that name, or the engine is not installed.
    """
    try:
        if name == "gnubg-nn":
            from tavla_ai.bots.peers.gnubg_nn import GnubgNN

            return GnubgNN()
        if name == "bgsage":
            from tavla_ai.bots.peers.bgsage import BgSage

            return BgSage()
    except ImportError as error:
        raise TavlaError(f"{name} is not installed ({error}); pip install --pre tavla-ai[peers]") from None
    raise TavlaError(f"unknown peer {name!r}; expected one of {', '.join(PEERS)}")
