"""Match files: what GNU Backgammon exported is read, what is written reads back, and mistakes are named."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import MATCHES
from hypothesis import given, settings
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.formats import Game, Match, Turn, read_mat, read_match, write_mat
from tavla_ai.rules import Position, compile_rules, get_ruleset

FILES = {path.stem: path.read_text() for path in sorted(MATCHES.glob("*.mat"))}
TAVLA = get_ruleset("north-sultan")
BACKGAMMON = get_ruleset("oyna-backgammon")
# As Debian installs it.
GNUBG = shutil.which("gnubg", path=os.environ.get("PATH", "") + ":/usr/games")

OPENING = """; [Site "A club"]
; [Player 1 "Ada"]
; a remark

 5 point match

 Game 1
 Ada : 0                        Bob : 0
  1)                             31: 8/5 6/5
  2) 64: 24/14                   66: 24/18(2) 13/7(2)
  3) 21: 13/11 6/5
"""


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


# Reading and writing

RESULTS = {
    "cube-3": [(0, 1, (0, 0)), (0, 4, (1, 0))],
    "cube-5": [(0, 2, (0, 0)), (0, 2, (2, 0)), (0, 1, (4, 0))],
    "cubeless-7": [(1, 1), (0, 1), (1, 1), (0, 1), (1, 1), (0, 1), (0, 2), (1, 2), (1, 1), (1, 2)],
    "resigned-3": [(0, 2, (0, 0)), (None, None, (2, 0))],
}


@pytest.mark.parametrize("name", RESULTS)
def test_files_of_gnubg_are_read_and_written_again(name: str) -> None:
    match = read_mat(FILES[name])
    results = [(game.winner, game.points, game.score) for game in match.games]
    assert [result[: len(known)] for result, known in zip(results, RESULTS[name], strict=True)] == RESULTS[name]
    assert match.length == int(name[-1])
    assert match.headers == (("EventDate", "2026.11.30"),)
    # All that we add is that the last win is that of the match.
    assert [line.removesuffix(" and the match") for line in lines(write_mat(match))] == lines(FILES[name])
    assert read_mat(write_mat(match)) == match


def test_every_decision_has_the_board_before_it() -> None:
    game = read_mat(FILES["cube-3"]).games[0]
    assert game.turns[0] == Turn(1, "play", (2, 1), ((13, 11), (24, 23)), before=Position.start(BACKGAMMON))
    assert game.turns[1].player == 0
    assert game.turns[1].before == Position.from_sides(
        {24: 2, 13: 5, 8: 3, 6: 5}, {24: 1, 23: 1, 13: 4, 11: 1, 8: 3, 6: 5}
    )
    double, drop = game.turns[-2:]
    assert (double.action, double.player, double.cube) == ("double", 0, 2)
    assert (drop.action, drop.player) == ("drop", 1)
    assert double.before is not None
    assert drop.before == double.before.swap()
    assert (game.winner, game.points) == (0, 1)


def test_a_game_given_up_after_the_roll_has_a_roll_without_a_play() -> None:
    resigned, broken_off = read_mat(FILES["resigned-3"]).games
    for game, dice in ((resigned, (4, 1)), (broken_off, (4, 3))):
        assert (game.turns[-1].player, game.turns[-1].dice, game.turns[-1].play) == (1, dice, None)
    assert (resigned.winner, resigned.points) == (0, 2)


def test_a_file_by_hand() -> None:
    match = read_mat(OPENING)
    assert (match.players, match.length) == (("Ada", "Bob"), 5)
    assert match.headers == (("Site", "A club"), ("Player 1", "Ada"))
    (game,) = match.games
    assert [turn.player for turn in game.turns] == [1, 0, 1, 0]
    assert game.turns[2].play == ((24, 18), (24, 18), (13, 7), (13, 7))
    assert (game.winner, game.points, match.problems) == (None, None, ())
    assert read_mat(write_mat(match)) == match


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace(" " * 8, "\t"),
        lambda text: text.lower().replace("ada :", "Ada :").replace("bob", "Bob"),
        lambda text: text.upper().replace("ADA", "Ada").replace("BOB", "Bob"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("  2) ", "2)").replace("  3) ", "3)"),
        lambda text: text.replace(": 8", ":8"),
        lambda text: text.replace(" point match", " points match"),
    ],
)
def test_files_written_otherwise_read_the_same(change: object) -> None:
    assert callable(change)
    expected = read_mat(OPENING)
    read = read_mat(change(OPENING))
    assert (read.games, read.length) == (expected.games, 5)


def test_bar_off_and_missing_hit_marks_are_read() -> None:
    expected = read_mat(FILES["cubeless-7"])
    text = FILES["cubeless-7"].replace("*", "").replace("25/", "bar/").replace("/0", "/off")
    assert read_mat(text) == expected


def test_a_hit_on_the_way_that_is_not_written_is_found() -> None:
    """My 18 is closed, so 64 takes 24/14 over my 20, where Bob has a blot."""
    text = OPENING[: OPENING.index("  1)")] + (
        "  1)                             61: 13/7 8/7\n"
        "  2) 21: 13/10                   41: 6/5 24/20\n"
        "  3) 64: 24/14                   31: 25/22 24/23\n"
    )
    match = read_mat(text)
    assert match.games[0].turns[3].play == ((24, 20), (20, 14))
    assert "64: 24/20* 20/14" in write_mat(match)
    assert read_mat(write_mat(match)) == match
    with pytest.raises(RulesetError, match=r"turn 5, player 1: .*checkers on the bar enter"):
        read_mat(text.replace("25/22 24/23", "13/9"))


def test_single_games_have_no_length() -> None:
    match = read_mat(OPENING.replace("5 point", "0 point"))
    assert match.length is None
    assert " 0 point match" in write_mat(match)


# Tavla


def played_out(winner_points: str) -> str:
    """A game by gnubg that ends in a mars on the board, with another number of points."""
    return FILES["cubeless-7"].replace("Wins 2 points", winner_points)


def test_a_backgammon_counts_as_a_mars_in_tavla() -> None:
    points = [game.points for game in read_mat(played_out("Wins 3 points"), TAVLA).games]
    assert points == [game.points for game in read_mat(FILES["cubeless-7"]).games]
    (problem,) = read_mat(played_out("Wins 3 points")).problems
    assert "a win of 3, expected 1 to 2" in problem


def test_tavla_has_no_cube() -> None:
    with pytest.raises(RulesetError, match="'Doubles => 2', but north-sultan is played without a cube"):
        read_mat(FILES["cube-3"], TAVLA)
    lenient = read_mat(FILES["cube-3"], TAVLA, strict=False)
    assert len(lenient.problems) == 6
    assert [game.turns for game in lenient.games] == [game.turns for game in read_mat(FILES["cube-3"]).games]


def test_other_games_have_no_match_files() -> None:
    with pytest.raises(RulesetError, match="match files exist for tavla and backgammon only; plakoto"):
        read_mat(OPENING, get_ruleset("plakoto"))


def test_the_rules_of_the_house_are_those_checked() -> None:
    """Traditional tavla forbids hitting at home and running on: 6/5*/4 is such a play."""
    text = OPENING[: OPENING.index("  1)")] + ("  1) 43: 24/20 13/10              11: 6/5*/4 8/7(2)\n")
    assert read_mat(text).games[0].turns[1].play == ((6, 5), (5, 4), (8, 7), (8, 7))
    with pytest.raises(RulesetError, match="may not move on"):
        read_mat(text, get_ruleset("traditional"))


# Mistakes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("31: 8/5 6/5", "31: 8/5 6/4", r"line 9 .*game 1, turn 1, player 1: play 8/5 6/4 with 3-1: it moves 5 pips"),
        ("64: 24/14", "64: 24/18", r"line 10 .*turn 2, player 0: .*2 dice can be played"),
        ("64: 24/14", "64:", r"line 10 .*turn 2, player 0: the roll is not played, but the game goes on"),
        ("64: 24/14", "64: 24/14 13/12", r"line 10 .*turn 2"),
        ("64: 24/14", "64: 23/13", r"line 10 .*no checker on 23"),
        ("64: 24/14", "74: 24/14", r"line 10 .*turn 2, player 0: die 7"),
        ("64: 24/14", "60: 24/18", r"line 10 .*die 0"),
        ("64: 24/14", " Takes", r"line 10 .*'Takes' without a double before it"),
        ("64: 24/14", " Doubles => 4", r"double to 4, but both players may double, to 2"),
        ("66: 24/18(2) 13/7(2)", "Doubles => 2\n  3) 21: 13/11 6/5", r"line 11 .*a roll, expected an answer"),
        ("66: 24/18(2) 13/7(2)", "Doubles => 2\n  3)  Doubles => 4", r"line 11 .*a double, expected an answer"),
    ],
)
def test_what_the_rules_forbid_is_named_by_line_game_and_turn(old: str, new: str, message: str) -> None:
    assert old in OPENING
    text = OPENING.replace(old, new)
    with pytest.raises(RulesetError, match=message):
        read_mat(text)
    if "die " not in message:
        assert read_mat(text, strict=False).problems


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (OPENING, "", "no match length"),
        (OPENING, "hello", "line 1 'hello': expected a match length"),
        ("; a remark", "x" * 501, "line 3: 501 characters, expected at most 500"),
        (" 5 point match\n", "", "line 6 'Game 1': expected a match length before the first game"),
        (" 5 point match\n", " 5 point match\n 7 point match\n", "line 6 '7 point match': a second match length"),
        (OPENING[OPENING.index(" Game 1") :], "", "match file: no game"),
        (OPENING[OPENING.index(" Ada :") :], "", "line 7 'Game 1': the file ends, expected the players"),
        (" Ada : 0", " Ada", "line 8 .*expected two players and their scores"),
        ("64: 24/14", "64: 24-14", r"line 10 .*turn 2, player 0: play '24-14': '24-14' at index 0"),
        ("64: 24/14", "64: 14/24", "line 10 .*does not go forward"),
        ("64: 24/14", "x 64: 24/14", "line 10 .*expected a turn"),
        ("  2)", "    ", "line 10 .*expected a number before a turn"),
        ("64: 24/14", "Doubles 2", "line 10 .*'Doubles 2', expected 'Doubles => 2'"),
        ("21: 13/11 6/5", "Wins a point", "line 11 .*'Wins a point', expected a result"),
        (" Game 1\n", " Game 1\n Ada : 0      Bob : 0\n Wins 1 point\n", "line 10 .*expected a match length"),
    ],
)
def test_what_cannot_be_read_is_named_by_line(old: str, new: str, message: str) -> None:
    assert old in OPENING
    with pytest.raises(NotationError, match=message):
        read_mat(OPENING.replace(old, new))


def test_plays_that_are_not_legal_are_taken_down_and_the_game_goes_on() -> None:
    match = read_mat(OPENING.replace("31: 8/5 6/5", "31: 8/5 6/4"), strict=False)
    assert len(match.problems) == 1
    turns = match.games[0].turns
    assert turns[0].play == ((8, 5), (6, 4))
    assert turns[1].before is not None
    assert turns[1].before.board[1, 4] == 1
    lost = read_mat(OPENING.replace("31: 8/5 6/5", "31: 9/6"), strict=False)
    assert [turn.before is None for turn in lost.games[0].turns] == [False, True, True, True]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"players": ("a:b", "c")}, NotationError, "expected no colon"),
        ({"players": ("a\nb", "c")}, NotationError, "name 'a\\\\nb'"),
        ({"players": ("", "c")}, NotationError, "name ''"),
        ({"headers": (('a"', "b"),)}, NotationError, "header"),
        ({"headers": (("a", "b\n"),)}, NotationError, "header"),
        ({"games": (Game(1, (0, 0), (Turn(0),)),)}, NotationError, "game 1, turn 1: play: expected a roll"),
        ({"games": (Game(2, (0, 0), (Turn(0, "double"),)),)}, NotationError, "game 2, turn 1: double: expected"),
        ({"games": (Game(1, (0, 0), (Turn(0, dice=(3, 9)),)),)}, RulesetError, "game 1, turn 1: die 9"),
        (
            {"games": (Game(1, (0, 0), (Turn(1, dice=(3, 1), play=((9, 6),)),)),)},
            RulesetError,
            "game 1, turn 1: step 9/6",
        ),
        (
            {"games": (Game(1, (0, 0), (Turn(0, "double", cube=2), Turn(0, "take"))),)},
            NotationError,
            "turn 2: player 0 again",
        ),
    ],
)
def test_what_no_file_can_hold_is_refused(change: dict[str, object], error: type[TavlaError], message: str) -> None:
    with pytest.raises(error, match=message):
        write_mat(replace(read_mat(OPENING), **change))


# Round trips


def random_game(seed: int, number: int, score: tuple[int, int]) -> Game:
    """Return a game of random play in the form of a file."""
    rules = compile_rules(TAVLA)
    turns, player = [], seed % 2
    winner = points = None
    for turn in engine.random_turns(rules, seed, number):
        before = Position(turn["before"][0])
        boards, paths, _ = engine.legal_plays(rules, before.board, *turn["dice"])
        index = int(np.flatnonzero((boards == turn["after"]).all(axis=(1, 2)))[0])
        play = tuple((int(start), int(end)) for start, end in paths[index] if start >= 0)
        turns.append(Turn(player, "play", tuple(turn["dice"]), play, before=before))
        if turn["score"] != engine.NO_SCORE:
            winner, points = (player, turn["score"]) if turn["score"] > 0 else (1 - player, -turn["score"])
        player = 1 - player
    return Game(number, score, tuple(turns), winner, points)


names = st.text(st.characters(categories=("L", "N")) | st.sampled_from(" .\"'-"), min_size=1, max_size=40).filter(
    lambda name: name == name.strip() and name.isprintable()
)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), players=st.tuples(names, names), value=names)
def test_random_games_are_read_as_written(seed: int, players: tuple[str, str], value: str) -> None:
    games = (random_game(seed, 1, (0, 0)), random_game(seed, 2, (1, 2)))
    match = Match(7, players, games, (("Site", value), ("Empty", "")))
    assert read_mat(write_mat(match), TAVLA) == match


@given(
    name=st.sampled_from(sorted(FILES)),
    at=st.integers(0, 3000),
    size=st.integers(0, 4),
    new=st.text("0123:/)(=> wind*\n"),
)
def test_damaged_files_are_answered_or_refused_in_one_line(name: str, at: int, size: int, new: str) -> None:
    text = FILES[name][:at] + new + FILES[name][at + size : 4000]
    for ruleset, strict in ((BACKGAMMON, True), (TAVLA, False)):
        message = ""
        try:
            read_mat(text, ruleset, strict=strict)
        except TavlaError as error:
            message = str(error)
        assert "\n" not in message


@given(st.text(max_size=200))
def test_any_text_is_answered_or_refused(text: str) -> None:
    for start in ("", " 5 point match\n Game 1\n A : 0   B : 0\n"):
        message = ""
        try:
            read_mat(start + text)
        except TavlaError as error:
            message = str(error)
        assert "\n" not in message


# The real program


@pytest.mark.peer
@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize("name", [*RESULTS, "random"])
def test_gnubg_imports_what_we_write(name: str, tmp_path: Path) -> None:
    match = Match(3, ("a", "b"), (random_game(3, 1, (0, 0)),)) if name == "random" else read_mat(FILES[name])
    (tmp_path / "ours.mat").write_text(write_mat(match))
    subprocess.run(
        [str(GNUBG), "-t", "-q"],
        input="import mat ours.mat\nexport match mat theirs.mat\n",
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        timeout=60,
        check=True,
    )
    theirs = read_mat((tmp_path / "theirs.mat").read_text())
    assert theirs.players == match.players
    for ours, game in zip(match.games, theirs.games, strict=True):
        # It writes a turn's steps from the back forward, so the boards are compared.
        assert [(turn.player, turn.action, turn.dice, turn.cube, turn.before) for turn in game.turns] == [
            (turn.player, turn.action, turn.dice, turn.cube, turn.before) for turn in ours.turns
        ]
        assert (game.number, game.score, game.winner, game.points) == (
            ours.number,
            ours.score,
            ours.winner,
            ours.points,
        )


def test_a_file_is_read_in_either_character_set_and_named_in_its_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    for encoding in ("utf-8", "latin-1"):
        path.write_text(OPENING.replace("Ada", "Zoë"), encoding=encoding)
        assert read_match(path) == read_mat(path.read_text(encoding=encoding))
    path.write_text(OPENING.replace("31: 8/5 6/5", "31: 8/5 6/4"))
    assert read_match(path, strict=False).problems
    with pytest.raises(RulesetError, match=r"match\.mat: line"):
        read_match(path)
