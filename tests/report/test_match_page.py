"""The page of a match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from evaluator_fake import EvaluatorFake

from tavla_ai.evaluator import Evaluator
from tavla_ai.formats import Game, Match, Turn, read_mat
from tavla_ai.network import load_checkpoint
from tavla_ai.report.match import match_html
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import AnalyzedCube, AnalyzedPlay, analyze_match

ROOT = Path(__file__).parents[2]
MATCHES = ROOT / "tests" / "data" / "matches"
FILES = {path.stem: path.read_text() for path in sorted(MATCHES.glob("*.mat"))}

BACKGAMMON = get_ruleset("oyna-backgammon")
NAMES = ("Ada", "Bob")


@pytest.fixture(scope="module")
def with_cube() -> Evaluator:
    return Evaluator(load_checkpoint(ROOT / "checkpoints" / "backgammon"))


def one_game(*turns: Turn, winner: int | None = None, points: int | None = None, length: int | None = None) -> Match:
    score = (0, 0) if length is None else (length - 1, length - 1)
    return Match(length, NAMES, (Game(1, score, turns, winner, points),))


# Without an end by itself.
VOID = {"meta"}


class Page(HTMLParser):
    """Checks that tags are closed, and takes down what they say."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("name", FILES)
def test_the_report_needs_nothing_from_outside(with_cube: Evaluator, name: str) -> None:
    text = FILES[name].replace("root :", "<b>&root :")
    critic = with_cube if name.startswith("cube-") else EvaluatorFake(get_ruleset("north-sultan"))
    analysis = analyze_match(read_mat(text, critic.ruleset), critic)
    html = match_html(analysis, critic="net <1>", top=3)
    page = Page(html)
    assert ("<b>&root" in "".join(page.text)) == ("root :" in FILES[name])
    assert not {"script", "link", "img", "iframe", "object", "image", "use"} & set(page.tags)
    names = {key for key, _ in page.attributes}
    assert not {"src", "srcset", "action", "background", "xlink:href"} & names
    assert not any(key.startswith("on") for key in names)
    targets = [value or "" for key, value in page.attributes if key == "href"]
    identities = {value for key, value in page.attributes if key == "id"}
    assert all(target[0] == "#" and target[1:] in identities for target in targets)
    assert not re.search(r"url\((?!#)|@import|https?:(?!//www\.w3\.org/2000/svg)", html)
    boards = [value for key, value in page.attributes if key == "class" and value == "tavla-board"]
    shown = analysis.worst(3)
    assert len(boards) == sum(1 if isinstance(decision, AnalyzedCube) else 2 for decision in shown)
    rows = sum(isinstance(decision, AnalyzedPlay) or decision.is_counted for decision in analysis.decisions)
    assert page.tags.count("tr") >= rows
    assert sum("net <1>" in data for data in page.text) == 1


def test_the_report_says_what_was_not_judged() -> None:
    racer = EvaluatorFake(get_ruleset("north-sultan"))
    analysis = analyze_match(one_game(Turn(0, "play", (3, 1), ((8, 5), (6, 5)))), racer)
    page = Page(match_html(analysis, critic="net", top=3))
    assert any("the board before it is not known" in data for data in page.text)
