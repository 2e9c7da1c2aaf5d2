"""Detection of a position's format, and reading of match files."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.formats import fibs, match_id, xgid
from tavla_ai.formats.common import Dice, check_boards
from tavla_ai.formats.mat import read_mat
from tavla_ai.formats.match import Match
from tavla_ai.formats.match_json import read_match_json
from tavla_ai.match import MatchState
from tavla_ai.rules import Position, Ruleset, check_board, games_of

FormatName = Literal["position", "position ID", "GNUbg ID", "XGID", "FIBS board"]

_ID_LENGTH = 14

# IDs within text that was copied from a program or a web page.
_XGID = re.compile(rf"{xgid.PREFIX}\S+", re.IGNORECASE)
_GNUBG_IDS = re.compile(
    rf"position\s*id\s*:?\s*([A-Za-z0-9+/]{{{_ID_LENGTH}}})(?![A-Za-z0-9+/])"
    rf"(?:.*?match\s*id\s*:?\s*([A-Za-z0-9+/]{{{match_id.LENGTH}}})(?![A-Za-z0-9+/]))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)


@dataclass(frozen=True)
class ReadPosition:
    """A position, and the stakes and dice of its text, seen by the player on roll, before any double is answered.

    Attributes:
      position: the board.
      format: name of the text's format.
      match: the stakes; None if the format has none.
      dice: the roll; None before the roll or if the format has none.
      is_double_offered: whether the player on roll has doubled, so that the opponent must answer.
    """

    position: Position
    format: FormatName
    match: MatchState | None = None
    dice: Dice | None = None
    is_double_offered: bool = False


def format_of(text: str) -> FormatName:
    """Return the name of the format that a text looks like, whether or not it can be read.

    Raises:
      NotationError: it looks like no format.
    """
    if text[: len(xgid.PREFIX)].upper() == xgid.PREFIX or re.fullmatch(r"[A-Oa-o-]{20,}(:\S*)?", text):
        return "XGID"
    if text[: len(fibs.PREFIX)].lower() == fibs.PREFIX:
        return "FIBS board"
    # Two joined IDs, but not a count of the project's own text such as `24:15`.
    before, colon, after = text.partition(":")
    if colon and re.fullmatch(r"[^\s:]+:[^\s:]+", text) and max(len(before), len(after)) >= match_id.LENGTH - 1:
        return "GNUbg ID"
    if re.search(r"\w:[0-9]", text) or re.search(r"\s/\s", text):
        return "position"
    if not re.search(r"[\s:]", text.strip()) and len(text) < 2 * _ID_LENGTH:
        return "position ID"
    raise NotationError(
        f"position {text!r}: expected a Position ID (14 characters), a GNUbg ID (14, a colon and 12), an XGID, a FIBS "
        "board (board:…) or a text such as '24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5'"
    )


def read_position(text: str, ruleset: Ruleset) -> ReadPosition:
    """Return the position of a text in any format.

    Args:
      text: this project's own text, a Position ID, a GNUbg ID, an XGID or a FIBS board; also copied text that contains
        an XGID, or the lines `Position ID: …` and `Match ID: …` of GNU Backgammon.
      ruleset: the game, which must be able to reach the position and the stakes.

    Raises:
      NotationError: the text is in no known format, or is malformed.
      RulesetError: no game of `ruleset` can reach this state, or its boards do not fit the format.
    """
    text = _id_within(text.strip())
    name = format_of(text)
    if name == "position":
        return ReadPosition(Position.from_text(text, ruleset), name)
    own = Position.start(ruleset).to_text(ruleset)
    kinds = "IDs" if name.endswith("ID") and name != "XGID" else f"{name}s"
    check_boards(ruleset, f"{name} {text!r}: {kinds}", f"takes a text such as {own!r}")
    if name == "position ID":
        position = Position.from_id(text)
        check_board(position.board, ruleset)
        return ReadPosition(position, name)
    if name == "GNUbg ID":
        position, stakes = match_id.parse_gnubg_id(text, ruleset)
        return ReadPosition(position, name, stakes.match_state(), stakes.dice, stakes.is_double_offered)
    if name == "XGID":
        read = xgid.Xgid.from_text(text, ruleset)
        return ReadPosition(read.position, name, read.match, read.dice, read.action is not None)
    board = fibs.FibsBoard.from_text(text, ruleset)
    if board.is_double_offered:
        return ReadPosition(board.position.swap(), name, board.match.swap(), None, True)
    return ReadPosition(board.position, name, board.match, board.dice)


def _id_within(text: str) -> str:
    """Return the ID that copied text contains; the text itself if it contains none."""
    if found := _XGID.search(text):
        return found[0]
    if found := _GNUBG_IDS.search(text):
        return ":".join(filter(None, found.groups()))
    return text


def read_match(path: str | Path, ruleset: Ruleset | None = None, *, strict: bool = True) -> Match:
    """Return the match in a `.mat` or a JSON file, after playing it through.

    Args:
      path: the file, in UTF-8, in UTF-16 with a byte-order mark, or in Windows-1254.
      ruleset: the game of a `.mat` file, None is western backgammon. A JSON file names its game, which must be this one
        or a set that plays it.
      strict: whether illegal content is an error; see `read_mat` and `read_match_json`.

    Raises:
      TavlaError: the file cannot be read, or what `read_mat` and `read_match_json` raise, with the file's name before
        it.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise TavlaError(f"{path}: cannot be read ({error.strerror}); expected a match file (.mat or .json)") from None
    text = _decoded(data)
    try:
        if not text.lstrip("\ufeff \t\r\n").startswith("{"):
            return read_mat(text, ruleset, strict=strict)
        match = read_match_json(text.removeprefix("\ufeff"), strict=strict)
        _check_game(match, ruleset)
        return match
    except TavlaError as error:
        raise type(error)(f"{path}: {error}") from None


def _check_game(match: Match, ruleset: Ruleset | None) -> None:
    if match.game is not None and ruleset is not None and not any(map(ruleset.plays_like, games_of(match.game))):
        raise RulesetError(f"a match of {match.game.name}; expected one of {ruleset.name}")


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # Older programs write Turkish names in Windows-1254, which differs from Latin-1 in six letters.
        return data.decode("cp1254", errors="replace")
