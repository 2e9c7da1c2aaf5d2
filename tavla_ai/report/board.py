"""A position as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from tavla_ai.match import Cube, MatchState
from tavla_ai.rules import (
    BAR,
    NUM_PLACES,
    OFF,
    PINNED,
    RESERVE,
    Position,
    Ruleset,
    Step,
    apply_steps,
    check_dice,
    format_play,
)

# Lengths are in the picture's own unit; the picture has no size, so a page can scale it.
_CELL = 40
_RADIUS = 18
_VISIBLE = 5
_SLAB = 11
_RIM = 20
_GAP = 56
_TRAY = 52
_MARGIN = 12
_LINE = 28
_TOP = _MARGIN + _LINE
_MIDDLE = _TOP + _RIM + _VISIBLE * 2 * _RADIUS + _GAP // 2
_BOTTOM = 2 * _MIDDLE - _TOP
_HEIGHT = 2 * _MIDDLE
_DIE = 32

# Each rule names the picture's class, so that none changes the page around it.
_STYLE = "\n".join(
    f".tavla-board {rule}"
    for rule in (
        "text { font: 14px sans-serif; fill: #33302b; text-anchor: middle }",
        ".number { font-size: 11px }",
        ".name { text-anchor: start }",
        ".score { text-anchor: end }",
        ".light { fill: #f7f5f0 }",
        ".page { fill: #f7f5f0 }",
        ".field { fill: #ddd3c1 }",
        ".frame { fill: #c8bca5 }",
        ".odd { fill: #efe8da }",
        ".even { fill: #bda27c }",
        ".bottom { fill: #fdfbf6; stroke: #55503f }",
        ".top { fill: #3b4149; stroke: #15181c }",
        ".pinned { stroke: #c2452d; stroke-width: 4 }",
        ".white { fill: #ffffff; stroke: #55503f }",
        ".dot { fill: #33302b }",
        ".move { stroke: #1f6fb2; stroke-width: 3; fill: none }",
        ".head { fill: #1f6fb2 }",
        ".end { stroke-dasharray: 5 3 }",
    )
)
_ARROW = (
    '<defs><marker id="tavla-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" '
    'orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>'
)
# Places of a die's pips on a 3 × 3 grid.
_PIPS = {1: (4,), 2: (2, 6), 3: (2, 4, 6), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}


def board_svg(
    position: Position,
    ruleset: Ruleset,
    *,
    dice: tuple[int, int] | None = None,
    match: MatchState | None = None,
    play: Sequence[Step] | None = None,
    player_on_roll_at_bottom: bool = True,
    names: tuple[str, str] = ("player on roll", "opponent"),
    title: str | None = None,
) -> str:
    """Return an SVG picture of a position, in any game.

    Points have the numbers of the player on roll. The player at the bottom has light checkers and bears off at the
    lower right; the other player bears off at the upper right, in a parallel game at the upper left. Checkers on the
    bar are drawn on the side where they enter, and a reserve in the tray on that side. A pile of more than five
    checkers shows its height. A checker with a red rim at the foot of a pile is pinned.

    Args:
      position: the board, before the play, seen by the player on roll.
      ruleset: the game.
      dice: that player's roll; None before it.
      match: the score and the cube, seen by that player; None for a single game.
      play: steps to show as arrows, 26 = reserve, 25 = bar, 0 = off; the checkers are drawn before the play.
      player_on_roll_at_bottom: whether the player on roll sits at the bottom; use it for fixed seats in a series of
        pictures.
      names: names of the player on roll and of the opponent.
      title: text alternative of the picture; None uses the game and the roll.

    Returns:
      One self-contained `<svg>` element.

    Raises:
      RulesetError: a position or a step is impossible in the game, or a die is not 1 to 6.
    """
    position = Position.from_board(position.board, ruleset)
    roll = ""
    if dice is not None:
        check_dice(*dice)
        roll = f" {dice[0]}{dice[1]}"
    text = f"{position.to_text(ruleset)}, the player on roll first"
    if play is not None:
        text += f"; play {format_play(position, play, ruleset)}"
    picture = _Picture(position, ruleset, bottom=0 if player_on_roll_at_bottom else 1)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tavla-board" role="img" '
            f'viewBox="0 0 {picture.width} {_HEIGHT}">',
            f"<title>{_text(title or f'{ruleset.title}: {names[0]} to play{roll}')}</title>",
            f"<desc>{_text(text)}</desc>",
            f"<style>{_STYLE}</style>",
            *picture.frame(),
            *picture.labels(names, match),
            *(picture.cube(match.cube if match else Cube()) if ruleset.cube else ()),
            *(element for row in (0, 1) for element in picture.checkers(row)),
            *(picture.dice(dice) if dice else ()),
            *(picture.arrows(play) if play else ()),
            "</svg>",
        )
    )


class _Picture:
    """Layout of the picture; `bottom` is the row of counts of the side at the bottom."""

    def __init__(self, position: Position, ruleset: Ruleset, bottom: int) -> None:
        self.position, self.ruleset, self.bottom = position, ruleset, bottom
        # The left tray holds the cube, and in a parallel game the checkers of the side at the top.
        self.left = _MARGIN + _TRAY * (ruleset.is_parallel or ruleset.cube)
        self.bar = self.left + 6 * _CELL
        self.right = self.bar + 7 * _CELL
        self.width = self.right + _TRAY + _MARGIN

    def frame(self) -> Iterator[str]:
        """The empty board."""
        yield f'<rect class="page" width="{self.width}" height="{_HEIGHT}" rx="8"/>'
        height = _BOTTOM - _TOP
        frame = f'y="{_TOP}" width="{self.width - 2 * _MARGIN}" height="{height}" rx="4"'
        yield f'<rect class="frame" x="{_MARGIN}" {frame}/>'
        for x in (self.left, self.bar + _CELL):
            yield f'<rect class="field" x="{x}" y="{_TOP}" width="{6 * _CELL}" height="{height}"/>'
        for point in range(1, BAR):
            x, y, inward = self.point(point)
            tip = y + inward * int(4.7 * 2 * _RADIUS)
            parity = "even" if point % 2 else "odd"
            yield f'<path class="{parity}" d="M{x - _CELL // 2} {y} {x} {tip} {x + _CELL // 2} {y}z"/>'
            number = point if self.bottom == 0 else self.ruleset.facing(point)
            yield f'<text class="number" x="{x}" y="{y - 10 * inward + 4}">{number}</text>'

    def labels(self, names: tuple[str, str], match: MatchState | None) -> Iterator[str]:
        """Yield the labels above and below the board: the player's name, pips and score."""
        for row, (name, pips) in enumerate(zip(names, self.position.pip_counts(), strict=True)):
            y = _BOTTOM + 19 if row == self.bottom else _TOP - 10
            yield f'<text class="name" x="{_MARGIN}" y="{y}">{_text(name)} · {pips}</text>'
            if match is not None and match.length is not None:
                crawford = " (Crawford)" * match.is_crawford
                score = f"{match.score[row]} of {match.length}{crawford}"
                yield f'<text class="score" x="{self.width - _MARGIN}" y="{y}">{score}</text>'

    def cube(self, cube: Cube) -> Iterator[str]:
        """The cube in the left tray, in the middle or beside its owner."""
        x, y = _MARGIN + _TRAY // 2, _MIDDLE
        if cube.owner != "centred":
            y = _BOTTOM - 34 if (cube.owner == "me") == (self.bottom == 0) else _TOP + 34
        yield f'<rect class="white" x="{x - 17}" y="{y - 17}" width="34" height="34" rx="4"/>'
        yield f'<text x="{x}" y="{y + 5}">{cube.value}</text>'

    def checkers(self, row: int) -> Iterator[str]:
        """All checkers of a side."""
        seat = self.seat(row)
        for place in range(1, NUM_PLACES):
            count = int(self.position.board[row, place])
            first = self.foot(self.position, row, place)
            is_pinned = first == 0 and count == 1 and self.is_pinned(self.position, row, place)
            for height in range(first, min(first + count, _VISIBLE)):
                x, y = self.spot(row, place, height)
                kind = f"{seat} pinned" if is_pinned else seat
                yield f'<circle class="{kind}" cx="{x}" cy="{y}" r="{_RADIUS - 1 - is_pinned}"/>'
            if first + count > _VISIBLE:
                kind = ' class="light"' if seat == "top" else ""
                yield f'<text{kind} x="{x}" y="{y + 5}">{count}</text>'
        for place in (OFF, RESERVE) if self.ruleset.reserve else (OFF,):
            count = int(self.position.board[row, place])
            for height in range(count):
                x, y = self.spot(row, place, height)
                yield f'<rect class="{seat}" x="{x - 18}" y="{y - 5}" width="36" height="{_SLAB - 1}" rx="2"/>'
            if count:
                x, y = self.spot(row, place, count)
                yield f'<text class="number" x="{x}" y="{y + 4}">{count}</text>'

    def dice(self, dice: tuple[int, int]) -> Iterator[str]:
        """The roll, to the right of the player at the bottom or of the player at the top."""
        centre = self.bar + 4 * _CELL if self.bottom == 0 else self.left + 3 * _CELL
        for die, x in zip(dice, (centre - 24, centre + 24), strict=True):
            half = _DIE // 2
            yield f'<rect class="white" x="{x - half}" y="{_MIDDLE - half}" width="{_DIE}" height="{_DIE}" rx="5"/>'
            for place in _PIPS[die]:
                yield f'<circle class="dot" cx="{x + place % 3 * 9 - 9}" cy="{_MIDDLE + place // 3 * 9 - 9}" r="3"/>'

    def arrows(self, play: Sequence[Step]) -> Iterator[str]:
        """An arrow for each step, from the checker to its new place."""
        yield _ARROW
        before = self.position
        for start, end in play:
            after = apply_steps(before, [(start, end)], self.ruleset)
            x, y = self.spot(0, start, self.topmost(before, start))
            to_x, to_y = self.spot(0, end, self.topmost(after, end))
            line = f'x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}"'
            yield f'<line class="move" {line} marker-end="url(#tavla-arrow)"/>'
            yield f'<circle class="move end" cx="{to_x}" cy="{to_y}" r="{_RADIUS - 1}"/>'
            before = after

    def seat(self, row: int) -> str:
        return "bottom" if row == self.bottom else "top"

    def point(self, point: int) -> tuple[int, int, int]:
        """Return a point's middle, its rim and the direction of y from there; points have the bottom side's numbers."""
        column = 12 - point if point <= 12 else point - 13
        x = self.left + column * _CELL + _CELL // 2 + _CELL * (column >= 6)
        return (x, _BOTTOM - _RIM, -1) if point <= 12 else (x, _TOP + _RIM, 1)

    def spot(self, row: int, place: int, height: int) -> tuple[int, int]:
        """Return the middle of a side's checker with `height` others between it and the foot of its pile."""
        is_bottom = row == self.bottom
        if place in (OFF, RESERVE):
            # A side's reserve is drawn where it enters; in a parallel game the other side does not bear off there.
            is_low = is_bottom == (place == OFF)
            is_right = is_bottom or not self.ruleset.is_parallel
            x = self.right + _TRAY // 2 if is_right else _MARGIN + _TRAY // 2
            y, inward = (_BOTTOM - _RIM, -1) if is_low else (_TOP + _RIM, 1)
            return x, y + inward * height * _SLAB
        if place == BAR:
            inward = -1 if is_bottom else 1
            return self.bar + _CELL // 2, _MIDDLE + inward * (_GAP // 2 + _RADIUS + height * 2 * _RADIUS)
        x, y, inward = self.point(place if is_bottom else self.ruleset.facing(place))
        return x, y + inward * (_RADIUS + height * 2 * _RADIUS)

    def is_pinned(self, position: Position, row: int, place: int) -> bool:
        return self.ruleset.has_pins and place < BAR and bool(position.board[row, PINNED + place])

    def foot(self, position: Position, row: int, place: int) -> int:
        """Return 1 if a side's pile is on top of a pinned checker, else 0."""
        return int(place < BAR and self.is_pinned(position, 1 - row, self.ruleset.facing(place)))

    def topmost(self, position: Position, place: int) -> int:
        """Return the height of the uppermost checker of the player on roll on a place."""
        count = int(position.board[0, place])
        if place in (OFF, RESERVE):
            return count - 1
        return min(self.foot(position, 0, place) + count, _VISIBLE) - 1


def _text(text: str) -> str:
    """Return text escaped for XML; unprintable characters are replaced."""
    return escape("".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text))
