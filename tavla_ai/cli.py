"""The command line: `tavla`. It reads what the user typed and prints results; the work is done elsewhere.

Results go to stdout, progress and errors to stderr. A user's mistake is one line and exit code 2, Ctrl-C is
exit code 130.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NoReturn

import click
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tavla_ai import engine
from tavla_ai.bench import MEASURES, Measure, run_bench
from tavla_ai.bots import RankedPlay, make_bot, rank_plays
from tavla_ai.bots.peers import PEERS
from tavla_ai.checkpoint import Card, Result, load_checkpoint
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.position import Position, check_board, check_play, format_play, parse_dice, parse_play
from tavla_ai.rulesets import Ruleset, get_match_set, get_ruleset, match_set_names, ruleset_names
from tavla_ai.tournament import (
    MAX_SEED,
    MAX_WORKERS,
    BotTotal,
    PairResult,
    ProgressCallback,
    TournamentResult,
    play_tournament,
)

# Timed by the trainer, which the play-time package does not import.
LEARN: Literal["learn"] = "learn"

USER_ERROR = 2
INTERRUPTED = 130

# What a table may take where there is no terminal to ask: wide enough that nothing is cut.
_FILE_WIDTH = 200
# What a column of text keeps on a narrow terminal, where longer text is folded.
_TEXT_WIDTH = 20


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


_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_ruleset_option = click.option(
    "--ruleset",
    "ruleset_name",
    metavar="NAME",
    default="north-sultan",
    show_default=True,
    help="The game; `tavla rulesets` lists them.",
)
_position_option = click.option(
    "--position",
    "position_text",
    metavar="POSITION",
    help="The board seen by the player on roll, as `24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5`, each side in its own "
    "numbering and the player on roll first; or a GNU Position ID, of tavla and backgammon only.  "
    "[default: the start position]",
)


# tavla tournament


@main.command()
@click.argument("bots", nargs=-1, metavar="A B [C]...")
@click.option("--games", type=int, default=1000, show_default=True, help="Games of each pairing, or matches; even.")
@click.option(
    "--match-length",
    type=int,
    metavar="POINTS",
    help="Play matches to so many points.  [default: single games]",
)
@_ruleset_option
@click.option("--seed", type=click.IntRange(0, MAX_SEED), default=1, show_default=True, help="Seed of the dice.")
@click.option(
    "--workers",
    type=click.IntRange(0, MAX_WORKERS),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each CPU",
    help="Engine threads; 0 is one. Results do not depend on it.",
)
@_json_option
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

    A bot is `random`, `pubeval` or the folder of a checkpoint. Games come in pairs with the same dice and the
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
    with _progress("games" if match_length is None else "matches", games * num_pairings) as advance:
        result = play_tournament(ruleset, players, games, seed, match_length, max(1, workers), advance)
    if as_json:
        _print_json(result.model_dump(mode="json"))
    else:
        _print_tournament(result)


def _print_tournament(result: TournamentResult) -> None:
    contest = "single games" if result.match_length is None else f"matches to {result.match_length}"
    _print_table(
        f"{result.ruleset}, {contest}, seed {result.seed}: what A scored",
        ["A", "B", *_measured_headers(result), "B's", "void", "turns/game", "games/s"],
        [
            [
                pair.a,
                pair.b,
                *_measured_cells(pair, _has_draws(result)),
                _percent(pair.opponent_mars_share),
                str(pair.void_games),
                f"{pair.plies_per_game:.1f}",
                f"{pair.games_per_second:,.0f}",
            ]
            for pair in result.pairings
        ],
        num_text=2,
    )
    _print_table(
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
    draws = [_percent(measured.draw_share)] if has_draws else []
    shares = [_percent(measured.win_share), *draws, _percent(measured.mars_share)]
    if measured.match_win_share is None:
        return [
            str(measured.games),
            f"{measured.points_per_game:+.3f}" + ("" if error is None else f" +- {error:.3f}"),
            "" if interval is None else f"{interval[0]:+.3f} to {interval[1]:+.3f}",
            *shares,
        ]
    return [
        str(measured.matches),
        _percent(measured.match_win_share) + ("" if error is None else f" +- {100 * error:.1f}"),
        "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}",
        str(measured.games),
        f"{measured.points_per_game:+.3f}",
        *shares,
    ]


# tavla moves


@main.command()
@_ruleset_option
@_position_option
@click.option("--dice", required=True, metavar="ROLL", help="The roll, such as 31.")
@click.option("--checkpoint", type=Path, metavar="DIR", help="Rank the plays with this checkpoint's network.")
@click.option("--play", "play_text", metavar="PLAY", help="Check one play, such as '8/5 6/5', instead of listing all.")
@_json_option
def moves(
    ruleset_name: str,
    position_text: str | None,
    dice: str,
    checkpoint: Path | None,
    play_text: str | None,
    as_json: bool,
) -> None:
    """Show a position and every legal play of a roll.

    With a checkpoint the plays are ranked by expected points of a single game, with the mover's chances of
    winning, of winning a mars (more than one point) and of losing one. In gul-bara they are the plays of the
    roll's first stage.

    \b
    Examples:
      tavla moves --position 4HPwATDgc/ABMA --dice 31
      tavla moves --ruleset plakoto --position "24:13 20:1 10:1 / 24:14 15:1 pin:15" --dice 31
    """
    ruleset = get_ruleset(ruleset_name)
    position = _position(position_text, ruleset)
    roll = parse_dice(dice)
    if play_text is not None:
        after = check_play(position, roll, parse_play(play_text), ruleset).swap()
        if as_json:
            _print_json({"play": play_text, "position": _text(after, ruleset)})
        else:
            click.echo(f"legal; the opponent is on roll in {_text(after, ruleset)}")
        return
    network = None if checkpoint is None else load_checkpoint(checkpoint, ruleset)
    plays = rank_plays(ruleset, position, roll, network)
    rows = [_play_data(ruleset, position, play) for play in plays]
    if as_json:
        _print_json(
            {"ruleset": ruleset.name, "position": _text(position, ruleset), "dice": roll, "scores": ruleset.scores}
            | {"plays": rows}
        )
        return
    click.echo(position.render(ruleset) + "\n")
    title = f"{len(rows)} legal play{'s' if len(rows) > 1 else ''} of {roll[0]}-{roll[1]}"
    if network is None:
        _print_table(title, ["", "play"], [[str(i), row["play"]] for i, row in enumerate(rows, 1)], num_text=2)
    else:
        shares = {"win": "win %", "draw": "draw %", "mars": "mars %", "mars_lost": "mars lost %"}
        if 0 not in ruleset.scores:
            del shares["draw"]
        _print_table(
            title,
            ["", "play", "points", *shares.values()],
            [
                [str(i), row["play"], f"{row['equity']:+.4f}"] + [_percent(row[key]) for key in shares]
                for i, row in enumerate(rows, 1)
            ],
            num_text=2,
        )


def _play_data(ruleset: Ruleset, position: Position, play: RankedPlay) -> dict[str, Any]:
    data: dict[str, Any] = {
        "play": format_play(position, play.steps, ruleset),
        "steps": play.steps,
        "position": _text(play.afterstate.swap(), ruleset),  # with the opponent on roll
        "score": play.score,
    }
    if play.outcomes is not None:
        outcomes = list(zip(ruleset.scores, play.outcomes, strict=True))
        data |= {
            "equity": play.equity,
            "outcomes": play.outcomes,
            "win": sum(share for score, share in outcomes if score > 0),
            "draw": sum(share for score, share in outcomes if score == 0),
            "mars": sum(share for score, share in outcomes if score > 1),
            "mars_lost": sum(share for score, share in outcomes if score < -1),
        }
    return data


def _position(text: str | None, ruleset: Ruleset) -> Position:
    """Return the position to play from, refusing what `ruleset` cannot reach and finished games."""
    if text is None:
        return Position.start(ruleset)
    if ":" in text:
        name = f"position {text!r}"
        position = Position.from_text(text, ruleset)
    else:
        name = f"position ID {text!r}"
        if ruleset.family != "opposed-hit":
            raise RulesetError(
                f"{name}: IDs are of tavla and backgammon only; {ruleset.name} takes a text such as "
                f"{Position.start(ruleset).to_text(ruleset)!r}"
            )
        position = Position.from_id(text)
        check_board(position.board, ruleset)
    if position.is_over(ruleset):
        raise RulesetError(f"{name}: the game is over, there is nothing to play")
    return position


def _text(position: Position, ruleset: Ruleset) -> str:
    """Return the position as `--position` takes it: the ID where there is one."""
    return position.to_id() if ruleset.family == "opposed-hit" else position.to_text(ruleset)


# tavla perft


@main.command()
@_ruleset_option
@_position_option
@click.option("--depth", type=click.IntRange(1, 100), default=2, show_default=True, help="How many turns deep.")
@click.option("--divide", is_flag=True, help="Show the count below each first roll.")
@_json_option
def perft(ruleset_name: str, position_text: str | None, depth: int, divide: bool, as_json: bool) -> None:
    """Count the distinct positions after each of the 21 rolls, so many turns deep.

    A turn without a move counts as one; a finished game goes no deeper. In gul-bara a roll is its first stage:
    nothing cascades and nothing is passed on.

    \b
    Example:
      tavla perft --depth 2 --divide
    """
    ruleset = get_ruleset(ruleset_name)
    position = _position(position_text, ruleset)
    counts = {
        f"{high}{low}": _count_below(ruleset, position, (high, low), depth)
        for high in range(1, 7)
        for low in range(1, high + 1)
    }
    total = sum(counts.values())
    if as_json:
        data = {"ruleset": ruleset.name, "position": _text(position, ruleset), "depth": depth, "count": total}
        _print_json(data | ({"rolls": counts} if divide else {}))
        return
    if divide:
        for roll, count in counts.items():
            click.echo(f"{roll}: {count}")
    click.echo(total)


def _count_below(ruleset: Ruleset, position: Position, roll: tuple[int, int], depth: int) -> int:
    """Return the perft count below one roll; one engine call for each play, so that Ctrl-C is heard."""
    plays = rank_plays(ruleset, position, roll)
    if depth == 1:
        return len(plays)
    rules = engine.compile_rules(ruleset)
    return sum(engine.perft(rules, play.afterstate.swap().board, depth - 1) for play in plays if play.score is None)


# tavla rulesets


@main.command()
@click.argument("name", required=False)
@_json_option
def rulesets(name: str | None, as_json: bool) -> None:
    """List the games and the sets of games, or show all that is particular to one.

    \b
    Examples:
      tavla rulesets north-sultan
      tavla rulesets zar-greek
    """
    if name is not None:
        shown = get_match_set(name) if name in match_set_names() else get_ruleset(name)
        if as_json:
            _print_json(shown.model_dump(mode="json"))
            return
        fields = type(shown).model_fields
        rows = [
            [key, _plain(value), fields[key].description or ""] for key, value in shown.model_dump(mode="json").items()
        ]
        _print_table(shown.title, ["", "", "meaning"], rows, num_text=3)
        return
    presets = [get_ruleset(preset) for preset in ruleset_names()]
    sets = [get_match_set(match_set) for match_set in match_set_names()]
    if as_json:
        _print_json(
            {
                "rulesets": [preset.model_dump(mode="json") for preset in presets],
                "match_sets": [match_set.model_dump(mode="json") for match_set in sets],
            }
        )
        return
    _print_table(
        "Rulesets",
        ["name", "game", "family", "opening", "scores", "matches to", "default"],
        [
            [p.name, p.title, p.family, p.opening, *map(_plain, (p.scores, p.match_lengths, p.default_match_length))]
            for p in presets
        ],
        num_text=6,
    )
    _print_table(
        "Sets: games in turn, for one score",
        ["name", "set", "games", "matches to", "default"],
        [[s.name, s.title, _plain(s.games), _plain(s.match_lengths), str(s.default_match_length)] for s in sets],
        num_text=4,
    )


def _plain(value: object) -> str:
    """Return a value of a ruleset as a person would write it."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "any" if value is None else str(value)


