"""Positions, plays and their text forms.

A position is seen by its mover and holds two rows of counts, mover first, each side in its own numbering:
0 = borne off, 1–24 the points, 25 = the bar. Some games add places to a row, see `rulesets`: Tawula a reserve,
Gul Bara the own rolls so far, Plakoto which checkers are pinned. How the two sides' points face each other is
`Ruleset.facing`.
A play is one whole turn, in Gul Bara one stage of it: up to four steps `(from, to)` of the mover's checkers.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.rules.compiled import compile_rules
from tavla_ai.rules.families import FAMILIES
from tavla_ai.rules.gnu_id import read_id, write_id
from tavla_ai.rules.rulesets import BAR, NUM_CHECKERS, NUM_PLACES, OFF, OWN_ROLLS, PINNED, RESERVE, Ruleset

_SIDES = ("mover", "opponent")
POINTS = range(1, BAR)
_MOTHER = 24
_SHAPES = tuple(sorted({(2, NUM_PLACES + facts.num_more_places) for facts in FAMILIES.values()}))
_ID_BYTES = 10
# The 14th character carries the last 2 of 80 bits; the 4 bits after them are always 0.
_ID_LAST = "AQgw"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Position:
    """A board seen by its mover: the side on roll or, in an afterstate, the side that has just moved.

    The constructor copies the board and checks that each side has 15 checkers. `from_board`, `from_text`,
    `from_sides` and `from_id` also refuse boards that no game can reach. Positions with the same counts are equal.

    Attributes:
      board: `[2, num_places]` int8, read-only, with the `num_places` of the ruleset: 26, 27 or 50; mover first,
        each side in its own numbering, 0 = off, 25 = bar.

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
        return f"Position({self.board.tolist()})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling calls the constructor, which keeps the board read-only in Ray workers too.
        return (Position, (self.board,))

    @classmethod
    def trusted(cls, board: npt.NDArray[np.int8]) -> Position:
        """Return the position on a board that the engine has made, without checking or copying it.

        Args:
          board: int8 `[2, num_places]`, C-contiguous; nothing else may change it later, and it becomes read-only.
        """
        board.flags.writeable = False
        position = object.__new__(cls)
        object.__setattr__(position, "board", board)
        return position

    @classmethod
    def start(cls, ruleset: Ruleset) -> Position:
        """Return the start position of `ruleset`."""
        return cls(compile_rules(ruleset).start())

    @classmethod
    def from_board(cls, board: npt.ArrayLike, ruleset: Ruleset) -> Position:
        """Return the position on `board`, refusing boards that no game of `ruleset` can reach.

        Args:
          board: `[2, num_places]` whole numbers, mover first, each side in its own numbering.
          ruleset: the game, which says what the places are and how the two sides' points face each other.

        Raises:
          RulesetError: see `check_board`.
        """
        check_board(board, ruleset)
        return cls(np.asarray(board, dtype=np.int8))

    @classmethod
    def from_text(cls, text: str, ruleset: Ruleset) -> Position:
        """Return the position of a text as `to_text` writes it, refusing boards that no game of `ruleset` can reach.

        The items of a side may come in any order, `off` may be left out, and capitals are read.

        Raises:
          NotationError: an item cannot be read, comes twice or is not of this game, or the text does not have
            one slash between the mover and the opponent; the message names the item and its index from 0.
          RulesetError: the text can be read but no game can reach its position; see `check_board`.
        """
        sides = text.split("/")
        if len(sides) != 2:
            raise NotationError(f"position {text!r}: {len(sides) - 1} slashes, expected one between mover and opponent")
        rows = [
            _read_side(text, begin, side, ruleset) for begin, side in zip((0, len(sides[0]) + 1), sides, strict=True)
        ]
        try:
            return cls.from_board(np.array(rows), ruleset)
        except RulesetError as error:
            raise RulesetError(f"position {text!r}: {error}") from None

    def to_text(self, ruleset: Ruleset) -> str:
        """Return the position as text that people can read and type, in any game.

        The mover's items, a slash, the opponent's, each side in its own numbering, from the back forward:
        `24:2 13:5 8:3 6:5 / bar:1 13:5 8:3 6:5 off:1`. Tawula adds `res:5` for the reserve, Gul Bara `rolls:2`
        for the own rolls so far, Plakoto `pin:7,3` for the points where the side's checker is pinned.
        """
        names = _text_names(ruleset)
        return " / ".join(
            " ".join(
                [f"{name}:{row[place]}" for name, place in names.items() if row[place]]
                + ([f"pin:{','.join(map(str, pins))}"] if (pins := pinned_points(row)) else [])
            )
            for row in self.board.tolist()
        )

    @classmethod
    def from_sides(
        cls,
        me: Mapping[int, int],
        opp: Mapping[int, int],
        off: tuple[int, int] | None = None,
        bar: tuple[int, int] = (0, 0),
    ) -> Position:
        """Return the position with these checkers, in a game with the boards of backgammon.

        Args:
          me: the mover's checkers, own point 1–24 → count.
          opp: the opponent's, in the *opponent's* own numbering.
          off: checkers borne off, mover first; None means all that are not on the board.
          bar: checkers on the bar, mover first.

        Raises:
          RulesetError: a key is not a point 1–24; see also `check_board`.
        """
        board = np.zeros((2, NUM_PLACES), dtype=np.int8)
        for row, (side, points) in enumerate(zip(_SIDES, (me, opp), strict=True)):
            for point, count in points.items():
                if checked_whole(point, f"{side}'s point") not in POINTS:
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
        """Return the position of a board of backgammon that a GNU Position ID describes, seen by the player on roll.

        The first block of an ID is the player *not* on roll, as in the GNU program; the GNU manual says the opposite.
        Checkers that the ID does not mention are borne off.

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
        """Return the 14-character GNU Position ID, with the mover as the player on roll.

        An ID describes only boards of backgammon; `to_text` describes any board.

        Raises:
          RulesetError: the board has places that an ID cannot hold.
        """
        if self.board.shape[1] != NUM_PLACES:
            raise RulesetError(f"position ID: it holds {NUM_PLACES} places a side, the board has {self.board.shape[1]}")
        bits = "".join("1" * int(count) + "0" for row in (1, 0) for count in self.board[row, 1:])
        return write_id(int(bits[::-1], 2), _ID_BYTES)

    def swap(self) -> Position:
        """Return the same board seen by the other side."""
        return Position.trusted(self.board[::-1].copy())

    def pip_counts(self) -> tuple[int, int]:
        """Return the pip counts of the mover and the opponent, 25 for each checker on the bar or in reserve."""
        counts = self.board[:, :NUM_PLACES].astype(np.int64)
        mover, opponent = counts @ np.arange(NUM_PLACES) + BAR * (NUM_CHECKERS - counts.sum(axis=1))
        return int(mover), int(opponent)

    def has_contact(self, ruleset: Ruleset) -> bool:
        """Return whether checkers of the two sides can still meet; without contact the game is a race.

        In an opposed game there is contact while the rearmost checkers of the two sides still have to pass each other;
        the bar is furthest back. In a parallel game there is contact while a side has a checker beyond its first twelve
        points.
        """
        mover, opponent = (int(np.flatnonzero(row[: ruleset.num_checker_places])[-1]) for row in self.board)
        if OFF in (mover, opponent):
            return False
        return max(mover, opponent) > BAR // 2 if ruleset.is_parallel else mover + opponent >= BAR

    def is_over(self, ruleset: Ruleset) -> bool:
        """Return whether the game is finished."""
        return self.score(ruleset) is not None

    def score(self, ruleset: Ruleset) -> int | None:
        """Return the mover's points for a finished game, negative for a loss; None while the game goes on.

        Bearing off all checkers wins: 1 point; 2, a mars, where the loser has borne off nothing; 3 where the
        ruleset scores 3 and the loser also has a checker on the bar or in the winner's home. Plakoto
        also ends when a mother is pinned: 2 for the pinner whose own start is empty, 0 where both are pinned.
        Tawula has no mars; a capote, one checker on the bar against a side that is bearing off, wins 7 at once.
        """
        mover, opponent = self.board.tolist()
        if ruleset.facts.special_ending == "mother" and mover[PINNED + _MOTHER] and opponent[PINNED + _MOTHER]:
            return 0
        for sign, winner, loser in ((1, mover, opponent), (-1, opponent, mover)):
            points = _points_won(winner, loser, ruleset)
            if points is not None:
                return sign * points
        return None

    def render(self, ruleset: Ruleset) -> str:
        """Return the board as text in the style of GNU Backgammon.

        The mover is X and moves from the upper to the lower right, in a parallel game O from the lower to the
        upper left. A pile higher than five shows its height; a small letter at the foot of a pile is a pinned
        checker. X's checkers on the bar stand above the word BAR, on the side where they enter, O's below it;
        borne-off checkers stand on the right. The last line has no newline.
        """
        pips = self.pip_counts()
        names = {name: place for name, place in _text_names(ruleset).items() if name.isalpha()}
        labels = [
            f"{mark}: {side}, pips {pips[row]}, "
            + ", ".join(f"{name} {self.board[row, place]}" for name, place in names.items())
            for row, (mark, side) in enumerate(zip("XO", _SIDES, strict=True))
        ]
        has_id = ruleset.moves_as_backgammon
        bar = "BAR" if ruleset.has_bar else "   "
        top, bottom = (range(13, 19), range(19, 25)), (range(12, 6, -1), range(6, 0, -1))
        lines = [
            f" Position ID: {self.to_id()}" if has_id else f" Position: {self.to_text(ruleset)}",
            f" +13-14-15-16-17-18------19-20-21-22-23-24-+     {labels[1]}",
            *(self._render_row(*top, height, 0, ruleset) for height in range(1, 6)),
            f" |                  |{bar}|                  |",
            *(self._render_row(*bottom, height, 1, ruleset) for height in range(5, 0, -1)),
            f" +12-11-10--9--8--7-------6--5--4--3--2--1-+     {labels[0]}",
        ]
        return "\n".join(lines)

    def _render_row(
        self, left: Iterable[int], right: Iterable[int], height: int, bar_row: int, ruleset: Ruleset
    ) -> str:
        # Points are piled from the rim (height 1), the bar from the middle of the board.
        halves = ["".join(self._render_point(point, height, ruleset) for point in points) for points in (left, right)]
        bar = _cell("XO"[bar_row], int(self.board[bar_row, BAR]), 6 - height)
        off = "OX"[bar_row] * len(range(height, int(self.board[1 - bar_row, OFF]) + 1, 5))
        return f" |{halves[0]}|{bar}|{halves[1]}| {off}".rstrip()

    def _render_point(self, point: int, height: int, ruleset: Ruleset) -> str:
        mine, theirs = int(self.board[0, point]), int(self.board[1, ruleset.facing(point)])
        if mine and theirs:  # One of them is pinned, and alone.
            is_mine = bool(self.board[0, PINNED + point])
            if height == 1:
                return " x " if is_mine else " o "
            return _cell("O", theirs, height, below=1) if is_mine else _cell("X", mine, height, below=1)
        return _cell("X", mine, height) if mine else _cell("O", theirs, height)


def check_board(board: npt.ArrayLike, ruleset: Ruleset) -> None:
    """Raise `RulesetError` unless a game of `ruleset` can reach `board`.

    Args:
      board: `[2, num_places]` whole numbers, mover first, each side in its own numbering, 0 = off, 25 = bar.
      ruleset: the game, which says what the places are and how the two sides' points face each other.

    Raises:
      RulesetError: one line naming the side, the place and the count: wrong shape or type, a negative count,
        not 15 checkers on each side, both sides on one point, both finished, both on the bar against closed
        boards, or pins, rolls and reserves that the game cannot have.
    """
    counts = _checked_counts(board, ruleset.num_places)
    if ruleset.moves_as_backgammon:
        _check_opposed(counts)
    else:
        compile_rules(ruleset).check(counts.astype(np.int8, order="C"))


def concession_value(ruleset: Ruleset, board: npt.ArrayLike) -> int:
    """Return the points that a side loses by conceding the game now, before a cube multiplies them.

    They are the points that the side would lose if the opponent had borne off all checkers: 1; 2 if the side has
    borne off nothing; 3, where the ruleset scores 3, if it also has a checker on the bar or in the opponent's home.
    Tawula has no mars: always 1.

    Args:
      board: `[2, num_places]` whole numbers, the conceding side first, each side in its own numbering.

    Raises:
      RulesetError: the house has no concessions, or the game is over; see also `check_board`.
    """
    check_concession(ruleset)
    position = Position.from_board(board, ruleset)
    if position.is_over(ruleset):
        raise RulesetError("concession: the game is over")
    return _points_lost(position.board[0].tolist(), ruleset)


def check_concession(ruleset: Ruleset) -> None:
    """Raise `RulesetError` if the house has no concessions."""
    if ruleset.concession == "none":
        raise RulesetError(f"concession: {ruleset.name} has none; a player who leaves loses the match")


def _read_side(text: str, begin: int, side: str, ruleset: Ruleset) -> list[int]:
    """Return the counts of one side of a position's text, which starts at index `begin`."""
    names = _text_names(ruleset)
    row = [0] * ruleset.num_places
    found = set()
    for word in re.finditer(r"\S+", side):
        where = f"position {text!r}: {word[0]!r} at index {begin + word.start()}"
        name, _, value = word[0].lower().partition(":")
        if name in found:
            raise NotationError(f"{where}: a second item for {name}, expected at most one")
        found.add(name)
        if name == "pin" and ruleset.has_pins:
            if not re.fullmatch(r"[0-9]{1,2}(,[0-9]{1,2})*", value):
                raise NotationError(f"{where}: expected the points of pinned checkers, such as pin:7,3")
            for point in map(int, value.split(",")):
                if point not in POINTS:
                    raise NotationError(f"{where}: point {point}, expected 1 to 24")
                row[PINNED + point] = 1
        elif name not in names:
            others = [name for name in names if name.isalpha()] + ["pin"] * ruleset.has_pins
            raise NotationError(f"{where}: expected an item such as 24:2, for a point 1 to 24, {', '.join(others)}")
        elif not re.fullmatch("[0-9]{1,2}", value):
            raise NotationError(f"{where}: expected a count after the colon, such as {name}:2")
        else:
            row[names[name]] = int(value)
    if "off" not in found:
        row[OFF] = max(0, NUM_CHECKERS - sum(row[: ruleset.num_checker_places]))
    return row


