"""GNU Match IDs: the score, the cube and the dice of a game in 12 characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.formats.common import MAX_CUBE_EXPONENT, Dice, check_stakes, checked_dice
from tavla_ai.match import Cube, CubeOwner, MatchState
from tavla_ai.rules import Position, Ruleset, check_board, check_dice, id_length, read_id, write_id

GameState = Literal["none", "playing", "over", "resigned", "dropped"]


_BYTES = 9
LENGTH = id_length(_BYTES)
_MAX_POINTS = 2**15 - 1
_CENTRED = 3
# Field → number of bits, from bit 0. The manual's text ends before the bit for Jacoby.
_WIDTHS = {
    "cube": 4,
    "owner": 2,
    "on_roll": 1,
    "crawford": 1,
    "state": 3,
    "turn": 1,
    "doubled": 1,
    "resignation": 2,
    "die_1": 3,
    "die_2": 3,
    "length": 15,
    "score_0": 15,
    "score_1": 15,
    "no_jacoby": 1,
    "unused": 5,
}


@dataclass(frozen=True)
class MatchId:
    """The stakes of a game seen from outside: the players are 0 (O, above) and 1 (X, below).

    Attributes:
      length: points that win the match; None for a session of single games.
      score: points won so far by player 0 and player 1.
      on_roll: the player on roll, who has doubled if a double is offered.
      turn: the player whose decision it is: the opponent's where a double or a resignation is offered.
      cube: value of the cube.
      cube_owner: the player who may double; None if both may.
      is_crawford: whether this is the Crawford game.
      state: state of the game.
      is_double_offered: whether a double waits for an answer.
      resignation: points of the resignation that waits for an answer, before the cube multiplies them, or 0.
      dice: the roll, the higher die first; None before it.
      has_jacoby: whether a mars counts single until the cube is turned.

    Raises:
      RulesetError: an impossible value: one die without the other, a score that has already won the match, a Crawford
        game without exactly one side a point away, a cube that is not a power of two.
    """

    length: int | None = None
    score: tuple[int, int] = (0, 0)
    on_roll: int = 1
    turn: int = 1
    cube: int = 1
    cube_owner: int | None = None
    is_crawford: bool = False
    state: GameState = "playing"
    is_double_offered: bool = False
    resignation: int = 0
    dice: Dice | None = None
    has_jacoby: bool = False

    def __post_init__(self) -> None:
        for name, player in (("player on roll", self.on_roll), ("player to decide", self.turn)):
            if player not in (0, 1):
                raise RulesetError(f"{name} {player}: expected 0 or 1")
        if self.cube_owner not in (None, 0, 1):
            raise RulesetError(f"cube owner {self.cube_owner}: expected player 0 or 1, or None")
        if Cube(self.cube).value.bit_length() - 1 > MAX_CUBE_EXPONENT:
            raise RulesetError(f"cube {self.cube}: expected at most {2**MAX_CUBE_EXPONENT}")
        if self.state not in get_args(GameState):
            raise RulesetError(f"game state {self.state!r}: expected {', '.join(get_args(GameState))}")
        if not 0 <= self.resignation <= 3:
            raise RulesetError(f"resignation {self.resignation}: expected 0 to 3")
        for points in (*self.score, self.length or 0):
            if not 0 <= points <= _MAX_POINTS:
                raise RulesetError(f"{points} points: expected 0 to {_MAX_POINTS}")
        if self.dice is not None:
            check_dice(*self.dice)
            object.__setattr__(self, "dice", tuple(sorted(self.dice, reverse=True)))
            if self.is_double_offered:
                raise RulesetError(f"dice {self.dice[0]} and {self.dice[1]}: a double is offered before the roll")
        if self.state in ("none", "playing") or self.length is None:
            check_stakes(self.match_state(), None, self.is_double_offered)

    @classmethod
    def from_text(cls, text: str, ruleset: Ruleset | None = None) -> MatchId:
        """Read a Match ID.

        Args:
          text: 12 characters.
          ruleset: the game that it must fit; None takes any.

        Raises:
          NotationError: wrong length, or an impossible character; the message gives its index from 0.
          RulesetError: the ID can be read, but no game (of `ruleset`) can reach this state.
        """
        bits = read_id(text, "match", _BYTES)
        fields: dict[str, int] = {}
        first_bit = 0
        for name, width in _WIDTHS.items():
            fields[name] = int(bits[first_bit : first_bit + width][::-1], 2)
            _check_defined(text, name, fields[name], first_bit)
            first_bit += width
        try:
            match_id = cls(
                length=fields["length"] or None,
                score=(fields["score_0"], fields["score_1"]),
                on_roll=fields["on_roll"],
                turn=fields["turn"],
                cube=2 ** fields["cube"],
                cube_owner=None if fields["owner"] == _CENTRED else fields["owner"],
                is_crawford=bool(fields["crawford"]),
                state=get_args(GameState)[fields["state"]],
                is_double_offered=bool(fields["doubled"]),
                resignation=fields["resignation"],
                dice=checked_dice(fields["die_1"], fields["die_2"]),
                has_jacoby=not fields["no_jacoby"],
            )
            if ruleset is not None:
                check_stakes(match_id.match_state(), ruleset, match_id.is_double_offered)
        except RulesetError as error:
            raise RulesetError(f"match ID {text!r}: {error}") from None
        return match_id

    @classmethod
    def from_match(
        cls, match: MatchState, *, on_roll: int = 1, dice: Dice | None = None, is_double_offered: bool = False
    ) -> MatchId:
        """Return the ID of a game being played.

        Args:
          match: the stakes, seen by the player on roll.
          on_roll: number of that player.
          dice: the roll; None before it.
          is_double_offered: whether that player has doubled, so that the other player must answer.
        """
        owners = {"centred": None, "me": on_roll, "opponent": 1 - on_roll}
        mine, theirs = match.score
        return cls(
            length=match.length,
            score=(theirs, mine) if on_roll else (mine, theirs),
            on_roll=on_roll,
            turn=1 - on_roll if is_double_offered else on_roll,
            cube=match.cube.value,
            cube_owner=owners[match.cube.owner],
            is_crawford=match.is_crawford,
            is_double_offered=is_double_offered,
            dice=dice,
        )

    def match_state(self) -> MatchState:
        """Return the stakes seen by the player on roll, without the score of a session.

        The number of the game in its match is unknown and is 0.

        Raises:
          RulesetError: the match is over.
        """
        owner: CubeOwner = "centred"
        if self.cube_owner is not None:
            owner = "me" if self.cube_owner == self.on_roll else "opponent"
        score = self.score[self.on_roll], self.score[1 - self.on_roll]
        return MatchState(
            length=self.length,
            score=(0, 0) if self.length is None else score,
            is_crawford=self.is_crawford,
            cube=Cube(self.cube, owner),
        )

    def to_text(self) -> str:
        """Return the 12 characters of the Match ID."""
        fields = {
            "cube": self.cube.bit_length() - 1,
            "owner": _CENTRED if self.cube_owner is None else self.cube_owner,
            "on_roll": self.on_roll,
            "crawford": int(self.is_crawford),
            "state": get_args(GameState).index(self.state),
            "turn": self.turn,
            "doubled": int(self.is_double_offered),
            "resignation": self.resignation,
            "die_1": self.dice[0] if self.dice else 0,
            "die_2": self.dice[1] if self.dice else 0,
            "length": self.length or 0,
            "score_0": self.score[0],
            "score_1": self.score[1],
            "no_jacoby": int(not self.has_jacoby),
            "unused": 0,
        }
        value = first_bit = 0
        for name, width in _WIDTHS.items():
            value |= fields[name] << first_bit
            first_bit += width
        return write_id(value, _BYTES)


def parse_gnubg_id(text: str, ruleset: Ruleset | None = None) -> tuple[Position, MatchId]:
    """Read a GNUbg ID: a Position ID and a Match ID joined by a colon.

    Returns:
      The position, seen by the player on roll, and the stakes.

    Raises:
      NotationError: there is no colon, or an ID cannot be read; the message counts characters from the start of
        that ID.
      RulesetError: no game (of `ruleset`) can reach this state.
    """
    position_text, colon, match_text = text.partition(":")
    if not colon:
        raise NotationError(f"GNUbg ID {text!r}: no colon, expected one between Position ID and Match ID")
    try:
        position = Position.from_id(position_text)
        if ruleset is not None:
            check_board(position.board, ruleset)
        return position, MatchId.from_text(match_text, ruleset)
    except (NotationError, RulesetError) as error:
        raise type(error)(f"GNUbg ID {text!r}: {error}") from None


def format_gnubg_id(position: Position, match_id: MatchId) -> str:
    """Return the GNUbg ID of a position, seen by the player on roll, and its stakes."""
    return f"{position.to_id()}:{match_id.to_text()}"


def _check_defined(text: str, name: str, value: int, first_bit: int) -> None:
    """Raise `NotationError`, naming the character, if a field has meaningless bits."""
    expected = {
        "owner": "0, 1 or 3 for the cube's owner" if value == 2 else "",
        "state": "0 to 4 for the game's state" if value >= len(get_args(GameState)) else "",
        "unused": "0 in the bits after the last field" if value else "",
    }.get(name)
    if expected:
        # Base64 reads the bits of a byte from the highest down.
        index = (first_bit // 8 * 8 + 7 - first_bit % 8) // 6
        raise NotationError(f"match ID {text!r}: {text[index]!r} at index {index} says {value}, expected {expected}")
