"""Bots: players with names, as tournaments take them; and the plays of one roll, ranked by a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tavla_ai import engine
from tavla_ai.checkpoint import Checkpoint, load_checkpoint
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.match import Utility
from tavla_ai.position import Play, Position
from tavla_ai.rulesets import MAX_OWN_ROLLS, OWN_ROLLS, Ruleset

BASELINES = ("random", "pubeval")


@dataclass(frozen=True)
class Bot:
    """A player with a name.

    Attributes:
      name: how results call it: a baseline, or the checkpoint's folder as it was given.
      player: what the engine runs.
      checkpoint: the network behind it; None for a baseline.
    """

    name: str
    player: engine.Player
    checkpoint: Checkpoint | None = None


def plays_pubeval(ruleset: Ruleset) -> bool:
    """Return whether pubeval, made for backgammon, plays a game."""
    return ruleset.family == "opposed-hit"


def make_bot(spec: str, ruleset: Ruleset) -> Bot:
    """Return the bot that `spec` names.

    Args:
      spec: `random` (every legal play with equal chance), `pubeval` (Tesauro's benchmark player), or the
        folder of a checkpoint, which plays at 0-ply. A folder with a baseline's name is written `./random`.
      ruleset: the game it is to play.

    Raises:
      TavlaError: no bot has that name; the message lists those that exist.
      RulesetError: pubeval does not play that game.
      CheckpointError: the checkpoint cannot be used for that game; see `load_checkpoint`.
    """
    if spec == "random":
        return Bot(spec, engine.Player.random())
    if spec == "pubeval":
        if not plays_pubeval(ruleset):
            raise RulesetError(f"pubeval: plays only the opposed, hitting games, not {ruleset.name}")
        return Bot(spec, engine.Player.pubeval(_pubeval_weights("contact"), _pubeval_weights("race")))
    path = Path(spec)
    if not spec or not path.exists():
        raise TavlaError(f"unknown bot {spec!r}; expected {', '.join(BASELINES)} or a checkpoint's folder")
    checkpoint = load_checkpoint(path, ruleset)
    return Bot(str(path), engine.Player.network(checkpoint.network_for(ruleset)), checkpoint)


@dataclass(frozen=True)
class RankedPlay:
    """One legal play of a roll, seen by its mover.

    Attributes:
      steps: one way to play it.
      afterstate: the position after it, the mover first; in Gul Bara his roll is counted.
      score: the mover's points if the play ends the game; None if it goes on.
      outcomes: K probabilities of the game's scores for the mover, best first; None without a network.
      equity: the expected points of a single game; None without a network.
    """

    steps: Play
    afterstate: Position
    score: int | None = None
    outcomes: tuple[float, ...] | None = None
    equity: float | None = None


def rank_plays(
    ruleset: Ruleset, position: Position, dice: tuple[int, int], checkpoint: Checkpoint | None = None
) -> tuple[RankedPlay, ...]:
    """Return every legal play of a roll, the best first; without a checkpoint in the engine's order.

    Each afterstate is valued by the network alone (0-ply) for a single game. A play that ends the game is
    worth its score, whatever the network says. Equal plays keep the engine's order.

    Gul Bara: these are the plays of the roll's first stage, without the doubles that cascade after it; dice that
    a play leaves for the opponent are not part of what it is worth here. Whole turns are the engine's, in games.

    Args:
      ruleset: the game.
      position: the board before the play, the side on roll first.
      dice: the roll, in either order.
      checkpoint: the network that ranks them; None leaves them unvalued.

    Raises:
      RulesetError: the game is over, or a die is not 1 to 6.
      CheckpointError: the network predicts other scores than the game has.
    """
    rules = engine.compile_rules(ruleset)
    board = position.board.copy()
    if ruleset.family == "gul-bara":
        board[0, OWN_ROLLS] = min(MAX_OWN_ROLLS, board[0, OWN_ROLLS] + 1)
    boards, steps, scores = engine.legal_plays(rules, board, *dice)
    plays = [
        RankedPlay(
            tuple((int(start), int(end)) for start, end in path if start >= 0),
            Position(after),
            None if score == engine.NO_SCORE else int(score),
        )
        for after, path, score in zip(boards, steps, scores, strict=True)
    ]
    if checkpoint is None:
        return tuple(plays)
    inputs = np.array(Utility.points(ruleset).inputs, dtype=np.float32)
    network = checkpoint.network_for(ruleset)
    outcomes = network.evaluate_plays(rules, board, *dice, inputs).astype(np.float64)
    points = np.array(ruleset.scores)
    is_over = scores != engine.NO_SCORE
    outcomes[is_over] = points == scores[is_over, None]
    equities = outcomes @ points
    return tuple(
        replace(plays[i], outcomes=tuple(outcomes[i].tolist()), equity=float(equities[i]))
        for i in np.argsort(-equities, kind="stable")
    )


def _pubeval_weights(kind: str) -> npt.NDArray[np.float32]:
    text = (files("tavla_ai") / "data" / f"pubeval-{kind}.txt").read_text(encoding="ascii")
    return np.array(text.split(), dtype=np.float32)