def _points_won(winner: Sequence[int], loser: Sequence[int], ruleset: Ruleset) -> int | None:
    """Return the points that a side has won, a row of counts each; None where it has not won."""
    ending = ruleset.facts.special_ending
    if ending == "mother" and loser[PINNED + _MOTHER] and not winner[_MOTHER]:
        return 2
    if ending == "capote" and _is_capote(winner, loser):
        return 7
    return _points_lost(loser, ruleset) if winner[OFF] == NUM_CHECKERS else None


def _points_lost(loser: Sequence[int], ruleset: Ruleset) -> int:
    """Return the points that a side loses when the opponent bears off all checkers."""
    if loser[OFF] > 0 or not ruleset.facts.has_mars:
        return 1
    # The winner's home is the loser's 19–24 point.
    is_far = ruleset.scores[0] >= 3 and any(loser[19:NUM_PLACES])
    return 3 if is_far else 2


def _is_capote(winner: Sequence[int], loser: Sequence[int]) -> bool:
    """Return whether one checker is caught on the bar, the other 14 home, by a side that is bearing off."""
    is_bearing_off = winner[OFF] > 0 and sum(winner[:7]) == NUM_CHECKERS
    return is_bearing_off and loser[BAR] == 1 and sum(loser[1:7]) == NUM_CHECKERS - 1


