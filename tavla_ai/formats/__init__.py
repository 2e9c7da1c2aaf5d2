"""Positions, stakes and matches in the notations of other programs.

Each format has a class or two functions that read and write it. `read_position` recognises the format of a text, and
`read_match` reads a match file. The formats are made for backgammon, so they hold only positions of games with its
boards; the project's own text, `Position.to_text`, holds any position.
"""

from tavla_ai.formats.detect import ReadPosition, read_match, read_position
from tavla_ai.formats.fibs import FibsBoard
from tavla_ai.formats.headers import is_crawford_off, variation_of, variation_problem
from tavla_ai.formats.mat import read_mat, write_mat
from tavla_ai.formats.match import Game, Match, Turn
from tavla_ai.formats.match_id import MatchId, format_gnubg_id, parse_gnubg_id
from tavla_ai.formats.match_json import match_schema, read_match_json, write_match_json
from tavla_ai.formats.xgid import Xgid

__all__ = [
    "FibsBoard",
    "Game",
    "Match",
    "MatchId",
    "ReadPosition",
    "Turn",
    "Xgid",
    "format_gnubg_id",
    "is_crawford_off",
    "match_schema",
    "parse_gnubg_id",
    "read_mat",
    "read_match",
    "read_match_json",
    "read_position",
    "variation_of",
    "variation_problem",
    "write_mat",
    "write_match_json",
]
