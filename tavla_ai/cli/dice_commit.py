"""`tavla dice-commit`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.cli._options import json_option, seed_option
from tavla_ai.cli._printing import print_json
from tavla_ai.dice import make_secret, write_secret


@click.command("dice-commit")
@seed_option("Seed of the dice.  [default: drawn from the system's secure generator]", default=None)
@click.option(
    "--out",
    type=Path,
    metavar="FILE",
    default=Path("dice-secret.json"),
    show_default=True,
    help="File for seed and salt until they are revealed; an existing file is not replaced.",
)
@json_option
def dice_commit(seed: int | None, out: Path, as_json: bool) -> None:
    """Commit to the dice of future games: print the commitment to publish, and keep the seed in a file.

    The commitment is the SHA-256 of `tavla-dice-1:SALT:SEED`. Publish it before it is known who plays which game, and
    publish the file after the games. `tavla dice-verify`, or a few lines of Python in docs/dice.md, check both.

    \b
    Example:
      tavla dice-commit --out secret.json
    """
    secret = make_secret(seed)
    write_secret(out, secret)
    if as_json:
        print_json({"scheme": secret.scheme, "commitment": secret.commitment, "secret_file": str(out)})
    else:
        click.echo(secret.commitment)
