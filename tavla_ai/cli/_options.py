"""Options that several commands share, and the reading of their values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from tavla_ai import formats
from tavla_ai.bots import LEVELS_VARIABLE, Levels
from tavla_ai.engine import MAX_PLY, MAX_SEED
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator, EvaluatorOptions, load_evaluator
from tavla_ai.formats import ReadPosition
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import DEFAULT_RULESET, MatchSet, Position, Ruleset, get_match_set, get_ruleset, parse_dice
from tavla_ai.strength import server_elo
from tavla_ai.tournament import MAX_WORKERS

Command = Callable[..., None]
Decorator = Callable[[Command], Command]


levels_option = click.option(
    "--levels",
    type=Path,
    metavar="FILE",
    envvar=LEVELS_VARIABLE,
    show_envvar=True,
    callback=lambda _ctx, _parameter, path: Levels() if path is None else Levels(path),
    help="The file that defines the levels easy, medium and hard.  [default: the shipped levels]",
)


def seed_option(what: str, *, default: int | None = 1) -> Decorator:
    """Return the option `--seed`; `what` is its help."""
    return click.option(
        "--seed", type=click.IntRange(0, MAX_SEED), default=default, show_default=default is not None, help=what
    )


def ratings_option(flag: str, metavar: str, what: str) -> Decorator:
    """Return an option of ratings, by default those of the game server's bots; `what` is its help."""
    return click.option(
        flag,
        callback=read_numbers,
        metavar=metavar,
        default=",".join(f"{name}={rating:.0f}" for name, rating in server_elo.BOTS.items()),
        show_default=True,
        help=what,
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
ruleset_option = click.option(
    "--ruleset",
    "ruleset_name",
    metavar="NAME",
    default=DEFAULT_RULESET,
    show_default=True,
    help="The game; `tavla rulesets` lists them.",
)


def workers_option_as(parameter: str) -> Decorator:
    """Return the option `--workers`; the command takes it as this parameter."""
    return click.option(
        "--workers",
        parameter,
        type=click.IntRange(0, MAX_WORKERS),
        default=lambda: os.cpu_count() or 1,
        show_default="one for each CPU",
        callback=lambda _ctx, _parameter, number: max(1, number),
        help="Engine threads; 0 means one. Results do not depend on it.",
    )


workers_option = workers_option_as("workers")


def option_group(name: str, kind: Callable[..., object], *options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options, which it takes as one value.

    Args:
      name: the command's parameter for the value.
      kind: a dataclass; its fields have the names of the options' parameters.
      options: the options, in the order of the command's help.
    """

    def with_options(command: Command) -> Command:
        @wraps(command)
        def with_group(*args: Any, **kwargs: Any) -> None:
            given = {field: kwargs.pop(field) for field in parameter_names(kind)}
            command(*args, **{name: kind(**given)}, **kwargs)

        decorated: Command = with_group
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return with_options


def parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters that an `option_group` reads into this dataclass."""
    return tuple(field.name for field in fields(kind))


def _position_option(other_contents: str) -> Decorator:
    return click.option(
        "--position",
        "position_text",
        metavar="POSITION",
        help="The board: the player on roll, then the opponent, each in its own numbering, as "
        "`24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5`. For tavla and backgammon also a GNU Position ID, a GNUbg ID, an XGID "
        f"or a FIBS board, whose dice and score {other_contents}.  [default: the start position]",
    )


position_option = _position_option("are ignored")
position_and_stakes_option = _position_option("are used")

dice_option = click.option("--dice", metavar="ROLL", help="The roll, such as 31.  [default: no roll yet]")


@dataclass(frozen=True)
class NetworkOptions:
    """The network that evaluates, and the game or set of games that is played."""

    checkpoint: str | None
    ruleset_name: str | None
    set_name: str | None
    threads: int

    @property
    def ruleset(self) -> Ruleset:
        """The game: the one that was named, else the checkpoint's, else the default one."""
        if self.ruleset_name is None and self.checkpoint is not None:
            return load_checkpoint(self.checkpoint).card.ruleset
        return get_ruleset(self.ruleset_name or DEFAULT_RULESET)

    @property
    def match_set(self) -> MatchSet | None:
        """The set of games that a match is played over."""
        return None if self.set_name is None else get_match_set(self.set_name)

    def evaluator(self) -> Evaluator:
        """Return the evaluator."""
        options = EvaluatorOptions(match_set=self.match_set, threads=self.threads)
        return load_evaluator(self.ruleset_name, self.checkpoint, options)


checkpoint_option = click.option(
    "--checkpoint",
    metavar="DIR",
    help="The network that evaluates: a checkpoint's folder, or a shipped one such as tavla/hard.  "
    "[default: the strongest shipped network of the game]",
)
ply_option = click.option("--ply", type=click.IntRange(0, MAX_PLY), default=0, show_default=True, help="Look-ahead.")
network_options = option_group(
    "network",
    NetworkOptions,
    checkpoint_option,
    click.option(
        "--ruleset",
        "ruleset_name",
        metavar="NAME",
        help=f"The game.  [default: the checkpoint's; without one {DEFAULT_RULESET}]",
    ),
    click.option("--set", "set_name", metavar="NAME", help="The set of games that a match is played over."),
    click.option(
        "--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads; results do not change."
    ),
)


def evaluator_options(command: Command) -> Command:
    """Give a command the options of an evaluator; it takes them as `evaluator: Evaluator` and `ply: int`."""

    @network_options
    @ply_option
    @wraps(command)
    def with_evaluator(*args: Any, network: NetworkOptions, **kwargs: Any) -> None:
        command(*args, evaluator=network.evaluator(), **kwargs)

    return with_evaluator


def read_text(text: str | None, ruleset: Ruleset) -> ReadPosition:
    """Return the position, and the dice and stakes in its text; without a text the start position.

    Raises:
      TavlaError: the text cannot be read, `ruleset` cannot reach the position, or the game is over.
    """
    if text is None:
        return ReadPosition(Position.start(ruleset), "position")
    read = formats.read_position(text, ruleset)
    if read.position.is_over(ruleset):
        raise RulesetError(f"{read.format} {text!r}: the game is over; expected a position in play")
    return read


def read_position(text: str | None, ruleset: Ruleset) -> Position:
    """Return the position of a text, or the start position; see `read_text`."""
    return read_text(text, ruleset).position


def read_roll(read: ReadPosition, dice: str | None) -> tuple[int, int] | None:
    """Return the roll: the option's, or that of the position's text; None before the roll."""
    if dice is None:
        return read.dice
    if read.is_double_offered:
        raise RulesetError(f"dice {dice}: a double has been offered; answer it before the roll")
    roll = parse_dice(dice)
    if read.dice is not None and sorted(roll) != sorted(read.dice):
        raise RulesetError(f"dice {dice}: the {read.format} says {read.dice[0]}-{read.dice[1]}")
    return roll


def read_numbers(ctx: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, float] | None:
    """Return the numbers of an option such as `easy=0.9,medium=0.6`; a callback of click."""
    if text is None:
        return None
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        name = name.strip()
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not name or not math.isfinite(value):
            raise click.BadParameter(f"{part!r}: expected BOT=NUMBER, separated by commas", ctx, parameter)
        if name in numbers:
            raise click.BadParameter(f"{part!r}: {name} is given twice", ctx, parameter)
        numbers[name] = value
    return numbers
