"""Outside engines as players: they value the afterstates that our own engine generates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots.peers.abilities import Boards, CubeAnswer, Dice, DoublingPeer, PlayingPeer
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.match import MatchState
from tavla_ai.rules import Ruleset, compile_rules

# GNU Backgammon's `normal` filter: how many 0-ply plays go deeper, and how much worse than the best they may be, in
# points.
_KEEP, _MARGIN = 8, 0.16

# Tolerance of probabilities beyond 0 and 1: sums over rolls round in single precision.
_SLACK = 1e-3


@dataclass(frozen=True)
class Fault:
    """A failure of an outside engine, in place of a play.

    Attributes:
      reason: the engine and its failure, in one line.
    """

    reason: str


class OutsidePlayer(Protocol):
    """A player outside our engine."""

    name: str

    @property
    def can_double(self) -> bool:
        """Whether the player decides about the cube."""

    def choose_plays(self, boards: Boards, dice: Dice) -> Sequence[npt.NDArray[np.int8] | Fault]:
        """Return the afterstate of the chosen play for each board `[N, 2, num_places]` and roll `[N, 2]`."""

    def cube_answers(self, boards: Boards, states: Sequence[MatchState]) -> Sequence[CubeAnswer | Fault]:
        """Return what the player thinks of doubling each board `[N, 2, 26]` before the roll, the side on roll first.

        Args:
          states: the stakes, seen by the side on roll, with the cube as it is before the double.
        """


class PeerPlayer:
    """An outside engine that plays for points, at any score of a match.

    Args:
      name: name in results.
      peer: the outside engine.
      ruleset: the game.
      ply: look-ahead. Above 0, only plays that are close at the engine's 0-ply are searched.

    Raises:
      RulesetError: the engine does not play the game.
    """

    def __init__(self, name: str, peer: PlayingPeer, ruleset: Ruleset, ply: int) -> None:
        if not peer.plays(ruleset):
            raise RulesetError(f"{name}: plays {peer.games}, not {ruleset.name}")
        self.name = name
        self.version = peer.version
        self.ply = ply
        self._peer = peer
        self._rules = compile_rules(ruleset)
        self._counts_backgammon = ruleset.scores[0] > 2

    def equities(self, boards: Boards, ply: int | None = None) -> npt.NDArray[np.float64]:
        """Return `[N]` points of afterstates `[N, 2, num_places]` for the side that has just moved; no game is over.

        Args:
          ply: look-ahead; None takes the player's own.

        Raises:
          TavlaError: the engine answered no probabilities.
        """
        if len(boards) == 0:
            return np.zeros(0)
        found = self._peer.chances(boards, self.ply if ply is None else ply, self._counts_backgammon)
        if found.shape != (len(boards), 5) or not ((found >= -_SLACK) & (found <= 1 + _SLACK)).all():
            raise TavlaError(f"{self.name}: answered no probabilities")
        win, win_2, win_3, lose_2, lose_3 = found.T
        points: npt.NDArray[np.float64] = 2 * win - 1 + win_2 - lose_2
        return points + win_3 - lose_3 if self._counts_backgammon else points

    @property
    def can_double(self) -> bool:
        """Whether the engine decides about the cube."""
        return hasattr(self._peer, "cube_answers")

    def cube_answers(self, boards: Boards, states: Sequence[MatchState]) -> list[CubeAnswer | Fault]:
        """Return what the engine thinks of doubling each position, or a fault; see `DoublingPeer`."""
        try:
            return list(cast(DoublingPeer, self._peer).cube_answers(boards, states, self.ply))
        except Exception as error:
            if len(boards) == 1:
                return [self._fault(error)]
            return [self.cube_answers(boards[i : i + 1], states[i : i + 1])[0] for i in range(len(boards))]

    def choose_plays(self, boards: Boards, dice: Dice) -> list[npt.NDArray[np.int8] | Fault]:
        """Return the afterstate of the chosen play, or a fault, for each board `[N, 2, num_places]` and roll `[N, 2]`.

        A forced play is made without asking the engine; a play that ends the game is worth its score.
        """
        try:
            return list(self._choose(boards, dice))
        except Exception as error:
            # Asking for each position alone finds the one that failed.
            if len(boards) == 1:
                return [self._fault(error)]
            return [self.choose_plays(boards[i : i + 1], dice[i : i + 1])[0] for i in range(len(boards))]

    def _fault(self, error: Exception) -> Fault:
        said = str(error) if isinstance(error, TavlaError) else f"{self.name}: {type(error).__name__}: {error}"
        return Fault(" ".join(said.split()))

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


def close_plays(values: npt.NDArray[np.float64], keep: int, margin: float) -> npt.NDArray[np.bool_]:
    """Return `[n]` bool: whether each play is among the best `keep` and within `margin` of the best."""
    chosen: npt.NDArray[np.bool_] = np.asarray(values >= values.max() - margin)
    chosen[np.argsort(-values, kind="stable")[keep:]] = False
    return chosen
