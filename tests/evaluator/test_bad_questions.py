"""Questions that make no sense get an error that names the value."""

from __future__ import annotations

from typing import Any

import pytest

from tavla_ai import (
    CheckpointError,
    Evaluator,
    MatchState,
    Position,
    RulesetError,
    get_ruleset,
    load_bot,
    load_checkpoint,
    load_evaluator,
)
from tavla_ai.bots import checkpoint_bot


def test_a_house_without_concessions_refuses_to_accept_one() -> None:
    north_sultan = load_evaluator("north-sultan")
    start = Position.start(north_sultan.ruleset)
    for ask in (lambda: north_sultan.accept_concession(start, 1), lambda: north_sultan.should_concede(start)):
        with pytest.raises(RulesetError, match="concession: north-sultan has none"):
            ask()
    oyna = load_evaluator("oyna-tavla")
    for ask in (
        lambda: oyna.accept_concession(start, "match"),
        lambda: oyna.should_concede(start, kind="match"),
    ):
        with pytest.raises(RulesetError, match="conceding the match: expected a match; this is a single game"):
            ask()


@pytest.mark.parametrize("dice", [None, 3, (3,), (3, 1, 1), (7, 1), ("3", "1"), (3, 1.5)])
def test_wrong_dice_are_named(dice: Any) -> None:
    start = Position.start(get_ruleset("oyna-tavla"))
    for ask in (load_evaluator("oyna-tavla").choose_play, load_bot("hard", "oyna-tavla").choose_play):
        with pytest.raises(RulesetError, match=r"dice|die"):
            ask(start, dice)


def test_wrong_seeds_scores_and_boards_are_named() -> None:
    house = get_ruleset("oyna-tavla")
    start, bot = Position.start(house), load_bot("easy", house)
    for seed in ("1", 1.5, None, -1):
        with pytest.raises(RulesetError, match="seed"):
            bot.choose_play(start, (3, 1), seed=seed)  # type: ignore[arg-type]
    for stakes in ({"length": 2.5}, {"length": 5, "score": (1.0, 2)}, {"length": 5, "game": "1"}):
        with pytest.raises(RulesetError, match="expected a whole number"):
            MatchState(**stakes)
    other = Position.start(get_ruleset("tawula"))
    for ask in (lambda: bot.choose_play(other, (3, 1)), lambda: load_evaluator(house).evaluate(other)):
        with pytest.raises(RulesetError, match="boards: rows of 27 counts, expected 26 in this game"):
            ask()


def test_a_network_of_another_game_is_refused() -> None:
    with pytest.raises(
        CheckpointError, match="trained for north-sultan, whose positions are not worth the same in fevga"
    ):
        Evaluator(load_checkpoint("tavla/hard"), get_ruleset("fevga"))
    with pytest.raises(CheckpointError, match="not worth the same in traditional"):
        checkpoint_bot("hard", get_ruleset("traditional"), load_checkpoint("tavla/hard"))


def test_match_lengths_that_the_house_does_not_offer_are_refused() -> None:
    house = get_ruleset("oyna-tavla")
    evaluator, bot = load_evaluator(house), load_bot("easy", house)
    start, match = Position.start(house), MatchState(4)
    for ask in (
        lambda: bot.choose_play(start, (3, 1), match),
        lambda: evaluator.choose_play(start, (3, 1), match),
        lambda: evaluator.rank_plays(start, (3, 1), match),
        lambda: evaluator.evaluate(start, match),
        lambda: evaluator.should_concede(start, match),
        lambda: evaluator.accept_concession(start, "match", match),
        lambda: evaluator.roll_values(start, match),
        lambda: load_bot("hard", house, match_length=4),
    ):
        with pytest.raises(RulesetError, match="match length 4: oyna-tavla is played to 1, 2, 3, 5"):
            ask()
    backgammon = load_evaluator("oyna-backgammon")
    for decide in (backgammon.cube_decision, backgammon.should_double, backgammon.respond_to_double):
        with pytest.raises(RulesetError, match="match length 7: oyna-backgammon is played to 1, 2, 3, 5"):
            decide(start, MatchState(7))
    with pytest.raises(RulesetError, match="score 3: expected two whole numbers, mine first"):
        MatchState(5, 3)  # type: ignore[arg-type]


def test_dice_of_a_side_that_is_not_on_roll_are_refused() -> None:
    evaluator = load_evaluator("oyna-tavla")
    with pytest.raises(RulesetError, match="expected none, because the side that would concede is not on roll"):
        evaluator.should_concede(Position.start(evaluator.ruleset), dice=(3, 1), is_on_roll=False)
