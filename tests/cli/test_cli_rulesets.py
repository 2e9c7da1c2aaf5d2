"""`tavla rulesets`."""

from __future__ import annotations

import re

from command_line import fails, ok, ok_json

import tavla_ai
from tavla_ai.rules import match_set_names, ruleset_names


def test_rulesets_are_listed() -> None:
    out = ok("rulesets")
    assert all(name in out for name in (*ruleset_names(), *match_set_names()))
    data = ok_json("rulesets")
    assert [ruleset["name"] for ruleset in data["rulesets"]] == list(ruleset_names())
    assert [match_set["name"] for match_set in data["match_sets"]] == list(match_set_names())


def test_a_set_is_shown_in_full() -> None:
    out = ok("rulesets", "zar-greek")
    assert re.search(r"games +portes, plakoto-greek, fevga ", out)
    assert ok_json("rulesets", "zar-greek")["match_lengths"] == [3, 5, 7]


def test_a_ruleset_is_shown_in_full() -> None:
    out = ok("rulesets", "traditional")
    assert re.search(r"hit_and_run +no ", out)
    assert re.search(r"match_lengths +any ", out)
    assert re.search(r"setup +24: 2, 13: 5, 8: 3, 6: 5 ", out)
    assert tavla_ai.Ruleset.model_validate(ok_json("rulesets", "traditional")) == tavla_ai.get_ruleset("traditional")


def test_an_unknown_ruleset_lists_the_known() -> None:
    assert ", ".join(ruleset_names()) in fails("rulesets", "gammon")
