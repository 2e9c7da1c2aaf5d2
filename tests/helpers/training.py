"""`python -m train` in this process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from train.__main__ import main


def train(monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    """Run `python -m train` in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["train", *args])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def weights(run: Path) -> bytes:
    return (run / "final" / "weights.safetensors").read_bytes()
