"""What a network's answers mean in a game: scores that the rules leave open no more, counted elsewhere."""

from __future__ import annotations

import numpy as np

from tavla_ai.rules import Position, Ruleset


def possible(ruleset: Ruleset, boards: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The network's outcomes, those that the rules leave open no more counted to the next smaller score."""
    found = outcomes.astype(np.float64)
    num_wins = len(ruleset.scores) // 2
    for board, row in zip(boards, found, strict=True):
        is_western_race = len(ruleset.scores) == 6 and not Position(board).has_contact(ruleset)
        no_backgammon = is_western_race and not board[:, 19:26].any()
        for off, order in ((board[1, 0], 1), (board[0, 0], -1)):
            side = row[::order]
            for k in range(num_wins - 1 if off else num_wins - 2 if no_backgammon else 0):
                side[k + 1] += side[k]
                side[k] = 0
    return found
