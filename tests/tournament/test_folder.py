"""A tournament's folder: resumed after a kill, refused where it does not fit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from tournaments import played

from tavla_ai.bots import Bot, load_bot
from tavla_ai.errors import TavlaError
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import (
    TournamentReplay,
    TournamentResult,
    read_lines,
    read_settings,
)

NORTH_SULTAN = get_ruleset("north-sultan")
FILES = ("settings.json", "results.jsonl", "summary.json")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("results") / "net"))


@pytest.fixture(scope="module")
def bots(network: Checkpoint) -> list[Bot]:
    return [load_bot(spec, NORTH_SULTAN) for spec in (str(network.path), f"{network.path}:0.2", "random")]


def play(out: Path, bots: list[Bot], **changes: Any) -> TournamentResult:
    arguments: dict[str, Any] = {"games": 24, "seed": 5, "match_length": 3} | changes
    return played(NORTH_SULTAN, bots, out=out, **arguments).result


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_each_game_has_a_line_with_its_result(bots: list[Bot], network: Checkpoint, tmp_path: Path) -> None:
    result = play(tmp_path / "out", bots, luck_networks=[network])
    lines = read_lines(tmp_path / "out")
    assert len(lines) == 3 * 24
    assert [(line.pair, line.a_seat) for line in lines[:24]] == [divmod(i, 2) for i in range(24)]
    first = [line for line in lines if line.pairing == 0]
    assert sum(line.points > 0 for line in first) == result.pairings[0].wins
    assert sum(sum(line.scores) + line.void for line in first) == result.pairings[0].games
    wins = [(1 + line.points) / 2 - (line.luck or 0) for line in first]
    assert sum(wins) / 24 == pytest.approx(result.pairings[0].adjusted)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert TournamentResult.model_validate(
        summary | {"pairings": [pairing | {"games_per_second": None} for pairing in summary["pairings"]]}
    ) == result.model_copy(
        update={"pairings": tuple(p.model_copy(update={"games_per_second": None}) for p in result.pairings)}
    )


def test_five_kills_leave_the_results_of_none(bots: list[Bot], network: Checkpoint, tmp_path: Path) -> None:
    """A kill may cut off the file anywhere."""
    changes = {"luck_networks": [network], "games": 24}
    play(tmp_path / "whole", bots, **changes)
    whole = contents(tmp_path / "whole")
    results = tmp_path / "out" / "results.jsonl"
    dice = random.Random(1)
    cut = 0
    for _ in range(5):
        play(tmp_path / "out", bots, **changes)
        cut = dice.randrange(len(whole["results.jsonl"]))
        results.write_bytes(results.read_bytes()[:cut])
        (tmp_path / "out" / "summary.json").unlink()
    play(tmp_path / "out", bots, **changes)
    assert contents(tmp_path / "out") == whole


def test_finished_contests_are_not_played_again(bots: list[Bot], tmp_path: Path) -> None:
    assert play(tmp_path, bots).pairings[0].games_per_second is not None
    again = play(tmp_path, bots)
    assert [pairing.games_per_second for pairing in again.pairings] == [None] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")
def test_a_killed_tournament_is_resumed(tmp_path: Path) -> None:
    def command(out: Path) -> list[str]:
        args = ["tournament", "pubeval", "random", "--games", "3000", "--match-length", "3", "--out", str(out)]
        return [sys.executable, "-c", "from tavla_ai.cli import main; main()", *args, "--workers", "1"]

    killed = 0
    for _ in range(3):
        process = subprocess.Popen(command(tmp_path / "out"), stdout=subprocess.DEVNULL)
        results = tmp_path / "out" / "results.jsonl"
        before = results.stat().st_size if results.exists() else 0
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if results.exists() and results.stat().st_size > before:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
                break
            time.sleep(0.005)
        process.wait(60)
    assert killed >= 2
    for folder in ("out", "whole"):
        subprocess.run(command(tmp_path / folder), check=True, stdout=subprocess.DEVNULL)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_sequential_stop_is_the_same_after_a_kill(tmp_path: Path) -> None:
    bots = [load_bot(spec, NORTH_SULTAN) for spec in ("pubeval", "random")]
    changes = {"match_length": None, "games": 4000, "until_ci": 0.02}
    play(tmp_path / "whole", bots, **changes)
    play(tmp_path / "out", bots, **changes)
    results = tmp_path / "out" / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-1234])
    play(tmp_path / "out", bots, **changes)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 26}, r"other games \(24, not 26\); name another folder"),
        ({"seed": 6}, "other seed"),
        ({"match_length": None}, "other match_length"),
        ({"schedule": "gauntlet"}, "other pairings"),
        ({"until_ci": 0.1}, "other until_ci"),
    ],
)
def test_results_of_other_settings_are_not_touched(
    bots: list[Bot], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    play(tmp_path, bots)
    before = contents(tmp_path)
    with pytest.raises(TavlaError, match=message):
        play(tmp_path, bots, **changes)
    assert contents(tmp_path) == before


def test_other_weights_under_the_same_name_are_other_bots(tmp_path: Path) -> None:
    def bots(seed: int) -> list[Bot]:
        write_checkpoint(tmp_path / f"net-{seed}", seed=seed)
        (tmp_path / "net").unlink(missing_ok=True)
        (tmp_path / "net").symlink_to(tmp_path / f"net-{seed}")
        return [load_bot(str(tmp_path / "net"), NORTH_SULTAN), load_bot("random", NORTH_SULTAN)]

    play(tmp_path / "out", bots(1))
    changed = bots(2)
    with pytest.raises(TavlaError, match="other bots"):
        play(tmp_path / "out", changed)
    with pytest.raises(TavlaError, match="has other weights than it played with"):
        TournamentReplay.from_folder(tmp_path / "out")


def test_a_folder_of_something_else_is_not_touched(bots: list[Bot], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(TavlaError, match="is not empty and holds no tournament"):
        play(tmp_path, bots)
    with pytest.raises(TavlaError, match="is not a folder"):
        play(tmp_path / "notes.txt", bots)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]
    with pytest.raises(TavlaError, match=r"holds no tournament, it has no settings\.json"):
        read_settings(tmp_path)


@pytest.mark.parametrize("damage", ["nonsense\n", '{"pairing": 0}\n'])
def test_a_damaged_line_is_named(bots: list[Bot], tmp_path: Path, damage: str) -> None:
    play(tmp_path, bots)
    results = tmp_path / "results.jsonl"
    lines = results.read_text().splitlines(keepends=True)
    results.write_text("".join([*lines[:3], damage, *lines[4:]]))
    with pytest.raises(TavlaError, match=r"results\.jsonl: line 4 cannot be read"):
        play(tmp_path, bots)
    results.write_text("".join([*lines[:4], *lines[6:]]))
    with pytest.raises(TavlaError, match=r"line 5 does not belong to this tournament"):
        play(tmp_path, bots)
