"""Decisions that deeper engines have judged, and what a player loses on them.

Games tell players of nearly the same strength apart only after tens of thousands; the points that a player loses
per decision, on a few thousand decisions judged once for all, do it in a second and with a small standard error. A
set holds what every legal play of each decision is worth, so that any player can be measured without the judges.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tavla_ai import engine
from tavla_ai.analysis import PHASES, Phase
from tavla_ai.bots import Bot
from tavla_ai.bots.peers.players import Fault
from tavla_ai.errors import TavlaError
from tavla_ai.files import write_whole
from tavla_ai.match import Utility
from tavla_ai.progress import ProgressCallback
from tavla_ai.rulesets import Ruleset, get_ruleset

SCHEMA: Literal[1] = 1

# Values are rounded to it, a thirtieth of a thousandth of a point, so that files are small.
QUANTUM = 2.0**-15
# What is lost by less is nothing: no judge is that exact, and single precision is not either.
_TOLERANCE = 1e-6
# Of the players that draw at random.
_SEED = 1
_BATCH = 512


class JudgeInfo(BaseModel):
    """Who judged, and how much its word counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="the judge as a bot, with its ply")
    version: str = Field(description="version of the outside engine, or sha256 of the network's weights")
    weight: float = Field(gt=0, description="share in the mean of the judges, which is what counts")


class JudgedHeader(BaseModel):
    """What a set of judged decisions was made of; the same again gives the same set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(default=SCHEMA, description="of the file")
    ruleset: str = Field(description="name of the game; values are points of single games")
    seed: int = Field(description="of the dice and the players of the games that the decisions are from")
    decisions: int = Field(ge=1, description="how many there are")
    sampler: str = Field(description="name of the way in which decisions are sampled")
    network: str = Field(description="sha256 of the weights of the network that plays in those games")
    judges: tuple[JudgeInfo, ...] = Field(min_length=1, description="in the order of the values")
    ply: int = Field(description="look-ahead of the judges")
    filters: tuple[tuple[int, float], ...] = Field(
        description="(keep, margin) of the plays that go on from 0-ply to 1-ply and so on: so many of the best, "
        "none worse by more points; at 0-ply each judge chooses by itself, then they choose together"
    )


@dataclass(frozen=True)
class JudgedSet:
    """Decisions and what each of their plays is worth.

    The plays of a decision are its distinct afterstates in the order of their bytes, all decisions' plays in one row.

    Attributes:
      header: what the set is.
      boards: int8 `[D, 2, 26]`, before the play, the mover first.
      dice: int8 `[D, 2]`.
      phases: uint8 `[D]`, an index into `PHASES`.
      num_plays: int16 `[D]`, at least 2.
      values: float32 `[J, P]`, points of each play for the mover, for each judge; multiples of `QUANTUM`.
      depths: uint8 `[P]`, the ply at which the play was judged. A play that dropped out on the way down is as much
        worse than the best one as it was there.
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
        """Return `[D]`, where each decision's plays begin."""
        ends: npt.NDArray[np.int64] = np.cumsum(self.num_plays, dtype=np.int64)
        return ends - self.num_plays

    def losses(self) -> npt.NDArray[np.float64]:
        """Return `[P]`, how many points less than the best of its decision each play is worth to the judges."""
        weights = np.array([judge.weight for judge in self.header.judges])
        values = np.average(self.values.astype(np.float64), axis=0, weights=weights)
        # The plays that were looked at most deeply decide which is best.
        best = np.full(len(self.boards), -np.inf)
        owners = np.repeat(np.arange(len(self.boards)), self.num_plays)
        deepest = np.maximum.reduceat(self.depths, self.starts)[owners] == self.depths
        np.maximum.at(best, owners[deepest], values[deepest])
        lost: npt.NDArray[np.float64] = np.maximum(best[owners] - values, 0.0)
        return lost


