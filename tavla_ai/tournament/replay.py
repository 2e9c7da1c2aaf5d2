"""Replays of a tournament's contests, move for move, from the seed and the players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Bot, Levels, load_bot
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.files import write_whole
from tavla_ai.formats import Game, Match, Turn, write_mat, write_match_json
from tavla_ai.rules import MatchSet, Play, Position, Ruleset, compile_rules, format_play, games_of, play_index, steps_of
from tavla_ai.tournament.arena import Arena
from tavla_ai.tournament.folder import BotIdentity, ContestLine, read_lines, read_settings
from tavla_ai.tournament.lockstep import WatchedDouble, WatchedTurn, play_pairs

# Formats of match files, which are also the endings of their names and the folders they lie in.
MatchFormat = Literal["mat", "json"]
_PAIRS_AT_ONCE = 64

Watched = WatchedTurn | WatchedDouble


@dataclass(frozen=True)
class Replayed:
    """A contest, turn by turn.

    Attributes:
      game: the game, or the set of games.
      players: names of A and B.
      length: points that win the match; None for a single game.
      actions: all turns, doubles and answers of all its games, in order.
    """

    game: Ruleset | MatchSet
    players: tuple[str, str]
    length: int | None
    actions: tuple[Watched, ...]

    @property
    def turns(self) -> tuple[WatchedTurn, ...]:
        """All turns of all its games, in order."""
        return tuple(action for action in self.actions if isinstance(action, WatchedTurn))

    def games(self) -> list[list[Watched]]:
        """Return the actions, game by game."""
        return [list(actions) for _, actions in groupby(self.actions, key=lambda action: action.round)]

    def play_of(self, turn: WatchedTurn) -> Play | None:
        """Return the steps of a turn; None if the player made no legal play."""
        if not isinstance(turn.after, np.ndarray):
            return None
        return play_between(games_of(self.game)[turn.leg], turn.board, turn.dice, turn.after)

    def match(self) -> Match:
        """Return the contest as a match for match files, A as player 0."""
        games = []
        for number, actions in enumerate(self.games(), start=1):
            last = actions[-1]
            length = self.length or 0
            score = (0, 0) if self.length is None else (length - last.away[0], length - last.away[1])
            winner, points = _result(last)
            turns = tuple(self._turn(action) for action in actions)
            games.append(Game(number=number, score=score, turns=turns, winner=winner, points=points))
        # Names in match files have no colon.
        a, b = (name.replace(":", " ") for name in self.players)
        return Match(self.length, (a, b), tuple(games), (("Variation", self.game.title),), game=self.game)

    def _turn(self, action: Watched) -> Turn:
        """Return an action as match files have it."""
        if isinstance(action, WatchedDouble):
            return Turn(action.side, action.action, cube=action.cube if action.action == "double" else None)
        return Turn(action.side, dice=action.dice, play=self.play_of(action))

    def match_file(self, kind: MatchFormat) -> str:
        """Return the contest as a match file.

        Raises:
          RulesetError: `.mat` files cannot hold this game.
        """
        if kind == "json":
            return write_match_json(self.match())
        check_has_mat(self.game)
        return write_mat(self.match())

    def text(self) -> str:
        """Return the contest as text, one turn per line."""
        lines = []
        for number, actions in enumerate(self.games(), start=1):
            ruleset = games_of(self.game)[actions[0].leg]
            kind = f" ({ruleset.name})" if isinstance(self.game, MatchSet) else ""
            lines.append(f"Game {number}{kind}: " + ", ".join(self.players))
            lines += [
                f"{action.ply + 1:4} {self.players[action.side]}  {self._text_of(action, ruleset)}"
                for action in actions
            ]
            winner, points = _result(actions[-1])
            if points is None:
                lines.append("     void")
            else:
                lines.append(f"     {self.players[actions[-1].side if winner is None else winner]} scores {points}")
        return "\n".join(lines)

    def _text_of(self, action: Watched, ruleset: Ruleset) -> str:
        if isinstance(action, WatchedDouble):
            return {"double": f"doubles to {action.cube}", "take": "takes", "drop": "passes"}[action.action]
        steps = self.play_of(action)
        position = Position.from_board(action.board, ruleset)
        what = str(action.after) if steps is None else format_play(position, steps, ruleset)
        return f"{action.dice[0]}{action.dice[1]}: {what}"


def _result(last: Watched) -> tuple[int | None, int | None]:
    """Return the winner, None if nobody won, and the points, None without a result, of a game's last action."""
    if isinstance(last, WatchedDouble):
        return (last.side ^ 1, last.cube // 2) if last.action == "drop" else (None, None)
    if last.score is None:
        return None, None
    return last.side if last.score else None, last.score * last.cube


def check_has_mat(game: Ruleset | MatchSet) -> None:
    """Check that `.mat` files can hold the game, or all games of the set.

    Raises:
      RulesetError: they cannot.
    """
    if not all(ruleset.moves_as_backgammon for ruleset in games_of(game)):
        raise RulesetError(f"{game.name}: .mat files can hold tavla and backgammon only, JSON match files any game")


def play_between(
    ruleset: Ruleset, board: npt.NDArray[np.int8], dice: tuple[int, int], after: npt.NDArray[np.int8]
) -> Play:
    """Return steps from a board `[2, places]` to one of its afterstates."""
    afterstates, steps, _ = engine.legal_plays(compile_rules(ruleset), board, *dice)
    index = play_index(afterstates, after)
    assert index is not None
    return steps_of(steps[index])


def replay_pairs(arena: Arena, a: int, b: int, first_pair: int, num_pairs: int) -> list[Replayed]:
    """Play pairs of bot number `a` against number `b` again.

    Returns:
      Their contests: A in seat 0, then in seat 1, pair by pair.

    Raises:
      RulesetError: Gul Bara is among the games; its turns are more than one play.
    """
    actions: dict[tuple[int, int], list[Watched]] = {}
    play_pairs(
        [replace(leg, luck_player=None) for leg in arena.legs(a, b)],
        seed=arena.seed,
        first_pair=first_pair,
        num_pairs=num_pairs,
        length=arena.match_length or 0,
        watch=lambda action: actions.setdefault((action.pair, action.a_seat), []).append(action),
    )
    players = arena.bots[a].name, arena.bots[b].name
    return [Replayed(arena.game, players, arena.match_length, tuple(actions[key])) for key in sorted(actions)]


class TournamentReplay:
    """Replays contests from the folder of a finished or interrupted tournament.

    Args:
      path: the folder.
      bots: the bots that played, in the order of the settings.

    Raises:
      TavlaError: the folder holds no tournament, or a bot has changed since.
    """

    def __init__(self, path: Path, bots: Sequence[Bot]) -> None:
        self.path = path
        settings = read_settings(path)
        for bot, identity in zip(bots, settings.bots, strict=True):
            _check_identity(path, bot, identity)
        self.pairings = settings.pairings
        self.lines: Sequence[ContestLine] = read_lines(path)
        self._arena = Arena(settings.ruleset, bots, settings.seed, settings.match_length, cube=settings.cube)

    @staticmethod
    def from_folder(path: str | Path, levels: Levels | str | Path | None = None) -> TournamentReplay:
        """Load the bots by their names in the folder.

        Args:
          path: the folder.
          levels: the file of levels; None takes the shipped levels.

        Raises:
          TavlaError: same as `TournamentReplay` and `load_bot`.
        """
        path = Path(path)
        settings = read_settings(path)
        bots = [load_bot(identity.name, settings.ruleset, levels, settings.match_length) for identity in settings.bots]
        return TournamentReplay(path, bots)

    def contest(self, number: int) -> Replayed:
        """Replay contest number `number` of `results.jsonl`, counted from 1.

        Raises:
          TavlaError: there is no such contest, or the replay differs from the record, which means that another
            version recorded it.
        """
        if not 1 <= number <= len(self.lines):
            raise TavlaError(f"game {number} of {self.path}: expected 1 to {len(self.lines)}")
        line = self.lines[number - 1]
        contest = self.pairs(line.pairing, line.pair, 1)[line.a_seat]
        if len(contest.turns) != line.plies:
            raise TavlaError(
                f"{self.path}: game {number} took {line.plies} turns and takes {len(contest.turns)} now; "
                "another version of tavla recorded it"
            )
        return contest

    def pairs(self, pairing: int, first_pair: int, num_pairs: int) -> list[Replayed]:
        """Replay some pairs of a pairing."""
        return replay_pairs(self._arena, *self.pairings[pairing], first_pair, num_pairs)

    def write_matches(self, kind: MatchFormat) -> int:
        """Write a match file for each contest that has none, and return their number.

        Raises:
          RulesetError: `.mat` files cannot hold this game.
        """
        folder = self.path / kind
        folder.mkdir(exist_ok=True)
        wanted: dict[int, set[int]] = {}
        for line in self.lines:
            if not (folder / _match_name(line.pairing, line.pair, line.a_seat, kind)).exists():
                wanted.setdefault(line.pairing, set()).add(line.pair)
        written = 0
        for pairing, pairs in wanted.items():
            for first in range(min(pairs), max(pairs) + 1, _PAIRS_AT_ONCE):
                number = min(_PAIRS_AT_ONCE, max(pairs) + 1 - first)
                for index, contest in enumerate(self.pairs(pairing, first, number)):
                    file = folder / _match_name(pairing, first + index // 2, index % 2, kind)
                    write_whole(file, contest.match_file(kind).encode())
                    written += 1
        return written


def _check_identity(path: Path, bot: Bot, identity: BotIdentity) -> None:
    now = BotIdentity.of_bot(bot)
    if now.weights_sha256 != identity.weights_sha256:
        raise TavlaError(f"{path}: {identity.name} has other weights than it played with; restore its checkpoint")
    if (now.level, now.levels) != (identity.level, identity.levels):
        raise TavlaError(f"{path}: {identity.name} was calibrated again since it played; name the old file of levels")


def _match_name(pairing: int, pair: int, a_seat: int, kind: MatchFormat) -> str:
    return f"{pairing:03}-{pair:06}-{a_seat}.{kind}"
