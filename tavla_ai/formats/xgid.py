"""XGIDs: position, stakes and dice in one line, as eXtreme Gammon writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.formats.common import (
    MAX_CUBE_EXPONENT,
    SINGLE_GAME,
    Dice,
    check_boards,
    check_stakes,
    checked_dice,
    position_of,
)
from tavla_ai.match import Cube, CubeOwner, MatchState
from tavla_ai.rules import BAR, NUM_PLACES, Position, Ruleset, check_board

Seat = Literal["bottom", "top"]
CubeAction = Literal["double", "beaver", "raccoon"]

PREFIX = "XGID="

_ACTIONS: dict[str, CubeAction] = {"D": "double", "B": "beaver", "R": "raccoon"}
_NUM_FIELDS = 10
# Name, lowest and highest value of each field, from the second field on; the fifth is the dice.
_NUMBERS = {
    1: ("cube exponent", 0, MAX_CUBE_EXPONENT),
    2: ("cube position", -1, 1),
    3: ("turn", -1, 1),
    5: ("bottom score", 0, 99_999),
    6: ("top score", 0, 99_999),
    7: ("Crawford or Jacoby", 0, 3),
    8: ("match length", 0, 99_999),
    9: ("max cube exponent", 0, MAX_CUBE_EXPONENT),
}


@dataclass(frozen=True)
class Xgid:
    """The content of an XGID, seen by the player on roll, who has doubled if a cube action waits for an answer.

    Attributes:
      position: the board.
      match: the stakes; the number of the game is unknown and is 0.
      on_roll: side of the board where that player sits.
      dice: the roll, in the order thrown; None before it.
      action: the cube action that waits for an answer, or None.
      max_cube: highest value of the cube; 1 if the game has none.
      has_jacoby: single games: whether a mars counts single until the cube is turned.
      has_beaver: single games: whether a player who takes may redouble at once.
      session_score: single games: points won so far, the player on roll first.

    Raises:
      RulesetError: stakes that contradict each other.
    """

    position: Position
    match: MatchState = SINGLE_GAME
    on_roll: Seat = "bottom"
    dice: Dice | None = None
    action: CubeAction | None = None
    max_cube: int = 1024
    has_jacoby: bool = False
    has_beaver: bool = False
    session_score: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if self.max_cube < 1 or self.max_cube & (self.max_cube - 1) or self.max_cube > 2**MAX_CUBE_EXPONENT:
            raise RulesetError(f"max cube {self.max_cube}: expected a power of two up to {2**MAX_CUBE_EXPONENT}")
        if self.match.cube.value > self.max_cube:
            raise RulesetError(f"cube {self.match.cube.value}: the highest value is {self.max_cube}")
        if self.action is not None and self.max_cube == 1:
            raise RulesetError(f"{self.action}: the game has no cube")
        if self.action is not None and self.dice is not None:
            raise RulesetError(f"dice {self.dice[0]} and {self.dice[1]}: a {self.action} is answered before the roll")
        if self.match.length is None and min(self.session_score) < 0:
            raise RulesetError(f"score {self.session_score}: expected 0 or more points")
        check_stakes(self.match, None, self.action is not None)

    @classmethod
    def from_text(cls, text: str, ruleset: Ruleset | None = None) -> Xgid:
        """Read an XGID, with or without `XGID=` before it.

        Args:
          text: ten fields joined by colons.
          ruleset: the game that it must fit; None takes any.

        Raises:
          NotationError: a field cannot be read; the message gives its index from 0 in the text.
          RulesetError: the text can be read, but no game (of `ruleset`) can reach this state.
        """
        if ruleset is not None:
            check_boards(ruleset, "XGIDs")
        start = len(PREFIX) if text[: len(PREFIX)].upper() == PREFIX else 0
        fields = text[start:].split(":")
        if len(fields) != _NUM_FIELDS:
            raise NotationError(f"XGID {text!r}: {len(fields)} fields, expected {_NUM_FIELDS} joined by colons")
        begins = [start + sum(len(field) + 1 for field in fields[:k]) for k in range(_NUM_FIELDS)]
        numbers = {k: _read_number(text, fields[k], begins[k], *_NUMBERS[k]) for k in _NUMBERS}
        if numbers[3] == 0:
            raise NotationError(f"XGID {text!r}: turn '0' at index {begins[3]}, expected 1 (bottom) or -1 (top)")
        if numbers[8] and numbers[7] > 1:
            raise NotationError(f"XGID {text!r}: Crawford {fields[7]!r} at index {begins[7]}, expected 0 or 1")
        action = _ACTIONS.get(fields[4])
        if action is None and not re.fullmatch("[0-9]{2}", fields[4]):
            raise NotationError(
                f"XGID {text!r}: dice {fields[4]!r} at index {begins[4]}, expected two digits, 00, D, B or R"
            )
        board = _read_board(text, fields[0], start)
        turn = numbers[3]
        owner: CubeOwner = "centred" if numbers[2] == 0 else "me" if numbers[2] == turn else "opponent"
        bottom, top = numbers[5], numbers[6]
        score = (bottom, top) if turn == 1 else (top, bottom)
        is_match = numbers[8] > 0
        try:
            position = position_of(board[::turn])
            xgid = cls(
                position=position,
                match=MatchState(
                    length=numbers[8] or None,
                    score=score if is_match else (0, 0),
                    is_crawford=is_match and numbers[7] == 1,
                    cube=Cube(2 ** numbers[1], owner),
                ),
                on_roll="bottom" if turn == 1 else "top",
                dice=None if action else checked_dice(*map(int, fields[4])),
                action=action,
                max_cube=2 ** numbers[9],
                has_jacoby=not is_match and bool(numbers[7] & 1),
                has_beaver=not is_match and bool(numbers[7] & 2),
                session_score=(0, 0) if is_match else score,
            )
            if ruleset is not None:
                check_board(position.board, ruleset)
                check_stakes(xgid.match, ruleset, action is not None)
        except RulesetError as error:
            raise RulesetError(f"XGID {text!r}: {error}") from None
        return xgid

    @classmethod
    def from_position(
        cls,
        position: Position,
        ruleset: Ruleset,
        match: MatchState | None = None,
        *,
        on_roll: Seat = "bottom",
        dice: Dice | None = None,
    ) -> Xgid:
        """Return the XGID of a game of `ruleset`; its max cube is 1 if the game has no cube.

        No field says that nothing counts more than a mars; only the max cube distinguishes tavla from backgammon.

        Args:
          position: the board, seen by the player on roll.
          ruleset: the game.
          match: the stakes, seen by the player on roll; None for a single game.
          on_roll: side of the board where the player on roll sits.
          dice: the roll; None before it.

        Raises:
          RulesetError: the game's boards do not fit an XGID, or the game cannot have the stakes.
        """
        check_boards(ruleset, "XGIDs")
        match = match or SINGLE_GAME
        check_stakes(match, ruleset)
        limit = ruleset.cube_limit if ruleset.cube else 1
        return cls(position=position, match=match, on_roll=on_roll, dice=dice, max_cube=limit)

    def to_text(self) -> str:
        """Return the XGID with `XGID=` before it."""
        turn = 1 if self.on_roll == "bottom" else -1
        bottom, top = self.position.board[::turn].tolist()
        board = "".join(
            "-ABCDEFGHIJKLMNO"[bottom[index]] if bottom[index] and index else "-abcdefghijklmno"[top[BAR - index]]
            for index in range(BAR)
        )
        board += "-ABCDEFGHIJKLMNO"[bottom[BAR]]
        match = self.match
        score = (self.session_score if match.length is None else match.score)[::turn]
        rules = self.has_jacoby + 2 * self.has_beaver if match.length is None else int(match.is_crawford)
        dice = f"{self.dice[0]}{self.dice[1]}" if self.dice else "00"
        letters = {action: letter for letter, action in _ACTIONS.items()}
        fields = (
            board,
            match.cube.value.bit_length() - 1,
            {"centred": 0, "me": turn, "opponent": -turn}[match.cube.owner],
            turn,
            letters[self.action] if self.action else dice,
            *score,
            rules,
            match.length or 0,
            self.max_cube.bit_length() - 1,
        )
        return PREFIX + ":".join(map(str, fields))


def _read_number(text: str, field: str, begin: int, what: str, lowest: int, highest: int) -> int:
    if not re.fullmatch("-?[0-9]{1,5}", field) or not lowest <= int(field) <= highest:
        raise NotationError(f"XGID {text!r}: {what} {field!r} at index {begin}, expected {lowest} to {highest}")
    return int(field)


def _read_board(text: str, field: str, begin: int) -> list[list[int]]:
    """Return the counts of the bottom player and of the top player, each in its own numbering."""
    if len(field) != NUM_PLACES:
        raise NotationError(f"XGID {text!r}: {len(field)} places at index {begin}, expected {NUM_PLACES}")
    bottom, top = [0] * NUM_PLACES, [0] * NUM_PLACES
    for index, character in enumerate(field):
        # The first place is the bar of the top player, the last place that of the bottom player.
        letters = "-" + "ABCDEFGHIJKLMNO" * (index > 0) + "abcdefghijklmno" * (index < BAR)
        if character not in letters:
            expected = " or ".join(["-"] + ["A to O"] * (index > 0) + ["a to o"] * (index < BAR))
            raise NotationError(f"XGID {text!r}: {character!r} at index {begin + index}, expected {expected}")
        if character.isupper():
            bottom[index] = ord(character) - ord("A") + 1
        elif character != "-":
            top[BAR - index] = ord(character) - ord("a") + 1
    return [bottom, top]