# tavla inspect


@main.command()
@click.argument("checkpoint", type=Path)
@_json_option
def inspect(checkpoint: Path, as_json: bool) -> None:
    """Check a checkpoint and show its card: games, network and measured strength.

    \b
    Example:
      tavla inspect checkpoints/tavla
    """
    loaded = load_checkpoint(checkpoint)
    card = loaded.card
    if as_json:
        _print_json(card.model_dump(mode="json"))
        return
    num_weights = sum(array.size for array in loaded.weights.values())
    _print_table(str(checkpoint), ["", ""], _card_rows(card, num_weights), num_text=2)
    if card.results:
        _print_table(
            "Results",
            ["opponent", "games", "points/game", "wins %", "mars %", "seed"],
            [_result_cells(result) for result in card.results],
        )
    else:
        click.echo("No results: its strength has not been measured.")


def _card_rows(card: Card, num_weights: int) -> list[list[str]]:
    widths = (card.network.num_inputs, *card.network.hidden, card.network.num_scores)
    return [
        ["ruleset", f"{card.ruleset.name} ({card.ruleset.title})"],
        ["network", f"{'-'.join(map(str, widths))}, {num_weights:,} weights, inputs {card.features}"],
        ["games", f"{card.games:,}"],
        ["positions", f"{card.positions:,}"],
        ["seed", str(card.seed)],
        ["cost", _plain(card.cost)],
        ["created", card.created],
        ["parent", card.parent or "none"],
        ["code", _plain(card.code)],
        ["versions", _plain(card.versions)],
        ["weights sha256", card.weights_sha256],
    ]


