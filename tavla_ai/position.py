"""Positions, plays and their text forms.

A position is seen by its mover and holds two rows of counts, mover first, each side in its own numbering:
0 = borne off, 1–24 the points, 25 = the bar. In the opposed games the opponent's point q is my 25 − q.
A play is one whole turn: up to four steps `(from, to)` of the mover's checkers.
"""

from __future__ import annotations

import base64
import operator
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.rulesets import BAR, NUM_CHECKERS, NUM_PLACES, OFF, Ruleset

Step = tuple[int, int]
Play = tuple[Step, ...]

MAX_STEPS = 4

_SIDES = ("mover", "opponent")
_POINTS = range(1, BAR)
_ID_LENGTH = 14
_ID_BYTES = 10
_ID_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
# The 14th character carries the last 2 of 80 bits; the 4 bits after them are always 0.
_ID_LAST = "AQgw"


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A board seen by its mover: the side on roll or, in an afterstate, the side that has just moved.

    The constructor copies the board and checks that each side has its 15 checkers; `from_board`,
    `from_sides` and `from_id` also refuse what no game can reach. Equality and hash are those of the counts.

    Attributes:
      board: `[2, 26]` int8, read-only; mover first, each side in its own numbering, 0 = off, 25 = bar.

    Raises:
      RulesetError: the board has the wrong shape or type, a negative count, or not 15 checkers on each side.
    """

    board: npt.NDArray[np.int8]

    def __post_init__(self) -> None:
        board = _checked_counts(self.board).astype(np.int8, order="C")
        board.flags.writeable = False
        object.__setattr__(self, "board", board)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.board.tobytes() == other.board.tobytes()

    def __hash__(self) -> int:
        return hash(self.board.tobytes())

    def __repr__(self) -> str:
        return f"Position.from_id({self.to_id()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling through the constructor keeps the board read-only in Ray workers too.
        return (Position, (self.board,))

    @classmethod
    def start(cls, ruleset: Ruleset) -> Position:
        """Return the start position of `ruleset`."""
        return cls.from_sides(ruleset.setup, ruleset.setup)

    @classmethod
    def from_board(cls, board: npt.ArrayLike, ruleset: Ruleset) -> Position:
        """Return the position on `board`, refusing what no game of `ruleset` can reach.

        Args:
          board: `[2, 26]` whole numbers, mover first, each side in its own numbering, 0 = off, 25 = bar.
          ruleset: the game, which says how the two sides' points face each other.

        Raises:
          RulesetError: see `check_board`.
        """
        check_board(board, ruleset)
        return cls(np.asarray(board, dtype=np.int8))

    @classmethod
    def from_sides(
        cls,
        me: Mapping[int, int],
        opp: Mapping[int, int],
        off: tuple[int, int] | None = None,
        bar: tuple[int, int] = (0, 0),
    ) -> Position:
        """Return the position with these checkers, in an opposed game.

        Args:
          me: the mover's checkers, own point 1–24 → count.
          opp: the opponent's, in the *opponent's* own numbering.
          off: checkers borne off, mover first; None means all that are missing from the board.
          bar: checkers on the bar, mover first.

        Raises:
          RulesetError: a key is not a point 1–24, or see `check_board`.
        """
        board = np.zeros((2, NUM_PLACES), dtype=np.int8)
        for row, (side, points) in enumerate(zip(_SIDES, (me, opp), strict=True)):
            for point, count in points.items():
                if _whole(point, f"{side}'s point") not in _POINTS:
                    raise RulesetError(f"{side}'s point {point}: expected 1 to 24; bar and off stand apart")
                board[row, point] = _checked_count(count, side, point)
            board[row, BAR] = _checked_count(bar[row], side, BAR)
            missing = max(0, NUM_CHECKERS - int(board[row].sum()))
            board[row, OFF] = missing if off is None else _checked_count(off[row], side, OFF)
        position = cls(board)
        _check_opposed(position.board)
        return position

    @classmethod
    def from_id(cls, text: str) -> Position:
        """Return the position that a GNU Position ID describes, seen by the player on roll.

        The ID's first block is the player *not* on roll: the GNU manual says the opposite, its program does
        this. Checkers that the ID does not place are borne off.

        Raises:
          NotationError: wrong length, a character outside the alphabet (named by its index from 0), or bits
            that do not describe two sides.
          RulesetError: the ID can be read but no game can reach its position; see `check_board`.
        """
        bits = _id_bits(text)
        board = np.zeros((2, NUM_PLACES), dtype=np.int64)
        index = 0
        for row in (1, 0):
            for place in range(1, NUM_PLACES):
                end = bits.find("0", index)
                if end < 0:
                    raise NotationError(f"position ID {text!r}: its bits end before both sides are placed")
                board[row, place] = end - index
                index = end + 1
        if "1" in bits[index:]:
            raise NotationError(f"position ID {text!r}: bits left over after both sides, from bit {index}")
        board[:, OFF] = np.maximum(0, NUM_CHECKERS - board.sum(axis=1))
        try:
            counts = _checked_counts(board)
            _check_opposed(counts)
        except RulesetError as error:
            raise RulesetError(f"position ID {text!r}: {error}") from None
        return cls(counts.astype(np.int8))

    def to_id(self) -> str:
        """Return the 14-character GNU Position ID, with the mover as the player on roll."""
        bits = "".join("1" * int(count) + "0" for row in (1, 0) for count in self.board[row, 1:])
        value = int(bits[::-1], 2)  # Bit k of the string is bit k mod 8 of byte k div 8.
        return base64.b64encode(value.to_bytes(_ID_BYTES, "little")).decode("ascii")[:_ID_LENGTH]

    def swap(self) -> Position:
        """Return the same board seen by the other side."""
        return Position(self.board[::-1])

    def pip_counts(self) -> tuple[int, int]:
        """Return the pips that the mover and the opponent have to go, 25 for each checker on the bar."""
        mover, opponent = self.board.astype(np.int64) @ np.arange(NUM_PLACES)
        return int(mover), int(opponent)

    def has_contact(self) -> bool:
        """Return whether my rearmost checker still has to pass the opponent's rearmost, in an opposed game.

        The bar is furthest back. Without contact the game is a race.
        """
        mover, opponent = (int(np.flatnonzero(row)[-1]) for row in self.board)
        return mover + opponent > BAR

    def is_over(self) -> bool:
        """Return whether a side has borne off all its checkers."""
        return bool((self.board[:, OFF] == NUM_CHECKERS).any())

    def score(self, ruleset: Ruleset) -> int | None:
        """Return the mover's points for a finished game, negative for a loss; None while it is being played.

        A win is 1 point, a mars (the loser has borne off nothing) 2, and 3 where the ruleset's scores go so
        far and the loser also has a checker on the bar or in the winner's home.
        """
        if not self.is_over():
            return None
        has_won = int(self.board[0, OFF]) == NUM_CHECKERS
        loser = self.board[1 if has_won else 0]
        points = 1
        if loser[OFF] == 0:
            # The winner's home is the loser's 19–24 point.
            points = 3 if loser[19:].any() else 2
        points = min(points, ruleset.scores[0])
        return points if has_won else -points

    def render(self) -> str:
        """Return the board as text in the style of GNU Backgammon.

        The mover is X and moves from the upper to the lower right. A pile higher than five shows its height;
        X's checkers on the bar stand above the word BAR, on the side where they enter, O's below it;
        borne-off checkers stand on the right. The last line has no newline.
        """
        pips = self.pip_counts()
        labels = [
            f"{mark}: {side}, pips {pips[row]}, bar {self.board[row, BAR]}, off {self.board[row, OFF]}"
            for row, (mark, side) in enumerate(zip("XO", _SIDES, strict=True))
        ]
        lines = [
            f" Position ID: {self.to_id()}",
            f" +13-14-15-16-17-18------19-20-21-22-23-24-+     {labels[1]}",
            *(self._render_row(range(13, 19), range(19, 25), height, 0) for height in range(1, 6)),
            " |                  |BAR|                  |",
            *(self._render_row(range(12, 6, -1), range(6, 0, -1), height, 1) for height in range(5, 0, -1)),
            f" +12-11-10--9--8--7-------6--5--4--3--2--1-+     {labels[0]}",
        ]
        return "\n".join(lines)

    def _render_row(self, left: Iterable[int], right: Iterable[int], height: int, bar_row: int) -> str:
        # Points are piled from the rim (height 1), the bar from the middle of the board.
        halves = ["".join(self._render_point(point, height) for point in points) for points in (left, right)]
        bar = _cell("XO"[bar_row], int(self.board[bar_row, BAR]), 6 - height)
        off = "OX"[bar_row] * len(range(height, int(self.board[1 - bar_row, OFF]) + 1, 5))
        return f" |{halves[0]}|{bar}|{halves[1]}| {off}".rstrip()

    def _render_point(self, point: int, height: int) -> str:
        mine, theirs = int(self.board[0, point]), int(self.board[1, BAR - point])
        return _cell("X", mine, height) if mine else _cell("O", theirs, height)


def check_board(board: npt.ArrayLike, ruleset: Ruleset) -> None:
    """Raise unless a game of `ruleset` can reach `board`.

    Args:
      board: `[2, 26]` whole numbers, mover first, each side in its own numbering, 0 = off, 25 = bar.
      ruleset: the game, which says how the two sides' points face each other.

    Raises:
      RulesetError: one line naming the side, the place and the count: wrong shape or type, a negative count,
        not 15 checkers on each side, both sides on one point, both finished, or both on the bar against
        closed boards.
    """
    counts = _checked_counts(board)
    if ruleset.family == "opposed-hit":
        _check_opposed(counts)


def check_dice(d1: int, d2: int) -> None:
    """Raise `RulesetError`, naming the value, unless both dice are whole numbers 1 to 6."""
    for die in (d1, d2):
        if not 1 <= _whole(die, "die") <= 6:
            raise RulesetError(f"die {die}: expected 1 to 6")


def parse_dice(text: str) -> tuple[int, int]:
    """Return the two dice of a roll written as `31` or `3-1`, in the order written.

    Raises:
      NotationError: the text is not two digits.
      RulesetError: a die is not 1 to 6.
    """
    match = re.fullmatch(r"\s*([0-9])-?([0-9])\s*", text)
    if match is None:
        raise NotationError(f"dice {text!r}: expected two digits such as 31")
    dice = int(match[1]), int(match[2])
    check_dice(*dice)
    return dice


def apply_steps(position: Position, steps: Sequence[Step]) -> Position:
    """Return the afterstate: the board after the mover's steps, still with the side that moved first.

    A step onto a lone opposing checker hits it. Which plays the dice allow is the engine's business: here a
    step only needs a checker to move forward, to a point that the opponent does not hold. So `24/13` may be
    one step.

    Args:
      position: the board before the play, in a game of the `opposed-hit` family.
      steps: `(from, to)` in the order played, 25 = bar, 0 = off.

    Raises:
      RulesetError: more than four steps, or one that cannot be taken; the message names the step.
    """
    return Position(_replay(position, steps)[0])


def format_play(position: Position, steps: Sequence[Step]) -> str:
    """Return a play in standard notation: `8/5 6/5`, `bar/20`, `24/18*/13`, `13/11(2)`, `(no move)`.

    Steps of one checker are joined and only its hits in between are named: `24/18 18/13` without a hit is
    `24/13`. Moves are written from the back forward, so plays that differ only in the order of their steps
    read the same. Reading the text back gives steps to the same afterstate, not always the same steps.

    Args:
      position: the board before the play; hits are found by replaying the steps on it.
      steps: `(from, to)` in the order played, 25 = bar, 0 = off.

    Raises:
      RulesetError: a step cannot be taken; see `apply_steps`.
    """
    hits = _replay(position, steps)[1]
    if not steps:
        return "(no move)"
    paths = _join_steps(steps)
    # A hit is credited to a checker that stays there, so that its point need not be named in another's path.
    marks: dict[tuple[int, ...], set[int]] = {path: set() for path in paths}
    for point in hits:
        visitors = [path for path in paths if point in path]
        marks[next((path for path in visitors if path[-1] == point), visitors[0])].add(point)
    repeats: dict[tuple[int, ...], int] = {}
    is_hit: dict[tuple[int, ...], bool] = {}
    for path in paths:
        named = (path[0], *(p for p in path[1:-1] if p in marks[path]), path[-1])
        repeats[named] = repeats.get(named, 0) + 1
        is_hit[named] = is_hit.get(named, False) or path[-1] in marks[path]
    words = []
    for named, repeat in repeats.items():
        text = "*/".join(_place_name(point) for point in named[1:]) + ("*" if is_hit[named] else "")
        words.append(f"{_place_name(named[0])}/{text}" + (f"({repeat})" if repeat > 1 else ""))
    return " ".join(words)


def parse_play(text: str) -> Play:
    """Return the steps of a play in standard notation, in the order written.

    `bar` or `25`, `off` or `0`, capitals, chains such as `24/18/13` and repeats such as `13/11(2)` are read.
    Hit marks `*` are read but not verified: there is no board here. `(no move)` and blank text are the empty
    play.

    Raises:
      NotationError: a word is not a move, does not go forward, or there are more than four steps; the message
        names the word and its index from 0.
    """
    steps: list[Step] = []
    if text.strip().lower() in ("", "(no move)"):
        return ()
    for word in re.finditer(r"\S+", text):
        steps += _parse_word(text, word[0], word.start())
        if len(steps) > MAX_STEPS:
            where = f"{word[0]!r} at index {word.start()}"
            raise NotationError(f"play {text!r}: {where} makes it {len(steps)} steps, expected at most {MAX_STEPS}")
    return tuple(steps)


def _parse_word(text: str, word: str, index: int) -> list[Step]:
    where = f"play {text!r}: {word!r} at index {index}"
    place = r"(?:bar|off|[0-9]{1,2})"
    match = re.fullmatch(rf"({place}(?:/{place}\*?)+)(?:\(([1-{MAX_STEPS}])\))?", word.lower())
    if match is None:
        raise NotationError(f"{where} is not a move; expected one such as 8/5, bar/20*, 6/off or 13/11(2)")
    path = [_parse_place(name.rstrip("*")) for name in match[1].split("/")]
    if path[0] > BAR or any(start <= end for start, end in pairwise(path)):
        raise NotationError(f"{where} does not go forward from 24 or the bar towards 1 and off")
    if path[-1] == OFF and match[1].endswith("*"):
        raise NotationError(f"{where} marks a hit off the board")
    return list(pairwise(path)) * int(match[2] or 1)


def _parse_place(name: str) -> int:
    return {"bar": BAR, "off": OFF}[name] if name.isalpha() else int(name)


def _join_steps(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """Return the path of each checker that moves, those from furthest back and then the longest first."""
    paths: list[tuple[int, ...]] = []
    # From the back forward, every arrival on a point is seen before the departures from it.
    for start, end in sorted(steps, reverse=True):
        path = next((path for path in paths if path[-1] == start), None)
        if path is None:
            paths.append((start, end))
        else:
            paths[paths.index(path)] = (*path, end)
    return sorted(paths, key=lambda path: (-path[0], path[-1], path))


def _replay(position: Position, steps: Sequence[Step]) -> tuple[npt.NDArray[np.int8], list[int]]:
    """Return the board after `steps` and the points where they hit, in order."""
    if len(steps) > MAX_STEPS:
        raise RulesetError(f"a play of {len(steps)} steps: expected at most {MAX_STEPS}")
    board = position.board.copy()
    mover, opponent = board
    hits = []
    for start, end in steps:
        name = f"step {_place_name(start)}/{_place_name(end)}"
        if not OFF <= end < start <= BAR:
            raise RulesetError(f"{name}: expected a move forward between 25 (bar) and 0 (off)")
        if mover[start] == 0:
            raise RulesetError(f"{name}: the mover has no checker on {_place_name(start)}")
        if end != OFF:
            facing = BAR - end
            if opponent[facing] > 1:
                raise RulesetError(f"{name}: the opponent holds {end} with {opponent[facing]} checkers")
            if opponent[facing] == 1:
                opponent[facing] = 0
                opponent[BAR] += 1
                hits.append(end)
        mover[start] -= 1
        mover[end] += 1
    return board, hits


def _checked_counts(board: npt.ArrayLike) -> npt.NDArray[np.integer[Any]]:
    """Return `board` as an array of whole numbers, having checked what holds in every family."""
    try:
        counts = np.asarray(board)
    except ValueError:
        raise RulesetError("board: rows of different lengths, expected shape (2, 26)") from None
    if counts.shape != (2, NUM_PLACES):
        raise RulesetError(f"board: shape {counts.shape}, expected (2, {NUM_PLACES})")
    if counts.dtype.kind not in "iu":
        raise RulesetError(f"board: dtype {counts.dtype}, expected int8")
    outside = np.argwhere((counts < 0) | (counts > NUM_CHECKERS))
    if outside.size:
        row, place = outside[0]
        _checked_count(int(counts[row, place]), _SIDES[row], int(place))
    for side, total in zip(_SIDES, counts.sum(axis=1, dtype=np.int64), strict=True):
        if total != NUM_CHECKERS:
            raise RulesetError(f"{side} has {total} checkers with bar and off, expected {NUM_CHECKERS}")
    return counts


def _check_opposed(counts: npt.NDArray[np.integer[Any]]) -> None:
    mover, opponent = counts
    shared = np.flatnonzero((mover[1:BAR] > 0) & (opponent[BAR - 1 : 0 : -1] > 0))
    if shared.size:
        point = int(shared[0]) + 1
        raise RulesetError(
            f"point {point}: both sides stand on it"
            f" (mover {mover[point]}, opponent {opponent[BAR - point]} on own {BAR - point})"
        )
    if (counts[:, OFF] == NUM_CHECKERS).all():
        raise RulesetError(f"off: both sides have {NUM_CHECKERS} checkers, expected at most one to have finished")
    if (counts[:, 1:7] > 1).all() and (counts[:, BAR] > 0).all():
        raise RulesetError(
            f"bar: both sides are on it against closed boards (mover {mover[BAR]}, opponent {opponent[BAR]})"
        )


def _id_bits(text: str) -> str:
    """Return the 80 bits of a Position ID as text, bit 0 first."""
    if len(text) != _ID_LENGTH:
        raise NotationError(f"position ID {text!r}: {len(text)} characters, expected {_ID_LENGTH}")
    for index, character in enumerate(text):
        if character not in _ID_ALPHABET:
            raise NotationError(f"position ID {text!r}: {character!r} at index {index}, expected A-Z, a-z, 0-9, + or /")
    if text[-1] not in _ID_LAST:
        raise NotationError(
            f"position ID {text!r}: {text[-1]!r} at index {_ID_LENGTH - 1}, expected {', '.join(_ID_LAST)}"
        )
    value = int.from_bytes(base64.b64decode(text + "=="), "little")
    return f"{value:0{8 * _ID_BYTES}b}"[::-1]


def _checked_count(count: SupportsIndex, side: str, place: int) -> int:
    field = f"{side}'s " + {OFF: "off", BAR: "bar"}.get(place, f"point {place}")
    number = _whole(count, field)
    if not 0 <= number <= NUM_CHECKERS:
        raise RulesetError(f"{field}: {number} checkers, expected 0 to {NUM_CHECKERS}")
    return number


def _whole(value: SupportsIndex, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise RulesetError(f"{what} {value!r}: expected a whole number") from None


def _place_name(place: int) -> str:
    return {OFF: "off", BAR: "bar"}.get(place, str(place))


def _cell(mark: str, count: int, height: int) -> str:
    """Return the three characters that a pile of `count` shows at `height` 1 to 5."""
    if count > 5 and height == 5:
        return f"{count:>2} "
    return f" {mark} " if count >= height else "   "