def pinned_points(row: Sequence[int]) -> list[int]:
    """Return the points where a side's checker is pinned, from the back forward."""
    return [point for point in reversed(POINTS) if row[PINNED + point]] if len(row) == PINNED + BAR else []


def _text_names(ruleset: Ruleset) -> dict[str, int]:
    """Return the place of each item of a position's text, in the order written; pins are apart."""
    names = {"res": RESERVE} if ruleset.reserve else {}
    names |= {"bar": BAR} if ruleset.has_bar else {}
    names |= {str(point): point for point in reversed(POINTS)} | {"off": OFF}
    return names | ({"rolls": OWN_ROLLS} if ruleset.has_stages else {})


def _checked_counts(board: npt.ArrayLike, num_places: int | None = None) -> npt.NDArray[np.integer[Any]]:
    """Return `board` as an array of whole numbers, after the checks that apply to every family.

    Without `num_places` the board may be that of any game.
    """
    shapes = _SHAPES if num_places is None else ((2, num_places),)
    expected = " or ".join(map(str, shapes))
    try:
        counts = np.asarray(board)
    except ValueError:
        raise RulesetError(f"board: rows of different lengths, expected shape {expected}") from None
    if counts.shape not in shapes:
        raise RulesetError(f"board: shape {counts.shape}, expected {expected}")
    if counts.dtype.kind not in "iu":
        raise RulesetError(f"board: dtype {counts.dtype}, expected int8")
    rows = counts.tolist()
    for side, row in zip(_SIDES, rows, strict=True):
        if min(row) < 0 or max(row) > NUM_CHECKERS:
            for place, count in enumerate(row):
                _checked_count(count, side, place)
    totals = [sum(row[:NUM_PLACES]) for row in rows]
    if counts.shape[1] == RESERVE + 1 and totals != [NUM_CHECKERS, NUM_CHECKERS]:
        # What is missing must be in reserve: Gul Bara, whose rolls have the same place, has all checkers out.
        totals = [total + row[RESERVE] for total, row in zip(totals, rows, strict=True)]
    for side, total in zip(_SIDES, totals, strict=True):
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
    bits = read_id(text, "position", _ID_BYTES)
    if text[-1] not in _ID_LAST:
        raise NotationError(
            f"position ID {text!r}: {text[-1]!r} at index {len(text) - 1}, expected {', '.join(_ID_LAST)}"
        )
    return bits


def _checked_count(count: SupportsIndex, side: str, place: int) -> int:
    field = f"{side}'s " + {OFF: "off", BAR: "bar"}.get(place, f"{'place' if place > BAR else 'point'} {place}")
    number = checked_whole(count, field)
    if not 0 <= number <= NUM_CHECKERS:
        raise RulesetError(f"{field}: {number} checkers, expected 0 to {NUM_CHECKERS}")
    return number


def checked_whole(value: SupportsIndex, what: str) -> int:
    """Return a whole number as an int; raise `RulesetError`, which names `what`, for any other value."""
    try:
        return operator.index(value)
    except TypeError:
        raise RulesetError(f"{what} {value!r}: expected a whole number") from None


def _cell(mark: str, count: int, height: int, below: int = 0) -> str:
    """Return the three characters that a pile of `count`, on top of `below` others, shows at `height` 1 to 5."""
    if count > 5 - below and height == 5:
        return f"{count:>2} "
    return f" {mark} " if count >= height - below else "   "
