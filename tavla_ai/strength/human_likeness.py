"""Human-likeness of the levels: the losses of their plays, by phase, closeness and kind of error.

A level plays single games against Hard, and Hard's network judges at 0-ply the loss of each of its plays. A human loses
a little on many close decisions; a bot that is weak because of rare absurd plays does not feel human.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bots import LEVEL_NAMES, Bot, Fault, Ladder, LevelName, Levels, level_bot
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import DEFAULT_SEARCH, load_tables
from tavla_ai.match import utilities
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import BAR, OFF, Position, Ruleset, compile_rules, format_play, play_index
from tavla_ai.strength.decisions import GRADES, PHASES, Phase, phase_of
from tavla_ai.tournament import Leg, WatchedAction, WatchedTurn, play_between, play_pairs

# In points: a larger loss is a blunder here. Errors of at least `DOUBTFUL` points are sorted by kind.
BLUNDER, DOUBTFUL = GRADES["error"], GRADES["doubtful"]
# Numbers of plays close to the best, including the best: (from, to).
CLOSE_PLAYS = ((1, 1), (2, 2), (3, 5), (6, None))
# Kinds of error, tried in this order on the boards after the play and after the best play; the first that applies names
# the error.
KINDS = {
    "missed a hit": "the best play hits, or hits more",
    "hit in vain": "it hits where the best play does not",
    "bore off too few": "the best play bears off more checkers",
    "did not make a point": "the best play holds more points, and none was given up",
    "broke a point": "it holds fewer points than the best play, and fewer than before",
    "left a blot": "more of its single checkers can be hit than after the best play",
    "stayed back": "more checkers are left on the bar or in the opponent's home",
    "ran too early": "fewer checkers are left on the bar or in the opponent's home",
    "too careful": "fewer single checkers can be hit than after the best play",
    "other": "none of these",
}

# Smaller losses count as 0: single precision is not that exact.
_TOLERANCE = 1e-6
_PAIRS_AT_ONCE = 64
_BINS, _EXAMPLES = 24, 6
_BACK = slice(19, BAR + 1)


class LossSpread(BaseModel):
    """Losses on some decisions, as Hard judges them, in points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: int = Field(description="number of decisions with more than one play")
    mean: float | None = Field(description="mean loss; null without decisions, like the other figures")
    median: float | None = Field(description="median loss")
    p90: float | None = Field(description="90th percentile of the losses")
    p99: float | None = Field(description="99th percentile of the losses")
    maximum: float | None = Field(description="the largest loss")
    same_share: float | None = Field(description="share of decisions in which Hard would have made the same play")
    blunder_share: float | None = Field(description=f"share of decisions that lost more than {BLUNDER} points")


class CloseDecisions(BaseModel):
    """Decisions with `least` to `most` plays as close to the best as the level's usual error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    within: float = Field(
        description=f"largest distance from the best play that counts as close, in points: the level's noise, at least "
        f"{DOUBTFUL}"
    )
    least: int = Field(description="least number of close plays, including the best")
    most: int | None = Field(description="largest number of close plays; null for any number")
    loss: LossSpread = Field(description="losses on these decisions")


class ErrorKind(BaseModel):
    """Errors of one kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str = Field(description="name of the kind")
    meaning: str = Field(description="description of the board after it, compared with the board after the best play")
    errors: int = Field(description=f"number of plays that lost at least {DOUBTFUL} points")
    share: float = Field(description="share of all such plays")
    mean_loss: float = Field(description="mean loss of such a play, in points")


class Example(BaseModel):
    """One of the costliest errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: str = Field(description="the board before the play, the player on roll first")
    dice: tuple[int, int] = Field(description="the roll")
    played: str = Field(description="the play")
    best: str = Field(description="the play that Hard would have made")
    loss: float = Field(description="loss of the play, in points")
    kind: str = Field(description="kind of the error")
    steps: tuple[tuple[int, int], ...] = Field(description="steps of the play")


class LevelLikeness(BaseModel):
    """The play of one level."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: LevelName = Field(description="name of the level")
    rating: float = Field(description="measured rating of the level")
    noise: float = Field(description="standard deviation of the level's error about a position, in points")
    cap: float = Field(description="largest loss of a play that the level allows, in its own network's view, in points")
    games: int = Field(description="number of single games against Hard")
    loss: LossSpread = Field(description="losses on all decisions")
    own_maximum: float = Field(description="largest loss in the level's own network's view, in points")
    phases: dict[Phase, LossSpread] = Field(description="losses by phase of the game")
    close: tuple[CloseDecisions, ...] = Field(description="losses by number of close plays")
    kinds: tuple[ErrorKind, ...] = Field(
        description="kinds of error, the most common first; empty in games without tavla's hitting"
    )
    edges: tuple[float, ...] = Field(description="edges of the bins of losses, in points")
    counts: tuple[int, ...] = Field(description="number of decisions in each bin, without those that lost nothing")
    examples: tuple[Example, ...] = Field(description="costliest errors, the costliest first")


