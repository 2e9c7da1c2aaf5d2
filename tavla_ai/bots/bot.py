"""Bots: players with names that can be asked for a play, or for the plays of many turns at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots.peers.abilities import CubeAnswer
from tavla_ai.bots.peers.player import Fault, OutsidePlayer, PeerPlayer
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import DEFAULT_SEARCH, SearchSettings, load_tables
from tavla_ai.match import MatchEquity, MatchState, Utilities, match_equity, utilities
from tavla_ai.network import Checkpoint
from tavla_ai.rules import (
    LegalPlay,
    MatchSet,
    Position,
    Ruleset,
    check_match_length,
    check_roll,
    checked_whole,
    compile_rules,
    counted_board,
    forced_play,
    legal_plays,
    play_index,
    play_leading_to,
    score_of_play,
)

BASELINES = ("random", "baseline", "pubeval")

# How a bot takes a match: `match` plays for it; `points` plays each game for its points; `untold` weighs the
# scores by the match, but tells the network that it plays a single game.
Awareness = Literal["match", "points", "untold"]


@dataclass(frozen=True)
class PlayStyle:
    """Style of a bot that plays with a network.

    Attributes:
      ply: look-ahead of its plays.
      noise: standard deviation of the error in its judgement of each position, in points.
      cap: the most that a play may lose by that error, in points.
      awareness: how it takes a match.
    """

    ply: int = 0
    noise: float = 0.0
    cap: float = 0.0
    awareness: Awareness = "match"


class ChosenPlay(NamedTuple):
    """A play that a bot makes, seen by its mover.

    Attributes:
      afterstate: int8 `[2, num_places]`, the mover first.
      score: the mover's points if the play ends the game; None if it goes on.
    """

    afterstate: npt.NDArray[np.int8]
    score: int | None


@dataclass(frozen=True)
class Bot:
    """A player with a name.

    Attributes:
      name: what results call it: a baseline, a level, an outside engine with its ply, or the checkpoint's folder as it
        was given.
      ruleset: the game it plays; of a bot for a set of games, the first one.
      player: the engine's player, or an outside engine.
      checkpoint: the network behind it; None for a baseline or an outside engine.
      style: how it plays with that network.
      match_set: the set whose games are played in turn; None where `ruleset` is played alone.
      parts: the bot that plays each game of the set, in its order; none for a bot of one game. The other attributes
        are then those of the first part.
    """

    name: str
    ruleset: Ruleset
    player: engine.Player | OutsidePlayer
    checkpoint: Checkpoint | None = None
    style: PlayStyle = PlayStyle()
    match_set: MatchSet | None = None
    parts: tuple[Bot, ...] = ()

    @property
    def by_game(self) -> tuple[Bot, ...]:
        """The bot that plays each game of the set, in its order; this bot alone where it plays one game."""
        return self.parts or (self,)

    @property
    def native_players(self) -> tuple[engine.Player, ...] | None:
        """The engine's player of each game, in the set's order; None if an outside engine plays one of them."""
        players = [part.player for part in self.by_game]
        native = tuple(player for player in players if isinstance(player, engine.Player))
        return native if len(native) == len(players) else None

    @property
    def is_native(self) -> bool:
        """Whether the engine plays every game itself, so that no outside engine is asked."""
        return self.native_players is not None

    @property
    def peer(self) -> PeerPlayer | None:
        """The outside engine that plays, which also values positions; None for any other bot."""
        return self.player if isinstance(self.player, PeerPlayer) else None

    @property
    def can_double(self) -> bool:
        """Whether the bot decides about the cube in every game: bots with a network do, and some outside engines."""
        return all(
            part.checkpoint is not None if isinstance(part.player, engine.Player) else part.player.can_double
            for part in self.by_game
        )

    def part(self, game: int) -> Bot:
        """Return the bot that plays game number `game` of a match, counted from 0."""
        return self.by_game[game % len(self.by_game)]

    def choose_play(
        self,
        position: Position,
        dice: tuple[int, int],
        match: MatchState = MatchState(),
        *,
        seed: int = 0,
        game: int = 0,
    ) -> LegalPlay:
        """Return the play that the bot makes of a roll; of a roll in several stages (Gul Bara) the first stage.

        A bot with noise errs by a normal error that belongs to the position in that game of that seed, so the same
        question has the same answer. It never makes a play that its network takes for worse than the best by more than
        the cap, and makes no error where a play that ends the game is best, in races that the bear-off tables cover,
        and, in the opposed hitting games, in races in which a side has all its checkers home. The stages of Gul Bara
        are played without error.

        Args:
          position: the board before the play, the side on roll first.
          dice: the roll, in either order.
          match: the stakes, seen by the side on roll.
          seed: seed of the errors, or of the plays of a random bot; 0 to 2**64 − 1, as in tournaments.
          game: number of the game or of the pair, which the errors depend on as well; 0 to 2**64 − 1.

        Raises:
          RulesetError: the game is over, a die is not 1 to 6, the house does not offer matches of this length, the
            stakes are impossible (`MatchEquity.utility`), the match is at a game of the set that another bot plays, or
            a bot without a network is asked for a stage.
          TavlaError: an outside engine failed; the message says how.
        """
        for what, number in (("seed", seed), ("game", game)):
            if not 0 <= checked_whole(number, what) <= MAX_SEED:
                raise RulesetError(f"{what} {number}: expected 0 to {MAX_SEED}")
        if match.length is not None:
            check_match_length(self.match_set or self.ruleset, match.length)
        equity = self._match_equity(match.length or 1)
        played = equity.ruleset_of(match)
        part = self.part(match.game)
        if played.name != part.ruleset.name:
            raise RulesetError(f"game {match.game} of the set: {played.name} is played, not {part.ruleset.name}")
        check_roll(dice)
        stakes = equity.utility(match).arrays
        if isinstance(part.player, engine.Player) and not played.has_stages:
            return LegalPlay.of(part._chooser.choose(position.board, *dice, *stakes, seed=seed, game=game))
        forced = forced_play(played, position, dice)
        if forced is not None:
            return forced
        if played.has_stages:
            return part._best_stage(position, dice, stakes)
        boards, rolls = position.board[None], np.array([dice], np.int8)
        (chosen,) = part.choose_plays(boards, rolls, stakes, seed=seed, games=np.array([game], np.uint64))
        if isinstance(chosen, Fault):
            raise TavlaError(f"{self.name}: {chosen.reason}")
        return play_leading_to(legal_plays(played, position, dice), chosen.afterstate)

    def choose_plays(
        self,
        boards: npt.NDArray[np.int8],
        dice: npt.NDArray[np.int8],
        stakes: Utilities | None = None,
        *,
        seed: int = 0,
        games: npt.NDArray[np.uint64] | None = None,
        rounds: npt.NDArray[np.uint32] | None = None,
        plies: npt.NDArray[np.uint32] | None = None,
        threads: int = 1,
    ) -> list[ChosenPlay | Fault]:
        """Return the play that the bot makes of each of N turns, in a game without stages.

        Args:
          boards: int8 `[N, 2, num_places]` before the plays, the side on roll first.
          dice: int8 `[N, 2]`, their rolls.
          stakes: what is played for, float32 `[1 or N, K]`, and what networks are told of it, float32
            `[same, K − 2]`; None plays single games for points. An outside engine plays for points in any case.
          seed: seed of errors and random plays; with `games`, `rounds` and `plies` it says where in a tournament the
            turns are. None counts each of these as 0.
          games: uint64 `[N]`, numbers of the games, or of their pairs.
          rounds: uint32 `[N]`, numbers of the games within their matches.
          plies: uint32 `[N]`, numbers of the turns within their games.
          threads: number of threads of the engine's players; the plays do not depend on it.

        Returns:
          N plays; where an outside engine failed or answered an illegal play, the fault.

        Raises:
          RulesetError: a game is over, or a die is not 1 to 6.
        """
        number = len(boards)
        if number == 0:
            return []
        if not isinstance(self.player, engine.Player):
            answers = self.player.choose_plays(boards, dice)
            return [
                answer if isinstance(answer, Fault) else self._checked(board, roll, answer)
                for board, roll, answer in zip(boards, dice.tolist(), answers, strict=True)
            ]
        values, inputs = utilities(self.ruleset, None) if stakes is None else stakes
        afterstates, scores = engine.choose_plays(
            self._rules,
            self.player,
            boards,
            dice,
            values,
            inputs,
            seed=seed,
            games=np.zeros(number, np.uint64) if games is None else games,
            rounds=np.zeros(number, np.uint32) if rounds is None else rounds,
            plies=np.zeros(number, np.uint32) if plies is None else plies,
            threads=min(threads, number),
        )
        return [
            ChosenPlay(after, score_of_play(score)) for after, score in zip(afterstates, scores.tolist(), strict=True)
        ]

    def cube_answers(
        self, boards: npt.NDArray[np.int8], states: Sequence[MatchState], equity: MatchEquity, *, threads: int = 1
    ) -> list[CubeAnswer | Fault]:
        """Return what the bot thinks of doubling each of N positions before the roll; `can_double` must be true.

        A level decides about the cube without its error. An outside engine uses a match equity table of its own.

        Args:
          boards: int8 `[N, 2, num_places]`, the side on roll first.
          states: the stakes, seen by that side, with the cube as it is before the double.
          equity: the match equity table; in single games any table of the game.
          threads: number of threads of the engine's players; the answers do not depend on it.

        Returns:
          N answers; where an outside engine failed, the fault.
        """
        if not isinstance(self.player, engine.Player):
            return list(self.player.cube_answers(boards, states))
        stakes = [equity.cube_stakes(state) for state in states]
        _, flags = engine.cube_decisions(self._rules, self.player, boards, stakes, threads)
        return [CubeAnswer(bool(double), bool(take)) for _, double, take, _ in flags.tolist()]

    def _checked(self, board: npt.NDArray[np.int8], dice: list[int], after: npt.NDArray[np.int8]) -> ChosenPlay | Fault:
        """Return an outside engine's play with its score; a fault if it is not legal."""
        afterstates, _, scores = engine.legal_plays(self._rules, board, *dice)
        index = play_index(afterstates, after)
        return (
            Fault(f"{self.name}: an illegal play") if index is None else ChosenPlay(after, score_of_play(scores[index]))
        )

    def _best_stage(self, position: Position, dice: tuple[int, int], stakes: Utilities) -> LegalPlay:
        """Return the best play of a roll's first stage at 0-ply."""
        if self.checkpoint is None:
            raise RulesetError(f"{self.name}: plays whole turns of {self.ruleset.name}; only a network plays one stage")
        play, _, _ = self._searcher.best(counted_board(self.ruleset, position), *dice, *stakes, 0)
        return LegalPlay.of(play)

    def _match_equity(self, length: int) -> MatchEquity:
        if length not in self._equities:
            shares = {
                part.ruleset.name: part.checkpoint.card.score_shares
                for part in self.by_game
                if part.checkpoint is not None and part.checkpoint.card.score_shares is not None
            }
            self._equities[length] = match_equity(self.match_set or self.ruleset, length, shares)
        return self._equities[length]

    @cached_property
    def _equities(self) -> dict[int, MatchEquity]:
        return {}

    @cached_property
    def _rules(self) -> engine.Rules:
        return compile_rules(self.ruleset)

    @cached_property
    def _chooser(self) -> engine.Chooser:
        assert isinstance(self.player, engine.Player)
        return engine.Chooser(self._rules, self.player)

    @cached_property
    def _searcher(self) -> engine.Searcher:
        assert self.checkpoint is not None
        network = self.checkpoint.network_for(self.ruleset)
        return engine.Searcher(self._rules, network, load_tables(self.ruleset), **DEFAULT_SEARCH.filters())


