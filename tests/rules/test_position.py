"""Positions, Position IDs, dice and play notation."""

import json
import pickle
import re

import numpy as np
import pytest
from cases import DATA, FAULTS
from hypothesis import assume, given
from hypothesis import strategies as st

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.rules import (
    BAR,
    OFF,
    Position,
    apply_steps,
    check_board,
    check_dice,
    format_play,
    get_ruleset,
    parse_dice,
    parse_play,
    ruleset_names,
)

FAULTS = {case["id"]: case for case in FAULTS}
RULES = [case for case in json.loads((DATA / "rules.json").read_text()) if case["variant"] == "tavla"]

TAVLA = get_ruleset("north-sultan")
START = Position.start(TAVLA)
SETUP = {24: 2, 13: 5, 8: 3, 6: 5}
PLAYED_31 = {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}
CLOSED = {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}


def fault_position(board):
    """Read a board of faults.json, where both sides are counted in the mover's numbering."""
    return Position.from_sides(
        {int(point): count for point, count in board["me"].items()},
        {25 - int(point): count for point, count in board["opp"].items()},
        off=(board["off_me"], board["off_opp"]),
        bar=(board["bar_me"], board["bar_opp"]),
    )


def read_fault(case):
    """Read a case's board and dice, as an importer would."""
    position = fault_position(case["board"])
    if case.get("dice"):
        check_dice(*case["dice"])
    return position


def rule_position(case):
    """Read a board of rules.json, where each side is counted in its own numbering."""
    me, opp = ({int(point): count for point, count in case[side].items()} for side in ("me", "opp"))
    off = case.get("off")
    return Position.from_sides(me, opp, off=off and tuple(off), bar=tuple(case.get("bar") or (0, 0)))


@st.composite
def positions(draw):
    mine = draw(st.lists(st.integers(0, 25), min_size=15, max_size=15))
    free = [place for place in range(26) if place in (OFF, BAR) or 25 - place not in mine]
    theirs = draw(st.lists(st.sampled_from(free), min_size=15, max_size=15))
    board = np.array([np.bincount(side, minlength=26) for side in (mine, theirs)])
    assume(not (board[:, OFF] == 15).all())
    assume(not ((board[:, 1:7] > 1).all() and (board[:, BAR] > 0).all()))
    return Position.from_board(board, TAVLA)


@st.composite
def positions_and_steps(draw):
    """Draw a position and up to four steps that its mover can take, not always legal for one roll."""
    position = now = draw(positions())
    dice = draw(st.one_of(st.lists(st.integers(1, 6), max_size=4), st.integers(1, 6).map(lambda d: [d] * 4)))
    steps = []
    for die in dice:
        ways = [
            (int(start), max(0, int(start) - die))
            for start in np.flatnonzero(now.board[0, 1:]) + 1
            if start <= die or now.board[1, 25 - (start - die)] < 2
        ]
        if not ways:
            break
        step = draw(st.sampled_from(ways))
        steps.append(step)
        now = apply_steps(now, [step], TAVLA)
    return position, tuple(steps)


# Position


PIPS_AT_START = {"plakoto": 15 * 24, "fevga": 15 * 24, "gul-bara": 15 * 24, "tawula": 2 * 24 + 13 * 25}


@pytest.mark.parametrize("name", ruleset_names())
def test_start_position_has_fifteen_checkers_a_side(name):
    ruleset = get_ruleset(name)
    start = Position.start(ruleset)
    assert start.board.shape == (2, ruleset.num_places)
    assert start.board.dtype == np.int8
    assert start.board.sum(axis=1).tolist() == [15, 15]
    assert start.pip_counts() == (PIPS_AT_START.get(ruleset.family, 167),) * 2
    assert start.swap() == start
    assert start.has_contact(ruleset)
    assert not start.is_over(ruleset)


def test_board_is_a_read_only_copy_also_after_pickling():
    board = START.board.copy()
    position = Position(board)
    board[0, 6] = 0
    assert position == START
    for copy in (position, START.swap(), pickle.loads(pickle.dumps(START))):
        assert copy == START
        with pytest.raises(ValueError, match="read-only"):
            copy.board[0, 6] = 0
    with pytest.raises(AttributeError):
        position.board = board


def test_equal_positions_hash_alike_and_the_mover_counts():
    played = Position.from_sides(PLAYED_31, SETUP)
    assert len({START, Position.from_sides(SETUP, SETUP), played, played.swap()}) == 3
    assert played != played.swap()
    assert played.swap().swap() == played
    assert START != "4HPwATDgc/ABMA"


