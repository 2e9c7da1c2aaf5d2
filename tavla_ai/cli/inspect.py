"""`tavla inspect`."""

from __future__ import annotations

import click

from tavla_ai.bots import RatedLevel
from tavla_ai.cli._options import json_option
from tavla_ai.cli._printing import percent, plain, print_json, print_table, with_error
from tavla_ai.network import Card, Result, load_checkpoint


@click.command()
@click.argument("checkpoint")
@json_option
def inspect(checkpoint: str, as_json: bool) -> None:
    """Check a checkpoint and show its card: training, network and measured strength.

    CHECKPOINT is a folder or a shipped checkpoint.

    \b
    Example:
      tavla inspect tavla/hard
    """
    loaded = load_checkpoint(checkpoint)
    card = loaded.card
    if as_json:
        print_json(card.model_dump(mode="json"))
        return
    num_weights = sum(array.size for array in loaded.weights.values())
    print_table(checkpoint, ["", ""], _card_rows(card, num_weights), num_text=2)
    if card.lineage:
        _print_lineage(card)
    print_strength(card)


def print_strength(measured: Card | RatedLevel) -> None:
    """Print what was measured of a checkpoint or a level."""
    if not measured.results and not measured.loss_rates:
        click.echo("No results: its strength has not been measured; see tavla measure --help.")
    if measured.results:
        print_table(
            "Results",
            ["opponent", "ply", "games", "points/game", "without luck", "wins %", "mars %", "seed"],
            [_result_cells(result) for result in measured.results],
        )
    if measured.loss_rates:
        print_table(
            "Thousandths of a point lost per decision",
            ["decisions", "judged by", "ply", "number", "lost", "best play %"],
            [
                [
                    rate.positions,
                    rate.judges,
                    str(rate.ply),
                    f"{rate.decisions:,}",
                    with_error(rate.loss, rate.standard_error, ".2f"),
                    percent(rate.best_share),
                ]
                for rate in measured.loss_rates
            ],
            num_text=2,
        )
    if isinstance(measured, Card) and measured.decision_microseconds is not None:
        click.echo(f"A decision at 0-ply took {measured.decision_microseconds:.0f} microseconds on one core.")


def _card_rows(card: Card, num_weights: int) -> list[list[str]]:
    widths = (card.network.num_inputs, *card.network.hidden, card.network.num_scores)
    return [
        ["ruleset", f"{card.ruleset.name} ({card.ruleset.title})"],
        ["network", f"{'-'.join(map(str, widths))}, {num_weights:,} weights, inputs {card.features}"],
        ["games", f"{card.games:,}"],
        ["positions", f"{card.positions:,}"],
        ["starter's scores", _shares_text(card)],
        ["seed", str(card.seed)],
        ["cost", plain(card.cost)],
        ["created", card.created],
        ["parent", card.parent or "none"],
        ["code", plain(card.code)],
        ["versions", plain(card.versions)],
        ["weights sha256", card.weights_sha256],
    ]


def _shares_text(card: Card) -> str:
    """Return how often the side that starts gets each score, as measured in self-play."""
    if card.score_shares is None:
        return "not measured"
    return " / ".join(map(percent, card.score_shares)) + " %, best first"


def _print_lineage(card: Card) -> None:
    print_table(
        "Trained from, oldest first",
        ["weights", "targets", "hidden", "games", "positions", "core-hours", "results, points/game"],
        [
            [
                ancestor.weights_sha256[:12],
                ancestor.targets,
                plain(ancestor.hidden),
                f"{ancestor.games:,}",
                f"{ancestor.positions:,}",
                f"{ancestor.cost['core_hours']:.2f}" if "core_hours" in ancestor.cost else "",
                ", ".join(f"{result.opponent} {result.points_per_game:+.3f}" for result in ancestor.results),
            ]
            for ancestor in card.lineage
        ],
        num_text=3,
    )


def _result_cells(result: Result) -> list[str]:
    return [
        result.opponent,
        str(result.ply),
        f"{result.games:,}",
        with_error(result.points_per_game, result.standard_error, "+.3f"),
        "" if result.adjusted is None else with_error(result.adjusted, result.adjusted_standard_error, "+.3f"),
        percent(result.win_share),
        percent(result.mars_share),
        str(result.seed),
    ]
