"""The builder of judged sets: decisions from games of mixed players, with each play judged by deeper engines.

Judges narrow the plays of a decision as a search does: all plays at 0-ply, the close ones at 1-ply, the closest deeper.
Values of different plies are not compared, since evaluations swing from one ply to the next. A play that was not judged
deeper keeps its distance from the best play at its last ply. Networks that still disagree about the best play at their
look-ahead may roll it out.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import close_plays, load_bot
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import FIRST_ROLLS, Evaluator
from tavla_ai.files import write_whole
from tavla_ai.match import MatchState, Utility
from tavla_ai.network import load_checkpoint, load_strongest
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Position, Ruleset, compile_rules, get_ruleset
from tavla_ai.strength.decision_sampler import SampledDecisions, sample_decisions, sampler_name
from tavla_ai.strength.judged_set import (
    QUANTUM,
    JudgedHeader,
    JudgedSet,
    JudgeInfo,
    RolloutInfo,
    load_judged_set,
    save_judged_set,
    sorted_plays,
)

DEFAULT_JUDGES = ("gnubg:2", "sage:2")

Boards = npt.NDArray[np.int8]

# (keep, margin) from each ply to the next: the best `keep` plays that are at most `margin` points worse than the best.
FILTERS = ((8, 0.16), (5, 0.08))
# Turns and margin of rollouts; see `RolloutInfo`.
_ROLLOUT_TURNS, _ROLLOUT_MARGIN = 8, 0.02
_ROLLOUT_SEED = 1

# Number of decisions judged and written together; a killed build loses at most these.
_PART = 20


class Judge(Protocol):
    """A judge: it values afterstates."""

    name: str

    def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
        """Return `[N]` points of afterstates `[N, 2, num_places]` for the side that has just moved."""


class RollingJudge(Judge, Protocol):
    """A judge that can also play positions out."""

    def roll_out(self, boards: Boards, rollout: RolloutInfo) -> npt.NDArray[np.float64]:
        """Return `[N]` points of afterstates, as `equities` does, by games that continue from them."""


class _NetworkJudge:
    def __init__(self, name: str, evaluator: Evaluator) -> None:
        self.name = name
        self._evaluator = evaluator

    def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
        return np.array([self._evaluator.evaluate_afterstate(Position(board), ply=ply).equity for board in boards])

    def roll_out(self, boards: Boards, rollout: RolloutInfo) -> npt.NDArray[np.float64]:
        utility = self._evaluator.utility(MatchState())
        return np.array([self._trials(Position(board), utility, rollout).mean() for board in boards])

    def _trials(self, afterstate: Position, utility: Utility, rollout: RolloutInfo) -> npt.NDArray[np.float64]:
        trials = self._evaluator.trials(
            afterstate,
            utility,
            first_trial=0,
            num_trials=rollout.trials,
            ply=0,
            truncate=rollout.turns,
            adjusts_luck=True,
            seed=_ROLLOUT_SEED,
        )
        points: npt.NDArray[np.float64] = trials @ np.array(utility.values)
        return points


def make_judge(spec: str, ruleset: Ruleset) -> tuple[Judge, JudgeInfo, int]:
    """Return the judge of a bot's name, its entry in the header, and its look-ahead.

    Raises:
      TavlaError: the bot does not exist or cannot value positions; also the errors of `load_bot`.
    """
    bot = load_bot(spec, ruleset)
    if bot.peer is not None:
        return bot.peer, JudgeInfo(name=spec, version=bot.peer.version, weight=1.0), bot.peer.ply
    if bot.checkpoint is None:
        raise TavlaError(f"judge {spec!r}: expected an outside engine or a checkpoint, with its look-ahead")
    info = JudgeInfo(name=spec, version=bot.checkpoint.card.weights_sha256, weight=1.0)
    return _NetworkJudge(spec, Evaluator(bot.checkpoint, ruleset)), info, bot.style.ply


def judge_decisions(
    ruleset: Ruleset,
    judges: Sequence[Judge],
    ply: int,
    decisions: SampledDecisions,
    rollout: RolloutInfo | None = None,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
    """Return the number of plays `[D]`, the plays' values `[J, P]`, and the plies `[P]` at which they were judged.

    Args:
      judges: judges, with `rollout` such as can roll out.
      ply: their look-ahead.
      rollout: rollouts where the judges choose different plays; these count as one ply more.
    """
    rules = compile_rules(ruleset)
    plays = [
        sorted_plays(rules, board, (int(first), int(second)))
        for board, (first, second) in zip(decisions.boards, decisions.dice, strict=True)
    ]
    num_plays = np.array([len(after) for after, _ in plays], np.int16)
    ends = np.cumsum(num_plays, dtype=np.int64)
    spans = [slice(int(end) - int(number), int(end)) for end, number in zip(ends, num_plays, strict=True)]
    boards = np.concatenate([after for after, _ in plays])
    scores = np.concatenate([scores for _, scores in plays])
    is_open = scores == engine.NO_SCORE
    # [plies, J, P]: value by each judge at each ply; a finished game is worth its score at every ply.
    said = np.full((ply + 2, len(judges), len(boards)), np.nan)
    said[:, :, ~is_open] = scores[~is_open]
    depths = np.zeros(len(boards), np.uint8)
    going = np.ones(len(boards), bool)
    for depth in range(ply + 1):
        asked = going & is_open
        for j, judge in enumerate(judges):
            said[depth, j, asked] = judge.equities(boards[asked], depth)
        depths[going] = depth
        if depth == ply:
            break
        keep, margin = FILTERS[min(depth, len(FILTERS) - 1)]
        for span in spans:
            chosen = np.flatnonzero(going[span]) + span.start
            if len(chosen) == 0:
                continue
            going[span] = False
            opinions = said[depth][:, chosen]
            views = opinions if depth == 0 else opinions.mean(axis=0, keepdims=True)
            close = np.any([close_plays(view, keep, margin) for view in views], axis=0)
            # A single remaining play needs no deeper search.
            if close.sum() > 1:
                going[chosen[close]] = True
    if rollout is not None:
        disputed = _disputed_plays(said[ply], going, spans, rollout.margin)
        asked = disputed & is_open
        for j, judge in enumerate(cast(Sequence[RollingJudge], judges)):
            said[ply + 1, j, asked] = judge.roll_out(boards[asked], rollout)
        depths[disputed] = ply + 1
    values = np.empty((len(judges), len(boards)), np.float32)
    for span in spans:
        deepest = np.flatnonzero(depths[span] == depths[span].max()) + span.start
        last = depths[deepest[0]]
        best = deepest[np.argmax(said[last][:, deepest].mean(axis=0))]
        for play in range(span.start, span.stop):
            at = depths[play]
            values[:, play] = said[last][:, best] - said[at][:, best] + said[at][:, play]
    return num_plays, (np.round(values / QUANTUM) * QUANTUM).astype(np.float32), depths


def _disputed_plays(
    said: npt.NDArray[np.float64], judged: npt.NDArray[np.bool_], spans: Sequence[slice], margin: float
) -> npt.NDArray[np.bool_]:
    """Return `[P]`, whether a play is to be rolled out.

    Args:
      said: `[J, P]`, values at the judges' look-ahead.
      judged: `[P]`, whether the play was judged there.
      spans: the plays of each decision.
      margin: see `RolloutInfo`.
    """
    disputed = np.zeros(len(judged), bool)
    for span in spans:
        plays = np.flatnonzero(judged[span]) + span.start
        if len(plays) < 2:
            continue
        opinions = said[:, plays]
        favourites = opinions.argmax(axis=1)
        if (opinions.max(axis=1)[:, None] - opinions[:, favourites]).max() > margin:
            mean = opinions.mean(axis=0)
            disputed[plays[mean >= mean.max() - margin]] = True
            disputed[plays[favourites]] = True
    return disputed


def build_judged_set(
    path: Path,
    ruleset: Ruleset,
    network: str | Path | None,
    judges: Sequence[str],
    decisions: int,
    seed: int,
    progress: ProgressCallback | None = None,
    *,
    rollout_trials: int = 0,
) -> JudgedSet:
    """Sample decisions, judge them, write them to a file and return them.

    Finished parts are kept in a folder beside the file until everything is done, so an interrupted build can be
    resumed. A build of more decisions of the same set resumes it too. The network plays in the sampled games with
    random play and with pubeval, or with our baseline where pubeval does not play.

    Args:
      path: the file, which must not exist.
      network: folder or shipped name of the checkpoint that plays the games; None takes the strongest shipped one.
      judges: bots, all with the same look-ahead: `gnubg:2`, `tavla/hard@2`.
      decisions: number of decisions.
      seed: seed of the games.
      progress: called with the number of decisions judged since its last call.
      rollout_trials: games of each rollout where the judges disagree, rounded up to a multiple of 36; 0 rolls nothing
        out.

    Raises:
      TavlaError: the file exists, a judge is not installed, has another look-ahead than the first or cannot roll out,
        or the folder has parts of another set.
      RulesetError: the turns of the game have several stages.
    """
    if path.exists():
        raise TavlaError(f"{path}: exists already; name another file")
    if decisions < 1:
        raise TavlaError(f"{decisions} decisions: expected at least 1")
    made, infos, ply = _make_judges(judges, ruleset)
    rollout = None
    if rollout_trials > 0:
        for judge in made:
            if not isinstance(judge, _NetworkJudge):
                raise TavlaError(f"judge {judge.name!r}: cannot roll out; expected checkpoints, or no rollouts")
        trials = -(-rollout_trials // FIRST_ROLLS) * FIRST_ROLLS
        rollout = RolloutInfo(trials=trials, turns=_ROLLOUT_TURNS, margin=_ROLLOUT_MARGIN)
    checkpoint = load_strongest(ruleset) if network is None else load_checkpoint(network, ruleset)
    header = JudgedHeader(
        ruleset=ruleset.name,
        seed=seed,
        decisions=decisions,
        sampler=sampler_name(ruleset),
        network=checkpoint.card.weights_sha256,
        judges=infos,
        ply=ply,
        filters=FILTERS,
        rollout=rollout,
    )
    sampled = sample_decisions(ruleset, checkpoint, seed, decisions)
    folder = _open_parts(path, header)
    try:
        parts = list(_judged_parts(folder, header, made, sampled, progress))
    except BaseException:
        # A build that has judged nothing leaves nothing to resume.
        if not any(folder.glob("*.npz")):
            shutil.rmtree(folder)
        raise
    judged = JudgedSet(
        header,
        sampled.boards,
        sampled.dice,
        sampled.phases,
        np.concatenate([part.num_plays for part in parts]),
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.depths for part in parts]),
    )
    save_judged_set(path, judged)
    shutil.rmtree(folder)
    return judged


def _make_judges(specs: Sequence[str], ruleset: Ruleset) -> tuple[list[Judge], tuple[JudgeInfo, ...], int]:
    """Return the judges, their entries in the header, and their look-ahead."""
    made = [make_judge(spec, ruleset) for spec in specs]
    plies = {ply for _, _, ply in made}
    if len(plies) != 1:
        raise TavlaError(f"judges {', '.join(specs)}: expected at least one, and the same look-ahead for all")
    return [judge for judge, _, _ in made], tuple(info for _, info, _ in made), plies.pop()


def _judged_parts(
    folder: Path,
    header: JudgedHeader,
    judges: Sequence[Judge],
    sampled: SampledDecisions,
    progress: ProgressCallback | None,
) -> Iterator[JudgedSet]:
    """Yield the judged decisions in parts; parts in the folder are read, other parts are judged and written there."""
    ruleset = get_ruleset(header.ruleset)
    for first in range(0, header.decisions, _PART):
        rows = slice(first, min(first + _PART, header.decisions))
        number = rows.stop - first
        path = folder / f"{first:06d}-{number}.npz"
        if not path.exists():
            part = SampledDecisions(sampled.boards[rows], sampled.dice[rows], sampled.phases[rows])
            judged = judge_decisions(ruleset, judges, header.ply, part, header.rollout)
            of_part = header.model_copy(update={"decisions": number})
            save_judged_set(path, JudgedSet(of_part, part.boards, part.dice, part.phases, *judged))
        yield load_judged_set(path)
        if progress is not None:
            progress(number)


def _open_parts(path: Path, header: JudgedHeader) -> Path:
    """Return the folder of the parts; it is new or from a build of the same set."""
    folder = path.with_name(f"{path.name}.parts")
    text = header.model_copy(update={"decisions": 1}).model_dump_json()
    digest = hashlib.sha256(text.encode()).hexdigest()
    note = folder / "made-of"
    if note.exists() and note.read_text() != digest:
        raise TavlaError(f"{folder}: parts of another set; remove the folder to build this one")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(note, digest.encode())
    return folder
