"""`python -m train.bench`, also `tavla bench learn`: the learner's speed in positions a second."""

from __future__ import annotations

import json

import click

from tavla_ai.bench import BenchResult, Timed, time_work
from train.batch import Task
from train.config import parse_config
from train.learner import Learner
from train.worker import SelfPlayWorker


def bench_learner(ruleset_name: str, hidden: tuple[int, ...], threads: int, games: int, repeats: int) -> BenchResult:
    """Time identical rounds of training on the afterstates of untrained self-play.

    Raises:
      ConfigError: the ruleset is unknown, or a number is out of range.
      RuntimeError: two rounds trained different numbers of positions.
    """
    data = {"ruleset": ruleset_name, "network": {"hidden": list(hidden)}, "learner": {"threads": threads}}
    config = parse_config(data, [], "bench")
    learner = Learner(config.network_spec, config.learner, config.seed)
    afterstates = SelfPlayWorker(config).play(learner.weights(), Task(0, 0, games)).afterstates

    def work() -> Timed:
        metrics = learner.train_round(afterstates, 0, 0.0)
        return Timed({"positions": metrics.positions})

    (result,) = time_work("learn", work, repeats)
    return result


@click.command(epilog="Example: python -m train.bench --hidden 256,32 --threads 1")
@click.option("--ruleset", "ruleset_name", default="north-sultan", show_default=True, help="The game.")
@click.option("--hidden", default="128", show_default=True, help="Units of the hidden layers.")
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True, help="Torch threads.")
@click.option("--games", type=click.IntRange(min=1), default=1000, show_default=True, help="Games of self-play.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Timed repeats.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(ruleset_name: str, hidden: str, threads: int, games: int, repeats: int, as_json: bool) -> None:
    """Time the learner on the CPU, including the encoding of its inputs."""
    try:
        widths = tuple(int(width) for width in hidden.split(","))
    except ValueError:
        raise click.BadParameter(f"{hidden!r}: widths separated by commas expected, such as 256,32") from None
    result = bench_learner(ruleset_name, widths, threads, games, repeats)
    if as_json:
        click.echo(json.dumps(result.model_dump(mode="json"), indent=2))
    else:
        click.echo(
            f"learn, {hidden}, {threads} threads: {result.median:,.0f} positions a second "
            f"({result.slowest:,.0f} to {result.fastest:,.0f}), {result.count:,} each repeat"
        )


if __name__ == "__main__":
    from train.__main__ import run_command

    run_command(command)