def test_sides_are_counted_each_in_its_own_numbering():
    position = Position.from_sides({20: 1, 3: 2}, {24: 1, 1: 3}, bar=(1, 2))
    assert position.board[0, [OFF, 3, 20, BAR]].tolist() == [11, 2, 1, 1]
    assert position.board[1, [OFF, 1, 24, BAR]].tolist() == [9, 3, 1, 2]
    assert position.pip_counts() == (20 + 6 + 25, 24 + 3 + 50)
    assert position.swap().pip_counts() == (77, 51)


@pytest.mark.parametrize("case", ["cl01_contact_one_side_encloses", "cl03_pure_race"])
def test_contact_of_the_fault_cases(case):
    position = fault_position(FAULTS[case]["board"])
    assert position.has_contact(TAVLA) is FAULTS[case]["expectation"]["contact"]
    assert position.swap().has_contact(TAVLA) is position.has_contact(TAVLA)


@pytest.mark.parametrize(
    ("me", "opp", "bar", "has_contact"),
    [
        ({13: 1}, {13: 1}, (0, 0), True),  # side by side, each still to pass the other
        ({12: 1}, {12: 1}, (0, 0), False),
        ({1: 1}, {1: 15}, (1, 0), True),  # the bar is furthest back
        ({}, {1: 15}, (1, 0), True),
        ({1: 1}, {}, (1, 0), False),  # nothing left to meet
    ],
)
def test_contact_compares_the_rearmost_checkers(me, opp, bar, has_contact):
    assert Position.from_sides(me, opp, bar=bar).has_contact(TAVLA) is has_contact


@pytest.mark.parametrize("case", [FAULTS[name] for name in FAULTS if name.startswith("sc")], ids=lambda c: c["id"])
def test_finished_games_score_as_the_fault_cases_say(case):
    position = fault_position(case["board"])
    western = TAVLA.model_copy(update={"scores": (3, 2, 1, -1, -2, -3)})
    points = case["expectation"]["points"]
    assert position.is_over(TAVLA)
    assert position.score(TAVLA) == points["tavla"]
    assert position.swap().score(TAVLA) == -points["tavla"]
    assert position.score(western) == points["backgammon"]


@pytest.mark.parametrize(("place", "points"), [(18, 2), (19, 3), (24, 3)])
def test_western_backgammon_starts_in_the_winners_home(place, points):
    western = TAVLA.model_copy(update={"scores": (3, 2, 1, -1, -2, -3)})
    assert Position.from_sides({}, {place: 1, 6: 14}).score(western) == points
    assert Position.from_sides({}, {6: 14}, bar=(0, 1)).score(western) == 3


def test_game_in_play_has_no_score():
    assert START.score(TAVLA) is None


def test_render_shows_the_board_the_bar_and_the_checkers_off():
    position = Position.from_sides({13: 1, 6: 1, 1: 2}, {6: 9, 1: 1}, off=(8, 4), bar=(3, 1))
    assert position.render(TAVLA).splitlines() == [
        f" Position ID: {position.to_id()}",
        " +13-14-15-16-17-18------19-20-21-22-23-24-+     O: opponent, pips 80, bar 1, off 4",
        " | X                |   | O              O | O",
        " |                  |   | O                | O",
        " |                  | X | O                | O",
        " |                  | X | O                | O",
        " |                  | X | 9                |",
        " |                  |BAR|                  |",
        " |                  | O |                  | X",
        " |                  |   |                  | X",
        " |                  |   |                  | XX",
        " |                  |   |                X | XX",
        " |                  |   | X              X | XX",
        " +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: mover, pips 96, bar 3, off 8",
    ]


# Validation


@pytest.mark.parametrize(
    "case", FAULTS["vl01_reject_impossible_input"]["expectation"]["reject_each"], ids=lambda case: case["why"]
)
def test_impossible_input_of_the_fault_cases_is_refused(case):
    named = {
        "16 checkers for me": "mover has 16 checkers",
        "both sides on the same point": "point 6: both sides",
        "13 checkers accounted for": "mover has 13 checkers",
        "negative count": "mover's point 6: -1 checkers",
        "point 0 or 25 used as a board point": "mover's point 0",
        "dice 0 or 7": "die 0: expected 1 to 6",
        "both sides already finished": "off: both sides",
    }
    with pytest.raises(RulesetError, match=named[case["why"]]) as error:
        read_fault(case)
    assert "\n" not in str(error.value)