class LikenessReport(BaseModel):
    """The play of the levels of a ladder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str = Field(description="name of the game")
    match_length: int = Field(
        description="match length of the ladder; the games are single games, so losses are in points"
    )
    seed: int = Field(description="seed of the dice and of the errors")
    judge: str = Field(description="sha256 of the weights of Hard, which judges at 0-ply")
    levels: tuple[LevelLikeness, ...] = Field(description="levels, from the weakest up")


@dataclass(frozen=True)
class _Decision:
    turn: WatchedTurn
    best: npt.NDArray[np.int8]
    loss: float
    own_loss: float
    losses: npt.NDArray[np.float32]
    phase: Phase


def measure_likeness(
    ruleset: Ruleset, levels: Levels, match_length: int | None, games: int, seed: int, progress: ProgressCallback | None
) -> LikenessReport:
    """Let each level of a ladder play single games against Hard, and judge its decisions.

    Args:
      levels: the file of levels.
      match_length: match length of the ladder; None takes that of the shortest matches.
      games: number of games of each level, even.
      seed: seed of the dice and of the levels' errors.
      progress: called with the number of games finished since its last call.

    Raises:
      TavlaError: the number of games is odd or below 2, or the file of levels cannot be read or has no ladder
        of the house.
      RulesetError: Gul Bara, where a turn is more than one play.
    """
    if games < 2 or games % 2:
        raise TavlaError(f"{games} games: expected an even number from 2 up")
    ruleset.check_has_no_stages("judged decisions")
    ladder = levels.ladder(ruleset, match_length)
    bots = {name: level_bot(name, ruleset, levels, match_length) for name in LEVEL_NAMES}
    hard = bots["hard"]
    assert hard.checkpoint is not None
    found = []
    for name in LEVEL_NAMES:
        decisions: list[_Decision] = []
        critic = _Critic(ruleset, hard, bots[name])
        for first in range(0, games // 2, _PAIRS_AT_ONCE):
            pairs = min(_PAIRS_AT_ONCE, games // 2 - first)
            decisions += critic.decisions(seed, first, pairs)
            if progress is not None:
                progress(2 * pairs)
        found.append(_likeness(ruleset, ladder, name, games, decisions))
    return LikenessReport(
        ruleset=ruleset.name,
        match_length=ladder.match_length,
        seed=seed,
        judge=hard.checkpoint.card.weights_sha256,
        levels=tuple(found),
    )


class _Critic:
    """Watches a level against Hard and records the losses of its plays."""

    def __init__(self, ruleset: Ruleset, hard: Bot, bot: Bot) -> None:
        self.ruleset, self.hard, self.bot = ruleset, hard, bot
        self.rules = compile_rules(ruleset)
        self.stakes = utilities(ruleset, None)
        self.searchers = [self._searcher(one) for one in (hard, bot)]

    def _searcher(self, bot: Bot) -> engine.Searcher:
        assert bot.checkpoint is not None
        network = bot.checkpoint.network_for(self.ruleset)
        return engine.Searcher(self.rules, network, load_tables(self.ruleset), **DEFAULT_SEARCH.filters())

    def decisions(self, seed: int, first_pair: int, num_pairs: int) -> list[_Decision]:
        """Return the level's decisions in some pairs of games, game after game."""
        turns: list[WatchedTurn] = []

        def watch(action: WatchedAction) -> None:
            if isinstance(action, WatchedTurn) and action.side == 1:
                turns.append(action)

        play_pairs(
            [Leg(self.ruleset, (self.hard, self.bot), self.stakes)],
            seed=seed,
            first_pair=first_pair,
            num_pairs=num_pairs,
            length=0,
            watch=watch,
        )
        turns.sort(key=lambda turn: (turn.pair, turn.a_seat, turn.ply))
        found = [self._valued(turn) for turn in turns]
        return [decision for decision in found if decision is not None]

    def _valued(self, turn: WatchedTurn) -> _Decision | None:
        afterstates, _, _ = engine.legal_plays(self.rules, turn.board, *turn.dice)
        if len(afterstates) < 2 or isinstance(turn.after, Fault):
            return None
        chosen = play_index(afterstates, turn.after)
        assert chosen is not None
        ranks = [searcher.rank(turn.board, *turn.dice, *self.stakes, 0) for searcher in self.searchers]
        lost = [worth[order[0]] - worth for _, worth, _, order in ranks]
        best = afterstates[ranks[0][3][0]]
        return _Decision(
            turn,
            best,
            float(lost[0][chosen]),
            float(lost[1][chosen]),
            lost[0],
            phase_of(self.ruleset, Position(turn.board), turn.ply // 2),
        )


def _likeness(
    ruleset: Ruleset, ladder: Ladder, name: LevelName, games: int, decisions: Sequence[_Decision]
) -> LevelLikeness:
    rated = ladder.levels[name]
    losses = np.array([decision.loss for decision in decisions])
    lost = losses[losses > _TOLERANCE]
    counts, edges = np.histogram(lost, bins=_BINS, range=(0.0, max(2 * BLUNDER, float(losses.max(initial=0.0)))))
    return LevelLikeness(
        level=name,
        rating=rated.rating,
        noise=rated.noise,
        cap=rated.cap,
        games=games,
        loss=_spread(decisions),
        own_maximum=max((decision.own_loss for decision in decisions), default=0.0),
        phases={phase: _spread([one for one in decisions if one.phase == phase]) for phase in PHASES},
        close=_by_closeness(decisions, max(rated.noise, DOUBTFUL)),
        kinds=_kinds(ruleset, decisions),
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        examples=_examples(ruleset, decisions),
    )


def _by_closeness(decisions: Sequence[_Decision], within: float) -> tuple[CloseDecisions, ...]:
    found = []
    for least, most in CLOSE_PLAYS:
        own = [one for one in decisions if least <= (one.losses <= within).sum() <= (most or len(one.losses))]
        found.append(CloseDecisions(within=within, least=least, most=most, loss=_spread(own)))
    return tuple(found)


def _spread(decisions: Sequence[_Decision]) -> LossSpread:
    if not decisions:
        nothing: Mapping[str, None] = dict.fromkeys(set(LossSpread.model_fields) - {"decisions"})
        return LossSpread(decisions=0, **nothing)
    losses = np.array([decision.loss for decision in decisions])
    median, p90, p99 = np.percentile(losses, (50, 90, 99)).tolist()
    return LossSpread(
        decisions=len(losses),
        mean=float(losses.mean()),
        median=median,
        p90=p90,
        p99=p99,
        maximum=float(losses.max()),
        same_share=float((losses <= _TOLERANCE).mean()),
        blunder_share=float((losses > BLUNDER).mean()),
    )


def _kinds(ruleset: Ruleset, decisions: Sequence[_Decision]) -> tuple[ErrorKind, ...]:
    if not ruleset.moves_as_backgammon:
        return ()
    by_kind: dict[str, list[float]] = {}
    for decision in decisions:
        if decision.loss >= DOUBTFUL:
            by_kind.setdefault(_kind(decision), []).append(decision.loss)
    number = sum(map(len, by_kind.values()))
    return tuple(
        ErrorKind(
            kind=kind, meaning=KINDS[kind], errors=len(own), share=len(own) / number, mean_loss=sum(own) / len(own)
        )
        for kind, own in sorted(by_kind.items(), key=lambda item: -len(item[1]))
    )


def _kind(decision: _Decision) -> str:
    after, best, before = decision.turn.after, decision.best, decision.turn.board
    assert isinstance(after, np.ndarray)
    hits, best_hits = int(after[1, BAR]), int(best[1, BAR])
    points, best_points, points_before = (_num_points(board) for board in (after, best, before))
    blots, best_blots = _num_blots(after), _num_blots(best)
    back, best_back = int(after[0, _BACK].sum()), int(best[0, _BACK].sum())
    shown = {
        "missed a hit": hits < best_hits,
        "hit in vain": hits > best_hits,
        "bore off too few": after[0, OFF] < best[0, OFF],
        "did not make a point": points < best_points and points >= points_before,
        "broke a point": points < best_points,
        "left a blot": blots > best_blots,
        "stayed back": back > best_back,
        "ran too early": back < best_back,
        "too careful": blots < best_blots,
        "other": True,
    }
    return next(kind for kind, is_so in shown.items() if is_so)


def _num_points(board: npt.NDArray[np.int8]) -> int:
    """Return the number of points that the side that has just moved holds."""
    return int((board[0, 1:BAR] >= 2).sum())


def _num_blots(board: npt.NDArray[np.int8]) -> int:
    """Return the number of that side's single checkers with an opponent's checker behind them or on the bar."""
    behind = BAR - int(np.flatnonzero(board[1, 1:])[-1] + 1) if board[1, 1:].any() else BAR
    return int((board[0, behind + 1 : BAR] == 1).sum())


def _examples(ruleset: Ruleset, decisions: Sequence[_Decision]) -> tuple[Example, ...]:
    worst = sorted(decisions, key=lambda decision: -decision.loss)[:_EXAMPLES]
    found = []
    for decision in worst:
        turn = decision.turn
        if decision.loss < DOUBTFUL or not isinstance(turn.after, np.ndarray):
            continue
        position = Position.from_board(turn.board, ruleset)
        played, best = (play_between(ruleset, turn.board, turn.dice, after) for after in (turn.after, decision.best))
        found.append(
            Example(
                position=position.to_text(ruleset),
                dice=turn.dice,
                played=format_play(position, played, ruleset),
                best=format_play(position, best, ruleset),
                loss=decision.loss,
                kind=_kind(decision) if ruleset.moves_as_backgammon else "other",
                steps=played,
            )
        )
    return tuple(found)
