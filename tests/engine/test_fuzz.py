"""Whatever text or bytes come in, the parsers answer or refuse in one line; nothing else is raised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavla_ai import engine
from tavla_ai.errors import TavlaError
from tavla_ai.rules import Position, compile_rules, get_ruleset, parse_dice, parse_play, ruleset_names

near_ids = st.text("4HPwATDgc/ABMA+=-_ \u0131", min_size=10, max_size=16)
near_texts = st.text("0123456789: /,-baroffrespinrolls", max_size=60)
near_plays = st.text("0123456789/*() baroff", max_size=30)


def refuses_or_answers(parse: Callable[[str], object], text: str) -> None:
    message = ""
    try:
        parse(text)
    except TavlaError as error:
        message = str(error)
    assert "\n" not in message


@given(text=st.one_of(st.text(max_size=40), near_ids))
def test_position_ids(text: str) -> None:
    refuses_or_answers(Position.from_id, text)


@pytest.mark.parametrize("preset", ruleset_names())
@given(text=st.one_of(st.text(max_size=40), near_texts))
def test_position_texts(preset: str, text: str) -> None:
    ruleset = get_ruleset(preset)
    refuses_or_answers(lambda text: Position.from_text(text, ruleset), text)


@given(text=st.one_of(st.text(max_size=30), near_plays))
def test_plays_and_dice(text: str) -> None:
    refuses_or_answers(parse_play, text)
    refuses_or_answers(parse_dice, text)


@pytest.mark.parametrize("preset", ruleset_names())
@given(data=st.data())
def test_the_engine_takes_any_board_or_refuses_it(preset: str, data: st.DataObject) -> None:
    rules = compile_rules(get_ruleset(preset))
    counts = st.lists(
        st.integers(-128, 127) | st.integers(0, 15), min_size=2 * rules.num_places, max_size=2 * rules.num_places
    )
    board = np.array(data.draw(counts), np.int8).reshape(2, rules.num_places)
    for first, second in ((3, 1), (6, 6)):
        refuses_or_answers(lambda _: engine.legal_plays(rules, board, first, second), "")  # noqa: B023
