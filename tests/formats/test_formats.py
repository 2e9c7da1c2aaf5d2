"""IDs, XGIDs and FIBS boards, against vectors and what GNU Backgammon was seen to write."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import DATA, FAULTS
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.formats import FibsBoard, MatchId, Xgid, format_gnubg_id, parse_gnubg_id, read_position
from tavla_ai.match import Cube, MatchState
from tavla_ai.rules import Position, compile_rules, get_ruleset, ruleset_names

FAULTS = {case["id"]: case for case in FAULTS}
CAPTURES = json.loads((DATA / "gnubg-captures.json").read_text())

# As Debian installs it.
GNUBG = shutil.which("gnubg", path=os.environ.get("PATH", "") + ":/usr/games")

TAVLA = get_ruleset("north-sultan")
BACKGAMMON = get_ruleset("oyna-backgammon")
START = Position.start(TAVLA)
SETUP = {24: 2, 13: 5, 8: 3, 6: 5}
PLAYED_31 = {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}
WALK = engine.random_walk(compile_rules(TAVLA), seed=5, first_game=0, num_games=30)[0]

positions = st.integers(0, len(WALK) - 1).map(lambda k: Position(WALK[k]))
dice = st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6))
players = st.integers(0, 1)


@st.composite
def match_states(draw: st.DrawFn) -> MatchState:
    length = draw(st.none() | st.integers(1, 25))
    points = st.just(0) if length is None else st.integers(0, length - 1)
    score = draw(points), draw(points)
    can_be_crawford = length is not None and score.count(length - 1) == 1
    is_crawford = can_be_crawford and draw(st.booleans())
    exponent = 0 if is_crawford else draw(st.integers(0, 6))
    owner = draw(st.sampled_from(("me", "opponent"))) if exponent else "centred"
    return MatchState(length, score, is_crawford=is_crawford, cube=Cube(2**exponent, owner))


# Match ID

MATCH_IDS = [
    ("cAkAAAAAAAAA", MatchId(has_jacoby=True)),
    ("cImlAAAAAAAE", MatchId(5, dice=(3, 1))),
    ("cImlACAACAAE", MatchId(5, (2, 1), dice=(3, 1))),
    ("MAGgAAAAAAAE", MatchId(5, on_roll=0, turn=0)),
    ("cAngACAAGAAE", MatchId(7, (2, 3))),
    ("8Am3AEAAEAAE", MatchId(5, (4, 2), is_crawford=True, dice=(6, 5))),
    ("cIk2AAAAAAAE", MatchId(1, dice=(5, 5))),
    # Shown by GNU Backgammon after a double and with an owned cube.
    ("cBGgAEAACAAE", MatchId(5, (4, 1), turn=0, is_double_offered=True)),
    ("UYmuACAACAAE", MatchId(5, (2, 1), cube=2, cube_owner=1, dice=(5, 3))),
]


@pytest.mark.parametrize(("text", "match_id"), MATCH_IDS)
def test_match_id_vectors(text: str, match_id: MatchId) -> None:
    assert MatchId.from_text(text) == match_id
    assert match_id.to_text() == text


def test_a_match_that_was_won_is_read_but_has_no_stakes() -> None:
    match_id = MatchId.from_text("QitgAFAAAAAE")
    assert (match_id.state, match_id.length, match_id.score) == ("resigned", 3, (5, 0))
    assert match_id.to_text() == "QitgAFAAAAAE"
    with pytest.raises(RulesetError, match="expected 0 to 2 in a match to 3"):
        match_id.match_state()


def test_stakes_are_seen_by_the_player_on_roll() -> None:
    match_id = MatchId.from_text("UYmuACAACAAE")
    assert match_id.match_state() == MatchState(5, (1, 2), cube=Cube(2, "me"))
    other = replace(match_id, on_roll=0, turn=0)
    assert other.match_state() == match_id.match_state().swap()
    assert MatchId.from_match(other.match_state(), on_roll=0, dice=(3, 5)) == other


@given(match_states(), players, dice)
def test_match_id_round_trip(match: MatchState, on_roll: int, dice: tuple[int, int] | None) -> None:
    match_id = MatchId.from_match(match, on_roll=on_roll, dice=dice)
    text = match_id.to_text()
    assert len(text) == 12
    assert MatchId.from_text(text) == match_id
    assert match_id.match_state() == match
    assert match_id.dice == (tuple(sorted(dice, reverse=True)) if dice else None)


def match_id_of(**fields: int) -> str:
    """Encode a Match ID by hand, where any field can be wrong; the others are those of a game to 5."""
    bits = {"cube": 0, "owner": 3, "move": 1, "crawford": 0, "state": 1, "turn": 1, "doubled": 0, "resigned": 0}
    bits |= {"die1": 0, "die2": 0, "length": 5, "score0": 0, "score1": 0, "jacoby": 1, "rest": 0}
    widths = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1, 5)
    text = "".join(f"{value:0{width}b}"[::-1] for value, width in zip((bits | fields).values(), widths, strict=True))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    straight = "".join(text[k : k + 8][::-1] for k in range(0, 72, 8))
    return "".join(alphabet[int(straight[k : k + 6], 2)] for k in range(0, 72, 6))


def test_the_encoder_by_hand_agrees_with_a_vector() -> None:
    assert match_id_of(die1=3, die2=1, score0=2, score1=1) == "cImlACAACAAE"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 characters, expected 12"),
        ("cAkAAAAAAAA", "11 characters, expected 12"),
        ("cAkAAAAAAAA=", "'=' at index 11, expected A-Z"),
        ("cAk_AAAAAAAA", "'_' at index 3, expected A-Z"),
        (match_id_of(owner=2), "at index 0 says 2, expected 0, 1 or 3 for the cube's owner"),
        (match_id_of(state=5), "at index 2 says 5, expected 0 to 4 for the game's state"),
        (match_id_of(rest=16), "at index 11 says 16, expected 0 in the bits"),
    ],
)
def test_unreadable_match_ids_are_refused_with_the_character(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as error:
        MatchId.from_text(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"die1": 5}, "dice 5 and 0: expected both rolled or both 0"),
        ({"die1": 7, "die2": 1}, "die 7: expected 1 to 6"),
        ({"score0": 5}, "expected 0 to 4 in a match to 5"),
        ({"crawford": 1}, "Crawford game at 0-0"),
        ({"crawford": 1, "score0": 4, "score1": 4}, "Crawford game at 4-4"),
        ({"crawford": 1, "length": 0}, "Crawford game: expected a match"),
        ({"crawford": 1, "score0": 4, "cube": 1}, "nobody may double in the Crawford game"),
        ({"doubled": 1, "die1": 3, "die2": 1}, "a double is offered before the roll"),
    ],
)
def test_match_ids_of_impossible_games_are_refused(fields: dict[str, int], message: str) -> None:
    text = match_id_of(**fields)
    with pytest.raises(RulesetError, match=re.escape(message)) as error:
        MatchId.from_text(text)
    assert f"match ID {text!r}: " in str(error.value)


@pytest.mark.parametrize(
    "fields",
    [
        *({"on_roll": 2}, {"turn": -1}, {"cube_owner": 3}, {"cube": 3}, {"cube": 0}, {"cube": 2**16}),
        *({"state": "lost"}, {"resignation": 4}, {"score": (-1, 0)}, {"length": 2**15}, {"dice": (0, 5)}),
    ],
)
def test_match_id_fields_are_checked(fields: dict[str, object]) -> None:
    with pytest.raises(RulesetError, match="expected"):
        MatchId(**fields)


def test_a_cube_is_refused_where_the_game_has_none() -> None:
    assert MatchId.from_text("UYmuACAACAAE", BACKGAMMON).cube == 2
    for text in ("UYmuACAACAAE", "cBGgAEAACAAE"):
        with pytest.raises(RulesetError, match="north-sultan is played without a cube"):
            MatchId.from_text(text, TAVLA)
    with pytest.raises(RulesetError, match="cube 128: oyna-backgammon goes up to 64"):
        MatchId.from_text(match_id_of(cube=7, owner=1), BACKGAMMON)


# GNUbg ID


@given(positions, match_states(), players)
def test_gnubg_id_round_trip(position: Position, match: MatchState, on_roll: int) -> None:
    match_id = MatchId.from_match(match, on_roll=on_roll)
    assert parse_gnubg_id(format_gnubg_id(position, match_id)) == (position, match_id)


def test_gnubg_id_names_the_half_that_is_wrong() -> None:
    for text, message in (
        ("4HPwATDgc/ABMA", "no colon"),
        ("4HPwATDgc/ABM:cAkAAAAAAAAA", "position ID '4HPwATDgc/ABM': 13 characters"),
        ("4HPwATDgc/ABMA:cAk_AAAAAAAA", "match ID 'cAk_AAAAAAAA': '_' at index 3"),
    ):
        with pytest.raises(NotationError, match=re.escape(message)):
            parse_gnubg_id(text)


# XGID

XGID_START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


def test_xgid_of_the_start() -> None:
    assert Xgid(START).to_text() == XGID_START
    assert Xgid.from_text(XGID_START) == Xgid.from_text(XGID_START[5:]) == Xgid(START)
    read = Xgid.from_text("xgid=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10")
    assert read == Xgid(START, MatchState(7), dice=(3, 1))


@pytest.mark.parametrize("capture", CAPTURES["xgid"], ids=lambda capture: capture["xgid"][5:])
def test_xgids_say_what_gnubg_says_they_do(capture: dict[str, str]) -> None:
    xgid = Xgid.from_text(capture["xgid"])
    on_roll = int(xgid.on_roll == "bottom")
    match_id = MatchId.from_match(xgid.match, on_roll=on_roll, dice=xgid.dice)
    assert format_gnubg_id(xgid.position, match_id) == capture["gnubg_id"]
    assert xgid.to_text() == capture["xgid"]


def test_the_board_of_an_xgid_does_not_turn_with_the_turn() -> None:
    xgid = Xgid.from_text("XGID=-a--BBA-C---eE---b-e---bAA:1:1:-1:53:1:2:0:5:10")
    assert xgid.position == Position.from_sides(
        {24: 1, 13: 5, 8: 2, 6: 5, 2: 2}, {24: 1, 13: 5, 8: 3, 6: 1, 5: 2, 4: 2}, bar=(0, 1)
    )
    assert xgid.match == MatchState(5, (2, 1), cube=Cube(2, "opponent"))
    as_bottom = Xgid.from_text("XGID=-a--BBA-C---eE---b-e---bAA:1:1:1:53:1:2:0:5:10")
    assert (as_bottom.position, as_bottom.match) == (xgid.position.swap(), xgid.match.swap())


def test_the_fields_of_a_single_game() -> None:
    text = "XGID=-a--BBA-C---eE---b-e---bAA:1:1:-1:B:1:2:3:0:5"
    xgid = Xgid.from_text(text)
    assert (xgid.action, xgid.has_jacoby, xgid.has_beaver, xgid.max_cube) == ("beaver", True, True, 32)
    assert (xgid.match, xgid.session_score) == (MatchState(cube=Cube(2, "opponent")), (2, 1))
    assert xgid.to_text() == text


@given(positions, match_states(), st.sampled_from(("bottom", "top")), dice)
def test_xgid_round_trip(position: Position, match: MatchState, on_roll: str, dice: tuple[int, int] | None) -> None:
    xgid = Xgid.from_position(position, BACKGAMMON, match, on_roll=on_roll, dice=dice)
    assert xgid.max_cube == 64
    assert Xgid.from_text(xgid.to_text(), BACKGAMMON) == xgid


def test_the_max_cube_says_that_tavla_has_none() -> None:
    xgid = Xgid.from_position(START, TAVLA, MatchState(5, (4, 2)), dice=(3, 1))
    assert xgid.to_text() == "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:0:5:0"
    assert Xgid.from_text(xgid.to_text(), TAVLA) == xgid


FIELDS = XGID_START[5:].split(":")


def xgid_with(field: int, value: str, *more: tuple[int, str]) -> str:
    fields = list(FIELDS)
    for index, text in ((field, value), *more):
        fields[index] = text
    return "XGID=" + ":".join(fields)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XGID=", "1 fields, expected 10"),
        (XGID_START[: XGID_START.rindex(":")], "9 fields, expected 10"),
        (xgid_with(0, FIELDS[0][:-1]), "25 places at index 5, expected 26"),
        (xgid_with(0, "A" + FIELDS[0][1:]), "'A' at index 5, expected - or a to o"),
        (xgid_with(0, FIELDS[0][:-1] + "a"), "'a' at index 30, expected - or A to O"),
        (xgid_with(0, "-p" + FIELDS[0][2:]), "'p' at index 6, expected - or A to O or a to o"),
        (xgid_with(1, "x"), "cube exponent 'x' at index 32"),
        (xgid_with(1, "16"), "cube exponent '16' at index 32, expected 0 to 15"),
        (xgid_with(2, "2"), "cube position '2' at index 34"),
        (xgid_with(3, "0"), "turn '0' at index 36, expected 1"),
        (xgid_with(4, "3"), "dice '3' at index 38"),
        (xgid_with(4, "DD"), "dice 'DD' at index 38"),
        (xgid_with(5, ""), "bottom score '' at index 41"),
        (xgid_with(7, "4"), "Crawford or Jacoby '4' at index 45"),
        (xgid_with(7, "2", (8, "5")), "Crawford '2' at index 45"),
        (xgid_with(9, "\u0661"), "max cube exponent '\u0661' at index 49"),
    ],
)
def test_unreadable_xgids_are_refused_with_the_index(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as error:
        Xgid.from_text(text)
    assert f"XGID {text!r}: " in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (xgid_with(0, "-c" + FIELDS[0][2:]), "opponent has 16 checkers"),
        (xgid_with(0, "-" * 26), "off: both sides"),
        (xgid_with(4, "05"), "dice 0 and 5"),
        (xgid_with(4, "17"), "die 7"),
        (xgid_with(8, "5", (5, "5")), "expected 0 to 4 in a match to 5"),
        (xgid_with(8, "5", (7, "1")), "Crawford game at 0-0"),
        (xgid_with(1, "2", (9, "1")), "cube 4: the highest value is 2"),
        (xgid_with(4, "D", (9, "0")), "double: the game has no cube"),
    ],
)
def test_xgids_of_impossible_games_are_refused(text: str, message: str) -> None:
    with pytest.raises(RulesetError, match=re.escape(message)) as error:
        Xgid.from_text(text)
    assert f"XGID {text!r}: " in str(error.value)


def test_xgids_are_of_backgammon_and_their_cubes_too() -> None:
    with pytest.raises(RulesetError, match="XGIDs exist for tavla and backgammon only; fevga"):
        Xgid.from_text(XGID_START, get_ruleset("fevga"))
    with pytest.raises(RulesetError, match="XGIDs exist for tavla"):
        Xgid.from_position(START, get_ruleset("plakoto"))
    for changed in (xgid_with(4, "D"), xgid_with(1, "1", (2, "1"))):
        assert Xgid.from_text(changed, BACKGAMMON)
        with pytest.raises(RulesetError, match="north-sultan is played without a cube"):
            Xgid.from_text(changed, TAVLA)


# FIBS board

FIBS_VECTOR = (
    "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:3:1:1:1:1:0:1:-1:0:25"
    ":0:0:0:0:0:0:0:1"
)
# As FIBS's own documents show it: "You" are X, moving 24 to 1, and lead 3-1.
FIBS_LEAD = FIBS_VECTOR.replace("gnubg:root:3:0:0", "You:root:5:3:1")
HIT = Position.from_sides({24: 1, 13: 5, 8: 3, 6: 1, 5: 2, 4: 2}, {24: 1, 13: 5, 8: 2, 6: 5, 2: 2}, bar=(1, 0))


def test_fibs_vector() -> None:
    board = FibsBoard.from_text(FIBS_VECTOR)
    assert board == FibsBoard(START, MatchState(3), (3, 1), ("gnubg", "root"))
    assert board.to_text() == FIBS_VECTOR


@pytest.mark.parametrize("capture", CAPTURES["fibs"], ids=lambda capture: capture["gnubg_id"])
def test_requests_of_gnubg_say_what_its_id_says(capture: dict[str, str]) -> None:
    position, match_id = parse_gnubg_id(capture["gnubg_id"])
    board = FibsBoard.from_text(capture["board"], from_gnubg=True)
    assert board.is_double_offered == match_id.is_double_offered
    actor, stakes = position, match_id.match_state()
    if board.is_double_offered:
        actor, stakes = position.swap(), stakes.swap()
    assert (board.position, board.match, board.dice) == (actor, stakes, match_id.dice)
    assert board.names == ("root", "gnubg")  # X, whose colour it is, is root
    assert board.is_own_turn == (match_id.turn == 1)
    # It leaves the two fields for checkers on the bar at 0, and writes an unlimited match as 0.
    written = board.to_text(for_gnubg=True).replace(":9999:", ":0:").split(":")
    written[47:49] = ["0", "0"]
    assert ":".join(written) == capture["board"]


@pytest.mark.parametrize("direction", [-1, 1])
@pytest.mark.parametrize("colour", [1, -1])
@pytest.mark.parametrize("is_own_turn", [True, False])
def test_every_orientation_of_a_fibs_board(direction: int, colour: int, is_own_turn: bool) -> None:
    """Boards written by hand: the side to act has HIT, and the opponent the cube.

    GNU Backgammon 1.07 plays 25/21 13/7 on all eight, and gives all eight the same five chances.
    """
    own, their = (HIT.board if is_own_turn else HIT.board[::-1]).tolist()
    places = [0] * 26
    for place in range(26):
        own_point = place if direction == -1 else 25 - place
        places[place] = colour * (own[own_point] if own_point else 0) - colour * (
            their[25 - own_point] if own_point < 25 else 0
        )
    turn = colour if is_own_turn else -colour
    flags = "0:1" if is_own_turn else "1:0"
    score = "3:1" if is_own_turn else "1:3"
    roll = "6:4:0:0" if is_own_turn else "0:0:6:4"
    ends = "0:25" if direction == -1 else "25:0"
    bars = "1:0" if is_own_turn else "0:1"
    board = FibsBoard.from_text(
        f"board:You:Him:7:{score}:{':'.join(map(str, places))}:{turn}:{roll}:2:{flags}:0:{colour}:{direction}:{ends}"
        f":0:0:{bars}:1:0:0:0"
    )
    assert board.position == HIT
    assert board.match == MatchState(7, (3, 1), cube=Cube(2, "opponent"))
    assert board.dice == (6, 4)
    assert (board.is_own_turn, board.colour, board.direction) == (is_own_turn, colour, direction)
    assert FibsBoard.from_text(board.to_text()) == board


def test_a_double_is_put_to_the_other_side() -> None:
    offered = FIBS_VECTOR.replace(":1:3:1:3:1:1:1:1:0:", ":1:0:0:0:0:1:1:1:1:")
    board = FibsBoard.from_text(offered)
    assert (board.is_double_offered, board.is_own_turn, board.dice) == (True, False, None)
    # FIBS shows the doubler himself that nobody may double.
    assert FibsBoard.from_text(offered.replace(":1:1:1:1:1:-1:", ":1:0:0:0:1:-1:")).is_double_offered
    assert FibsBoard.from_text(board.to_text()) == board


def test_the_crawford_game_is_found_by_the_score() -> None:
    for last, is_crawford in (("0:0", True), ("0:1", False), ("1:0", False)):
        text = FIBS_LEAD.replace("5:3:1", "5:4:1").removesuffix("0:1") + last
        assert FibsBoard.from_text(text).match.is_crawford == is_crawford
        assert not FibsBoard.from_text(text, TAVLA).match.is_crawford


@given(positions, match_states(), dice, st.booleans(), st.sampled_from([1, -1]), st.sampled_from([1, -1]), st.data())
def test_fibs_round_trip(
    position: Position,
    match: MatchState,
    dice: tuple[int, int] | None,
    is_own_turn: bool,
    colour: int,
    direction: int,
    data: st.DataObject,
) -> None:
    may_double = not match.is_crawford and match.cube.owner != "me"
    is_double_offered = may_double and data.draw(st.booleans())
    board = FibsBoard(
        position, match, None if is_double_offered else dice, ("A b", "C"), is_own_turn, is_double_offered, colour,
        direction,
    )  # fmt: skip
    assert FibsBoard.from_text(board.to_text()) == board
    assert FibsBoard.from_text(board.to_text(for_gnubg=True), from_gnubg=True) == board


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("board:", NotationError, "2 fields, expected 53"),
        (FIBS_VECTOR + ":0", NotationError, "54 fields"),
        (FIBS_VECTOR.replace(":3:0:0:0:", ":three:0:0:0:", 1), NotationError, "length 'three' in field 3"),
        (FIBS_VECTOR.replace(":1:3:1:3:", ":2:3:1:3:"), NotationError, "turn '2' in field 32"),
        (FIBS_VECTOR.replace(":1:3:1:3:", ":0:3:1:3:"), RulesetError, "turn 0: the game is over"),
        (FIBS_VECTOR.replace(":1:3:1:3:1:", ":1:3:0:3:0:"), RulesetError, "dice 3 and 0"),
        (FIBS_VECTOR.replace(":3:0:0:0:", ":3:3:0:0:", 1), RulesetError, "my 3 points, expected 0 to 2"),
        (FIBS_VECTOR.replace(":-3:", ":-4:"), RulesetError, "opponent has 16 checkers"),
        (FIBS_VECTOR.replace("root:3:0:0:0:", "root:3:0:0:1:"), RulesetError, "place 0 and place 25"),
        (FIBS_VECTOR.replace(":0:25:0:", ":0:25:3:"), RulesetError, "on home 3: the board lacks 0"),
        (FIBS_VECTOR.replace("gnubg", " "), NotationError, "name ' '"),
        (FIBS_VECTOR.replace(":1:1:1:0:1:-1:", ":3:1:1:0:1:-1:"), RulesetError, "cube 3: expected a power of two"),
    ],
)
def test_bad_fibs_boards_are_refused(text: str, error: type[TavlaError], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)) as raised:
        FibsBoard.from_text(text)
    assert str(raised.value).startswith("FIBS board 'board:")


def test_fibs_boards_of_other_games_are_refused() -> None:
    with pytest.raises(RulesetError, match="FIBS boards exist for tavla and backgammon only; tawula"):
        FibsBoard.from_text(FIBS_VECTOR, get_ruleset("tawula"))
    with pytest.raises(RulesetError, match="north-sultan is played without a cube"):
        FibsBoard.from_text(FIBS_VECTOR.replace(":1:1:1:0:1:-1:", ":2:1:0:0:1:-1:"), TAVLA)
    with pytest.raises(NotationError, match="no colon"):
        FibsBoard(START, names=("a:b", "c"))


# Any of them

READ_31 = {"position": START, "match": MatchState(5, (1, 2)), "dice": (3, 1)}


@pytest.mark.parametrize(
    ("text", "format_", "known"),
    [
        ("24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5", "position", {"position": START}),
        (" 4HPwATDgc/ABMA\n", "position ID", {"position": START}),
        ("4HPwATDgc/ABMA:cImlACAACAAE", "GNUbg ID", READ_31),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:1:2:0:5:0", "XGID", READ_31),
        ("-b----E-C---eE---c-e----B-:0:0:1:31:1:2:0:5:10", "XGID", READ_31),
        (FIBS_VECTOR.replace(":3:0:0:", ":5:1:2:", 1), "FIBS board", READ_31),
    ],
)
def test_the_format_of_a_text_is_recognised(text: str, format_: str, known: dict[str, object]) -> None:
    read = read_position(text, TAVLA)
    assert read.format == format_
    assert {name: getattr(read, name) for name in ("position", "match", "dice")} == {
        "match": None,
        "dice": None,
        **known,
    }
    assert not read.is_double_offered


def test_offered_doubles_are_seen_by_the_doubler_in_every_format() -> None:
    position, match = Position.from_id("2HLwAVCGz+ADIA"), MatchState(5, (1, 3), cube=Cube(2, "me"))
    texts = (
        format_gnubg_id(position, MatchId.from_match(match, is_double_offered=True)),
        Xgid(position, match, action="double").to_text(),
        FibsBoard(position.swap(), match.swap(), is_own_turn=False, is_double_offered=True).to_text(),
    )
    for text in texts:
        read = read_position(text, BACKGAMMON)
        assert (read.position, read.match, read.is_double_offered) == (position, match, True)


def test_a_position_id_is_of_the_player_not_on_roll_first() -> None:
    case = FAULTS["io02_position_id_side_order"]
    text = case["expectation"]["gnubg_position_id"]
    expected = Position.from_sides(SETUP, PLAYED_31)
    assert read_position(text, TAVLA).position == expected
    assert read_position(f"{text}:cAkAAAAAAAAA", TAVLA).position == expected
    xgid = Xgid(expected, on_roll="top").to_text()
    assert xgid == "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:0:0:10"
    assert read_position(xgid, TAVLA).position == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello world", "expected a Position ID (14 characters), a GNUbg ID"),
        ("a:b", "expected a Position ID"),
        ("x" * 40, "expected a Position ID"),
        ("4HPwATDgc/ABM", "position ID '4HPwATDgc/ABM': 13 characters, expected 14"),
        ("4HPwATDgc/ABMA:cImlACAACAA", "match ID 'cImlACAACAA': 11 characters, expected 12"),
        ("4HPwATDgc/ABM:cImlACAACAAE", "13 characters, expected 14"),
        ("24:2 13:5", "0 slashes"),
        ("board:1", "2 fields, expected 53"),
        ("-b----E-C---eE---c-e----B", "1 fields, expected 10"),
    ],
)
def test_texts_that_fit_nothing_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)):
        read_position(text, TAVLA)


@pytest.mark.parametrize("name", ["plakoto", "fevga", "gul-bara", "tawula"])
def test_other_games_have_their_own_text_alone(name: str) -> None:
    ruleset = get_ruleset(name)
    start = Position.start(ruleset)
    assert read_position(start.to_text(ruleset), ruleset).position == start
    for text in ("4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cAkAAAAAAAAA", XGID_START, FIBS_VECTOR):
        with pytest.raises(RulesetError, match=f"s exist for tavla and backgammon only; {name} takes a text such as"):
            read_position(text, ruleset)


# Whatever comes in

ALPHABET = "4HPwATDgc/ABMAcImlXGID=board-bECeE:0123456789 "
near = st.sampled_from([XGID_START, FIBS_VECTOR, "4HPwATDgc/ABMA:cImlACAACAAE"])


@st.composite
def damaged(draw: st.DrawFn) -> str:
    text = draw(near)
    for _ in range(draw(st.integers(1, 4))):
        index = draw(st.integers(0, len(text)))
        text = text[:index] + draw(st.text(ALPHABET, max_size=2)) + text[index + draw(st.integers(0, 2)) :]
    return text


def refuses_or_answers(read: Callable[[str], object], text: str) -> None:
    message = ""
    try:
        read(text)
    except TavlaError as error:
        message = str(error)
    assert "\n" not in message


@given(text=st.text(max_size=40) | st.text(ALPHABET, max_size=60) | damaged())
def test_any_text_is_answered_or_refused_in_one_line(text: str) -> None:
    for read in (MatchId.from_text, Xgid.from_text, FibsBoard.from_text, parse_gnubg_id):
        refuses_or_answers(read, text)
    for ruleset in (TAVLA, BACKGAMMON):
        refuses_or_answers(lambda text: read_position(text, ruleset), text)  # noqa: B023


@pytest.mark.parametrize("name", ruleset_names())
@given(text=st.text(ALPHABET, max_size=60) | damaged())
def test_any_text_is_answered_or_refused_in_every_game(name: str, text: str) -> None:
    refuses_or_answers(lambda text: read_position(text, get_ruleset(name)), text)


@given(numbers=st.lists(st.integers(-15, 15), min_size=50, max_size=50))
def test_any_numbers_in_a_fibs_board_are_answered_or_refused(numbers: list[int]) -> None:
    refuses_or_answers(FibsBoard.from_text, "board:a:b:" + ":".join(map(str, numbers)))


@given(data=st.binary(min_size=9, max_size=9))
def test_a_match_id_that_is_read_is_written_again(data: bytes) -> None:
    # The last five bits mean nothing, and are 0.
    text = base64.b64encode((int.from_bytes(data, "little") & (2**67 - 1)).to_bytes(9, "little")).decode()
    try:
        match_id = MatchId.from_text(text)
    except TavlaError:
        return
    assert MatchId.from_text(match_id.to_text()) == match_id


# The real program


@pytest.mark.peer
@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnubg_reads_our_xgids_as_our_gnubg_ids_say(tmp_path: Path) -> None:
    commands = ["set automatic game off", "set automatic roll off", "set player 0 human", "set player 1 human"]
    commands += ["set confirm new off", "new match 5"]
    expected = []
    rng = np.random.default_rng(4)
    for k in range(60):
        position = Position(WALK[rng.integers(len(WALK))])
        length = (None, 3, 5, 7)[k % 4]
        score = (0, 0) if length is None else (int(rng.integers(length)), int(rng.integers(length)))
        is_crawford = length is not None and score.count(length - 1) == 1 and k % 3 > 0
        cube = (Cube(), Cube() if is_crawford else Cube(2, "me"), Cube() if is_crawford else Cube(8, "opponent"))[k % 3]
        match = MatchState(length, score, is_crawford=is_crawford, cube=cube)
        roll = (int(rng.integers(1, 7)), int(rng.integers(1, 7))) if k % 5 else None
        xgid = Xgid(position, match, "bottom" if k % 2 else "top", roll)
        expected.append(format_gnubg_id(position, MatchId.from_match(match, on_roll=k % 2, dice=roll)))
        commands += [f"set xgid {xgid.to_text()}", "show board"]
    output = subprocess.run(
        [str(GNUBG), "-t", "-q"],
        input="\n".join(commands) + "\n",
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        timeout=60,
        check=True,
    ).stdout
    shown = [":".join(ids) for ids in re.findall(r"Position ID: (\S{14})\s+Match ID +: (\S{12})", output)]
    # It shows a board several times for each command, on the way to the new one too.
    assert [gnubg_id for gnubg_id in expected if gnubg_id not in shown] == []


PASTED = """ GNU Backgammon  Position ID: 4HPwATDgc/ABMA
                 Match ID   : cImlAAAAAAAE
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     O: gnubg
 Rolled 31
"""


def test_an_id_is_found_within_copied_text() -> None:
    expected = read_position("4HPwATDgc/ABMA:cImlAAAAAAAE", BACKGAMMON)
    for text in (PASTED, PASTED.replace("   :", ":"), "position id 4HPwATDgc/ABMA, match id cImlAAAAAAAE"):
        assert read_position(text, BACKGAMMON) == expected
    assert read_position("Position ID: 4HPwATDgc/ABMA\nand more", BACKGAMMON) == read_position(
        "4HPwATDgc/ABMA", BACKGAMMON
    )
    line = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
    pasted = f"{line}\n\nX:Ada   O:Bob\nScore is X:0 O:0 7 pt.(s) match.\n +13-14-15-+\n"
    assert read_position(pasted, BACKGAMMON) == read_position(line, BACKGAMMON)
