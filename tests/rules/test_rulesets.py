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
    # The opponent starts on my 1 in an opposed game, on my 12 in a parallel one; the home is my 24 to 19, or 18 to 13.
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
    with pytest.raises(ValidationError, match="games: unknown ruleset 'chess'; expected some of fevga, gul-bara"):
        MatchSet(name="odd", title="Odd", games=("portes", "chess"), match_lengths=(3,), default_match_length=3)


def test_a_set_offers_its_default_length() -> None:
    with pytest.raises(ValidationError, match="default_match_length 5: expected one of 3, 7"):
        MatchSet(name="odd", title="Odd", games=("portes",), match_lengths=(3, 7), default_match_length=5)


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


# A value of each field that differs from every preset's, whether or not a house could have it.
OTHER_VALUES: dict[str, Any] = {
    "name": "other",
    "title": "Other",
    "family": "other",
    "setup": {13: 15},
    "reserve": 1,
    "opening": "other",
    "next_game": "other",
    "hit_and_run": None,
    "bear_off_order": "other",
    "pinned_blocks_bear_off": None,
    "leave_a_move": None,
    "cascade_from": 9,
    "cube": None,
    "cube_limit": 3,
    "crawford": None,
    "concession": "other",
    "auto_pass_closed": None,
    "scores": (9, -9),
    "match_lengths": (9,),
    "default_match_length": 9,
    "stuck_limit": 9,
}
CHANGES_NO_WORTH = {
    *("name", "title", "setup", "reserve", "opening", "next_game", "concession", "auto_pass_closed"),
    *("cube", "cube_limit", "crawford", "match_lengths", "default_match_length"),
}


@pytest.mark.parametrize("name", ruleset_names())
@pytest.mark.parametrize("field", Ruleset.model_fields)
def test_a_ruleset_with_another_field_does_not_play_like_it(name: str, field: str) -> None:
    """A field that is added and forgotten here, or in `plays_like`, is refused rather than served."""
    ruleset = get_ruleset(name)
    other = ruleset.model_copy(update={field: OTHER_VALUES.get(field, "other")})
    assert getattr(other, field) != getattr(ruleset, field)
    assert ruleset.plays_like(other) == other.plays_like(ruleset) == (field in CHANGES_NO_WORTH)


def test_western_movement_is_that_of_backgammon() -> None:
    western = {name for name in ruleset_names() if get_ruleset(name).has_western_movement}
    assert western == {"north-sultan", "oyna-tavla", "oyna-backgammon", "portes"}
    for field, value in (("hit_and_run", False), ("bear_off_order", "larger_first")):
        ruleset = Ruleset.model_validate(get_ruleset("north-sultan").model_dump() | {field: value})
        assert ruleset.moves_as_backgammon
        assert not ruleset.has_western_movement


def test_a_turn_of_several_rolls_is_refused_in_the_same_words() -> None:
    for name in ruleset_names():
        if name != "gul-bara":
            get_ruleset(name).check_has_no_stages("search")
    with pytest.raises(RulesetError, match=r"^search: not in gul-bara, where a turn is more than one roll$"):
        get_ruleset("gul-bara").check_has_no_stages("search")


@pytest.mark.parametrize("name", ruleset_names())
def test_presets_are_what_a_ruleset_may_be(name: str) -> None:
    ruleset = get_ruleset(name)
    copy = Ruleset.model_validate(ruleset.model_dump(mode="json"))
    assert copy == ruleset
    assert hash(copy) == hash(ruleset)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("plakoto", {"scores": (2, 1, -1, -2)}, r"expected \(2, 1, 0, -1, -2\) in the family plakoto"),
        ("plakoto", {"hit_and_run": False}, "hit_and_run False: expected True in the family plakoto"),
        ("fevga", {"bear_off_order": "larger_first"}, "bear_off_order 'larger_first': expected 'free'"),
        ("fevga", {"auto_pass_closed": True}, "auto_pass_closed True: expected False in the family fevga"),
        ("fevga", {"setup": {24: 8, 12: 7}}, "setup places checkers of both sides on point 24"),
        ("gul-bara", {"setup": {24: 14}, "reserve": 1}, "reserve 1: expected 0 in the family gul-bara"),
        ("tawula", {"scores": (2, 1, -1, -2)}, r"expected \(7, 1, -1, -7\) in the family tawula"),
    ],
)
def test_what_a_family_cannot_have_is_refused(name: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Ruleset.model_validate(get_ruleset(name).model_dump() | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"setup": {24: 14}}, "setup places 14 checkers"),
        ({"setup": {24: 2}, "reserve": 12}, "setup places 14 checkers"),
        ({"setup": {13: 7, 12: 8}}, "setup places checkers of both sides on point 13"),
        ({"scores": (1, 2, -2, -1)}, r"scores \(1, 2, -2, -1\): expected \(2, 1, -1, -2\) or \(3, 2, 1, -1, -2, -3\)"),
        ({"scores": (2, 1, -1)}, r"scores \(2, 1, -1\): expected"),
        ({"scores": (2, 1, 0, -1, -2)}, "in the family opposed-hit"),
        ({"scores": (3, 2, 1, -1, -2, -3), "hit_and_run": False}, "three-point games are of western movement only"),
        ({"scores": (3, 2, 1, -1, -2, -3), "bear_off_order": "larger_first"}, "three-point games"),
        ({"match_lengths": (1, 5)}, "default_match_length 3: expected one of 1, 5"),
        ({"match_lengths": (0, 3)}, "match_lengths 0, 3: expected at least 1 point"),
        ({"match_lengths": ()}, "default_match_length 3: expected one of"),
        ({"setup": {24: 2}, "reserve": 13}, "reserve 13: expected 0 in the family opposed-hit"),
        ({"pinned_blocks_bear_off": True}, "pinned_blocks_bear_off True: expected False in the family opposed-hit"),
        ({"leave_a_move": False}, "leave_a_move False: expected True in the family opposed-hit"),
        ({"cascade_from": 4}, "cascade_from 4: expected None in the family opposed-hit"),
        ({"family": "chess"}, "family"),
        ({"concession": "maybe"}, "concession"),
        ({"rules": 1}, "rules"),
    ],
)
def test_what_makes_no_game_is_refused(changes: dict[str, Any], message: str) -> None:
    data = get_ruleset("north-sultan").model_dump()
    with pytest.raises(ValidationError, match=message):
        Ruleset.model_validate(data | changes)
