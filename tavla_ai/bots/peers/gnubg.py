"""GNU Backgammon, as the Python package gnubg."""

from __future__ import annotations

from importlib.metadata import version

import gnubg
import numpy as np
import numpy.typing as npt

from tavla_ai.bots.peers.abilities import Boards, WesternPeer

# Plays within its look-ahead are chosen for points: as at the start of a long match, with these prices of a gammon and
# of a backgammon; a gammon is then worth one point more than a win. In money play backgammons would count.
_MATCH_LENGTH = 25
_CUBE = {"cube": 1, "cubeowner": -1, "move": 1, "matchto": _MATCH_LENGTH, "score": (0, 0), "crawford": 0, "jacoby": 0}
_CUBE |= {"beavers": 0, "bgv": 0}


class Gnubg(WesternPeer):
    """Boards are two tuples of 25 counts, points 1 to 24 and the bar; the side on roll comes second."""

    version = version("gnubg")

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        """See `PlayingPeer`. Its look-ahead prunes with its small networks, as by its default settings."""
        price = (1.0, 1.0 if counts_backgammon else 0.0)
        cube = {**_CUBE, "gammonprice": (price, price)}
        context = {"cubeful": 0, "plies": ply, "deterministic": 1, "prune": int(ply > 0), "noise": 0.0}
        found = [gnubg.evaluate((mover[1:], roller[1:]), cube, context) for mover, roller in boards.tolist()]
        rolling = np.array(found, np.float64)[:, :5]
        # The answer is the side on roll's: wins, gammons and backgammons won, gammons and backgammons lost.
        return np.concatenate([1 - rolling[:, :1], rolling[:, 3:5], rolling[:, 1:3]], axis=1)
