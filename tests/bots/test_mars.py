"""Networks of a file that the user brings: how it is read, which game it fits, and what it plays."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from tavla_ai.bots import Bot, load_bot
from tavla_ai.bots.peers.mars import Mars
from tavla_ai.cli import main
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.rules import Position, get_ruleset
from tavla_ai.tournament import play_pairing

# Points per game of the shipped network against each, less than what 500 games measured.
BEATEN_BY = {"plakoto": 0.8, "fevga": 0.9}
FOLDER = Path(os.environ.get("TAVLA_MARS_DIR", Path(__file__).parents[2] / ".." / "shared" / "peers"))


def leb128(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[np.float32]], kind: int = 6) -> Path:
    content = leb128(len(tensors))
    for name, values in tensors.items():
        content += leb128(len(name)) + name.encode() + leb128(kind)
        content += leb128(values.ndim) + b"".join(map(leb128, values.shape)) + values.astype("<f4").tobytes()
    path.write_bytes(content)
    return path


def tensors(inputs: int, column: int, weight: float = 1.0) -> dict[str, npt.NDArray[np.float32]]:
    """A network whose answer grows with one of its inputs."""
    widths = [inputs, 4, 3, 2, 1]
    found = {}
    for layer, (before, after) in enumerate(pairwise(widths), 1):
        matrix = np.zeros((after, before), np.float32)
        matrix[0, column if layer == 1 else 0] = weight if layer == 4 else 1
        found |= {f"_fc{layer}.weight": matrix, f"_fc{layer}.bias": np.zeros(after, np.float32)}
    return found


def win(path: Path, text: str, game: str) -> float:
    """What a file makes of the chance of the side that has just moved."""
    board = Position.from_text(text, get_ruleset(game)).board
    return float(Mars(str(path)).chances(board[None], 0, counts_backgammon=False)[0, 0])


# Inputs by hand: a column, and its value in a position after the play. White's squares are 24 less its point.

PINNING = "24:10 5:3 3:2 / 24:14 20:1 pin:20"
BLOCKING = "24:14 13:1 / 24:15"


@pytest.mark.parametrize(
    ("game", "position", "column", "value"),
    [
        ("plakoto", PINNING, 0, 1 / 15),  # pinned, of Black's
        ("plakoto", PINNING, 1, 0),  # and of White's
        ("plakoto", PINNING, 6, 10 / 15),  # before the pin in White's home
        ("plakoto", PINNING, 12, 3 / 7),  # points held
        ("plakoto", PINNING, 14, 5 / 15),  # mean height of White's points
        ("plakoto", PINNING, 18, ((356 - 261) / 167 + 1) / 2),  # pips ahead
        ("plakoto", PINNING, 19, 180 / 167),  # pips to home
        ("plakoto", PINNING, 26 + 3, 0),  # four of Black's on White's start
        ("plakoto", PINNING, 26 + 7, 1),  # four of White's
        ("plakoto", PINNING, 26 + 192 + 2 * 19, 1),  # Black's pinned on square 19
        ("fevga", BLOCKING, 0, 1 / 6),  # longest row
        ("fevga", BLOCKING, 2, 14 / 15),  # waiting
        ("fevga", BLOCKING, 3, 14 / 15),
        ("fevga", BLOCKING, 5, 1 / 15),  # Black's lone checkers
        ("fevga", BLOCKING, 10, (14 * 23 + 12) / 15 / 26),  # mean distance
        ("fevga", BLOCKING, 18, ((360 - 349) / 167 + 1) / 2),  # pips ahead
        ("fevga", BLOCKING, 24 + 8 * 11 + 4, 1),  # White's on square 11
        ("fevga", BLOCKING, 24 + 8 * 12, 1),  # Black's on its start
    ],
)
def test_a_position_has_the_networks_inputs(
    game: str, position: str, column: int, value: float, tmp_path: Path
) -> None:
    path = write_tensors(tmp_path / "net.dat", tensors(266 if game == "plakoto" else 216, column))
    assert win(path, position, game) == pytest.approx(1 / (1 + math.exp(-value)))


def test_a_race_is_played_by_pips(tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "net.dat", tensors(266, 0))
    lead = ((12 * 10 - 12 * 4) / 167 + 1) / 2
    expected = lead * 0.45 + 12 * 4 / 167 * 0.25
    assert win(path, "4:12 off:3 / 10:12 off:3", "plakoto") == pytest.approx(expected)
    assert win(path, "1:1 off:14 / 23:15", "plakoto") == 1


# Files


def test_other_files_are_refused(tmp_path: Path) -> None:
    def refused(path: Path) -> str:
        with pytest.raises(TavlaError) as caught:
            load_bot(f"mars:{path}", get_ruleset("fevga"))
        return str(caught.value)

    expected = "expected a TorchSharp file (.dat) of a Mars network, with 4 layers and 266 or 216 inputs"
    assert "cannot be read (No such file" in refused(tmp_path / "none.dat")
    whole = write_tensors(tmp_path / "whole.dat", tensors(216, 0))
    (tmp_path / "cut.dat").write_bytes(whole.read_bytes()[:-1])
    (tmp_path / "text.dat").write_text("weights")
    (tmp_path / "empty.dat").write_bytes(b"")
    other = {name: value for name, value in tensors(216, 0).items() if "_fc4" not in name}
    bent = tensors(216, 0) | {"_fc2.weight": np.zeros((3, 5), np.float32)}
    for path in (
        *(tmp_path / f"{name}.dat" for name in ("cut", "text", "empty")),
        write_tensors(tmp_path / "other.dat", other),
        write_tensors(tmp_path / "bent.dat", bent),
        write_tensors(tmp_path / "wide.dat", tensors(217, 0)),
        write_tensors(tmp_path / "doubles.dat", tensors(216, 0), kind=7),
    ):
        assert refused(path) == f"mars:{path}: {expected}"


@pytest.mark.parametrize(("inputs", "games"), [(266, {"plakoto", "plakoto-greek"}), (216, {"fevga"})])
def test_a_network_plays_the_games_of_its_inputs(inputs: int, games: set[str], tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "net.dat", tensors(inputs, 0))
    for game in ("plakoto", "plakoto-greek", "fevga", "gul-bara", "tawula", "north-sultan"):
        if game in games:
            assert load_bot(f"mars:{path}", get_ruleset(game)).name == f"mars:{path}"
            continue
        with pytest.raises(RulesetError, match=f"plays the game that its network was trained for, not {game}"):
            load_bot(f"mars:{path}", get_ruleset(game))


def test_a_file_plays_in_a_tournament(tmp_path: Path) -> None:
    path = write_tensors(tmp_path / "net.dat", tensors(216, 0))
    args = ["tournament", f"mars:{path}", "random", "--ruleset", "fevga", "--games", "4"]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0
    assert " void, mars" not in done.output  # no game ended by a fault


@pytest.mark.peer
@pytest.mark.parametrize("game", BEATEN_BY)
def test_the_networks_themselves_are_beaten_by_what_was_measured(game: str) -> None:
    path = FOLDER / f"mars-{game}.dat"
    if not path.exists():
        pytest.skip(f"{path}: not there; name its folder with TAVLA_MARS_DIR")
    ruleset = get_ruleset(game)
    peer: Bot = load_bot(f"mars:{path}", ruleset)
    result = play_pairing(ruleset, load_bot(f"{game}/hard", ruleset), peer, games=100, seed=8)
    assert result.void_games == 0
    assert result.points_per_game == pytest.approx(BEATEN_BY[game] + 0.3, abs=0.4)
    against_random = play_pairing(ruleset, peer, load_bot("random", ruleset), games=40, seed=8)
    assert against_random.points_per_game > 1
