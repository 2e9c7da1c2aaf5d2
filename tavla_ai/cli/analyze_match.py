"""`tavla analyze` of a match file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tavla_ai.cli._options import NetworkOptions, option_group
from tavla_ai.cli._printing import print_json, print_table, progress, write_position
from tavla_ai.cli._stakes import stakes_data
from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.evaluator import Evaluator, EvaluatorOptions, RankedPlay, load_evaluator
from tavla_ai.files import write_whole
from tavla_ai.formats import Match, read_match, variation_of
from tavla_ai.rules import MatchSet, Ruleset, games_of
from tavla_ai.strength import (
    CLOSE_CUBE,
    GRADES,
    PHASES,
    AnalyzedCube,
    AnalyzedPlay,
    GameAnalysis,
    MatchAnalysis,
    Summary,
    analyze_match,
)


@dataclass(frozen=True)
class MatchOptions:
    """Options of the analysis of a match file."""

    html: Path | None
    strict: bool


match_options = option_group(
    "match",
    MatchOptions,
    click.option("--html", type=Path, metavar="FILE", help="Write a report of the match, with boards."),
    click.option(
        "--lenient",
        "strict",
        is_flag=True,
        callback=lambda _ctx, _parameter, lenient: not lenient,
        help="Note unreadable or illegal lines of a match file and read on.",
    ),
)


def analyze_match_file(
    path: Path, options: MatchOptions, network: NetworkOptions, *, ply: int, top: int, as_json: bool
) -> None:
    """Judge every decision of a match file and print the players and the `top` worst decisions."""
    html = options.html
    if html is not None and not html.parent.is_dir():
        raise TavlaError(f"{html}: its folder does not exist; make it first")
    match, game = _read(path, options, network)
    if not any(turn.action == "play" for game in match.games for turn in game.turns):
        raise TavlaError(f"{path}: has no roll, so there is nothing to judge")
    evaluators = _evaluators(game, network)
    num_turns = sum(len(game.turns) for game in match.games)
    with progress("turns", num_turns) as advance:
        analysis = analyze_match(match, evaluators, ply=ply, progress=advance)
    names = dict.fromkeys(evaluator.checkpoint.name for evaluator in evaluators)
    critic = f"{', '.join(names)}, {ply}-ply"
    if html is not None:
        # It brings boards and charts, which the terminal does without.
        from tavla_ai.report.match import match_html

        write_whole(html, match_html(analysis, critic=critic, top=top).encode())
    if as_json:
        print_json(_analysis_data(analysis, critic, top))
        return
    for problem in analysis.problems:
        click.echo(f"warning: {problem}", err=True)
    _print_players(analysis, critic)
    _print_worst(analysis, top)


def _read(path: Path, options: MatchOptions, network: NetworkOptions) -> tuple[Match, Ruleset | MatchSet]:
    """Return the match and its game: the one that was named, else the file's, else the default."""
    is_named = network.ruleset_name is not None or network.checkpoint is not None

    def read(ruleset: Ruleset | None) -> Match:
        try:
            return read_match(path, ruleset, strict=options.strict)
        except (NotationError, RulesetError) as error:
            hint = "; --lenient leaves out the rest of the game" if options.strict else ""
            raise type(error)(f"{error}{hint}") from None

    if is_named:
        match = read(network.ruleset)
        return match, match.game if isinstance(match.game, MatchSet) else network.ruleset
    match = read(None)
    if match.game is not None:
        return match, match.game
    ruleset = variation_of(match.headers) or network.ruleset
    return read(ruleset), ruleset


def _evaluators(game: Ruleset | MatchSet, network: NetworkOptions) -> list[Evaluator]:
    options = EvaluatorOptions(match_set=game if isinstance(game, MatchSet) else None, threads=network.threads)
    return [load_evaluator(ruleset, network.checkpoint, options) for ruleset in games_of(game)]


def _print_players(analysis: MatchAnalysis, critic: str) -> None:
    contest = "single games" if analysis.length is None else f"match to {analysis.length}"
    games = f"{len(analysis.games)} game{'s' * (len(analysis.games) != 1)}"
    has_cube = analysis.has_cube
    rows = []
    for player, name in enumerate(analysis.players):
        summary = analysis.summary(player)
        rows.append(
            [
                name,
                f"{summary.error_rate:.1f}",
                str(summary.decisions),
                f"{summary.loss_points:.3f}",
                *([f"{summary.cube_loss_points:.3f}"] if has_cube else []),
                *map(str, (summary.doubtful, summary.errors, summary.blunders)),
                f"{summary.luck_points:+.3f}",
                _value_text(analysis, analysis.result_of(player)),
                _value_text(analysis, analysis.luck_adjusted(player)),
            ]
        )
    print_table(
        f"{contest}, {games}, {analysis.game.name}, judged by {critic}",
        ["player", "error rate", "decisions", "loss"]
        + (["cube loss"] if has_cube else [])
        + ["doubtful", "errors", "blunders", "luck", "result", "luck-adjusted"],
        rows,
    )


