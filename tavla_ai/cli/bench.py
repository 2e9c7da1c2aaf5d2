"""`tavla bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from tavla_ai.bench import MEASURES, DecideReport, Measure, decision_costs, run_bench
from tavla_ai.bots.peers import peers_able_to
from tavla_ai.cli._options import json_option, ruleset_option
from tavla_ai.cli._printing import print_json, print_table
from tavla_ai.cli.train import become_trainer
from tavla_ai.network import load_checkpoint, load_strongest
from tavla_ai.rules import get_ruleset

# Timed by the trainer, which the play-time package does not import.
_LEARN: Literal["learn"] = "learn"
# Timed in processor time a decision, not in things a second.
_DECIDE: Literal["decide"] = "decide"


@click.command()
@click.argument(
    "measures",
    nargs=-1,
    type=click.Choice((*MEASURES, _DECIDE, _LEARN)),
    metavar="[plays|evaluate|selfplay|search|tournament|decide|learn]...",
)
@ruleset_option
@click.option(
    "--checkpoint",
    type=Path,
    metavar="DIR",
    help="Checkpoint of the network that plays.  [default: untrained weights; for decide the strongest shipped one]",
)
@click.option(
    "--against",
    type=click.Choice(peers_able_to("evaluate", "count plays")),
    help="Let an outside engine do the same work beside ours.",
)
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Timed repeats.")
@json_option
def bench(
    measures: tuple[Measure | Literal["decide", "learn"], ...],
    ruleset_name: str,
    checkpoint: Path | None,
    against: str | None,
    repeats: int,
    as_json: bool,
) -> None:
    """Time the engine on one core.

    With --against the ratio to an outside engine is shown; it needs the extra [peers].

    `decide` shows the processor time of one decision through the Python functions, beside that of the engine alone.
    `learn` times the learner in a checkout; `python -m train.bench --help` lists its options. Each of these two is
    timed by itself.

    \b
    Examples:
      tavla bench selfplay --checkpoint tavla
      tavla bench decide --ruleset oyna-tavla
    """
    ruleset = get_ruleset(ruleset_name)
    if _DECIDE in measures:
        if len(measures) > 1 or against is not None:
            raise click.UsageError("decide is timed by itself, without --against")
        decider = load_strongest(ruleset) if checkpoint is None else load_checkpoint(checkpoint, ruleset)
        _print_decisions(decision_costs(ruleset, decider, repeats), as_json)
        return
    if _LEARN in measures:
        if len(measures) > 1 or checkpoint is not None or against is not None:
            raise click.UsageError("learn is timed by itself, without --checkpoint or --against")
        options = ["--ruleset", ruleset_name, "--repeats", str(repeats), *(["--json"] if as_json else [])]
        become_trainer("train.bench", *options)
    loaded = None if checkpoint is None else load_checkpoint(checkpoint, ruleset)
    chosen = tuple(measure for measure in measures if measure not in (_DECIDE, _LEARN))
    report = run_bench(ruleset, chosen or MEASURES, loaded, repeats, against)
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    print_table(
        f"{report.ruleset}, {report.network}, {report.kernels}, one core",
        ["measure", "counted", "a second", "slowest", "fastest", "each repeat", "ms, median"],
        [
            [
                result.measure,
                result.unit,
                f"{result.median:,.0f}",
                f"{result.slowest:,.0f}",
                f"{result.fastest:,.0f}",
                f"{result.count:,}",
                "" if result.median_ms is None else f"{result.median_ms:.3f}",
            ]
            for result in report.results
        ],
        num_text=2,
    )
    for result in report.results:
        if result.ratio is not None:
            peer = f"{result.peer} ({result.peer_median:,.0f} {result.unit} a second)"
            click.echo(f"{result.measure}: {result.ratio:,.1f} times {peer}")


def _print_decisions(report: DecideReport, as_json: bool) -> None:
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    print_table(
        f"{report.ruleset}, {report.network}, {report.kernels}, processor time on one core",
        ["decision", "decisions", "µs, fastest", "µs, median", "times the engine"],
        [
            [
                cost.decision,
                f"{cost.count:,}",
                f"{cost.fastest_us:,.1f}",
                f"{cost.median_us:,.1f}",
                "" if cost.ratio is None else f"{cost.ratio:.2f}",
            ]
            for cost in report.costs
        ],
        num_text=1,
    )
