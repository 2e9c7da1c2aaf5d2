"""Rulesets: every game this product plays, as data.

A ruleset says how a house plays; the engine compiles one generator per family and reads the rest from here.
What differs between two presets is readable in this file alone.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tavla_ai.errors import RulesetError

NUM_CHECKERS = 15
OFF = 0
BAR = 25
# Places that every game has.
NUM_PLACES = 26
# Places that some games add to a side's row of counts.
RESERVE = 26  # tawula: checkers still to enter
OWN_ROLLS = 26  # gul-bara: own rolls so far, at most MAX_OWN_ROLLS
PINNED = 25  # plakoto: PINNED + p is 1 where the owner's checker on point p is pinned
MAX_OWN_ROLLS = 3

Family = Literal["opposed-hit", "plakoto", "fevga", "gul-bara", "tawula"]
Opening = Literal["use_dice", "reroll"]
NextGame = Literal["fresh", "winner_rolls"]
BearOffOrder = Literal["free", "larger_first"]
Concession = Literal["none", "offered", "final"]


class Ruleset(BaseModel):
    """One game as one house plays it.

    Points are numbered 24 → 1 in the owner's own direction of play; 0 is borne off and 25 the bar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="preset name, as used on the command line and in checkpoints")
    title: str = Field(description="the game's name at its house")
    family: Family = Field(
        description="how checkers meet. `opposed-hit`: the opponent's point q is my 25 − q, a lone checker is hit, "
        "two hold a point; `plakoto`: opposed, a lone checker is pinned; `fevga`, `gul-bara`: both sides go the same "
        "way round, one checker holds a point; `tawula`: the same way round, hitting, with a reserve to enter"
    )
    setup: dict[Annotated[int, Field(ge=1, le=24)], Annotated[int, Field(ge=1, le=NUM_CHECKERS)]] = Field(
        description="start position of each side: own point → checkers"
    )
    reserve: int = Field(default=0, ge=0, le=NUM_CHECKERS, description="checkers that still have to enter")
    opening: Opening = Field(
        description="the winner of the opening roll plays those dice (`use_dice`) or rolls both afresh (`reroll`)"
    )
    next_game: NextGame = Field(
        description="later games of a match start with a fresh opening roll, or the previous winner rolls; "
        "after a drawn or void game the opening roll is fresh in either case"
    )
    hit_and_run: bool = Field(
        description="whether a checker that hits in its own home board may move on in the same turn"
    )
    bear_off_order: BearOffOrder = Field(
        description="`larger_first`: with all men home the larger die is played first, so that no pip is wasted"
    )
    pinned_blocks_bear_off: bool = Field(
        default=False, description="plakoto: an own pinned checker forbids bearing off, even at home"
    )
    leave_a_move: bool = Field(
        default=True, description="fevga: plays that leave the opponent a legal step are preferred to all others"
    )
    cascade_from: int | None = Field(
        default=None, ge=1, description="gul-bara: own roll from which a double is followed by all higher ones"
    )
    cube: bool = Field(default=False, description="whether the stakes can be doubled with a cube")
    cube_limit: int = Field(default=64, ge=1, description="highest value of the cube")
    crawford: bool = Field(
        default=False, description="no doubling in the first game after a side has come within a point of the match"
    )
    concession: Concession = Field(
        default="none",
        description="whether a game can be conceded: `offered`, the opponent may refuse; `final`, it ends the game; "
        "`none`, whoever leaves loses the match",
    )
    auto_pass_closed: bool = Field(
        description="a player on the bar against six closed points passes without rolling; plays are the same"
    )
    scores: tuple[int, ...] = Field(description="possible scores of a game for one side, best first")
    match_lengths: tuple[int, ...] | None = Field(
        description="match lengths the house offers, in points; null means any"
    )
    default_match_length: int = Field(ge=1, description="match length used when none is asked for, in points")
    stuck_limit: int = Field(
        ge=2, description="rolls in a row without a move after which the game is void and scores nothing"
    )

    @model_validator(mode="after")
    def _check(self) -> Ruleset:
        placed = sum(self.setup.values()) + self.reserve
        if placed != NUM_CHECKERS:
            raise ValueError(f"setup places {placed} checkers, expected {NUM_CHECKERS}")
        if tuple(sorted(self.scores, reverse=True)) != self.scores:
            raise ValueError(f"scores {self.scores} are not in falling order")
        if tuple(-s for s in reversed(self.scores)) != self.scores:
            raise ValueError(f"scores {self.scores} are not symmetric about 0")
        return self

    @property
    def num_places(self) -> int:
        """Length of a side's row of counts: 26, and what the family adds for pins, rolls or a reserve."""
        return {"plakoto": 50, "gul-bara": 27, "tawula": 27}.get(self.family, NUM_PLACES)

    @property
    def num_checker_places(self) -> int:
        """How many places, from the first, hold checkers; the others count pins or rolls."""
        return RESERVE + 1 if self.family == "tawula" else NUM_PLACES

    @property
    def is_parallel(self) -> bool:
        """Whether both sides go the same way round."""
        return self.family in ("fevga", "gul-bara", "tawula")

    @property
    def has_bar(self) -> bool:
        """Whether checkers are hit, and enter again from the bar."""
        return self.family in ("opposed-hit", "tawula")

    def facing(self, point: int) -> int:
        """Return the opponent's own number of my `point`, and as well mine of his."""
        return (point + 11) % 24 + 1 if self.is_parallel else BAR - point

    def plays_like(self, other: Ruleset) -> bool:
        """Return whether every position is worth the same here as in `other`.

        Openings, match lengths and who starts the next game may differ; a network trained for one then
        plays the other.
        """
        return all(
            getattr(self, field) == getattr(other, field)
            for field in (
                "family",
                "hit_and_run",
                "bear_off_order",
                "pinned_blocks_bear_off",
                "leave_a_move",
                "cascade_from",
                "scores",
            )
        )

    def check_match_length(self, length: int) -> None:
        """Raise `RulesetError` unless the house offers matches to `length` points."""
        if length < 1:
            raise RulesetError(f"match length {length}: expected at least 1 point")
        if self.match_lengths is not None and length not in self.match_lengths:
            offered = ", ".join(map(str, self.match_lengths))
            raise RulesetError(f"match length {length}: {self.name} is played to {offered}")


