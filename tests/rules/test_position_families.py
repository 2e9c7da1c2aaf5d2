"""Positions and plays of every game: text, pictures, scores and notation; tavla's own are in test_position.py."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from cases import DATA
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.rules import (
    BAR,
    NUM_PLACES,
    OFF,
    OWN_ROLLS,
    PINNED,
    RESERVE,
    Position,
    apply_steps,
    check_board,
    compile_rules,
    concession_value,
    format_play,
    get_ruleset,
    parse_play,
    ruleset_names,
)

RULES = json.loads((DATA / "rules.json").read_text())
VARIANTS = {
    "tavla": "portes",
    "tavla_nhr": "traditional",
    "bg": "oyna-backgammon",
    "plakoto": "plakoto",
    "plakoto_gr": "plakoto-greek",
    "fevga": "fevga",
    "fevga_noleave": "fevga",
    "gulbara": "gul-bara",
    "tawula": "tawula",
}
PLAKOTO, FEVGA, GUL_BARA, TAWULA = (get_ruleset(name) for name in ("plakoto", "fevga", "gul-bara", "tawula"))
NEW_GAMES = ("plakoto", "plakoto-greek", "fevga", "gul-bara", "tawula")


def case_position(case: dict[str, Any], name: str) -> Position:
    ruleset = get_ruleset(name)
    board = np.zeros((2, ruleset.num_places), np.int8)
    for row, (side, pins) in enumerate((("me", "pin_me"), ("opp", "pin_opp"))):
        for point, count in case[side].items():
            board[row, int(point)] = count
        board[row, [OFF, BAR]] = case.get("off", [0, 0])[row], case.get("bar", [0, 0])[row]
        if ruleset.reserve:
            board[row, RESERVE] = case.get("res", [0, 0])[row]
        for point in case.get(pins, []):
            board[row, PINNED + point] = 1
    return Position.from_board(board, ruleset)


# Plays: the engine's, replayed, written and read


@pytest.mark.parametrize("name", ruleset_names())
def test_plays_are_replayed_written_and_read_back(name: str) -> None:
    ruleset = get_ruleset(name)
    rules = compile_rules(ruleset)
    rng = np.random.default_rng(3)
    games = [engine.random_walk(rules, 5, game, 1) for game in range(5)]
    boards, dice = (np.concatenate(arrays) for arrays in zip(*games, strict=True))
    ends = np.cumsum([len(game[0]) for game in games]) - 1
    chosen = np.concatenate([rng.permutation(len(boards))[:400], ends])
    finished = 0
    for board, roll in zip(boards[chosen], dice[chosen].tolist(), strict=True):
        position = Position.from_board(board, ruleset)
        afters, paths, scores = engine.legal_plays(rules, board, *roll)
        for i in rng.permutation(len(afters))[:8]:
            steps = tuple((start, end) for start, end in paths[i].tolist() if start >= 0)
            after = Position.from_board(afters[i], ruleset)
            assert apply_steps(position, steps, ruleset) == after
            score = None if scores[i] == engine.NO_SCORE else scores[i]
            assert after.score(ruleset) == score
            assert after.is_over(ruleset) == (score is not None)
            finished += after.is_over(ruleset)
            text = format_play(position, steps, ruleset)
            read = parse_play(text)
            assert apply_steps(position, read, ruleset) == after
            assert format_play(position, read, ruleset) == text
            assert text.count("*") == after.board[1, BAR] - position.board[1, BAR]
            if ruleset.family == "plakoto":
                new_pins = (after.board[1, PINNED + 1 :] > position.board[1, PINNED + 1 :]).sum()
                assert text.count("^") == new_pins
    assert finished > 0


@pytest.mark.parametrize(
    ("ruleset", "position", "steps", "text"),
    [
        (PLAKOTO, "24:14 13:1 / 24:13 15:1 7:1", ((13, 10), (24, 18)), "24/18^ 13/10^"),
        # A checker that only passes over another pins nothing; neither does one more on top.
        (PLAKOTO, "24:14 13:1 / 24:14 15:1", ((13, 10), (10, 5)), "13/5"),
        (PLAKOTO, "24:13 13:1 10:1 / 24:14 15:1 pin:15", ((13, 10),), "13/10"),
        (PLAKOTO, "24:13 13:1 10:1 / 24:14 15:1 pin:15", ((10, 8), (13, 10)), "13/8"),
        (TAWULA, "res:13 24:2 / res:12 24:2 8:1", ((26, 20), (26, 19)), "res/19 res/20*"),
        (TAWULA, "res:13 24:2 / res:13 24:2", ((26, 20), (20, 15)), "res/15"),
        (TAWULA, "bar:1 24:2 13:12 / 24:14 10:1", ((25, 22), (13, 10)), "bar/22* 13/10"),
        (FEVGA, "24:14 6:1 / 24:15", ((24, 20), (20, 19)), "24/19"),
        (GUL_BARA, "6:2 4:1 off:12 / 1:15", ((6, 0), (4, 0)), "6/off 4/off"),
    ],
)
def test_plays_in_notation(ruleset: Any, position: str, steps: Any, text: str) -> None:
    before = Position.from_text(position, ruleset)
    assert format_play(before, steps, ruleset) == text
    assert apply_steps(before, parse_play(text), ruleset) == apply_steps(before, steps, ruleset)


def test_a_pin_is_there_until_the_last_checker_on_top_leaves() -> None:
    before = Position.from_text("24:13 13:2 / 24:14 15:1", PLAKOTO)
    pinned = apply_steps(before, [(13, 10), (13, 10)], PLAKOTO)
    assert pinned.to_text(PLAKOTO) == "24:13 10:2 / 24:14 15:1 pin:15"
    assert apply_steps(pinned, [(10, 4)], PLAKOTO).board[1, PINNED + 15] == 1
    assert apply_steps(pinned, [(10, 4), (10, 4)], PLAKOTO).to_text(PLAKOTO) == "24:13 4:2 / 24:14 15:1"


@pytest.mark.parametrize(
    ("ruleset", "position", "step", "message"),
    [
        (PLAKOTO, "24:13 13:2 / 24:13 15:2", (13, 10), "step 13/10: the opponent holds 10 with 2 checkers"),
        (PLAKOTO, "24:14 10:1 pin:10 / 24:14 15:1", (24, 10), "step 24/10: .* on top of a pinned checker"),
        (PLAKOTO, "24:14 10:1 pin:10 / 24:14 15:1", (10, 9), "step 10/9: the mover's checker on 10 is pinned"),
        (PLAKOTO, "24:15 / 24:15", (25, 20), "step bar/20: the mover has no checker on bar"),
        (FEVGA, "24:14 6:1 / 24:14 8:1", (24, 20), "step 24/20: the opponent holds 20 with 1 checkers"),
        (GUL_BARA, "24:15 rolls:3 / 24:15", (26, 20), "step 26/20: expected a move forward"),
        (TAWULA, "res:13 24:2 / res:13 24:2", (26, 0), "step res/off: expected a move forward"),
        (TAWULA, "res:13 24:2 / res:13 24:2", (26, 25), "step res/bar: expected a move forward"),
        (TAWULA, "24:15 / res:13 24:2", (26, 20), "step res/20: the mover has no checker on res"),
    ],
)
def test_steps_that_cannot_be_taken(ruleset: Any, position: str, step: Any, message: str) -> None:
    with pytest.raises(RulesetError, match=message):
        apply_steps(Position.from_text(position, ruleset), [step], ruleset)


# Text


@given(st.sampled_from(ruleset_names()), st.integers(0, 2**32), st.data())
def test_text_round_trip(name: str, seed: int, data: st.DataObject) -> None:
    ruleset = get_ruleset(name)
    boards, _ = engine.random_walk(compile_rules(ruleset), seed, 0, 1)
    board = boards[data.draw(st.integers(0, len(boards) - 1))]
    for position in (Position(board), Position(board).swap()):
        text = position.to_text(ruleset)
        assert Position.from_text(text, ruleset) == position
        me, opp = text.split("/")
        # Any order of the items, and without what follows.
        loose = " ".join(reversed(re.sub(r"off:\d+", "", me).upper().split())) + f"/{opp}\n"
        assert Position.from_text(loose, ruleset) == position


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("north-sultan", "24:2 13:5 8:3 6:5 / bar:1 13:5 8:3 6:5 off:1"),
        ("plakoto", "24:10 7:1 3:1 off:3 pin:7,3 / 22:2 18:1 off:12"),
        ("fevga", "24:14 13:1 / 24:15"),
        ("gul-bara", "24:15 rolls:2 / 24:13 6:2 rolls:3"),
        ("tawula", "res:5 bar:1 24:2 13:7 / res:13 24:2"),
    ],
)
def test_text_as_it_is_written(name: str, text: str) -> None:
    ruleset = get_ruleset(name)
    position = Position.from_text(text, ruleset)
    assert position.to_text(ruleset) == text
    assert position.board.shape == (2, ruleset.num_places)


def test_text_puts_every_item_in_its_place() -> None:
    board = Position.from_text("24:10 7:1 3:1 pin:7,3 / 22:2 18:1", PLAKOTO).board
    assert board[0, [24, 7, 3, OFF, PINNED + 7, PINNED + 3]].tolist() == [10, 1, 1, 3, 1, 1]
    assert board[1, [22, 18, OFF]].tolist() == [2, 1, 12]
    assert Position.from_text("24:15 rolls:2 / 24:15", GUL_BARA).board[:, OWN_ROLLS].tolist() == [2, 0]
    assert Position.from_text("res:5 bar:1 24:9/res:13 24:2", TAWULA).board[:, [RESERVE, BAR]].tolist() == [
        [5, 1],
        [13, 0],
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("fevga", "24:15", "0 slashes, expected one"),
        ("fevga", "24:15 / 24:15 / ", "2 slashes, expected one"),
        ("fevga", "24:15 / 25:15", "'25:15' at index 8: expected an item such as 24:2, for a point 1 to 24, off$"),
        ("fevga", "24:15 / 24", "'24' at index 8: expected a count"),
        ("fevga", "24:15x / 24:15", "'24:15x' at index 0: expected a count"),
        ("fevga", "24:14 bar:1 / 24:15", "'bar:1' at index 6: expected an item"),
        ("fevga", "24:15 pin:24 / 24:15", "'pin:24' at index 6: expected an item"),
        ("fevga", "24:9 24:6 / 24:15", "'24:6' at index 5: a second item for 24"),
        ("plakoto", "24:15 pin:25 / 24:15", "'pin:25' at index 6: point 25, expected 1 to 24"),
        ("plakoto", "24:15 pin: / 24:15", "'pin:' at index 6: expected the points"),
        ("north-sultan", "٢:2 / 24:2", "'٢:2' at index 0"),
        ("north-sultan", "24:2 rolls:1 / 24:2", "for a point 1 to 24, bar, off$"),
        ("gul-bara", "24:15 res:1 / 24:15", "for a point 1 to 24, off, rolls$"),
        ("tawula", "24:15 rolls:1 / 24:15", "for a point 1 to 24, res, bar, off$"),
    ],
)
def test_unreadable_text_is_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message) as error:
        Position.from_text(text, get_ruleset(name))
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("fevga", "24:16 / 24:15", "mover's point 24: 16 checkers"),
        ("fevga", "24:14 off:2 / 24:15", "mover has 16 checkers"),
        ("fevga", "24:14 off:0 / 24:15", "mover has 14 checkers"),
        ("fevga", "24:14 12:1 / 24:15", "both sides stand on the mover's point 12"),
        ("north-sultan", "24:14 1:1 / 24:15", "point 1: both sides"),
        ("plakoto", "24:14 1:1 / 24:15", "not exactly one is pinned"),
        ("gul-bara", "24:15 rolls:4 / 24:15", "4 own rolls"),
        ("tawula", "res:14 24:1 / res:13 24:2", "14 checkers in reserve"),
        ("tawula", "res:13 24:3 / res:13 24:2", "mover has 16 checkers"),
    ],
)
def test_text_of_an_impossible_position_is_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(RulesetError, match=message) as error:
        Position.from_text(text, get_ruleset(name))
    assert str(error.value).startswith(f"position {text!r}: ")


# Boards


@pytest.mark.parametrize("name", NEW_GAMES)
def test_boards_of_another_shape_are_refused(name: str) -> None:
    ruleset = get_ruleset(name)
    board = np.zeros((2, ruleset.num_places + 1), np.int8)
    with pytest.raises(
        RulesetError, match=rf"shape \(2, {ruleset.num_places + 1}\), expected \(2, {ruleset.num_places}\)"
    ):
        check_board(board, ruleset)
    with pytest.raises(RulesetError, match=r"expected \(2, 26\) or \(2, 27\) or \(2, 50\)"):
        Position(np.zeros((2, 28), np.int8))


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("plakoto", {(0, PINNED + 24): 1}, "pinned with no opponent over it on the mover's point 24"),
        ("plakoto", {(1, PINNED + 3): -1}, "opponent's place 28: -1"),
        ("gul-bara", {(0, OWN_ROLLS): 300}, "mover's place 26: 300"),
        ("gul-bara", {(0, 24): 14, (0, OWN_ROLLS): 1}, "14 checkers"),
        ("tawula", {(0, RESERVE): 12, (0, 24): 2}, "mover has 14 checkers"),
        ("fevga", {(0, 24): 14, (0, BAR): 1}, "a checker on the bar"),
    ],
)
def test_boards_that_the_game_cannot_have_are_refused(name: str, changes: dict[Any, int], message: str) -> None:
    ruleset = get_ruleset(name)
    board = Position.start(ruleset).board.astype(int)
    for place, count in changes.items():
        board[place] = count
    with pytest.raises(RulesetError, match=message):
        Position.from_board(board, ruleset)


def test_boards_are_told_apart_and_shown() -> None:
    starts = [Position.start(get_ruleset(name)) for name in ruleset_names()]
    assert len(set(starts)) == 5  # opposed, plakoto, fevga, gul-bara, tawula
    for start in starts:
        assert eval(repr(start)) == start


def test_an_id_holds_no_pins_rolls_or_reserve() -> None:
    for ruleset in (PLAKOTO, GUL_BARA, TAWULA):
        with pytest.raises(RulesetError, match="position ID: it holds 26 places a side"):
            Position.start(ruleset).to_id()


def test_pips_of_pins_rolls_and_reserve() -> None:
    assert Position.from_text("24:1 3:1 pin:3 / 22:2", PLAKOTO).pip_counts() == (27, 44)
    assert Position.from_text("24:1 rolls:3 / 1:1 rolls:2", GUL_BARA).pip_counts() == (24, 1)
    assert Position.from_text("res:2 bar:1 24:2 / res:13 24:2", TAWULA).pip_counts() == (123, 373)


@pytest.mark.parametrize(
    ("ruleset", "text", "has_contact"),
    [
        (PLAKOTO, "10:1 / 15:1 pin:15", True),  # on top of each other
        (PLAKOTO, "9:1 / 15:1", False),
        (FEVGA, "14:1 / 1:1 off:14", True),
        (FEVGA, "12:1 / 12:1", False),
        (FEVGA, "2:1 / 13:1", True),
        (GUL_BARA, "12:1 rolls:3 / 12:1 rolls:3", False),
        (TAWULA, "res:1 12:1 / 12:1", True),
        (FEVGA, "off:15 / 24:15", False),
    ],
)
def test_contact(ruleset: Any, text: str, has_contact: bool) -> None:
    position = Position.from_text(text, ruleset)
    assert position.has_contact(ruleset) is has_contact
    assert position.swap().has_contact(ruleset) is has_contact


# Scores


@pytest.mark.parametrize("case", [case for case in RULES if case["expect"]["afterstates"]], ids=lambda case: case["id"])
def test_afterstates_of_the_rule_cases_score_and_are_reached(case: dict[str, Any]) -> None:
    name = VARIANTS[case["variant"]]
    ruleset = get_ruleset(name)
    before = case_position(case, name)
    for data in case["expect"]["afterstates"]:
        after = case_position(data, name)
        assert after.score(ruleset) == data.get("end")
        lost = after.swap().score(ruleset)
        assert lost == (None if data.get("end") is None else -data["end"])
        steps = [(RESERVE if start == "res" else start, end) for start, end in data["moves"]]
        assert apply_steps(before, steps, ruleset) == after


@pytest.mark.parametrize(
    ("ruleset", "text", "score"),
    [
        (PLAKOTO, "1:1 / 24:1 13:14 pin:24", 2),  # his mother pinned, no man of mine at the start
        (PLAKOTO, "24:1 1:1 / 24:1 13:14 pin:24", None),
        (PLAKOTO, "24:1 1:1 pin:24 / 24:1 1:1 pin:24", 0),
        (PLAKOTO, "off:15 / 24:14 off:1", 1),
        (PLAKOTO, "off:15 / 24:15", 2),
        (FEVGA, "off:15 / 24:15", 2),
        (GUL_BARA, "off:15 rolls:3 / 24:14 rolls:3", 1),
        (TAWULA, "off:15 / 24:15", 1),
        (TAWULA, "1:14 / bar:1 1:14", 7),
        (TAWULA, "off:15 / bar:1 1:14", 7),
        (TAWULA, "1:15 / bar:1 1:14", None),  # not bearing off yet
        (TAWULA, "7:1 1:13 / bar:1 1:14", None),
        (TAWULA, "1:14 / bar:1 1:13", None),  # one of his is off already
    ],
)
def test_scores(ruleset: Any, text: str, score: int | None) -> None:
    position = Position.from_text(text, ruleset)
    assert position.score(ruleset) == score
    assert position.swap().score(ruleset) == (None if score is None else -score)
    assert position.is_over(ruleset) is (score is not None)


# Concessions


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        # The western game, §4: at cube 2 they cost 2, 6, 6 and 4.
        ("oyna-backgammon", "bar:1 24:3 6:10 off:1 / 6:15", 1),
        ("oyna-backgammon", "bar:1 6:14 / 6:15", 3),
        ("oyna-backgammon", "19:1 6:14 / 5:15", 3),
        ("oyna-backgammon", "18:1 6:14 / 6:15", 2),
        ("oyna-tavla", "bar:1 6:14 / 6:15", 2),
        ("oyna-tavla", "bar:1 6:13 off:1 / 6:15", 1),
        ("portes", "24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5", 2),
        ("traditional", "6:14 off:1 / 6:15", 1),
        ("plakoto", "24:15 / 24:15", 2),
        ("plakoto-greek", "24:14 off:1 / 24:15", 1),
        ("fevga", "24:15 / 24:15", 2),
        ("gul-bara", "24:14 off:1 rolls:3 / 24:15", 1),
        ("tawula", "res:13 24:2 / res:13 24:2", 1),
    ],
)
def test_concessions_cost_what_the_house_says(name: str, text: str, value: int) -> None:
    ruleset = get_ruleset(name)
    assert concession_value(ruleset, Position.from_text(text, ruleset).board) == value


def test_some_concessions_are_refused() -> None:
    north_sultan = get_ruleset("north-sultan")
    with pytest.raises(RulesetError, match="north-sultan has none; a player who leaves loses the match"):
        concession_value(north_sultan, Position.start(north_sultan).board)
    with pytest.raises(RulesetError, match="the game is over"):
        concession_value(FEVGA, Position.from_text("24:15 / off:15", FEVGA).board)
    with pytest.raises(RulesetError, match="shape"):
        concession_value(FEVGA, np.zeros((2, NUM_PLACES + 1), int))


# Pictures


def test_render_shows_pinned_checkers_at_the_foot_of_a_pile() -> None:
    position = Position.from_text("24:6 15:1 10:3 3:1 off:4 pin:15,3 / 22:5 15:1 10:2 2:7 pin:15", PLAKOTO)
    assert position.render(PLAKOTO).splitlines() == [
        " Position: 24:6 15:1 10:3 3:1 off:4 pin:15,3 / 22:5 15:1 10:2 2:7 pin:15",
        " +13-14-15-16-17-18------19-20-21-22-23-24-+     O: opponent, pips 159, off 0",
        " |       x          |   |             O  X |",
        " |       O          |   |             O  X |",
        " |       O          |   |             O  X |",
        " |                  |   |             O  X |",
        " |                  |   |             7  6 |",
        " |                  |   |                  |",
        " |                  |   |          5       |",
        " |       X          |   |          O       | X",
        " |       X          |   |          O       | X",
        " |       X          |   |          O       | X",
        " |       o          |   |          x       | X",
        " +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: mover, pips 192, off 4",
    ]


def test_render_turns_the_opponent_of_a_parallel_game_around() -> None:
    position = Position.from_text("res:5 bar:1 24:2 13:7 / res:12 24:1 6:1 off:1", TAWULA)
    assert position.render(TAWULA).splitlines() == [
        " Position: res:5 bar:1 24:2 13:7 / res:12 24:1 6:1 off:1",
        " +13-14-15-16-17-18------19-20-21-22-23-24-+     O: opponent, pips 330, res 12, bar 0, off 1",
        " | X              O |   |                X | O",
        " | X                |   |                X |",
        " | X                |   |                  |",
        " | X                |   |                  |",
        " | 7                | X |                  |",
        " |                  |BAR|                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " |                  |   |                  |",
        " | O                |   |                  |",
        " +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: mover, pips 289, res 5, bar 1, off 0",
    ]


def test_render_shows_the_rolls() -> None:
    picture = Position.from_text("24:15 rolls:2 / 24:15 rolls:3", GUL_BARA).render(GUL_BARA)
    assert "O: opponent, pips 360, off 0, rolls 3" in picture
    assert "X: mover, pips 360, off 0, rolls 2" in picture
    assert "BAR" not in picture
