"""The command line: `tavla`. It reads what the user typed and prints results; the work is done elsewhere.

Results go to stdout, progress and errors to stderr. A user's mistake is one line and exit code 2, Ctrl-C is
exit code 130.
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

USER_ERROR = 2
INTERRUPTED = 130


class _Group(click.Group):
    """A group whose every failure that a user can cause is one line on stderr."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name that the terminal cannot show is no reason to fail.
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
    """Train, measure and ship tavla bots.

    \b
    Example:
      tavla tournament pubeval random --games 200
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for command in (
    analyze.analyze,
    bearoff.bearoff,
    bench.bench,
    calibrate.calibrate,
    decide.decide,
    dice_audit.dice_audit,
    dice_commit.dice_commit,
    dice_verify.dice_verify,
    elo_simulate.elo_simulate,
    error_rate.error_rate,
    export.export,
    external.external,
    inspect.inspect,
    levels.levels,
    measure.measure,
    met.met,
    moves.moves,
    perft.perft,
    replay.replay,
    rulesets.rulesets,
    tournament.tournament,
    train.train,
    ubgi.ubgi,
):
    main.add_command(command)
