"""What all benchmarks share: the machine's name, and one core for the timing."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager


def machine_name() -> str:
    """Return the processor, as the system names it."""
    return platform.processor() or platform.machine()


@contextmanager
def one_core() -> Iterator[None]:
    """Run the block on one core, where the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
