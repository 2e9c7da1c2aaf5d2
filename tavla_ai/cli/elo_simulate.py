"""`tavla elo-simulate`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.cli._options import json_option, ratings_option, read_numbers, seed_option
from tavla_ai.cli._printing import print_json, print_table
from tavla_ai.report.server_elo import elo_svg
from tavla_ai.strength import EloSimulation, server_elo

# Rows of the table, by number of matches; the last match is added.
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
@ratings_option("--bots", "BOT=ELO,...", "The bots' fixed ratings.")
@click.option(
    "--mix",
    callback=read_numbers,
    metavar="BOT=N,...",
    help="Relative frequency of matches against each bot.  [default: equal]",
)
@click.option(
    "--matches",
    type=click.IntRange(1, server_elo.MAX_MATCHES),
    default=200,
    show_default=True,
    help="Rated matches of a career.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, server_elo.MAX_RUNS),
    default=2000,
    show_default=True,
    help="Number of simulated careers of the player.",
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
    """Simulate the rating that a player reaches under the game server's own Elo.

    The player starts at 1500. K is 32 for the first 30 matches and 16 afterwards. The rating is rounded after each
    match, halves up. The bots' ratings are fixed. A match counts once, whether or not it was won by a mars.

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
        plot_path.write_text(elo_svg(result), encoding="utf-8")
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
        click.echo("Without rounding no rating would balance wins and losses: the player only wins or only loses.")
    else:
        click.echo(f"Without rounding, wins and losses balance at {result.settles_at:.1f}.")
