"""The evaluator: what positions and plays are worth, and each decision that a game server asks for.

An `Evaluator` is one network, the game it plays and the bear-off tables of that game. Everything takes the stakes
as a `MatchState` seen by the side that decides: single games are worth their points, games of a match the chance
of winning the match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai import engine
from tavla_ai.bearoff import load_tables
from tavla_ai.checkpoint import Checkpoint
from tavla_ai.cube import CubeDecision, cube_decision, may_double, turned
from tavla_ai.ending import ROLLS, CubeEnding, ends_soon
from tavla_ai.engine import MAX_PLY, MAX_SEED
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.levels import Level, LevelName, Levels, level_name
from tavla_ai.match import MatchEquity, MatchState, Utility, match_equity
from tavla_ai.position import Play, Position, check_dice, concession_value
from tavla_ai.rulesets import BAR, MAX_OWN_ROLLS, OWN_ROLLS, PINNED, MatchSet, Ruleset

MAX_THREADS = 1024

# Some 13 GB.
_MAX_CACHE_ENTRIES = 1 << 27

# A concession waits for nobody: two rolls show what they decide.
_CONCESSION_PLY = 2

# Values that differ by less are the same: a network's arithmetic is no finer.
_TOLERANCE = 1e-6


class PlayFilter(NamedTuple):
    """Which of some plays are looked at more deeply.

    Attributes:
      keep: so many of the best, always.
      extra: up to so many of the next best, where they are close.
      margin: how much worse than the best these may be, in points.
    """

    keep: int
    extra: int = 0
    margin: float = 0.0


class SearchSettings(BaseModel):
    """How a search is narrowed. Plies are named as gnubg names them: 0-ply is the network on each afterstate."""

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


# What a player gets whose time is up, where no Easy level has been measured.
EASY = Level(name="easy", noise=0.08, cap=0.15)


@dataclass(frozen=True)
class LegalPlay:
    """One legal play of a roll, seen by its mover.

    Attributes:
      steps: one way to play it.
      afterstate: the position after it, the mover first; in Gul Bara his roll is counted.
      score: the mover's points if the play ends the game; None if it goes on.
    """

    steps: Play
    afterstate: Position
    score: int | None


@dataclass(frozen=True)
class Evaluation:
    """What a position is worth to one side.

    Attributes:
      outcomes: probabilities of the game's scores, best first.
      scores: the scores, in points.
      value: what is played for: the chance of winning the match, or in single games the expected points.
      ply: how deep it was looked at.
    """

    outcomes: tuple[float, ...]
    scores: tuple[int, ...]
    value: float
    ply: int

    @property
    def equity(self) -> float:
        """Expected points of this game by itself, without a cube."""
        return sum(score * share for score, share in zip(self.scores, self.outcomes, strict=True))

    @property
    def win(self) -> float:
        """Chance of winning the game."""
        return self._share(1, self.scores[0])

    @property
    def draw(self) -> float:
        """Chance of a draw."""
        return self._share(0, 0)

    @property
    def mars(self) -> float:
        """Chance of winning more than one point."""
        return self._share(2, self.scores[0])

    @property
    def mars_lost(self) -> float:
        """Chance of losing more than one point."""
        return self._share(self.scores[-1], -2)

    def _share(self, least: int, most: int) -> float:
        return sum(share for score, share in zip(self.scores, self.outcomes, strict=True) if least <= score <= most)


@dataclass(frozen=True)
class RankedPlay(LegalPlay):
    """A legal play and what it is worth to its mover.

    Attributes:
      evaluation: of the position after it.
      loss: how much less it is worth than the best play, in units of `evaluation.value`.
      hit_chance: share of the opponent's 36 rolls with which he can hit, or pin; None if not asked for, or where
        nothing is ever hit.
    """

    evaluation: Evaluation
    loss: float = 0.0
    hit_chance: float | None = None


def legal_plays(ruleset: Ruleset, position: Position, dice: tuple[int, int]) -> tuple[LegalPlay, ...]:
    """Return every legal play of a roll in the engine's order; one without steps if nothing can be moved.

    Gul Bara: these are the plays of the roll's first stage, without the doubles that cascade after it.

    Args:
      position: the board before the play, the side on roll first.
      dice: the roll, in either order.

    Raises:
      RulesetError: the game is over, or a die is not 1 to 6.
    """
    if len(dice) != 2:
        raise RulesetError(f"dice {dice}: expected two")
    check_dice(*dice)
    boards, steps, scores = engine.legal_plays(engine.compile_rules(ruleset), _counted_board(ruleset, position), *dice)
    return tuple(
        LegalPlay(
            tuple((int(start), int(end)) for start, end in path if start >= 0),
            Position(after),
            None if score == engine.NO_SCORE else int(score),
        )
        for after, path, score in zip(boards, steps, scores, strict=True)
    )


def hit_chance(ruleset: Ruleset, afterstate: Position) -> float | None:
    """Return the share of the opponent's 36 rolls that let him hit, or in Plakoto pin, a checker of the mover.

    Args:
      afterstate: the position after the mover's play, the mover first.

    Returns:
      0 to 1; None in games where nothing is ever hit.

    Raises:
      RulesetError: the game is over.
    """
    if not ruleset.has_bar and ruleset.family != "plakoto":
        return None
    rules = engine.compile_rules(ruleset)
    marks = slice(BAR, BAR + 1) if ruleset.has_bar else slice(PINNED + 1, None)
    before = afterstate.swap().board
    caught = before[1, marks].sum()
    rolls = 0
    for first, second, weight in ROLLS:
        boards, _, _ = engine.legal_plays(rules, before, first, second)
        if (boards[:, 1, marks].sum(axis=1) > caught).any():
            rolls += weight
    return rolls / 36


class Evaluator:
    """Values and decisions of one game, with one network. Calls from several threads wait for each other.

    Args:
      checkpoint: the network.
      ruleset: the game; None takes the checkpoint's own.
      match_set: the set whose games are played in turn, of which `ruleset` is one; None plays the game alone.
      search: how look-ahead is narrowed.
      shares: for match equity, ruleset name → probabilities of the scores to the side that starts a game; those of
        the checkpoint's card stand in for its own game.
      tables: whether bear-off tables are used; they are built the first time.
      levels: the file of the levels that are called by name; None has none.
      threads: of a search.
      cache_entries: searched positions to remember, some 100 bytes each.

    Raises:
      CheckpointError: the network is of another game.
      RulesetError: the set does not play the game, or a number out of range.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        ruleset: Ruleset | None = None,
        *,
        match_set: MatchSet | None = None,
        search: SearchSettings = DEFAULT_SEARCH,
        shares: Mapping[str, Sequence[float]] | None = None,
        tables: bool = True,
        levels: Levels | None = None,
        threads: int = 1,
        cache_entries: int = 1 << 16,
    ) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise RulesetError(f"threads {threads}: expected 1 to {MAX_THREADS}")
        if not 0 <= cache_entries <= _MAX_CACHE_ENTRIES:
            raise RulesetError(f"cache of {cache_entries} entries: expected 0 to {_MAX_CACHE_ENTRIES}")
        self._arguments = {
            "checkpoint": checkpoint,
            "ruleset": ruleset,
            "match_set": match_set,
            "search": search,
            "shares": shares,
            "tables": tables,
            "levels": levels,
            "threads": threads,
            "cache_entries": cache_entries,
        }
        self.checkpoint = checkpoint
        self.ruleset = ruleset or checkpoint.card.ruleset
        if match_set is not None and self.ruleset.name not in match_set.games:
            raise RulesetError(f"{match_set.name}: does not play {self.ruleset.name}")
        self._contest: Ruleset | MatchSet = match_set or self.ruleset
        self._shares = dict(shares or {})
        if checkpoint.card.score_shares is not None:
            self._shares.setdefault(self.ruleset.name, checkpoint.card.score_shares)
        self._equities: MatchEquity | None = None
        self.search = search
        self.threads = threads
        self.tables = load_tables(self.ruleset) if tables else None
        self.levels = levels
        # By checkpoint's folder.
        self._level_networks: dict[str, engine.Network] = {}
        self._rules = engine.compile_rules(self.ruleset)
        self._network = checkpoint.network_for(self.ruleset)
        self._searcher = engine.Searcher(
            self._rules,
            self._network,
            self.tables,
            cache_entries=cache_entries,
            threads=threads,
            **search.filters(),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Tables and networks are the engine's: a copy makes its own from the same arguments.
        return (_remade, (self._arguments,))

    # Stakes

    def match_equity(self, length: int) -> MatchEquity:
        """Return the match equity table of matches to `length` points or more.

        Raises:
          RulesetError: a length that no table goes to.
        """
        if self._equities is None or self._equities.length < length:
            self._equities = match_equity(self._contest, length, self._shares)
        return self._equities

    def utility(self, match: MatchState) -> Utility:
        """Return what each score of the game is worth to the side that sees the match so.

        Raises:
          RulesetError: the state is of another game of the set, or has a cube or a Crawford game in a house
            without; see `MatchEquity`.
        """
        equity = self.match_equity(match.length or 1)
        game = equity.ruleset_of(match)
        if game.name != self.ruleset.name:
            raise RulesetError(f"game {match.game} of the set: {game.name} is played, not {self.ruleset.name}")
        return equity.utility(match)

    # Values

    def evaluate(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side on roll, before the dice.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll.
          ply: look-ahead; with `time_ms` the deepest that is tried.
          time_ms: deepen until so many milliseconds are spent.

        Raises:
          RulesetError: the game is over, a ply out of range, or stakes that cannot be; see `utility`.
        """
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            position.swap().board, *_stakes(utility.opponent()), self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes[::-1], utility, reached)

    def evaluate_afterstate(
        self,
        afterstate: Position,
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> Evaluation:
        """Return what a position is worth to the side that has just moved, before the opponent's dice.

        Args:
          afterstate: the side that has just moved first.
          match: the stakes, seen by that side.
          ply: see `evaluate`.
          time_ms: see `evaluate`.

        Raises:
          RulesetError: see `evaluate`.
        """
        utility = self.utility(match)
        outcomes, reached = self._searcher.evaluate(
            afterstate.board, *_stakes(utility), self._checked_ply(ply, time_ms), time_ms
        )
        return self._evaluation(outcomes, utility, reached)

    def rank_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
        explain: bool = False,
    ) -> tuple[RankedPlay, ...]:
        """Return every legal play of a roll, the best first.

        Plays that were looked at more deeply come before the others. A play that ends the game is worth its
        score, and a race that the bear-off tables cover what they say.

        Args:
          position: the board before the play, the side on roll first.
          dice: the roll, in either order.
          match: the stakes, seen by the side on roll.
          ply: see `evaluate`.
          time_ms: see `evaluate`.
          explain: whether to count the opponent's hitting rolls after each play.

        Raises:
          RulesetError: a die is not 1 to 6; see `evaluate`.
        """
        utility = self.utility(match)
        plays = legal_plays(self.ruleset, position, dice)
        outcomes, values, plies, order = self._searcher.rank(
            _counted_board(self.ruleset, position),
            *dice,
            *_stakes(utility),
            self._checked_ply(ply, time_ms),
            time_ms,
        )
        best = float(values[order[0]])
        return tuple(
            RankedPlay(
                **vars(plays[i]),
                evaluation=self._evaluation(outcomes[i], utility, int(plies[i])),
                loss=max(0.0, best - float(values[i])),
                hit_chance=(
                    hit_chance(self.ruleset, plays[i].afterstate) if explain and plays[i].score is None else None
                ),
            )
            for i in order.tolist()
        )

    def roll_values(self, position: Position, match: MatchState = MatchState()) -> dict[tuple[int, int], float]:
        """Return what each roll's best play is worth at 0-ply, by roll, the larger die first.

        Their mean, a double counting once and any other roll twice, is what the position is worth before the dice;
        how far a roll is above it is that roll's luck.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll.

        Returns:
          21 values, in the unit of `Evaluation.value`.

        Raises:
          RulesetError: see `evaluate`.
        """
        utility = self.utility(match)
        board, stakes = _counted_board(self.ruleset, position), _stakes(utility)
        values = {}
        for first, second, _ in ROLLS:
            outcomes, _, _, order = self._searcher.rank(board, first, second, *stakes, 0, None)
            values[first, second] = self._evaluation(outcomes[order[0]], utility, 0).value
        return values

    # Plays

    def choose_play(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        ply: int = 0,
        time_ms: float | None = None,
    ) -> LegalPlay:
        """Return the best play; a forced one, or a pass, without looking at it.

        Raises:
          RulesetError: see `rank_plays`.
        """
        forced = self.forced_play(position, dice)
        return forced or self.rank_plays(position, dice, match, ply=ply, time_ms=time_ms)[0]

    def forced_play(self, position: Position, dice: tuple[int, int]) -> LegalPlay | None:
        """Return the only legal play, which a server makes by itself; None where there is a choice.

        Raises:
          RulesetError: see `legal_plays`.
        """
        plays = legal_plays(self.ruleset, position, dice)
        return plays[0] if len(plays) == 1 else None

    def level_play(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        level: Level | LevelName,
        seed: int = 0,
        game: int = 0,
    ) -> LegalPlay:
        """Return the play of a bot of some level.

        Its opinion of each position is off by a normal error, which belongs to the position in that game of that
        seed. It never makes a play that is worse than the best by more than the level's cap, in its network's view.
        Some positions every level plays as well as its network can: those in which a play that ends the game is best,
        races that the bear-off tables cover, and, in the opposed, hitting games, races in which a side has all its
        checkers home. So a won bear-off is finished, and a mars that racing saves is saved. In Gul Bara, where a roll
        may be several stages, every level plays each stage as well as it can.

        Args:
          level: one of this evaluator's network, or the name of a measured one, which plays with its own.
          seed: of the errors, 0 to 2**64 − 1; as in tournaments, with `game`.
          game: number of the game.

        Raises:
          RulesetError: see `rank_plays`.
          TavlaError: a level by name without a file of levels, or the game has none there, or its network was replaced
            since it was measured; see `Levels`.
          CheckpointError: the named level's checkpoint cannot be used; see `load_checkpoint`.
        """
        if not 0 <= seed <= MAX_SEED:
            raise RulesetError(f"seed {seed}: expected 0 to {MAX_SEED}")
        network = self._network
        if isinstance(level, str):
            level, network = self._named_level(level, match)
        if self.ruleset.family == "gul-bara":
            return self.rank_plays(position, dice, match)[0]
        plays = legal_plays(self.ruleset, position, dice)
        player = engine.Player.network(
            network, self.tables, ply=level.ply, noise=level.noise, cap=level.cap, **self.search.filters()
        )
        afterstates, _ = engine.choose_plays(
            self._rules,
            player,
            position.board[None].copy(),
            np.array([dice], np.int8),
            *_stakes(self.utility(match)),
            seed=seed,
            games=np.array([game], np.uint64),
            rounds=np.zeros(1, np.uint32),
            plies=np.zeros(1, np.uint32),
        )
        chosen = Position(afterstates[0])
        return next(play for play in plays if play.afterstate == chosen)

    def timeout_play(
        self, position: Position, dice: tuple[int, int], match: MatchState = MatchState(), *, seed: int = 0
    ) -> LegalPlay:
        """Return the play that a server makes for a player whose time is up: that of the Easy level.

        It is the measured one where the evaluator's file of levels has the game, and the network that was measured is
        still there; else this network's with an error that nobody has measured, since a play there must be.

        Raises:
          RulesetError: see `rank_plays`.
          TavlaError: the file of levels cannot be read; see `Levels`.
          CheckpointError: see `level_play`.
        """
        ladder = None if self.levels is None else self.levels.find(self.ruleset, match.length)
        is_measured = (
            ladder is not None and self.levels is not None and self.levels.is_as_measured(ladder.levels["easy"])
        )
        return self.level_play(position, dice, match, level="easy" if is_measured else EASY, seed=seed)

    def _named_level(self, name: LevelName, match: MatchState) -> tuple[Level, engine.Network]:
        """Return how a level of the game's ladder plays, and its network."""
        if self.levels is None:
            raise TavlaError(
                f"level {name!r}: the evaluator has no file of levels; give it one, or name it with --levels"
            )
        ladder = self.levels.ladder(self.ruleset, match.length)
        rated = ladder.levels[level_name(name)]
        if rated.weights_sha256 not in self._level_networks:
            checkpoint = self.levels.checkpoint(name, rated, self.ruleset)
            self._level_networks[rated.weights_sha256] = checkpoint.network_for(self.ruleset)
        return ladder.level(name), self._level_networks[rated.weights_sha256]

    # Concessions

    def should_concede(
        self,
        position: Position,
        match: MatchState = MatchState(),
        *,
        kind: Literal["game", "match"] = "game",
        dice: tuple[int, int] | None = None,
        ply: int | None = None,
        margin: float = 0.0,
    ) -> bool:
        """Return whether the side on roll does as well to concede as to play on.

        Args:
          position: the side on roll, which would concede, first.
          match: the stakes, seen by that side.
          kind: the game, for what the house takes for it, or the whole match.
          dice: its roll, if it has been thrown: a checker that it still bears off may save the mars.
          ply: look-ahead; None looks far enough to see what the next rolls decide.
          margin: how much worse conceding may be, in units of the stakes; at 0 a side concedes only what is lost.

        Raises:
          RulesetError: the house has no concessions, or no match can be conceded in single games; see `evaluate`.
        """
        conceded = -concession_value(self.ruleset, position.board)
        ply = self._concession_ply(ply)
        playing_on = (
            self.evaluate(position, match, ply=ply).value
            if dice is None
            else self.rank_plays(position, dice, match, ply=ply)[0].evaluation.value
        )
        return self._worth(match, conceded if kind == "game" else "match lost") >= playing_on - margin - _TOLERANCE

    def accept_concession(
        self,
        position: Position,
        value: int | Literal["match"],
        match: MatchState = MatchState(),
        *,
        is_on_roll: bool = False,
        ply: int | None = None,
    ) -> bool:
        """Return whether the opponent's concession is worth at least what playing on is.

        Args:
          position: the board, the side that is asked first.
          value: points that the opponent concedes, before a cube multiplies them, or the whole match.
          match: the stakes, seen by the side that is asked.
          is_on_roll: whether the side that is asked is on roll; else the opponent is.
          ply: see `should_concede`.

        Raises:
          RulesetError: points that no win of the game scores, or see `evaluate`.
        """
        if value != "match" and (value <= 0 or value not in self.ruleset.scores):
            wins = ", ".join(str(score) for score in reversed(self.ruleset.scores) if score > 0)
            raise RulesetError(f"concession of {value} points: expected {wins}, or the match")
        evaluate: Callable[..., Evaluation] = self.evaluate if is_on_roll else self.evaluate_afterstate
        playing_on = evaluate(position, match, ply=self._concession_ply(ply)).value
        return self._worth(match, "match won" if value == "match" else value) >= playing_on - _TOLERANCE

    def _concession_ply(self, ply: int | None) -> int:
        if ply is not None:
            return ply
        return 0 if self.ruleset.family == "gul-bara" else _CONCESSION_PLY

    def _worth(self, match: MatchState, end: int | Literal["match won", "match lost"]) -> float:
        """Return what an end of the game, or of the match, is worth."""
        if isinstance(end, int):
            return self.utility(match).values[self.ruleset.scores.index(end)]
        if match.length is None:
            raise RulesetError("conceding the match: expected a match; this is a single game")
        return 1.0 if end == "match won" else 0.0

    # The cube

    def cube_decision(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> CubeDecision:
        """Return what doubling now would be worth to the side on roll, before the dice.

        Each roll is played, and what the cube is then worth to the opponent is Janowski's estimate; with no more
        than a few checkers left in the bear-off, every roll and cube action is looked at instead, which is exact.

        Args:
          position: the side on roll first.
          match: the stakes, seen by the side on roll; its cube says who may double.
          ply: look-ahead of the plays, beyond the roll.

        Raises:
          RulesetError: the house has no cube, or see `evaluate`.
        """
        if not self.ruleset.cube:
            raise RulesetError(f"cube: {self.ruleset.name} has none")
        equity = self.match_equity(match.length or 1)
        static = cube_decision(self.evaluate(position, match, ply=ply).outcomes, match, equity)
        taken = turned(match) if static.can_double else match
        if ends_soon(position.board):
            ending = CubeEnding(self._rules, equity)
            no_double, doubled = (ending.rolled(position.board, stakes) for stakes in (match, taken))
        else:
            no_double, doubled = (self._after_rolls(position, stakes, equity, ply) for stakes in (match, taken))
        # Money values are in units of the cube that the doubler had.
        double_take = static.double_take if not static.can_double else doubled * (2 if match.length is None else 1)
        return static.with_values(no_double, double_take, match)

    def _after_rolls(self, position: Position, stakes: MatchState, equity: MatchEquity, ply: int) -> float:
        """Return what rolling is worth to the side on roll, the opponent then being free to use his cube.

        In single games the value is in units of the cube.
        """
        utility = _stakes(self.utility(stakes))
        unit = 1 if stakes.length is not None else stakes.cube.value
        theirs = stakes.swap()
        total = 0.0
        for first, second, weight in ROLLS:
            outcomes, _, _, order = self._searcher.rank(
                position.board, first, second, *utility, self._checked_ply(ply, None), None
            )
            best = outcomes[order[0]].astype(np.float64)
            if best.max() == 1.0 and self._ends_game(position, first, second, int(order[0])):
                score = self.ruleset.scores[int(best.argmax())]
                value = equity.value_after(stakes, score * stakes.cube.value) / unit
            else:
                found = cube_decision((best[::-1] / best.sum()).tolist(), theirs, equity).value
                value = 1 - found if stakes.length is not None else -found
            total += weight * value
        return total / 36

    def _ends_game(self, position: Position, first: int, second: int, play: int) -> bool:
        return bool(engine.legal_plays(self._rules, position.board, first, second)[2][play] != engine.NO_SCORE)

    def should_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side on roll should double before it rolls; False where it may not.

        Raises:
          RulesetError: see `cube_decision`.
        """
        return self.cube_decision(position, match, ply=ply).should_double

    def respond_to_double(self, position: Position, match: MatchState = MatchState(), *, ply: int = 0) -> bool:
        """Return whether the side that has been doubled should take.

        Args:
          position: the side that doubled, which is on roll, first.
          match: the stakes before the double, seen by the side that doubled.
          ply: look-ahead.

        Raises:
          RulesetError: the side on roll may not double, or see `cube_decision`.
        """
        self.check_double(match)
        return self.cube_decision(position, match, ply=ply).should_take

    def check_double(self, match: MatchState) -> None:
        """Raise `RulesetError` unless the rules let the side on roll double; the stakes are seen by that side."""
        if not self.ruleset.cube:
            raise RulesetError(f"cube: {self.ruleset.name} has none")
        if not may_double(match, self.match_equity(match.length or 1)):
            why = "in the Crawford game" if match.is_crawford else f"a cube of {match.cube.value}, {match.cube.owner}"
            raise RulesetError(f"double: the side on roll may not double {why}")

    # Rollouts take the engine's own terms.

    def trials(
        self,
        afterstate: Position,
        utility: Utility,
        *,
        ply: int,
        truncate: int,
        adjusts_luck: bool,
        seed: int,
        first_trial: int,
        num_trials: int,
    ) -> npt.NDArray[np.float64]:
        """Return what trials of a rollout came to for the side that has just moved; see `rollout`.

        Returns:
          `[num_trials, K]` float64; the mean of the rows is a distribution over the scores.

        Raises:
          RulesetError: the game is over, or is not rolled out.
        """
        found: npt.NDArray[np.float64] = self._searcher.roll_out(
            afterstate.board, *_stakes(utility), ply, truncate, adjusts_luck, seed, first_trial, num_trials
        )
        return found

    def _checked_ply(self, ply: int, time_ms: float | None) -> int:
        if not 0 <= ply <= MAX_PLY:
            raise RulesetError(f"ply {ply}: expected 0 to {MAX_PLY}")
        if time_ms is not None and not time_ms > 0:
            raise RulesetError(f"time {time_ms} ms: expected more than 0")
        if time_ms is not None and ply == 0 and self.ruleset.family != "gul-bara":
            return MAX_PLY
        return ply

    def _evaluation(self, outcomes: npt.NDArray[np.float32], utility: Utility, ply: int) -> Evaluation:
        shares = tuple(outcomes.astype(np.float64).tolist())
        value = sum(worth * share for worth, share in zip(utility.values, shares, strict=True))
        return Evaluation(shares, self.ruleset.scores, value, ply)


def _remade(arguments: dict[str, Any]) -> Evaluator:
    return Evaluator(**arguments)


def _stakes(utility: Utility) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    return np.array([utility.values], np.float32), np.array([utility.inputs], np.float32)


def _counted_board(ruleset: Ruleset, position: Position) -> npt.NDArray[np.int8]:
    """Return the board on which a roll is played: in Gul Bara the roll is counted first."""
    board = position.board.copy()
    if ruleset.family == "gul-bara":
        board[0, OWN_ROLLS] = min(MAX_OWN_ROLLS, board[0, OWN_ROLLS] + 1)
    return board
