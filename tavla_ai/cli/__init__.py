"""The command line `tavla`: it reads options and prints results; other rooms do the work.

Results go to stdout, progress and errors to stderr. A user's mistake is one line and exit code 2; Ctrl-C is exit code
130.
"""

from __future__ import annotations

import io
import sys
from typing import Any, NoReturn

import click

from tavla_ai.cli import (
    analyze,
    bearoff,
    bench,
    calibrate,
    decide,
    dice_audit,
    dice_commit,
    dice_verify,
    elo_simulate,
    error_rate,
    export,
    external,
    inspect,
    levels,
    measure,
    met,
    moves,
    perft,
    replay,
    rulesets,
    tournament,
    train,
    ubgi,
)
from tavla_ai.errors import TavlaError

_TASKS: dict[str, tuple[click.Command, ...]] = {
    "Play and decide": (decide.decide, moves.moves, analyze.analyze, levels.levels, rulesets.rulesets),
    "Compare bots": (tournament.tournament, replay.replay, measure.measure, error_rate.error_rate, calibrate.calibrate),
    "Train and ship": (train.train, inspect.inspect, export.export),
    "Connect to other programs": (external.external, ubgi.ubgi),
    "Tables of a game": (met.met, bearoff.bearoff, elo_simulate.elo_simulate),
    "Fair dice": (dice_commit.dice_commit, dice_verify.dice_verify, dice_audit.dice_audit),
    "Check the engine": (bench.bench, perft.perft),
}
_SUMMARIES = {
    "decide": "answer a game server: a play, a concession, a double",
    "moves": "list the legal plays of a roll",
    "analyze": "evaluate a position, or judge every decision of a match file",
    "levels": "list Easy, Medium and Hard with their ratings",
    "rulesets": "list the games and their rules",
    "tournament": "play bots against each other on paired dice",
    "replay": "print a game of a tournament, move for move",
    "measure": "measure a checkpoint or a level, and keep the figures",
    "error-rate": "measure what bots lose per decision",
    "calibrate": "find the levels of a house and measure them",
    "train": "train a bot (in a checkout)",
    "inspect": "check a checkpoint and show its card",
    "export": "write a bundle for other languages, or verify one",
    "external": "play inside GNU Backgammon",
    "ubgi": "speak the Universal Backgammon Interface",
    "met": "print a match equity table",
    "bearoff": "build or read the exact bear-off tables",
    "elo-simulate": "simulate a player's rating on the game server",
    "dice-commit": "commit to the dice of future games",
    "dice-verify": "check revealed dice against their commitment",
    "dice-audit": "test whether dice are fair",
    "bench": "measure the speed",
    "perft": "count positions, to compare with other engines",
}

USER_ERROR = 2
INTERRUPTED = 130


class _Group(click.Group):
    """The group of all commands: a user's mistake is one line on stderr."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, grouped by task."""
        width = max(len(name) for name in self.commands)
        for task, commands in _TASKS.items():
            with formatter.section(task):
                formatter.write_dl(
                    [(str(command.name).ljust(width), _SUMMARIES[str(command.name)]) for command in commands]
                )

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name that the terminal cannot show must not stop the command.
            sys.stdout.reconfigure(errors="replace")
        try:
            code = super().main(*args, **kwargs)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.UsageError as error:
            where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            _fail(error.format_message() + where, error.exit_code)
        except click.ClickException as error:
            _fail(error.format_message(), error.exit_code)
        except TavlaError as error:
            _fail(str(error), USER_ERROR)
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            _fail(f"{where}{error.strerror or error}", USER_ERROR)
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"error: {' '.join(message.split())}", err=True)
    sys.exit(code)


@click.group(cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tavla-ai", prog_name="tavla")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Bots for tavla, Turkish backgammon: play, measure, train and ship them.

    \b
    Examples:
      tavla decide play --dice 31 --level hard
      tavla tournament easy hard --games 20
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for _commands in _TASKS.values():
    for _command in _commands:
        main.add_command(_command)