def with_counts(row, counts):
    board = START.board.astype(int)
    for place, count in counts.items():
        board[row, place] = count
    return board


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (np.zeros((2, 25), dtype=np.int8), r"board: shape \(2, 25\), expected \(2, 26\)"),
        ([[1, 2], [3]], "board: rows of different lengths"),
        (START.board.astype(np.float32), "board: dtype float32"),
        (with_counts(1, {8: -1}), "opponent's point 8: -1 checkers"),
        (with_counts(0, {BAR: -2}), "mover's bar: -2 checkers"),
        (with_counts(0, {OFF: -2}), "mover's off: -2 checkers"),
        (with_counts(0, {6: 5 + 256}), "mover's point 6: 261 checkers"),
        (with_counts(1, {8: 4}), "opponent has 16 checkers"),
        (with_counts(1, {8: 2}), "opponent has 14 checkers"),
        (with_counts(0, {6: 4, 1: 1}), r"point 1: both sides.*mover 1, opponent 2 on own 24"),
    ],
)
def test_bad_boards_are_refused_with_the_field(board, message):
    with pytest.raises(RulesetError, match=message):
        check_board(board, TAVLA)
    with pytest.raises(RulesetError, match=message):
        Position.from_board(board, TAVLA)


def test_both_on_the_bar_against_closed_boards_is_refused():
    with pytest.raises(RulesetError, match=r"bar: both sides .*mover 1, opponent 3"):
        Position.from_sides({**CLOSED, 10: 2}, CLOSED, bar=(1, 3))
    Position.from_sides({**CLOSED, 10: 3}, CLOSED, bar=(0, 3))
    Position.from_sides({**CLOSED, 1: 1, 10: 3}, CLOSED, bar=(1, 3))


@pytest.mark.parametrize(
    ("me", "off", "message"),
    [
        ({25: 1}, None, "mover's point 25"),
        ({-1: 1}, None, "mover's point -1"),
        ({"6": 1}, None, "mover's point '6': expected a whole number"),
        ({6: 1.5}, None, r"mover's point 6 1\.5: expected a whole number"),
        ({6: 2**40}, None, "mover's point 6: 1099511627776 checkers"),
        ({6: 10}, (6, 15), "mover has 16 checkers"),
        ({6: 10}, (-1, 0), "mover's off: -1 checkers"),
    ],
)
def test_bad_sides_are_refused_with_the_field(me, off, message):
    with pytest.raises(RulesetError, match=message):
        Position.from_sides(me, SETUP, off=off)


# Position ID

VECTORS = [
    # (id, mover = on roll, opponent, bar); the ID's first block is the opponent.
    ("4HPwATDgc/ABMA", SETUP, SETUP, (0, 0)),
    ("sGfwATDgc/ABMA", SETUP, PLAYED_31, (0, 0)),
    ("4HPwATCwZ/ABMA", PLAYED_31, SETUP, (0, 0)),
    ("4HPwATDgc/ABUA", {24: 1, 13: 5, 8: 3, 6: 5}, SETUP, (1, 0)),
    ("uywAABT3AAAAAA", {1: 1, 2: 1, 5: 3, 6: 4}, {1: 2, 2: 3, 3: 1, 5: 2, 6: 1}, (0, 0)),
]


@pytest.mark.parametrize(("text", "me", "opp", "bar"), VECTORS)
def test_position_id_vectors(text, me, opp, bar):
    position = Position.from_sides(me, opp, bar=bar)
    assert position.to_id() == text
    assert Position.from_id(text) == position


def test_position_id_with_a_bar_reads_back():
    position = Position.from_id("zGbiIQgxH/AAWA")
    assert position.board[0, BAR] == 1
    assert position.to_id() == "zGbiIQgxH/AAWA"


def test_position_id_puts_the_player_not_on_roll_first():
    case = FAULTS["io02_position_id_side_order"]
    position = fault_position(case["board"])
    assert position.to_id() == case["expectation"]["gnubg_position_id"]
    assert Position.from_id(case["expectation"]["gnubg_position_id"]) == position
    assert position == apply_steps(START, [(8, 5), (6, 5)], TAVLA).swap()


