"""Decisions sampled from games of mixed players."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.bots import Fault, baselines_of, checkpoint_bot, load_bot
from tavla_ai.network import Checkpoint
from tavla_ai.rules import Position, Ruleset, compile_rules
from tavla_ai.strength.decisions import OPENING_TURNS, PHASES, Phase, phase_of
from tavla_ai.tournament import OpenGame

Boards = npt.NDArray[np.int8]

# Player of a seat and share of its plays that are drawn at random, each line with the same chance. In half of the games
# the network plays both seats with rare random plays, like games of strong players.
_STRONG = (("network", 0.0), ("network", 0.0), ("network", 0.03))
_MIXED = (("network", 0.0), ("network", 0.1), ("network", 0.3), ("baseline", 0.0), ("baseline", 0.1))
_STRONG_SHARE = 0.5
# Share of the mixed games that begin with random turns, which lead to rare positions, and the largest number of these.
_SCRAMBLED_SHARE = 0.6
_SCRAMBLED_TURNS = 20
# Decisions of one game are similar: only a few of each game are kept.
_KEPT_SHARE = 0.12
_GAMES_AT_ONCE = 128


def sampler_name(ruleset: Ruleset) -> str:
    """Return the name of the sampler of a game, after its players: `mixed-1` has pubeval, `mixed-2` our baseline."""
    return "mixed-1" if baselines_of(ruleset)[1] == "pubeval" else "mixed-2"


@dataclass(frozen=True)
class SampledDecisions:
    """Decisions with a choice: boards int8 `[D, 2, num_places]`, dice int8 `[D, 2]`, phases uint8 `[D]`."""

    boards: Boards
    dice: npt.NDArray[np.int8]
    phases: npt.NDArray[np.uint8]


def sample_decisions(ruleset: Ruleset, checkpoint: Checkpoint, seed: int, number: int) -> SampledDecisions:
    """Return the first `number` decisions of a seed, from single games of mixed players.

    No two have the same board and roll, and none is forced.

    Args:
      checkpoint: the network that plays, at 0-ply.

    Raises:
      RulesetError: the turns of the game have several stages.
    """
    ruleset.check_has_no_stages("judged decisions")
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


class _SampledGame:
    """One game of the sampler, with its random choices other than the dice."""

    def __init__(self, ruleset: Ruleset, rules: engine.Rules, seed: int, number: int) -> None:
        self.number = number
        self.rng = np.random.default_rng([seed, number])
        styles = _STRONG if self.rng.random() < _STRONG_SHARE else _MIXED
        self.styles = [styles[self.rng.integers(len(styles))] for _ in range(2)]
        self.scrambled = 0
        if styles is _MIXED and self.rng.random() < _SCRAMBLED_SHARE:
            self.scrambled = int(self.rng.integers(1, _SCRAMBLED_TURNS + 1))
        self.game = OpenGame(ruleset, rules, seed, number)

    def player(self) -> str:
        """Return the name of the bot that makes the next play."""
        name, slips = self.styles[self.game.seat]
        return "random" if self.rng.random() < slips or self.game.ply < self.scrambled else name


class _Sampler:
    """Plays games of mixed players side by side and keeps some of their decisions."""

    def __init__(self, ruleset: Ruleset, checkpoint: Checkpoint, seed: int) -> None:
        self.ruleset, self.seed = ruleset, seed
        self.rules = compile_rules(ruleset)
        random, baseline = baselines_of(ruleset)
        self.bots = {
            "network": checkpoint_bot("network", ruleset, checkpoint),
            "baseline": load_bot(baseline, ruleset),
            "random": load_bot(random, ruleset),
        }

    def games(self, first: int) -> list[tuple[Boards, npt.NDArray[np.int8], int]]:
        """Return decisions of the games from number `first`: board, dice and phase, game after game."""
        kept: list[tuple[int, int, Boards, npt.NDArray[np.int8], int]] = []
        numbers = range(first, first + _GAMES_AT_ONCE)
        going = [_SampledGame(self.ruleset, self.rules, self.seed, number) for number in numbers]
        while going:
            boards = np.stack([one.game.board for one in going])
            dice = np.array([one.game.dice for one in going], np.int8)
            choices = engine.count_plays(self.rules, boards, dice)
            for one, board, roll, choice in zip(going, boards, dice, choices, strict=True):
                if one.rng.random() < _KEPT_SHARE and choice > 1 and one.game.ply >= one.scrambled:
                    kept.append((one.number, one.game.ply, board, roll, PHASES.index(self._phase(one))))
            going = self._turn(going, boards, dice)
        kept.sort(key=lambda decision: decision[:2])
        return [decision[2:] for decision in kept]

    def _phase(self, one: _SampledGame) -> Phase:
        # A game that began with random turns has no opening.
        own_turns = one.game.ply // 2 if one.scrambled == 0 else OPENING_TURNS
        return phase_of(self.ruleset, Position(one.game.board), own_turns)

    def _turn(self, games: list[_SampledGame], boards: Boards, dice: npt.NDArray[np.int8]) -> list[_SampledGame]:
        """Play a turn of each game, and return the games that are not over."""
        names = [one.player() for one in games]
        going = []
        for name, bot in self.bots.items():
            rows = [i for i, chosen in enumerate(names) if chosen == name]
            plays = bot.choose_plays(
                boards[rows],
                dice[rows],
                seed=self.seed,
                games=np.array([games[i].number for i in rows], np.uint64),
                plies=np.array([games[i].game.ply for i in rows], np.uint32),
            )
            for i, play in zip(rows, plays, strict=True):
                assert not isinstance(play, Fault)
                if play.score is None and not games[i].game.is_void_after(play):
                    games[i].game.move(play)
                    going.append(games[i])
        return sorted(going, key=lambda one: one.number)
