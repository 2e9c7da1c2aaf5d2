"""Sets of judged decisions, made: positions from games of mixed players, each play judged by deeper engines.

Judges look at the plays of a decision as a search does: all at 0-ply, the close ones at 1-ply, the closest deeper.
The values of two plies are not compared with each other, since evaluations swing from one ply to the next: a play
that dropped out is as much worse than the best one as it was at the last ply where both were looked at.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import close_plays, make_bot, network_player
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import Evaluator
from tavla_ai.files import write_whole
from tavla_ai.match import utilities
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Position, Ruleset, compile_rules
from tavla_ai.strength.decisions import OPENING_TURNS, PHASES, phase_of
from tavla_ai.strength.judged_set import (
    QUANTUM,
    JudgedHeader,
    JudgedSet,
    JudgeInfo,
    load_judged_set,
    save_judged_set,
    sorted_plays,
)

DEFAULT_JUDGES = ("gnubg:2", "sage:2")

Boards = npt.NDArray[np.int8]

# From each ply to the next: so many of the best, none that is worse by more points.
FILTERS = ((8, 0.16), (5, 0.08))

SAMPLER = "mixed-1"
# `mixed-1`: who plays a seat of a game and how often it draws a play at random, each line with the same chance; half of
# the games have both seats played by the network with at most a slip now and then, as strong players meet.
_STRONG = (("network", 0.0), ("network", 0.0), ("network", 0.03))
_MIXED = (("network", 0.0), ("network", 0.1), ("network", 0.3), ("pubeval", 0.0), ("pubeval", 0.1))
_STRONG_SHARE = 0.5
# Of the mixed games so many begin with turns at random, up to this number: back games and other messes.
_SCRAMBLED_SHARE = 0.6
_SCRAMBLED_TURNS = 20
# Decisions of one game are alike: few of each are kept.
_KEPT_SHARE = 0.12
_GAMES_AT_ONCE = 128
# Judged and written together; at most so much is lost when a build is killed.
_PART = 20


class Judge(Protocol):
    """Something that values afterstates."""

    name: str

    def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
        """Return `[N]` points of afterstates `[N, 2, 26]` for the side that has just moved."""


class _NetworkJudge:
    def __init__(self, name: str, evaluator: Evaluator) -> None:
        self.name = name
        self._evaluator = evaluator

    def equities(self, boards: Boards, ply: int) -> npt.NDArray[np.float64]:
        return np.array([self._evaluator.evaluate_afterstate(Position(board), ply=ply).equity for board in boards])


def make_judge(spec: str, ruleset: Ruleset) -> tuple[Judge, JudgeInfo, int]:
    """Return the judge that `spec` names as a bot, what is noted of it, and its look-ahead.

    Raises:
      TavlaError: no such bot, or one that values nothing; see `make_bot`.
    """
    bot = make_bot(spec, ruleset)
    if bot.peer is not None:
        return bot.peer, JudgeInfo(name=spec, version=bot.peer.version, weight=1.0), bot.peer.ply
    if bot.checkpoint is None:
        raise TavlaError(f"judge {spec!r}: expected an outside engine or a checkpoint, with its look-ahead")
    info = JudgeInfo(name=spec, version=bot.checkpoint.card.weights_sha256, weight=1.0)
    return _NetworkJudge(spec, Evaluator(bot.checkpoint, ruleset)), info, bot.style.ply


@dataclass(frozen=True)
class SampledDecisions:
    """Decisions with a choice: boards int8 `[D, 2, 26]`, dice int8 `[D, 2]`, phases uint8 `[D]`."""

    boards: Boards
    dice: npt.NDArray[np.int8]
    phases: npt.NDArray[np.uint8]


def sample_decisions(ruleset: Ruleset, checkpoint: Checkpoint, seed: int, number: int) -> SampledDecisions:
    """Return the first `number` decisions of a seed, from single games of mixed players.

    No two have the same board and roll, and none is forced.

    Args:
      checkpoint: the network that plays, at 0-ply.
    """
    sampler = _Sampler(ruleset, checkpoint, seed)
    found: dict[bytes, tuple[Boards, npt.NDArray[np.int8], int]] = {}
    first = 0
    while len(found) < number:
        for board, dice, phase in sampler.games(first):
            found.setdefault(board.tobytes() + np.sort(dice).tobytes(), (board, dice, phase))
        first += _GAMES_AT_ONCE
    decisions = list(found.values())[:number]
    return SampledDecisions(
        np.stack([board for board, _, _ in decisions]),
        np.stack([dice for _, dice, _ in decisions]),
        np.array([phase for _, _, phase in decisions], np.uint8),
    )


class _Game:
    """One game of the sampler, and all that is random in it besides the dice."""

    def __init__(self, rules: engine.Rules, seed: int, number: int) -> None:
        self.number = number
        self.rng = np.random.default_rng([seed, number])
        styles = _STRONG if self.rng.random() < _STRONG_SHARE else _MIXED
        self.styles = [styles[self.rng.integers(len(styles))] for _ in range(2)]
        self.scrambled = 0
        if styles is _MIXED and self.rng.random() < _SCRAMBLED_SHARE:
            self.scrambled = int(self.rng.integers(1, _SCRAMBLED_TURNS + 1))
        self.board = rules.start()
        self.seat, self.roll = engine.opening(rules, seed, number)
        self.ply = self.stuck = 0

    def player(self) -> str:
        """Return who makes the next play."""
        name, slips = self.styles[self.seat]
        return "random" if self.rng.random() < slips or self.ply < self.scrambled else name


class _Sampler:
    def __init__(self, ruleset: Ruleset, checkpoint: Checkpoint, seed: int) -> None:
        self.ruleset, self.seed = ruleset, seed
        self.rules = compile_rules(ruleset)
        self.players = {
            "network": network_player(ruleset, checkpoint.network_for(ruleset)),
            **{name: _native(name, ruleset) for name in ("pubeval", "random")},
        }
        self.stakes = utilities(ruleset, None)

    def games(self, first: int) -> list[tuple[Boards, npt.NDArray[np.int8], int]]:
        """Return decisions of games `first` and on: board, dice and phase, game after game."""
        kept: list[tuple[int, int, Boards, npt.NDArray[np.int8], int]] = []
        open_games = [_Game(self.rules, self.seed, number) for number in range(first, first + _GAMES_AT_ONCE)]
        while open_games:
            boards = np.stack([game.board for game in open_games])
            dice = np.array([game.roll for game in open_games], np.int8)
            choices = engine.count_plays(self.rules, boards, dice)
            for game, board, roll, choice in zip(open_games, boards, dice, choices, strict=True):
                if game.rng.random() < _KEPT_SHARE and choice > 1 and game.ply >= game.scrambled:
                    kept.append((game.number, game.ply, board, roll, PHASES.index(self._phase(game))))
            open_games = self._turn(open_games, boards, dice)
        kept.sort(key=lambda decision: decision[:2])
        return [decision[2:] for decision in kept]

    def _phase(self, game: _Game) -> str:
        # A game that began at random has no opening.
        own_turns = game.ply // 2 if game.scrambled == 0 else OPENING_TURNS
        return phase_of(self.ruleset, Position(game.board), own_turns)

    def _turn(self, games: list[_Game], boards: Boards, dice: npt.NDArray[np.int8]) -> list[_Game]:
        chosen = [game.player() for game in games]
        going = []
        for name, player in self.players.items():
            rows = [i for i, one in enumerate(chosen) if one == name]
            if not rows:
                continue
            after, scores = engine.choose_plays(
                self.rules,
                player,
                boards[rows],
                dice[rows],
                *self.stakes,
                seed=self.seed,
                games=np.array([games[i].number for i in rows], np.uint64),
                rounds=np.zeros(len(rows), np.uint32),
                plies=np.array([games[i].ply for i in rows], np.uint32),
            )
            for i, board, score in zip(rows, after, scores, strict=True):
                game = games[i]
                game.stuck = game.stuck + 1 if np.array_equal(board, game.board) else 0
                game.board = np.ascontiguousarray(board[::-1])
                game.ply += 1
                game.seat ^= 1
                if score == engine.NO_SCORE and game.stuck < self.ruleset.stuck_limit:
                    first, second = engine.rolls(self.seed, game.number, game.ply + 1)[-1].tolist()
                    game.roll = first, second
                    going.append(game)
        return sorted(going, key=lambda game: game.number)


def _native(name: str, ruleset: Ruleset) -> engine.Player:
    player = make_bot(name, ruleset).player
    assert isinstance(player, engine.Player)
    return player


def judge_decisions(
    ruleset: Ruleset, judges: Sequence[Judge], ply: int, decisions: SampledDecisions
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
    """Return the number of plays `[D]`, the plays' values `[J, P]` and the plies `[P]` at which they were judged."""
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
    # [plies, J, P]: what each judge said at each ply; a finished game is worth its score at all of them.
    said = np.full((ply + 1, len(judges), len(boards)), np.nan)
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
            # A play that stands alone needs no closer look.
            if close.sum() > 1:
                going[chosen[close]] = True
    values = np.empty((len(judges), len(boards)), np.float32)
    for span in spans:
        deepest = np.flatnonzero(depths[span] == depths[span].max()) + span.start
        last = depths[deepest[0]]
        best = deepest[np.argmax(said[last][:, deepest].mean(axis=0))]
        for play in range(span.start, span.stop):
            at = depths[play]
            values[:, play] = said[last][:, best] - said[at][:, best] + said[at][:, play]
    return num_plays, (np.round(values / QUANTUM) * QUANTUM).astype(np.float32), depths


