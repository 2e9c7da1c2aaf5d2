"""Outside engines at the table: they judge the afterstates that our own generator lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots.peers import Boards, Dice
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.rules import Ruleset, compile_rules

PEER_PLAYERS = ("gnubg", "sage")
MAX_PEER_PLY = 3

# GNU Backgammon's own `normal` filter: of the plays as 0-ply sees them so many, and none that is so much worse in
# points, are looked at more deeply.
_KEEP, _MARGIN = 8, 0.16


class PeerJudge(Protocol):
    """An outside engine's opinion of positions of western backgammon."""

    name: str
    version: str

    def judge(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        """Return the chances of the side that has just moved, before the opponent rolls.

        Args:
          boards: `[N, 2, 26]` int8 afterstates, the side that has just moved first; no game is over.
          ply: look-ahead, 0 being the networks alone.
          counts_backgammon: whether plays within the look-ahead are chosen for the third point too.

        Returns:
          `[N, 5]`: wins, of them by 2 points or more, by 3; losses by 2 points or more, by 3.
        """


@dataclass(frozen=True)
class Fault:
    """In place of a play: who did what wrong, in one line."""

    reason: str


class OutsidePlayer(Protocol):
    """A player that is not the engine's."""

    name: str

    def choose_plays(self, boards: Boards, dice: Dice) -> Sequence[npt.NDArray[np.int8] | Fault]:
        """Return the afterstate `[2, 26]` that it makes of each board `[N, 2, 26]` with its roll `[N, 2]`."""


class PeerPlayer:
    """An outside engine that plays for points, at any score of a match.

    Args:
      name: how results call it.
      judge: the outside engine.
      ruleset: the game, of western movement.
      ply: look-ahead. Deeper than 0 only what the engine's 0-ply finds close is looked at.

    Raises:
      RulesetError: the game is not played so.
    """

    def __init__(self, name: str, judge: PeerJudge, ruleset: Ruleset, ply: int) -> None:
        if ruleset.family != "opposed-hit" or not ruleset.hit_and_run or ruleset.bear_off_order != "free":
            raise RulesetError(f"{name}: plays games of western movement only, not {ruleset.name}")
        self.name = name
        self.judge = judge
        self.ply = ply
        self._rules = compile_rules(ruleset)
        self._counts_backgammon = ruleset.scores[0] > 2

    def equities(self, boards: Boards, ply: int | None = None) -> npt.NDArray[np.float64]:
        """Return `[N]` points of afterstates `[N, 2, 26]` for the side that has just moved; no game is over.

        Args:
          ply: look-ahead; None is the player's own.

        Raises:
          TavlaError: an answer that cannot be a value.
        """
        if len(boards) == 0:
            return np.zeros(0)
        found = self.judge.judge(boards, self.ply if ply is None else ply, self._counts_backgammon)
        if found.shape != (len(boards), 5) or not ((found >= -_SLACK) & (found <= 1 + _SLACK)).all():
            raise TavlaError(f"{self.name}: answered no probabilities")
        win, win_2, win_3, lose_2, lose_3 = found.T
        points: npt.NDArray[np.float64] = 2 * win - 1 + win_2 - lose_2
        return points + win_3 - lose_3 if self._counts_backgammon else points

    def choose_plays(self, boards: Boards, dice: Dice) -> list[npt.NDArray[np.int8] | Fault]:
        """Return the afterstate `[2, 26]` of each board `[N, 2, 26]` with its roll `[N, 2]`, or what went wrong.

        A forced play is made without asking; a game that can be won is.
        """
        try:
            return list(self._choose(boards, dice))
        except Exception as error:
            # Whose position it was is found by asking for each alone.
            if len(boards) == 1:
                said = str(error) if isinstance(error, TavlaError) else f"{self.name}: {type(error).__name__}: {error}"
                return [Fault(" ".join(said.split()))]
            return [self.choose_plays(boards[i : i + 1], dice[i : i + 1])[0] for i in range(len(boards))]

    def _choose(self, boards: Boards, dice: Dice) -> list[npt.NDArray[np.int8]]:
        plays = [
            engine.legal_plays(self._rules, board, *roll) for board, roll in zip(boards, dice.tolist(), strict=True)
        ]
        afterstates = np.concatenate([after for after, _, _ in plays])
        values = np.concatenate([scores for _, _, scores in plays]).astype(np.float64)
        ends = np.cumsum([len(after) for after, _, _ in plays])
        spans = [slice(end - len(after), end) for (after, _, _), end in zip(plays, ends, strict=True)]
        is_open = values == engine.NO_SCORE
        is_asked = is_open.copy()
        for span in spans:
            if span.stop - span.start == 1:
                is_asked[span] = False
        values[is_open] = 0
        values[is_asked] = self.equities(afterstates[is_asked], 0)
        if self.ply > 0:
            is_close = np.zeros(len(values), bool)
            for span in spans:
                is_close[span] = close_plays(values[span], _KEEP, _MARGIN)
            values[~is_close] = -np.inf
            deeper = is_close & is_asked
            values[deeper] = self.equities(afterstates[deeper])
        return [afterstates[span.start + int(np.argmax(values[span]))] for span in spans]


# Rounding of single precision in sums over rolls.
_SLACK = 1e-3


def close_plays(values: npt.NDArray[np.float64], keep: int, margin: float) -> npt.NDArray[np.bool_]:
    """Return `[n]` bool: which of the plays are among the best `keep` and within `margin` of the best."""
    chosen: npt.NDArray[np.bool_] = np.asarray(values >= values.max() - margin)
    chosen[np.argsort(-values, kind="stable")[keep:]] = False
    return chosen


def make_peer_player(name: str, kind: str, ply: int, ruleset: Ruleset) -> PeerPlayer:
    """Return an outside engine as a player.

    Args:
      name: how results call it.
      kind: one of `PEER_PLAYERS`.

    Raises:
      TavlaError: the engine is not installed, or does not look so far.
      RulesetError: it does not play the game.
    """
    if not 0 <= ply <= MAX_PEER_PLY:
        raise TavlaError(f"{name}: ply {ply}, expected 0 to {MAX_PEER_PLY}")
    judge: PeerJudge
    try:
        if kind == "gnubg":
            from tavla_ai.bots.peers.gnubg import Gnubg

            judge = Gnubg()
        else:
            from tavla_ai.bots.peers.bgsage import BgSage

            judge = BgSage()
    except ImportError as error:
        raise TavlaError(f"{kind} is not installed ({error}); pip install --pre tavla-ai[peers]") from None
    return PeerPlayer(name, judge, ruleset, ply)
