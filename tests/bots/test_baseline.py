"""The hand-made player: it beats random in every game, and makes the plays that its facts ask for."""

from __future__ import annotations

import numpy as np
import pytest

from tavla_ai.bots import baselines_of, load_bot
from tavla_ai.rules import Position, get_ruleset, legal_plays, ruleset_names
from tavla_ai.tournament import play_pairing

# Points per game against random; less than what 2,000 games measured (docs/experiments.md).
AT_LEAST = {"gul-bara": 0.9, "fevga": 1, "tawula": 0.9}


@pytest.mark.parametrize("name", ["north-sultan", "plakoto", "fevga", "gul-bara", "tawula"])
def test_it_beats_random_in_every_game(name: str) -> None:
    ruleset = get_ruleset(name)
    result = play_pairing(ruleset, load_bot("baseline", ruleset), load_bot("random", ruleset), games=40, seed=12)
    assert result.void_games == 0
    assert result.points_per_game >= AT_LEAST.get(name, 1.5)


@pytest.mark.parametrize("name", ruleset_names())
def test_it_takes_the_place_of_pubeval_where_that_does_not_play(name: str) -> None:
    ruleset = get_ruleset(name)
    assert baselines_of(ruleset) == ("random", "pubeval" if ruleset.family == "opposed-hit" else "baseline")
    for spec in baselines_of(ruleset):
        assert load_bot(spec, ruleset).name == spec


@pytest.mark.parametrize(
    ("game", "position", "dice", "after"),
    [
        ("north-sultan", "2:1 1:1 off:13 / 3:15", (2, 1), "off:15 / 3:15"),  # the end of a race
        # A hit that makes a point, rather than others that leave a blot.
        (
            "north-sultan",
            "13:4 6:5 5:3 4:3 / 24:1 22:1 4:5 3:5 2:3",
            (3, 1),
            "13:4 6:4 5:3 4:2 3:2 / bar:1 24:1 4:5 3:5 2:3",
        ),
        ("plakoto", "24:5 7:1 5:4 4:5 / 24:1 6:7 5:7", (6, 4), "24:4 18:1 7:1 5:3 4:5 1:1 / 24:1 6:7 5:7 pin:24"),
    ],
    ids=["bears off", "hits", "pins the mother"],
)
def test_it_makes_the_play_that_decides(game: str, position: str, dice: tuple[int, int], after: str) -> None:
    ruleset = get_ruleset(game)
    chosen = load_bot("baseline", ruleset).choose_play(Position.from_text(position, ruleset), dice)
    assert chosen.afterstate.to_text(ruleset) == after


def test_a_play_that_ends_the_game_is_chosen_by_its_points() -> None:
    """A double that bears off the last checkers wins at once; a mother pinned with an empty start wins two."""
    plakoto = get_ruleset("plakoto")
    before = Position.from_text("7:1 5:4 4:10 / 24:1 6:7 5:7", plakoto)
    chosen = load_bot("baseline", plakoto).choose_play(before, (6, 3))
    assert chosen.score == 2
    assert max(play.score or 0 for play in legal_plays(plakoto, before, (6, 3))) == 2


def test_it_needs_no_dice_of_its_own() -> None:
    """The same turn has the same play in any game of any seed."""
    ruleset = get_ruleset("fevga")
    bot = load_bot("baseline", ruleset)
    board, dice = Position.start(ruleset).board[None], np.array([[6, 5]], np.int8)
    plays = [
        bot.choose_plays(board, dice, seed=seed, games=np.array([seed], np.uint64))[0].afterstate.tobytes()  # type: ignore[union-attr]
        for seed in range(5)
    ]
    assert len(set(plays)) == 1
