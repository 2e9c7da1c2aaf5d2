"""`tavla decide`: the questions of a game server."""

from __future__ import annotations

import re
from textwrap import shorten
from typing import Any, Literal

import click

from tavla_ai.bots import LEVEL_NAMES, LevelName, Levels, level_bot, timeout_bot
from tavla_ai.cli._options import (
    NetworkOptions,
    dice_option,
    evaluator_options,
    json_option,
    levels_option,
    network_options,
    ply_option,
    position_and_stakes_option,
    read_roll,
    read_text,
    seed_option,
)
from tavla_ai.cli._printing import play_data, print_json
from tavla_ai.cli._stakes import StakesOptions, stakes_options
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator
from tavla_ai.formats import ReadPosition
from tavla_ai.match import MatchState
from tavla_ai.rules import Ruleset, forced_play


@click.group()
def decide() -> None:
    """Answer a game server's question: a play, a concession, a double.

    \b
    Example:
      tavla decide play --dice 31 --match 5 --score 2-3
    """


def _question(command: Any) -> Any:
    """Give a command of `decide` the options of a question to the evaluator."""
    for option in (json_option, evaluator_options, stakes_options, position_and_stakes_option):
        command = option(command)
    return command


def _asked(position_text: str | None, stakes: StakesOptions, ruleset: Ruleset) -> tuple[ReadPosition, MatchState]:
    read = read_text(position_text, ruleset)
    return read, stakes.match_state(read)


def _asked_before_the_roll(
    position_text: str | None, stakes: StakesOptions, ruleset: Ruleset
) -> tuple[ReadPosition, MatchState]:
    read, match = _asked(position_text, stakes, ruleset)
    if read.dice is not None:
        raise RulesetError(
            f"{read.format}: {read.dice[0]}-{read.dice[1]} has been rolled; expected a position before the roll"
        )
    return read, match


def _print_answer(answer: bool, words: tuple[str, str], as_json: bool, **details: Any) -> None:
    word = words[0] if answer else words[1]
    if as_json:
        print_json({"answer": word} | details)
    else:
        click.echo(word)


@decide.command()
@position_and_stakes_option
@click.option("--dice", metavar="ROLL", help="The roll, such as 31.  [default: the dice in the position's text]")
@stakes_options
@click.option("--time-ms", type=float, metavar="MS", help="Look deeper until this many milliseconds are spent.")
@click.option("--level", type=click.Choice(LEVEL_NAMES), help="Ask a level of the house, which has its own network.")
@click.option(
    "--timeout", "is_timeout", is_flag=True, help="Ask for the play of a player whose time is up: the Easy level plays."
)
@seed_option("Seed of a level's errors.", default=0)
@levels_option
@network_options
@ply_option
@json_option
def play(
    position_text: str | None,
    dice: str | None,
    stakes: StakesOptions,
    network: NetworkOptions,
    ply: int,
    time_ms: float | None,
    level: LevelName | None,
    is_timeout: bool,
    seed: int,
    levels: Levels,
    as_json: bool,
) -> None:
    """Choose a play. A forced play is made without a search.

    \b
    Examples:
      tavla decide play --dice 31 --ply 2
      tavla decide play --dice 31 --level medium --match 3 --score 1-2
    """
    ruleset, match_set = network.ruleset, network.match_set
    read, match = _asked(position_text, stakes, ruleset)
    roll = read_roll(read, dice)
    if roll is None:
        raise RulesetError("--dice: expected a roll such as 31; the position's text has none")
    if is_timeout and (ply or time_ms is not None or level is not None):
        raise click.UsageError("--timeout: the Easy level plays; expected no --level, --ply or --time-ms with it")
    if level is not None and (ply or time_ms is not None):
        raise click.UsageError(f"--level: {level} has its own look-ahead; expected no --ply or --time-ms with it")
    if is_timeout:
        bot = timeout_bot(network.evaluator().checkpoint, ruleset, levels, match.length, match_set=match_set)
        chosen = bot.choose_play(read.position, roll, match, seed=seed)
    elif level is not None:
        bot = level_bot(level, ruleset, levels, match.length, match_set=match_set)
        chosen = bot.choose_play(read.position, roll, match, seed=seed)
    else:
        chosen = network.evaluator().choose_play(read.position, roll, match, ply=ply, time_ms=time_ms)
    data = play_data(ruleset, read.position, chosen)
    if as_json:
        print_json(data | {"forced": forced_play(ruleset, read.position, roll) is not None})
    else:
        click.echo(data["play"])


