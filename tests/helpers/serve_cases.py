"""Positions, requests and lines with which the doors for other programs are tested."""

from __future__ import annotations

import json
import re
from pathlib import Path

from evaluator_fake import EvaluatorFake
from hypothesis import strategies as st

from tavla_ai.formats import FibsBoard
from tavla_ai.match import MatchState
from tavla_ai.rules import Position, get_ruleset, legal_plays
from tavla_ai.serve.player import play_text

ROOT = Path(__file__).parents[2]
CAPTURES = json.loads((ROOT / "tests/data/gnubg-captures.json").read_text())["fibs"]

TAVLA = get_ruleset("north-sultan")
BACKGAMMON = get_ruleset("oyna-backgammon")
START = Position.start(TAVLA)
ON_THE_BAR = Position.from_sides({6: 4, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}, {6: 3, 5: 2, 4: 2, 3: 2, 2: 2, 1: 4}, bar=(1, 0))
WON_RACE = Position.from_sides({6: 3, 5: 2}, {6: 5, 5: 5, 4: 3, 3: 2})
# On roll, 2 checkers off the ace and the opponent with all of theirs: a sure mars.
SURE_MARS = Position.from_sides({1: 2}, {6: 15})
# A double in five saves the side on roll; else it has lost a point.
NEARLY_LOST = Position.from_sides({6: 3, 5: 2}, {1: 1})


# For what does not depend on the values: of plays in an even race the first is made.
RACER = EvaluatorFake(TAVLA)
RACER_WITH_CUBE = EvaluatorFake(BACKGAMMON)
FIRST_PLAY = play_text(legal_plays(TAVLA, START, (3, 1))[0].steps)


def board(position: Position = START, match: MatchState = MatchState(), **fields: object) -> str:
    """Write a request as GNU Backgammon does, seen by the side that has to act."""
    return FibsBoard(position, match, **fields).to_text(for_gnubg=True)  # type: ignore[arg-type]


VOCABULARY = """
ubgi isready newgame newsession type match money length crawford on off set get keys setoption name value position
gnubgid xgid dice setscore setcube owner center p0 p1 setturn go role chequer cube turn movetime stop evaluation
fibsboard cubeful resignation noise debug version help 0 1 2 3 6 9 64 -1 4HPwATDgc/ABMA
XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:5:10
"""
WORDS = st.sampled_from(VOCABULARY.split() + [capture[form] for capture in CAPTURES for form in ("board", "gnubg_id")])
# Deep searches are tested elsewhere.
LINES = (st.lists(WORDS, max_size=7).map(" ".join) | st.text(max_size=80)).filter(
    lambda line: not re.search(r"(engine\.ply|depth|plies|threads|time)", line, re.IGNORECASE)
)


@st.composite
def changed_boards(draw: st.DrawFn) -> str:
    """Draw a request of GNU Backgammon with some fields changed."""
    tokens = draw(st.sampled_from(CAPTURES))["board"].split(":")
    for _ in range(draw(st.integers(1, 4))):
        tokens[draw(st.integers(0, len(tokens) - 1))] = str(draw(st.integers(-3, 9) | st.integers()))
    return ":".join(tokens)
