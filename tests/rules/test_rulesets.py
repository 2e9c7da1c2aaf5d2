"""Rulesets and sets as data: what the presets say, and what no ruleset may say."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tavla_ai.errors import RulesetError
from tavla_ai.rules import MatchSet, Ruleset, compile_rules, get_match_set, get_ruleset, match_set_names, ruleset_names

ZAR = ("portes", "gul-bara", "plakoto", "plakoto-greek", "fevga")


@pytest.mark.parametrize("name", ruleset_names())
def test_the_engine_has_the_same_places(name: str) -> None:
    ruleset = get_ruleset(name)
    rules = compile_rules(ruleset)
    assert rules.num_places == ruleset.num_places
    assert rules.start()[:, : ruleset.num_checker_places].sum(axis=1).tolist() == [15, 15]
    assert rules.start()[:, ruleset.num_checker_places :].sum() == 0


@pytest.mark.parametrize("name", ruleset_names())
def test_points_face_each_other_both_ways(name: str) -> None:
    ruleset = get_ruleset(name)
    assert [ruleset.facing(ruleset.facing(point)) for point in range(1, 25)] == list(range(1, 25))
    # His start is my 1 in an opposed game, my 12 in a parallel one; his home my 24 to 19, or 18 to 13.
    assert ruleset.facing(24) == (12 if ruleset.is_parallel else 1)
    home = [ruleset.facing(point) for point in range(1, 7)]
    assert home == (list(range(13, 19)) if ruleset.is_parallel else list(range(24, 18, -1)))


def test_every_set_is_played_round_and_round() -> None:
    greek = get_match_set("zar-greek")
    assert [greek.ruleset_of(game).name for game in range(5)] == [
        "portes",
        "plakoto-greek",
        "fevga",
        "portes",
        "plakoto-greek",
    ]
    with pytest.raises(RulesetError, match="game -1 of zar-greek"):
        greek.ruleset_of(-1)
    assert get_match_set("zar-turkish").games == ("portes",)
    for name in ("zar-macedonian", "zar-bulgarian"):
        assert get_match_set(name).games == ("portes", "gul-bara", "plakoto")


@pytest.mark.parametrize("name", match_set_names())
def test_sets_and_their_games_agree_on_lengths_and_starts(name: str) -> None:
    match_set = get_match_set(name)
    assert (match_set.match_lengths, match_set.default_match_length) == ((3, 5, 7), 5)
    for game in match_set.games:
        ruleset = get_ruleset(game)
        assert (ruleset.match_lengths, ruleset.default_match_length) == ((3, 5, 7), 5)
        # The winner rolls on; after a drawn game the opening roll is fresh, which the engine sees to.
        assert (ruleset.opening, ruleset.next_game) == ("reroll", "winner_rolls")
    assert set(match_set.games) <= set(ZAR)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(RulesetError, match="unknown set 'greek'; expected one of zar-bulgarian, zar-greek"):
        get_match_set("greek")
    with pytest.raises(RulesetError, match="unknown ruleset 'chess'; expected one of fevga, gul-bara"):
        get_ruleset("chess")


def test_a_set_has_games() -> None:
    with pytest.raises(ValidationError, match="games"):
        MatchSet(name="none", title="None", games=(), match_lengths=(3,), default_match_length=3)


@pytest.mark.parametrize("name", ruleset_names())
def test_lengths_the_house_does_not_offer(name: str) -> None:
    ruleset = get_ruleset(name)
    for length in ruleset.match_lengths or (1, 40):
        ruleset.check_match_length(length)
    ruleset.check_match_length(ruleset.default_match_length)
    with pytest.raises(RulesetError, match="match length"):
        ruleset.check_match_length(0)


def test_only_the_same_positions_are_worth_the_same() -> None:
    alike = [
        {other for other in ruleset_names() if get_ruleset(name).plays_like(get_ruleset(other))}
        for name in ruleset_names()
    ]
    assert {frozenset(names) for names in alike} == {
        frozenset({"north-sultan", "oyna-tavla", "portes"}),
        *(frozenset({name}) for name in ruleset_names() if name not in ("north-sultan", "oyna-tavla", "portes")),
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setup": {24: 14}}, "setup places 14 checkers"),
        ({"setup": {24: 2}, "reserve": 12}, "setup places 14 checkers"),
        ({"scores": (1, 2, -2, -1)}, "not in falling order"),
        ({"scores": (2, 1, -1)}, "not symmetric"),
        ({"family": "chess"}, "family"),
        ({"concession": "maybe"}, "concession"),
        ({"rules": 1}, "rules"),
    ],
)
def test_what_makes_no_game_is_refused(changes: dict[str, Any], message: str) -> None:
    data = get_ruleset("north-sultan").model_dump()
    with pytest.raises(ValidationError, match=message):
        Ruleset.model_validate(data | changes)
