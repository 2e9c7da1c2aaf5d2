"""A Mermaid flowchart as an SVG picture, since Mermaid's own script would be loaded from outside.

It knows what the pages use: nodes `name["text"]` and arrows `a --> b`, with or without a label, from top to bottom.
"""

from __future__ import annotations

import re
import textwrap
from xml.sax.saxutils import escape

_WIDTH, _BOX, _LINE, _GAP = 960, 236, 18, 46
_NODE = re.compile(r'^\s*(\w+)\["(.*)"\]$', re.MULTILINE)
_ARROW = re.compile(r"^\s*(\w+) -->(?:\|.*\|)? (\w+)$", re.MULTILINE)


def flowchart_svg(source: str) -> str:
    """Return the picture of a flowchart; an arrow to a node that stands earlier in the source is drawn dashed."""
    texts = {name: textwrap.wrap(text, 32) for name, text in _NODE.findall(source)}
    order = {name: i for i, name in enumerate(texts)}
    arrows = _ARROW.findall(source)
    layer = dict.fromkeys(texts, 0)
    for name in texts:
        layer[name] = max((layer[a] + 1 for a, b in arrows if b == name and order[a] < order[b]), default=0)
    # Where each box is: its middle, its top and its height.
    place: dict[str, tuple[float, float, float]] = {}
    top = 4.0
    for depth in range(max(layer.values()) + 1):
        row = [name for name in texts if layer[name] == depth]
        for i, name in enumerate(row):
            place[name] = (_WIDTH * (i + 0.5) / len(row), top, _LINE * len(texts[name]) + 16)
        top += max(place[name][2] for name in row) + _GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" class="flowchart" viewBox="0 0 {_WIDTH} {top - _GAP + 4:.0f}">']
    parts.append('<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" ')
    parts.append('orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>')
    for a, b in arrows:
        (x, above, height), (to_x, to_y, _) = place[a], place[b]
        if order[a] < order[b]:
            y, bend = above + height, 0.5 * _GAP
            line = f"M{x:.0f} {y:.0f} C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
            parts.append(f'<path class="line" d="{line}" marker-end="url(#arrow)"/>')
        else:
            y, to_y = above + height / 2, to_y + place[b][2] / 2
            x, to_x = x + _BOX / 2, to_x + _BOX / 2
            line = f"M{x:.0f} {y:.0f} C{x + 90:.0f} {y:.0f} {to_x + 90:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"
            parts.append(f'<path class="line back" d="{line}" marker-end="url(#arrow)"/>')
    for name, (x, above, height) in place.items():
        parts.append(f'<rect x="{x - _BOX / 2:.0f}" y="{above:.0f}" width="{_BOX}" height="{height:.0f}" rx="6"/>')
        for i, text in enumerate(texts[name]):
            parts.append(f'<text x="{x:.0f}" y="{above + 8 + _LINE * (i + 0.75):.0f}">{escape(text)}</text>')
    return "\n".join((*parts, "</svg>"))
