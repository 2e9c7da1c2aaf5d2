"""What every game shares: positions, the search over the dice of one stage, and the maximal-play rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Side = tuple[int, ...]
"""26 counts in the owner's numbering: [0] borne off, [1..24] points, [25] bar."""

Position = tuple[Any, ...]
"""Pairs of fields, the mover's first: (me, opp) and, per game, more pairs such as (pin_me, pin_opp)."""

State = tuple[Any, ...]
"""A position inside a turn: the position's fields, then the flags that live for one turn only."""

Stage = tuple[int, ...]
"""Dice played together: (d,), (a, b), or up to four equal dice."""

Step = tuple[int | str, int]
"""(from, to) in the mover's numbering; from is 25 for the bar and RESERVE for Tawula's reserve."""

BAR = 25
RESERVE = "res"


class Turn(NamedTuple):
    """One way to an afterstate; `score` is the mover's, or None while the game goes on."""

    steps: list[Step]
    dice_used: int
    score: int | None


class End(NamedTuple):
    """A legal end of a stage: the dice in the order played and the steps they were played with."""

    position: Position
    steps: tuple[Step, ...]
    order: Stage
    score: int | None

    @property
    def rest(self) -> Stage:
        """The dice that were not played, larger first; none once the game is over."""
        return () if self.score is not None else tuple(sorted(self.order[len(self.steps) :], reverse=True))


def side(men: dict[int, int]) -> Side:
    """A side with the given men per point (0 = off, 25 = bar)."""
    return tuple(men.get(point, 0) for point in range(26))


def moved(men: Side, source: int, target: int) -> Side:
    """The side after one man went from source to target."""
    counts = list(men)
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts)


def all_home(men: Side) -> bool:
    """No man on 7..24 or the bar."""
    return not any(men[7:])


def swap(position: Position) -> Position:
    """The same position seen by the other player (§0: every field comes as a pair, the mover's first)."""
    swapped = [position[i ^ 1] for i in range(len(position))]
    return tuple(swapped) if type(position) is tuple else type(position)(*swapped)


class Family(ABC):
    """The rules of one game, one method per rule; the search that applies them is `stage_ends`."""

    @abstractmethod
    def start(self) -> Position:
        """The start position (§1, row start)."""

    @abstractmethod
    def may_land(self, state: State, source: int | str, target: int) -> bool:
        """A man from source may come to stand on target, one of 1..24 (§1, row closed point)."""

    @abstractmethod
    def after_step(self, state: State, source: int | str, target: int) -> State:
        """The state after one step, with what it hits or pins (§1, row single opp)."""

    def begin(self, position: Position) -> State:
        """The state in which a turn from this position begins."""
        return position

    def position(self, state: State) -> Position:
        """The position of a state, without the flags of the turn."""
        return state

    def men(self, position: Position) -> tuple[int, int]:
        """How many men each side has."""
        return sum(position[0]), sum(position[1])

    def sources(self, state: State, dice_left: Stage) -> Sequence[int | str]:
        """Where the next man may come from."""
        me = state[0]
        return [point for point in range(24, 0, -1) if me[point]]

    def may_bear_off(self, state: State, point: int, die: int) -> bool:
        """All men home; the exact number, or a higher one from the highest point (§1, row bear-off)."""
        me = state[0]
        return all_home(me) and (die == point or not any(me[point + 1 : 7]))

    def win(self, winner: Side, loser: Side) -> int:
        """The worth of bearing off all men (§1, row score): 1, or 2 when the loser has none off."""
        return 1 if loser[0] else 2

    def score(self, position: Position) -> int | None:
        """The mover's score once the game is over, else None."""
        me, opp = position[0], position[1]
        if me[0] == 15:
            return self.win(me, opp)
        if opp[0] == 15:
            return -self.win(opp, me)
        return None

    def may_stop(self, state: State) -> bool:
        """The hard end-of-turn filters (§3); a pass is exempt from them."""
        return True

    def prefer(self, position: Position, dice: Stage, ends: list[End]) -> list[End]:
        """The house's own filter, after max dice and the larger die (§3, order of the filters)."""
        return ends

    def steps(self, state: State, dice_left: Stage) -> Iterator[tuple[Step, State]]:
        """Every legal step with the first of the dice left, and the state after it."""
        die = dice_left[0]
        for source in self.sources(state, dice_left):
            origin = BAR if isinstance(source, str) else source
            target = origin - die
            if target > 0:
                if self.may_land(state, source, target):
                    yield (source, target), self.after_step(state, source, target)
            elif self.may_bear_off(state, origin, die):
                yield (source, 0), self.after_step(state, source, 0)


def check(family: Family, position: Position, dice: Stage) -> None:
    """Refuse dice or positions that are none, and finished games."""
    if not dice or any(die not in range(1, 7) for die in dice) or (len(set(dice)) > 1 and len(dice) != 2):
        raise ValueError(f"no stage: {dice}")
    if len(position[0]) != 26 or len(position[1]) != 26 or family.men(position) != (15, 15):
        raise ValueError(f"15 men a side are wanted: {position}")
    if family.score(position) is not None:
        raise ValueError(f"the game is over: {position}")


def stage_ends(family: Family, position: Position, dice: Stage) -> list[End]:
    """All legal ends of playing these dice (§3, filters in their order).

    Every order of the dice is played level by level. An end is kept when the house lets the turn stop there
    and as many dice as possible are used; an end of the game counts as all dice used. When only one of two
    different dice can be played, the larger is. A position is listed once per order and length that reach it.
    """
    check(family, position, dice)
    larger_first = tuple(sorted(dice, reverse=True))
    orders = [larger_first, larger_first[::-1]] if len(set(dice)) > 1 else [larger_first]
    most = 0
    ends: list[End] = []
    for order in orders:
        level: dict[State, tuple[Step, ...]] = {family.begin(position): ()}
        for used in range(len(order) + 1):
            dice_left = order[used:]
            next_level: dict[State, tuple[Step, ...]] = {}
            for state, steps in level.items():
                score = family.score(state)
                worth = used if score is None else len(dice)
                if worth >= most and (used == 0 or family.may_stop(state)):
                    if worth > most:
                        most = worth
                        ends.clear()
                    ends.append(End(family.position(state), steps, order, score))
                if score is None and dice_left:
                    for step, after in family.steps(state, dice_left):
                        if after not in next_level:
                            next_level[after] = (*steps, step)
            level = next_level
    if most == 1 and len(orders) == 2:
        ends = [end for end in ends if end.order == larger_first] or ends
    return family.prefer(position, dice, ends)


def stage_turns(family: Family, position: Position, dice: Stage) -> dict[Position, Turn]:
    """The legal ends of these dice by afterstate, each with the longest way to it."""
    turns: dict[Position, Turn] = {}
    for end in stage_ends(family, position, dice):
        known = turns.get(end.position)
        if known is None or known.dice_used < len(end.steps):
            turns[end.position] = Turn(list(end.steps), len(end.steps), end.score)
    return turns
