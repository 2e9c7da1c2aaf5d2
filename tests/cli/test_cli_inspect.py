"""`tavla inspect`, and checkpoints that no command can use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json

from tavla_ai.network import CARD_FILE, WEIGHTS_FILE


def test_inspect_is_readable(checkpoint: Path) -> None:
    out = ok("inspect", checkpoint)
    for text in ("north-sultan", "12,000", "340,000", "210-8-8-4", "0123abc", "pubeval", "+0.512 +- 0.013", "68.0"):
        assert text in out
    assert ok_json("inspect", checkpoint) == json.loads((checkpoint / CARD_FILE).read_text())


def test_inspect_without_results(tmp_path: Path) -> None:
    assert "not been measured" in ok("inspect", write_checkpoint(tmp_path / "new"))


def damage(path: Path, name: str, data: bytes) -> None:
    (path / name).write_bytes(data)


@pytest.fixture
def copy(checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint, tmp_path / "copy"))


@pytest.mark.parametrize(
    "command",
    [("inspect", "{}"), ("tournament", "{}", "random"), ("analyze", "--dice", "31", "--checkpoint", "{}")],
    ids=lambda command: command[0],
)
class TestBadCheckpoint:
    def fails(self, command: tuple[str, ...], path: Path) -> str:
        return fails(*(part.format(path) for part in command))

    def test_missing(self, command: tuple[str, ...], tmp_path: Path) -> None:
        path = tmp_path / "none"
        message = self.fails(command, path)
        assert f"{path}: no such checkpoint" in message or f"unknown bot '{path}'" in message

    def test_a_file(self, command: tuple[str, ...], copy: Path) -> None:
        assert "not a checkpoint" in self.fails(command, copy / CARD_FILE)

    def test_without_a_card(self, command: tuple[str, ...], copy: Path) -> None:
        (copy / CARD_FILE).unlink()
        assert f"it has no {CARD_FILE}" in self.fails(command, copy)

    @pytest.mark.parametrize(
        "data", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema_version": 99}', b'{"schema_version": 1}']
    )
    def test_a_damaged_card(self, command: tuple[str, ...], copy: Path, data: bytes) -> None:
        damage(copy, CARD_FILE, data)
        assert CARD_FILE in self.fails(command, copy)

    def test_a_card_with_a_wrong_value(self, command: tuple[str, ...], copy: Path) -> None:
        card = json.loads((copy / CARD_FILE).read_text())
        card["ruleset"]["opening"] = "coin"
        damage(copy, CARD_FILE, json.dumps(card).encode())
        assert "ruleset.opening" in self.fails(command, copy)

    def test_damaged_weights(self, command: tuple[str, ...], copy: Path) -> None:
        data = bytearray((copy / WEIGHTS_FILE).read_bytes())
        data[-1] ^= 1
        damage(copy, WEIGHTS_FILE, bytes(data))
        assert "damaged, its sha256 is" in self.fails(command, copy)

    def test_missing_weights(self, command: tuple[str, ...], copy: Path) -> None:
        (copy / WEIGHTS_FILE).unlink()
        assert f"{WEIGHTS_FILE}: cannot be read" in self.fails(command, copy)


@pytest.mark.parametrize(
    "command",
    [("tournament", "{}", "random"), ("analyze", "--dice", "31", "--checkpoint", "{}")],
    ids=lambda command: command[0],
)
def test_a_checkpoint_of_another_game_is_refused(command: tuple[str, ...], checkpoint: Path, tmp_path: Path) -> None:
    args = [part.format(checkpoint) for part in command]
    ok(*args, "--ruleset", "portes", *(["--games", "2"] if args[0] == "tournament" else []))
    assert "trained for north-sultan" in fails(*args, "--ruleset", "traditional")
    six = write_checkpoint(tmp_path / "six", num_scores=6)
    assert "predicts 6 scores" in fails(*(part.format(six) for part in command))
