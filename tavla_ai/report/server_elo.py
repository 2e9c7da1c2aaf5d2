"""Simulated ratings of the game server as a drawing."""

from __future__ import annotations

import math
from html import escape

from tavla_ai.report.chart import ORANGE, Chart, Frame, colour, drawing, element, line, text
from tavla_ai.strength import EloSimulation

_MARGIN = 56
_FRAME = Frame(720, 400, left=_MARGIN, right=720 - _MARGIN, top=_MARGIN, bottom=400 - _MARGIN)
_POINTS = 300
_OUTER, _INNER, _INK, _BOT = "#c6dbef", "#6baed6", "#08306b", colour(ORANGE)
# Steps between grid lines; the first that gives few lines is used.
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)
_MAX_LINES = 8


def elo_svg(result: EloSimulation) -> str:
    """Return a drawing of the mean rating with bands of half and of nine tenths of the runs, and the bots' ratings."""
    picked = sorted({round(i * result.matches / _POINTS) for i in range(_POINTS + 1)})
    met = [result.bots[name] for name in result.mix]
    low = min(min(met), min(row[0] for row in result.band)) - 25
    high = max(max(met), max(row[-1] for row in result.band)) + 25
    chart = Chart((0, result.matches), (low, high), _FRAME)
    parts = []
    for column, shade in ((0, _OUTER), (1, _INNER)):
        lower = [(match, result.band[match][column]) for match in picked]
        upper = [(match, result.band[match][-1 - column]) for match in picked]
        parts.append(element("polygon", points=chart.corners(lower + upper[::-1]), fill=shade))
    for rating in _ticks(low, high):
        y = chart.y(rating)
        parts += [
            line(_FRAME.left, y, _FRAME.right, y, stroke="#ddd"),
            text(_FRAME.left - 6, y + 4, f"{rating:g}", anchor="end"),
        ]
    parts += [text(chart.x(match), _FRAME.bottom + 18, f"{match:g}") for match in _ticks(0, result.matches)]
    for name in result.mix:
        y = chart.y(result.bots[name])
        parts += [
            line(_FRAME.left, y, _FRAME.right, y, stroke=_BOT, stroke_dasharray="5 4"),
            text(_FRAME.right + 4, y + 4, escape(name), anchor="start", fill=_BOT),
        ]
    mean = chart.corners((match, result.mean[match]) for match in picked)
    parts.append(element("polyline", points=mean, fill="none", stroke=_INK, stroke_width=2))
    title = escape(f"Elo over {result.matches} matches: mean of {result.runs} runs, bands of half and nine tenths")
    middle = _FRAME.width / 2
    parts += [text(middle, _MARGIN / 2, title), text(middle, _FRAME.height - _MARGIN / 4, "rated matches")]
    return drawing(title, _FRAME.width, _FRAME.height, parts)


def _ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers from low to high."""
    scale = 1
    while True:
        for step in _STEPS:
            if (high - low) / (step * scale) <= _MAX_LINES:
                size = step * scale
                return [size * i for i in range(math.ceil(low / size), math.floor(high / size) + 1)]
        scale *= 1000
