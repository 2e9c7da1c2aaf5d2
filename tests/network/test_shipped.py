"""Shipped checkpoints: found by name from any folder, and the strongest of a game by measured results."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavla_ai import load_bot, load_evaluator
from tavla_ai.errors import CheckpointError, TavlaError
from tavla_ai.match import MatchState
from tavla_ai.network import (
    CARD_FILE,
    load_checkpoint,
    load_strongest,
    read_card,
    shipped_folder,
    shipped_names,
    strongest_checkpoint,
)
from tavla_ai.rules import Position, get_ruleset, ruleset_names


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_shipped_checkpoint_loads_by_its_name() -> None:
    assert {"tavla", "tavla/easy", "tavla/hard", "backgammon"} <= set(shipped_names())
    for name in shipped_names():
        assert load_checkpoint(name).name == name


def test_a_folder_of_that_name_comes_first(tmp_path: Path) -> None:
    (tmp_path / "tavla").mkdir()
    with pytest.raises(CheckpointError, match=r"tavla: not a checkpoint, it has no card\.json"):
        load_checkpoint("tavla")


def test_a_missing_checkpoint_names_the_shipped_ones() -> None:
    with pytest.raises(CheckpointError, match=r"runs/none: no such checkpoint; expected .*tavla/easy, tavla/hard"):
        load_checkpoint("runs/none")


@pytest.mark.parametrize("name", ruleset_names())
def test_the_strongest_network_has_the_best_result(name: str) -> None:
    """Of the shipped networks that play a game, it scored most against pubeval, or else against random."""
    ruleset = get_ruleset(name)
    scores = {}
    for checkpoint in shipped_names():
        card = read_card(shipped_folder() / checkpoint / CARD_FILE)
        if ruleset.plays_like(card.ruleset):
            points = {result.opponent: result.points_per_game for result in card.results if result.ply == 0}
            scores[checkpoint] = points.get("pubeval", points["random"])
    assert strongest_checkpoint(ruleset) == max(scores, key=scores.__getitem__, default=None)
    if not scores:
        with pytest.raises(CheckpointError, match=f"{name}: no shipped network plays it; train one .*ruleset={name}"):
            load_strongest(ruleset)


def test_a_bot_and_an_evaluator_load_by_name() -> None:
    start, match = Position.start(get_ruleset("oyna-tavla")), MatchState(5, (2, 3))
    bot = load_bot("hard", "oyna-tavla")
    evaluator = load_evaluator("oyna-tavla")
    assert evaluator.checkpoint.name == "tavla/hard"
    chosen = bot.choose_play(start, (3, 1), match)
    assert chosen == evaluator.choose_play(start, (3, 1), match)
    assert load_evaluator(checkpoint="backgammon").ruleset.name == "oyna-backgammon"
    assert load_evaluator().ruleset.name == "north-sultan"
    assert load_bot("tavla/easy@1:0.05").style.ply == 1
    # A path is a folder, whatever it is called.
    with pytest.raises(TavlaError, match=r"unknown bot '\./random'"):
        load_bot(Path("random"))
