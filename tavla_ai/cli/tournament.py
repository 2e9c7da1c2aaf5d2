"""`tavla tournament`."""

from __future__ import annotations

import os

import click

from tavla_ai.bots import make_bot
from tavla_ai.cli.options import json_option, ruleset_option
from tavla_ai.cli.printing import percent, print_json, print_table, progress
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import TavlaError
from tavla_ai.rulesets import get_ruleset
from tavla_ai.tournament import MAX_WORKERS, BotTotal, PairResult, TournamentResult, play_tournament


@click.command()
@click.argument("bots", nargs=-1, metavar="A B [C]...")
@click.option("--games", type=int, default=1000, show_default=True, help="Games of each pairing, or matches; even.")
@click.option(
    "--match-length",
    type=int,
    metavar="POINTS",
    help="Play matches to so many points.  [default: single games]",
)
@ruleset_option
@click.option("--seed", type=click.IntRange(0, MAX_SEED), default=1, show_default=True, help="Seed of the dice.")
@click.option(
    "--workers",
    type=click.IntRange(0, MAX_WORKERS),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each CPU",
    help="Engine threads; 0 is one. Results do not depend on it.",
)
@json_option
def tournament(
    bots: tuple[str, ...],
    games: int,
    match_length: int | None,
    ruleset_name: str,
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Play every two bots against each other with paired dice.

    A bot is `random`, `pubeval`, the folder of a checkpoint, or with the extra [peers] an outside engine at a ply,
    `gnubg:0` or `sage:1`, which plays every game for its points. Games come in pairs with the same dice and the
    seats swapped; all pairings have the same dice; the +- is one standard error, from the pairs.

    \b
    Example:
      tavla tournament pubeval random --games 200 --match-length 3
    """
    if len(bots) < 2:
        raise TavlaError(f"a tournament of {len(bots)}: expected at least 2 bots, such as pubeval random")
    ruleset = get_ruleset(ruleset_name)
    players = [make_bot(spec, ruleset) for spec in bots]
    num_pairings = len(bots) * (len(bots) - 1) // 2
    with progress("games" if match_length is None else "matches", games * num_pairings) as advance:
        result = play_tournament(ruleset, players, games, seed, match_length, max(1, workers), advance)
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        _print_tournament(result)


def _print_tournament(result: TournamentResult) -> None:
    contest = "single games" if result.match_length is None else f"matches to {result.match_length}"
    print_table(
        f"{result.ruleset}, {contest}, seed {result.seed}: what A scored",
        ["A", "B", *_measured_headers(result), "B's", "void", "turns/game", "games/s"],
        [
            [
                pair.a,
                pair.b,
                *_measured_cells(pair, _has_draws(result)),
                percent(pair.opponent_mars_share),
                str(pair.void_games),
                f"{pair.plies_per_game:.1f}",
                f"{pair.games_per_second:,.0f}",
            ]
            for pair in result.pairings
        ],
        num_text=2,
    )
    for pair in result.pairings:
        for fault, count in pair.faults.items():
            click.echo(f"{pair.a} - {pair.b}: {count} void, {fault}")
    print_table(
        "All pairings",
        ["bot", *_measured_headers(result)],
        [[total.name, *_measured_cells(total, _has_draws(result))] for total in result.totals],
    )


def _measured_headers(result: TournamentResult) -> list[str]:
    shares = ["wins %", "draws %", "mars %"] if _has_draws(result) else ["wins %", "mars %"]
    if result.match_length is None:
        return ["games", "points/game", "95 %", *shares]
    return ["matches", "match wins %", "95 %", "games", "points/game", *shares]


def _has_draws(result: TournamentResult) -> bool:
    return 0 in get_ruleset(result.ruleset).scores


def _measured_cells(measured: PairResult | BotTotal, has_draws: bool) -> list[str]:
    error, interval = measured.standard_error, measured.interval
    draws = [percent(measured.draw_share)] if has_draws else []
    shares = [percent(measured.win_share), *draws, percent(measured.mars_share)]
    if measured.match_win_share is None:
        return [
            str(measured.games),
            f"{measured.points_per_game:+.3f}" + ("" if error is None else f" +- {error:.3f}"),
            "" if interval is None else f"{interval[0]:+.3f} to {interval[1]:+.3f}",
            *shares,
        ]
    return [
        str(measured.matches),
        percent(measured.match_win_share) + ("" if error is None else f" +- {100 * error:.1f}"),
        "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}",
        str(measured.games),
        f"{measured.points_per_game:+.3f}",
        *shares,
    ]