def _result_cells(result: Result) -> list[str]:
    return [
        result.opponent,
        f"{result.games:,}",
        f"{result.points_per_game:+.3f}"
        + ("" if result.standard_error is None else f" +- {result.standard_error:.3f}"),
        _percent(result.win_share),
        _percent(result.mars_share),
        str(result.seed),
    ]


# tavla export


@main.command()
@click.argument("checkpoint", type=Path, required=False)
@click.option("--out", type=Path, metavar="DIR", help="The folder to make.")
@click.option("--verify", type=Path, metavar="DIR", help="Check a bundle instead of making one.")
@_json_option
def export(checkpoint: Path | None, out: Path | None, verify: Path | None, as_json: bool) -> None:
    """Write a checkpoint as a bundle for game servers, or check one.

    \b
    Examples:
      tavla export checkpoints/tavla --out bundle
      tavla export --verify bundle
    """
    from tavla_ai.export import export_bundle, verify_bundle

    if verify is not None:
        if checkpoint is not None or out is not None:
            raise click.UsageError("--verify takes neither a checkpoint nor --out")
        report = verify_bundle(verify)
        if as_json:
            _print_json(report.model_dump(mode="json"))
            return
        worst = max(report.max_outcome_difference, report.max_utility_difference)
        click.echo(
            f"{verify}: sound; {report.num_positions:,} positions agree within {worst:.1e}"
            f" (allowed {report.tolerance:.0e})"
        )
        return
    if checkpoint is None or out is None:
        raise click.UsageError("expected a checkpoint and --out DIR, or --verify DIR")
    manifest = export_bundle(checkpoint, out)
    if as_json:
        _print_json(manifest.model_dump(mode="json"))
        return
    click.echo(f"{out}: {len(manifest.files) + 1} files for {manifest.ruleset}, verified")


