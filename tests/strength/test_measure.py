"""Measured figures of a checkpoint are in its card, those of a level in the file of levels."""

from __future__ import annotations

import json
from pathlib import Path

from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner
from command_line import fails, ok_json

from tavla_ai.bots import Levels, load_bot
from tavla_ai.cli import main
from tavla_ai.network import Card, load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import (
    JudgedSet,
    measure_error_rate,
)

NORTH_SULTAN = get_ruleset("north-sultan")


def measure(*args: object) -> Card:
    result = CliRunner().invoke(main, ["measure", *map(str, args), "--json"])
    assert result.exit_code == 0, result.stderr
    return Card.model_validate(json.loads(result.stdout))


def test_measured_figures_are_written_into_the_card(judged: JudgedSet, judged_path: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "measured")
    card = measure(path, "--opponent", "random", "--games", 20, "--seed", 5, "--positions", judged_path)
    assert card == load_checkpoint(path).card
    (result,) = card.results
    assert (result.opponent, result.games, result.seed, result.ply) == ("random", 20, 5, 0)
    (rate,) = card.loss_rates
    expected = measure_error_rate(judged, load_bot(str(path), NORTH_SULTAN))
    assert (rate.positions, rate.loss, rate.standard_error) == ("set", expected.loss, expected.standard_error)
    assert card.decision_microseconds is not None

    # A result with another look-ahead is added; one with the same look-ahead replaces the old one.
    card = measure(path, "--opponent", "random", "--games", 10, "--ply", 1, "--positions", judged_path)
    assert [(result.ply, result.games) for result in card.results] == [(0, 20), (1, 10)]
    assert [rate.ply for rate in card.loss_rates] == [0, 1]
    assert "20 games against random" in fails("measure", path, "--opponent", "random", "--games", 10)
    card = measure(path, "--opponent", "random", "--games", 30)
    assert sorted((result.ply, result.games) for result in card.results) == [(0, 30), (1, 10)]
    shown = CliRunner().invoke(main, ["inspect", str(path)]).stdout
    assert "lost per decision" in shown
    assert "microseconds" in shown


def test_luck_is_judged_against_other_bots_than_baselines(checkpoint: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "lucky", seed=2)
    card = measure(path, "--opponent", "random", "--opponent", checkpoint, "--games", 200, "--luck")
    against_random, against_bot = card.results
    assert against_random.adjusted is None
    assert against_bot.adjusted is not None
    assert against_bot.adjusted_standard_error is not None


def test_mistakes_of_measuring_are_one_line(checkpoint: Path, judged_path: Path, tmp_path: Path) -> None:
    assert "'nobody'" in fails("measure", checkpoint, "--opponent", "nobody")
    assert "7" in fails("measure", checkpoint, "--games", 7)
    assert "nowhere" in fails("measure", tmp_path / "nowhere")
    fevga = write_checkpoint(tmp_path / "fevga", ruleset="fevga")
    assert "fevga" in fails("measure", fevga, "--positions", judged_path)


def test_a_level_is_measured_as_it_plays(own_levels: Path) -> None:
    measure = ("measure", "easy", "--levels", own_levels, "--games", 20, "--seed", 9)
    found = ok_json(*measure, "--opponent", "random")
    (rated,) = found["results"]
    assert (rated["opponent"], rated["games"], rated["seed"]) == ("random", 20, 9)
    played = ok_json("tournament", "easy", "random", "--levels", own_levels, "--games", 20, "--seed", 9)
    assert rated["points_per_game"] == played["pairings"][0]["points_per_game"]

    ladders = Levels(own_levels).ladders
    assert [len(one.levels["easy"].results) for one in ladders] == [1, 0, 0]
    assert all(not one.levels["medium"].results for one in ladders)
    # A result against another opponent is added; one against the same opponent replaces the old one.
    ok_json(*measure, "--opponent", "pubeval")
    ok_json(*measure, "--opponent", "random", "--seed", 10)
    results = Levels(own_levels).ladders[0].levels["easy"].results
    assert [(result.opponent, result.seed) for result in results] == [("pubeval", 9), ("random", 10)]


def test_mistakes_of_measuring_levels_are_one_line(own_levels: Path, tmp_path: Path) -> None:
    assert "--ply" in fails("measure", "easy", "--levels", own_levels, "--ply", 1)
    assert "--ruleset" in fails("measure", own_levels.parent / "easy", "--ruleset", "portes")
    assert "portes" in fails("measure", "easy", "--levels", own_levels, "--ruleset", "portes")
    (tmp_path / "plain.md").write_text("no marks")
    assert "plain.md: expected a line" in fails("levels", "--levels", own_levels, "--table", tmp_path / "plain.md")
    assert "nowhere.md" in fails("levels", "--levels", own_levels, "--table", tmp_path / "nowhere.md")
    assert (tmp_path / "plain.md").read_text() == "no marks"
