"""`tavla error-rate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from tavla_ai.bots import Levels, at_ply, load_bot
from tavla_ai.cli._options import (
    json_option,
    levels_option,
    option_group,
    ruleset_option,
    seed_option,
    workers_option,
)
from tavla_ai.cli._printing import percent, print_json, print_table, progress, with_error
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.rules import DEFAULT_RULESET, get_ruleset
from tavla_ai.strength import (
    DEFAULT_JUDGES,
    ErrorRate,
    JudgedSet,
    PhaseRate,
    build_judged_set,
    load_judged_set,
    measure_error_rates,
)

_BENCHMARKS = Path("benchmarks")


@dataclass(frozen=True)
class _SetOptions:
    """A set of judged decisions to make; without a path none is made."""

    path: Path | None
    decisions: int
    seed: int
    judges: str | None
    network: str | None
    rollout_trials: int
    ruleset_name: str


_set_options = option_group(
    "new_set",
    _SetOptions,
    click.option("--build", "path", type=Path, metavar="FILE", help="Make a new set of judged decisions."),
    click.option(
        "--decisions",
        type=click.IntRange(min=1),
        default=5000,
        show_default=True,
        help="Number of decisions of a new set.",
    ),
    seed_option("Seed of a new set's games."),
    click.option(
        "--judges",
        metavar="BOT,BOT...",
        help="Judges of a new set: outside engines or checkpoints, all with the same look-ahead, such as two networks "
        f"that share nothing.  [default: {','.join(DEFAULT_JUDGES)} in games that these play]",
    ),
    click.option(
        "--rollout",
        "rollout_trials",
        type=click.IntRange(min=0),
        default=0,
        metavar="GAMES",
        help="Roll out the plays that the judges, checkpoints, disagree about, this many games each.  [default: 0]",
    ),
    click.option(
        "--network",
        metavar="DIR",
        help="The checkpoint that plays the games of a new set.  [default: the strongest shipped one of the game]",
    ),
    ruleset_option,
)


@click.command("error-rate")
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option("--ply", type=click.IntRange(0, MAX_PLY), help="Look-ahead of the checkpoints.  [default: 0]")
@click.option(
    "--positions",
    type=Path,
    metavar="FILE",
    help="The judged decisions.  [default: benchmarks/choosing.npz, in other games than tavla benchmarks/GAME.npz]",
)
@workers_option
@_set_options
@levels_option
@json_option
def error_rate(
    bots: tuple[str, ...],
    ply: int | None,
    positions: Path | None,
    workers: int,
    new_set: _SetOptions,
    levels: Levels,
    as_json: bool,
) -> None:
    """Measure the loss of bots per decision, in thousandths of a point, on decisions judged by deeper engines.

    Bots are named as in `tavla tournament`. The +- is one standard error. The difference from the first bot is more
    exact than the losses, because all bots play the same decisions. *far* is the share of decisions in which a bot made
    a play that no judge thought close. Measuring needs no judge, since the file has the value of each play. --build
    makes such a file, or resumes an interrupted one; the default judges need the extra [peers]. Choose networks with
    one set and report with another.

    \b
    Example:
      tavla error-rate tavla/hard tavla/hard@1 pubeval --positions benchmarks/reporting.npz
      tavla error-rate fevga/hard baseline --ruleset fevga
      tavla error-rate --build mine.npz --decisions 200 --seed 12 --judges gnubg:2,sage:2
    """
    if new_set.path is not None:
        if bots:
            raise click.UsageError("--build takes no bots; measure bots with --positions")
        _build(new_set.path, new_set, as_json)
        return
    if not bots:
        raise TavlaError("no bot: expected at least one, such as hard or pubeval")
    positions = positions or _default_positions(new_set.ruleset_name)
    judged = load_judged_set(positions)
    players = [load_bot(at_ply(spec, ply or 0), judged.ruleset, levels) for spec in bots]
    with progress("decisions", len(players) * len(judged.boards)) as advance:
        rates = measure_error_rates(judged, players, workers, advance)
    if as_json:
        header = judged.header.model_dump(mode="json")
        print_json(
            {"positions": str(positions), "set": header, "bots": [rate.model_dump(mode="json") for rate in rates]}
        )
        return
    _print_rates(positions, judged, rates)


def _default_positions(ruleset_name: str) -> Path:
    """Return the set of the repository by which networks of a game are chosen."""
    ruleset = get_ruleset(ruleset_name)
    is_tavla = ruleset.plays_like(get_ruleset(DEFAULT_RULESET))
    return _BENCHMARKS / ("choosing.npz" if is_tavla else f"{ruleset.name}.npz")


def _build(path: Path, new_set: _SetOptions, as_json: bool) -> None:
    ruleset = get_ruleset(new_set.ruleset_name)
    if new_set.judges is None and not ruleset.has_western_movement:
        raise TavlaError(
            f"--judges: {' and '.join(DEFAULT_JUDGES)} do not play {ruleset.name}; expected two networks that share "
            f"nothing, with their look-ahead, such as {ruleset.name}/hard@2,DIR@2"
        )
    judges = DEFAULT_JUDGES if new_set.judges is None else tuple(filter(None, new_set.judges.split(",")))
    with progress("decisions", new_set.decisions) as advance:
        built = build_judged_set(
            path,
            ruleset,
            new_set.network,
            judges,
            new_set.decisions,
            new_set.seed,
            advance,
            rollout_trials=new_set.rollout_trials,
        )
    if as_json:
        print_json({"path": str(path), "set": built.header.model_dump(mode="json")})
    else:
        click.echo(f"{path}: {len(built.boards):,} decisions, {len(built.depths):,} plays")


def _print_rates(path: Path, judged: JudgedSet, rates: list[ErrorRate]) -> None:
    names = " and ".join(judge.name for judge in judged.header.judges)
    phases = list(rates[0].phases)
    print_table(
        f"{path}, {judged.header.ruleset}, {judged.header.decisions:,} decisions judged by {names}: "
        "thousandths of a point lost per decision",
        [
            "bot",
            "lost",
            "than the first",
            "best play %",
            *(f"{phase} ({rates[0].phases[phase].decisions:,})" for phase in phases),
            "far %",
        ],
        [
            [
                rate.bot,
                _loss(rate),
                "" if rate.difference is None else with_error(rate.difference, rate.difference_error, "+.2f"),
                percent(rate.best_share),
                *(_loss(rate.phases[phase]) for phase in phases),
                percent(rate.shallow_share),
            ]
            for rate in rates
        ],
    )
    for rate in rates:
        if rate.faults:
            click.echo(f"{rate.bot}: failed in {rate.faults} decisions, which are left out")


def _loss(rate: PhaseRate) -> str:
    return "" if rate.loss is None else with_error(rate.loss, rate.standard_error, ".2f")
