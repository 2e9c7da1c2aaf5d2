"""`tavla external`."""

from __future__ import annotations

import asyncio

import click

from tavla_ai.cli._options import evaluator_options
from tavla_ai.evaluator import Evaluator
from tavla_ai.serve import serve


@click.command()
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@evaluator_options
def external(host: str, port: int, evaluator: Evaluator, ply: int) -> None:
    """Play inside GNU Backgammon, as its external player.

    The address is printed; in GNU Backgammon, `set player 1 external HOST:PORT`, then `new match 3`. Anyone who
    reaches the port can use it, so choose another host only in a trusted network.

    \b
    Example:
      tavla external --port 1234 --ruleset oyna-backgammon
    """
    asyncio.run(
        serve(
            evaluator,
            host,
            port,
            ply=ply,
            on_listening=lambda address: click.echo(f"listening on {address}"),
            log=lambda line: click.echo(line, err=True),
        )
    )
