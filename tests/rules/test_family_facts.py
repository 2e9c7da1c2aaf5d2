"""Families as data: the facts of a row agree with each other, and nobody else asks for a family by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import tavla_ai
from tavla_ai.rules import Family, Ruleset, get_ruleset, ruleset_names
from tavla_ai.rules.families import FAMILIES

ROOT = Path(tavla_ai.__file__).parent.parent


def test_every_family_has_facts_and_a_game() -> None:
    assert tuple(FAMILIES) == get_args(Family)
    assert {get_ruleset(name).family for name in ruleset_names()} == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_fall_and_are_symmetric(family: Family) -> None:
    for scores in FAMILIES[family].scores:
        assert sorted(scores, reverse=True) == list(scores)
        assert [-score for score in reversed(scores)] == list(scores)


@pytest.mark.parametrize("family", FAMILIES)
def test_house_rules_are_fields_that_other_families_leave_alone(family: Family) -> None:
    for field in FAMILIES[family].house_rules:
        assert not Ruleset.model_fields[field].is_required()


def test_only_the_rules_ask_for_a_family_by_name() -> None:
    names = "|".join(map(re.escape, FAMILIES))
    asked = re.compile(rf"\.family\b|[\"']({names})[\"']")
    sources = [*(ROOT / "tavla_ai").rglob("*.py"), *(ROOT / "train").rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources
        if "rules" not in path.relative_to(ROOT).parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if asked.search(line)
    ]
    assert sources
    assert found == []
