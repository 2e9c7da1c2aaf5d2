"""Match equity tables as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from tavla_ai.report.chart import BLUE, ORANGE, colour, drawing, element, text

_CELL_WIDTH, _CELL_HEIGHT, _MARGIN, _LINE = 46, 26, 56, 18
# Lost, level, won.
_COLOURS = np.array([ORANGE, (250, 250, 250), BLUE], dtype=np.float64)
_LETTER = 8


@dataclass(frozen=True)
class MatchEquityTable:
    """The match equities of one game of a match: the player's chances of winning the match.

    Attributes:
      game: name of the game.
      title: one line or more.
      mwc: `[length, length]` by the points that the player needs and the points that the opponent needs, from 1.
      after_crawford: `[length]` by the points that the player needs; None if the match has no Crawford game.
    """

    game: str
    title: str
    mwc: npt.NDArray[np.float64]
    after_crawford: npt.NDArray[np.float64] | None


def match_equity_svg(tables: Sequence[MatchEquityTable]) -> str:
    """Return heat maps of the tables, one below the other, as a drawing with a number in each cell."""
    parts: list[str] = []
    top = width = 0
    for table in tables:
        lines = table.title.split("\n")
        for words in lines:
            top += _LINE
            width = max(width, _LETTER * len(words))
            parts.append(_text(_LINE / 2, top, words, anchor="start", bold=words is lines[0]))
        top = _draw_grid(parts, top, table.mwc, [str(away) for away in range(1, len(table.mwc) + 1)])
        if table.after_crawford is not None:
            parts.append(_text(_LINE / 2, top, "After the Crawford game, the opponent 1 away", anchor="start"))
            top = _draw_grid(parts, top, table.after_crawford[None], ["%"], "my points away")
        width = max(width, _MARGIN + _CELL_WIDTH * len(table.mwc) + _LINE)
    return drawing(escape(tables[0].title.splitlines()[0]), width, top, parts)


def _draw_grid(
    parts: list[str],
    top: float,
    values: npt.NDArray[np.float64],
    rows: Sequence[str],
    columns: str = "the opponent's points away; rows: mine",
) -> int:
    """Add a grid of numbers below `top` and return the top of the next part."""
    parts.append(_text(_MARGIN, top + _LINE, columns, anchor="start"))
    top += 2 * _LINE
    for column in range(values.shape[1]):
        parts.append(_text(_MARGIN + (column + 0.5) * _CELL_WIDTH, top, str(column + 1), bold=True))
    top += _LINE / 3
    for row, name in enumerate(rows):
        y = top + row * _CELL_HEIGHT
        parts.append(_text(_MARGIN - 8, y + 17, name, anchor="end", bold=True))
        for column, value in enumerate(values[row].tolist()):
            x = _MARGIN + column * _CELL_WIDTH
            # The farther from 50 %, the less of the middle colour.
            fill = colour([float(np.interp(value, [0, 0.5, 1], channel)) for channel in _COLOURS.T])
            parts.append(element("rect", x=x, y=y, width=_CELL_WIDTH, height=_CELL_HEIGHT, fill=fill))
            ink = "white" if abs(value - 0.5) > 0.36 else "black"
            parts.append(_text(x + _CELL_WIDTH / 2, y + 17, f"{100 * value:.1f}", ink=ink))
    return int(top + len(rows) * _CELL_HEIGHT + 1.5 * _LINE)


def _text(x: float, y: float, words: str, *, anchor: str = "middle", bold: bool = False, ink: str = "black") -> str:
    weight = {"font_weight": "bold"} if bold else {}
    return text(x, y, escape(words), anchor=anchor, fill=ink, **weight)
