"""Plays: the legal ones of a roll, their text, and the rule that an illegal one breaks.

A play is one whole turn, in Gul Bara one stage of it: up to four steps `(from, to)` of the mover's checkers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.rules.compiled import compile_rules
from tavla_ai.rules.position import POINTS, Position, checked_whole, pinned_points
from tavla_ai.rules.rulesets import (
    BAR,
    MAX_OWN_ROLLS,
    NUM_CHECKERS,
    OFF,
    OWN_ROLLS,
    PINNED,
    RESERVE,
    Ruleset,
)

Step = tuple[int, int]
Play = tuple[Step, ...]

MAX_STEPS = 4


def check_dice(d1: int, d2: int) -> None:
    """Raise `RulesetError`, naming the value, unless both dice are whole numbers 1 to 6."""
    for die in (d1, d2):
        if not 1 <= checked_whole(die, "die") <= 6:
            raise RulesetError(f"die {die}: expected 1 to 6")


def parse_dice(text: str) -> tuple[int, int]:
    """Return the two dice of a roll written as `31` or `3-1`, in the order written.

    Raises:
      NotationError: the text is not two digits.
      RulesetError: a die is not 1 to 6.
    """
    match = re.fullmatch(r"\s*([0-9])-?([0-9])\s*", text)
    if match is None:
        raise NotationError(f"dice {text!r}: expected two digits such as 31")
    dice = int(match[1]), int(match[2])
    check_dice(*dice)
    return dice


def apply_steps(position: Position, steps: Sequence[Step], ruleset: Ruleset) -> Position:
    """Return the afterstate: the board after the mover's steps, still with the side that moved first.

    A step onto a lone opposing checker hits it; in Plakoto it pins it until the last checker on top leaves. The dice
    are not checked: a step only has to move a checker that is not pinned forward, to a point that the opponent does
    not hold. So `24/13` may be one step. Own rolls are not counted.

    Args:
      position: the board before the play.
      steps: `(from, to)` in the order played, 26 = reserve, 25 = bar, 0 = off.

    Raises:
      RulesetError: more than four steps, or one that cannot be taken; the message names the step.
    """
    return Position(_replay(position, steps, ruleset)[0])


def check_play(position: Position, dice: tuple[int, int], steps: Sequence[Step], ruleset: Ruleset) -> Position:
    """Return the afterstate of a play that the roll allows. In Gul Bara the roll is its first stage.

    Args:
      position: the board before the play.
      dice: the roll, in either order.
      steps: `(from, to)` in the order played; steps of one checker may be joined.

    Raises:
      RulesetError: the play is not legal; the message says which rule it breaks.
    """
    boards, paths, _ = engine.legal_plays(compile_rules(ruleset), position.board, *dice)
    after = apply_steps(position, steps, ruleset)
    # Own rolls are counted by the roll, not by the steps.
    places = np.arange(ruleset.num_places) != (OWN_ROLLS if ruleset.has_stages else -1)
    if (boards[:, :, places] == after.board[:, places]).all(axis=(1, 2)).any():
        return after
    played = format_play(position, steps, ruleset)
    raise RulesetError(f"play {played} with {dice[0]}-{dice[1]}: {_broken_rule(position, dice, steps, paths, ruleset)}")


def _broken_rule(
    position: Position,
    dice: tuple[int, int],
    steps: Sequence[Step],
    paths: npt.NDArray[np.int8],
    ruleset: Ruleset,
) -> str:
    """Return the rule that a play breaks, although each of its steps can be taken."""
    mover = position.board[0]
    most = int((paths[:, :, 0] >= 0).sum(axis=1).max())
    pips = [(BAR if start == RESERVE else start) - end for start, end in steps]
    home = int(mover[:7].sum()) == NUM_CHECKERS
    if mover[BAR] > 0 and any(start != BAR for start, _ in steps[: int(mover[BAR])]):
        return "checkers on the bar enter before any other moves"
    if any(end == OFF for _, end in steps) and not home and sum(pips) <= max(dice):
        return "no checker is borne off before all are home"
    total = sum(dice) * (2 if dice[0] == dice[1] else 1)
    exact = sum(pip for pip, (_, end) in zip(pips, steps, strict=True) if end != OFF)
    if exact > total:
        return f"it moves {sum(pips)} pips, the dice give {total}"
    if len(steps) < most:
        return f"{most} dice can be played, so {most} must be played"
    if most == 1 and dice[0] != dice[1]:
        return f"only one die can be played: the {max(dice)} if possible, otherwise the {min(dice)}"
    rules = (
        "" if ruleset.hit_and_run else "a checker that has hit in its own home may not move on",
        "" if ruleset.bear_off_order == "free" else "with all men home the larger die comes first",
        ruleset.facts.special_rule,
    )
    special = "; or ".join(rule for rule in rules if rule)
    return "no order of the dice allows these steps" + (f" (here {special})" if special else "")


def format_play(position: Position, steps: Sequence[Step], ruleset: Ruleset) -> str:
    """Return a play in standard notation: `8/5 6/5`, `bar/20`, `24/18*/13`, `13/11(2)`, `(no move)`.

    Steps of one checker are joined and only its hits in between are named: `24/18 18/13` without a hit is
    `24/13`. Plakoto marks the pins that are there after the play: `24/18^`. From a reserve is `res/19`. Moves
    are written from the back forward, so plays that differ only in the order of their steps read the same.
    Reading the text back gives steps to the same afterstate, not always the same steps.

    Args:
      position: the board before the play; hits and pins are found by replaying the steps on it.
      steps: `(from, to)` in the order played, 26 = reserve, 25 = bar, 0 = off.

    Raises:
      RulesetError: a step cannot be taken; see `apply_steps`.
    """
    hits = _replay(position, steps, ruleset)[1]
    sign = "^" if ruleset.has_pins else "*"
    if not steps:
        return "(no move)"
    paths = _join_steps(steps)
    # A hit is credited to a checker that stays there, so that its point need not be named in another's path.
    marks: dict[tuple[int, ...], set[int]] = {path: set() for path in paths}
    for point in hits:
        visitors = [path for path in paths if point in path]
        marks[next((path for path in visitors if path[-1] == point), visitors[0])].add(point)
    repeats: dict[tuple[int, ...], int] = {}
    is_hit: dict[tuple[int, ...], bool] = {}
    for path in paths:
        named = (path[0], *(p for p in path[1:-1] if p in marks[path]), path[-1])
        repeats[named] = repeats.get(named, 0) + 1
        is_hit[named] = is_hit.get(named, False) or path[-1] in marks[path]
    words = []
    for named, repeat in repeats.items():
        text = f"{sign}/".join(_place_name(point, ruleset) for point in named[1:]) + (sign if is_hit[named] else "")
        words.append(f"{_place_name(named[0], ruleset)}/{text}" + (f"({repeat})" if repeat > 1 else ""))
    return " ".join(words)


def parse_play(text: str) -> Play:
    """Return the steps of a play in standard notation, in the order written.

    `bar` or `25`, `off` or `0`, `res`, capitals, chains such as `24/18/13` and repeats such as `13/11(2)` are
    read. The marks `*` of a hit and `^` of a pin are read but not verified: there is no board here. `(no move)`
    and blank text are the empty play.

    Raises:
      NotationError: a word is not a move, does not go forward, or there are more than four steps; the message
        names the word and its index from 0.
    """
    steps: list[Step] = []
    if text.strip().lower() in ("", "(no move)"):
        return ()
    for word in re.finditer(r"\S+", text):
        steps += _parse_word(text, word[0], word.start())
        if len(steps) > MAX_STEPS:
            where = f"{word[0]!r} at index {word.start()}"
            raise NotationError(f"play {text!r}: {where} makes it {len(steps)} steps, expected at most {MAX_STEPS}")
    return tuple(steps)


def _parse_word(text: str, word: str, index: int) -> list[Step]:
    where = f"play {text!r}: {word!r} at index {index}"
    place = r"(?:res|bar|off|[0-9]{1,2})"
    match = re.fullmatch(rf"({place}(?:/{place}[*^]?)+)(?:\(([1-{MAX_STEPS}])\))?", word.lower())
    if match is None:
        raise NotationError(f"{where} is not a move; expected one such as 8/5, bar/20*, 6/off or 13/11(2)")
    path = [_parse_place(name.rstrip("*^")) for name in match[1].split("/")]
    rearmost = RESERVE if match[1].startswith("res") else BAR
    if path[0] > rearmost or path[1] >= BAR or any(start <= end for start, end in pairwise(path)):
        raise NotationError(f"{where} does not go forward from 24 or the bar towards 1 and off")
    if path[-1] == OFF and match[1][-1] in "*^":
        raise NotationError(f"{where} marks a hit off the board")
    return list(pairwise(path)) * int(match[2] or 1)


def _parse_place(name: str) -> int:
    return {"res": RESERVE, "bar": BAR, "off": OFF}[name] if name.isalpha() else int(name)


def _join_steps(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """Return the path of each checker that moves, those from furthest back and then the longest first."""
    paths: list[tuple[int, ...]] = []
    # From the back forward, every arrival on a point is seen before the departures from it.
    for start, end in sorted(steps, reverse=True):
        path = next((path for path in paths if path[-1] == start), None)
        if path is None:
            paths.append((start, end))
        else:
            paths[paths.index(path)] = (*path, end)
    return sorted(paths, key=lambda path: (-path[0], path[-1], path))


def _replay(position: Position, steps: Sequence[Step], ruleset: Ruleset) -> tuple[npt.NDArray[np.int8], list[int]]:
    """Return the board after `steps` and the points where they hit, in order, or the points pinned anew."""
    if len(steps) > MAX_STEPS:
        raise RulesetError(f"a play of {len(steps)} steps: expected at most {MAX_STEPS}")
    pins = ruleset.has_pins
    held_by = 2 if pins or ruleset.has_bar else 1
    board = position.board.copy()
    mover, opponent = board
    hits = []
    for start, end in steps:
        name = f"step {_place_name(start, ruleset)}/{_place_name(end, ruleset)}"
        is_entry = start == RESERVE and ruleset.reserve > 0
        if not (OFF <= end < start <= BAR or (is_entry and end in POINTS)):
            raise RulesetError(f"{name}: expected a move forward between 25 (bar) and 0 (off)")
        if mover[start] == 0:
            raise RulesetError(f"{name}: the mover has no checker on {_place_name(start, ruleset)}")
        if pins and mover[PINNED + start]:
            raise RulesetError(f"{name}: the mover's checker on {start} is pinned")
        if end != OFF:
            facing = ruleset.facing(end)
            if opponent[facing] >= held_by:
                raise RulesetError(f"{name}: the opponent holds {end} with {opponent[facing]} checkers")
            if pins and mover[PINNED + end]:
                raise RulesetError(f"{name}: the opponent holds {end} on top of a pinned checker")
            if opponent[facing] == 1 and pins:
                opponent[PINNED + facing] = 1
            elif opponent[facing] == 1:
                opponent[facing] = 0
                opponent[BAR] += 1
                hits.append(end)
        mover[start] -= 1
        mover[end] += 1
        if pins and mover[start] == 0:
            opponent[PINNED + ruleset.facing(start)] = 0
    if pins:
        before = pinned_points(position.board[1].tolist())
        hits = [ruleset.facing(point) for point in pinned_points(opponent.tolist()) if point not in before]
    return board, hits


def _place_name(place: int, ruleset: Ruleset) -> str:
    if place == RESERVE and ruleset.reserve:
        return "res"
    return {OFF: "off", BAR: "bar"}.get(place, str(place))


# The 21 rolls, the larger die first, and the number of the 36 throws that each stands for.
ROLLS = tuple((first, second, 1 if first == second else 2) for first in range(1, 7) for second in range(1, first + 1))


@dataclass(frozen=True, slots=True)
class LegalPlay:
    """One legal play of a roll, seen by its mover.

    Attributes:
      steps: one way to play it.
      afterstate: the position after it, the mover first; in Gul Bara with the roll counted.
      score: the mover's points if the play ends the game; None if it goes on.
    """

    steps: Play
    afterstate: Position
    score: int | None

    @classmethod
    def of(cls, play: tuple[npt.NDArray[np.int8], Play, int | None]) -> LegalPlay:
        """Return a play as the engine gives a single one: its afterstate, steps and score."""
        afterstate, steps, score = play
        return cls(steps, Position.trusted(afterstate), score)


def legal_plays(ruleset: Ruleset, position: Position, dice: tuple[int, int]) -> tuple[LegalPlay, ...]:
    """Return every legal play of a roll in the engine's order; one without steps if nothing can be moved.

    Gul Bara: these are the plays of the roll's first stage, without the doubles that cascade after it.

    Args:
      position: the board before the play, the side on roll first.
      dice: the roll, in either order.

    Raises:
      RulesetError: the game is over, or a die is not 1 to 6.
    """
    check_roll(dice)
    boards, steps, scores = engine.legal_plays(compile_rules(ruleset), counted_board(ruleset, position), *dice)
    return tuple(
        LegalPlay(_played(path), Position.trusted(after), score_of_play(score))
        for after, path, score in zip(boards, steps.tolist(), scores.tolist(), strict=True)
    )


def forced_play(ruleset: Ruleset, position: Position, dice: tuple[int, int]) -> LegalPlay | None:
    """Return the only legal play of a roll; None where there is a choice.

    Arguments and errors are those of `legal_plays`.
    """
    check_roll(dice)
    play = engine.forced_play(compile_rules(ruleset), counted_board(ruleset, position), *dice)
    return None if play is None else LegalPlay.of(play)


def check_roll(dice: Sequence[int]) -> None:
    """Raise `RulesetError`, naming the value, unless these are two dice."""
    try:
        first, second = dice
    except (TypeError, ValueError):
        raise RulesetError(f"dice {dice!r}: expected two numbers from 1 to 6") from None
    check_dice(first, second)


def score_of_play(score: int) -> int | None:
    """Return the mover's points as the engine gives them; None where the game goes on."""
    return None if score == engine.NO_SCORE else int(score)


