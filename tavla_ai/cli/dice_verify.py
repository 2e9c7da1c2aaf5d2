"""`tavla dice-verify`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.cli._options import json_option, ruleset_option, seed_option
from tavla_ai.cli._printing import print_json
from tavla_ai.dice import (
    MAX_ROUND,
    DiceSecret,
    first_difference,
    game_dice,
    is_commitment_to,
    make_secret,
    parse_rolls,
    read_secret,
)
from tavla_ai.engine import MAX_SEED
from tavla_ai.rules import get_ruleset

# Exit code where the dice do not match the commitment.
_MISMATCH = 1


@click.command("dice-verify")
@click.option("--commitment", metavar="HEX", required=True, help="The commitment published before the games.")
@seed_option("The revealed seed.", default=None)
@click.option("--salt", metavar="HEX", help="The revealed salt.")
@click.option(
    "--secret", "secret_path", type=Path, metavar="FILE", help="The revealed file, instead of --seed and --salt."
)
@click.option("--rolls", "rolls_text", metavar="ROLLS", help="Dice of a game as they were played, such as '31 62 55'.")
@click.option(
    "--game", type=click.IntRange(0, MAX_SEED), help="Number of the game of the seed; in a tournament, of the pair."
)
@click.option(
    "--round",
    "round_",
    type=click.IntRange(0, MAX_ROUND),
    default=0,
    show_default=True,
    help="Number of the game within its match, from 0.",
)
@click.option("--no-opening", is_flag=True, help="The winner of the previous game started, without opening dice.")
@ruleset_option
@json_option
def dice_verify(
    commitment: str,
    seed: int | None,
    salt: str | None,
    secret_path: Path | None,
    rolls_text: str | None,
    game: int | None,
    round_: int,
    no_opening: bool,
    ruleset_name: str,
    as_json: bool,
) -> None:
    """Check a revealed seed against its commitment, and the dice of a game against the seed.

    The exit code is 0 if everything matches and 1 if something does not. The order of the two dice of a roll does not
    matter.

    \b
    Examples:
      tavla dice-verify --commitment HEX --seed 7 --salt HEX
      tavla dice-verify --commitment HEX --secret secret.json --game 0 --rolls "41 62 55"
    """
    secret = _revealed(seed, salt, secret_path)
    if (rolls_text is None) != (game is None):
        raise click.UsageError("expected --game and --rolls together")
    fits = is_commitment_to(secret, commitment)
    report: dict[str, object] = {"scheme": secret.scheme, "commitment_fits": fits}
    lines = [
        "commitment: matches the seed and salt"
        if fits
        else f"commitment: DOES NOT MATCH; the commitment of this seed and salt is {secret.commitment}"
    ]
    if rolls_text is not None and game is not None:
        recorded = parse_rolls(rolls_text)
        ruleset = get_ruleset(ruleset_name)
        dice = game_dice(ruleset, secret.seed, game, len(recorded), round_, 0 if no_opening else None)
        turn = first_difference(recorded, dice)
        report |= {"rolls": len(recorded), "rolls_fit": turn is None, "first_difference": turn}
        if turn is None:
            lines.append(f"rolls: all {len(recorded)} match game {game}")
        else:
            fits = False
            was, should = ("-".join(map(str, rolls[turn].tolist())) for rolls in (recorded, dice.rolls))
            lines.append(f"rolls: DO NOT MATCH; turn {turn} of game {game}, from 0, has {was}, the seed gives {should}")
    if as_json:
        print_json(report)
    else:
        click.echo("\n".join(lines))
    if not fits:
        click.get_current_context().exit(_MISMATCH)


def _revealed(seed: int | None, salt: str | None, path: Path | None) -> DiceSecret:
    if path is not None:
        if seed is not None or salt is not None:
            raise click.UsageError("--secret replaces --seed and --salt; expected only one of them")
        return read_secret(path.read_text(encoding="utf-8", errors="replace"), str(path))
    if seed is None or salt is None:
        raise click.UsageError("expected --seed and --salt, or --secret")
    return make_secret(seed, salt)
