"""The page of a tournament."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from checkpoints_fixture import write_checkpoint
from tournaments import played

from tavla_ai.bots import Bot, load_bot
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.report.tournament import write_report
from tavla_ai.rules import get_ruleset

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return load_checkpoint(write_checkpoint(tmp_path_factory.mktemp("results") / "net"))


@pytest.fixture(scope="module")
def bots(network: Checkpoint) -> list[Bot]:
    return [load_bot(spec, NORTH_SULTAN) for spec in (str(network.path), f"{network.path}:0.2", "random")]


@pytest.mark.parametrize("match_length", [None, 3])
@pytest.mark.parametrize("with_luck", [False, True])
def test_the_report_is_whole(
    bots: list[Bot], network: Checkpoint, tmp_path: Path, match_length: int | None, with_luck: bool
) -> None:
    networks = [network] if with_luck else []
    write_report(tmp_path, played(NORTH_SULTAN, bots, 24, 5, match_length, luck_networks=networks))
    html = (tmp_path / "report.html").read_text()
    assert html.startswith("<!DOCTYPE html>")
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in html
    pictures = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(pictures) == 4 + with_luck + 8
    for picture in pictures:
        ElementTree.fromstring(picture)
    for bot in bots:
        assert bot.name in html


def test_a_name_is_no_html(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "<b>&")
    bots = [load_bot(str(path), NORTH_SULTAN), load_bot("random", NORTH_SULTAN)]
    write_report(tmp_path, played(NORTH_SULTAN, bots, 4, 5))
    html = (tmp_path / "report.html").read_text()
    assert "<b>&" not in html
    assert "&lt;b&gt;&amp;" in html


@pytest.mark.parametrize("name", ["plakoto", "tawula", "gul-bara"])
def test_other_games_have_reports(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    path = write_checkpoint(tmp_path / "net", name, num_scores=len(ruleset.scores))
    bots = [load_bot(str(path), ruleset), load_bot("random", ruleset)]
    write_report(tmp_path, played(ruleset, bots, 4, 1))
    assert "Costliest" in (tmp_path / "report.html").read_text()
