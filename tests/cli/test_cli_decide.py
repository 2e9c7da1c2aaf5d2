"""`tavla decide`, and where it agrees with `tavla analyze`."""

from __future__ import annotations

from pathlib import Path

from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json


def test_cube_decisions_are_of_games_with_a_cube(checkpoint: Path, backgammon: Path) -> None:
    assert "double" in ok("analyze", "--checkpoint", backgammon)
    assert ok("decide", "double", "--checkpoint", backgammon).strip() in ("double", "roll")
    assert ok("decide", "take", "--checkpoint", backgammon).strip() in ("take", "pass")
    assert fails("decide", "double", "--checkpoint", checkpoint) == "error: cube: north-sultan has none"


def test_a_forced_play_is_made_without_thinking(checkpoint: Path) -> None:
    position = "bar:1 6:14 / 6:2 5:2 4:2 3:2 2:2 1:2 13:3"
    data = ok_json("decide", "play", "--dice", "31", "--checkpoint", checkpoint, "--position", position)
    assert (data["play"], data["forced"]) == ("(no move)", True)


def test_what_the_text_and_the_options_say_must_agree(checkpoint: Path, backgammon: Path) -> None:
    offered = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:1:2:0:5:10"
    rolled = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:1:2:0:5:10"
    cube = ("--checkpoint", backgammon)
    assert "a double has been offered already" in fails("decide", "double", *cube, "--position", offered)
    assert "a double has been offered" in fails("decide", "play", *cube, "--position", offered, "--dice", "31")
    assert ok("decide", "take", *cube, "--position", offered).strip() in ("take", "pass")
    assert "5-2 has been rolled" in fails("decide", "double", *cube, "--position", rolled)
    assert "dice 31: the XGID says 5-2" in fails("analyze", *cube, "--position", rolled, "--dice", "31")
    assert ok("decide", "play", *cube, "--position", rolled) == ok(
        "decide", "play", *cube, "--match", 5, "--score", "1-2", "--dice", "25"
    )
    assert "--dice: expected a roll" in fails("decide", "play", "--checkpoint", checkpoint)
    assert "may not double in the Crawford game" in fails(
        "decide", "take", *cube, "--match", 5, "--score", "4-2", "--crawford"
    )
    assert "--timeout" in fails("decide", "play", "--checkpoint", checkpoint, "--dice", "31", "--timeout", "--ply", 2)


def test_a_timeout_play_is_the_same_for_a_seed(checkpoint: Path) -> None:
    args = ("decide", "play", "--dice", "31", "--checkpoint", checkpoint, "--timeout")
    assert ok(*args) == ok(*args)
    assert len({ok(*args, "--seed", seed) for seed in range(20)}) > 1


def test_concessions(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "net", "oyna-tavla")
    lost = "6:2 5:2 off:11 / 1:2 off:13"
    args = ("--checkpoint", path, "--position", lost)
    # The opponent is off with his next roll whatever is thrown; only a double of the mover's own comes first.
    assert ok("decide", "concede", *args).strip() == "play on"
    assert ok("decide", "concede", *args, "--dice", "21").strip() == "concede"
    mine = ("--checkpoint", path, "--position", "1:2 off:13 / 6:15")
    # On roll he is off with a mars, two points.
    assert ok("decide", "accept", *mine, "--on-roll", "--value", 1).strip() == "refuse"
    assert ok("decide", "accept", *mine, "--on-roll", "--value", 2).strip() == "accept"
    assert "concession of 3 points: expected 1, 2, or the match" in fails("decide", "accept", *mine, "--value", 3)
    assert "expected points, or match" in fails("decide", "accept", *mine, "--value", "all")
    assert "this is a single game" in fails("decide", "accept", *mine, "--value", "match")


def test_a_concession_needs_a_house_with_concessions_and_a_sensible_value() -> None:
    assert "concession: north-sultan has none" in fails("decide", "accept", "--value", 1)
    oyna = ("decide", "accept", "--ruleset", "oyna-tavla", "--value")
    for value in ("9" * 5000, "²", "٣", "-1", "1.0", "all"):
        message = fails(*oyna, value)
        assert "expected points, or match" in message
        assert len(message) < 120
    assert "this is a single game" in fails(*oyna, "match")
    assert "this is a single game" in fails("decide", "concede", "--ruleset", "oyna-tavla", "--whole-match")
