"""`tavla analyze`, for a position or a match file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from tavla_ai.cli._options import NetworkOptions, json_option, network_options, parameter_names, ply_option
from tavla_ai.cli._stakes import StakesOptions, stakes_options
from tavla_ai.cli.analyze_match import MatchOptions, analyze_match_file, match_options
from tavla_ai.cli.analyze_position import PositionOptions, analyze_position, position_options
from tavla_ai.errors import TavlaError


@click.command()
@click.argument("match_file", type=Path, required=False, metavar="[MATCH]")
@position_options
@stakes_options
@match_options
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Plays to show; of a match, the worst decisions.  [default: 5; of a match 10]",
)
@network_options
@ply_option
@json_option
@click.pass_context
def analyze(
    ctx: click.Context,
    match_file: Path | None,
    position: PositionOptions,
    stakes: StakesOptions,
    match: MatchOptions,
    top: int | None,
    network: NetworkOptions,
    ply: int,
    as_json: bool,
) -> None:
    """Evaluate a position and the plays of a roll, or judge every decision of a match file.

    An XGID, a GNUbg ID or a FIBS board also gives the score, the cube and the dice.

    For a match file (.mat, or JSON for any game and for sets), the strongest shipped network of the game (or
    --checkpoint) says what each decision lost and how lucky each roll was. A file that names one of our games is
    judged as that game, unless --ruleset names another. Losses are in points of the game. The error rate is in
    thousandths of a point per decision that had a choice.

    \b
    Examples:
      tavla analyze --dice 31
      tavla analyze --position 4HPwATDgc/ABMA --dice 62 --match 5 --score 2-3 --ply 2
      tavla analyze --dice 43 --top 2 --rollout 36 --svg board.svg
      tavla analyze match.mat --html report.html
    """
    if match_file is not None:
        of_a_position = (*parameter_names(PositionOptions), *parameter_names(StakesOptions), "set_name")
        _refuse(ctx, of_a_position, "only for a position, not for a match file")
        analyze_match_file(match_file, match, network, ply=ply, top=top or 10, as_json=as_json)
    else:
        _refuse(ctx, parameter_names(MatchOptions), "only for a match file; expected MATCH with it")
        analyze_position(position, stakes, network.evaluator(), ply=ply, top=top or 5, as_json=as_json)


def _refuse(ctx: click.Context, names: Sequence[str], why: str) -> None:
    """Raise if one of these parameters was given."""
    for param in ctx.command.params:
        if param.name in names and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise TavlaError(f"{param.opts[0]}: {why}")
