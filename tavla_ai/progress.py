"""Progress callbacks of long-running work."""

from __future__ import annotations

from collections.abc import Callable

# Called with the number of items finished since its last call.
ProgressCallback = Callable[[int], None]
