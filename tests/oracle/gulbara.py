"""Gul Bara: parallel movement, block, cascades of doubles, passed dice (§1, §2 b).

`Block` with its stage search is the whole movement; this module keeps the books of a turn made of stages.
"""

from __future__ import annotations

from typing import NamedTuple

from .core import End, Position, Side, Stage, Turn, side, stage_ends
from .parallel import Block

CASCADE_FROM = 4


class GulBaraPosition(NamedTuple):
    """Own rolls so far, up to 3, and the stages each side has been passed and must play before it rolls."""

    me: Side
    opp: Side
    rolls_me: int = 0
    rolls_opp: int = 0
    passed_me: tuple[Stage, ...] = ()
    passed_opp: tuple[Stage, ...] = ()


class GulBara(Block):
    """Stages are played from the two sides alone; the rolls and passed stages belong to the turn."""

    def start(self) -> Position:
        """§1: 15@24, no rolls yet, nothing passed."""
        men = side({24: 15})
        return GulBaraPosition(men, men)


FAMILY = GulBara()


def stages_of_roll(dice: tuple[int, int], own_roll: int) -> tuple[Stage, ...]:
    """The stages of a player's own_roll-th roll: from the 4th on a double n cascades up to 6 (§2 b 3)."""
    low, high = sorted(dice)
    if low != high:
        return ((high, low),)
    top = 6 if own_roll >= CASCADE_FROM else low
    return tuple((die,) * 4 for die in range(low, top + 1))


def stage_outcomes(position: Position, stage: Stage) -> list[End]:
    """All outcomes of one stage, as many dice as possible; `rest` of each is what stays unplayed (§2 b 4)."""
    return stage_ends(FAMILY, position, stage)


def _keep(turns: dict[GulBaraPosition, Turn], position: GulBaraPosition, turn: Turn) -> None:
    if position not in turns or turns[position].dice_used < turn.dice_used:
        turns[position] = turn


def _then(turn: Turn, end: End) -> Turn:
    return Turn([*turn.steps, *end.steps], turn.dice_used + len(end.steps), end.score)


def play_passed(position: GulBaraPosition) -> dict[GulBaraPosition, Turn]:
    """Before rolling: the passed stages in order, each maximal; unplayable dice are lost (§2 b 1)."""
    turns = {position._replace(passed_me=()): Turn([], 0, None)}
    for stage in position.passed_me:
        after: dict[GulBaraPosition, Turn] = {}
        for at, turn in turns.items():
            if turn.score is not None:
                _keep(after, at, turn)
                continue
            for end in stage_outcomes(at, stage):
                me, opp = end.position
                _keep(after, at._replace(me=me, opp=opp), _then(turn, end))
        turns = after
    return turns


def play_roll(position: GulBaraPosition, dice: tuple[int, int]) -> dict[GulBaraPosition, Turn]:
    """A roll with nothing left to play before it (§2 b 2-5).

    At the first stage that is not completed, its unplayed dice and all later stages pass to the opponent. A
    cascade of several stages can have tens of thousands of ends.
    """
    if position.passed_me:
        raise ValueError(f"passed stages are played first: {position.passed_me}")
    stages = stages_of_roll(dice, position.rolls_me + 1)
    done: dict[GulBaraPosition, Turn] = {}
    going = {position._replace(rolls_me=min(3, position.rolls_me + 1)): Turn([], 0, None)}
    for number, stage in enumerate(stages):
        after: dict[GulBaraPosition, Turn] = {}
        for at, turn in going.items():
            for end in stage_outcomes(at, stage):
                me, opp = end.position
                at_end = at._replace(me=me, opp=opp)
                if end.rest:
                    at_end = at_end._replace(passed_opp=(end.rest, *stages[number + 1 :]))
                over = bool(end.rest) or end.score is not None
                _keep(done if over else after, at_end, _then(turn, end))
        going = after
    for at, turn in going.items():
        _keep(done, at, turn)
    return done


def full_turns(position: GulBaraPosition, dice: tuple[int, int]) -> dict[GulBaraPosition, Turn]:
    """Passed stages, then the roll; a game won with passed dice ends before the roll (§2 b 1-5)."""
    turns: dict[GulBaraPosition, Turn] = {}
    for at, first in play_passed(position).items():
        if first.score is not None:
            _keep(turns, at, first)
            continue
        for end, second in play_roll(at, dice).items():
            both = Turn(first.steps + second.steps, first.dice_used + second.dice_used, second.score)
            _keep(turns, end, both)
    return turns
