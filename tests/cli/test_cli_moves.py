"""`tavla moves`, and how any command reads a position."""

from __future__ import annotations

import re

import pytest
from command_line import fails, ok, ok_json

import tavla_ai
from tavla_ai.rules import get_ruleset, ruleset_names

START = "4HPwATDgc/ABMA"


def test_moves_shows_the_board_and_every_play() -> None:
    out = ok("moves", "--position", START, "--dice", "31")
    assert "+13-14-15" in out
    assert "16 legal plays of 3-1" in out
    assert "8/5 6/5" in out
    assert out == ok("moves", "--dice", "3-1")


def test_moves_json_gives_the_position_after_each_play() -> None:
    data = ok_json("moves", "--position", START, "--dice", "31")
    assert (data["position"], data["dice"], len(data["plays"])) == (START, [3, 1], 16)
    # Checked against GNU Backgammon 1.07: the board after 8/5 6/5 with the other side on roll.
    after = {play["play"]: play["position"] for play in data["plays"]}
    assert after["8/5 6/5"] == "sGfwATDgc/ABMA"
    assert all(set(play) == {"play", "steps", "position", "score"} for play in data["plays"])
    assert all(play["score"] is None for play in data["plays"])


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_moves_of_every_game(ruleset: str) -> None:
    args = ("moves", "--ruleset", ruleset, "--dice", "63")
    plain = ok_json(*args)
    assert (plain["ruleset"], plain["scores"]) == (ruleset, list(get_ruleset(ruleset).scores))
    # The position of the answer is one that the command takes.
    again = ok_json(*args, "--position", plain["position"])
    assert again == plain
    assert ok(*args, "--position", plain["plays"][0]["position"])


def test_moves_shows_a_play_that_ends_the_game() -> None:
    data = ok_json("moves", "--ruleset", "plakoto", "--position", "2:1 20:14 / 24:1 13:14", "--dice", "11")
    scores = {play["play"]: play["score"] for play in data["plays"]}
    # His mother is pinned and my start is empty: the other dice are not played.
    assert scores["2/1^"] == 2


def test_moves_without_a_move() -> None:
    # On the bar against six closed points.
    position = tavla_ai.Position.from_sides({6: 14}, dict.fromkeys(range(1, 7), 2) | {8: 3}, bar=(1, 0))
    out = ok("moves", "--position", position.to_id(), "--dice", "65")
    assert "1 legal play of 6-5" in out
    assert "(no move)" in out


@pytest.mark.parametrize("dice", ["07", "3", "abc", "311", "77", "", "-1", "3.1", "60"])
def test_moves_refuses_other_dice(dice: str) -> None:
    assert re.search(
        r"error: (die \d: expected 1 to 6|dice '.*': expected two digits)", fails("moves", f"--dice={dice}")
    )


def test_moves_needs_dice() -> None:
    assert "Missing option '--dice'" in fails("moves")


BOTH_ON_ONE_POINT = tavla_ai.Position.start(tavla_ai.get_ruleset("north-sultan")).board.copy()
BOTH_ON_ONE_POINT[0, 6], BOTH_ON_ONE_POINT[0, 1] = 4, 1  # my ace point is the opponent's 24


@pytest.mark.parametrize(
    "command", [("moves", "--dice", "31"), ("perft", "--depth", "1")], ids=lambda command: command[0]
)
@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("", "0 characters, expected 14"),
        ("4HPwATDgc/ABM", "13 characters, expected 14"),
        ("4HPwATDgc/ABMAA", "15 characters, expected 14"),
        ("4HPwATDgc_ABMA", "'_' at index 9"),
        ("4HPwATDgc/ABMé", "'é' at index 13"),
        ("4HPwATDgc/ABMB", "expected A, Q, g, w"),
        ("//////////////", "'/' at index 13"),
        ("/////////////w", "its bits end before both sides are placed"),
        (tavla_ai.Position(BOTH_ON_ONE_POINT).to_id(), "point 1: both sides stand on it"),
        ("AAAAAAAAAAAAAA", "off: both sides have 15"),
        (tavla_ai.Position.from_sides({}, {6: 15}).to_id(), "the game is over"),
        (tavla_ai.Position.from_sides({6: 15}, {}).to_id(), "the game is over"),
    ],
)
def test_bad_positions_are_refused(command: tuple[str, ...], position: str, message: str) -> None:
    line = fails(*command, "--position", position)
    assert line.startswith(f"error: position ID {position!r}: ")
    assert message in line


@pytest.mark.parametrize(
    ("ruleset", "position", "message"),
    [
        (
            "fevga",
            START,
            f"position ID '{START}': IDs exist for tavla and backgammon only; fevga takes a text such as '24:15",
        ),
        ("fevga", "24:15 off:1 / 24:15", "mover has 16 checkers"),
        ("fevga", "24:15", "0 slashes"),
        ("fevga", "24:15 / x:15", "'x:15' at index 8"),
        ("fevga", "24:14 12:1 / 24:15", "both sides stand"),
        ("fevga", "24:15 / off:15", "the game is over"),
        ("tawula", "1:14 / bar:1 1:14", "the game is over"),
        ("plakoto", "1:15 / 24:1 13:14 pin:24", "the game is over"),
        ("north-sultan", "24:2 13:5 8:3 6:4 1:1 / 24:2 13:5 8:3 6:5", "point 1: both sides"),
    ],
)
def test_bad_position_texts_are_refused(ruleset: str, position: str, message: str) -> None:
    line = fails("moves", "--ruleset", ruleset, "--dice", "31", "--position", position)
    assert line.startswith(f"error: position{' ID' if position == START else ''} {position!r}: ")
    assert message in line


def test_a_position_text_is_as_good_as_an_id() -> None:
    text = tavla_ai.Position.from_id(START).to_text(get_ruleset("north-sultan"))
    assert ok_json("moves", "--position", text, "--dice", "31") == ok_json("moves", "--dice", "31")


@pytest.mark.parametrize("text", [f"{START}:cAkAAAAAAAAA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"])
def test_positions_of_other_programs_are_taken(text: str) -> None:
    assert ok_json("moves", "--position", text, "--dice", "31") == ok_json("moves", "--dice", "31")
    line = fails("moves", "--ruleset", "fevga", "--position", text, "--dice", "31")
    assert f"{text!r}: " in line
    assert "s exist for tavla and backgammon only; fevga takes a text such as" in line


def test_moves_refuses_an_unknown_ruleset() -> None:
    assert "unknown ruleset 'tavli'" in fails("moves", "--ruleset", "tavli", "--dice", "31")
