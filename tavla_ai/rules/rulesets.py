"""Rulesets: the rules of a game at one house, as data.

The engine compiles one generator per family of games and reads the rest from a ruleset. `families` has the facts that
no house changes; `houses` has the rulesets of the houses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tavla_ai.errors import RulesetError
from tavla_ai.rules.families import FAMILIES, Family, FamilyFacts

NUM_CHECKERS = 15
OFF = 0
BAR = 25
# Places of every game.
NUM_PLACES = 26
# Places that some games add to a side's row of counts.
RESERVE = 26  # tawula: checkers still to enter
OWN_ROLLS = 26  # gul-bara: own rolls so far, at most MAX_OWN_ROLLS
PINNED = 25  # plakoto: PINNED + p is 1 where the owner's checker on point p is pinned
MAX_OWN_ROLLS = 3

Opening = Literal["use_dice", "reroll"]
NextGame = Literal["fresh", "winner_rolls"]
BearOffOrder = Literal["free", "larger_first"]
Concession = Literal["none", "offered", "final"]

# Fields that do not change what a position is worth: names, the start and the course of games and matches, and
# decisions that use a position's value.
_WORTH_NOTHING = frozenset(
    {
        "name",
        "title",
        "setup",
        "reserve",
        "opening",
        "next_game",
        "cube",
        "cube_limit",
        "crawford",
        "concession",
        "auto_pass_closed",
        "match_lengths",
        "default_match_length",
    }
)


class Ruleset(BaseModel):
    """The rules of a game at one house.

    Points are numbered 24 → 1 in the owner's own direction of play; 0 is borne off and 25 the bar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the ruleset, as used on the command line and in checkpoints")
    title: str = Field(description="name of the game at its house")
    family: Family = Field(
        description="how checkers meet. `opposed-hit`: the opponent's point q is my 25 − q, a lone checker is hit, "
        "two hold a point; `plakoto`: opposed, a lone checker is pinned; `fevga`, `gul-bara`: both sides go the same "
        "way round, one checker holds a point; `tawula`: the same way round, hitting, with a reserve to enter"
    )
    setup: dict[Annotated[int, Field(ge=1, le=24)], Annotated[int, Field(ge=1, le=NUM_CHECKERS)]] = Field(
        description="start position of each side: own point → checkers"
    )
    reserve: int = Field(
        default=0, ge=0, le=NUM_CHECKERS, description="number of checkers that start in reserve and have to enter"
    )
    opening: Opening = Field(
        description="whether the winner of the opening roll plays those dice (`use_dice`) or rolls again (`reroll`)"
    )
    next_game: NextGame = Field(
        description="later games of a match start with a fresh opening roll, or the previous winner rolls; "
        "after a drawn or void game the opening roll is fresh in either case"
    )
    hit_and_run: bool = Field(
        default=True, description="whether a checker that hits in its own home may move on in the same turn"
    )
    bear_off_order: BearOffOrder = Field(
        default="free",
        description="`larger_first`: with all men home the larger die is played first, so that no pip is wasted",
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
        default=False,
        description="whether nobody may double in the first game after a side has come within a point of the match",
    )
    concession: Concession = Field(
        default="none",
        description="whether a game can be conceded: `offered`, the opponent may refuse; `final`, it ends the game; "
        "`none`, a player who leaves loses the match",
    )
    auto_pass_closed: bool = Field(
        default=False,
        description="whether a player on the bar against six closed points passes without rolling; the legal plays are "
        "the same",
    )
    scores: tuple[int, ...] = Field(description="possible scores of a game for one side, in points, best first")
    match_lengths: tuple[int, ...] | None = Field(
        description="match lengths that the house offers, in points; null means any"
    )
    default_match_length: int = Field(ge=1, description="default match length, in points")
    stuck_limit: int = Field(
        default=100,
        ge=2,
        description="number of rolls in a row without a move after which the game is void and scores nothing",
    )

    @model_validator(mode="after")
    def _check(self) -> Ruleset:
        self._check_setup()
        self._check_house_rules()
        self._check_scores()
        if self.match_lengths is not None:
            check_default_length(self.match_lengths, self.default_match_length)
        return self

    def _check_setup(self) -> None:
        placed = sum(self.setup.values()) + self.reserve
        if placed != NUM_CHECKERS:
            raise ValueError(f"setup places {placed} checkers, expected {NUM_CHECKERS}")
        for point in self.setup:
            if self.facing(point) in self.setup:
                raise ValueError(f"setup places checkers of both sides on point {point}")

    def _check_house_rules(self) -> None:
        """Refuse values that the family's generator does not read."""
        every = frozenset[str]().union(*(facts.house_rules for facts in FAMILIES.values()))
        for field in sorted(every - self.facts.house_rules):
            default = type(self).model_fields[field].default
            if getattr(self, field) != default:
                raise ValueError(f"{field} {getattr(self, field)!r}: expected {default!r} in the family {self.family}")

    def _check_scores(self) -> None:
        if self.scores not in self.facts.scores:
            expected = " or ".join(map(str, self.facts.scores))
            raise ValueError(f"scores {self.scores}: expected {expected} in the family {self.family}")
        if self.scores[0] == 3 and not self.has_western_movement:
            raise ValueError(f"scores {self.scores}: three-point games are of western movement only")

    @property
    def facts(self) -> FamilyFacts:
        """Facts of every game of the family."""
        return FAMILIES[self.family]

    @property
    def num_places(self) -> int:
        """Length of a side's row of counts: 26, plus the family's places for pins, rolls or a reserve."""
        return NUM_PLACES + self.facts.num_more_places

    @property
    def num_checker_places(self) -> int:
        """Number of places, from the first, that hold checkers; the others count pins or rolls."""
        return RESERVE + 1 if self.facts.has_reserve else NUM_PLACES

    @property
    def is_parallel(self) -> bool:
        """Whether both sides move in the same direction round the board."""
        return self.facts.is_parallel

    @property
    def has_bar(self) -> bool:
        """Whether checkers are hit and enter again from the bar."""
        return self.facts.lone_checker == "is hit"

    @property
    def has_pins(self) -> bool:
        """Whether a lone checker is pinned under an opposing one."""
        return self.facts.lone_checker == "is pinned"

    @property
    def has_reserve(self) -> bool:
        """Whether checkers enter from a reserve, which has its own place."""
        return self.facts.has_reserve

    @property
    def has_stages(self) -> bool:
        """Whether a turn may have several stages, as in Gul Bara, where higher doubles follow a double."""
        return self.facts.has_stages

    @property
    def moves_as_backgammon(self) -> bool:
        """Whether the sides move in opposite directions and hit, so that boards are those of backgammon."""
        return self.has_bar and not self.is_parallel

    @property
    def has_western_movement(self) -> bool:
        """Whether every roll has the plays of western backgammon: its boards, hit and run, and free bear-off order."""
        return self.moves_as_backgammon and self.hit_and_run and self.bear_off_order == "free"

    @property
    def mars_share(self) -> float:
        """Share of wins by more than the smallest score, between strong and equal players."""
        return self.facts.mars_share

    def check_has_no_stages(self, what: str) -> None:
        """Raise `RulesetError` if a turn may have several stages, which `what` does not support."""
        if self.has_stages:
            raise RulesetError(f"{what}: not in {self.name}, where a turn is more than one roll")

    def __hash__(self) -> int:
        return hash(self.name)

    def facing(self, point: int) -> int:
        """Return the opponent's number of the player's `point`, and the player's number of the opponent's."""
        return (point + 11) % 24 + 1 if self.is_parallel else BAR - point

    def plays_like(self, other: Ruleset) -> bool:
        """Return whether every position is worth the same in this ruleset as in `other`.

        Openings, match lengths and who starts the next game may differ. A network trained for one then plays the other.
        All fields but a known list of harmless ones must be the same.
        """
        return all(
            getattr(self, field) == getattr(other, field) for field in type(self).model_fields.keys() - _WORTH_NOTHING
        )

    def extends(self, other: Ruleset) -> bool:
        """Return whether a network trained for `other` can begin to learn this ruleset.

        The family must be the same, and the scores too, but for larger ones that only this ruleset has. Positions
        may be worth something else.
        """
        extra = (len(self.scores) - len(other.scores)) // 2
        return self.family == other.family and self.scores[extra : len(self.scores) - extra] == other.scores

    def for_any_length(self) -> Ruleset:
        """Return the same rules, played to any number of points, as for matches that other houses play."""
        return self.model_copy(update={"match_lengths": None})

    def check_match_length(self, length: int) -> None:
        """Raise `RulesetError` unless the house offers matches to `length` points."""
        if length < 1:
            raise RulesetError(f"match length {length}: expected at least 1 point")
        if self.match_lengths is not None and length not in self.match_lengths:
            offered = ", ".join(map(str, self.match_lengths))
            raise RulesetError(f"match length {length}: {self.name} is played to {offered}")


def check_default_length(lengths: Sequence[int], default: int) -> None:
    """Raise `ValueError` unless a house's match lengths are positive and include its default."""
    offered = ", ".join(map(str, lengths))
    if any(length < 1 for length in lengths):
        raise ValueError(f"match_lengths {offered}: expected at least 1 point")
    if default not in lengths:
        raise ValueError(f"default_match_length {default}: expected one of {offered}")