@decide.command()
@dice_option
@click.option("--whole-match", is_flag=True, help="Concede the match, not just the game.")
@click.option("--on-roll/--opponent-on-roll", default=True, help="The side that is on roll.  [default: the player]")
@_question
def concede(
    position_text: str | None,
    dice: str | None,
    on_roll: bool,
    stakes: StakesOptions,
    evaluator: Evaluator,
    ply: int,
    whole_match: bool,
    as_json: bool,
) -> None:
    """Say whether a player can concede without loss: `concede` or `play on`. The position has that player first.

    \b
    Examples:
      tavla decide concede --position "6:3 5:3 off:9 / 1:2 off:13" --ruleset oyna-tavla
      tavla decide concede --opponent-on-roll --position "6:3 off:12 / 1:2 off:13" --ruleset oyna-tavla
    """
    read, match = _asked(position_text, stakes, evaluator.ruleset)
    answer = evaluator.should_concede(
        read.position,
        match,
        kind="match" if whole_match else "game",
        dice=read_roll(read, dice),
        is_on_roll=on_roll,
        ply=ply or None,
    )
    _print_answer(answer, ("concede", "play on"), as_json)


@decide.command()
@click.option(
    "--value", required=True, metavar="POINTS", help="Points that the opponent concedes, without the cube; or `match`."
)
@click.option("--on-roll/--opponent-on-roll", default=False, help="The side that is on roll.  [default: the opponent]")
@_question
def accept(
    position_text: str | None,
    value: str,
    on_roll: bool,
    stakes: StakesOptions,
    evaluator: Evaluator,
    ply: int,
    as_json: bool,
) -> None:
    """Say whether to accept the opponent's concession: `accept` or `refuse`.

    The position is seen by the side that may accept.

    \b
    Example:
      tavla decide accept --value 1 --position "6:2 off:13 / 6:15" --ruleset oyna-tavla
    """
    read, match = _asked(position_text, stakes, evaluator.ruleset)
    if value != "match" and re.fullmatch("[0-9]{1,5}", value) is None:
        raise RulesetError(f"concession of {shorten(value, 40)!r}: expected points, or match")
    points: int | Literal["match"] = "match" if value == "match" else int(value)
    answer = evaluator.accept_concession(read.position, points, match, is_on_roll=on_roll, ply=ply or None)
    _print_answer(answer, ("accept", "refuse"), as_json)


@decide.command()
@_question
def double(position_text: str | None, stakes: StakesOptions, evaluator: Evaluator, ply: int, as_json: bool) -> None:
    """Say whether the player on roll should double: `double` or `roll`.

    \b
    Example:
      tavla decide double --ruleset oyna-backgammon --match 5
    """
    read, match = _asked_before_the_roll(position_text, stakes, evaluator.ruleset)
    if read.is_double_offered:
        raise RulesetError(f"{read.format}: a double has been offered already; ask `tavla decide take`")
    decision = evaluator.cube_decision(read.position, match, ply=ply)
    _print_answer(decision.should_double, ("double", "roll"), as_json, **vars(decision))


@decide.command()
@_question
def take(position_text: str | None, stakes: StakesOptions, evaluator: Evaluator, ply: int, as_json: bool) -> None:
    """Say whether to take a double: `take` or `pass`.

    Give position and match as the player who doubled sees them; that player is on roll. Give the cube as it was before
    the double.

    \b
    Example:
      tavla decide take --ruleset oyna-backgammon --match 5 --score 1-0
    """
    read, match = _asked_before_the_roll(position_text, stakes, evaluator.ruleset)
    evaluator.check_double(match)
    decision = evaluator.cube_decision(read.position, match, ply=ply)
    _print_answer(decision.should_take, ("take", "pass"), as_json, **vars(decision))
