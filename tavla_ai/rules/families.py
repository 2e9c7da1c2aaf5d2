"""Families of games: one row of facts for each, which no house changes.

A ruleset names its family and reads the facts from here, so other code never asks for a family by name. The engine has
a generator of plays for each family.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["opposed-hit", "plakoto", "fevga", "gul-bara", "tawula"]


@dataclass(frozen=True, kw_only=True)
class FamilyFacts:
    """Facts of every game of a family.

    Attributes:
      is_parallel: whether both sides move in the same direction; otherwise each moves towards the other's home.
      lone_checker: fate of a single checker when an opposing one comes to its point.
      num_more_places: places of a side's row of counts beyond the 26 that every game has: marks of pinned
        checkers, a count of own rolls, or a reserve.
      has_reserve: whether the added place holds checkers that have to enter.
      has_stages: whether a turn may be more than one roll, with own rolls counted.
      special_ending: an end of the game before a side has borne off all checkers. `mother`: a checker is pinned on its
        start; `capote`: a checker is caught on the bar by a side that is bearing off.
      has_mars: whether winning against a side that has borne off nothing scores more.
      scores: possible scores of a game for one side, best first: one row, or one for each way of counting.
      mars_share: share of wins by more than the smallest score, between strong and equal players; measured in games of
        the shipped networks against themselves.
      house_rules: fields of a ruleset that change the moves of this family; other families keep their defaults.
      special_rule: a rule of movement that no field of a ruleset describes, as a clause; empty without one.
    """

    is_parallel: bool
    lone_checker: Literal["is hit", "is pinned", "holds the point"]
    num_more_places: int = 0
    has_reserve: bool = False
    has_stages: bool = False
    special_ending: Literal["mother", "capote"] | None = None
    has_mars: bool = True
    scores: tuple[tuple[int, ...], ...] = ((2, 1, -1, -2),)
    # Tavla's is 27 to 28 % between strong programs.
    mars_share: float = 0.27
    house_rules: frozenset[str] = frozenset()
    special_rule: str = ""


FAMILIES: dict[Family, FamilyFacts] = {
    "opposed-hit": FamilyFacts(
        is_parallel=False,
        lone_checker="is hit",
        scores=((2, 1, -1, -2), (3, 2, 1, -1, -2, -3)),
        house_rules=frozenset({"hit_and_run", "bear_off_order", "auto_pass_closed"}),
    ),
    "plakoto": FamilyFacts(
        is_parallel=False,
        lone_checker="is pinned",
        num_more_places=24,
        special_ending="mother",
        scores=((2, 1, 0, -1, -2),),
        mars_share=0.41,
        house_rules=frozenset({"pinned_blocks_bear_off"}),
    ),
    "fevga": FamilyFacts(
        is_parallel=True,
        lone_checker="holds the point",
        mars_share=0.16,
        house_rules=frozenset({"leave_a_move"}),
        special_rule="one checker must pass the opponent's start first, walls are barred, and a move must be left",
    ),
    "gul-bara": FamilyFacts(
        is_parallel=True,
        lone_checker="holds the point",
        num_more_places=1,
        has_stages=True,
        mars_share=0.37,
        house_rules=frozenset({"cascade_from"}),
    ),
    "tawula": FamilyFacts(
        is_parallel=True,
        lone_checker="is hit",
        num_more_places=1,
        has_reserve=True,
        special_ending="capote",
        has_mars=False,
        scores=((7, 1, -1, -7),),
        mars_share=0.01,  # a capote is rare
        house_rules=frozenset({"reserve", "auto_pass_closed"}),
        special_rule="checkers in reserve enter first, one to a point, and a hit must leave a way in",
    ),
}