def play_index(afterstates: npt.NDArray[np.int8], after: npt.NDArray[np.int8]) -> int | None:
    """Return the index of `after` among the afterstates `[n, 2, num_places]` of a roll; None if it is not there."""
    found = np.flatnonzero((afterstates == after).all(axis=(1, 2)))
    return int(found[0]) if len(found) else None


def play_leading_to(plays: Sequence[LegalPlay], after: npt.NDArray[np.int8]) -> LegalPlay:
    """Return the legal play whose afterstate is `after`, which must be among the afterstates of `plays`."""
    return next(play for play in plays if np.array_equal(play.afterstate.board, after))


def steps_of(path: npt.NDArray[np.int8]) -> Play:
    """Return the steps of a path as the engine gives it, `[4, 2]`, padded with −1."""
    return _played(path.tolist())


def _played(path: list[list[int]]) -> Play:
    return tuple([(start, end) for start, end in path if start >= 0])


def hit_chances(ruleset: Ruleset, afterstates: Sequence[Position]) -> list[float] | None:
    """Return `hit_chance` of each afterstate; None in games where nothing is ever hit.

    Raises:
      RulesetError: a game is over.
    """
    if not ruleset.has_bar and not ruleset.has_pins:
        return None
    if not afterstates:
        return []
    rolls = engine.hitting_rolls(compile_rules(ruleset), np.stack([after.board for after in afterstates]))
    return [number / 36 for number in rolls.tolist()]


def hit_chance(ruleset: Ruleset, afterstate: Position) -> float | None:
    """Return the share of the opponent's 36 rolls that can hit, or in Plakoto pin, a checker of the mover.

    Args:
      afterstate: the position after the mover's play, the mover first.

    Returns:
      0 to 1; None in games where nothing is ever hit.

    Raises:
      RulesetError: the game is over.
    """
    chances = hit_chances(ruleset, [afterstate])
    return None if chances is None else chances[0]


def counted_board(ruleset: Ruleset, position: Position) -> npt.NDArray[np.int8]:
    """Return the board on which a roll is played: in Gul Bara the roll is counted first."""
    if not ruleset.has_stages:
        return position.board
    board = position.board.copy()
    board[0, OWN_ROLLS] = min(MAX_OWN_ROLLS, board[0, OWN_ROLLS] + 1)
    return board
