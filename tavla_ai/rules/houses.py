"""The rulesets of the houses.

A ruleset joins the rules of a game and the rules of a house: `**_TAVLA, **_ZAR` is tavla at Zar Club.
"""

from __future__ import annotations

from typing import Any

from tavla_ai.errors import RulesetError
from tavla_ai.rules.rulesets import NUM_CHECKERS, Ruleset

# Games.
_TAVLA: dict[str, Any] = {"family": "opposed-hit", "setup": {24: 2, 13: 5, 8: 3, 6: 5}, "scores": (2, 1, -1, -2)}
_PLAKOTO: dict[str, Any] = {"family": "plakoto", "setup": {24: NUM_CHECKERS}, "scores": (2, 1, 0, -1, -2)}

# Houses.
_OYNA: dict[str, Any] = {"concession": "offered", "match_lengths": (1, 2, 3, 5), "default_match_length": 5}
_ZAR: dict[str, Any] = {
    "opening": "reroll",
    "next_game": "winner_rolls",
    "concession": "final",
    "match_lengths": (3, 5, 7),
    "default_match_length": 5,
}

_NORTH_SULTAN = (
    Ruleset(
        name="north-sultan",
        title="Tavla (North Sultan)",
        **_TAVLA,
        opening="use_dice",
        next_game="fresh",
        match_lengths=(1, 3, 5),
        default_match_length=3,
    ),
)

_OYNA_APP = (
    Ruleset(
        name="oyna-tavla",
        title="Tavla (oyna.app)",
        **_TAVLA,
        **_OYNA,
        opening="reroll",
        next_game="fresh",
        auto_pass_closed=True,
    ),
    Ruleset(
        name="oyna-backgammon",
        title="Backgammon (oyna.app)",
        **_TAVLA | {"scores": (3, 2, 1, -1, -2, -3)},
        **_OYNA,
        opening="use_dice",
        next_game="fresh",
        cube=True,
        crawford=True,
    ),
)

_ZAR_CLUB = (
    Ruleset(name="portes", title="Portes (Zar Club)", **_TAVLA, **_ZAR),
    Ruleset(name="plakoto", title="Plakoto (Zar Club, Macedonian and Bulgarian sets)", **_PLAKOTO, **_ZAR),
    Ruleset(
        name="plakoto-greek",
        title="Plakoto (Zar Club, Greek set)",
        **_PLAKOTO,
        **_ZAR,
        pinned_blocks_bear_off=True,
    ),
    Ruleset(
        name="fevga",
        title="Fevga (Zar Club)",
        family="fevga",
        setup={24: NUM_CHECKERS},
        scores=(2, 1, -1, -2),
        **_ZAR,
    ),
    Ruleset(
        name="gul-bara",
        title="Gul Bara (Zar Club)",
        family="gul-bara",
        setup={24: NUM_CHECKERS},
        cascade_from=4,
        scores=(2, 1, -1, -2),
        **_ZAR,
    ),
)

# Games of no particular house.
_ANYWHERE = (
    Ruleset(
        name="traditional",
        title="Traditional tavla",
        **_TAVLA,
        opening="reroll",
        next_game="fresh",
        hit_and_run=False,
        bear_off_order="larger_first",
        concession="final",
        match_lengths=None,
        default_match_length=5,
    ),
    Ruleset(
        name="tawula",
        title="Tawula (Turkish backgammon)",
        family="tawula",
        setup={24: 2},
        reserve=13,
        scores=(7, 1, -1, -7),
        opening="use_dice",
        next_game="fresh",
        concession="final",
        match_lengths=(1,),
        default_match_length=1,
    ),
)

# The game that is played if none is named.
DEFAULT_RULESET = "north-sultan"

_PRESETS = {ruleset.name: ruleset for ruleset in (*_NORTH_SULTAN, *_OYNA_APP, *_ZAR_CLUB, *_ANYWHERE)}


def ruleset_names() -> tuple[str, ...]:
    """Return the names of all rulesets, sorted."""
    return tuple(sorted(_PRESETS))


def get_ruleset(name: str) -> Ruleset:
    """Return the ruleset of a name.

    Raises:
      RulesetError: no ruleset has this name; the message lists those that exist.
    """
    try:
        return _PRESETS[name]
    except KeyError:
        raise RulesetError(f"unknown ruleset {name!r}; expected one of {', '.join(ruleset_names())}") from None
