"""Settings of a search: which plays are looked at more deeply."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class PlayFilter(NamedTuple):
    """Which of some plays are looked at more deeply.

    Attributes:
      keep: best plays that are always kept.
      extra: further plays, kept if within `margin`.
      margin: how much worse than the best the further plays may be, in points.
    """

    keep: int
    extra: int = 0
    margin: float = 0.0


class SearchSettings(BaseModel):
    """Settings that narrow a search. Plies are named as gnubg names them: 0-ply is the network on each afterstate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: tuple[PlayFilter, ...] = Field(
        default=(PlayFilter(3, 5, 0.12), PlayFilter(2, 3, 0.06)),
        min_length=1,
        description="plays of the roll that go on from 0-ply to 1-ply, from 1-ply to 2-ply and so on; the last one "
        "holds for all deeper plies",
    )
    replies: PlayFilter = Field(
        default=PlayFilter(1), description="replies of both sides, judged at 0-ply, that are looked at more deeply"
    )

    def filters(self) -> dict[str, Any]:
        """Return the filters as the engine takes them."""
        return {"root": [tuple(play_filter) for play_filter in self.root], "replies": tuple(self.replies)}


DEFAULT_SEARCH = SearchSettings()
