"""The networks "Mars" of the open project gammonx-server, for Plakoto and Fevga, from a file of TorchSharp.

A network has four layers and answers one chance of winning; it does not know of a mars. The side that has just moved is
the project's White. Squares are counted from 0 at White's start to 23, in the direction in which White moves, and races
are played by pips, as the project plays them. Some columns are not the same for both sides; they are kept as they are,
since the network was trained with them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tavla_ai.bots.peers.abilities import Boards
from tavla_ai.errors import TavlaError
from tavla_ai.rules import OFF, PINNED, Ruleset

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_SQUARES = np.arange(24)
_LAYERS = 4
_INPUTS_WITH_PINS, _INPUTS = 266, 216
# The type that TorchSharp writes for float32.
_FLOAT32 = 6
_PIPS = 167  # of the start of backgammon, by which the project divides
_OUTSIDE = 18  # squares before home


class _Columns(NamedTuple):
    """Inputs float64 `[N, inputs]`, whether each position is a race, and what it is worth as one."""

    inputs: Floats
    is_race: Mask
    race_chance: Floats


@dataclass(frozen=True)
class _Side:
    """A side's checkers by the squares on its own way, from its start on: int64 `[N, 24]`."""

    counts: Counts
    waiting: Counts  # [N], checkers that the project counts as not yet entered

    @property
    def stands(self) -> Mask:
        return np.asarray(self.counts > 0)

    @property
    def number(self) -> Counts:
        number: Counts = self.counts.sum(1) + self.waiting
        return number

    def stack_height(self) -> Floats:
        height: Floats = self.counts.sum(1) / np.maximum(self.stands.sum(1), 1)
        return height

    def distance(self) -> Floats:
        return (self.counts @ (23 - _SQUARES) + 23 * self.waiting) / np.maximum(self.number, 1)

    def pips(self) -> Counts:
        return self.counts @ (24 - _SQUARES) + 24 * self.waiting

    def pips_to_home(self) -> Counts:
        return self.counts[:, :_OUTSIDE] @ (_OUTSIDE - _SQUARES[:_OUTSIDE])

    def rearmost(self) -> Counts:
        """Return the first square with a checker; 0 while any waits, or without checkers."""
        return np.where(self.waiting > 0, 0, np.argmax(self.stands, axis=1))

    def gaps(self) -> Floats:
        """Return the mean number of empty squares between neighbouring squares with checkers."""
        squares = self.stands.sum(1)
        last = 23 - np.argmax(self.stands[:, ::-1], axis=1)
        between = last - np.argmax(self.stands, axis=1) - (squares - 1)
        return np.where(squares > 1, between / np.maximum(squares - 1, 1), 0)


class Mars:
    """A network of a file.

    Args:
      path: the file.

    Raises:
      TavlaError: the file cannot be read, or is no such network.
    """

    games = "the game that its network was trained for"

    def __init__(self, path: str) -> None:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise TavlaError(f"mars:{path}: cannot be read ({error.strerror})") from None
        self.version = hashlib.sha256(content).hexdigest()[:12]
        try:
            tensors = _read_tensors(content)
            self._layers = [(tensors[f"_fc{i}.weight"], tensors[f"_fc{i}.bias"]) for i in range(1, _LAYERS + 1)]
            widths = [self._layers[0][0].shape[1], *(len(bias) for _, bias in self._layers)]
            is_network = widths[-1] == 1 and all(
                weight.shape == (after, before)
                for (weight, _), before, after in zip(self._layers, widths, widths[1:], strict=False)
            )
        except (IndexError, KeyError, ValueError, UnicodeDecodeError):
            is_network = False
        if not is_network or widths[0] not in (_INPUTS_WITH_PINS, _INPUTS):
            raise TavlaError(
                f"mars:{path}: expected a TorchSharp file (.dat) of a Mars network, with {_LAYERS} layers and "
                f"{_INPUTS_WITH_PINS} or {_INPUTS} inputs"
            )
        self._pins = widths[0] == _INPUTS_WITH_PINS

    def plays(self, ruleset: Ruleset) -> bool:
        """Return whether the network was trained for the moves of a game."""
        fate = ruleset.facts.lone_checker
        if self._pins:
            return fate == "is pinned"
        return fate == "holds the point" and not ruleset.has_stages

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> Floats:
        """See `PlayingPeer`; the chances of more than a win are 0, since it does not know them."""
        columns = (_pinning_columns if self._pins else _blocking_columns)(boards.astype(np.int64))
        values = columns.inputs.astype(np.float32)
        for weight, bias in self._layers[:-1]:
            values = np.maximum(values @ weight.T + bias, 0)
        weight, bias = self._layers[-1]
        logits = (values @ weight.T + bias)[:, 0].astype(np.float64)
        win = np.where(columns.is_race, columns.race_chance, 1 / (1 + np.exp(-logits)))
        return np.stack([win, *(np.zeros(len(boards)),) * 4], axis=1)


