"""`tavla met`."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click
import numpy as np
import numpy.typing as npt

from tavla_ai.cli._options import json_option
from tavla_ai.cli._printing import percent, print_json, print_table, progress
from tavla_ai.errors import RulesetError
from tavla_ai.match import MAX_LENGTH, MatchEquity, Starter, match_equity
from tavla_ai.report.match_equity import MatchEquityTable, match_equity_svg
from tavla_ai.rules import MatchSet, Ruleset, games_of, get_game
from tavla_ai.strength import ScoreShares, assumed_shares, measure_card_shares, shares_of_cards

_STARTERS: dict[Starter, str] = {
    "fresh": "either side starts",
    "me": "the player starts",
    "opponent": "the opponent starts",
}


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
    help="Who starts the game: after an opening roll, or the winner of the previous game.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    metavar="DIR",
    multiple=True,
    help="Take a game's score shares from this checkpoint's card; repeat it for a set of games.",
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
    help="First let each checkpoint play this many games against itself; its card keeps the shares.",
)
@click.option("--csv", "csv_path", type=Path, metavar="FILE", help="Write the table, one line for each score.")
@click.option("--plot", "plot_path", type=Path, metavar="FILE", help="Draw the table as a heat map (SVG).")
@json_option
def met(
    name: str,
    length: int | None,
    starter: Starter,
    checkpoints: tuple[str, ...],
    given: tuple[str, ...],
    games: int | None,
    csv_path: Path | None,
    plot_path: Path | None,
    as_json: bool,
) -> None:
    """Print a match equity table: the chance of winning a match at every score.

    The table follows from score shares: how often a game ends with each score. A checkpoint's card may have measured
    ones; otherwise as many marses are assumed as the shipped network of the game wins. Rows are the points that the
    player still needs, columns the opponent's.

    \b
    Examples:
      tavla met --ruleset zar-greek --length 5
      tavla met --checkpoint tavla/hard
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
        ruleset.name: known.get(ruleset.name) or assumed_shares(ruleset, shares)
        for ruleset, shares in zip(equity.games, equity.shares, strict=True)
    }
    tables = _tables(game, equity, starter, sources)
    if csv_path is not None:
        _write_csv(csv_path, tables, starter)
    if plot_path is not None:
        plot_path.write_text(match_equity_svg(tables), encoding="utf-8")
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
) -> list[MatchEquityTable]:
    tables = []
    for index, ruleset in enumerate(equity.games):
        which = game.name if len(equity.games) == 1 else f"{game.name}, game {index + 1}: {ruleset.name}"
        title = (
            f"{which}, match to {equity.length}, {_STARTERS[starter]}: match-winning chance in %\n"
            f"Score shares of {ruleset.name}: {sources[ruleset.name].source}"
        )
        tables.append(
            MatchEquityTable(
                ruleset.name,
                title,
                equity.table(index, starter)[1:, 1:],
                equity.after_crawford(index, starter)[1:] if equity.has_crawford and equity.length > 1 else None,
            )
        )
    return tables


def _rows(names: Sequence[str], values: npt.NDArray[np.float64]) -> list[list[str]]:
    return [[name, *map(percent, row)] for name, row in zip(names, values.tolist(), strict=True)]


def _write_csv(path: Path, tables: Sequence[MatchEquityTable], starter: Starter) -> None:
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
