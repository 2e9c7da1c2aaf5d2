"""A bot at another program's table: its games, and how its plays are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails
from evaluator_fake import EvaluatorFake

from tavla_ai.errors import RulesetError
from tavla_ai.rules import get_ruleset
from tavla_ai.serve import ExternalPlayer, UbgiEngine
from tavla_ai.serve.player import play_text


@pytest.mark.parametrize("name", ["traditional", "plakoto", "fevga"])
def test_games_with_other_plays_are_refused(name: str, tmp_path: Path) -> None:
    for protocol in (ExternalPlayer, UbgiEngine):
        with pytest.raises(RulesetError, match=rf"{name}: this protocol plays only games with the plays of backgammon"):
            protocol(EvaluatorFake(get_ruleset(name)))
    path = write_checkpoint(tmp_path / "net", name, num_scores=len(get_ruleset(name).scores))
    for command in ("external", "ubgi"):
        assert "plays only games with the plays of backgammon" in fails(command, "--checkpoint", path)


def test_play_text_names_bar_and_off() -> None:
    assert play_text(((25, 20), (24, 18), (18, 13), (6, 0))) == "bar/20 24/18 18/13 6/off"
    assert play_text(()) == ""
