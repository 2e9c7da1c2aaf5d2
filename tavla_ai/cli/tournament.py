"""`tavla tournament`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import click

from tavla_ai.bots import Bot, Levels, load_bot, run_checkpoints
from tavla_ai.cli._options import (
    json_option,
    levels_option,
    option_group,
    ruleset_option,
    seed_option,
    workers_option_as,
)
from tavla_ai.cli._printing import percent, print_json, print_table, progress
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint
from tavla_ai.report.tournament import write_report
from tavla_ai.rules import MatchSet, Ruleset, get_game, scores_of
from tavla_ai.tournament import (
    MAX_WORKERS,
    Arena,
    BotTotal,
    MatchFormat,
    PairResult,
    Rating,
    Schedule,
    TournamentReplay,
    TournamentResult,
    Workers,
    check_has_mat,
    luck_networks,
    named_luck_networks,
    play_tournament,
    scheduled,
)


@dataclass(frozen=True)
class _LuckOptions:
    """Options of luck: whether results are shown without it, and the network that measures it."""

    luck: bool
    judge: str | None

    def networks(self, game: Ruleset | MatchSet, bots: Sequence[Bot]) -> tuple[Checkpoint | None, ...]:
        """Return the network that measures luck, for each game; empty where none was asked for."""
        if self.judge is not None:
            return named_luck_networks(game, self.judge)
        return luck_networks(game, bots) if self.luck else ()


_luck_options = option_group(
    "luck",
    _LuckOptions,
    click.option(
        "--luck/--no-luck",
        help="Also show the results without the luck of the rolls, which takes longer. Gul Bara in a set is left out.",
    ),
    click.option(
        "--judge",
        metavar="DIR",
        help="The network that measures luck; for a set `portes=DIR,fevga=DIR`. A small one is faster.  [default: the "
        "strongest shipped network of each game, else that of the first bot with one]",
    ),
)


@dataclass(frozen=True)
class _FolderOptions:
    """Options of the folder of results."""

    out: Path | None
    mat: bool
    json_matches: bool

    @property
    def match_formats(self) -> tuple[MatchFormat, ...]:
        """Formats of the match files to write."""
        return (*(("mat",) if self.mat else ()), *(("json",) if self.json_matches else ()))


_folder_options = option_group(
    "folder",
    _FolderOptions,
    click.option(
        "--out",
        type=Path,
        metavar="DIR",
        help="Keep the results in a folder, with a report; the same command resumes an unfinished tournament.",
    ),
    click.option("--mat", is_flag=True, help="With --out, write a .mat file for each game or match."),
    click.option("--json-matches", is_flag=True, help="With --out, write a JSON match file for each, of any game."),
)
_workers_options = option_group(
    "workers",
    Workers,
    workers_option_as("threads"),
    click.option(
        "--ray-workers",
        "ray",
        type=click.IntRange(0, MAX_WORKERS),
        default=0,
        show_default="none",
        help="Play on this many Ray workers instead. Results do not depend on it.",
    ),
    click.option(
        "--ray-address",
        default="local",
        show_default=True,
        metavar="ADDRESS",
        help="`local` starts a cluster on this machine, `auto` joins the running one.",
    ),
)


@click.command()
@click.argument("bots", nargs=-1, metavar="A B [C]...")
@click.option(
    "--games", type=int, default=1000, show_default=True, help="Games of each pairing, or matches; an even number."
)
@click.option(
    "--match-length",
    type=int,
    metavar="POINTS",
    help="Play matches to this many points.  [default: single games]",
)
@ruleset_option
@click.option("--cube/--no-cube", help="Turn the doubling cube, in a house that has one.")
@click.option(
    "--schedule",
    type=click.Choice(get_args(Schedule)),
    help="Every two bots; the first against all others; each against the next.  [default: round-robin; with --ladder "
    "ladder]",
)
@click.option("--ladder", type=Path, metavar="RUN", help="Add the checkpoints of a training run, the oldest first.")
@_luck_options
@click.option(
    "--until-ci",
    type=float,
    metavar="HALF",
    help="Stop a pairing when its 95 % interval is at most +- HALF points per game, or share of matches; --games is "
    "then the limit.",
)
@_folder_options
@seed_option("Seed of the dice.")
@_workers_options
@levels_option
@json_option
def tournament(
    bots: tuple[str, ...],
    games: int,
    match_length: int | None,
    ruleset_name: str,
    cube: bool,
    schedule: Schedule | None,
    ladder: Path | None,
    luck: _LuckOptions,
    until_ci: float | None,
    folder: _FolderOptions,
    seed: int,
    workers: Workers,
    levels: Levels,
    as_json: bool,
) -> None:
    """Play bots against each other with paired dice.

    A bot is `random`, `baseline`, `pubeval`, a level of the house (`easy`, `medium`, `hard`), a shipped checkpoint such
    as `tavla/hard`, or the folder of any checkpoint. With the extra [peers] it may be an outside engine at a ply, such
    as `gnubg:0` or `sage:1`, and for Plakoto and Fevga `mars:FILE`; outside engines play every game for points.

    After a checkpoint, `@1` looks one ply ahead. `:0.05` judges each position with an error of 0.05 points, by which a
    play loses at most three times as much, or at most what a second number says: `DIR@1:0.05,0.1`. In a set of games,
    such as zar-greek, name one bot that plays all games, or a bot for each game:
    `portes=DIR,plakoto-greek=DIR@1,fevga=random`.

    With `--cube` bots with a network and `sage:PLY` double, take and pass; other bots make no cube decisions. Plays are
    chosen as if the cube stayed where it is.

    Games come in pairs with the same dice and swapped seats, and all pairings use the same dice. The +- is one standard
    error, from the pairs. A result without luck has the same mean and a smaller error.

    \b
    Examples:
      tavla tournament pubeval random --games 200 --match-length 3
      tavla tournament easy medium hard --match-length 3 --games 20
      tavla tournament hard pubeval --games 1000 --until-ci 0.2
      tavla tournament hard random --games 20 --luck --out results --mat
      tavla tournament tavla/easy tavla/easy:0.05 pubeval --schedule gauntlet --games 40
      tavla tournament backgammon backgammon@1 --ruleset oyna-backgammon --match-length 3 --cube --games 2
      tavla tournament random portes=tavla/easy,plakoto-greek=random,fevga=random --ruleset zar-greek --games 10
    """
    if folder.match_formats and folder.out is None:
        option = "--mat" if folder.mat else "--json-matches"
        raise click.UsageError(f"{option} writes into the results folder; expected --out DIR with it")
    game = get_game(ruleset_name)
    if folder.mat:
        check_has_mat(game)
    specs = (*bots, *(run_checkpoints(ladder) if ladder is not None else ()))
    if len(specs) < 2:
        raise TavlaError(f"a tournament of {len(specs)}: expected at least 2 bots, such as hard pubeval")
    if isinstance(game, MatchSet):
        match_length = match_length or game.default_match_length
    players = [load_bot(spec, game, levels, match_length) for spec in specs]
    schedule = schedule or ("round-robin" if ladder is None else "ladder")
    arena = Arena(game, players, seed, match_length, luck.networks(game, players), cube=cube)
    num_pairings = len(scheduled(len(players), schedule))
    with progress("games" if match_length is None else "matches", games * num_pairings) as advance:
        played = play_tournament(
            arena,
            games,
            schedule=schedule,
            until_ci=until_ci,
            out=folder.out,
            workers=workers,
            progress=advance,
        )
    if folder.out is not None:
        write_report(folder.out, played)
        for kind in folder.match_formats:
            TournamentReplay(folder.out, arena.bots).write_matches(kind)
    if as_json:
        print_json(played.result.model_dump(mode="json"))
    else:
        _print_tournament(played.result)


def _print_tournament(result: TournamentResult) -> None:
    contest = "single games" if result.match_length is None else f"matches to {result.match_length}"
    if result.cube:
        contest += " with the cube"
    if result.judge is not None:
        contest += f", luck measured by {result.judge}"
    print_table(
        f"{result.ruleset}, {contest}, seed {result.seed}: what A scored",
        ["A", "B", *_measured_headers(result), "B's", "void", "turns/game", "games/s"],
        [
            [
                pair.a,
                pair.b,
                *_measured_cells(pair, result),
                percent(pair.opponent_mars_share),
                str(pair.void_games),
                f"{pair.plies_per_game:.1f}",
                "" if pair.games_per_second is None else f"{pair.games_per_second:,.0f}",
            ]
            for pair in result.pairings
        ],
        num_text=2,
    )
    for pair in result.pairings:
        for fault, count in pair.faults.items():
            click.echo(f"{pair.a} - {pair.b}: {count} void, {fault}")
    # Two bots' ratings say no more than their shares.
    ratings = None if len(result.totals) < 3 or result.ratings is None else result.ratings
    print_table(
        "All pairings" if ratings is None else "All pairings, and ratings (Bradley-Terry, 1500 on average)",
        ["bot", *([] if ratings is None else ["rating", "95 %"]), *_measured_headers(result)],
        [
            [
                total.name,
                *([] if ratings is None else _rating_cells(ratings.rating(total.name))),
                *_measured_cells(total, result),
            ]
            for total in result.totals
        ],
    )


def _rating_cells(rating: Rating) -> list[str]:
    low, high = rating.interval
    return [f"{rating.rating:.0f} +- {rating.standard_error:.0f}", f"{low:.0f} to {high:.0f}"]


def _measured_headers(result: TournamentResult) -> list[str]:
    shares = ["wins %", "draws %", "mars %"] if _has_draws(result) else ["wins %", "mars %"]
    luck = ["without luck", "95 %"] if result.judge is not None else []
    shares += ["doubles/game", "passes %"] if result.cube else []
    if result.match_length is None:
        return ["games", "points/game", "95 %", *luck, *shares]
    return ["matches", "match wins %", "95 %", *luck, "games", "points/game", *shares]


def _has_draws(result: TournamentResult) -> bool:
    return 0 in scores_of(get_game(result.ruleset))


def _measured_cells(measured: PairResult | BotTotal, result: TournamentResult) -> list[str]:
    draws = [percent(measured.draw_share)] if _has_draws(result) else []
    shares = [percent(measured.win_share), *draws, percent(measured.mars_share)]
    if result.cube:
        shares += [f"{measured.doubles_per_game or 0:.2f}", percent(measured.pass_share)]
    is_match = measured.match_win_share is not None
    mean = measured.points_per_game if measured.match_win_share is None else measured.match_win_share
    cells = _figure(mean, measured.standard_error, measured.interval, is_match)
    if result.judge is not None:
        cells += _figure(measured.adjusted, measured.adjusted_standard_error, measured.adjusted_interval, is_match)
    if not is_match:
        return [str(measured.games), *cells, *shares]
    return [str(measured.matches), *cells, str(measured.games), f"{measured.points_per_game:+.3f}", *shares]


def _figure(mean: float | None, error: float | None, interval: tuple[float, float] | None, is_match: bool) -> list[str]:
    if mean is None:
        return ["", ""]
    if is_match:
        return [
            percent(mean) + ("" if error is None else f" +- {100 * error:.1f}"),
            "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}",
        ]
    return [
        f"{mean:+.3f}" + ("" if error is None else f" +- {error:.3f}"),
        "" if interval is None else f"{interval[0]:+.3f} to {interval[1]:+.3f}",
    ]