# tavla train


@main.command(
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
    _become_trainer("train", *args)


_TRAINER = Path("train/__main__.py")


def _become_trainer(module: str, *args: str) -> NoReturn:
    """Let a module of the train package take over this process, so that Ctrl-C and exit codes are its own."""
    if not _TRAINER.is_file():
        raise TavlaError(
            f"{Path.cwd()} has no train package: training runs from a checkout, after pip install -e .[train]"
        )
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *args])


# tavla bench


@main.command()
@click.argument(
    "measures", nargs=-1, type=click.Choice((*MEASURES, LEARN)), metavar="[plays|evaluate|selfplay|search|learn]..."
)
@_ruleset_option
@click.option("--checkpoint", type=Path, metavar="DIR", help="Whose network plays.  [default: untrained weights]")
@click.option("--against", type=click.Choice(PEERS), help="Let an outside engine do the same work beside ours.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Timed repeats.")
@_json_option
def bench(
    measures: tuple[Measure | Literal["learn"], ...],
    ruleset_name: str,
    checkpoint: Path | None,
    against: str | None,
    repeats: int,
    as_json: bool,
) -> None:
    """Time the engine on one core.

    With --against the ratio to an outside engine is shown; it needs the extra [peers]. `learn` times the learner
    in a checkout, by itself; `python -m train.bench --help` has its options.

    \b
    Example:
      tavla bench selfplay --checkpoint checkpoints/tavla
    """
    ruleset = get_ruleset(ruleset_name)
    if LEARN in measures:
        if len(measures) > 1 or checkpoint is not None or against is not None:
            raise click.UsageError("learn is timed by itself, without --checkpoint or --against")
        options = ["--ruleset", ruleset_name, "--repeats", str(repeats), *(["--json"] if as_json else [])]
        _become_trainer("train.bench", *options)
    loaded = None if checkpoint is None else load_checkpoint(checkpoint, ruleset)
    chosen = tuple(measure for measure in measures if measure != LEARN)
    report = run_bench(ruleset, chosen or MEASURES, loaded, repeats, against)
    if as_json:
        _print_json(report.model_dump(mode="json"))
        return
    _print_table(
        f"{report.ruleset}, {report.network}, {report.kernels}, one core",
        ["measure", "counted", "a second", "slowest", "fastest", "each repeat"],
        [
            [r.measure, r.unit, f"{r.median:,.0f}", f"{r.slowest:,.0f}", f"{r.fastest:,.0f}", f"{r.count:,}"]
            for r in report.results
        ],
        num_text=2,
    )
    for r in report.results:
        if r.ratio is not None:
            click.echo(f"{r.measure}: {r.ratio:,.1f} times {r.peer} ({r.peer_median:,.0f} {r.unit} a second)")


# Printing


def _print_json(data: object) -> None:
    click.echo(json.dumps(data, indent=2))


def _print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], *, num_text: int = 1) -> None:
    """Print a table whose first `num_text` columns are text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, show_header=any(headers))
    for i, header in enumerate(headers):
        longest = max(len(header), *(len(row[i]) for row in rows))
        if i < num_text:
            table.add_column(header, overflow="fold", min_width=min(longest, _TEXT_WIDTH))
        else:
            table.add_column(header, justify="right", no_wrap=True, min_width=longest)
    for row in rows:
        table.add_row(*row)
    console = Console(markup=False, highlight=False, emoji=False)
    if not sys.stdout.isatty():
        console.width = _FILE_WIDTH
    # No number is ever cut: a table that needs more than the terminal has runs over.
    needed = Measurement.get(console, console.options.update(max_width=10 * _FILE_WIDTH), table).minimum
    console.width = max(console.width, needed)
    console.print(title)
    console.print(table)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


@contextmanager
def _progress(what: str, total: int) -> Iterator[ProgressCallback | None]:
    """Show a progress bar on stderr, on a terminal only; yields the function that moves it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
