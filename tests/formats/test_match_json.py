"""Match files in JSON: every game and sets of games, read, written and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok_json

from tavla_ai import Evaluator, RulesetError, TavlaError, analyze_match, get_ruleset, load_checkpoint
from tavla_ai.evaluator import EvaluatorOptions
from tavla_ai.formats import match_schema, read_match, read_match_json, write_match_json
from tavla_ai.rules import get_match_set

ROOT = Path(__file__).parents[2]


def match_file(game: str, *games: dict[str, Any], length: int | None = None, **more: Any) -> str:
    data = {"format": "tavla-match-1", "game": game, "length": length, "players": ["Ada", "Bob"], "games": games}
    return json.dumps(data | more)


def turns(*plays: tuple[int, int, str | None], first: int = 0) -> list[dict[str, Any]]:
    return [{"player": (first + index) % 2, "dice": dice, "play": text} for index, (*dice, text) in enumerate(plays)]


FEVGA = {"score": [0, 0], "turns": turns((3, 1, "24/20"), (6, 5, "24/13"), (2, 2, None))}


def test_a_game_without_a_mat_file_is_read() -> None:
    match = read_match_json(match_file("fevga", FEVGA, headers={"Event": "Şenlik"}))
    assert match.game == get_ruleset("fevga")
    assert (match.players, match.length, match.headers) == (("Ada", "Bob"), None, (("Event", "Şenlik"),))
    (game,) = match.games
    assert (game.number, game.winner, game.points) == (1, None, None)
    assert [turn.player for turn in game.turns] == [0, 1, 0]
    assert game.turns[1].before is not None
    assert game.turns[1].before.board[1, 20] == 1
    assert game.turns[2].play is None
    assert read_match_json(write_match_json(match)) == match


def test_a_cube_is_turned() -> None:
    cube = [
        {"player": 1, "action": "double", "cube": 2},
        {"player": 0, "action": "take"},
        *turns((4, 2, "8/4 6/4"), first=1),
        {"player": 0, "action": "double", "cube": 4},
        {"player": 1, "action": "drop"},
    ]
    game = {"score": [0, 0], "turns": turns((3, 1, "8/5 6/5")) + cube, "winner": 0, "points": 2}
    match = read_match_json(match_file("oyna-backgammon", game, length=5))
    assert match.problems == ()
    assert [turn.action for turn in match.games[0].turns] == ["play", "double", "take", "play", "double", "drop"]
    assert read_match_json(write_match_json(match)) == match


@pytest.mark.parametrize(
    ("game", "played", "message"),
    [
        ("fevga", turns((3, 1, "24/21 24/23")), "game 1, turn 1, player 0: play 24/21 24/23 with 3-1"),
        ("fevga", turns((3, 1, "sideways")), "game 1, turn 1, player 0: play 'sideways'"),
        ("fevga", [{"player": 0}], "game 1, turn 1, player 0: play: expected a roll"),
        ("fevga", [*turns((3, 1, "24/20")), *turns((3, 1, "24/20"))], "turn 2, player 0: expected player 1"),
        ("fevga", [{"player": 0, "action": "double", "cube": 2}], "fevga is played without a cube"),
        ("oyna-backgammon", [{"player": 0, "action": "take"}], "take, expected a double before it"),
        ("oyna-backgammon", [{"player": 0, "action": "double", "cube": 4}], "double to 4, but both players may double"),
    ],
)
def test_an_impossible_turn_is_named_or_ends_its_game(game: str, played: list[Any], message: str) -> None:
    text = match_file(game, {"score": [0, 0], "turns": played, "winner": 1, "points": 1})
    with pytest.raises(TavlaError) as caught:
        read_match_json(text)
    assert message in str(caught.value)
    match = read_match_json(text, strict=False)
    assert message in match.problems[0]
    assert match.problems[0].endswith("the rest of game 1 is left out")
    assert match.games[0].winner == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "match file: not JSON"),
        ("{}", "match file: format: Field required"),
        (match_file("chess", FEVGA), "unknown ruleset 'chess'"),
        (match_file("fevga", {"score": [0, -1], "turns": []}), "games.0.score.1"),
        (match_file("fevga", {"score": [0, 0], "turns": [], "wins": 1}), "games.0.wins"),
        (match_file("fevga", {"score": [0, 0], "turns": turns((7, 1, ""))}), "games.0.turns.0.dice.0"),
    ],
)
def test_a_malformed_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(TavlaError) as caught:
        read_match_json(text)
    assert message in str(caught.value)


def test_a_result_that_the_board_denies_is_noted() -> None:
    match = read_match_json(match_file("fevga", {"score": [0, 0], "turns": [], "winner": 0, "points": 3}))
    assert match.problems == ("game 1: a win of 3, expected at most 2",)


def test_a_match_over_a_set_is_judged_game_by_game(tmp_path: Path) -> None:
    greek = get_match_set("zar-greek")
    portes = {"score": [0, 0], "turns": turns((3, 1, "8/5 6/5"), (4, 2, "8/4 6/4")), "winner": 0, "points": 1}
    plakoto = {"score": [1, 0], "turns": turns((6, 5, "24/18 24/19"), (3, 1, "24/20")), "winner": 1, "points": 2}
    match = read_match_json(match_file("zar-greek", portes, plakoto, FEVGA | {"score": [1, 2]}, length=5))
    evaluators = []
    for name in greek.games:
        ruleset = get_ruleset(name)
        checkpoint = load_checkpoint(write_checkpoint(tmp_path / name, ruleset=name, num_scores=len(ruleset.scores)))
        evaluators.append(Evaluator(checkpoint, ruleset, EvaluatorOptions(match_set=greek)))
    analysis = analyze_match(match, evaluators)
    assert analysis.game == greek
    assert [game.ruleset.name for game in analysis.games] == list(greek.games)
    assert [len(game.plays) for game in analysis.games] == [2, 2, 3]
    with pytest.raises(RulesetError, match="expected one for each of portes, plakoto-greek, fevga"):
        analyze_match(match, evaluators[0])


def test_the_command_line_takes_the_game_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    game = {"score": [0, 0], "turns": turns((3, 1, "8/5 6/5"), (4, 2, "8/4 6/4")), "winner": 0, "points": 1}
    path.write_text(match_file("oyna-tavla", game, length=5))
    data = ok_json("analyze", path)
    assert (data["ruleset"], data["games"][0]["ruleset"]) == ("oyna-tavla", "oyna-tavla")
    assert "a match of oyna-tavla; expected one of traditional" in fails("analyze", path, "--ruleset", "traditional")
    assert read_match(path).games[0].winner == 0


def test_the_schema_is_the_one_that_is_checked_in() -> None:
    assert json.loads((ROOT / "docs" / "match.schema.json").read_text()) == match_schema()
