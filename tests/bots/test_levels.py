"""Levels: the file, the names as players, and what a level never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok_json
from levels_fixture import ladder, write_levels

from tavla_ai.bots import (
    UNMEASURED_EASY,
    Levels,
    PlayStyle,
    checkpoint_bot,
    level_bot,
    load_bot,
    save_levels,
    timeout_bot,
)
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import Evaluator
from tavla_ai.match import MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.report.strength import LEVELS_BEGIN, LEVELS_END
from tavla_ai.rules import Position, get_ruleset
from tavla_ai.tournament import play_pairing

NORTH_SULTAN = get_ruleset("north-sultan")
SHIPPED = Path(__file__).parents[2] / "checkpoints" / "levels.yaml"


def test_levels_are_read_and_written(levels_path: Path, tmp_path: Path) -> None:
    found = Levels(levels_path).ladders
    again = save_levels(tmp_path / "new" / "levels.yaml", found)
    assert again.ladders == found
    assert found[0].levels["easy"].style == PlayStyle(noise=0.2, cap=0.4)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["levels.yaml"]


def test_the_ladder_is_that_of_the_nearest_match_length(levels_path: Path) -> None:
    levels = Levels(levels_path)
    for length, nearest in ((None, 3), (1, 3), (3, 3), (5, 5)):
        assert levels.ladder(NORTH_SULTAN, length).match_length == nearest
    assert levels.find(get_ruleset("portes"), 5) is None
    with pytest.raises(TavlaError, match=r"no levels of portes, only of north-sultan, oyna-tavla; make them"):
        levels.ladder(get_ruleset("portes"), 5)


def without(name: str) -> dict[str, Any]:
    found = ladder()
    del found["levels"][name]
    return found


def with_easy(ruleset: str = "north-sultan", **changes: Any) -> dict[str, Any]:
    found = ladder(ruleset)
    found["levels"]["easy"] |= changes
    return found


@pytest.mark.parametrize(
    ("ladders", "message"),
    [
        ([without("easy")], "no level easy; expected easy, medium, hard"),
        ([ladder("north-sultan", 7)], "match length 7"),
        ([ladder("nowhere")], "unknown ruleset 'nowhere'"),
        ([ladder(), ladder()], "north-sultan, matches to 3: is given twice"),
        ([with_easy(noise=-1)], "ladders.0.levels.easy.noise: Input should be greater than or equal to 0"),
        ([with_easy(noise=float("nan"))], "ladders.0.levels.easy.noise: Input should be"),
        ([with_easy(ply=9)], "ladders.0.levels.easy.ply: Input should be less than or equal to 4"),
        ([with_easy(strength=3)], "ladders.0.levels.easy.strength: Extra inputs are not permitted"),
    ],
)
def test_a_file_that_makes_no_sense_is_one_line(ladders: list[Any], message: str, tmp_path: Path) -> None:
    path = write_levels(tmp_path, *ladders)
    found = fails("levels", "--levels", path)
    assert found.startswith(f"error: {path}: ")
    assert message in found


@pytest.mark.parametrize("text", ["", "- 1\n- 2", "a: [", "schema_version: 2\nladders: []", "\x00", "a: &b [*b]"])
def test_a_file_of_something_else_is_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "levels.yaml"
    path.write_text(text)
    assert fails("levels", "--levels", path).startswith(f"error: {path}: ")
    assert fails("levels", "--levels", tmp_path).startswith(f"error: {tmp_path}: ")


def test_a_level_is_its_network_and_its_noise(levels_path: Path) -> None:
    bot = load_bot("medium", NORTH_SULTAN, Levels(levels_path), 3)
    assert bot.name == "medium"
    assert bot.style == PlayStyle(noise=0.1, cap=0.2)
    assert bot.checkpoint is not None
    assert bot.checkpoint.path == levels_path.parent / "medium"
    spec = load_bot(f"{levels_path.parent / 'medium'}:0.1,0.2", NORTH_SULTAN)
    assert play_pairing(NORTH_SULTAN, bot, spec, games=20, seed=1).points_per_game == 0


def test_without_the_file_a_level_says_how_to_name_it(
    levels_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fails("tournament", "easy", "random", "--levels", "no.yaml") == (
        "error: no.yaml: no such file of levels; name one with --levels FILE or TAVLA_LEVELS"
    )
    played = ok_json("tournament", "easy", "random", "--games", 4, "--levels", levels_path)
    monkeypatch.setenv("TAVLA_LEVELS", str(levels_path))
    assert ok_json("tournament", "easy", "random", "--games", 4)["totals"] == played["totals"]
    # A folder of that name is meant by its path.
    write_checkpoint(tmp_path / "easy")
    assert load_bot("./easy", NORTH_SULTAN).style == PlayStyle()


def test_a_level_of_a_house_without_one_is_one_line(levels_path: Path) -> None:
    found = fails("tournament", "easy", "random", "--ruleset", "portes", "--levels", levels_path)
    assert "no levels of portes" in found


def test_a_level_plays_with_its_own_network(levels_path: Path) -> None:
    folder, match, levels = levels_path.parent, MatchState(3, (1, 2)), Levels(levels_path)
    hard_network, easy_network = (load_checkpoint(folder / name) for name in ("hard", "easy"))
    easy = level_bot("easy", NORTH_SULTAN, levels, 3)
    own = checkpoint_bot("own", NORTH_SULTAN, easy_network, PlayStyle(noise=0.2, cap=0.4))
    late = timeout_bot(hard_network, NORTH_SULTAN, levels, 3)
    start = Position.start(NORTH_SULTAN)
    plays = {}
    for seed in range(12):
        named = easy.choose_play(start, (3, 2), match, seed=seed)
        assert named == own.choose_play(start, (3, 2), match, seed=seed)
        assert named == late.choose_play(start, (3, 2), match, seed=seed)
        plays[seed] = named.afterstate
    assert len(set(plays.values())) > 1
    hard = level_bot("hard", NORTH_SULTAN, levels, 3).choose_play(start, (3, 2), match)
    assert hard.afterstate == Evaluator(hard_network, NORTH_SULTAN).choose_play(start, (3, 2), match).afterstate


def test_without_levels_there_is_a_play_for_who_is_out_of_time(levels_path: Path) -> None:
    checkpoint, start = load_checkpoint(levels_path.parent / "hard"), Position.start(NORTH_SULTAN)
    house, levels = get_ruleset("portes"), Levels(levels_path)
    unmeasured = checkpoint_bot("own", house, checkpoint, UNMEASURED_EASY)
    late = timeout_bot(checkpoint, house, levels)
    assert late.choose_play(start, (3, 2), seed=3) == unmeasured.choose_play(start, (3, 2), seed=3)
    with pytest.raises(TavlaError, match="no levels of portes"):
        level_bot("easy", house, levels)
    with pytest.raises(TavlaError, match="level 'godlike': expected easy, medium, hard"):
        level_bot("godlike", NORTH_SULTAN, Levels(levels_path))  # type: ignore[arg-type]


@pytest.mark.parametrize(("house", "match_length"), [("north-sultan", 3), ("oyna-tavla", 5)])
def test_the_shipped_levels_are_calibrated(house: str, match_length: int) -> None:
    """After one of the checkpoints is replaced, `make calibrate` measures its ladder anew."""
    found = Levels(SHIPPED).ladder(get_ruleset(house), match_length)
    assert found.match_length == match_length
    assert {name: level.target for name, level in found.levels.items()} == {
        "easy": 1200.0,
        "medium": 1500.0,
        "hard": 1750.0,
    }
    for name, level in found.levels.items():
        assert load_checkpoint(Levels(SHIPPED).folder(level)).card.weights_sha256 == level.weights_sha256, name
        low, high = level.interval
        assert level.target - 15 <= low <= level.rating <= high <= level.target + 15
    assert found.levels["hard"].noise == 0
    assert 0 < found.levels["medium"].noise < found.levels["easy"].noise


def test_a_replaced_network_is_refused_but_a_time_out_is_played(levels_path: Path, replaced_path: Path) -> None:
    start, match = Position.start(NORTH_SULTAN), MatchState(length=3)
    network = load_checkpoint(levels_path.parent / "easy")
    levels = Levels(replaced_path)
    with pytest.raises(TavlaError, match="easy was measured with other weights"):
        level_bot("easy", NORTH_SULTAN, levels, 3)
    unmeasured = checkpoint_bot("own", NORTH_SULTAN, network, UNMEASURED_EASY)
    late = timeout_bot(network, NORTH_SULTAN, levels, 3)
    assert late.choose_play(start, (3, 2), match, seed=3) == unmeasured.choose_play(start, (3, 2), match, seed=3)


def test_a_level_whose_network_was_replaced_is_measured_anew_first(replaced_path: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"{LEVELS_BEGIN}\n{LEVELS_END}\n")
    for command in (
        ("measure", "easy", "--games", 2),
        ("levels", "--table", tmp_path / "README.md"),
        ("tournament", "easy", "random", "--games", 2),
    ):
        assert "was measured with other weights" in fails(*command, "--levels", replaced_path)
