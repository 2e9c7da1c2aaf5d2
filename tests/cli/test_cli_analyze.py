"""`tavla analyze` of a position and of a match file."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import MATCHES
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json, run

from tavla_ai.rules import get_ruleset, ruleset_names

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:5:10"


def test_analyze_ranks_the_plays(checkpoint: Path) -> None:
    data = ok_json("analyze", "--dice", "31", "--checkpoint", checkpoint, "--top", 16)
    assert (data["unit"], data["match"], len(data["plays"])) == ("points", None, 16)
    values = [play["value"] for play in data["plays"]]
    assert values == sorted(values, reverse=True)
    for play in data["plays"]:
        mars, single, lost_single, lost_mars = play["outcomes"]
        assert play["win"] == pytest.approx(mars + single)
        assert (play["mars"], play["mars_lost"]) == pytest.approx((mars, lost_mars))
        assert play["value"] == play["equity"] == pytest.approx(2 * mars + single - lost_single - 2 * lost_mars)
        assert play["loss"] == pytest.approx(values[0] - play["value"])
    first = data["plays"][0]
    lines = ok("analyze", "--dice", "31", "--checkpoint", checkpoint).splitlines()
    (line,) = [line for line in lines if line.split()[:1] == ["1"]]
    assert first["play"] in line
    assert f"{first['value']:+.4f}" in line


def test_the_match_of_a_position_holds_unless_another_is_named(checkpoint: Path) -> None:
    args = ("analyze", "--checkpoint", checkpoint)
    from_text = ok_json(*args, "--position", XGID)
    assert from_text["dice"] == [3, 1]
    assert (from_text["match"]["length"], from_text["match"]["score"]) == (5, [2, 3])
    named = ok_json(*args, "--position", START, "--dice", "31", "--match", 5, "--score", "2-3")
    assert named["plays"] == from_text["plays"]
    assert named["unit"] == "mwc"
    other = ok_json(*args, "--position", XGID, "--match", 3)
    assert (other["dice"], other["match"]["length"], other["match"]["score"]) == ([3, 1], 3, [0, 0])


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_every_game_is_analyzed(ruleset: str, tmp_path: Path) -> None:
    scores = get_ruleset(ruleset).scores
    path = write_checkpoint(tmp_path / "net", ruleset, num_scores=len(scores))
    args = ("analyze", "--checkpoint", path, "--dice", "63", "--explain")
    data = ok_json(*args)
    assert (data["ruleset"], data["scores"]) == (ruleset, list(scores))
    for play in data["plays"]:
        lost = sum(share for score, share in zip(scores, play["outcomes"], strict=True) if score < 0)
        assert play["win"] + play["draw"] + lost == pytest.approx(1)
    assert ("draw %" in ok(*args)) == (0 in scores)


def test_a_rollout_is_the_same_for_any_number_of_threads(checkpoint: Path) -> None:
    args = ("analyze", "--checkpoint", checkpoint, "--dice", "31", "--top", 2, "--rollout", 72)
    one, two = (ok_json(*args, "--threads", threads)["rollout"] for threads in (1, 2))
    assert one == two
    assert [result["trials"] for result in one] == [72, 72]
    assert one[0]["loss"] == 0
    assert "72 trials" in ok(*args)


def test_a_position_is_drawn(checkpoint: Path, tmp_path: Path) -> None:
    ok("analyze", "--checkpoint", checkpoint, "--dice", "31", "--svg", tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--match", "0"), "match length 0"),
        (("--match", "5", "--score", "5-0"), "match score 5-0"),
        (("--match", "5", "--score", "x"), "score 'x': expected two numbers such as 2-3"),
        (("--score", "1-0"), "--score: single games have no score; expected --match"),
        (("--match", "5", "--crawford"), "Crawford"),
        (("--cube", "3"), "cube 3: expected a power of two"),
        (("--cube", "2"), "cube 2, centred: a centred cube shows 1"),
        (("--cube", "0"), "cube 0: expected a power of two"),
        (("--cube", "1", "--cube-owner", "me"), "a turned one has an owner"),
        (("--cube", "2", "--cube-owner", "me"), "cube 2, me: north-sultan has no cube"),
        (("--dice", "07"), "die 0"),
        (("--position", "4HPwATDgc/AB!A"), "index 12"),
        (("--position", "4HPwATDgc/ABMA", "--set", "zar-greek"), "zar-greek"),
        (("--rollout", "36"), "--rollout: it rolls out plays; expected --dice"),
    ],
)
def test_impossible_stakes_are_one_line(checkpoint: Path, args: tuple[str, ...], message: str) -> None:
    assert message in fails("analyze", "--checkpoint", checkpoint, *args)


# Match files

CUBELESS = MATCHES / "cubeless-7.mat"


def test_a_match_is_gone_through(checkpoint: Path, tmp_path: Path) -> None:
    args = ("analyze", CUBELESS, "--checkpoint", checkpoint)
    report = tmp_path / "report.html"
    out = ok(*args, "--top", 4, "--html", report)
    assert "match to 7, 10 games, north-sultan" in out
    assert report.read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    data = ok_json(*args, "--top", 4)
    assert (data["unit"], data["length"], len(data["games"]), len(data["worst"])) == ("mwc", 7, 10, 4)
    assert [player["name"] for player in data["players"]] == ["gnubg", "root"]
    assert [player["result"] for player in data["players"]] == [0, 1]
    for k, player in enumerate(data["players"]):
        decisions = [one for game in data["games"] for one in game["decisions"] if one["player"] == k]
        assert player["loss_points"] == pytest.approx(sum(one["loss_points"] for one in decisions))
        assert player["luck"] == pytest.approx(sum(one["luck"] for one in decisions))
        assert player["decisions"] == sum(one["counted"] for one in decisions)
        assert player["error_rate"] == pytest.approx(1000 * player["loss_points"] / player["decisions"])
        assert f"{player['error_rate']:.1f}" in out
    worst = data["worst"][0]
    (decision,) = [one for one in data["games"][worst["game"] - 1]["decisions"] if one["turn"] == worst["turn"]]
    (line,) = [line for line in out.splitlines() if decision["played"]["play"] in line]
    assert decision["best"]["play"] in line
    assert f"{decision['loss_points']:.3f}" in line


def test_a_match_with_a_cube_is_judged_as_backgammon(checkpoint: Path, backgammon: Path) -> None:
    path = MATCHES / "cube-3.mat"
    assert "cube loss" in ok("analyze", path, "--checkpoint", backgammon)
    decisions = ok_json("analyze", path, "--checkpoint", backgammon)["games"][1]["decisions"]
    assert {"double", "take", "play"} <= {decision["action"] for decision in decisions}
    message = fails("analyze", path, "--checkpoint", checkpoint)
    assert "'Doubles => 2', but north-sultan is played without a cube" in message
    assert str(path) in message


def test_a_lenient_reader_goes_on(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.mat"
    path.write_text(CUBELESS.read_text().replace("41: 13/9 24/23", "41: 13/9 13/9", 1))
    args = ("analyze", path, "--checkpoint", checkpoint)
    assert "line 7" in fails(*args)
    result = run(*args, "--lenient")
    assert result.exit_code == 0
    assert "warning: line 7" in result.stderr
    assert any("line 7" in problem for problem in ok_json(*args, "--lenient")["problems"])


@pytest.mark.parametrize(
    "args",
    [
        ("--dice", "31"),
        ("--position", START),
        ("--match", "5"),
        ("--crawford",),
        ("--cube", "2"),
        ("--time-ms", "5"),
        ("--explain",),
        ("--rollout", "36"),
        ("--seed", "2"),
        ("--svg", "x.svg"),
    ],
)
def test_options_of_positions_make_no_sense_with_a_match(checkpoint: Path, args: tuple[str, ...]) -> None:
    message = fails("analyze", CUBELESS, "--checkpoint", checkpoint, *args)
    assert message == f"error: {args[0]}: only for a position, not for a match file"


@pytest.mark.parametrize("args", [("--html", "x.html"), ("--lenient",)])
def test_options_of_matches_make_no_sense_without_one(checkpoint: Path, args: tuple[str, ...]) -> None:
    assert f"{args[0]}: only for a match file; expected MATCH with it" in fails(
        "analyze", "--checkpoint", checkpoint, *args
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no match length"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "line 1"),
        (b" 5 point match\n", "no game"),
        (b" 5 point match\n\n Game 1\n A : 0      B : 0\n", "has no roll, so there is nothing to judge"),
        (b" 99 point match\n\n Game 1\n A : 0      B : 0\n  1) 31: 8/5 6/5\n", "match length 99"),
        (b" 5 point match\n\n Game 1\n A : 0      B : 0\n  1) 31: 8/5 8/5\n", "line 5"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_match_is_one_line(checkpoint: Path, tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "some.mat"
    if data is not None:
        path.write_bytes(data)
    assert message in fails("analyze", path, "--checkpoint", checkpoint)


def test_names_of_older_programs_are_read(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.mat"
    path.write_bytes(" 5 point match\n\n Game 1\n Zoë : 0      B : 0\n  1) 31: 8/5 6/5\n".encode("latin-1"))
    assert "Zoë" in ok("analyze", path, "--checkpoint", checkpoint)


def test_a_report_without_a_folder_is_refused_at_once(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "none" / "report.html"
    assert f"{path}: its folder does not exist" in fails(
        "analyze", CUBELESS, "--checkpoint", checkpoint, "--html", path
    )
