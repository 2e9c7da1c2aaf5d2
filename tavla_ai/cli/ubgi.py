"""`tavla ubgi`."""

from __future__ import annotations

import io
import sys

import click

from tavla_ai.cli._options import evaluator_options
from tavla_ai.evaluator import Evaluator
from tavla_ai.serve import UbgiEngine, run


@click.command()
@evaluator_options
def ubgi(evaluator: Evaluator, ply: int) -> None:
    """Speak UBGI, the Universal Backgammon Interface, over stdin and stdout, until `quit`.

    Its key engine.ply counts the play itself as the first ply: one more than --ply.

    \b
    Example:
      tavla ubgi --ruleset oyna-backgammon
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are no text are a line that is not understood, like any other.
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    run(UbgiEngine(evaluator, ply), sys.stdin, click.echo)
