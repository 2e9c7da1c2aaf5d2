"""Judged sets: files of decisions with the judged value of every legal play."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tavla_ai import engine
from tavla_ai.errors import TavlaError
from tavla_ai.files import first_mistake, write_whole
from tavla_ai.rules import Ruleset, compile_rules, get_ruleset
from tavla_ai.strength.decisions import PHASES

SCHEMA: Literal[1] = 1

# Step to which values are rounded, a thirtieth of a thousandth of a point, so that files are small.
QUANTUM = 2.0**-15


class JudgeInfo(BaseModel):
    """A judge and its weight."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the judge as a bot, with its ply")
    version: str = Field(description="version of the outside engine, or sha256 of the network's weights")
    weight: float = Field(gt=0, description="weight of the judge in the mean of the judges")


class RolloutInfo(BaseModel):
    """Rollouts by each judge at 0-ply, with the luck of the rolls taken out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trials: int = Field(ge=1, description="games of each play")
    turns: int = Field(ge=1, description="turns after which the judge's value replaces the rest")
    margin: float = Field(
        ge=0,
        description="where a judge, at its look-ahead, finds the play that another chooses worse than its own by more "
        "than this many points, the chosen plays and all within this many points of the best are rolled out",
    )


class JudgedHeader(BaseModel):
    """The recipe of a judged set; the same recipe gives the same set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(default=SCHEMA, description="version of the file's layout")
    ruleset: str = Field(description="name of the ruleset; values are points of single games")
    seed: int = Field(description="seed of the dice and the players of the sampled games")
    decisions: int = Field(ge=1, description="number of decisions")
    sampler: str = Field(description="name of the sampling method")
    network: str = Field(description="sha256 of the weights of the network that plays in the sampled games")
    judges: tuple[JudgeInfo, ...] = Field(min_length=1, description="judges, in the order of the values")
    ply: int = Field(description="look-ahead of the judges")
    filters: tuple[tuple[int, float], ...] = Field(
        description="(keep, margin) of the plays that are judged at 1-ply, at 2-ply and so on: the best `keep` plays "
        "within `margin` points of the best; at 0-ply each judge chooses by itself, later they choose together"
    )
    rollout: RolloutInfo | None = Field(
        default=None, description="rollouts of the plays that the judges disagree about; null without them"
    )


@dataclass(frozen=True)
class JudgedSet:
    """Decisions and the judged values of their plays.

    The plays of a decision are its distinct afterstates in the order of their bytes; the plays of all decisions are in
    one row.

    Attributes:
      header: recipe of the set.
      boards: int8 `[D, 2, num_places]`, boards before the play, the mover first.
      dice: int8 `[D, 2]`, rolls.
      phases: uint8 `[D]`, an index into `PHASES`.
      num_plays: int16 `[D]`, number of plays, at least 2.
      values: float32 `[J, P]`, points of each play for the mover, for each judge; multiples of `QUANTUM`.
      depths: uint8 `[P]`, the ply at which the play was judged; one more than the judges' look-ahead for a play that
        was rolled out. A play that was not judged deeper keeps its distance from the best play at that ply.
    """

    header: JudgedHeader
    boards: npt.NDArray[np.int8]
    dice: npt.NDArray[np.int8]
    phases: npt.NDArray[np.uint8]
    num_plays: npt.NDArray[np.int16]
    values: npt.NDArray[np.float32]
    depths: npt.NDArray[np.uint8]

    @property
    def ruleset(self) -> Ruleset:
        """The game."""
        return get_ruleset(self.header.ruleset)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Return `[D]`, the index of each decision's first play."""
        ends: npt.NDArray[np.int64] = np.cumsum(self.num_plays, dtype=np.int64)
        return ends - self.num_plays

    def losses(self) -> npt.NDArray[np.float64]:
        """Return `[P]`, the loss of each play against the best of its decision, in points, by the judges."""
        weights = np.array([judge.weight for judge in self.header.judges])
        values = np.average(self.values.astype(np.float64), axis=0, weights=weights)
        # The best play is among those that were judged deepest.
        best = np.full(len(self.boards), -np.inf)
        owners = np.repeat(np.arange(len(self.boards)), self.num_plays)
        deepest = np.maximum.reduceat(self.depths, self.starts)[owners] == self.depths
        np.maximum.at(best, owners[deepest], values[deepest])
        lost: npt.NDArray[np.float64] = np.maximum(best[owners] - values, 0.0)
        return lost


def sorted_plays(
    rules: engine.Rules, board: npt.NDArray[np.int8], dice: tuple[int, int]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """Return the afterstates `[n, 2, 26]` of a roll in the order of their bytes, and their scores `[n]`."""
    boards, _, scores = engine.legal_plays(rules, board, *dice)
    order = sorted(range(len(boards)), key=lambda i: boards[i].tobytes())
    return boards[order], scores[order]


def save_judged_set(path: Path, judged: JudgedSet) -> None:
    """Write a set in one step: an .npz file without pickle, its header a JSON text."""
    header = np.frombuffer(json.dumps(judged.header.model_dump(mode="json"), sort_keys=True).encode(), np.uint8)
    arrays = {name: getattr(judged, name) for name in _ARRAYS}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, header=header, **arrays)
    write_whole(path, buffer.getvalue())


_ARRAYS = {
    "boards": (np.dtype(np.int8), 3),
    "dice": (np.dtype(np.int8), 2),
    "phases": (np.dtype(np.uint8), 1),
    "num_plays": (np.dtype(np.int16), 1),
    "values": (np.dtype(np.float32), 2),
    "depths": (np.dtype(np.uint8), 1),
}


def load_judged_set(path: str | Path) -> JudgedSet:
    """Load and check a set.

    Raises:
      TavlaError: the file does not exist, is damaged, has another schema, or was made for other rules.
    """
    path = Path(path)
    if not path.is_file():
        raise TavlaError(
            f"{path}: no such set of judged decisions; those of the repository are in its folder benchmarks, and "
            "`tavla error-rate --build` makes others"
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            header = JudgedHeader.model_validate_json(file["header"].tobytes())
            arrays = {name: file[name] for name in _ARRAYS}
    except ValidationError as error:
        raise TavlaError(f"{path}: header: {first_mistake(error)}") from None
    except (KeyError, ValueError, EOFError, BadZipFile, OSError) as error:
        raise TavlaError(f"{path}: not a set of judged decisions ({error})") from None
    judged = JudgedSet(header, **arrays)
    _check(path, judged)
    return judged


def _check(path: Path, judged: JudgedSet) -> None:
    header, number = judged.header, judged.header.decisions
    for name, (dtype, dimensions) in _ARRAYS.items():
        array = getattr(judged, name)
        if array.dtype != dtype or array.ndim != dimensions:
            raise TavlaError(f"{path}: {name}: expected {dimensions}-dimensional {dtype}")
    num_plays = int(judged.num_plays.sum())
    if (
        any(len(array) != number for array in (judged.boards, judged.dice, judged.phases, judged.num_plays))
        or judged.values.shape != (len(header.judges), num_plays)
        or judged.depths.shape != (num_plays,)
        or (judged.phases >= len(PHASES)).any()
        or not np.isfinite(judged.values).all()
    ):
        raise TavlaError(f"{path}: damaged, its parts do not match")
    counts = engine.count_plays(compile_rules(judged.ruleset), judged.boards, judged.dice)
    if not (counts == judged.num_plays).all() or (counts < 2).any():
        raise TavlaError(
            f"{path}: made for other rules of {header.ruleset}, its plays differ from those of the current rules; "
            f"build the set again"
        )
