"""`tavla measure`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.bots import LEVEL_NAMES, Levels, RatedLevel, baselines_of, level_name
from tavla_ai.cli._options import json_option, levels_option, seed_option, workers_option
from tavla_ai.cli._printing import print_json, progress
from tavla_ai.cli.inspect import print_strength
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.network import Card, load_checkpoint
from tavla_ai.rules import DEFAULT_RULESET, get_ruleset
from tavla_ai.strength import load_judged_set, measure_checkpoint, measure_level


@click.command()
@click.argument("what", metavar="CHECKPOINT|LEVEL")
@click.option(
    "--opponent",
    "opponents",
    metavar="BOT",
    multiple=True,
    help="An opponent, named as in `tavla tournament`; may be repeated.  [default: random, and pubeval or, "
    "where it does not play, baseline; with --positions none]",
)
@click.option(
    "--games", type=int, default=20_000, show_default=True, help="Games against each opponent, an even number."
)
@seed_option("Seed of the dice. The dice that chose the network would flatter it.", default=77)
@click.option(
    "--ply", type=click.IntRange(0, MAX_PLY), default=0, show_default=True, help="Look-ahead of the checkpoint."
)
@click.option(
    "--positions",
    type=Path,
    metavar="FILE",
    multiple=True,
    help="Judged decisions, such as benchmarks/reporting.npz; may be repeated.",
)
@click.option(
    "--replace", "may_replace", is_flag=True, help="Let a result of fewer games replace a result of more games."
)
@click.option("--luck/--no-luck", help="Also measure the result without luck, except against baselines.")
@workers_option
@levels_option
@click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help=f"The house of the level.  [default: {DEFAULT_RULESET}]"
)
@json_option
def measure(
    what: str,
    opponents: tuple[str, ...],
    games: int,
    seed: int,
    ply: int,
    positions: tuple[Path, ...],
    may_replace: bool,
    luck: bool,
    workers: int,
    levels: Levels,
    ruleset_name: str | None,
    as_json: bool,
) -> None:
    """Measure a checkpoint or a level; its card or the file of levels keeps the figures.

    CHECKPOINT is a folder. LEVEL is `easy`, `medium` or `hard`; a folder with such a name is written `./hard`. A new
    figure replaces the figure against the same opponent, or on the same decisions, at the same look-ahead. Outside
    engines such as gnubg:0 need the extra [peers].

    \b
    Example:
      tavla measure runs/quick/final --opponent random --opponent gnubg:0 --games 20000
      tavla measure hard --positions benchmarks/reporting.npz
    """
    if len({path.stem for path in positions}) < len(positions):
        raise TavlaError(f"--positions {', '.join(map(str, positions))}: expected files of different names")
    judged = {path.stem: load_judged_set(path) for path in positions}
    is_level = what in LEVEL_NAMES
    if is_level and (ply or luck):
        raise TavlaError(f"{what}: a level has its own look-ahead; expected no --ply and no --luck")
    if not is_level and ruleset_name is not None:
        raise TavlaError("--ruleset: a checkpoint is measured in the game it was trained for")
    ruleset = get_ruleset(ruleset_name or DEFAULT_RULESET) if is_level else load_checkpoint(what).card.ruleset
    names = opponents or (() if positions else baselines_of(ruleset))
    total = len(names) * games + sum(len(decisions.boards) for decisions in judged.values())
    measured: Card | RatedLevel
    with progress("games and decisions", total) as advance:
        if is_level:
            measured = measure_level(
                level_name(what),
                levels,
                ruleset,
                None,
                names,
                games,
                seed,
                judged,
                may_replace=may_replace,
                workers=workers,
                progress=advance,
            )
        else:
            measured = measure_checkpoint(
                what,
                names,
                games,
                seed,
                judged,
                ply=ply,
                luck=luck,
                levels=levels,
                may_replace=may_replace,
                workers=workers,
                progress=advance,
            )
    if as_json:
        print_json(measured.model_dump(mode="json"))
    else:
        print_strength(measured)
