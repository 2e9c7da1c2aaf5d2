"""Families of games: one row of facts each, about what no house changes.

A ruleset names its family and reads the facts from here, so nobody else has to ask for a family by name. The moves
of a family are the engine's, in a generator of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["opposed-hit", "plakoto", "fevga", "gul-bara", "tawula"]


@dataclass(frozen=True, kw_only=True)
class FamilyFacts:
    """The facts that hold in every game of a family.

    Attributes:
      is_parallel: both sides go the same way round; else each goes towards the other's home.
      lone_checker: what a single checker does when an opposing one comes to its point.
      num_more_places: places of a side's row of counts beyond the 26 that every game has: marks of pinned
        checkers, a count of own rolls, or a reserve.
      has_reserve: the added place holds checkers that still have to enter.
      has_stages: a turn may be more than one roll, and own rolls are counted.
      special_ending: how a game may end before a side has borne off all checkers. `mother`: a checker is pinned
        on its start; `capote`: one is caught on the bar by a side that is bearing off.
      has_mars: bearing off against a side that has borne off nothing scores more.
      scores: the scores that a game can have for one side, best first: one row, or one for each way of counting.
      mars_share: wins by more than the smallest score between equal and strong players, as a share of wins;
        measured where the row gives one, else that of tavla.
      house_rules: the fields of a ruleset that change the moves in this family; elsewhere they keep their defaults.
      special_rule: the rule of movement that no field of a ruleset describes, as a clause; empty where there is none.
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
        mars_share=0.42,
        house_rules=frozenset({"pinned_blocks_bear_off"}),
    ),
    "fevga": FamilyFacts(
        is_parallel=True,
        lone_checker="holds the point",
        house_rules=frozenset({"leave_a_move"}),
        special_rule="one checker must pass the opponent's start first, walls are barred, and a move must be left",
    ),
    "gul-bara": FamilyFacts(
        is_parallel=True,
        lone_checker="holds the point",
        num_more_places=1,
        has_stages=True,
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
        mars_share=0.0,  # a capote is rare
        house_rules=frozenset({"reserve", "auto_pass_closed"}),
        special_rule="checkers in reserve enter first, one to a point, and a hit must leave a way in",
    ),
}
