"""Pictures of positions: every checker is there once, where it belongs, in any game and from either side."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.match import Cube, MatchState
from tavla_ai.report.board import board_svg
from tavla_ai.rules import Position, Ruleset, compile_rules, get_ruleset, ruleset_names

SVG = "{http://www.w3.org/2000/svg}"
TAVLA = get_ruleset("north-sultan")
BACKGAMMON = get_ruleset("oyna-backgammon")
START = Position.start(TAVLA)
HIT = Position.from_sides({24: 1, 13: 5, 8: 3, 6: 1, 5: 2, 4: 2}, {24: 1, 13: 7, 8: 1, 6: 3, 2: 2}, bar=(1, 0))


def elements(svg: str, tag: str, kind: str | None = None) -> list[ElementTree.Element]:
    """Return the elements with a tag, and of one class if it is given."""
    found = ElementTree.fromstring(svg).iter(SVG + tag)
    return [element for element in found if kind is None or kind in element.get("class", "").split()]


def texts(svg: str, kind: str | None = None) -> list[str]:
    return [element.text or "" for element in elements(svg, "text", kind)]


def numbered_columns(svg: str) -> dict[int, tuple[int, bool]]:
    """Return the place of each point's number: its x, and whether it is in the lower half."""
    height = int(ElementTree.fromstring(svg).get("viewBox", "").split()[3])
    return {
        int(element.text or ""): (int(element.get("x", "")), int(element.get("y", "")) > height // 2)
        for element in elements(svg, "text", "number")[:24]
    }


def piles(svg: str, kind: str) -> Counter[tuple[int, bool]]:
    """Return how many checkers of a side stand on each column of each half."""
    height = int(ElementTree.fromstring(svg).get("viewBox", "").split()[3])
    return Counter(
        (int(element.get("cx", "")), int(element.get("cy", "")) > height // 2)
        for element in elements(svg, "circle", kind)
    )


def random_positions(ruleset: Ruleset, seed: int) -> list[Position]:
    rules = compile_rules(ruleset)
    return [Position(turn["before"][0]) for turn in engine.random_turns(rules, seed, 0)]


@pytest.mark.parametrize("name", ruleset_names())
@pytest.mark.parametrize("at_bottom", [True, False])
def test_every_checker_stands_at_its_number(name: str, at_bottom: bool) -> None:
    ruleset = get_ruleset(name)
    for position in random_positions(ruleset, 3)[::12]:
        svg = board_svg(position, ruleset, player_on_roll_at_bottom=at_bottom)
        columns = numbered_columns(svg)
        assert sorted(columns) == list(range(1, 25))
        for row, kind in enumerate(("bottom", "top") if at_bottom else ("top", "bottom")):
            found = piles(svg, kind)
            for point, column in columns.items():
                own = point if row == 0 else ruleset.facing(point)
                is_shared = bool(position.board[0, point] and position.board[1, ruleset.facing(point)])
                count = int(position.board[row, own])
                expected = min(count, 4) if is_shared and count > 1 else min(count, 5)
                assert found[column] == expected, (position, point, row)


def test_the_home_of_the_player_on_roll_is_at_the_lower_right_or_across() -> None:
    bottom, top = (numbered_columns(board_svg(START, TAVLA, player_on_roll_at_bottom=at)) for at in (True, False))
    assert bottom[1] == (max(x for x, _ in bottom.values()), True)
    assert top[1] == (bottom[1][0], False)
    fevga = get_ruleset("fevga")
    start = Position.start(fevga)
    bottom, top = (numbered_columns(board_svg(start, fevga, player_on_roll_at_bottom=at)) for at in (True, False))
    # Both go the same way round, so the one at the top bears off at the upper left.
    assert bottom[1] == (max(x for x, _ in bottom.values()), True)
    assert top[1] == bottom[13] == (min(x for x, _ in bottom.values()), False)


def test_high_piles_show_their_height() -> None:
    svg = board_svg(Position.from_sides({6: 7, 5: 6, 3: 2}, {6: 15}), TAVLA)
    assert [text.text for text in elements(svg, "text") if text.get("class") is None] == ["6", "7"]
    assert texts(svg, "light") == ["15"]


def test_borne_off_and_reserved_checkers_lie_in_the_trays() -> None:
    position = Position.from_sides({1: 3}, {1: 15})
    assert len(elements(board_svg(position, TAVLA), "rect", "bottom")) == 12
    tawula = get_ruleset("tawula")
    svg = board_svg(Position.start(tawula), tawula)
    assert (len(elements(svg, "rect", "bottom")), len(elements(svg, "rect", "top"))) == (13, 13)


def test_pinned_checkers_are_marked() -> None:
    plakoto = get_ruleset("plakoto")
    position = Position.from_text("20:6 7:8 3:1 pin:3 / 22:8 24:1 10:1 6:5", plakoto)
    (pinned,) = elements(board_svg(position, plakoto), "circle", "pinned")
    svg = board_svg(position, plakoto)
    column, is_low = numbered_columns(svg)[3]
    assert (int(pinned.get("cx", "")), pinned.get("class")) == (column, "bottom pinned")
    assert piles(svg, "top")[column, is_low] == 4
    assert "8" in texts(svg, "light")


def test_only_games_with_a_cube_show_one() -> None:
    match = MatchState(7, (3, 1), cube=Cube(4, "opponent"))
    svg = board_svg(HIT, BACKGAMMON, match=match, names=("Ada", "Bob"))
    cubes = elements(svg, "rect", "white")
    assert len(cubes) == 1
    assert texts(svg, "score") == ["3 of 7", "1 of 7"]
    assert texts(svg, "name") == [f"Ada · {HIT.pip_counts()[0]}", f"Bob · {HIT.pip_counts()[1]}"]
    other = board_svg(HIT, BACKGAMMON, match=match, player_on_roll_at_bottom=False)
    assert float(cubes[0].get("y", "")) < float(elements(other, "rect", "white")[0].get("y", ""))
    assert not elements(board_svg(HIT, TAVLA, match=MatchState(7)), "rect", "white")
    crawford = MatchState(5, (4, 1), is_crawford=True)
    assert texts(board_svg(HIT, BACKGAMMON, match=crawford), "score")[0] == "4 of 5 (Crawford)"


def test_dice_show_their_pips() -> None:
    svg = board_svg(START, TAVLA, dice=(6, 3))
    assert len(elements(svg, "rect", "white")) == 2
    assert len(elements(svg, "circle", "dot")) == 9


def test_an_arrow_for_each_step() -> None:
    svg = board_svg(HIT, TAVLA, dice=(6, 4), play=[(25, 21), (13, 7)])
    columns = numbered_columns(svg)
    lines = [(int(line.get("x1", "")), int(line.get("x2", ""))) for line in elements(svg, "line", "move")]
    assert lines[0][1] == columns[21][0]
    assert lines[1] == (columns[13][0], columns[7][0])
    assert len(elements(svg, "circle", "end")) == 2
    assert "play bar/21 13/7" in svg


def test_a_play_that_is_two_steps_of_one_checker_is_followed() -> None:
    svg = board_svg(START, TAVLA, play=[(24, 18), (18, 14)])
    first, second = elements(svg, "line", "move")
    assert (first.get("x2"), first.get("y2")) == (second.get("x1"), second.get("y1"))


def test_whatever_the_names_it_is_xml_and_needs_nothing_else() -> None:
    names = ("<script>&\"'", "a\x00\ud800b")
    svg = board_svg(HIT, BACKGAMMON, names=names, title="A < B & C", dice=(6, 4), play=[(25, 21)])
    root = ElementTree.fromstring(svg.encode())
    assert root.tag == SVG + "svg"
    assert [root[0].text, root[0].tag] == ["A < B & C", SVG + "title"]
    assert root[1].text == f"{HIT.to_text(BACKGAMMON)}, the player on roll first; play bar/21"
    assert texts(svg, "name")[0].startswith(names[0])
    assert "a\ufffd\ufffdb" in texts(svg, "name")[1]
    assert re.findall(r'(?:href|src|url)[=(]"?([^#][^")]*)', svg) == []
    assert set(re.findall(r"https?://[^\"]*", svg)) == {"http://www.w3.org/2000/svg"}
    assert "Tavla (North Sultan): player on roll to play 31" in board_svg(START, TAVLA, dice=(3, 1))


def test_what_the_game_cannot_have_is_refused() -> None:
    with pytest.raises(RulesetError, match="die 7"):
        board_svg(START, TAVLA, dice=(7, 1))
    with pytest.raises(RulesetError, match="no checker on 23"):
        board_svg(START, TAVLA, play=[(23, 20)])
    with pytest.raises(RulesetError, match="shape"):
        board_svg(START, get_ruleset("plakoto"))


@settings(max_examples=20)
@given(st.sampled_from(ruleset_names()), st.integers(0, 1000), st.booleans())
def test_pictures_of_random_games_are_well_formed(name: str, seed: int, at_bottom: bool) -> None:
    ruleset = get_ruleset(name)
    rules = compile_rules(ruleset)
    for position in random_positions(ruleset, seed)[::40]:
        dice = (1 + seed % 6, 1 + seed // 6 % 6)
        _, paths, _ = engine.legal_plays(rules, position.board, *dice)
        play = [(int(start), int(end)) for start, end in paths[-1] if start >= 0]
        svg = board_svg(position, ruleset, dice=dice, play=play, player_on_roll_at_bottom=at_bottom)
        assert len(elements(svg, "line", "move")) == len(play)
