"""The rules of every game, written from rules.md alone: slow, plain, and independent of the engine.

Positions are tuples of pairs, the mover's field first. Tavla, backgammon and Fevga: (me, opp). Plakoto,
Gul Bara and Tawula: `PlakotoPosition`, `GulBaraPosition`, `TawulaPosition`, which begin in the same way. Each
side is a tuple of 26 counts in its owner's numbering: 0 = off, 1..24 = points, 25 = bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from . import core, gulbara
from .core import Family, Position, Side, Stage, Step, Turn, side, swap
from .fevga import Fevga
from .gulbara import GulBaraPosition
from .opposed import Opposed
from .plakoto import Plakoto, PlakotoPosition
from .tawula import Tawula, TawulaPosition

__all__ = [
    "PRESETS",
    "GulBaraPosition",
    "PlakotoPosition",
    "Position",
    "Side",
    "Stage",
    "Step",
    "TawulaPosition",
    "Turn",
    "legal_turns",
    "score",
    "side",
    "stage_turns",
    "start",
    "swap",
]

PRESETS: dict[str, Family] = {
    "north-sultan": Opposed(),
    "oyna-tavla": Opposed(),
    "portes": Opposed(),
    "traditional": Opposed(hit_run_home=False, larger_first=True),
    "oyna-backgammon": Opposed(triple=True),
    "plakoto": Plakoto(),
    "plakoto-greek": Plakoto(pinned_blocks_bearoff=True),
    "fevga": Fevga(),
    "fevga-noleave": Fevga(leave_move=False),
    "gul-bara": gulbara.FAMILY,
    "tawula": Tawula(),
}
"""The presets of rules.md, and `fevga-noleave` for the cases that leave out one rule."""


def start(preset: str) -> Position:
    """The start position (§1, row start)."""
    return PRESETS[preset].start()


def score(preset: str, position: Position) -> int | None:
    """The score of a finished game for the player in front (negative if he lost), None if it goes on (§1)."""
    return PRESETS[preset].score(position)


def stage_turns(preset: str, position: Position, dice: Sequence[int]) -> dict[Position, Turn]:
    """All legal afterstates of playing exactly these dice: (d,), (a, b), or up to four equal dice.

    Gul Bara's stages know only the two sides: its afterstates here are plain (me, opp).
    """
    return core.stage_turns(PRESETS[preset], position, tuple(dice))


def legal_turns(preset: str, position: Position, dice: tuple[int, int]) -> dict[Position, Turn]:
    """All legal afterstates of a turn with this roll, the mover in front; a double is four dice (§1).

    A turn without a legal play has one afterstate, the position itself. For Gul Bara the turn is the whole
    of §2 b: passed stages first, a cascade from the fourth own roll on; what passes on is in the afterstate.
    """
    first, second = dice
    if preset == "gul-bara":
        return cast("dict[Position, Turn]", gulbara.full_turns(GulBaraPosition(*position), (first, second)))
    return stage_turns(preset, position, (first,) * 4 if first == second else (first, second))
