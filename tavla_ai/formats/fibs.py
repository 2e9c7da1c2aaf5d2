"""FIBS boards: a game's state in 53 fields. GNU Backgammon also sends them to an external player."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.formats.common import SINGLE_GAME, Dice, check_boards, check_stakes, checked_dice, line_of, position_of
from tavla_ai.match import Cube, CubeOwner, MatchState
from tavla_ai.rules import BAR, NUM_CHECKERS, NUM_PLACES, OFF, Position, Ruleset, check_board

Sign = Literal[1, -1]

PREFIX = "board:"

# The fields in order, after the word `board` and the two names; the board itself is 26 of them.
_FIELDS = (
    *("length", "score", "opponent's score"),
    *(f"place {place}" for place in range(NUM_PLACES)),
    *("turn", "die 1", "die 2", "opponent's die 1", "opponent's die 2"),
    *("cube", "may double", "opponent may double", "was doubled", "colour", "direction", "home", "bar"),
    *("on home", "opponent's on home", "on bar", "opponent's on bar"),
    *("can move", "forced move", "post-Crawford", "redoubles"),
)
_NUM_TOKENS = 3 + len(_FIELDS)
_UNLIMITED = 9999
_MAX_CUBE = 2**15


@dataclass(frozen=True)
class FibsBoard:
    """The content of a FIBS board, seen by the side that must act: it is on roll, or it must answer a double.

    Attributes:
      position: the board.
      match: the stakes; an offered double is not in the cube yet. The number of the game is unknown and is 0.
      dice: the roll; None before it.
      names: the player who receives the board ("you" on FIBS) and the opponent.
      is_own_turn: whether the first of these must act.
      is_double_offered: whether a double waits for the answer of the side that must act.
      colour: sign of the first player's checkers on the board, 1 or −1.
      direction: −1 if the first player moves from place 24 to 1, 1 if from 1 to 24.
      session_score: single games: points won so far, the side that must act first.

    Raises:
      RulesetError: stakes that contradict each other.
    """

    position: Position
    match: MatchState = SINGLE_GAME
    dice: Dice | None = None
    names: tuple[str, str] = ("You", "Opponent")
    is_own_turn: bool = True
    is_double_offered: bool = False
    colour: Sign = 1
    direction: Sign = -1
    session_score: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for name, sign in (("colour", self.colour), ("direction", self.direction)):
            if sign not in (1, -1):
                raise RulesetError(f"{name} {sign}: expected 1 or -1")
        for name in self.names:
            if ":" in line_of(name, "name"):
                raise NotationError(f"name {name!r}: expected no colon")
        if self.is_double_offered and self.dice is not None:
            raise RulesetError(f"dice {self.dice[0]} and {self.dice[1]}: a double is answered before the roll")
        if self.is_double_offered and self.match.cube.owner == "me":
            raise RulesetError("double: offered by a side that does not own the cube")
        if self.match.cube.value > _MAX_CUBE:
            raise RulesetError(f"cube {self.match.cube.value}: expected at most {_MAX_CUBE}")
        if min(self.session_score) < 0:
            raise RulesetError(f"score {self.session_score}: expected 0 or more points")
        check_stakes(self.match, None, self.is_double_offered)

    @classmethod
    def from_text(cls, text: str, ruleset: Ruleset | None = None, *, from_gnubg: bool = False) -> FibsBoard:
        """Read a FIBS board.

        Args:
          text: 53 fields joined by colons.
          ruleset: the game that it must fit; None takes any.
          from_gnubg: whether GNU Backgammon 1.07 wrote it, as a request to an external player. Its colour is that of
            its player 1, but the names and the scores begin with player 0 unless a double is offered.

        Raises:
          NotationError: a field cannot be read; the message gives its number from 0.
          RulesetError: the text can be read, but no game (of `ruleset`) can reach this state.
        """
        if ruleset is not None:
            check_boards(ruleset, "FIBS boards")
        text = text.strip()
        tokens = text.split(":")
        if tokens[0].lower() != "board" or len(tokens) != _NUM_TOKENS:
            raise NotationError(
                f"FIBS board {text!r}: {len(tokens)} fields, expected {_NUM_TOKENS} joined by colons, the first `board`"
            )
        numbers = _read_numbers(text, tokens)
        try:
            board = _from_numbers((tokens[1], tokens[2]), numbers)
            if from_gnubg and not board.is_double_offered:
                board = board._with_first_two_swapped()
            if ruleset is not None:
                check_board(board.position.board, ruleset)
                if not ruleset.crawford and board.match.is_crawford:
                    # Boards do not say whether the Crawford rule is played; it was guessed from the score.
                    board = replace(board, match=replace(board.match, is_crawford=False))
                check_stakes(board.match, ruleset, board.is_double_offered)
        except (NotationError, RulesetError) as error:
            raise type(error)(f"FIBS board {text!r}: {error}") from None
        return board

    def to_text(self, *, for_gnubg: bool = False) -> str:
        """Return the board in 53 fields.

        Args:
          for_gnubg: write names and scores in the order that GNU Backgammon 1.07 does; see `from_text`.
        """
        if for_gnubg and not self.is_double_offered:
            return self._with_first_two_swapped().to_text()
        first = 1 if self.is_own_turn else -1
        own, their = self.position.board[::first].tolist()
        places = [0] * NUM_PLACES
        for point in range(1, NUM_PLACES):
            # The first player's own points, including the bar, count up from 0 or down from 25.
            forward, backward = (point, BAR - point) if self.direction == -1 else (BAR - point, point)
            places[forward] += self.colour * own[point]
            places[backward] -= self.colour * their[point]
        match = self.match
        actor = self.colour * first
        turn = -actor if self.is_double_offered else actor
        may_double = {"centred": (1, 1), "me": (1, 0), "opponent": (0, 1)}[match.cube.owner][::first]
        score = (self.session_score if match.length is None else match.score)[::first]
        roll = self.dice or (0, 0)
        is_post_crawford = match.length is not None and 1 in match.away and match.length > 1 and not match.is_crawford
        home, bar = (OFF, BAR) if self.direction == -1 else (BAR, OFF)
        numbers = (
            *(_UNLIMITED if match.length is None else match.length, *score, *places, turn, *roll, *roll),
            *(match.cube.value, *may_double, int(self.is_double_offered), self.colour, self.direction, home, bar),
            *(own[OFF], their[OFF], own[BAR], their[BAR], 0, 0, int(is_post_crawford), int(not match.is_crawford)),
        )
        return ":".join(("board", *self.names, *map(str, numbers)))

    def _with_first_two_swapped(self) -> FibsBoard:
        """Return the board with the names and the scores of the two players exchanged, and nothing else."""
        mine, theirs = self.match.score
        return replace(
            self,
            match=replace(self.match, score=(theirs, mine)),
            names=(self.names[1], self.names[0]),
            session_score=(self.session_score[1], self.session_score[0]),
        )


def _read_numbers(text: str, tokens: list[str]) -> dict[str, int]:
    numbers = {}
    for index, (name, token) in enumerate(zip(_FIELDS, tokens[3:], strict=True), start=3):
        if not re.fullmatch("-?[0-9]{1,5}", token):
            raise NotationError(f"FIBS board {text!r}: {name} {token!r} in field {index}, expected a whole number")
        numbers[name] = int(token)
        signs = (0, 1, -1) if name == "turn" else (1, -1)
        if name in ("turn", "colour", "direction") and numbers[name] not in signs:
            raise NotationError(f"FIBS board {text!r}: {name} {token!r} in field {index}, expected 1 or -1")
    return numbers


def _from_numbers(names: tuple[str, str], numbers: dict[str, int]) -> FibsBoard:
    colour: Sign = 1 if numbers["colour"] == 1 else -1
    direction: Sign = 1 if numbers["direction"] == 1 else -1
    if numbers["turn"] == 0:
        raise RulesetError("turn 0: the game is over")
    own, their = _read_sides(numbers, colour, direction)
    may_double = numbers["may double"] != 0, numbers["opponent may double"] != 0
    # FIBS tells the side that has doubled only that nobody may double now.
    is_double_offered = numbers["was doubled"] != 0 or may_double == (False, False)
    is_own_turn = (numbers["turn"] == colour) != is_double_offered
    first = 1 if is_own_turn else -1
    owner: CubeOwner = "centred"
    if may_double == (False, False):
        owner = "centred" if numbers["cube"] == 1 else "opponent"
    elif may_double != (True, True):
        owner = "me" if may_double[0] == is_own_turn else "opponent"
    rolls = [("die 1", "die 2"), ("opponent's die 1", "opponent's die 2")][::first]
    dice = [checked_dice(*(numbers[die] for die in roll)) for roll in rolls]
    length = None if numbers["length"] in (0, _UNLIMITED) else numbers["length"]
    mine, theirs = (numbers["score"], numbers["opponent's score"])[::first]
    # Nothing else marks the Crawford game: in it FIBS says that both sides may double.
    is_crawford = (
        length is not None
        and length > 1
        and (mine == length - 1) != (theirs == length - 1)
        and numbers["post-Crawford"] == numbers["redoubles"] == 0
        and not is_double_offered
    )
    return FibsBoard(
        position=position_of([own, their][::first]),
        match=MatchState(
            length=length,
            score=(0, 0) if length is None else (mine, theirs),
            is_crawford=is_crawford,
            cube=Cube(numbers["cube"], owner),
        ),
        dice=None if is_double_offered else dice[0] or dice[1],
        names=names,
        is_own_turn=is_own_turn,
        is_double_offered=is_double_offered,
        colour=colour,
        direction=direction,
        session_score=(mine, theirs) if length is None else (0, 0),
    )


def _read_sides(numbers: dict[str, int], colour: Sign, direction: Sign) -> tuple[list[int], list[int]]:
    """Return the counts of the first player and of the second, each in its own numbering."""
    own, their = [0] * NUM_PLACES, [0] * NUM_PLACES
    for place in range(NUM_PLACES):
        count = numbers[f"place {place}"] * colour
        point = place if direction == -1 else BAR - place
        if count > 0:
            own[point] = count
        else:
            their[BAR - point] = -count
    for name, side in (("on home", own), ("opponent's on home", their)):
        # The checkers missing from the board are borne off; some programs leave the field at 0.
        missing = NUM_CHECKERS - sum(side)
        if numbers[name] not in (0, missing):
            raise RulesetError(f"{name} {numbers[name]}: the board lacks {missing} checkers")
    if own[OFF] or their[OFF]:
        raise RulesetError("place 0 and place 25: each is the bar of one side, and holds checkers of the other")
    return own, their
