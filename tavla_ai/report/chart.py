"""Charts as SVG: their elements, charts within a page, and drawings in files of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tavla_ai.stats import interval_95

# Colour-blind readers can tell blue from orange.
BLUE, ORANGE = (33, 102, 172), (217, 95, 2)


@dataclass(frozen=True)
class Frame:
    """Size of a chart and of its plotting area."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int


PAGE_FRAME = Frame(640, 170, left=44, right=632, top=12, bottom=150)
# A plot of intervals: height of a row, right edge of the names, size of letters, and width of the plot.
_ROW, _NAMES, _LETTERS, _PLOT_WIDTH = 26, 300, 44, 760


def element(name: str, html: str = "", /, **attributes: str | float) -> str:
    """Return an SVG element.

    Args:
      html: content of the element.
      attributes: attributes by name, with `_` for `-` and after a keyword of Python; numbers are rounded to a tenth.
    """
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{html}</{name}>" if html else f"<{name}{written}/>"


def text(x: float, y: float, html: str, *, anchor: str = "middle", **attributes: str | float) -> str:
    """Return a text that begins, ends or is centred at `x`, by its anchor; attributes as in `element`."""
    return element("text", html, x=x, y=y, text_anchor=anchor, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float) -> str:
    """Return a straight line; attributes as in `element`."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def colour(channels: Sequence[float]) -> str:
    """Return red, green and blue, each 0 to 255, as SVG writes them."""
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def drawing(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return a drawing on white for a file of its own; `title` is HTML."""
    inside = [
        element("title", title),
        element("rect", width=width, height=height, fill="white"),
        *parts,
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_value(width)} {_value(height)}"'
        f' width="{_value(width)}" height="{_value(height)}" role="img" font-family="sans-serif" font-size="12">\n'
        + "\n".join(inside)
        + "\n</svg>\n"
    )


class Chart:
    """A chart of lines, dots and bars with two ranges of values."""

    def __init__(self, across: tuple[float, float], up: tuple[float, float], frame: Frame = PAGE_FRAME) -> None:
        self.first, self.last = across
        self.low, self.high = up
        self.frame = frame

    def x(self, value: float) -> float:
        """Return the horizontal place of a value."""
        return self.frame.left + (self.frame.right - self.frame.left) * (value - self.first) / (self.last - self.first)

    def y(self, value: float) -> float:
        """Return the vertical place of a value."""
        return self.frame.bottom - (self.frame.bottom - self.frame.top) * (value - self.low) / (self.high - self.low)

    def corners(self, points: Iterable[tuple[float, float]]) -> str:
        """Return points (across, up) as corners of a line or a polygon."""
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def line(self, points: Iterable[tuple[float, float]], kind: str) -> str:
        """Return a line through points (across, up); `kind` is its class."""
        return element("polyline", class_=f"line {kind}", points=self.corners(points))

    def dot(self, across: float, up: float, kind: str, radius: float, title: str = "") -> str:
        """Return a dot; `kind` is its class, `title` the HTML of its tooltip."""
        inside = element("title", title) if title else ""
        return element("circle", inside, class_=kind, cx=self.x(across), cy=self.y(up), r=radius)

    def svg(
        self,
        name: str,
        ticks: Sequence[tuple[float, str]],
        parts: Sequence[str],
        across: Sequence[tuple[float, str]] = (),
    ) -> str:
        """Return the chart with its name, and marks (value, HTML) on its two axes."""
        frame = self.frame
        marks = []
        for value, mark in ticks:
            y = self.y(value)
            marks += [
                line(frame.left, y, frame.right, y, class_="axis"),
                text(frame.left - 6, y + 4, mark, anchor="end"),
            ]
        marks += [text(self.x(value), frame.bottom + 14, mark) for value, mark in across]
        caption = text(frame.left, frame.top - 2 if across else frame.height - 4, name, anchor="start")
        inside = "\n".join((element("title", name), *marks, *parts, caption))
        return f'<svg role="img" viewBox="0 0 {frame.width} {frame.height}">\n{inside}\n</svg>'


def histogram(name: str, counts: Sequence[int], edges: Sequence[float], marks: Sequence[tuple[float, str]]) -> str:
    """Return a chart of bars between edges, with heights by count and marks (value, HTML) on the lower axis."""
    most = max(1, *counts)
    chart = Chart((edges[0], edges[-1]), (0, most))
    bars = [
        element(
            "rect",
            element("title", str(count)),
            class_="bar",
            x=chart.x(begin) + 1,
            width=max(1.0, chart.x(end) - chart.x(begin) - 2),
            y=chart.y(count),
            height=chart.y(0) - chart.y(count),
        )
        for count, begin, end in zip(counts, edges, edges[1:], strict=False)
    ]
    return chart.svg(name, [(0, "0"), (most, str(most))], bars, marks)


def interval_plot(
    rows: Sequence[tuple[str, Sequence[tuple[str, float, float]]]], written: Callable[[float], str]
) -> str:
    """Return a plot with a row of 95 % intervals for each name.

    Args:
      rows: names, each with (class, mean, standard error) of its intervals.
      written: function that formats a value as HTML.
    """
    bounds = [interval_95(mean, error) for _, own in rows for _, mean, error in own]
    low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
    pad = 0.05 * (high - low) or 0.1
    foot = _ROW * len(rows) + 16
    frame = Frame(_PLOT_WIDTH, foot + 6, left=_NAMES, right=_PLOT_WIDTH - 30, top=0, bottom=foot - 16)
    chart = Chart((low - pad, high + pad), (0, 1), frame)
    parts = []
    for mark in np.linspace(low, high, 5).tolist():
        x = chart.x(mark)
        parts += [line(x, frame.top, x, frame.bottom, class_="axis"), text(x, foot, written(mark))]
    for i, (name, own) in enumerate(rows):
        middle = _ROW * i + _ROW / 2
        parts.append(text(_NAMES - 8, middle + 4, escape(name[-_LETTERS:]), anchor="end"))
        for j, (kind, mean, error) in enumerate(own):
            y = middle + 8 * (j - (len(own) - 1) / 2)
            least, most = interval_95(mean, error)
            title = element("title", f"{written(mean)}, {written(least)} to {written(most)}")
            parts += [
                line(chart.x(least), y, chart.x(most), y, class_=f"line {kind}"),
                element("circle", title, class_=f"dot-{kind}", cx=chart.x(mean), cy=y, r=3.5),
            ]
    inside = "\n".join(parts)
    return f'<svg class="plot" role="img" viewBox="0 0 {frame.width} {frame.height}">\n{inside}\n</svg>'


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
