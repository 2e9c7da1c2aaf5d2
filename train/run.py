"""The run directory: what a training run leaves behind, and what it resumes from."""

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

from tavla_ai.checkpoint import is_checkpoint
from tavla_ai.errors import CheckpointError, ConfigError
from train.config import TrainConfig, dump_config, parse_config

CONFIG_FILE = "config.yaml"
CODE_FILE = "code.json"
DIFF_FILE = "code.diff"
LOG_FILE = "log.txt"
METRICS_FILE = "metrics.jsonl"
TENSORBOARD_FOLDER = "tensorboard"
CHECKPOINTS_FOLDER = "checkpoints"
FINAL_FOLDER = "final"
TRAINER_FILE = "trainer.pt"


class RunDirectory:
    """A run's folder: config, code version, log, metrics, checkpoints, and `final` once it has ended."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def final(self) -> Path:
        """Where the finished checkpoint is."""
        return self.path / FINAL_FOLDER

    @property
    def metrics(self) -> Path:
        """One JSON object a line: what TensorBoard shows, for machines."""
        return self.path / METRICS_FILE

    @property
    def tensorboard(self) -> Path:
        """TensorBoard's event files."""
        return self.path / TENSORBOARD_FOLDER

    def exists(self) -> bool:
        """Return whether a run has been started here."""
        return (self.path / CONFIG_FILE).is_file()

    def check_free(self) -> None:
        """Raise `ConfigError` if there is something in the folder already."""
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise ConfigError(
                f"{self.path}: is occupied; continue it with --resume {self.path}, or name another with --run"
            )

    def create(self, config: TrainConfig) -> None:
        """Make the folder and record configuration and code; see `check_free`."""
        self.check_free()
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / CODE_FILE).write_text(json.dumps({**code_version(), **library_versions()}, indent=2) + "\n")
        if difference := _git("diff", "HEAD"):
            (self.path / DIFF_FILE).write_text(difference + "\n")
        # The configuration comes last: with it the run exists.
        temporary = self.path / f".{CONFIG_FILE}.tmp"
        temporary.write_text(yaml.safe_dump(dump_config(config), sort_keys=False))
        temporary.replace(self.path / CONFIG_FILE)

    def load_config(self, overrides: list[str]) -> TrainConfig:
        """Return the run's configuration with overrides applied.

        Raises:
          ConfigError: no run was started here, or an override does not fit.
        """
        if not self.exists():
            raise ConfigError(f"{self.path}: no run to resume, it has no {CONFIG_FILE}")
        path = self.path / CONFIG_FILE
        return parse_config(yaml.safe_load(path.read_text()), overrides, str(path))

    @contextmanager
    def logging(self) -> Iterator[None]:
        """Append what the pipeline logs to the run's log."""
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
        """Delete all but the newest checkpoints, and what a kill left half-written."""
        for path in self.checkpoints()[:-num_to_keep]:
            shutil.rmtree(path, ignore_errors=True)
        for path in (self.path / CHECKPOINTS_FOLDER).glob(".*.tmp-*"):
            shutil.rmtree(path, ignore_errors=True)

    def load_trainer(self, checkpoint: Path) -> dict[str, Any]:
        """Return the trainer's state saved beside a checkpoint.

        Raises:
          CheckpointError: it is missing or damaged.
        """
        path = checkpoint / TRAINER_FILE
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
        except FileNotFoundError:
            raise CheckpointError(f"{path}: missing, training cannot be resumed from here") from None
        except Exception as error:
            raise CheckpointError(f"{path}: damaged ({type(error).__name__})") from None
        return state


def code_version() -> dict[str, str]:
    """Return the git commit of the working directory and whether it has changes."""
    commit = _git("rev-parse", "HEAD") or "unknown"
    return {"commit": commit, "changed": "yes" if _git("status", "--porcelain") else "no"}


def library_versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
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
