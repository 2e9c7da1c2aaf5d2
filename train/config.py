"""The training configuration: one YAML file, checked in full before training starts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import ConfigError, RulesetError
from tavla_ai.files import first_mistake
from tavla_ai.network import INPUTS, NetworkSpec, input_names
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import MAX_WORKERS
from train.section import Section
from train.targets import LookaheadTarget, Target, TDTarget

MAX_GAMES = 10**12


class NetworkConfig(Section):
    """Shape and inputs of the trained network."""

    hidden: tuple[int, ...] = Field(
        default=(256, 32), min_length=1, description="units of each hidden layer; the first layer reads sparse inputs"
    )
    inputs: str = Field(
        default="counts",
        description="`counts` (checkers on each point) alone, or further inputs as well, with names joined by `+`: "
        + "; ".join(f"`{name}`, {row.summary}" for name, row in INPUTS.items()),
    )

    @field_validator("inputs")
    @classmethod
    def _known_inputs(cls, inputs: str) -> str:
        input_names(inputs)
        return inputs

    @field_validator("hidden")
    @classmethod
    def _widths(cls, hidden: tuple[int, ...]) -> tuple[int, ...]:
        if any(not 1 <= width <= 4096 for width in hidden):
            raise ValueError(f"widths from 1 to 4096 expected, not {list(hidden)}")
        return hidden


class UtilityConfig(Section):
    """Stakes that self-play games are played for, and their share of the games."""

    kind: Literal["single", "double_match_point", "match"] = Field(
        description="`single`: the points of a single game; `double_match_point`: a game that decides a match; "
        "`match`: the chance of winning a match, at each of its scores equally often"
    )
    length: int | None = Field(default=None, ge=2, le=40, description="points of the match, for `match` only")
    share: float = Field(gt=0, description="weight among all kinds; the weights need not add up to 1")

    @model_validator(mode="after")
    def _length_fits(self) -> Self:
        if (self.kind == "match") != (self.length is not None):
            raise ValueError("kind `match` needs `length`, and no other kind may have it")
        return self


class SelfPlayConfig(Section):
    """Self-play: games, their stakes and the weights that play."""

    games_per_round: int = Field(
        default=1000, ge=1, le=MAX_GAMES, description="games of a round, played with one version of the weights"
    )
    games_per_task: int = Field(default=250, ge=1, le=MAX_GAMES, description="games of a task, which one worker plays")
    threads: int = Field(
        default=0,
        ge=0,
        le=MAX_WORKERS,
        description="threads of in-process self-play (`ray.workers: 0`); 0 uses every core",
    )
    weights: Literal["newest", "averaged"] = Field(
        default="newest",
        description="weights that play, and with `targets: lookahead` also give the targets: those of the last step "
        "(`newest`), or their moving average (`averaged`), which changes more slowly and errs less",
    )
    utilities: tuple[UtilityConfig, ...] = Field(
        default=(UtilityConfig(kind="single", share=1.0),),
        min_length=1,
        description="stakes of the games; each game draws its own",
    )
    mars_share: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="share of wins that score more than the smallest win, for the match equity behind `match` stakes; "
        "null takes the value known for the game",
    )

    @property
    def num_threads(self) -> int:
        """Number of engine threads in this process."""
        return self.threads or os.cpu_count() or 1


class LearnerConfig(Section):
    """Learning: optimiser, batches and averages."""

    optimizer: Literal["adam", "sgd"] = Field(default="adam", description="update rule")
    learning_rate: float = Field(default=1e-3, gt=0, description="step size at the start")
    final_learning_rate: float = Field(
        default=1e-5,
        gt=0,
        description="step size at the end; it falls along half a cosine",
    )
    batch_size: int = Field(default=2048, ge=1, le=2**24, description="afterstates per step")
    passes: float = Field(default=1.0, gt=0, le=1000, description="afterstates trained for each new afterstate")
    sibling_weight: float = Field(
        default=0.0,
        ge=0,
        description="weight of a loss that is added to the cross-entropy: the squared error, in points², of the value "
        "differences between the plays of a decision; needs `targets: lookahead` and `lookahead.siblings`",
    )
    window_rounds: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="rounds whose afterstates are kept and sampled; 1 trains on each round once",
    )
    ema: float = Field(
        default=0.999,
        ge=0,
        lt=1,
        description="decay per step of the averaged weights, which are evaluated and saved",
    )
    max_gradient_norm: float = Field(
        default=1.0, gt=0, description="largest norm of the gradient; larger gradients are scaled down"
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="number format of the products of layers during training; bfloat16 is twice as fast where the "
        "processor has it; weights and play stay float32",
    )
    device: str = Field(default="auto", description="`cpu`, `cuda`, `cuda:N`, or `auto`: a GPU if there is one")
    threads: int = Field(
        default=2, ge=1, description="torch threads on the CPU; a run is reproducible only with the same number"
    )


class EvaluationConfig(Section):
    """Measurement of the averaged weights, during training and at the end."""

    every_games: int = Field(default=100_000, ge=1, le=MAX_GAMES, description="self-play games between two evaluations")
    games: int = Field(
        default=2_000, ge=2, le=MAX_GAMES, description="games per opponent during training, an even number"
    )
    final_games: int = Field(
        default=20_000, ge=2, le=MAX_GAMES, description="games per opponent at the end, an even number"
    )
    opponents: tuple[str, ...] | None = Field(
        default=None,
        description="bots, by the names that `tavla tournament` takes; `previous` is the network of the evaluation "
        "before; null takes random, pubeval or in the games that it does not play baseline, and previous",
    )
    seed: int = Field(default=1_000_001, ge=0, le=MAX_SEED, description="seed of the dice during training")
    final_seed: int = Field(
        default=2_000_003, ge=0, le=MAX_SEED, description="seed of the dice at the end; used for nothing else"
    )

    @field_validator("games", "final_games")
    @classmethod
    def _even(cls, games: int) -> int:
        if games % 2:
            raise ValueError(f"an even number expected, since games are played in pairs, not {games}")
        return games


class CheckpointConfig(Section):
    """Checkpoints of the run."""

    every_seconds: float = Field(
        default=60.0, gt=0, description="seconds between checkpoints; a kill loses at most this much training"
    )
    num_to_keep: int = Field(default=3, ge=1, description="number of newest checkpoints that the run keeps")


class RayConfig(Section):
    """Workers on Ray."""

    address: str | None = Field(
        default="local",
        description="`local` starts a cluster on this machine, `auto` joins the cluster that this machine belongs to, "
        "`ray://host:port` or `host:port` joins the cluster at this address",
    )
    workers: int = Field(default=0, ge=0, le=100_000, description="worker actors; 0 plays in this process, without Ray")
    mode: Literal["synchronous", "asynchronous"] = Field(
        default="synchronous",
        description="`synchronous` gives the same weights for any number of workers; `asynchronous` never waits for a "
        "worker",
    )
    max_in_flight: int = Field(default=2, ge=1, description="largest number of tasks that wait at one worker")
    start_timeout: float = Field(default=120.0, gt=0, description="seconds to wait for the first worker")


class TrainConfig(Section):
    """The whole configuration of a training run."""

    ruleset: str = Field(default="north-sultan", description="name of the game; `tavla rulesets` lists them")
    seed: int = Field(default=1, ge=0, lt=2**63, description="seed of dice, initial weights and sampling")
    games: int = Field(default=1_000_000, ge=1, le=MAX_GAMES, description="self-play games of the whole run")
    parent: str | None = Field(
        default=None,
        description="checkpoint to start from instead of random weights, also one of a game of the same family",
    )
    targets: str = Field(
        default="td",
        description="targets that are learned; the section of the same name has their settings. `td`: λ-returns of the "
        "games. `lookahead`: for each afterstate the mean, over the opponent's 21 rolls, of the outcomes after the "
        "best reply; games take longer, and targets have less noise",
    )
    network: NetworkConfig = NetworkConfig()
    td: TDTarget = TDTarget()
    lookahead: LookaheadTarget = LookaheadTarget()
    self_play: SelfPlayConfig = SelfPlayConfig()
    learner: LearnerConfig = LearnerConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()
    ray: RayConfig = RayConfig()

    @field_validator("ruleset")
    @classmethod
    def _known_ruleset(cls, name: str) -> str:
        try:
            get_ruleset(name)
        except RulesetError as error:
            raise ValueError(str(error)) from None
        return name

    @model_validator(mode="after")
    def _workers_fit(self) -> Self:
        if self.ray.mode == "asynchronous" and self.ray.workers == 0:
            raise ValueError("ray.mode: asynchronous needs ray.workers of at least 1")
        return self

    @model_validator(mode="after")
    def _inputs_are_of_the_game(self) -> Self:
        ruleset = get_ruleset(self.ruleset)
        for name in input_names(self.network.inputs):
            if not INPUTS[name].is_of(ruleset):
                raise ValueError(f"network.inputs: {name} exists only in {INPUTS[name].games}, not in {self.ruleset}")
        return self

    @field_validator("targets")
    @classmethod
    def _known_target(cls, name: str) -> str:
        names = [key for key, field in cls.model_fields.items() if isinstance(field.default, Target)]
        if name not in names:
            raise ValueError(f"{' or '.join(names)} expected")
        return name

    @model_validator(mode="after")
    def _target_fits(self) -> Self:
        self.target.check_ruleset(get_ruleset(self.ruleset))
        if self.learner.sibling_weight and not self.target.compares_plays:
            raise ValueError("learner.sibling_weight: needs targets: lookahead and lookahead.siblings of at least 1")
        return self

    @property
    def target(self) -> Target:
        """The section of the configuration that `targets` names."""
        target: Target = getattr(self, self.targets)
        return target

    @property
    def network_spec(self) -> NetworkSpec:
        """Shape and inputs of the network for the game."""
        ruleset = get_ruleset(self.ruleset)
        return NetworkSpec(
            hidden=self.network.hidden,
            num_places=ruleset.num_places,
            num_scores=len(ruleset.scores),
            inputs=self.network.inputs,
        )

    @property
    def num_rounds(self) -> int:
        """Number of rounds of the run; the last round may be shorter."""
        return -(-self.games // self.self_play.games_per_round)


def load_config(path: Path | None, overrides: list[str]) -> TrainConfig:
    """Read a configuration and apply `--set` overrides.

    Args:
      path: a YAML file; None starts from the defaults.
      overrides: `dotted.key=value`, the value read as YAML.

    Raises:
      ConfigError: the file cannot be read, or a key or value is wrong; the message is one line and names the file, the
        key and the value.
    """
    if path is None:
        return parse_config({}, overrides, "defaults")
    return parse_config(read_yaml(path), overrides, str(path))


class _StrictLoader(yaml.SafeLoader):
    """Refuses a mapping with a repeated key; YAML would silently keep the last value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str) and key in seen:
                raise yaml.YAMLError(f"{key} is given twice, again in line {key_node.start_mark.line + 1}")
            if isinstance(key, str):
                seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the keys and values of a YAML file.

    Raises:
      ConfigError: the file cannot be read, is not YAML, or is not keys and values.
    """
    try:
        data = yaml.load(path.read_text(), _StrictLoader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())[:200]}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: keys and values expected, not {type(data).__name__}")
    return data


def parse_config(data: dict[str, Any], overrides: list[str], source: str) -> TrainConfig:
    """Check configuration data, with overrides applied, as `load_config` does.

    Args:
      data: keys and values of the recipe; the overrides are written into it.
      overrides: same as `load_config`.
      source: name of the recipe in errors.
    """
    overridden = []
    for override in overrides:
        key, separator, text = override.partition("=")
        if not separator or not key:
            raise ConfigError(f"--set {override}: expected KEY=VALUE, such as td.lambda=0.7")
        try:
            value = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise ConfigError(f"--set {override}: the value is not YAML") from None
        _set(data, key.split("."), value, override)
        overridden.append(key)
    try:
        return TrainConfig.model_validate(data)
    except ValidationError as error:
        first, mistake = error.errors()[0], first_mistake(error)
        key = mistake.where
        culprit = next((name for name in overridden if key and _is_prefix(name, key)), None)
        where = f"--set {culprit}" if culprit else f"{source}: {key}" if key else source
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"{where}: unknown key") from None
        given = first["input"]
        shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) or given is None else ""
        raise ConfigError(f"{where}: {mistake.what}{shown}") from None


def _is_prefix(name: str, key: str) -> bool:
    """Return whether one of two dotted keys contains the other."""
    return (name + ".").startswith(key + ".") or (key + ".").startswith(name + ".")


def _set(data: dict[str, Any], path: list[str], value: Any, override: str) -> None:
    for key in path[:-1]:
        data = data.setdefault(key, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {override}: {key} has no keys below it")
    data[path[-1]] = value


# Keys that may change when a run is resumed: where it runs and how often it saves, but not what it computes.
_FREE_ON_RESUME = (
    "ray.address",
    "ray.workers",
    "ray.max_in_flight",
    "ray.start_timeout",
    "checkpoint",
    "self_play.threads",
)


def check_resumable(run: TrainConfig, wanted: TrainConfig, source: str) -> None:
    """Raise `ConfigError` if `wanted` would not compute the same as the run that it resumes."""
    for key, before, after in _differences(dump_config(run), dump_config(wanted), ""):
        if not key.startswith(_FREE_ON_RESUME):
            raise ConfigError(
                f"{source}: {key} is {after!r}, the run to resume has {before!r}; "
                "start a new run (with --set parent=… to start from its weights)"
            )


def _differences(before: Any, after: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before:
            yield from _differences(before[name], after.get(name), f"{key}.{name}" if key else name)
    elif before != after:
        yield key, before, after


def dump_config(config: TrainConfig) -> dict[str, Any]:
    """Return the resolved configuration as plain data, with the keys of the file."""
    return config.model_dump(mode="json", by_alias=True)


def describe_keys() -> str:
    """Return every key with its default and meaning, as a Markdown table."""
    rows = [f"| `{key}` | `{default}` | {text} |" for key, default, text in _keys(TrainConfig, "")]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows]) + "\n"


def _keys(section: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, field in section.model_fields.items():
        key = prefix + (field.alias or name)
        default = field.get_default()
        if isinstance(default, Section):
            yield from _keys(type(default), f"{key}.")
        else:
            plain = section.model_construct(**{name: default}).model_dump(mode="json", include={name})[name]
            yield key, json.dumps(plain, ensure_ascii=False), field.description or ""
