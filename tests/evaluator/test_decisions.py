"""Fast answers are those of the full ones: the best play, single plays of bots, hit chances, concessions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai import engine
from tavla_ai.bots import Bot, PlayStyle, checkpoint_bot
from tavla_ai.evaluator import Evaluator, EvaluatorOptions
from tavla_ai.match import MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import (
    BAR,
    PINNED,
    ROLLS,
    Position,
    Ruleset,
    compile_rules,
    concession_value,
    forced_play,
    get_ruleset,
    hit_chance,
    legal_plays,
    ruleset_names,
)

CONCEDING = tuple(name for name in ruleset_names() if get_ruleset(name).concession != "none")
CATCHING = tuple(name for name in ruleset_names() if get_ruleset(name).has_bar or get_ruleset(name).has_pins)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("decisions")


# Without tables, the network decides everywhere.
NO_TABLES = EvaluatorOptions(use_tables=False)


def evaluator_of(folder: Path, name: str, options: EvaluatorOptions = NO_TABLES) -> Evaluator:
    path = folder / name
    if not path.exists():
        write_checkpoint(path, name, num_scores=len(get_ruleset(name).scores))
    return Evaluator(load_checkpoint(path), options=options)


@cache
def walked(name: str, games: int) -> list[tuple[Position, tuple[int, int]]]:
    """Positions of random games with their rolls."""
    boards, dice = engine.random_walk(compile_rules(get_ruleset(name)), 7, 0, games)
    return [(Position(board), (first, second)) for board, (first, second) in zip(boards, dice.tolist(), strict=True)]


def matches(ruleset: Ruleset) -> tuple[MatchState, ...]:
    length = ruleset.default_match_length
    return (MatchState(), MatchState(length, (length - 1, 0)), MatchState(length, (0, length - 1)))


# Plays


@pytest.mark.parametrize("name", ruleset_names())
def test_a_chosen_play_is_the_first_of_all(folder: Path, name: str) -> None:
    evaluator = evaluator_of(folder, name, EvaluatorOptions())
    bot = checkpoint_bot("bot", evaluator.ruleset, evaluator.checkpoint)
    states = matches(evaluator.ruleset)
    for i, (position, dice) in enumerate(walked(name, 5)):
        match = states[i % len(states)]
        best = evaluator.rank_plays(position, dice, match)[0]
        for chosen in (evaluator.choose_play(position, dice, match), bot.choose_play(position, dice, match)):
            assert (chosen.steps, chosen.afterstate, chosen.score) == (best.steps, best.afterstate, best.score)
            assert not chosen.afterstate.board.flags.writeable


@pytest.mark.parametrize("ply", [1, 2])
def test_a_searched_play_is_the_first_of_all(folder: Path, ply: int) -> None:
    evaluator = evaluator_of(folder, "oyna-tavla", EvaluatorOptions())
    bot = checkpoint_bot("bot", evaluator.ruleset, evaluator.checkpoint, PlayStyle(ply))
    for position, dice in walked("oyna-tavla", 3)[::9]:
        best = evaluator.rank_plays(position, dice, ply=ply)[0]
        for chosen in (evaluator.choose_play(position, dice, ply=ply), bot.choose_play(position, dice)):
            assert (chosen.steps, chosen.afterstate) == (best.steps, best.afterstate)


def batched(bot: Bot, turns: list[tuple[Position, tuple[int, int]]], seed: int) -> npt.NDArray[np.int8]:
    """Return the afterstates that the engine chooses in one call, turn i in game i."""
    assert isinstance(bot.player, engine.Player)
    boards = np.stack([position.board for position, _ in turns])
    values = np.array([[float(score) for score in bot.ruleset.scores]], np.float32)
    inputs = np.array([[0.5] * (len(bot.ruleset.scores) - 2)], np.float32)
    afterstates, _ = engine.choose_plays(
        compile_rules(bot.ruleset),
        bot.player,
        boards,
        np.array([dice for _, dice in turns], np.int8),
        values,
        inputs,
        seed=seed,
        games=np.arange(len(turns), dtype=np.uint64),
        rounds=np.zeros(len(turns), np.uint32),
        plies=np.zeros(len(turns), np.uint32),
    )
    return afterstates


@pytest.mark.parametrize("style", [PlayStyle(), PlayStyle(noise=0.3, cap=0.6), PlayStyle(1, 0.2, 0.3)])
def test_single_plays_of_a_level_are_those_of_a_tournament(folder: Path, style: PlayStyle) -> None:
    evaluator = evaluator_of(folder, "oyna-tavla", EvaluatorOptions())
    bot = checkpoint_bot("bot", evaluator.ruleset, evaluator.checkpoint, style)
    turns = walked("oyna-tavla", 3 if style.ply else 20)
    chosen = [bot.choose_play(*turn, seed=5, game=i).afterstate for i, turn in enumerate(turns)]
    assert chosen == [Position(board) for board in batched(bot, turns, 5)]


@pytest.mark.parametrize("name", ruleset_names())
def test_a_forced_play_is_the_only_one(name: str) -> None:
    ruleset = get_ruleset(name)
    found = {True: 0, False: 0}
    for position, dice in walked(name, 5):
        plays = legal_plays(ruleset, position, dice)
        forced = forced_play(ruleset, position, dice)
        assert forced == (plays[0] if len(plays) == 1 else None)
        found[forced is None] += 1
    assert min(found.values()) > 0


# Hits


def rolls_that_catch(ruleset: Ruleset, afterstate: Position) -> int:
    """The number of the opponent's rolls after which more of the mover's checkers are caught, one play at a time."""
    caught = slice(BAR, BAR + 1) if ruleset.has_bar else slice(PINNED + 1, None)
    before = afterstate.swap()
    return sum(
        weight
        for first, second, weight in ROLLS
        if any(
            play.afterstate.board[1, caught].sum() > before.board[1, caught].sum()
            for play in legal_plays(ruleset, before, (first, second))
        )
    )


@pytest.mark.parametrize("name", CATCHING)
def test_hit_chances_count_every_roll_that_catches(folder: Path, name: str) -> None:
    ruleset = get_ruleset(name)
    evaluator = evaluator_of(folder, name)
    some = 0
    for position, dice in walked(name, 4)[::19]:
        for play in evaluator.rank_plays(position, dice, explain=True)[:6]:
            if play.score is not None:
                assert play.hit_chance is None
                continue
            assert play.hit_chance == hit_chance(ruleset, play.afterstate)
            assert play.hit_chance == rolls_that_catch(ruleset, play.afterstate) / 36
            some += 0 < play.hit_chance < 1
    assert some > 10


# Concessions, against the comparison with the full value

MARGINS = (0.0, 0.05, 0.3, 1.0)


def is_worth_conceding(conceded: float, playing_on: float, margin: float) -> bool:
    return conceded >= playing_on - margin - 1e-6


def conceding(evaluator: Evaluator, position: Position, match: MatchState, kind: str) -> float:
    if kind == "match":
        return 0.0
    score = -concession_value(evaluator.ruleset, position.board)
    return evaluator.utility(match).values[evaluator.ruleset.scores.index(score)]


@pytest.mark.parametrize("options", [{}, {"threads": 3}, {"cache_entries": 0}])
@pytest.mark.parametrize("name", CONCEDING)
def test_a_concession_is_decided_as_by_the_full_value(folder: Path, name: str, options: dict[str, int]) -> None:
    """Before the roll: late positions, where all is lost or nearly so, and any others, in single games and matches."""
    evaluator = evaluator_of(folder, name, EvaluatorOptions(use_tables=False, **options))
    full = evaluator_of(folder, name)
    states = matches(evaluator.ruleset)
    answers = []
    turns = walked(name, 40 if not options else 6)
    for i, (position, _) in enumerate(turns[:: 13 if evaluator.ruleset.has_stages or not options else 29]):
        match = states[i % len(states)]
        ply = 0 if evaluator.ruleset.has_stages else 1 + i % 7 // 6
        margin = MARGINS[i // 3 % len(MARGINS)]
        kind = "match" if match.length is not None and i % 5 == 0 else "game"
        conceded = evaluator.should_concede(position, match, kind=kind, ply=ply, margin=margin)  # type: ignore[arg-type]
        playing_on = full.evaluate(position, match, ply=ply).value
        assert conceded == is_worth_conceding(conceding(full, position, match, kind), playing_on, margin)
        answers.append(conceded)
    assert set(answers) == {True, False}


@pytest.mark.parametrize("name", CONCEDING)
def test_a_concession_after_the_roll_is_decided_as_by_the_full_value(folder: Path, name: str) -> None:
    evaluator, full = evaluator_of(folder, name), evaluator_of(folder, name)
    states = matches(evaluator.ruleset)
    answers = []
    for i, (position, dice) in enumerate(walked(name, 40)[::29]):
        match = states[i % len(states)]
        ply = 0 if evaluator.ruleset.has_stages else i % 3
        margin = MARGINS[i // 3 % len(MARGINS)]
        conceded = evaluator.should_concede(position, match, dice=dice, ply=ply, margin=margin)
        playing_on = full.rank_plays(position, dice, match, ply=ply)[0].evaluation.value
        assert conceded == is_worth_conceding(conceding(full, position, match, "game"), playing_on, margin)
        answers.append(conceded)
    assert set(answers) == {True, False}


@pytest.mark.parametrize("name", CONCEDING)
def test_a_side_that_is_not_on_roll_concedes_as_by_the_full_value(folder: Path, name: str) -> None:
    evaluator, full = evaluator_of(folder, name), evaluator_of(folder, name)
    states = matches(evaluator.ruleset)
    answers = []
    for i, (position, _) in enumerate(walked(name, 40)[::19]):
        match = states[i % len(states)]
        ply = 0 if evaluator.ruleset.has_stages else i % 3
        margin = MARGINS[i // 3 % len(MARGINS)]
        conceded = evaluator.should_concede(position, match, is_on_roll=False, ply=ply, margin=margin)
        playing_on = full.evaluate_afterstate(position, match, ply=ply).value
        assert conceded == is_worth_conceding(conceding(full, position, match, "game"), playing_on, margin)
        answers.append(conceded)
    assert set(answers) == {True, False}


@pytest.mark.parametrize("name", CONCEDING)
def test_an_offer_is_accepted_as_by_the_full_value(folder: Path, name: str) -> None:
    evaluator, full = evaluator_of(folder, name), evaluator_of(folder, name)
    states = matches(evaluator.ruleset)
    wins = [score for score in evaluator.ruleset.scores if score > 0]
    answers = []
    for i, (position, _) in enumerate(walked(name, 40)[::19]):
        match = states[i % len(states)]
        ply = 0 if evaluator.ruleset.has_stages else 1 + i % 11 // 10
        value = wins[i // 3 % len(wins)]
        is_on_roll = i % 2 == 0
        accepted = evaluator.accept_concession(position, value, match, is_on_roll=is_on_roll, ply=ply)
        evaluate = full.evaluate if is_on_roll else full.evaluate_afterstate
        offered = full.utility(match).values[evaluator.ruleset.scores.index(value)]
        assert accepted == is_worth_conceding(offered, evaluate(position, match, ply=ply).value, 0.0)
        answers.append(accepted)
    assert True in answers


def test_late_races_are_decided_by_the_tables(folder: Path) -> None:
    """The tables say how likely a mars is; at the end it is certain, and conceding is right."""
    evaluator, full = (evaluator_of(folder, "oyna-tavla", EvaluatorOptions()) for _ in range(2))
    answers = []
    for mine, his in ((15, 1), (15, 2), (14, 1), (14, 4), (15, 6)):
        for point in range(1, 13):
            off = 15 - mine, 15 - his
            position = Position.from_sides({point: mine}, {min(point, 3): his}, off=off)
            for match in (MatchState(), MatchState(5, (4, 3)), MatchState(5, (3, 4))):
                conceded = evaluator.should_concede(position, match)
                playing_on = full.evaluate(position, match, ply=2).value
                assert conceded == is_worth_conceding(conceding(full, position, match, "game"), playing_on, 0.0)
                answers.append(conceded)
    assert set(answers) == {True, False}