def _read_tensors(content: bytes) -> dict[str, npt.NDArray[np.float32]]:
    """Return the tensors of a file: their number, then name, type, shape and values of each.

    Numbers are unsigned LEB128, and values float32, little endian.
    """
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    tensors = {}
    for _ in range(number()):
        length = number()
        name = content[at : at + length].decode()
        at += length
        if number() != _FLOAT32:
            raise ValueError
        shape = [number() for _ in range(number())]
        count = int(np.prod(shape))
        tensors[name] = np.frombuffer(content, "<f4", count, at).reshape(shape)
        at += 4 * count
    return tensors


def _squares(tops: Counts) -> Floats:
    """Return 8 columns a square: whether 1, 2, 3, 4 or more of Black (positive) are there, then as many of White."""
    least = np.arange(1, 5)
    return np.concatenate([tops[:, :, None] >= least, tops[:, :, None] <= -least], axis=2).reshape(len(tops), -1)


def _lead(mine: Counts, theirs: Counts) -> Floats:
    """Return the pips ahead, 0.5 being none."""
    return ((theirs - mine) / _PIPS + 1) / 2


def _race_chance(lead: Floats, mine_to_home: Counts, theirs_to_home: Counts) -> Floats:
    """Return the project's guess of the chance of winning a race; far ahead or behind it leaves 0 to 1 and is cut."""
    chance = lead * 0.45 + theirs_to_home / _PIPS * 0.25 - mine_to_home / _PIPS * 0.30
    return np.clip(chance, 0, 1)


def _is_race(mine: Mask, theirs: Mask) -> Mask:
    """Return whether White's rearmost square is not before Black's, on White's way, `[N, 24]` each."""
    rearmost = np.where(mine.any(1), np.argmax(mine, axis=1), 24)
    his = np.where(theirs.any(1), 23 - np.argmax(theirs[:, ::-1], axis=1), -1)
    return np.asarray(rearmost >= his)


def _pinning_columns(boards: Counts) -> _Columns:
    """Return the columns of Plakoto, of boards `[N, 2, places]`, the side that has just moved first."""
    # Both by White's squares; a pinned checker lies under those of the other side.
    mine, theirs = boards[:, 0, 24 - _SQUARES], boards[:, 1, 1 + _SQUARES]
    my_pins, their_pins = boards[:, 0, PINNED + 24 - _SQUARES] > 0, boards[:, 1, PINNED + 1 + _SQUARES] > 0
    on_top = [np.where(my_pins, 0, mine), np.where(their_pins, 0, theirs)]
    nobody = np.zeros(len(boards), np.int64)
    # Each side by the squares of its own way, with its own pinned checkers and those that it pins.
    sides = [_Side(on_top[0], nobody), _Side(on_top[1][:, ::-1], nobody)]
    pinned = [my_pins, their_pins[:, ::-1]]
    pinning = [their_pins, my_pins[:, ::-1]]
    is_race = _is_race(mine > 0, theirs > 0)
    pips, blots, anchors, mothers, before_pin = [], [], [], [], []
    for side, own_pins, pins in zip(sides, pinned, pinning, strict=True):
        counts = side.counts
        pips.append(side.pips() + own_pins @ (24 - _SQUARES))
        blots.append((counts == 1) & ~pins)
        anchors.append(((counts >= 2) | ((counts == 1) & pins)).sum(1))
        held = side.stands | own_pins
        mothers.append(np.where(held.any(1), np.maximum(0, _OUTSIDE - np.argmax(held, axis=1)), 0))
        at_home = pins & (_SQUARES >= _OUTSIDE)
        first = np.where(at_home.any(1), np.argmax(at_home, axis=1), 0)
        before_pin.append((counts * (first[:, None] > _SQUARES)).sum(1))
    contact = [
        their_pins.sum(1) / 15,
        my_pins.sum(1) / 15,
        their_pins[:, 23],
        my_pins[:, 0],
        *(distance / _OUTSIDE for distance in mothers),
        *(number / 15 for number in before_pin),
        *(found.sum(1) / 15 for found in blots),
        *(found[:, :6].sum(1) / 6 for found in blots),
        *(number / 7 for number in anchors),
        *(side.stack_height() / 15 for side in sides),
        *(side.distance() / 26 for side in sides),
    ]
    lead = _lead(*pips)
    to_home = [side.pips_to_home() for side in sides]
    race = [lead, *(pips / _PIPS for pips in to_home), *_rest_of_race(boards, is_race)]
    pins = np.stack([their_pins, my_pins], axis=2).reshape(len(boards), -1)
    inputs = np.concatenate([_contact(contact, is_race), np.stack(race, 1), _squares(on_top[1] - on_top[0]), pins], 1)
    return _Columns(inputs, is_race, _race_chance(lead, *to_home))


