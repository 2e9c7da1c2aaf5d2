"""`python -m train`: train a bot from a recipe."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from tavla_ai.errors import ConfigError, TavlaError
from tavla_ai.network import Card, is_checkpoint, load_checkpoint
from tavla_ai.stats import interval_95, margin_95
from tavla_ai.tournament import PairResult
from train.config import TrainConfig, check_resumable, describe_keys, load_config
from train.learner import DivergedError
from train.metrics import Progress as RunProgress
from train.metrics import Reporter
from train.pipeline import Interrupted, Pipeline
from train.pool import make_pool
from train.run import RunDirectory
from train.stages import RECIPE_FILE, has_stages, is_staged_run, load_stages, publish, record_stages

EXIT_USER = 2
EXIT_DIVERGED = 3
EXIT_INTERRUPTED = 130


class _Screen(Reporter):
    """Progress of a run: a bar on a terminal, otherwise a line from time to time."""

    def __init__(self, config: TrainConfig, console: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[detail]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(config.ruleset, total=config.games, detail="")
        self._console = console
        self._first: tuple[float, int] | None = None
        self._games = config.games
        self._last_line = 0.0

    def __enter__(self) -> _Screen:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def advance(self, progress: RunProgress, metrics: dict[str, float]) -> None:
        detail = (
            f"{metrics['speed/games_per_second']:.0f} games/s  "
            f"{metrics['speed/positions_per_second']:.0f} positions/s  "
            f"loss {metrics['losses/cross_entropy']:.4f}"
        )
        self._bar.update(self._task, completed=progress.games, detail=detail)
        now = time.monotonic()
        if self._first is None:
            self._first = (now, progress.games)
        if not self._console.is_terminal and now - self._last_line >= 30:
            self._last_line = now
            since, games = self._first
            left = (now - since) * (self._games - progress.games) / max(progress.games - games, 1)
            eta = f"  about {left / 60:.0f} min left" if progress.games > games else ""
            self._console.print(f"{progress.games}/{self._games} games  {detail}{eta}", highlight=False)

    def evaluated(self, results: list[PairResult]) -> None:
        for result in results:
            error = "" if result.standard_error is None else f" ± {margin_95(result.standard_error):.3f} (95 %)"
            self._console.print(
                f"{result.points_per_game:+.3f}{error} points per game against {result.b} ({result.games} games)",
                highlight=False,
            )

    def warned(self, warning: str) -> None:
        self._console.print(f"warning: {warning}", highlight=False)


@click.command(
    epilog="Example: python -m train --config configs/quick.yaml --run runs/quick --set td.lambda=0.6",
    context_settings={"max_content_width": 100},
)
@click.option("--config", "config_path", type=click.Path(path_type=Path), help="Recipe, a YAML file.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a key, such as td.lambda=0.7.")
@click.option("--workers", type=click.IntRange(min=0), help="Ray workers; 0 plays in this process, without Ray.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the run.")
@click.option("--run", "run_path", type=click.Path(path_type=Path), help="Run directory [default: runs/<recipe>].")
@click.option(
    "--resume",
    metavar="RUN|auto",
    help="Resume a run from its newest checkpoint; `auto` resumes --run if it exists and starts it otherwise.",
)
@click.option("--rounds", type=click.IntRange(min=1), help="Stop after this number of rounds; --resume continues.")
@click.option("--keys", is_flag=True, help="Print every configuration key with its default and meaning, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print the final card as JSON.")
def command(
    config_path: Path | None,
    overrides: tuple[str, ...],
    workers: int | None,
    seed: int | None,
    run_path: Path | None,
    resume: str | None,
    rounds: int | None,
    keys: bool,
    as_json: bool,
) -> None:
    """Train a bot by self-play TD(λ).

    The run directory gets everything: configuration, code version, log, TensorBoard events,
    checkpoints, and `final`, the measured result.
    """
    if keys:
        click.echo(describe_keys(), nl=False)
        return
    settings = list(overrides)
    if workers is not None:
        settings.append(f"ray.workers={workers}")
    if seed is not None:
        settings.append(f"seed={seed}")
    console = Console(stderr=True)
    if run_path is None:
        run_path = Path("runs") / (config_path.stem if config_path else "default")
    if resume not in (None, "auto"):
        run_path = Path(str(resume))
    if is_staged_run(run_path) if config_path is None else has_stages(config_path):
        _train_stages(config_path, settings, run_path, resume, rounds, console, as_json)
        return
    run = RunDirectory(run_path)
    card = _train(lambda: load_config(config_path, settings), settings, config_path, run, resume, rounds, console)
    if card is not None:
        _print_result(card, run, as_json)


def _train(
    load: Callable[[], TrainConfig],
    settings: list[str],
    source: Path | None,
    run: RunDirectory,
    resume: str | None,
    rounds: int | None,
    console: Console,
) -> Card | None:
    """Start or resume one run and return its final card; None if it stopped after `rounds` rounds.

    Args:
      load: reads the requested configuration.
      settings: `--set` overrides, for a run that is resumed without a recipe.
      source: the recipe; None without one.
    """
    if resume is not None and (resume != "auto" or run.exists()):
        recorded = run.load_config([])
        config = run.load_config(settings) if source is None else load()
        check_resumable(recorded, config, str(source or "--set"))
        if is_checkpoint(run.final):
            console.print(f"{run.path}: already finished", highlight=False)
            return load_checkpoint(run.final).card
    else:
        resume = None
        config = load()
        run.check_free()
    # Nothing is written until everything that the recipe names has been found.
    with closing(make_pool(config)) as pool, _Screen(config, console) as screen:
        pipeline = Pipeline(config, run, pool, screen)
        if resume is None:
            run.create(config)
        with run.lock(), run.logging():
            if resume is not None:
                pipeline.resume()
            if not pipeline.train(rounds):
                console.print(f"stopped after {rounds} rounds; resume it with --resume {run.path}", highlight=False)
                return None
            return pipeline.finish()


def _train_stages(
    recipe: Path | None,
    settings: list[str],
    run_path: Path,
    resume: str | None,
    rounds: int | None,
    console: Console,
    as_json: bool,
) -> None:
    """Start or resume the stages of a recipe, one after the other."""
    if recipe is not None and resume is None and is_staged_run(run_path):
        raise ConfigError(
            f"{run_path}: has a run already; resume it with --resume {run_path}, or name another folder with --run"
        )
    if resume not in (None, "auto") and not is_staged_run(run_path):
        raise ConfigError(
            f"{run_path}: no run to resume, {RECIPE_FILE} is missing; start a run with --config and --run"
        )
    stages = load_stages(recipe or run_path / RECIPE_FILE, run_path, settings)
    whole = RunDirectory(run_path)
    if not is_staged_run(run_path):
        whole.check_free()
        record_stages(run_path, stages)
    with whole.lock():
        for number, stage in enumerate(stages, 1):
            console.print(f"stage {number} of {len(stages)}: {stage.name}", highlight=False)
            card = _train(
                lambda stage=stage: stage.config,  # type: ignore[misc]
                settings,
                recipe or run_path / RECIPE_FILE,
                stage.run,
                "auto",
                rounds,
                console,
            )
            if card is None:
                return
        publish(stages, whole.final)
    _print_result(load_checkpoint(whole.final).card, whole, as_json)


def _print_result(card: Card, run: RunDirectory, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(card.model_dump(mode="json")))
        return
    console = Console(width=None if sys.stdout.isatty() else 100)
    table = Table(title=f"{card.ruleset.name}, {card.games} games of self-play, network {list(card.network.hidden)}")
    for heading in ("opponent", "games", "points per game", "95 % interval", "wins", "mars of wins"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    for result in card.results:
        interval = None if result.standard_error is None else interval_95(result.points_per_game, result.standard_error)
        table.add_row(
            result.opponent,
            str(result.games),
            f"{result.points_per_game:+.3f}",
            "" if interval is None else "{:+.3f} … {:+.3f}".format(*interval),
            f"{result.win_share:.1%}",
            f"{result.mars_share:.1%}",
        )
    console.print(table)
    cost = card.cost
    click.echo(
        f"time: {cost['total_seconds']:.0f} s, of which self-play {cost['play_seconds']:.0f} "
        f"({card.games / max(cost['play_seconds'], 1e-9):.0f} games/s), learning {cost['learn_seconds']:.0f} "
        f"({card.positions / max(cost['learn_seconds'], 1e-9):.0f} positions/s), "
        f"evaluation {cost['evaluation_seconds']:.0f}; peak memory {cost['peak_memory_mib']:.0f} MiB"
    )
    click.echo(f"checkpoint: {run.final}")


def run_command(chosen: click.Command) -> None:
    """Run a command; exit with 2 after a user's mistake, with 3 after divergence, with 130 if interrupted."""
    try:
        chosen(standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"error: {' '.join(error.format_message().split())} (see python -m train --help)", err=True)
        sys.exit(EXIT_USER)
    except TavlaError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_USER)
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        click.echo(f"error: {where}{error.strerror or error}", err=True)
        sys.exit(EXIT_USER)
    except DivergedError as error:
        click.echo(f"error: {error}; training stopped, the last checkpoint is kept", err=True)
        sys.exit(EXIT_DIVERGED)
    except (Interrupted, KeyboardInterrupt, click.Abort):
        click.echo("interrupted; the run is saved and can be resumed", err=True)
        sys.exit(EXIT_INTERRUPTED)


def main() -> None:
    """Run `python -m train`."""
    run_command(command)


if __name__ == "__main__":
    main()
