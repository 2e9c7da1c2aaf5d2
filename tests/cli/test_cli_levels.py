"""`tavla levels`, and levels in other commands."""

from __future__ import annotations

from pathlib import Path

from command_line import fails, ok, ok_json


def test_levels_measure_their_error_rate(levels_path: Path) -> None:
    positions = Path(__file__).parents[2] / "benchmarks" / "choosing.npz"
    easy, hard = ok_json("error-rate", "easy", "hard", "--positions", positions, "--levels", levels_path)["bots"]
    assert easy["bot"] == "easy"
    assert easy["loss"] != hard["loss"]


def test_decide_plays_a_level(levels_path: Path) -> None:
    checkpoint = levels_path.parent / "hard"
    asked = ("decide", "play", "--dice", "32", "--checkpoint", checkpoint, "--levels", levels_path)
    assert len({ok(*asked, "--level", "easy", "--seed", seed) for seed in range(12)}) > 1
    assert ok(*asked, "--level", "hard") == ok(*asked)
    assert ok(*asked, "--level", "easy", "--seed", 3) == ok(*asked, "--timeout", "--seed", 3)
    assert "--level: easy has its own look-ahead" in fails(*asked, "--level", "easy", "--ply", 1)
    assert "no --level, --ply or --time-ms with it" in fails(*asked, "--level", "easy", "--timeout")


def test_levels_lists_the_ladders(levels_path: Path, replaced_path: Path) -> None:
    assert "not the measured one" not in ok("levels", "--levels", levels_path)
    assert ok("levels", "--levels", replaced_path).count("not the measured one") == 9
    listed = ok_json("levels", "--levels", levels_path, "--ruleset", "oyna-tavla")
    assert [one["ruleset"] for one in listed["ladders"]] == ["oyna-tavla"]
    assert "unknown ruleset" in fails("levels", "--levels", levels_path, "--ruleset", "nowhere")
    assert "no levels of portes" in fails("levels", "--levels", levels_path, "--ruleset", "portes")
