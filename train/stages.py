"""Recipes of several stages: each stage is a training run that starts from the stage before."""

from __future__ import annotations

import copy
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tavla_ai.errors import ConfigError
from tavla_ai.files import whole_folder, write_whole
from tavla_ai.network import is_checkpoint
from train.config import TrainConfig, dump_config, parse_config, read_yaml
from train.run import RunDirectory

RECIPE_FILE = "recipe.yaml"
STAGES = "stages"


@dataclass(frozen=True)
class Stage:
    """One stage of a recipe, and the directory of its run."""

    name: str
    config: TrainConfig
    run: RunDirectory


def has_stages(path: Path) -> bool:
    """Return whether a recipe has stages.

    Raises:
      ConfigError: the recipe cannot be read.
    """
    return STAGES in read_yaml(path)


def is_staged_run(path: Path) -> bool:
    """Return whether a run directory has stages."""
    return (path / RECIPE_FILE).is_file()


def load_stages(recipe: Path, run_path: Path, overrides: list[str]) -> list[Stage]:
    """Return the stages of a recipe; the keys beside `stages` hold for every stage.

    Args:
      recipe: a YAML file whose `stages` is a list; each entry has a `name` and its own keys.
      run_path: the run directory; every stage has a folder in it.
      overrides: `dotted.key=value`, for every stage.

    Raises:
      ConfigError: same as `load_config`; or a stage has no name or the name of another stage, or a stage that is not
        the first has a parent.
    """
    shared = read_yaml(recipe)
    entries = shared.pop(STAGES)
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{recipe}: {STAGES}: a list of stages expected")
    stages: list[Stage] = []
    for number, entry in enumerate(entries, 1):
        where = f"{recipe}: {STAGES}.{number}"
        if not isinstance(entry, dict):
            raise ConfigError(f"{where}: keys and values expected, not {type(entry).__name__}")
        own = dict(entry)
        name = own.pop("name", None)
        if not isinstance(name, str) or not name.replace("-", "").isalnum():
            raise ConfigError(f"{where}: name: letters, digits and dashes expected, not {name!r}")
        if name in (stage.name for stage in stages):
            raise ConfigError(f"{where}: name: {name} is the name of another stage")
        data = _merged(shared, own)
        if stages:
            if "parent" in own:
                raise ConfigError(
                    f"{where}: parent: a stage starts from the stage before; only the first may have a parent"
                )
            data["parent"] = str(stages[-1].run.final)
        config = parse_config(data, overrides, f"{recipe}: {STAGES}.{name}")
        stages.append(Stage(name, config, RunDirectory(run_path / f"{number}-{name}")))
    return stages


def record_stages(run_path: Path, stages: list[Stage]) -> None:
    """Write the resolved recipe, so that the run can be resumed without its file."""
    run_path.mkdir(parents=True, exist_ok=True)
    data = {STAGES: [{"name": stage.name, **_without_later_parent(stage, stages)} for stage in stages]}
    write_whole(run_path / RECIPE_FILE, yaml.safe_dump(data, sort_keys=False).encode())


def publish(stages: list[Stage], final: Path) -> None:
    """Copy the result of the last stage to `final` beside the stages; it appears complete or not at all."""
    if is_checkpoint(final):
        return
    with whole_folder(final) as folder:
        shutil.copytree(stages[-1].run.final, folder, dirs_exist_ok=True)


def _merged(shared: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return `shared` updated with the keys of `own`, section by section."""
    merged = copy.deepcopy(shared)
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else copy.deepcopy(value)
    return merged


def _without_later_parent(stage: Stage, stages: list[Stage]) -> dict[str, Any]:
    data = dump_config(stage.config)
    if stage is not stages[0]:
        del data["parent"]
    return data
