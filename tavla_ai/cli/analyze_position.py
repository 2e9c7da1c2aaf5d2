"""`tavla analyze` of a position."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tavla_ai.cli._options import (
    dice_option,
    option_group,
    position_and_stakes_option,
    read_roll,
    read_text,
    seed_option,
)
from tavla_ai.cli._printing import percent, play_data, print_json, print_table, progress, write_position
from tavla_ai.cli._stakes import (
    StakesOptions,
    loss_text,
    stakes_data,
    stakes_text,
    value_name,
    value_text,
)
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluation, Evaluator, RankedPlay, RolledOut, RolloutSettings, roll_out
from tavla_ai.match import CubeDecision, MatchState
from tavla_ai.rules import Position, Ruleset, format_play


@dataclass(frozen=True)
class PositionOptions:
    """Options of the analysis of a position; None where the user gave none."""

    position_text: str | None
    dice: str | None
    time_ms: float | None
    explain: bool
    rollout: int | None
    seed: int
    ray_workers: int | None
    svg: Path | None


position_options = option_group(
    "position",
    PositionOptions,
    position_and_stakes_option,
    dice_option,
    click.option("--time-ms", type=float, metavar="MS", help="Look deeper until this many milliseconds are spent."),
    click.option("--explain", is_flag=True, help="Show the share of the opponent's rolls that hit after each play."),
    click.option(
        "--rollout",
        type=click.IntRange(min=36),
        metavar="TRIALS",
        help="Roll out the plays shown, with this many trials each.",
    ),
    seed_option("Seed of a rollout's dice."),
    click.option(
        "--ray-workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Ray workers of a rollout; they need the extra [train].",
    ),
    click.option("--svg", type=Path, metavar="FILE", help="Draw the position with the best play."),
)


@dataclass(frozen=True)
class _Analysis:
    """The analysis of a position.

    Attributes:
      plays: the plays to show, the best first; none before the roll.
      num_plays: number of legal plays.
    """

    position: Position
    match: MatchState
    roll: tuple[int, int] | None
    before: Evaluation
    num_plays: int
    plays: tuple[RankedPlay, ...]
    rolled_out: tuple[RolledOut, ...]
    cube: CubeDecision | None


def analyze_position(
    options: PositionOptions, stakes: StakesOptions, evaluator: Evaluator, *, ply: int, top: int, as_json: bool
) -> None:
    """Print the value of a position and the `top` plays of its roll."""
    found = _analyze(options, stakes, evaluator, ply, top)
    ruleset = evaluator.ruleset
    if options.svg is not None:
        from tavla_ai.report.board import board_svg

        best = found.plays[0].steps if found.plays else None
        drawing = board_svg(found.position, ruleset, dice=found.roll, match=found.match, play=best)
        options.svg.write_text(drawing, encoding="utf-8")
    if as_json:
        print_json(_analysis_data(ruleset, found))
    else:
        _print_analysis(ruleset, found, options.explain)


def _analyze(options: PositionOptions, stakes: StakesOptions, evaluator: Evaluator, ply: int, top: int) -> _Analysis:
    read = read_text(options.position_text, evaluator.ruleset)
    position, match = read.position, stakes.match_state(read)
    roll = read_roll(read, options.dice)
    plays: tuple[RankedPlay, ...] = ()
    if roll is None:
        before = evaluator.evaluate(position, match, ply=ply, time_ms=options.time_ms)
    else:
        before = evaluator.evaluate(position, match, ply=ply)
        plays = evaluator.rank_plays(position, roll, match, ply=ply, time_ms=options.time_ms, explain=options.explain)
    shown = plays[:top]
    rolled_out = () if options.rollout is None else _roll_out(evaluator, position, shown, match, ply, options)
    cube = evaluator.cube_decision(position, match, ply=ply) if roll is None and evaluator.ruleset.cube else None
    return _Analysis(position, match, roll, before, len(plays), shown, rolled_out, cube)


def _roll_out(
    evaluator: Evaluator,
    position: Position,
    plays: tuple[RankedPlay, ...],
    match: MatchState,
    ply: int,
    options: PositionOptions,
) -> tuple[RolledOut, ...]:
    if not plays:
        raise RulesetError("--rollout: it rolls out plays; expected --dice with it")
    assert options.rollout is not None
    settings = RolloutSettings(trials=options.rollout, ply=ply, seed=options.seed)
    total = -(-settings.trials // 36) * 36 * sum(play.score is None for play in plays)
    with progress("trials", total) as advance:
        return roll_out(evaluator, position, plays, match, settings, workers=options.ray_workers, progress=advance)


def _analysis_data(ruleset: Ruleset, found: _Analysis) -> dict[str, Any]:
    data: dict[str, Any] = {
        "ruleset": ruleset.name,
        "position": write_position(found.position, ruleset),
        "dice": found.roll,
        "match": stakes_data(found.match),
        "unit": "points" if found.match.length is None else "mwc",
        "scores": ruleset.scores,
        "before_the_roll": _evaluation_data(found.before),
        "plays": [_play_data(ruleset, found.position, play) for play in found.plays],
    }
    if found.rolled_out:
        data["rollout"] = [_rolled_data(ruleset, found.position, result) for result in found.rolled_out]
    if found.cube is not None:
        data["cube"] = vars(found.cube)
    return data


def _print_analysis(ruleset: Ruleset, found: _Analysis, explain: bool) -> None:
    match = found.match
    click.echo(found.position.render(ruleset) + "\n")
    chances = f"{value_text(found.before.value, match)}, {_chances(found.before, ruleset)} ({found.before.ply}-ply)"
    click.echo(f"{stakes_text(match)}; before the roll {chances}")
    if found.cube is not None:
        values = (
            f"{name} {value_text(value, match)}"
            for name, value in (
                ("rolling", found.cube.no_double),
                ("double and take", found.cube.double_take),
                ("double and pass", found.cube.double_pass),
            )
        )
        click.echo(f"{', '.join(values)}: {_cube_verdict(found.cube)}")
    if found.plays:
        _print_plays(ruleset, found, explain)
    if found.rolled_out:
        _print_rollout(ruleset, found)


def _cube_verdict(decision: CubeDecision) -> str:
    if decision.should_double:
        return "double, take" if decision.should_take else "double, pass"
    return "too good to double" if decision.is_too_good else "no double"


def _chances(evaluation: Evaluation, ruleset: Ruleset) -> str:
    chances = {"win": evaluation.win, "mars": evaluation.mars, "mars lost": evaluation.mars_lost}
    if 0 in ruleset.scores:
        chances["draw"] = evaluation.draw
    return ", ".join(f"{name} {percent(chance)} %" for name, chance in chances.items())


def _print_plays(ruleset: Ruleset, found: _Analysis, explain: bool) -> None:
    assert found.roll is not None
    has_draws = 0 in ruleset.scores
    rows = []
    for number, play in enumerate(found.plays, 1):
        evaluation = play.evaluation
        rows.append(
            [
                str(number),
                format_play(found.position, play.steps, ruleset),
                f"{evaluation.ply}-ply",
                value_text(evaluation.value, found.match),
                loss_text(play.loss, found.match),
                percent(evaluation.win),
                *([percent(evaluation.draw)] if has_draws else []),
                percent(evaluation.mars),
                percent(evaluation.mars_lost),
                *([percent(play.hit_chance)] if explain else []),
            ]
        )
    print_table(
        f"{found.num_plays} legal play{'s' if found.num_plays > 1 else ''} of {found.roll[0]}-{found.roll[1]}",
        ["", "play", "", value_name(found.match), "loss", "win %"]
        + (["draw %"] if has_draws else [])
        + ["mars %", "mars lost %"]
        + (["hit %"] if explain else []),
        rows,
        num_text=3,
    )


def _print_rollout(ruleset: Ruleset, found: _Analysis) -> None:
    print_table(
        f"Rollout, {max(result.trials for result in found.rolled_out):,} trials each; +- is one standard error",
        [
            "",
            "play",
            value_name(found.match),
            "+-",
            "loss",
            "+-",
            "win %",
            "mars %",
            "mars lost %",
        ],
        [
            [
                str(number),
                format_play(found.position, result.play.steps, ruleset),
                value_text(result.evaluation.value, found.match),
                f"{result.standard_error:.4f}",
                loss_text(result.loss, found.match),
                "" if number == 1 else f"{result.loss_error:.4f}",
                percent(result.evaluation.win),
                percent(result.evaluation.mars),
                percent(result.evaluation.mars_lost),
            ]
            for number, result in enumerate(found.rolled_out, 1)
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
