"""Error rates: the losses of a player on decisions that deeper engines have judged.

Games tell two players of nearly the same strength apart only after tens of thousands of games. Their losses per
decision, on a few thousand decisions that were judged once, tell them apart in a second and with a small standard
error. A set has the value of every legal play of each decision, so any player can be measured without the judges.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.bots import Bot, Fault
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import compile_rules, play_index
from tavla_ai.strength.decisions import PHASES, Phase
from tavla_ai.strength.judged_set import JudgedSet, sorted_plays

# Smaller losses count as 0: neither judges nor single precision are that exact.
_TOLERANCE = 1e-6
# Seed of the players that draw at random.
_SEED = 1
_BATCH = 512


class PhaseRate(BaseModel):
    """Losses of a player on some of the decisions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: int = Field(description="number of decisions")
    loss: float | None = Field(description="thousandths of a point lost per decision; null without decisions")
    standard_error: float | None = Field(description="standard error of the loss; null for fewer than two decisions")
    best_share: float | None = Field(description="share of decisions in which the best play was made")


class ErrorRate(PhaseRate):
    """Losses of a player on a set of decisions."""

    bot: str = Field(description="name of the player")
    shallow_share: float = Field(
        description="share of decisions in which the player made a losing play that was judged at 0-ply only, because "
        "no judge considered it close"
    )
    faults: int = Field(
        description="number of decisions in which an outside engine failed; the other numbers leave them out"
    )
    difference: float | None = Field(
        default=None,
        description="loss of the player minus loss of the first player measured with it, in thousandths of a point, on "
        "the decisions that both played; null for the first player",
    )
    difference_error: float | None = Field(
        default=None,
        description="standard error of the difference, far smaller than those of the two losses, because the "
        "decisions are the same",
    )
    phases: dict[Phase, PhaseRate] = Field(description="losses by phase of the game")


def measure_error_rates(
    judged: JudgedSet, bots: Sequence[Bot], threads: int = 1, progress: ProgressCallback | None = None
) -> list[ErrorRate]:
    """Return the losses of players on judged decisions, and their differences from the first player.

    Args:
      bots: bots of the set's game.
      threads: threads of the engine's players; the result does not depend on them.
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
    """Return the losses of one player on judged decisions, as `measure_error_rates` does for several."""
    return measure_error_rates(judged, [bot], threads)[0]


def time_decision(judged: JudgedSet, bot: Bot) -> float:
    """Return the mean time in seconds of a decision of the set by a player of the engine, on one thread."""
    bot.choose_plays(judged.boards[:_BATCH], judged.dice[:_BATCH])
    started = time.perf_counter()
    bot.choose_plays(judged.boards, judged.dice)
    return (time.perf_counter() - started) / len(judged.boards)


def _chosen_plays(
    judged: JudgedSet, bot: Bot, threads: int, progress: ProgressCallback | None
) -> npt.NDArray[np.int64]:
    """Return `[D]`, the bot's play of each decision as an index into all plays; −1 if it fails."""
    rules = compile_rules(judged.ruleset)
    starts = judged.starts
    chosen = np.full(len(judged.boards), -1, np.int64)
    for first in range(0, len(chosen), _BATCH):
        batch = slice(first, first + _BATCH)
        boards, dice = judged.boards[batch], judged.dice[batch]
        games = np.arange(first, first + len(boards), dtype=np.uint64)
        for i, play in enumerate(bot.choose_plays(boards, dice, seed=_SEED, games=games, threads=threads)):
            if isinstance(play, Fault):
                continue
            roll = int(dice[i, 0]), int(dice[i, 1])
            index = play_index(sorted_plays(rules, boards[i], roll)[0], play.afterstate)
            assert index is not None
            chosen[first + i] = starts[first + i] + index
        if progress is not None:
            progress(len(boards))
    return chosen


def _rate(lost: npt.NDArray[np.float64]) -> PhaseRate:
    lost = lost[~np.isnan(lost)]
    number = len(lost)
    return PhaseRate(
        decisions=number,
        loss=1000 * float(lost.mean()) if number else None,
        standard_error=1000 * float(lost.std(ddof=1)) / number**0.5 if number > 1 else None,
        best_share=float((lost <= _TOLERANCE).mean()) if number else None,
    )
