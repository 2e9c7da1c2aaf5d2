"""Replays of a tournament's contests, move for move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from tournaments import played

from tavla_ai.bots import Bot, load_bot
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.formats import read_mat, read_match, read_match_json, write_mat, write_match_json
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import get_match_set, get_ruleset
from tavla_ai.tournament import (
    TournamentReplay,
    TournamentResult,
    read_lines,
)

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("results") / "net"))


@pytest.fixture(scope="module")
def bots(network: Checkpoint) -> list[Bot]:
    return [load_bot(spec, NORTH_SULTAN) for spec in (str(network.path), f"{network.path}:0.2", "random")]


def play(out: Path, bots: list[Bot], **changes: Any) -> TournamentResult:
    arguments: dict[str, Any] = {"games": 24, "seed": 5, "match_length": 3} | changes
    return played(NORTH_SULTAN, bots, out=out, **arguments).result


@pytest.mark.parametrize("match_length", [None, 3])
def test_a_game_is_played_again_from_its_line(bots: list[Bot], tmp_path: Path, match_length: int | None) -> None:
    play(tmp_path, bots, match_length=match_length)
    replay = TournamentReplay.from_folder(tmp_path)
    for number in (1, 2, 30, 72):
        contest, line = replay.contest(number), replay.lines[number - 1]
        assert len(contest.turns) == line.plies
        assert contest.players == (line.a, line.b)
        last = contest.turns[-1]
        assert last.score is not None
        won = last.score if last.side == 0 else -last.score
        assert (won if match_length is None else (won > 0) - (won < 0)) == line.points
        read = read_mat(write_mat(contest.match()), NORTH_SULTAN)
        assert read.length == match_length
        assert sum(len(game.turns) for game in read.games) == line.plies
        assert len(read.games) == sum(line.scores) + line.void
        assert contest.text().count("Game ") == len(read.games)
    with pytest.raises(TavlaError, match=r"game 73 of .*: expected 1 to 72"):
        replay.contest(73)


def test_a_replay_that_differs_from_its_record_is_refused(bots: list[Bot], tmp_path: Path) -> None:
    play(tmp_path, bots)
    results = tmp_path / "results.jsonl"
    first, *others = results.read_text().splitlines(keepends=True)
    line = json.loads(first)
    results.write_text("".join([json.dumps(line | {"plies": line["plies"] + 2}) + "\n", *others]))
    with pytest.raises(TavlaError, match=r"game 1 took \d+ turns and takes \d+ now"):
        TournamentReplay.from_folder(tmp_path).contest(1)


def test_a_match_file_for_each_match(bots: list[Bot], tmp_path: Path) -> None:
    play(tmp_path, bots, games=4)
    assert TournamentReplay.from_folder(tmp_path).write_matches("mat") == 12
    assert TournamentReplay.from_folder(tmp_path).write_matches("mat") == 0
    for line in read_lines(tmp_path):
        name = f"{line.pairing:03}-{line.pair:06}-{line.a_seat}.mat"
        match = read_mat((tmp_path / "mat" / name).read_text(), NORTH_SULTAN)
        assert sum(len(game.turns) for game in match.games) == line.plies


@pytest.mark.parametrize("name", ["plakoto", "fevga", "tawula"])
def test_other_games_are_played_again_too(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    players = [load_bot("random", ruleset)] * 2
    played(ruleset, players, 4, 1, out=tmp_path)
    replay = TournamentReplay.from_folder(tmp_path)
    assert len(replay.contest(1).turns) == replay.lines[0].plies
    assert replay.contest(1).text()
    with pytest.raises(RulesetError, match=r"\.mat files can hold tavla and backgammon only"):
        replay.contest(1).match_file("mat")
    assert replay.write_matches("json") == 4
    for path, line in zip(sorted((tmp_path / "json").glob("*.json")), replay.lines, strict=True):
        match = read_match(path)
        assert (match.game, match.problems) == (ruleset, ())
        assert sum(len(game.turns) for game in match.games) == line.plies
        assert write_match_json(match) == path.read_text()


def test_gul_bara_is_not_played_again(tmp_path: Path) -> None:
    gul_bara = get_ruleset("gul-bara")
    played(gul_bara, [load_bot("random", gul_bara)] * 2, 4, 1, out=tmp_path)
    with pytest.raises(RulesetError, match="not in gul-bara, where a turn is more than one roll"):
        TournamentReplay.from_folder(tmp_path).contest(1)


@pytest.fixture(scope="module")
def shipped() -> Checkpoint:
    return load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla")


def test_the_games_of_a_set_are_played_again(shipped: Checkpoint, tmp_path: Path) -> None:
    match_set = get_match_set("zar-greek")
    spec = f"portes={shipped.path},plakoto-greek=random,fevga=random"
    bots = [load_bot(spec, match_set), load_bot("random", match_set)]
    played(match_set, bots, 6, 3, 7, out=tmp_path / "greek")
    replay = TournamentReplay.from_folder(tmp_path / "greek")
    for number, line in enumerate(replay.lines, start=1):
        contest = replay.contest(number)
        assert len(contest.turns) == line.plies
        assert contest.turns[-1].side == (0 if line.points > 0 else 1)
        legs = [turns[0].leg for turns in contest.games()]
        assert legs == [game % 3 for game in range(len(legs))]
        assert "Game 2 (plakoto-greek)" in contest.text()
        with pytest.raises(RulesetError, match=r"\.mat files can hold tavla and backgammon only"):
            contest.match_file("mat")
        match = read_match_json(contest.match_file("json"))
        assert (match.game, match.length, match.problems) == (match_set, 7, ())
        assert [(game.winner, game.points) for game in match.games] == [
            (game.winner, game.points) for game in contest.match().games
        ]
    turkish = get_match_set("zar-turkish")
    played(turkish, [load_bot("random", turkish)] * 2, 2, 3, 3, out=tmp_path / "turkish")
    match = TournamentReplay.from_folder(tmp_path / "turkish").contest(1).match()
    assert dict(match.headers)["Variation"] == turkish.title
    macedonian = get_match_set("zar-macedonian")
    played(macedonian, [load_bot("random", macedonian)] * 2, 2, 3, 3, out=tmp_path / "macedonian")
    with pytest.raises(RulesetError, match="not in gul-bara, where a turn is more than one roll"):
        TournamentReplay.from_folder(tmp_path / "macedonian").contest(1)