def network_player(
    ruleset: Ruleset,
    network: engine.Network,
    style: PlayStyle = PlayStyle(),
    *,
    search: SearchSettings = DEFAULT_SEARCH,
) -> engine.Player:
    """Return a network as the engine plays it, with the game's bear-off tables.

    Args:
      style: how it plays.
      search: how look-ahead is narrowed.
    """
    values, inputs = utilities(ruleset, None)
    return engine.Player.network(
        network,
        load_tables(ruleset),
        ply=style.ply,
        values=values[0] if style.awareness == "points" else None,
        inputs=None if style.awareness == "match" else inputs[0],
        noise=style.noise,
        cap=style.cap,
        **search.filters(),
    )


def checkpoint_bot(name: str, ruleset: Ruleset, checkpoint: Checkpoint, style: PlayStyle = PlayStyle()) -> Bot:
    """Return a bot that plays with a checkpoint's network.

    Raises:
      RulesetError: look-ahead or noise in a game whose turns have several stages.
    """
    if style != PlayStyle(awareness=style.awareness):
        ruleset.check_has_no_stages(f"{name}: look-ahead or noise")
    player = network_player(ruleset, checkpoint.network_for(ruleset), style)
    return Bot(name, ruleset, player, checkpoint, style)


def random_bot(ruleset: Ruleset) -> Bot:
    """Return the bot that makes every legal play with the same chance."""
    return Bot("random", ruleset, engine.Player.random())


