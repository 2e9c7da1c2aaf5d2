"""Games side by side, with outside engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tournaments import played

from tavla_ai import engine
from tavla_ai.bots import Bot, Fault, join_bots, load_bot
from tavla_ai.errors import RulesetError
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import Ruleset, compile_rules, get_match_set, get_ruleset
from tavla_ai.tournament import (
    Arena,
    play_pairing,
    play_pairs,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RANDOM = load_bot("random", NORTH_SULTAN)
PUBEVAL = load_bot("pubeval", NORTH_SULTAN)


@pytest.fixture(scope="module")
def luck_network() -> Checkpoint:
    return load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla")


class Stumbling:
    """Makes the first legal play, but fails at some decisions and answers with an illegal play at others."""

    name = "stumbling"

    def __init__(self, ruleset: Ruleset = NORTH_SULTAN, fails_at: int = 0, cheats_at: int = 0) -> None:
        self.rules = compile_rules(ruleset)
        self.fails_at, self.cheats_at, self.asked = fails_at, cheats_at, 0

    def choose_plays(self, boards: np.ndarray, dice: np.ndarray) -> list[Any]:
        answers: list[Any] = []
        for board, roll in zip(boards, dice.tolist(), strict=True):
            self.asked += 1
            if self.asked == self.fails_at:
                answers.append(Fault("stumbling: it crashed"))
            elif self.asked == self.cheats_at:
                answers.append(np.zeros_like(board))
            else:
                answers.append(engine.legal_plays(self.rules, board, *roll)[0][0])
        return answers


def check_games_apart(arena: Arena) -> None:
    """Check that matches to 3 with seed 3 are the same in lock-step as in the engine."""
    whole = arena.play(0, 1, 0, 10)
    apart = play_pairs(arena.legs(0, 1), seed=3, first_pair=0, num_pairs=10, length=3)
    assert whole.luck is not None
    assert apart.luck is not None
    np.testing.assert_allclose(apart.luck, whole.luck, atol=1e-9)
    for name in ("points", "scores", "void_games", "plies"):
        np.testing.assert_array_equal(getattr(apart, name), getattr(whole, name))


def test_luck_is_measured_in_games_with_outside_engines_too(luck_network: Checkpoint) -> None:
    """Games in lock-step have the engine's results and luck."""
    check_games_apart(Arena(NORTH_SULTAN, [PUBEVAL, RANDOM], 3, 3, [luck_network]))


def test_a_player_that_fails_or_cheats_voids_its_game() -> None:
    bot = Bot("stumbling", NORTH_SULTAN, Stumbling(fails_at=50, cheats_at=90))
    result = play_pairing(NORTH_SULTAN, PUBEVAL, bot, 20, 1)
    assert result.faults == {"stumbling: it crashed": 1, "stumbling: an illegal play": 1}
    assert result.void_games == 2
    assert result.wins + result.losses + result.draws == 20


def test_an_outside_engine_plays_in_sets_too() -> None:
    """It may fail in any of the games. It cannot play Gul Bara, so a set with Gul Bara is refused at once."""
    greek, macedonian = get_match_set("zar-greek"), get_match_set("zar-macedonian")
    others = [load_bot("random", get_ruleset(name)) for name in ("plakoto-greek", "fevga")]
    random = load_bot("random", greek)
    portes = get_ruleset("portes")
    failing = Bot("stumbling", portes, Stumbling(portes, fails_at=150))
    stumbling = join_bots("stumbling", greek, [failing, *others])
    pairing = played(greek, [random, stumbling], 10, 1, 7).result.pairings[0]
    assert pairing.faults == {"stumbling: it crashed": 1}
    assert pairing.draws == 1
    assert pairing.wins + pairing.losses == 9
    parts = [
        Bot("stumbling", portes, Stumbling(portes)),
        *(load_bot("random", get_ruleset(name)) for name in macedonian.games[1:]),
    ]
    with pytest.raises(RulesetError, match="outside engine: not in gul-bara, where a turn is more than one roll"):
        played(macedonian, [load_bot("random", macedonian)] * 2 + [join_bots("x", macedonian, parts)], 2, 1, 7)