class PhaseRate(BaseModel):
    """What a player loses on some of the decisions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: int = Field(description="how many there are")
    loss: float | None = Field(description="thousandths of a point lost per decision; null without a decision")
    standard_error: float | None = Field(description="of the loss; null for fewer than two decisions")
    best_share: float | None = Field(description="decisions in which the best play was made, as a share")


class ErrorRate(PhaseRate):
    """What a player loses on a set of decisions."""

    bot: str = Field(description="name of the player")
    shallow_share: float = Field(
        description="decisions, as a share, in which it made a play that loses and that the judges saw at 0-ply only, "
        "since none of them thought it close"
    )
    faults: int = Field(description="decisions in which an outside engine failed; the other numbers leave them out")
    difference: float | None = Field(
        default=None,
        description="by how many thousandths of a point it loses more than the first bot measured with it, in the "
        "decisions of both; null for that bot",
    )
    difference_error: float | None = Field(
        default=None,
        description="standard error of the difference, far smaller than those of the two losses: the decisions are the "
        "same",
    )
    phases: dict[Phase, PhaseRate] = Field(description="the same by phase of the game")


def sorted_plays(
    rules: engine.Rules, board: npt.NDArray[np.int8], dice: tuple[int, int]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """Return the afterstates `[n, 2, 26]` of a roll in the order of their bytes, and their scores `[n]`."""
    boards, _, scores = engine.legal_plays(rules, board, *dice)
    order = sorted(range(len(boards)), key=lambda i: boards[i].tobytes())
    return boards[order], scores[order]


def measure_error_rates(
    judged: JudgedSet, bots: Sequence[Bot], threads: int = 1, progress: ProgressCallback | None = None
) -> list[ErrorRate]:
    """Return what players lose on judged decisions, playing single games, and how they differ from the first.

    Args:
      bots: made for the set's game.
      threads: of the engine's players; the result does not depend on them.
      progress: called with the number of decisions played since its last call.
    """
    losses = judged.losses()
    rates = []
    # [D], NaN where a player failed.
    first: npt.NDArray[np.float64] | None = None
    for bot in bots:
        chosen = _chosen_plays(judged, bot, threads, progress)
        made = chosen >= 0
        lost = np.where(made, losses[chosen], np.nan)
        is_shallow = made & (judged.depths[chosen] == 0) & (lost > _TOLERANCE)
        more = None if first is None else _rate(lost - first)
        rates.append(
            ErrorRate(
                bot=bot.name,
                **_rate(lost).model_dump(),
                shallow_share=float(is_shallow.sum() / max(1, made.sum())),
                faults=int((~made).sum()),
                difference=None if more is None else more.loss,
                difference_error=None if more is None else more.standard_error,
                phases={phase: _rate(lost[judged.phases == i]) for i, phase in enumerate(PHASES)},
            )
        )
        first = lost if first is None else first
    return rates


def measure_error_rate(judged: JudgedSet, bot: Bot, threads: int = 1) -> ErrorRate:
    """Return what one player loses on judged decisions; see `measure_error_rates`."""
    return measure_error_rates(judged, [bot], threads)[0]


def time_decision(judged: JudgedSet, bot: Bot) -> float:
    """Return the mean seconds that a player of the engine takes for a decision of the set, on one thread."""
    rules = engine.compile_rules(judged.ruleset)
    _plays(judged.ruleset, rules, bot, judged.boards[:_BATCH], judged.dice[:_BATCH], 0, 1)
    started = time.perf_counter()
    _plays(judged.ruleset, rules, bot, judged.boards, judged.dice, 0, 1)
    return (time.perf_counter() - started) / len(judged.boards)


def _chosen_plays(
    judged: JudgedSet, bot: Bot, threads: int, progress: ProgressCallback | None
) -> npt.NDArray[np.int64]:
    """Return `[D]`, the play that a bot makes of each decision as an index into all plays; −1 where it fails."""
    rules = engine.compile_rules(judged.ruleset)
    starts = judged.starts
    chosen = np.full(len(judged.boards), -1, np.int64)
    for first in range(0, len(chosen), _BATCH):
        batch = slice(first, first + _BATCH)
        boards, dice = judged.boards[batch], judged.dice[batch]
        for i, after in enumerate(_plays(judged.ruleset, rules, bot, boards, dice, first, threads)):
            if isinstance(after, Fault):
                continue
            roll = int(dice[i, 0]), int(dice[i, 1])
            index = [play.tobytes() for play in sorted_plays(rules, boards[i], roll)[0]].index(after.tobytes())
            chosen[first + i] = starts[first + i] + index
        if progress is not None:
            progress(len(boards))
    return chosen


def _plays(
    ruleset: Ruleset,
    rules: engine.Rules,
    bot: Bot,
    boards: npt.NDArray[np.int8],
    dice: npt.NDArray[np.int8],
    first: int,
    threads: int,
) -> list[npt.NDArray[np.int8] | Fault]:
    if not isinstance(bot.player, engine.Player):
        return list(bot.player.choose_plays(boards, dice))
    utility = Utility.points(ruleset)
    after, _ = engine.choose_plays(
        rules,
        bot.player,
        boards,
        dice,
        np.array([utility.values], np.float32),
        np.array([utility.inputs], np.float32),
        seed=_SEED,
        games=np.arange(first, first + len(boards), dtype=np.uint64),
        rounds=np.zeros(len(boards), np.uint32),
        plies=np.zeros(len(boards), np.uint32),
        threads=min(threads, len(boards)),
    )
    return list(after)


def _rate(lost: npt.NDArray[np.float64]) -> PhaseRate:
    lost = lost[~np.isnan(lost)]
    number = len(lost)
    return PhaseRate(
        decisions=number,
        loss=1000 * float(lost.mean()) if number else None,
        standard_error=1000 * float(lost.std(ddof=1)) / number**0.5 if number > 1 else None,
        best_share=float((lost <= _TOLERANCE).mean()) if number else None,
    )


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


def load_judged_set(path: Path) -> JudgedSet:
    """Load and check a set.

    Raises:
      TavlaError: no such file, damaged, of another schema, or made for other rules.
    """
    if not path.is_file():
        raise TavlaError(f"{path}: no such set of judged decisions")
    try:
        with np.load(path, allow_pickle=False) as file:
            header = JudgedHeader.model_validate_json(file["header"].tobytes())
            arrays = {name: file[name] for name in _ARRAYS}
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TavlaError(f"{path}: header: {where}: {first['msg']}") from None
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
        raise TavlaError(f"{path}: damaged, its parts do not fit together")
    counts = engine.count_plays(engine.compile_rules(judged.ruleset), judged.boards, judged.dice)
    if not (counts == judged.num_plays).all() or (counts < 2).any():
        raise TavlaError(f"{path}: made for other rules of {header.ruleset}, its plays are not today's")
