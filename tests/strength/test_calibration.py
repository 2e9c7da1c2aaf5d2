"""Calibration: noise with the gaps asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from levels_fixture import ladder, write_levels

from tavla_ai.bots import LEVEL_NAMES, LevelName, Levels, load_bot
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import get_ruleset
from tavla_ai.strength import Calibration, CalibrationEffort, CalibrationRound, calibrate
from tavla_ai.tournament import play_pairing

NORTH_SULTAN = get_ruleset("north-sultan")
SHIPPED = Path(__file__).parents[2] / "checkpoints" / "levels.yaml"
EASY_NETWORK = SHIPPED.parent / "tavla" / "easy"
RATINGS: dict[LevelName, float] = {"easy": 1200, "medium": 1500, "hard": 1750}
# A wide tolerance of 150 Elo, so that few matches are enough to measure a gap.
QUICK = CalibrationEffort(matches=200, search_matches=60, search_rounds=2, tolerance=150)


def calibrated(out: Path, workers: int = 1) -> tuple[Calibration, list[CalibrationRound]]:
    checkpoints = {name: load_checkpoint(EASY_NETWORK) for name in LEVEL_NAMES}
    rounds: list[CalibrationRound] = []
    found = calibrate(NORTH_SULTAN, 3, RATINGS, checkpoints, out, effort=QUICK, workers=workers, report=rounds.append)
    return found, rounds


def test_a_calibration_finds_noise_with_the_gaps_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "sub" / "levels.yaml"
    out.parent.mkdir()
    write_levels(out.parent, ladder(), ladder("oyna-tavla", 5))
    found, rounds = calibrated(out)
    levels = found.ladder.levels
    assert 0 == levels["hard"].noise < levels["medium"].noise < levels["easy"].noise
    assert levels["medium"].rating == levels["medium"].target == 1500
    for gap in found.gaps:
        assert gap.target - 150 <= gap.interval[0] <= gap.gap <= gap.interval[1] <= gap.target + 150
        searched = [one.matches for one in rounds if one.level == gap.weaker]
        assert gap.searched + gap.matches == sum(searched)
    assert levels["hard"].rating - 1500 == pytest.approx(found.gaps[0].gap, abs=0.1)
    assert 1500 - levels["easy"].rating == pytest.approx(found.gaps[1].gap, abs=0.1)
    # The other ladder stays, and the folders are found from the file.
    written = Levels(out)
    assert [one.ruleset for one in written.ladders] == ["north-sultan", "oyna-tavla"]
    assert json.loads(written.ladders[0].model_dump_json()) == json.loads(found.ladder.model_dump_json())
    assert written.folder(written.ladders[0].levels["easy"]).resolve() == EASY_NETWORK
    assert load_bot("easy", NORTH_SULTAN, written, 3).style.noise == levels["easy"].noise
    # The same seed gives the same levels, on more threads too.
    assert calibrated(tmp_path / "again.yaml", workers=2)[0].gaps == found.gaps


@pytest.mark.slow
def test_the_shipped_ladder_holds_on_fresh_dice() -> None:
    """No calibration used these dice."""
    bots = [load_bot(name, NORTH_SULTAN, Levels(SHIPPED), 3) for name in LEVEL_NAMES]
    for weaker, stronger, share in ((0, 1, 0.849), (1, 2, 0.808)):
        result = play_pairing(NORTH_SULTAN, bots[stronger], bots[weaker], 6000, 987_654_321, 3)
        assert result.match_win_share == pytest.approx(share, abs=0.02)
    assert np.isfinite(result.share)
