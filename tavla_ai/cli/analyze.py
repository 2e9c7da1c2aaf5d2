"""`tavla analyze`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tavla_ai.cli._options import (
    dice_option,
    evaluator_options,
    json_option,
    position_and_stakes_option,
    read_roll,
    read_text,
)
from tavla_ai.cli._printing import percent, play_data, print_json, print_table, progress, write_position
from tavla_ai.cli._stakes import (
    StakesOptions,
    loss_text,
    stakes_data,
    stakes_options,
    stakes_text,
    value_name,
    value_text,
)
from tavla_ai.cli.analyze_match import analyze_file
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import Evaluation, Evaluator, RankedPlay, RolledOut, RolloutSettings, roll_out
from tavla_ai.match import CubeDecision, MatchState
from tavla_ai.rules import Position, Ruleset, format_play

# Parameters of `analyze` that make sense with the one or the other.
_POSITION_OPTIONS = (
    *("position_text", "dice", "length", "score", "game", "is_crawford", "cube", "cube_owner", "set_name"),
    *("time_ms", "explain", "rollout", "seed", "ray_workers", "svg"),
)
_MATCH_OPTIONS = ("html", "is_lenient")


@click.command()
@click.argument("match_file", type=Path, required=False, metavar="[MATCH.mat]")
@position_and_stakes_option
@dice_option
@stakes_options
@evaluator_options
@click.option("--time-ms", type=float, metavar="MS", help="Look deeper until so many milliseconds are spent.")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Plays to show, or of a match the worst decisions.  [default: 5; of a match 10]",
)
@click.option("--explain", is_flag=True, help="Count the rolls with which the opponent hits.")
@click.option("--rollout", type=click.IntRange(min=36), metavar="TRIALS", help="Roll out the plays shown.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Of a rollout's dice.")
@click.option("--ray-workers", type=click.IntRange(1, 1024), metavar="N", help="Ray workers of a rollout.")
@click.option("--svg", type=Path, metavar="FILE", help="Draw the position, with the best play.")
@click.option("--html", type=Path, metavar="FILE", help="Write a report of a match, with boards.")
@click.option("--lenient", "is_lenient", is_flag=True, help="Leave out what the rules do not allow in a match file.")
@json_option
@click.pass_context
def analyze(
    ctx: click.Context,
    match_file: Path | None,
    position_text: str | None,
    dice: str | None,
    stakes: StakesOptions,
    evaluator: Evaluator,
    ply: int,
    time_ms: float | None,
    top: int | None,
    explain: bool,
    rollout: int | None,
    seed: int,
    ray_workers: int | None,
    svg: Path | None,
    html: Path | None,
    is_lenient: bool,
    as_json: bool,
) -> None:
    """Say what a position is worth, and each play of a roll; or go through a match.

    The score and the cube of an XGID, a GNUbg ID or a FIBS board hold, and so do their dice.

    Of a match file, every decision is judged: what it lost, and how lucky the roll was. Losses are in points of
    the game; the error rate is in thousandths of a point for each decision with something to decide.

    \b
    Examples:
      tavla analyze --dice 31
      tavla analyze --position 4HPwATDgc/ABMA --dice 62 --match 5 --score 2-3 --ply 2
      tavla analyze --dice 43 --top 2 --rollout 72 --svg board.svg
      tavla analyze match.mat --html report.html
    """
    if match_file is not None:
        _refuse(ctx, _POSITION_OPTIONS, "of a position, not of a match file")
        analyze_file(match_file, evaluator, ply=ply, top=top or 10, html=html, is_lenient=is_lenient, as_json=as_json)
        return
    _refuse(ctx, _MATCH_OPTIONS, "of a match file; expected MATCH.mat with it")
    ruleset = evaluator.ruleset
    read = read_text(position_text, ruleset)
    match = stakes.match_state(read)
    position = read.position
    roll = read_roll(read, dice)
    before = evaluator.evaluate(position, match, ply=ply, time_ms=time_ms if roll is None else None)
    plays = (
        () if roll is None else evaluator.rank_plays(position, roll, match, ply=ply, time_ms=time_ms, explain=explain)
    )
    shown = plays[: top or 5]
    rolled = () if rollout is None else _rolled_out(evaluator, position, shown, match, ply, rollout, seed, ray_workers)
    cube = None
    if roll is None and ruleset.cube:
        cube = evaluator.cube_decision(position, match, ply=ply)
    if svg is not None:
        from tavla_ai.report.board import board_svg

        best = plays[0].steps if plays else None
        svg.write_text(board_svg(position, ruleset, dice=roll, match=match, play=best), encoding="utf-8")
    if as_json:
        data: dict[str, Any] = {
            "ruleset": ruleset.name,
            "position": write_position(position, ruleset),
            "dice": roll,
            "match": stakes_data(match),
            "unit": "points" if match.length is None else "mwc",
            "scores": ruleset.scores,
            "before_the_roll": _evaluation_data(before),
            "plays": [_play_data(ruleset, position, play) for play in shown],
        }
        if rolled:
            data["rollout"] = [_rolled_data(ruleset, position, result) for result in rolled]
        if cube is not None:
            data["cube"] = vars(cube)
        print_json(data)
        return
    click.echo(position.render(ruleset) + "\n")
    chances = f"{value_text(before.value, match)}, {_chances(before, ruleset)} ({before.ply}-ply)"
    click.echo(f"{stakes_text(match)}; before the roll {chances}")
    if cube is not None:
        values = (
            f"{name} {value_text(value, match)}"
            for name, value in (
                ("rolling", cube.no_double),
                ("double and take", cube.double_take),
                ("double and pass", cube.double_pass),
            )
        )
        click.echo(f"{', '.join(values)}: {_cube_verdict(cube)}")
    if plays:
        assert roll is not None
        title = f"{len(plays)} legal play{'s' if len(plays) > 1 else ''} of {roll[0]}-{roll[1]}"
        _print_plays(evaluator, position, shown, match, title, explain)
    if rolled:
        _print_rollout(ruleset, position, rolled, match)


def _refuse(ctx: click.Context, names: Sequence[str], why: str) -> None:
    """Raise if one of these parameters was given."""
    for param in ctx.command.params:
        if param.name in names and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise TavlaError(f"{param.opts[0]}: {why}")


def _rolled_out(
    evaluator: Evaluator,
    position: Position,
    plays: tuple[RankedPlay, ...],
    match: MatchState,
    ply: int,
    trials: int,
    seed: int,
    workers: int | None,
) -> tuple[RolledOut, ...]:
    if not plays:
        raise RulesetError("--rollout: expected --dice with it; plays are rolled out")
    settings = RolloutSettings(trials=trials, ply=ply, seed=seed)
    total = -(-trials // 36) * 36 * sum(play.score is None for play in plays)
    with progress("trials", total) as advance:
        return roll_out(evaluator, position, plays, match, settings, workers=workers, progress=advance)


def _cube_verdict(decision: CubeDecision) -> str:
    if decision.should_double:
        return "double, take" if decision.should_take else "double, pass"
    return "too good to double" if decision.is_too_good else "no double"


def _chances(evaluation: Evaluation, ruleset: Ruleset) -> str:
    chances = {"win": evaluation.win, "mars": evaluation.mars, "mars lost": evaluation.mars_lost}
    if 0 in ruleset.scores:
        chances["draw"] = evaluation.draw
    return ", ".join(f"{name} {percent(chance)} %" for name, chance in chances.items())


def _print_plays(
    evaluator: Evaluator,
    position: Position,
    plays: tuple[RankedPlay, ...],
    match: MatchState,
    title: str,
    explain: bool,
) -> None:
    ruleset = evaluator.ruleset
    has_draws = 0 in ruleset.scores
    rows = []
    for i, play in enumerate(plays, 1):
        e = play.evaluation
        rows.append(
            [
                str(i),
                format_play(position, play.steps, ruleset),
                f"{e.ply}-ply",
                value_text(e.value, match),
                loss_text(play.loss, match),
                percent(e.win),
                *([percent(e.draw)] if has_draws else []),
                percent(e.mars),
                percent(e.mars_lost),
                *([percent(play.hit_chance)] if explain else []),
            ]
        )
    print_table(
        title,
        ["", "play", "", value_name(match), "loss", "win %"]
        + (["draw %"] if has_draws else [])
        + ["mars %", "mars lost %"]
        + (["hit %"] if explain else []),
        rows,
        num_text=3,
    )


def _print_rollout(ruleset: Ruleset, position: Position, rolled: tuple[RolledOut, ...], match: MatchState) -> None:
    print_table(
        f"Rollout, {max(result.trials for result in rolled):,} trials each; +- is one standard error",
        [
            "",
            "play",
            "points" if match.length is None else "match",
            "+-",
            "loss",
            "+-",
            "win %",
            "mars %",
            "mars lost %",
        ],
        [
            [
                str(i),
                format_play(position, result.play.steps, ruleset),
                value_text(result.evaluation.value, match),
                f"{result.standard_error:.4f}",
                loss_text(result.loss, match),
                "" if i == 1 else f"{result.loss_error:.4f}",
                percent(result.evaluation.win),
                percent(result.evaluation.mars),
                percent(result.evaluation.mars_lost),
            ]
            for i, result in enumerate(rolled, 1)
        ],
        num_text=2,
    )


def _evaluation_data(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "value": evaluation.value,
        "equity": evaluation.equity,
        "win": evaluation.win,
        "draw": evaluation.draw,
        "mars": evaluation.mars,
        "mars_lost": evaluation.mars_lost,
        "outcomes": evaluation.outcomes,
        "ply": evaluation.ply,
    }


def _play_data(ruleset: Ruleset, position: Position, play: RankedPlay) -> dict[str, Any]:
    return (
        play_data(ruleset, position, play)
        | _evaluation_data(play.evaluation)
        | {"loss": play.loss, "hit_chance": play.hit_chance}
    )


def _rolled_data(ruleset: Ruleset, position: Position, result: RolledOut) -> dict[str, Any]:
    return (
        play_data(ruleset, position, result.play)
        | _evaluation_data(result.evaluation)
        | {
            "standard_error": result.standard_error,
            "loss": result.loss,
            "loss_error": result.loss_error,
            "trials": result.trials,
        }
    )
