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

    @property
    def has_stages(self) -> bool:
        """Whether a turn may have several stages, as in Gul Bara, where a double is followed by higher ones."""
        return self.family == "gul-bara"

    @property
    def stages_reason(self) -> str:
        """The words with which what cannot be done in a game with stages is refused."""
        return f"a turn of {self.name} is more than one roll"

    @property
    def moves_as_backgammon(self) -> bool:
        """Whether the two sides move in opposite directions and hit, so that boards are those of backgammon."""
        return self.family == "opposed-hit"

    @property
    def has_western_movement(self) -> bool:
        """Whether every roll has the plays of western backgammon."""
        return self.family == "opposed-hit" and self.hit_and_run and self.bear_off_order == "free"

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
