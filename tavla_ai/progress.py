"""How long work says how far it is."""

from __future__ import annotations

from collections.abc import Callable

# Called with the number of things finished since its last call.
ProgressCallback = Callable[[int], None]
