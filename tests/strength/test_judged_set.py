"""Sets of judged decisions: kept and read again; those of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from command_line import fails as cli_fails

from tavla_ai.bots import load_bot
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import (
    JudgedSet,
    load_judged_set,
    measure_error_rate,
    measure_error_rates,
)

NORTH_SULTAN = get_ruleset("north-sultan")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def fails(*args: object) -> str:
    return cli_fails("error-rate", *args)


def test_a_set_is_read_as_it_was_written(judged: JudgedSet, judged_path: Path) -> None:
    again = load_judged_set(judged_path)
    assert again.header == judged.header
    for name in ("boards", "dice", "phases", "num_plays", "values", "depths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(judged, name))


def rewritten(path: Path, **changes: Any) -> Path:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def json_array(data: object) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


def test_files_that_are_no_sets_are_refused(judged: JudgedSet, judged_path: Path, tmp_path: Path) -> None:
    data = judged.header.model_dump(mode="json")
    copy = tmp_path / "copy.npz"

    def refused(**changes: Any) -> str:
        copy.write_bytes(judged_path.read_bytes())
        return fails("random", "--positions", rewritten(copy, **changes))

    assert "no such set" in fails("random", "--positions", tmp_path / "none.npz")
    for content in (b"", b"PK\x03\x04 no zip", judged_path.read_bytes()[:3000]):
        copy.write_bytes(content)
        assert "not a set of judged decisions" in fails("random", "--positions", copy)
    assert "not a set" in refused(values=None)
    assert "not a set" in refused(values=np.array([{}], dtype=object))
    assert "header: schema_version" in refused(header=json_array(data | {"schema_version": 2}))
    assert "header: " in refused(header=np.zeros(3, np.uint8))
    assert "expected 2-dimensional float32" in refused(values=judged.values.astype(np.float64))
    assert "do not match" in refused(depths=judged.depths[1:])
    assert "do not match" in refused(values=judged.values * np.float32(np.nan))
    assert "do not match" in refused(phases=judged.phases + np.uint8(9))
    assert "unknown ruleset" in refused(header=json_array(data | {"ruleset": "tavli"}))
    counts = judged.num_plays.copy()
    counts[0] += 1
    counts[1] -= 1
    assert "made for other rules" in refused(num_plays=counts)


@pytest.mark.parametrize("name", ["choosing", "reporting"])
def test_the_sets_are_small_and_match_their_headers(name: str) -> None:
    path = BENCHMARKS / f"{name}.npz"
    judged = load_judged_set(path)
    assert path.stat().st_size < 1_000_000
    assert judged.header.decisions >= 5000
    assert [judge.name for judge in judged.header.judges] == ["gnubg:2", "sage:2"]
    pubeval = measure_error_rate(judged, load_bot("pubeval", NORTH_SULTAN))
    assert pubeval.loss == pytest.approx(38, abs=8)


def test_no_net_is_chosen_with_the_decisions_that_report_on_it() -> None:
    choosing, reporting = (load_judged_set(BENCHMARKS / f"{name}.npz") for name in ("choosing", "reporting"))
    assert choosing.header.seed != reporting.header.seed
    assert choosing.header.network == reporting.header.network
    keys = [
        {b.tobytes() + np.sort(d).tobytes() for b, d in zip(s.boards, s.dice, strict=True)}
        for s in (choosing, reporting)
    ]
    # There are few openings, so some are in both sets.
    assert len(keys[0] & keys[1]) < 0.08 * len(keys[0])


# Sets of other games, made by `--build` with networks as judges.
OTHER_GAMES = ("fevga", "fevga-reporting", "plakoto")


@pytest.mark.parametrize("name", OTHER_GAMES)
def test_the_set_of_another_game_ranks_players_as_games_do(name: str) -> None:
    path = BENCHMARKS / f"{name}.npz"
    game = name.partition("-")[0]
    judged = load_judged_set(path)
    assert judged.header.ruleset == game
    assert judged.header.decisions >= 2000
    assert len({judge.version for judge in judged.header.judges}) == 2
    assert path.stat().st_size < 350_000
    players = [load_bot(spec, judged.ruleset) for spec in ("random", "baseline", f"{game}/hard", f"{game}/hard@1")]
    losses = [rate.loss or 0 for rate in measure_error_rates(judged, players)]
    # Each loses far less than the one before; look-ahead gains, if less.
    assert losses[0] > 1.5 * losses[1] > 3 * losses[2] > 0
    assert losses[2] > losses[3]
