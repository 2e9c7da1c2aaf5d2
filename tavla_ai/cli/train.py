"""`tavla train`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from tavla_ai.errors import TavlaError

_TRAINER = Path("train/__main__.py")


@click.command(
    add_help_option=False,
    options_metavar="",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS]")
@click.pass_context
def train(ctx: click.Context, args: tuple[str, ...]) -> None:
    """Train a bot, in a checkout: the same as `python -m train`, which takes all the options.

    \b
    Example:
      tavla train --config configs/tavla.yaml
    """
    if {"-h", "--help"} & set(args) and not _TRAINER.is_file():
        click.echo(ctx.get_help())
        return
    become_trainer("train", *args)


def become_trainer(module: str, *args: str) -> NoReturn:
    """Let a module of the train package take over this process, so that Ctrl-C and exit codes are its own."""
    if not _TRAINER.is_file():
        raise TavlaError(
            f"{Path.cwd()}: not a checkout of tavla-ai, which training needs; run `make setup` in one and train there"
        )
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *args])