@given(positions())
def test_position_id_round_trip(position):
    text = position.to_id()
    assert len(text) == 14
    assert Position.from_id(text) == position
    assert eval(repr(position)) == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 characters, expected 14"),
        ("4HPwATDgc/ABM", "13 characters, expected 14"),
        ("4HPwATDgc/ABMA==", "16 characters, expected 14"),
        ("4HPw-TDgc/ABMA", "'-' at index 4"),
        ("4HPwATDgc/ABMé", "'é' at index 13"),
        ("4HPwATDgc/ABMB", "'B' at index 13, expected A, Q, g, w"),
        ("//////////////"[:13] + "w", "bits end before both sides"),
        ("AAAAAAAAAAAAAQ", "bits left over"),
    ],
)
def test_unreadable_position_ids_are_refused(text, message):
    with pytest.raises(NotationError, match=message) as error:
        Position.from_id(text)
    assert repr(text) in str(error.value)


def encode(first, second):
    bits = "".join("1" * side.get(place, 0) + "0" for side in (first, second) for place in range(1, 26))
    value = sum(1 << k for k, bit in enumerate(bits) if bit == "1")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    data = int.from_bytes(value.to_bytes(10, "little") + bytes(2), "big")
    return "".join(alphabet[data >> shift & 63] for shift in range(90, 6, -6))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({6: 1}, {6: 10, 5: 6}, "mover has 16 checkers"),
        ({24: 1}, {1: 1}, "point 1: both sides"),
        ({}, {}, "off: both sides"),
        ({**CLOSED, 25: 3}, {**CLOSED, 25: 1}, "bar: both sides"),
    ],
)
def test_position_ids_of_impossible_positions_are_refused_with_the_id(first, second, message):
    text = encode(first, second)
    with pytest.raises(RulesetError, match=re.escape(f"{text}': {message}")):
        Position.from_id(text)


def test_independent_encoder_agrees_with_the_vectors():
    for text, me, opp, bar in VECTORS:
        assert encode({**opp, 25: bar[1]}, {**me, 25: bar[0]}) == text


# Dice


def test_dice_are_read_in_the_order_written():
    assert parse_dice("31") == (3, 1)
    assert parse_dice("1-3") == (1, 3)
    assert parse_dice(" 66\n") == (6, 6)


@pytest.mark.parametrize("text", ["", "3", "311", "3.1", "a1", "-31", "٣١"])
def test_dice_that_are_not_two_digits_are_refused(text):
    with pytest.raises(NotationError) as error:
        parse_dice(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(("d1", "d2", "named"), [(0, 7, "0"), (3, 7, "7"), (-1, 2, "-1"), (2.5, 1, r"2\.5")])
def test_dice_out_of_range_are_refused(d1, d2, named):
    with pytest.raises(RulesetError, match=f"die {named}: expected"):
        check_dice(d1, d2)


def test_parsed_dice_are_checked():
    with pytest.raises(RulesetError, match="die 7"):
        parse_dice("17")


# Plays


@pytest.mark.parametrize("case", RULES, ids=lambda case: case["id"])
def test_steps_lead_to_the_afterstates_of_the_rule_cases(case):
    before = rule_position(case)
    for after in case["expect"]["afterstates"]:
        steps = [tuple(step) for step in after["moves"]]
        assert apply_steps(before, steps, TAVLA) == rule_position(after)


def test_hit_sends_the_checker_to_the_bar():
    after = apply_steps(Position.from_sides({8: 15}, {20: 1, 1: 14}), [(8, 5)], TAVLA)
    assert after == Position.from_sides({8: 14, 5: 1}, {1: 14}, bar=(0, 1))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([(7, 5)], "step 7/5: the mover has no checker on 7"),
        ([(24, 18), (18, 13), (18, 17)], "step 18/17: the mover has no checker on 18"),
        ([(25, 20)], "step bar/20: the mover has no checker on bar"),
        ([(24, 19)], "step 24/19: the opponent holds 19 with 5 checkers"),
        ([(6, 8)], "step 6/8: expected a move forward"),
        ([(6, 6)], "step 6/6: expected a move forward"),
        ([(26, 20)], "step 26/20: expected a move forward"),
        ([(6, -1)], "step 6/-1: expected a move forward"),
        ([(6, 5)] * 5, "5 steps: expected at most 4"),
    ],
)
def test_steps_that_cannot_be_taken_are_refused(steps, message):
    with pytest.raises(RulesetError, match=message):
        apply_steps(START, steps, TAVLA)
    with pytest.raises(RulesetError, match=message):
        format_play(START, steps, TAVLA)


BLOTS = Position.from_sides({24: 3, 13: 5, 8: 3, 6: 3}, {7: 1, 5: 1, 20: 1, 2: 12}, bar=(1, 0))


