"""A bot that errs: how far, and where it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from cases import fault, faults_position
from checkpoints_fixture import write_checkpoint
from levels_fixture import write_levels

from tavla_ai.bots import Bot, Levels, PlayStyle, checkpoint_bot, join_bots, load_bot, timeout_bot
from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import Evaluator
from tavla_ai.match import Cube, MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import Position, get_match_set, get_ruleset, legal_plays

HOUSE = get_ruleset("oyna-tavla")


@pytest.fixture(scope="module")
def shipped() -> Evaluator:
    return Evaluator(load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla"), HOUSE)


def noisy(shipped: Evaluator, noise: float, cap: float, ply: int = 0) -> Bot:
    return checkpoint_bot("noisy", HOUSE, shipped.checkpoint, PlayStyle(ply, noise, cap))


@pytest.mark.parametrize("match", [MatchState(), MatchState(5, (1, 3))])
def test_a_noisy_bot_never_loses_more_than_its_cap(shipped: Evaluator, match: MatchState) -> None:
    bot = noisy(shipped, 5.0, 0.1)
    point = shipped.utility(match).point
    start = Position.start(HOUSE)
    seen = set()
    for seed in range(50):
        chosen = bot.choose_play(start, (3, 2), match, seed=seed)
        (ranked,) = [play for play in shipped.rank_plays(start, (3, 2), match) if play.steps == chosen.steps]
        assert ranked.loss <= bot.style.cap * point
        assert bot.choose_play(start, (3, 2), match, seed=seed) == chosen
        seen.add(chosen.afterstate)
    assert len(seen) > 3


def test_every_bot_ends_a_game_that_is_won(shipped: Evaluator) -> None:
    bot = noisy(shipped, 5.0, 2.0)
    position = Position.from_sides({2: 1, 1: 1}, {6: 12, 13: 3}, off=(13, 0))
    for seed in range(20):
        assert bot.choose_play(position, (2, 1), seed=seed).score == 2


# No contact; mine and his, each in his own numbering.
BEYOND_DOUBT = {
    "covered by the tables": ({8: 1, 7: 2, 5: 4, 3: 5}, {8: 2, 6: 2, 4: 6, 2: 2}, (3, 3)),
    "I bear off while he is far": ({6: 3, 5: 3, 4: 3, 3: 3, 2: 2}, {13: 4, 12: 4, 9: 4, 7: 3}, (1, 0)),
    "he bears off while I save the mars": ({14: 1, 13: 1, 10: 1, 6: 4, 4: 4, 2: 4}, {3: 1, 2: 2, 1: 2}, (0, 10)),
}


@pytest.mark.parametrize("ply", [0, 1])
@pytest.mark.parametrize("case", BEYOND_DOUBT)
def test_no_bot_errs_where_a_race_is_known_or_borne_off(shipped: Evaluator, case: str, ply: int) -> None:
    mine, his, off = BEYOND_DOUBT[case]
    position = Position.from_sides(mine, his, off=off)
    bot = noisy(shipped, 5.0, 5.0, ply)
    for seed, dice in enumerate([(6, 1), (5, 2), (4, 3), (2, 1), (5, 3), (1, 1), (3, 3)]):
        best = shipped.rank_plays(position, dice, ply=ply)[0]
        assert bot.choose_play(position, dice, seed=seed).afterstate == best.afterstate


def test_bots_err_in_contact_and_in_races_that_have_not_come_home(shipped: Evaluator) -> None:
    bot = noisy(shipped, 5.0, 5.0)
    contact = Position.from_sides({6: 3, 5: 3, 4: 3, 3: 3, 2: 2}, {24: 1, 6: 8, 5: 6}, off=(1, 0))
    race = Position.from_sides({12: 2, 10: 2, 9: 3, 6: 4, 4: 4}, {12: 2, 10: 2, 9: 3, 6: 4, 4: 4})
    for position in (contact, race):
        assert len({bot.choose_play(position, (4, 1), seed=seed).afterstate for seed in range(30)}) > 1


def test_a_mars_that_one_roll_saves_is_saved_at_every_match_score(shipped: Evaluator) -> None:
    """The last checker comes in and another goes off, or the mars is lost for certain."""
    bot = noisy(shipped, 5.0, 5.0)
    position = Position.from_sides({9: 1, 6: 6, 5: 4, 4: 4}, {1: 1}, off=(0, 14))
    for match in (MatchState(), MatchState(3, (0, 1)), MatchState(5, (4, 2)), MatchState(5, (0, 3))):
        for seed in range(10):
            assert bot.choose_play(position, (6, 3), match, seed=seed).afterstate.board[0, 0] == 1


def test_fault_no_time_out_runs_into_three_shots(shipped: Evaluator, tmp_path: Path) -> None:
    case = fault("lv01")
    position, dice = faults_position(case["board"]), tuple(case["dice"])
    unnatural = faults_position(case["expectation"]["unnatural_final"])
    bot = timeout_bot(shipped.checkpoint, HOUSE, Levels(write_levels(tmp_path)))
    chosen = [bot.choose_play(position, dice, seed=seed).afterstate for seed in range(500)]
    assert sum(after == unnatural for after in chosen) <= 25
    assert len(set(chosen)) > 1


# What any bot answers


@pytest.mark.parametrize("spec", ["random", "baseline", "pubeval"])
def test_one_play_is_that_of_the_batch(spec: str) -> None:
    """`choose_play` is the batch of one; in single games it is what the bot plays in a tournament."""
    bot = load_bot(spec, HOUSE)
    position = Position.start(HOUSE)
    for number in range(20):
        games = np.array([number], np.uint64)
        dice = np.array([[6, 4]], np.int8)
        (batched,) = bot.choose_plays(position.board[None].copy(), dice, seed=7, games=games)
        chosen = bot.choose_play(position, (6, 4), seed=7, game=number)
        np.testing.assert_array_equal(chosen.afterstate.board, batched.afterstate)  # type: ignore[union-attr]
        assert chosen in legal_plays(HOUSE, position, (6, 4))


def test_a_bot_of_a_set_plays_each_game_as_its_part_does() -> None:
    greek = get_match_set("zar-greek")
    bot = load_bot("random", greek)
    for number, name in enumerate(greek.games):
        house = get_ruleset(name)
        match, start = MatchState(5, (1, 2), game=number), Position.start(house)
        assert bot.part(number).ruleset == house
        assert bot.choose_play(start, (6, 5), match, seed=3) == load_bot("random", house).choose_play(
            start, (6, 5), MatchState(5, (1, 2)), seed=3
        )


def test_a_network_plays_the_first_stage_of_a_roll_and_a_baseline_does_not(tmp_path: Path) -> None:
    house = get_ruleset("gul-bara")
    checkpoint = load_checkpoint(write_checkpoint(tmp_path / "net", "gul-bara"))
    start = Position.start(house)
    best = Evaluator(checkpoint).choose_play(start, (6, 5))
    assert checkpoint_bot("net", house, checkpoint).choose_play(start, (6, 5)).afterstate == best.afterstate
    board = Position.from_text("24:10 11:5 / 24:10 11:5", house)
    with pytest.raises(RulesetError, match="random: plays whole turns of gul-bara"):
        load_bot("random", house).choose_play(board, (6, 5))


def test_what_cannot_be_asked_is_refused(shipped: Evaluator) -> None:
    bot, start = noisy(shipped, 0.1, 0.3), Position.start(HOUSE)
    with pytest.raises(RulesetError, match="seed -1: expected 0 to"):
        bot.choose_play(start, (3, 1), seed=-1)
    with pytest.raises(RulesetError, match="game -1: expected 0 to"):
        bot.choose_play(start, (3, 1), game=-1)
    with pytest.raises(RulesetError, match="die 7: expected 1 to 6"):
        bot.choose_play(start, (7, 1))
    with pytest.raises(RulesetError, match="oyna-tavla has no cube"):
        bot.choose_play(start, (3, 1), MatchState(5, cube=Cube(2, "me")))


def test_the_engine_plays_a_set_only_where_no_outside_engine_has_a_part() -> None:
    class Outside:
        name = "outside"

        def choose_plays(self, boards: npt.NDArray[np.int8], dice: npt.NDArray[np.int8]) -> list[npt.NDArray[np.int8]]:
            return list(boards)

    greek = get_match_set("zar-greek")
    native = load_bot("random", greek)
    assert native.is_native
    assert native.native_players is not None
    assert len(native.native_players) == len(greek.games)
    first = get_ruleset(greek.games[0])
    mixed = join_bots("mixed", greek, [Bot("outside", first, Outside()), *native.parts[1:]])
    assert not mixed.is_native
    assert mixed.native_players is None
    assert mixed.peer is native.peer is None
