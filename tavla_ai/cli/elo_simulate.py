"""`tavla elo-simulate`."""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape

import click

from tavla_ai.cli._options import json_option, read_numbers, seed_option
from tavla_ai.cli._printing import print_json, print_table
from tavla_ai.strength import EloSimulation, server_elo

# Numbers of matches that the table shows, and the last one.
_SHOWN = (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000)


@click.command("elo-simulate")
@click.option("--strength", type=float, metavar="ELO", help="The player's true rating.")
@click.option(
    "--win",
    "win_chances",
    callback=read_numbers,
    metavar="BOT=P,...",
    help="The chance of winning a match against each bot that the player meets, instead of --strength.",
)
@click.option(
    "--bots",
    callback=read_numbers,
    metavar="BOT=ELO,...",
    default=",".join(f"{name}={rating:.0f}" for name, rating in server_elo.BOTS.items()),
    show_default=True,
    help="The bots' fixed ratings.",
)
@click.option(
    "--mix",
    callback=read_numbers,
    metavar="BOT=N,...",
    help="How often each bot is met, relative to the others.  [default: evenly]",
)
@click.option(
    "--matches",
    type=click.IntRange(1, server_elo.MAX_MATCHES),
    default=200,
    show_default=True,
    help="Rated matches of a run.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, server_elo.MAX_RUNS),
    default=2000,
    show_default=True,
    help="How often the player starts anew.",
)
@seed_option("Seed of the matches.")
@click.option("--plot", "plot_path", type=Path, metavar="FILE", help="Draw the ratings over the matches (SVG).")
@json_option
def elo_simulate(
    strength: float | None,
    win_chances: dict[str, float] | None,
    bots: dict[str, float],
    mix: dict[str, float] | None,
    matches: int,
    runs: int,
    seed: int,
    plot_path: Path | None,
    as_json: bool,
) -> None:
    """Show what rating a player would end at under the game server's own Elo.

    The player starts at 1500; K is 32 for the first 30 matches and 16 after them; the rating is rounded after each
    match, halves up; the bots' ratings are fixed. A match is won or lost, a mars within it is no second win.

    \b
    Examples:
      tavla elo-simulate --strength 1650
      tavla elo-simulate --win easy=0.9,medium=0.6,hard=0.3 --mix easy=1,medium=2,hard=2 --plot elo.svg
    """
    if strength is not None and win_chances is None:
        win_chances = server_elo.chances(strength, bots)
    elif strength is not None or win_chances is None:
        raise click.UsageError("expected either --strength or --win")
    result = server_elo.simulate(win_chances, bots=bots, mix=mix, matches=matches, runs=runs, seed=seed)
    if plot_path is not None:
        plot_path.write_text(_svg(result), encoding="utf-8")
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        _print(result)


def _print(result: EloSimulation) -> None:
    print_table(
        "The player against each bot",
        ["bot", "rating", "met %", "wins %"],
        [
            [name, f"{result.bots[name]:.0f}", f"{100 * share:.1f}", f"{100 * result.win_chances[name]:.1f}"]
            for name, share in result.mix.items()
        ],
    )
    rows = [number for number in _SHOWN if number < result.matches] + [result.matches]
    print_table(
        f"Rating over {result.runs} runs, seed {result.seed}",
        ["matches", "mean", "deviation", *(f"{percentile} %" for percentile in result.percentiles)],
        [
            [
                str(row),
                f"{result.mean[row]:.1f}",
                f"{result.deviation[row]:.1f}",
                *(f"{rating:.0f}" for rating in result.band[row]),
            ]
            for row in rows
        ],
    )
    if result.settles_at is None:
        click.echo("Without rounding no rating would balance wins and losses: one of them never comes.")
    else:
        click.echo(f"Without rounding, wins and losses balance at {result.settles_at:.1f}.")


# The plot

_WIDTH, _HEIGHT, _MARGIN = 720, 400, 56
_POINTS = 300
_OUTER, _INNER, _INK, _BOT = "#c6dbef", "#6baed6", "#08306b", "#d95f02"
# Between grid lines, the first that leaves few of them.
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)
_MAX_LINES = 8


def _svg(result: EloSimulation) -> str:
    """Return a drawing of the mean rating with bands of half and of nine tenths of the runs, and the bots' ratings."""
    picked = sorted({round(i * result.matches / _POINTS) for i in range(_POINTS + 1)})
    met = [result.bots[name] for name in result.mix]
    low = min(min(met), min(row[0] for row in result.band)) - 25
    high = max(max(met), max(row[-1] for row in result.band)) + 25

    def x(match: float) -> float:
        return _MARGIN + (_WIDTH - 2 * _MARGIN) * match / result.matches

    def y(rating: float) -> float:
        return _HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * (rating - low) / (high - low)

    def points(column: int) -> list[str]:
        return [f"{x(match):.1f},{y(result.band[match][column]):.1f}" for match in picked]

    parts = []
    for column, colour in ((0, _OUTER), (1, _INNER)):
        outline = points(column) + points(-1 - column)[::-1]
        parts.append(f'<polygon points="{" ".join(outline)}" fill="{colour}"/>')
    for rating in _ticks(low, high):
        parts.append(_line(x(0), y(rating), x(result.matches), y(rating), "#ddd"))
        parts.append(_text(x(0) - 6, y(rating) + 4, f"{rating:g}", "end"))
    for match in _ticks(0, result.matches):
        parts.append(_text(x(match), _HEIGHT - _MARGIN + 18, f"{match:g}"))
    for name in result.mix:
        rating = result.bots[name]
        parts.append(_line(x(0), y(rating), x(result.matches), y(rating), _BOT, ' stroke-dasharray="5 4"'))
        parts.append(_text(x(result.matches) + 4, y(rating) + 4, name, "start", _BOT))
    mean = " ".join(f"{x(match):.1f},{y(result.mean[match]):.1f}" for match in picked)
    parts.append(f'<polyline points="{mean}" fill="none" stroke="{_INK}" stroke-width="2"/>')
    title = f"Elo over {result.matches} matches: mean, half and nine tenths of {result.runs} runs"
    parts.append(_text(_WIDTH / 2, _MARGIN / 2, title))
    parts.append(_text(_WIDTH / 2, _HEIGHT - _MARGIN / 4, "rated matches"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
        ' role="img" font-family="sans-serif" font-size="12">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from low to high, few enough to be read."""
    scale = 1
    while True:
        for step in _STEPS:
            if (high - low) / (step * scale) <= _MAX_LINES:
                size = step * scale
                return [size * i for i in range(math.ceil(low / size), math.floor(high / size) + 1)]
        scale *= 1000


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def _text(x: float, y: float, text: str, anchor: str = "middle", ink: str = "black") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}">{escape(text)}</text>'
