"""`tavla met`."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args
from xml.sax.saxutils import escape

import click
import numpy as np
import numpy.typing as npt

from tavla_ai.cli._options import json_option
from tavla_ai.cli._printing import percent, print_json, print_table, progress
from tavla_ai.errors import RulesetError
from tavla_ai.match import MAX_LENGTH, MatchEquity, Starter, match_equity
from tavla_ai.rules import MatchSet, Ruleset, games_of, get_game
from tavla_ai.strength import ScoreShares, assumed_shares, measure_card_shares, shares_of_cards

_STARTERS: dict[Starter, str] = {
    "fresh": "either side starts",
    "me": "I start",
    "opponent": "the opponent starts",
}


@dataclass(frozen=True)
class _Table:
    """What is shown of one game: mwc `[length, length]` from 1-away on, `[length]` after the Crawford game."""

    game: str
    title: str
    mwc: npt.NDArray[np.float64]
    after_crawford: npt.NDArray[np.float64] | None


@click.command()
@click.option(
    "--ruleset",
    "name",
    metavar="NAME",
    default="north-sultan",
    show_default=True,
    help="The game, or the set of games; `tavla rulesets` lists them.",
)
@click.option(
    "--length",
    type=click.IntRange(1, MAX_LENGTH),
    metavar="POINTS",
    help="Points that win the match.  [default: the house's]",
)
@click.option(
    "--starter",
    type=click.Choice(get_args(Starter)),
    default="fresh",
    show_default=True,
    help="Who starts the game: after an opening roll, or the winner of the game before.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    type=Path,
    metavar="DIR",
    multiple=True,
    help="Take a game's score shares from this checkpoint's card; more than once for a set.",
)
@click.option(
    "--shares",
    "given",
    metavar="[GAME=]P,P,...",
    multiple=True,
    help="Give a game's score shares: the probability of each score for the side that starts, best first.",
)
@click.option(
    "--measure",
    "games",
    type=click.IntRange(min=1),
    metavar="GAMES",
    help="Let each checkpoint play this many games against itself first, and keep the shares in its card.",
)
@click.option("--csv", "csv_path", type=Path, metavar="FILE", help="Write the table, one line for each score.")
@click.option("--plot", "plot_path", type=Path, metavar="FILE", help="Draw the table as a heat map (SVG).")
@json_option
def met(
    name: str,
    length: int | None,
    starter: Starter,
    checkpoints: tuple[Path, ...],
    given: tuple[str, ...],
    games: int | None,
    csv_path: Path | None,
    plot_path: Path | None,
    as_json: bool,
) -> None:
    """Print a match equity table: the chance of winning a match at every score.

    It follows from how often a game ends with each score, which a checkpoint's card may hold; what nobody has
    measured is assumed. Rows are the points that I still need, columns those of the opponent.

    \b
    Examples:
      tavla met --ruleset zar-greek --length 5
      tavla met --checkpoint checkpoints/tavla --measure 2000
    """
    game = get_game(name)
    length = length or game.default_match_length
    if games is not None:
        if not checkpoints:
            raise click.UsageError("--measure: expected --checkpoint with it")
        for path in checkpoints:
            with progress("games", games) as advance:
                measure_card_shares(path, games, os.cpu_count() or 1, advance)
    known = shares_of_cards(game, checkpoints) | _given_shares(game, given)
    equity = match_equity(game, length, {ruleset: shares.values for ruleset, shares in known.items()})
    sources = {
        ruleset.name: known.get(ruleset.name, assumed_shares(ruleset, shares))
        for ruleset, shares in zip(equity.games, equity.shares, strict=True)
    }
    tables = _tables(game, equity, starter, sources)
    if csv_path is not None:
        _write_csv(csv_path, tables, starter)
    if plot_path is not None:
        plot_path.write_text(_svg(tables), encoding="utf-8")
    if as_json:
        print_json(
            {
                "ruleset": game.name,
                "length": length,
                "starter": starter,
                "score_shares": {
                    ruleset: {"shares": shares.values, "source": shares.source} for ruleset, shares in sources.items()
                },
                "tables": [
                    {
                        "game": table.game,
                        "mwc": table.mwc.tolist(),
                        "after_crawford": None if table.after_crawford is None else table.after_crawford.tolist(),
                    }
                    for table in tables
                ],
            }
        )
        return
    needs = [str(away) for away in range(1, length + 1)]
    for table in tables:
        print_table(table.title, ["away", *needs], _rows(needs, table.mwc))
        if table.after_crawford is not None:
            print_table(
                "After the Crawford game, the opponent 1 away",
                ["away", *needs],
                _rows(["%"], table.after_crawford[None]),
            )


def _given_shares(game: Ruleset | MatchSet, given: Sequence[str]) -> dict[str, ScoreShares]:
    """Return the score shares that the user gave, by ruleset."""
    rulesets = games_of(game)
    names = ", ".join(ruleset.name for ruleset in rulesets)
    known: dict[str, ScoreShares] = {}
    for text in given:
        named, _, numbers = text.rpartition("=")
        if not named and len(rulesets) > 1:
            raise RulesetError(f"--shares {text!r}: expected GAME=P,P,... with one of {names}")
        try:
            values = tuple(float(number) for number in numbers.split(","))
        except ValueError:
            raise RulesetError(f"--shares {text!r}: expected numbers, such as 0.14,0.37,0.36,0.13") from None
        known[named or rulesets[0].name] = ScoreShares(values, "given")
    return known


def _tables(
    game: Ruleset | MatchSet, equity: MatchEquity, starter: Starter, sources: dict[str, ScoreShares]
) -> list[_Table]:
    tables = []
    for index, ruleset in enumerate(equity.games):
        which = game.name if len(equity.games) == 1 else f"{game.name}, game {index + 1}: {ruleset.name}"
        title = (
            f"{which}, match to {equity.length}, {_STARTERS[starter]}: match-winning chance in %\n"
            f"Score shares of {ruleset.name}: {sources[ruleset.name].source}"
        )
        tables.append(
            _Table(
                ruleset.name,
                title,
                equity.table(index, starter)[1:, 1:],
                equity.after_crawford(index, starter)[1:] if equity.has_crawford and equity.length > 1 else None,
            )
        )
    return tables


def _rows(names: Sequence[str], values: npt.NDArray[np.float64]) -> list[list[str]]:
    return [[name, *map(percent, row)] for name, row in zip(names, values.tolist(), strict=True)]


def _write_csv(path: Path, tables: Sequence[_Table], starter: Starter) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["game", "starter", "after_crawford", "away", "opp_away", "mwc"])
        for table in tables:
            for away, row in enumerate(table.mwc.tolist(), 1):
                for opp_away, mwc in enumerate(row, 1):
                    writer.writerow([table.game, starter, "no", away, opp_away, repr(mwc)])
            if table.after_crawford is not None:
                for away, mwc in enumerate(table.after_crawford.tolist(), 1):
                    writer.writerow([table.game, starter, "yes", away, 1, repr(mwc)])


# The plot

_CELL_WIDTH, _CELL_HEIGHT, _MARGIN, _LINE = 46, 26, 56, 18
# Lost, level, won: orange and blue are told apart by every kind of eye.
_COLOURS = np.array([(217, 95, 2), (250, 250, 250), (33, 102, 172)], dtype=np.float64)


def _svg(tables: Sequence[_Table]) -> str:
    """Return heat maps of the tables, one below the other, as a drawing with a number in each cell."""
    parts: list[str] = []
    top = width = 0
    for table in tables:
        lines = table.title.split("\n")
        for line in lines:
            top += _LINE
            width = max(width, 8 * len(line))
            parts.append(_text(_LINE / 2, top, line, anchor="start", bold=line is lines[0]))
        top = _draw_grid(parts, top, table.mwc, [str(away) for away in range(1, len(table.mwc) + 1)])
        if table.after_crawford is not None:
            parts.append(_text(_LINE / 2, top, "After the Crawford game, the opponent 1 away", anchor="start"))
            top = _draw_grid(parts, top, table.after_crawford[None], ["%"], "my points away")
        width = max(width, _MARGIN + _CELL_WIDTH * len(table.mwc) + _LINE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
        ' role="img" font-family="sans-serif" font-size="12">\n'
        f"<title>{escape(tables[0].title.splitlines()[0])}</title>\n"
        f'<rect width="{width}" height="{top}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _draw_grid(
    parts: list[str],
    top: float,
    values: npt.NDArray[np.float64],
    rows: Sequence[str],
    columns: str = "the opponent's points away; rows: mine",
) -> int:
    """Add a grid of numbers below `top` and return where the next thing may stand."""
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
            # The farther from level, the less of the middle colour.
            colours = [np.interp(value, [0, 0.5, 1], channel) for channel in _COLOURS.T]
            fill = "#" + "".join(f"{round(float(colour)):02x}" for colour in colours)
            parts.append(f'<rect x="{x}" y="{y:g}" width="{_CELL_WIDTH}" height="{_CELL_HEIGHT}" fill="{fill}"/>')
            ink = "white" if abs(value - 0.5) > 0.36 else "black"
            parts.append(_text(x + _CELL_WIDTH / 2, y + 17, percent(value), ink=ink))
    return int(top + len(rows) * _CELL_HEIGHT + 1.5 * _LINE)


def _text(x: float, y: float, text: str, *, anchor: str = "middle", bold: bool = False, ink: str = "black") -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{ink}"{weight}>{escape(text)}</text>'
