"""The run directory: everything that a training run writes and resumes from."""

from __future__ import annotations

import importlib.metadata
import json
import logging
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import yaml

from tavla_ai.errors import CheckpointError, ConfigError
from tavla_ai.files import is_temporary, locked, write_whole
from tavla_ai.network import is_checkpoint
from train.config import TrainConfig, dump_config, parse_config, read_yaml

CONFIG_FILE = "config.yaml"
CODE_FILE = "code.json"
DIFF_FILE = "code.diff"
LOCK_FILE = ".lock"
LOG_FILE = "log.txt"
METRICS_FILE = "metrics.jsonl"
TENSORBOARD_FOLDER = "tensorboard"
CHECKPOINTS_FOLDER = "checkpoints"
FINAL_FOLDER = "final"
TRAINER_FILE = "trainer.pt"


class RunDirectory:
    """A run's folder: configuration, code version, log, metrics, checkpoints, and `final` when the run is finished."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def final(self) -> Path:
        """Folder of the finished checkpoint."""
        return self.path / FINAL_FOLDER

    @property
    def metrics(self) -> Path:
        """The metrics for machines: one JSON object per line."""
        return self.path / METRICS_FILE

    @property
    def tensorboard(self) -> Path:
        """Folder of TensorBoard's event files."""
        return self.path / TENSORBOARD_FOLDER

    def exists(self) -> bool:
        """Return whether the folder has a run."""
        return (self.path / CONFIG_FILE).is_file()

    def check_free(self) -> None:
        """Raise `ConfigError` if the folder is not empty."""
        if self.exists():
            raise ConfigError(
                f"{self.path}: has a run already; resume it with --resume {self.path}, or name another folder with "
                f"--run"
            )
        if self.final.exists():
            raise ConfigError(f"{self.final}: exists already; name another folder with --run")
        if self.path.exists() and (not self.path.is_dir() or any(not _is_left_by_kill(p) for p in self.path.iterdir())):
            raise ConfigError(f"{self.path}: is not empty and holds no run; name another folder with --run")

    def create(self, config: TrainConfig) -> None:
        """Make the folder and record configuration and code.

        Raises:
          ConfigError: same as `check_free`.
        """
        self.check_free()
        self.path.mkdir(parents=True, exist_ok=True)
        # The configuration is written first: a folder with it is a run that can be resumed.
        write_whole(self.path / CONFIG_FILE, yaml.safe_dump(dump_config(config), sort_keys=False).encode())
        (self.path / CODE_FILE).write_text(json.dumps({**code_version(), **library_versions()}, indent=2) + "\n")
        if difference := _git("diff", "HEAD"):
            (self.path / DIFF_FILE).write_text(difference + "\n")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from training the run at the same time.

        Raises:
          ConfigError: another process is training the run.
        """
        refusal = ConfigError(f"{self.path}: another process is training this run")
        with locked(self.path / LOCK_FILE, refusal):
            yield

    def load_config(self, overrides: list[str]) -> TrainConfig:
        """Return the run's configuration with overrides applied.

        Raises:
          ConfigError: the folder has no run, or an override would change what it computes.
        """
        if not self.exists():
            raise ConfigError(f"{self.path}: no run to resume, {CONFIG_FILE} is missing; start a run with --run")
        path = self.path / CONFIG_FILE
        return parse_config(read_yaml(path), overrides, str(path))

    @contextmanager
    def logging(self) -> Iterator[None]:
        """Append the pipeline's messages to the run's log."""
        logger = logging.getLogger("train")
        logger.setLevel(logging.INFO)
        handler = logging.FileHandler(self.path / LOG_FILE)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            handler.close()

    def checkpoint_path(self, round_index: int) -> Path:
        """Return the folder of the checkpoint after `round_index` rounds."""
        return self.path / CHECKPOINTS_FOLDER / f"round-{round_index:07d}"

    def checkpoints(self) -> list[Path]:
        """Return the finished checkpoints, oldest first."""
        return sorted(path for path in (self.path / CHECKPOINTS_FOLDER).glob("round-*") if is_checkpoint(path))

    def keep_newest(self, num_to_keep: int) -> None:
        """Delete all but the newest checkpoints, and the unfinished files of a killed run."""
        for path in self.checkpoints()[:-num_to_keep]:
            shutil.rmtree(path, ignore_errors=True)
        for path in filter(is_temporary, (self.path / CHECKPOINTS_FOLDER).glob(".*")):
            shutil.rmtree(path, ignore_errors=True)

    def load_trainer(self, checkpoint: Path) -> dict[str, Any]:
        """Return the trainer's state saved beside a checkpoint.

        Raises:
          CheckpointError: the state is missing or damaged.
        """
        path = checkpoint / TRAINER_FILE
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
        except FileNotFoundError:
            raise CheckpointError(f"{path}: missing, so training cannot be resumed from this checkpoint") from None
        except Exception as error:
            raise CheckpointError(f"{path}: damaged ({type(error).__name__})") from None
        if not isinstance(state, dict):
            raise CheckpointError(f"{path}: not a trainer's state")
        return state


def _is_left_by_kill(path: Path) -> bool:
    """Return whether a file may be left by a run that was killed at its start."""
    return path.name == LOCK_FILE or is_temporary(path)


def code_version() -> dict[str, str]:
    """Return the git commit of the working directory and whether it has changes."""
    commit = _git("rev-parse", "HEAD") or "unknown"
    return {"commit": commit, "changed": "yes" if _git("status", "--porcelain") else "no"}


def library_versions() -> dict[str, str]:
    """Return the versions of the packages that results may depend on."""
    versions = {"python": platform.python_version()}
    for package in ("tavla-ai", "numpy", "torch", "ray"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