class MatchSet(BaseModel):
    """A match over several games that are played in turn, round and round, for one running score.

    Who starts a game is that game's ruleset's to say, as in any match.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the set")
    title: str = Field(description="the set's name at its house")
    games: tuple[str, ...] = Field(min_length=1, description="names of the rulesets, in the order played")
    match_lengths: tuple[int, ...] = Field(description="match lengths the house offers, in points")
    default_match_length: int = Field(ge=1, description="match length used when none is asked for, in points")

    def ruleset_of(self, game: int) -> Ruleset:
        """Return the ruleset of a game of the match, counted from 0."""
        if game < 0:
            raise RulesetError(f"game {game} of {self.name}: expected 0 or more")
        return get_ruleset(self.games[game % len(self.games)])


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


_MATCH_SETS = {
    match_set.name: match_set
    for match_set in (
        MatchSet(name=name, title=title, games=games, match_lengths=(3, 5, 7), default_match_length=5)
        for name, title, games in (
            ("zar-turkish", "Turkish set (Zar Club)", ("portes",)),
            ("zar-greek", "Greek set (Zar Club)", ("portes", "plakoto-greek", "fevga")),
            ("zar-macedonian", "Macedonian set (Zar Club)", ("portes", "gul-bara", "plakoto")),
            ("zar-bulgarian", "Bulgarian set (Zar Club)", ("portes", "gul-bara", "plakoto")),
        )
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


def match_set_names() -> tuple[str, ...]:
    """Return the names of all sets of games, sorted."""
    return tuple(sorted(_MATCH_SETS))


def get_match_set(name: str) -> MatchSet:
    """Return the set of games called `name`.

    Raises:
      RulesetError: no set has that name; the message lists those that exist.
    """
    try:
        return _MATCH_SETS[name]
    except KeyError:
        raise RulesetError(f"unknown set {name!r}; expected one of {', '.join(match_set_names())}") from None


def get_game(name: str) -> Ruleset | MatchSet:
    """Return the game or the set of games called `name`.

    Raises:
      RulesetError: neither has that name.
    """
    return get_match_set(name) if name in _MATCH_SETS else get_ruleset(name)


def games_of(game: Ruleset | MatchSet) -> tuple[Ruleset, ...]:
    """Return the games that are played in turn: one, or those of a set."""
    return (game,) if isinstance(game, Ruleset) else tuple(get_ruleset(name) for name in game.games)


def scores_of(game: Ruleset | MatchSet) -> tuple[int, ...]:
    """Return all scores that a game, or any game of a set, can have, best first."""
    return tuple(sorted({score for ruleset in games_of(game) for score in ruleset.scores}, reverse=True))


def check_match_length(game: Ruleset | MatchSet, length: int) -> None:
    """Raise `RulesetError` if the house does not offer matches of that length."""
    if isinstance(game, Ruleset):
        game.check_match_length(length)
    elif length not in game.match_lengths:
        raise RulesetError(f"match length {length}: {game.name} is played to {', '.join(map(str, game.match_lengths))}")
