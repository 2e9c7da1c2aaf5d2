"""`python -m train` in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
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


class Watched(io.StringIO):
    """A stream that calls `act` once, when a line with `text` is written to it."""

    def __init__(self, text: str, act: Callable[[], None]) -> None:
        super().__init__()
        self._text, self._act = text, act
        self._seen = False

    def write(self, text: str) -> int:
        if self._text in text and not self._seen:
            self._seen = True
            self._act()
        return super().write(text)


def weights(run: Path) -> bytes:
    return (run / "final" / "weights.safetensors").read_bytes()