def _print_worst(analysis: MatchAnalysis, top: int) -> None:
    worst = analysis.worst(top)
    if not worst:
        click.echo("No decision lost enough to be called doubtful.")
        return
    in_match = analysis.length is not None
    print_table(
        f"The worst decisions, {len(worst)} of {len(analysis.worst())} that are doubtful, errors or blunders",
        ["", "player", "roll", "played", "best", "game", "move", "loss", *["match %"] * in_match],
        [
            [
                decision.grade or "",
                analysis.players[decision.player],
                _roll_text(decision),
                analysis.action_text(decision),
                analysis.best_text(decision),
                str(decision.game),
                str(decision.move),
                f"{decision.loss_points:.3f}",
                *[f"{100 * decision.loss:.2f}"] * in_match,
            ]
            for decision in worst
        ],
        num_text=5,
    )


def _roll_text(decision: AnalyzedPlay | AnalyzedCube) -> str:
    return "cube" if isinstance(decision, AnalyzedCube) else "{}{}".format(*decision.dice)


def _value_text(analysis: MatchAnalysis, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:+.3f}" if analysis.length is None else f"{100 * value:.1f} %"


def _analysis_data(analysis: MatchAnalysis, critic: str, top: int) -> dict[str, Any]:
    return {
        "ruleset": analysis.game.name,
        "judge": critic,
        "ply": analysis.ply,
        "length": analysis.length,
        "unit": "points" if analysis.length is None else "mwc",
        "grades": GRADES,
        "close_cube": CLOSE_CUBE,
        "headers": [list(header) for header in analysis.headers],
        "problems": analysis.problems,
        "players": [
            {"name": name}
            | _summary_data(analysis.summary(player))
            | {
                "result": analysis.result_of(player),
                "luck_adjusted": analysis.luck_adjusted(player),
                "phases": {phase: _summary_data(analysis.phase_summary(player, phase)) for phase in PHASES},
            }
            for player, name in enumerate(analysis.players)
        ],
        "worst": [
            {"game": decision.game, "turn": decision.turn, "action": _action(decision)}
            for decision in analysis.worst(top)
        ],
        "games": [_game_data(analysis, game) for game in analysis.games],
    }


def _summary_data(summary: Summary) -> dict[str, Any]:
    return vars(summary) | {"error_rate": summary.error_rate}


def _game_data(analysis: MatchAnalysis, game: GameAnalysis) -> dict[str, Any]:
    return {
        "number": game.number,
        "ruleset": game.ruleset.name,
        "score": game.score,
        "crawford": game.is_crawford,
        "winner": game.winner,
        "points": game.points,
        "players": [
            _summary_data(game.summary(player))
            | {"result": game.result_of(player), "luck_adjusted": game.luck_adjusted(player)}
            for player in (0, 1)
        ],
        "decisions": [_decision_data(analysis, decision) for decision in game.decisions],
    }


def _decision_data(analysis: MatchAnalysis, decision: AnalyzedPlay | AnalyzedCube) -> dict[str, Any]:
    data: dict[str, Any] = {
        "turn": decision.turn,
        "move": decision.move,
        "player": decision.player,
        "position": write_position(decision.before, analysis.ruleset_of(decision)),
        "match": stakes_data(decision.match),
        "point": decision.point,
        "loss": decision.loss,
        "loss_points": decision.loss_points,
        "grade": decision.grade,
        "counted": decision.is_counted,
        "action": _action(decision),
    }
    if isinstance(decision, AnalyzedCube):
        return data | {"best": decision.best, "cube": vars(decision.decision)}
    return data | {
        "dice": decision.dice,
        "phase": decision.phase,
        "num_plays": decision.num_plays,
        "played": None if decision.played is None else _play_data(analysis, decision, decision.played),
        "rank": decision.rank,
        "best": _play_data(analysis, decision, decision.best),
        "value_before": decision.value_before,
        "value_rolled": decision.value_rolled,
        "luck": decision.luck,
        "luck_points": decision.luck_points,
    }


def _action(decision: AnalyzedPlay | AnalyzedCube) -> str:
    return decision.action if isinstance(decision, AnalyzedCube) else "play"


def _play_data(analysis: MatchAnalysis, decision: AnalyzedPlay, play: RankedPlay) -> dict[str, Any]:
    evaluation = play.evaluation
    return {
        "play": analysis.play_text(decision, play),
        "steps": play.steps,
        "value": evaluation.value,
        "outcomes": evaluation.outcomes,
        "ply": evaluation.ply,
    }