def baseline_bot(ruleset: Ruleset) -> Bot:
    """Return the hand-made bot of every game, an opponent where pubeval does not play.

    It weighs the race, blocked numbers and primes, blots and the shots at them, and pins, and looks no roll ahead.
    """
    return Bot("baseline", ruleset, engine.Player.baseline())


def pubeval_bot(ruleset: Ruleset) -> Bot:
    """Return Tesauro's pubeval, a linear benchmark player made for backgammon.

    Raises:
      RulesetError: the game's boards are not those of backgammon.
    """
    if not plays_pubeval(ruleset):
        raise RulesetError(f"pubeval: plays only the opposed, hitting games, not {ruleset.name}")
    return Bot("pubeval", ruleset, engine.Player.pubeval(pubeval_weights("contact"), pubeval_weights("race")))


def baselines_of(ruleset: Ruleset) -> tuple[str, str]:
    """Return the names of the two baselines that a game is measured against: random play, and the better known one."""
    return "random", "pubeval" if plays_pubeval(ruleset) else "baseline"


def plays_pubeval(ruleset: Ruleset) -> bool:
    """Return whether pubeval, made for backgammon, plays a game."""
    return ruleset.moves_as_backgammon


def pubeval_weights(kind: Literal["contact", "race"]) -> npt.NDArray[np.float32]:
    """Return Tesauro's published weights, `[122]` float32."""
    text = (files("tavla_ai.bots") / "pubeval" / f"{kind}.txt").read_text(encoding="ascii")
    return np.array(text.split(), dtype=np.float32)


def join_bots(name: str, match_set: MatchSet, parts: Sequence[Bot]) -> Bot:
    """Return one bot for a set of games that plays each of them as its part does; `parts` are in the set's order."""
    return replace(parts[0], name=name, match_set=match_set, parts=tuple(parts))
