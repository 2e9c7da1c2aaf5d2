"""The presets: each house's game as a ruleset."""

from __future__ import annotations

from tavla_ai.errors import RulesetError
from tavla_ai.rules.rulesets import NUM_CHECKERS, Ruleset

_BACKGAMMON_SETUP = {24: 2, 13: 5, 8: 3, 6: 5}

_NORTH_SULTAN = Ruleset(
    name="north-sultan",
    title="Tavla (North Sultan)",
    family="opposed-hit",
    setup=_BACKGAMMON_SETUP,
    opening="use_dice",
    next_game="fresh",
    hit_and_run=True,
    bear_off_order="free",
    auto_pass_closed=False,
    scores=(2, 1, -1, -2),
    match_lengths=(1, 3, 5),
    default_match_length=3,
    stuck_limit=100,
)

_PLAKOTO = _NORTH_SULTAN.model_copy(
    update={
        "name": "plakoto",
        "title": "Plakoto (Zar Club, Macedonian and Bulgarian sets)",
        "family": "plakoto",
        "setup": {24: NUM_CHECKERS},
        "opening": "reroll",
        "next_game": "winner_rolls",
        "concession": "final",
        "scores": (2, 1, 0, -1, -2),
        "match_lengths": (3, 5, 7),
        "default_match_length": 5,
    }
)

_PRESETS = {
    ruleset.name: ruleset
    for ruleset in (
        _NORTH_SULTAN,
        _NORTH_SULTAN.model_copy(
            update={
                "name": "oyna-tavla",
                "title": "Tavla (oyna.app)",
                "opening": "reroll",
                "auto_pass_closed": True,
                "concession": "offered",
                "match_lengths": (1, 2, 3, 5),
                "default_match_length": 5,
            }
        ),
        _NORTH_SULTAN.model_copy(
            update={
                "name": "portes",
                "title": "Portes (Zar Club)",
                "opening": "reroll",
                "next_game": "winner_rolls",
                "concession": "final",
                "match_lengths": (3, 5, 7),
                "default_match_length": 5,
            }
        ),
        _NORTH_SULTAN.model_copy(
            update={
                "name": "traditional",
                "title": "Traditional tavla",
                "opening": "reroll",
                "hit_and_run": False,
                "bear_off_order": "larger_first",
                "concession": "final",
                "match_lengths": None,
                "default_match_length": 5,
            }
        ),
        _NORTH_SULTAN.model_copy(
            update={
                "name": "oyna-backgammon",
                "title": "Backgammon (oyna.app)",
                "cube": True,
                "crawford": True,
                "concession": "offered",
                "scores": (3, 2, 1, -1, -2, -3),
                "match_lengths": (1, 2, 3, 5),
                "default_match_length": 5,
            }
        ),
        _PLAKOTO,
        _PLAKOTO.model_copy(
            update={
                "name": "plakoto-greek",
                "title": "Plakoto (Zar Club, Greek set)",
                "pinned_blocks_bear_off": True,
            }
        ),
        _PLAKOTO.model_copy(
            update={"name": "fevga", "title": "Fevga (Zar Club)", "family": "fevga", "scores": (2, 1, -1, -2)}
        ),
        _PLAKOTO.model_copy(
            update={
                "name": "gul-bara",
                "title": "Gul Bara (Zar Club)",
                "family": "gul-bara",
                "scores": (2, 1, -1, -2),
                "cascade_from": 4,
            }
        ),
        _NORTH_SULTAN.model_copy(
            update={
                "name": "tawula",
                "title": "Tawula (Turkish backgammon)",
                "family": "tawula",
                "setup": {24: 2},
                "reserve": 13,
                "concession": "final",
                "scores": (7, 1, -1, -7),
                "match_lengths": (1,),
                "default_match_length": 1,
            }
        ),
    )
}


def ruleset_names() -> tuple[str, ...]:
    """Return the names of all presets, sorted."""
    return tuple(sorted(_PRESETS))


def get_ruleset(name: str) -> Ruleset:
    """Return the preset called `name`.

    Raises:
      RulesetError: no preset has that name; the message lists those that exist.
    """
    try:
        return _PRESETS[name]
    except KeyError:
        raise RulesetError(f"unknown ruleset {name!r}; expected one of {', '.join(ruleset_names())}") from None
