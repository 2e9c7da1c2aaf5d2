"""Decisions on which two bots disagree, and the cost of the disagreement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Fault
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import DEFAULT_SEARCH, load_tables
from tavla_ai.match import utilities
from tavla_ai.network import Checkpoint
from tavla_ai.rules import Ruleset, compile_rules, play_index
from tavla_ai.tournament import Arena, WatchedTurn, replay_pairs


@dataclass(frozen=True)
class Difference:
    """A decision of a contest that the other bot would have made differently.

    Attributes:
      turn: the turn that was played.
      players: names of the bot that played and of the other bot.
      other: `[2, places]`, the board after the other bot's play.
      lead: value of the play that was made minus that of the other bot's play, by the critic, in points or in
        match-winning chance.
    """

    turn: WatchedTurn
    players: tuple[str, str]
    other: npt.NDArray[np.int8]
    lead: float


def find_differences(arena: Arena, a: int, b: int, critic: Checkpoint, num_pairs: int) -> list[Difference]:
    """Return the decisions on which two bots disagree in the first pairs of an arena, the costliest first.

    Args:
      arena: the game (not a set of games), the bots and the dice.
      a: number of one bot.
      b: number of the other bot.
      critic: checkpoint whose network values the plays at 0-ply.
      num_pairs: number of pairs of contests to replay.

    Raises:
      RulesetError: a set of games, or Gul Bara, where a turn is more than one play.
    """
    ruleset, match_length = arena.game, arena.match_length
    if not isinstance(ruleset, Ruleset):
        raise RulesetError(f"{ruleset.name}: disagreements are found in one game, not in a set of games")
    values, inputs = utilities(ruleset, match_length)
    rules = compile_rules(ruleset)
    searcher = engine.Searcher(rules, critic.network_for(ruleset), load_tables(ruleset), **DEFAULT_SEARCH.filters())
    contests = replay_pairs(arena, a, b, 0, num_pairs)
    bots = arena.bots[a], arena.bots[b]
    found = []
    for side, (mover, other) in enumerate((bots, bots[::-1])):
        turns = [turn for contest in contests for turn in contest.turns if turn.side == side]
        if not turns:
            continue
        rows = [_row(turn, match_length) for turn in turns]
        answers = other.choose_plays(
            np.stack([turn.board for turn in turns]),
            np.array([turn.dice for turn in turns], np.int8),
            (values[rows], inputs[rows]),
            seed=arena.seed,
            games=np.array([turn.pair for turn in turns], np.uint64),
            rounds=np.array([turn.round for turn in turns], np.uint32),
            plies=np.array([turn.ply for turn in turns], np.uint32),
        )
        for turn, row, answer in zip(turns, rows, answers, strict=True):
            if isinstance(turn.after, Fault) or isinstance(answer, Fault):
                continue
            if np.array_equal(turn.after, answer.afterstate):
                continue
            afterstates, _, _ = engine.legal_plays(rules, turn.board, *turn.dice)
            _, worth, _, _ = searcher.rank(turn.board, *turn.dice, values[row][None], inputs[row][None], 0)
            mine, others = (play_index(afterstates, after) for after in (turn.after, answer.afterstate))
            if mine is not None and others is not None:
                lead = float(worth[mine]) - float(worth[others])
                found.append(Difference(turn, (mover.name, other.name), answer.afterstate, lead))
    return sorted(found, key=lambda difference: -abs(difference.lead))


def _row(turn: WatchedTurn, match_length: int | None) -> int:
    if match_length is None:
        return 0
    own, others = turn.away[turn.side], turn.away[1 - turn.side]
    return (own - 1) * match_length + others - 1