@pytest.mark.parametrize(
    ("position", "steps", "text"),
    [
        (START, (), "(no move)"),
        (START, ((8, 5), (6, 5)), "8/5 6/5"),
        (START, ((6, 5), (8, 5)), "8/5 6/5"),
        (START, ((24, 18), (18, 13)), "24/13"),
        (START, ((13, 11), (13, 11), (6, 4), (6, 4)), "13/11(2) 6/4(2)"),
        (START, ((13, 11), (11, 9), (9, 7), (7, 5)), "13/5"),
        (START, ((13, 11), (13, 11), (11, 9), (11, 9)), "13/9(2)"),
        (BLOTS, ((25, 20),), "bar/20*"),
        (BLOTS, ((25, 18), (24, 18)), "bar/18* 24/18"),
        (BLOTS, ((24, 18), (18, 13)), "24/18*/13"),
        (BLOTS, ((24, 18), (24, 18)), "24/18*(2)"),
        (BLOTS, ((24, 18), (24, 18), (18, 12), (18, 12)), "24/18*/12(2)"),
        (BLOTS, ((24, 18), (24, 18), (18, 12)), "24/12 24/18*"),
        # The man that covers moves on, so this is no hit-and-run.
        (BLOTS, ((8, 5), (8, 5), (5, 2)), "8/2 8/5*"),
        (Position.from_sides({4: 1}, {1: 2}), ((4, 2), (2, 0)), "4/off"),
        (Position.from_sides({4: 2, 1: 1}, {1: 2}), ((4, 0), (4, 0), (1, 0)), "4/off(2) 1/off"),
    ],
)
def test_plays_in_standard_notation(position, steps, text):
    assert format_play(position, steps, TAVLA) == text
    assert apply_steps(position, parse_play(text), TAVLA) == apply_steps(position, steps, TAVLA)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("8/5 6/5", ((8, 5), (6, 5))),
        ("  6/5   8/5\n", ((6, 5), (8, 5))),
        ("bar/20", ((25, 20),)),
        ("25/20*", ((25, 20),)),
        ("24/18^", ((24, 18),)),
        ("Res/19*", ((26, 19),)),
        ("res/19/13(2)", ((26, 19), (19, 13), (26, 19), (19, 13))),
        ("BAR/20 6/Off", ((25, 20), (6, 0))),
        ("6/0", ((6, 0),)),
        ("24/18/13", ((24, 18), (18, 13))),
        ("24/18*/13*", ((24, 18), (18, 13))),
        ("13/11(2) 6/4*(2)", ((13, 11), (13, 11), (6, 4), (6, 4))),
        ("bar/22/19(2)", ((25, 22), (22, 19), (25, 22), (22, 19))),
        ("(no move)", ()),
        ("(No move)", ()),
        (" ", ()),
    ],
)
def test_plays_are_read(text, steps):
    assert parse_play(text) == steps


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("8/5 6", "'6' at index 4"),
        ("8-5", "'8-5' at index 0"),
        ("8/5 6/7", "'6/7' at index 4"),
        ("8/8", "'8/8'"),
        ("26/20", "'26/20'"),
        ("6/res", "'6/res'"),
        ("res/bar", "'res/bar'"),
        ("6/off^", "'6/off\\^'"),
        ("6/bar", "'6/bar'"),
        ("bar*/20", "'bar\\*/20'"),
        ("off/6", "'off/6'"),
        ("6/off/0", "'6/off/0'"),
        ("6/off*", "'6/off\\*'"),
        ("6/bar*", "'6/bar\\*'"),
        ("13/11(5)", "'13/11\\(5\\)'"),
        ("13/11(0)", "'13/11\\(0\\)'"),
        ("no move", "'no' at index 0"),
        ("13/11(3) 6/4(2)", "'6/4\\(2\\)' at index 9 makes it 5 steps"),
        ("6/5/4/3/2/1", "5 steps, expected at most 4"),
        ("٨/٥", "'٨/٥'"),
    ],
)
def test_unreadable_plays_are_refused_with_the_word(text, named):
    with pytest.raises(NotationError, match=named) as error:
        parse_play(text)
    assert repr(text) in str(error.value)


@given(positions_and_steps())
def test_play_notation_reads_back_to_the_same_afterstate(drawn):
    position, steps = drawn
    text = format_play(position, steps, TAVLA)
    read = parse_play(text)
    after = apply_steps(position, steps, TAVLA)
    assert apply_steps(position, read, TAVLA) == after
    assert format_play(position, read, TAVLA) == text
    assert text.count("*") == after.board[1, BAR] - position.board[1, BAR]
