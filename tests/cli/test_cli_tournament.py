"""`tavla tournament`."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json

from tavla_ai.rules import get_ruleset, ruleset_names


def test_tournament_prints_pairings_and_totals(checkpoint: Path) -> None:
    out = ok("tournament", checkpoint, "random", "pubeval", "--games", "40", "--seed", "3")
    assert "north-sultan, single games, seed 3" in out
    assert out.count(str(checkpoint)) == 3  # two pairings and a total
    assert "All pairings" in out


def test_tournament_json() -> None:
    data = ok_json("tournament", "pubeval", "random", "--games", "40")
    (pairing,) = data["pairings"]
    assert (pairing["a"], pairing["b"], pairing["games"]) == ("pubeval", "random", 40)
    assert pairing["points_per_game"] > 1.5
    assert [total["name"] for total in data["totals"]] == ["pubeval", "random"]


def test_tournament_plays_matches() -> None:
    args = ("tournament", "pubeval", "random", "--games", "20", "--match-length", "5", "--ruleset", "oyna-tavla")
    data = ok_json(*args)
    assert (data["ruleset"], data["match_length"], data["pairings"][0]["matches"]) == ("oyna-tavla", 5, 20)
    assert "matches to 5" in ok(*args)


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_tournament_of_every_game(ruleset: str, tmp_path: Path) -> None:
    scores = get_ruleset(ruleset).scores
    path = write_checkpoint(tmp_path / "net", ruleset, num_scores=len(scores))
    args = ("tournament", path, "random", "--games", "10", "--ruleset", ruleset)
    pairing = ok_json(*args)["pairings"][0]
    assert pairing["games"] == 10
    assert ("draws %" in ok(*args)) == (0 in scores)
    args = (*args, "--match-length", get_ruleset(ruleset).default_match_length)
    assert ok_json(*args)["pairings"][0]["matches"] == 10
    assert ("draws %" in ok(*args)) == (0 in scores)


def test_tournament_does_not_depend_on_workers(checkpoint: Path) -> None:
    results = []
    for workers in (0, 1, 3):
        data = ok_json("tournament", checkpoint, "pubeval", "--games", "102", "--workers", workers)
        del data["pairings"][0]["games_per_second"]
        results.append(data)
    assert results[0] == results[1] == results[2]


def test_a_tournament_is_kept_and_resumed(checkpoint: Path, tmp_path: Path) -> None:
    args = ("tournament", checkpoint, "random", "--games", "10", "--out", tmp_path / "out", "--luck")
    out = ok(*args, "--mat")
    assert "without luck" in out
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"results.jsonl", "report.html", "mat"}
    assert len(list((tmp_path / "out" / "mat").iterdir())) == 10
    ok(*args)
    assert "other seed" in fails(*args, "--seed", "2")


def test_a_ladder_is_the_checkpoints_of_a_run(tmp_path: Path) -> None:
    for number, name in enumerate(("checkpoints/round-0000001", "checkpoints/round-0000002", "final")):
        write_checkpoint(tmp_path / "run" / name, seed=number)
    data = ok_json("tournament", "--ladder", tmp_path / "run", "--games", "4")
    assert [(Path(p["a"]).name, Path(p["b"]).name) for p in data["pairings"]] == [
        ("round-0000001", "round-0000002"),
        ("round-0000002", "final"),
    ]
    data = ok_json("tournament", "random", "--ladder", tmp_path / "run", "--schedule", "gauntlet", "--games", "4")
    assert [p["a"] for p in data["pairings"]] == ["random"] * 3
    assert "not a training run with checkpoints" in fails("tournament", "random", "--ladder", tmp_path)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["random"], "a tournament of 1: expected at least 2 bots"),
        ([], "a tournament of 0"),
        (["pubeval", "random", "--mat"], "--mat writes into the results folder"),
        (["pubeval", "random", "--until-ci", "0"], "expected more than 0"),
        (["random", "pubeval", "--ruleset", "zar-greek"], "pubeval: plays only the opposed, hitting games"),
        (["random", "fevga=random", "--ruleset", "zar-greek"], "fevga=random: expected a bot for each game, such as"),
        (
            ["random", "fevga=random,fevga=random", "--ruleset", "zar-greek"],
            "expected each of portes, plakoto-greek, fevga",
        ),
        (["random", "random", "--ruleset", "zar-greek", "--judge", "DIR"], "DIR: expected a checkpoint for each game"),
        (["random", "random", "--ruleset", "zar-greek", "--match-length", "4"], "zar-greek is played to 3, 5, 7"),
        (["random", "random", "--ruleset", "fevga", "--mat", "--out", "x"], "hold tavla and backgammon only"),
        (
            ["random", "pubevil"],
            "unknown bot 'pubevil'; expected random, baseline, pubeval, easy, medium, hard, gnubg:PLY,",
        ),
        (["random", "no/such"], "unknown bot 'no/such'"),
        (["random", "pubeval", "--games", "7"], "7 games: expected an even number"),
        (["random", "pubeval", "--games", "0"], "0 games"),
        (["random", "pubeval", "--games", "many"], "'--games': 'many' is not a valid integer"),
        (["random", "pubeval", "--seed", "-1"], "'--seed'"),
        (["random", "pubeval", "--workers", "-1"], "'--workers'"),
        (["random", "pubeval", "--match-length", "4"], "match length 4: north-sultan is played to 1, 3, 5"),
        (["random", "pubeval", "--match-length", "0"], "match length 0"),
        (["random", "pubeval", "--match-length", "41", "--ruleset", "traditional"], "expected at most 40"),
        (["random", "pubeval", "--ruleset", "chess"], "unknown ruleset 'chess'; expected one of fevga, gul-bara"),
        (["random", "pubeval", "--ruleset", "plakoto"], "pubeval: plays only the opposed, hitting games, not plakoto"),
        (["random", "random", "--ruleset", "tawula", "--match-length", "3"], "tawula is played to 1"),
    ],
)
def test_tournament_mistakes(args: list[str], message: str) -> None:
    assert message in fails("tournament", *args)
