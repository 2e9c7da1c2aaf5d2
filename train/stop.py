"""SIGINT and SIGTERM as a request to stop after the round."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

log = logging.getLogger("train")

_Handler = Callable[[int, FrameType | None], Any] | int | None


class StopRequest:
    """Context that listens for SIGINT and SIGTERM: the first is a request to stop, a second one stops at once."""

    def __init__(self) -> None:
        self.is_made = False
        self._handlers: dict[signal.Signals, _Handler] = {}

    def __enter__(self) -> Self:
        try:
            self._handlers = {
                number: signal.signal(number, self._request) for number in (signal.SIGINT, signal.SIGTERM)
            }
        except ValueError:
            # Only the main thread may set handlers; elsewhere the caller handles signals.
            self._handlers = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.is_made:
            raise KeyboardInterrupt
        self.is_made = True
        log.info("asked to stop; finishing the round")