def build_judged_set(
    path: Path,
    ruleset: Ruleset,
    network: Path,
    judges: Sequence[str],
    decisions: int,
    seed: int,
    progress: ProgressCallback | None = None,
) -> JudgedSet:
    """Sample decisions, have them judged and write them to a file; return them.

    What has been judged is kept in a folder beside the file until all is done, so that a build that was stopped goes
    on where it was; so does one that asks for more decisions of the same.

    Args:
      path: the file, which must not exist.
      network: folder of the checkpoint that plays the games.
      judges: bots with their look-ahead, the same for all: `gnubg:2`, `checkpoints/tavla@2`.
      decisions: how many.
      seed: of the games.
      progress: called with the number of decisions judged since its last call.

    Raises:
      TavlaError: the file exists, a judge that is not installed or looks ahead otherwise than the first, or a folder
        with parts of another set.
    """
    if path.exists():
        raise TavlaError(f"{path}: exists already")
    if decisions < 1:
        raise TavlaError(f"{decisions} decisions: expected at least 1")
    made = [make_judge(spec, ruleset) for spec in judges]
    plies = {ply for _, _, ply in made}
    if len(plies) != 1:
        raise TavlaError(f"judges {', '.join(judges)}: expected at least one, and the same look-ahead for all")
    ply = plies.pop()
    checkpoint = load_checkpoint(network, ruleset)
    header = JudgedHeader(
        ruleset=ruleset.name,
        seed=seed,
        decisions=decisions,
        sampler=SAMPLER,
        network=checkpoint.card.weights_sha256,
        judges=tuple(info for _, info, _ in made),
        ply=ply,
        filters=FILTERS,
    )
    folder = _open_parts(path, header)
    sampled = sample_decisions(ruleset, checkpoint, seed, decisions)
    parts = []
    for first in range(0, decisions, _PART):
        rows = slice(first, min(first + _PART, decisions))
        number = rows.stop - first
        part_path = folder / f"{first:06d}-{number}.npz"
        if not part_path.exists():
            part = SampledDecisions(sampled.boards[rows], sampled.dice[rows], sampled.phases[rows])
            num_plays, values, depths = judge_decisions(ruleset, [judge for judge, _, _ in made], ply, part)
            of_part = header.model_copy(update={"decisions": number})
            save_judged_set(
                part_path,
                JudgedSet(of_part, part.boards, part.dice, part.phases, num_plays, values, depths),
            )
        parts.append(load_judged_set(part_path))
        if progress is not None:
            progress(number)
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


def _open_parts(path: Path, header: JudgedHeader) -> Path:
    """Return the folder of the parts, made now or by a build of the same set."""
    folder = path.with_name(f"{path.name}.parts")
    text = header.model_copy(update={"decisions": 1}).model_dump_json()
    digest = hashlib.sha256(text.encode()).hexdigest()
    note = folder / "made-of"
    if note.exists() and note.read_text() != digest:
        raise TavlaError(f"{folder}: parts of another set; remove the folder to build this one")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(note, digest.encode())
    return folder
