"""Settings of a search: the plays that it looks at more deeply."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class PlayFilter(NamedTuple):
    """A choice of the plays that a search looks at more deeply.

    Attributes:
      keep: number of best plays that are always kept.
      extra: number of further plays that may be kept, if they are within `margin`.
      margin: how much worse than the best the further plays may be, in points.
    """

    keep: int
    extra: int = 0
    margin: float = 0.0


class SearchSettings(BaseModel):
    """Settings that narrow a search. Plies are counted as in gnubg: 0-ply is the network's value of each afterstate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: tuple[PlayFilter, ...] = Field(
        default=(PlayFilter(3, 5, 0.12), PlayFilter(2, 3, 0.06)),
        min_length=1,
        description="plays of the roll that the search keeps from 0-ply to 1-ply, from 1-ply to 2-ply and so on; the "
        "last filter also applies to all deeper plies",
    )
    replies: PlayFilter = Field(
        default=PlayFilter(1),
        description="replies of both sides, chosen at 0-ply, that are looked at more deeply",
    )

    def filters(self) -> dict[str, Any]:
        """Return the filters as the engine takes them."""
        return {"root": [tuple(play_filter) for play_filter in self.root], "replies": tuple(self.replies)}


DEFAULT_SEARCH = SearchSettings()
