"""Match files of real sites: what they write besides turns is read, and odd lines do not end a match."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cases import MATCHES
from command_line import fails, ok_json, run

from tavla_ai import analyze_match, load_evaluator
from tavla_ai.errors import NotationError, TavlaError
from tavla_ai.formats import Match, read_mat, read_match
from tavla_ai.rules import get_ruleset

SITES = sorted((MATCHES / "sites").glob("*.mat"))
WHOLE = {path.stem: path.read_text() for path in sorted(MATCHES.glob("*.mat"))}

HEAD = """ 5 point match

 Game 1
 Ada : 0                        Bob : 0
"""
TURNS = "  1) 31: 8/5 6/5                 42: 8/4 6/4\n"
RIGHT = " " * 35


def result_of(match: Match) -> list[tuple[int | None, int | None]]:
    return [(game.winner, game.points) for game in match.games]


@pytest.mark.parametrize("path", SITES, ids=lambda path: path.stem)
def test_files_of_sites_are_read(path: Path) -> None:
    strict = not path.stem.startswith("m11")
    assert read_match(path, strict=strict).games
    result = run("analyze", path, "--ruleset", "oyna-backgammon", "--json", *([] if strict else ["--lenient"]))
    assert result.exit_code == 0


# A numbered line without a turn


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_number_without_a_turn_is_a_blank_line(name: str) -> None:
    lines = WHOLE[name].splitlines()
    expected = read_mat(WHOLE[name])
    for after in (*range(12), *range(12, len(lines), 9), len(lines)):
        with_number = "\n".join((*lines[:after], "  4)", *lines[after:]))
        assert read_mat(with_number) == expected, after


def test_a_forfeited_game_has_no_turns() -> None:
    text = HEAD + "  1)\n      Wins 1 point\n\n Game 2\n Ada : 1                        Bob : 0\n" + TURNS
    first, second = read_mat(text).games
    assert (first.turns, first.winner, first.points) == ((), 0, 1)
    assert len(second.turns) == 2
    unfinished = read_mat(text.replace("      Wins 1 point\n", ""))
    assert "game 1 has no result before it" in unfinished.problems[0]


# Giving up

MARKERS = ("???", "????", "Concedes", "concede", "Resigns", "Resigned Game", "Resigned Match", "Resigns the match")


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("roll", ["", "43: ", "00: ", "43:", "00:"])
@pytest.mark.parametrize("ending", ["      Wins 1 point", RIGHT + "Wins 1 point"])
def test_a_marker_of_giving_up_is_no_turn(marker: str, roll: str, ending: str) -> None:
    """Alone, after a roll or after 00; in either column; the result on the same line or the next says who won."""
    winner = int(ending.startswith(RIGHT))
    for line, turns in (
        (f"  2) {roll}{marker}", 2),
        (f"  2) 65: 24/13                   {roll}{marker}", 3),
    ):
        num_turns = turns + roll.startswith("43")
        for text in (f"{HEAD}{TURNS}{line}\n{ending}\n", f"{HEAD}{TURNS}{line:<40}{ending}\n"):
            if text.count("\n") == 6 and not winner:
                continue  # On one line the result stands in the right column.
            match = read_mat(text)
            assert match.problems == ()
            assert len(match.games[0].turns) == num_turns
            assert result_of(match) == [(winner, 1)]
            last = match.games[0].turns[-1]
            if num_turns > turns:
                assert (last.dice, last.play) == ((4, 3), None)


def test_a_marker_may_stand_before_the_other_players_turn() -> None:
    match = read_mat(f"{HEAD}{TURNS}  2) ????                        65: 24/13\n{RIGHT}Wins 1 point\n")
    last = match.games[0].turns[-1]
    assert (last.player, last.dice) == (1, (6, 5))
    assert result_of(match) == [(1, 1)]


# One line that cannot be read

UNREADABLE = (
    "  2) 21: Illegal play (25;0;1;0;0;A;B;0;10;8;2;1;)  65: 24/13",
    "  2) Set position XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
    "  2) 21: 13/11 6/5               65: 24-13",
    "  2) 71: 13/6",
    "     65: 24/13",
)


@pytest.mark.parametrize("line", UNREADABLE)
def test_after_a_line_that_cannot_be_read_reading_goes_on_with_the_next_game(line: str) -> None:
    text = (
        f"{HEAD}{TURNS}{line}\n  3) 11: 6/5(2) 8/7(2)\n{RIGHT}Wins 1 point\n\n"
        f" Game 2\n Ada : 0                        Bob : 1\n{TURNS}"
    )
    with pytest.raises(TavlaError):
        read_mat(text)
    match = read_mat(text, strict=False)
    assert [len(game.turns) for game in match.games] == [2 + line.startswith("  2) 21: 13/11"), 2]
    assert result_of(match) == [(1, 1), (None, None)]
    (problem,) = match.problems
    assert problem.startswith(f"line 6 {line.strip()!r}"[:30])
    assert problem.endswith("; the rest of game 1 is left out")


def test_lines_outside_games_and_games_without_players_are_noted() -> None:
    rest = f"Thank you for playing\n Game 2\n nobody\n{TURNS} Game 3\n Ada : 1     Bob : 0\n{TURNS}"
    match = read_mat(f"{HEAD}{TURNS}      Wins 1 point\n{rest}", strict=False)
    assert [game.number for game in match.games] == [1, 3]
    assert any("Thank you" in problem for problem in match.problems)
    assert any("nobody" in problem for problem in match.problems)


def test_odd_scores_points_and_names_do_not_end_a_match() -> None:
    second = f" Game 2\n Eve : 9                        Bob : 0\n{TURNS}      Wins 1 point\n"
    match = read_mat(f"{HEAD}{TURNS}      Wins 9 points\n\n{second}")
    assert match.players == ("Ada", "Bob")
    assert len(match.games) == 2
    notes = "\n".join(match.problems)
    for note in ("a win of 9, expected 1 to 3", "other players than 'Ada' and 'Bob'", "the match to 5 is over at 9-0"):
        assert note in notes


# Plays that a server left out


def test_the_only_legal_play_is_filled_in() -> None:
    match = read_match(MATCHES / "sites" / "g02-gridgammon-forced-play-left-out.mat")
    assert match.games[0].turns[2].play == ((25, 20), (25, 22))
    (problem,) = match.problems
    assert "turn 3, player 0: the only legal play bar/20 bar/22 is filled in" in problem
    # With a choice it stays a mistake, and so does a roll with a marker.
    with pytest.raises(TavlaError, match="the roll is not played, but the game goes on"):
        read_mat(f"{HEAD}{TURNS}  2) 65:                         21: 13/11 6/5\n")


# Encodings and words

TURKISH = HEAD.replace("Ada", "Şule").replace("Bob", "Ömer İığş") + TURNS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1254"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_turkish_names_are_read_in_every_encoding(encoding: str, newline: str, tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    path.write_bytes((mark + TURKISH.replace("\n", newline)).encode(encoding))
    match = read_match(path)
    assert match.players == ("Şule", "Ömer İığş")
    assert len(match.games[0].turns) == 2


def test_other_words_for_the_same_actions() -> None:
    cube = "  2)  Doubles => 2                Takes\n  3) 65: 24/13                    Doubles => 4\n  4)  Drops\n"
    text = f"{HEAD}{TURNS}{cube}"
    expected = read_mat(text)
    for old, new in (("Takes", "Accepts"), ("Drops", "Passes"), ("Drops", "Rejects"), ("Drops", "Pass")):
        assert read_mat(text.replace(old, new)) == expected
    assert read_mat(text.replace(" 5 point match", "Match of 5 points")) == expected
    passed = read_mat(f"{HEAD}{TURNS}  2) 65: pass\n", strict=False)
    assert replace(passed.games[0].turns[2], before=None).play == ()


def test_beavers_are_refused_by_name() -> None:
    with pytest.raises(NotationError, match="'Beavers': beavers are not supported"):
        read_mat(f"{HEAD}{TURNS}  2)  Doubles => 2                Beavers\n")


def test_a_strict_read_names_the_way_out(tmp_path: Path) -> None:
    path = MATCHES / "sites" / "m11-illegal-play.mat"
    assert fails("analyze", path, "--ruleset", "oyna-backgammon").endswith(
        "; --lenient leaves out the rest of the game"
    )
    cube = MATCHES / "sites" / "b01-studio-trailing-number.mat"
    message = fails("analyze", cube)
    assert "but north-sultan is played without a cube; read it as oyna-backgammon" in message
    assert ok_json("analyze", path, "--ruleset", "oyna-backgammon", "--lenient")["problems"]
    assert get_ruleset("oyna-backgammon").cube


# Headers


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('Jacoby "On"', "header Jacoby 'On': not supported; gammons count here also while the cube is centred"),
        ('Beavers "yes"', "header Beavers 'yes': not supported; nobody beavers here"),
        ('Jacoby "perhaps"', "header Jacoby 'perhaps': expected On or Off, so it is not followed"),
        ('Crawford "sometimes"', "header Crawford 'sometimes': expected On or Off, so it is not followed"),
        ('Jacoby "Off"', None),
        ('Beaver "0"', None),
        ('Crawford "On"', None),
        ('Site "Beaver"', None),
    ],
)
def test_headers_that_change_the_rules_are_followed_or_named(header: str, expected: str | None) -> None:
    assert read_mat(f"; [{header}]\n{HEAD}{TURNS}").problems == (() if expected is None else (expected,))


@pytest.mark.parametrize(("said", "is_crawford"), [("On", True), ("Off", False)])
def test_a_match_without_the_crawford_rule(said: str, is_crawford: bool) -> None:
    text = f'; [Crawford "{said}"]\n{HEAD}{TURNS}'.replace("Ada : 0 ", "Ada : 4 ")
    analysis = analyze_match(read_mat(text), load_evaluator("oyna-backgammon"))
    assert [game.is_crawford for game in analysis.games] == [is_crawford]


def test_a_file_is_judged_as_the_game_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    path.write_text(f'; [Variation "Tavla (oyna.app)"]\n{HEAD}{TURNS}')
    assert ok_json("analyze", path)["ruleset"] == "oyna-tavla"
    backgammon = ok_json("analyze", path, "--ruleset", "oyna-backgammon")
    assert backgammon["problems"] == ["header Variation: the file is of oyna-tavla, judged as oyna-backgammon"]


def test_a_game_with_an_impossible_score_is_not_judged() -> None:
    second = f"\n Game 2\n Ada : 7                        Bob : 0\n{TURNS}"
    text = f"{HEAD}{TURNS}      Wins 1 point\n{second}"
    analysis = analyze_match(read_mat(text, strict=False), load_evaluator("north-sultan"))
    assert [game.number for game in analysis.games] == [1]
    assert any("game 2" in problem and "not judged" in problem for problem in analysis.problems)
