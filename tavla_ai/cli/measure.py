"""`tavla measure`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tavla_ai.checkpoint import load_checkpoint
from tavla_ai.cli.checkpoints import print_strength
from tavla_ai.cli.options import json_option
from tavla_ai.cli.printing import print_json, progress
from tavla_ai.engine import MAX_PLY, MAX_SEED
from tavla_ai.error_rate import load_judged_set
from tavla_ai.errors import TavlaError
from tavla_ai.measuring import measure_checkpoint
from tavla_ai.tournament import MAX_WORKERS


@click.command()
@click.argument("checkpoint", type=Path)
@click.option(
    "--opponents",
    metavar="BOT,BOT...",
    default="random,pubeval",
    show_default=True,
    help="Whom it plays, as `tavla tournament` names them; nobody where that is empty.",
)
@click.option("--games", type=int, default=20_000, show_default=True, help="Games against each; even.")
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED),
    default=77,
    show_default=True,
    help="Of the dice. Those that chose the network would flatter it.",
)
@click.option("--ply", type=click.IntRange(0, MAX_PLY), default=0, show_default=True, help="Its look-ahead.")
@click.option(
    "--positions",
    type=Path,
    metavar="FILE",
    multiple=True,
    help="Judged decisions, such as benchmarks/reporting.npz; may be given again.",
)
@click.option("--luck/--no-luck", help="Against other bots than baselines show the result without the luck too.")
@click.option(
    "--workers",
    type=click.IntRange(0, MAX_WORKERS),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each CPU",
    help="Engine threads; 0 is one. Results do not depend on it.",
)
@json_option
def measure(
    checkpoint: Path,
    opponents: str,
    games: int,
    seed: int,
    ply: int,
    positions: tuple[Path, ...],
    luck: bool,
    workers: int,
    as_json: bool,
) -> None:
    """Measure a checkpoint and keep what comes out in its card.

    Figures against the same opponent, or on the same decisions, at the same look-ahead are replaced; others stay.
    Outside engines such as gnubg:0 need the extra [peers].

    \b
    Example:
      tavla measure checkpoints/tavla --opponents random,pubeval --games 400
    """
    names = list(filter(None, opponents.split(",")))
    if not names and not positions:
        raise TavlaError("nothing to measure: expected --opponents or --positions")
    load_checkpoint(checkpoint)
    judged = {path.stem: load_judged_set(path) for path in positions}
    total = len(names) * games + sum(len(decisions.boards) for decisions in judged.values())
    with progress("games and decisions", total) as advance:
        card = measure_checkpoint(
            checkpoint,
            names,
            games,
            seed,
            judged,
            ply=ply,
            luck=luck,
            workers=max(1, workers),
            progress=advance,
        )
    if as_json:
        print_json(card.model_dump(mode="json"))
    else:
        print_strength(card)
