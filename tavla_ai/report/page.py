"""The frame of a report: a self-contained HTML page, and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

# Colour-blind readers can tell blue from orange.
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #33302b; background: #ffffff; margin: 0 auto; max-width: 1080px;
  padding: 1.5rem 1rem 4rem }
h1 { margin: 0; font-size: 1.7rem } h2 { margin: 2.5rem 0 .5rem; font-size: 1.25rem } h3 { margin: 1.5rem 0 .3rem }
p { margin: .3rem 0 } .quiet { color: #6d675c } a { color: #1f6fb2 }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #e6dfd1; white-space: nowrap }
th { color: #6d675c; font-weight: 600 } .t { text-align: left }
.p0 { color: #1a5c94 } .p1 { color: #a34a10 } .right { background: #fbf8f2 }
td.doubtful { background: #fff3cf } td.error { background: #ffd9b0 }
td.blunder { background: #f7b3a6; font-weight: 600 }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 1rem }
figure { margin: 0 } figcaption { font-weight: 600 } .boards svg { width: 100%; height: auto }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 1rem }
.charts svg { width: 100%; height: auto } .charts text { font: 12px system-ui, sans-serif; fill: #6d675c }
.axis { stroke: #e6dfd1 } .line { fill: none; stroke-width: 2 }
.win { stroke: #33302b } .luck { stroke: #1b7f5c } .skill { stroke: #8a3fa0; stroke-dasharray: 6 3 }
.charts .luck-name { fill: #1b7f5c } .charts .skill-name { fill: #8a3fa0 }
.dot0 { fill: #1f6fb2 } .dot1 { fill: #d9660f }
.bar { fill: #1f6fb2 } .pale { fill: #1f6fb2; fill-opacity: .35 } .raw { stroke: #1f6fb2 } .adjusted { stroke: #d9660f }
.plot { max-width: 760px } .plot text { font: 13px system-ui, sans-serif; fill: #33302b }
.dot-raw { fill: #1f6fb2 } .dot-adjusted { fill: #d9660f }
summary { cursor: pointer; color: #1f6fb2 }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return an HTML document without scripts, links or external pictures.

    Args:
      title: HTML.
      parts: the body's HTML.
    """
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            *parts,
            "</body>\n</html>\n",
        )
    )


def cell(html: str, *, text: bool = False, kind: str = "") -> str:
    """Return a cell of HTML; `kind` is its class."""
    classes = " ".join(filter(None, ("t" * text, kind)))
    return f'<td class="{classes}">{html}</td>' if classes else f"<td>{html}</td>"


def open_table(headers: Sequence[str], num_text: int) -> Iterator[str]:
    """Yield the head of a table; `</table></div>` closes it."""
    cells = "".join(f"<th{' class=t' * (i < num_text)}>{header}</th>" for i, header in enumerate(headers))
    yield f'<div class="wide"><table>\n<tr>{cells}</tr>'


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, num_text: int = 1) -> Iterator[str]:
    """Yield a table of HTML cells, the first columns text and the others numbers."""
    yield from open_table(headers, num_text)
    for row in rows:
        yield f"<tr>{''.join(cell(html, text=i < num_text) for i, html in enumerate(row))}</tr>"
    yield "</table></div>"