def _blocking_columns(boards: Counts) -> _Columns:
    """Return the columns of Fevga, of boards `[N, 2, places]`, the side that has just moved first."""
    mine, my_waiting = _entered(boards[:, 0, 24 - _SQUARES])
    # By the squares of Black's own way, which begins at White's square 12.
    their_way, their_waiting = _entered(boards[:, 1, 24 - _SQUARES])
    theirs = np.roll(their_way, 12, axis=1)
    sides = [_Side(mine, my_waiting), _Side(their_way, their_waiting)]
    is_race = _is_race(mine > 0, theirs > 0)
    # Where White's squares are on Black's way, and the reverse.
    ahead = [
        (sides[0].stands & (sides[1].rearmost()[:, None] < (_SQUARES + 12) % 24)).sum(1),
        (sides[1].stands & (sides[0].rearmost()[:, None] < (_SQUARES + 12) % 24)).sum(1),
    ]
    contact = [
        _longest_row(mine > 0) / 6,
        _longest_row(theirs > 0) / 6,
        *(side.waiting / 15 for side in sides),
        -(mine == 1).sum(1) / 15,
        (theirs == 1).sum(1) / 15,
        *(number / 15 for number in ahead),
        *(side.stack_height() / 15 for side in sides),
        *(side.distance() / 26 for side in sides),
        *(side.gaps() / 22 for side in sides),
        *(side.counts[:, 12:].sum(1) / 15 for side in sides),
    ]
    lead = _lead(*(side.pips() for side in sides))
    # Of Black it counts from White's squares 7 to 12 only.
    wrong_way = theirs[:, 7:13] @ np.arange(23, 17, -1)
    to_home = [sides[0].pips_to_home(), wrong_way]
    race = [*(pips / _PIPS for pips in to_home), lead, *_rest_of_race(boards, is_race)]
    inputs = np.concatenate([_contact(contact, is_race), np.stack(race, 1), _squares(theirs - mine)], 1)
    return _Columns(inputs, is_race, _race_chance(lead, *to_home))


def _entered(counts: Counts) -> tuple[Counts, Counts]:
    """Return a side's checkers by the squares of its way, and how many wait: on the start, all but the first of 15."""
    at_start = counts[:, 0]
    entered = counts.copy()
    entered[:, 0] = at_start == 15
    return entered, at_start - entered[:, 0]


def _longest_row(stands: Mask) -> Counts:
    longest = row = np.zeros(len(stands), np.int64)
    for square in _SQUARES:
        row = np.where(stands[:, square], row + 1, 0)
        longest = np.maximum(longest, row)
    return longest


def _contact(columns: list[npt.NDArray[np.generic]], is_race: Mask) -> Floats:
    """Return the columns of contact, which are 0 in a race."""
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1) * ~is_race[:, None]


def _rest_of_race(boards: Counts, is_race: Mask) -> list[npt.NDArray[np.generic]]:
    """Return the columns of the race that both games have: race, White to move, checkers off, and an unused one."""
    number = len(boards)
    return [is_race, np.ones(number), boards[:, 0, OFF] / 15, boards[:, 1, OFF] / 15, np.zeros(number)]
