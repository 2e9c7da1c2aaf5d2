"""Tournaments with the doubling cube."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai import engine
from tavla_ai.bots import Bot, load_bot
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.evaluator import load_evaluator
from tavla_ai.formats import read_mat, read_match_json, write_mat, write_match_json
from tavla_ai.match import Cube, MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import Position, compile_rules, get_ruleset
from tavla_ai.tournament import (
    Arena,
    PlayedTournament,
    TournamentReplay,
    WatchedDouble,
    WatchedTurn,
    Workers,
    play_tournament,
    replay_pairs,
)

BACKGAMMON = get_ruleset("oyna-backgammon")


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[Bot]:
    """Two bots with other opinions of the cube: the shipped network, and random weights."""
    path = write_checkpoint(tmp_path_factory.mktemp("cube") / "net", "oyna-backgammon", num_scores=6)
    return [load_bot("backgammon", BACKGAMMON), load_bot(path, BACKGAMMON)]


def played(
    bots: list[Bot], games: int, length: int | None, out: Path | None = None, threads: int = 1
) -> PlayedTournament:
    arena = Arena(BACKGAMMON, bots, 3, length, cube=True)
    return play_tournament(arena, games, out=out, workers=Workers(threads))


@pytest.mark.parametrize("length", [None, 5])
def test_actions_follow_the_rules_of_the_cube_and_add_up_to_the_result(bots: list[Bot], length: int | None) -> None:
    tournament = played(bots, 24, length)
    contests = tournament.contests[0]
    assert contests.cube is not None
    num_doubles = num_passes = 0
    for index, contest in enumerate(replay_pairs(tournament.arena, 0, 1, 0, 12)):
        away = [length or 0, length or 0]
        total, had_crawford = 0, False
        for game in contest.games():
            is_crawford = length is not None and not had_crawford and 1 in away and away != [1, 1]
            had_crawford = had_crawford or is_crawford
            cube, owner = 1, None
            for before, action in zip([None, *game], game, strict=False):
                assert action.is_crawford == is_crawford
                assert action.away == tuple(away)
                if isinstance(action, WatchedDouble) and action.action == "double":
                    # Never before the first roll of a game, nor in the Crawford game, nor with the opponent's cube.
                    assert action.ply > 0
                    assert not is_crawford
                    assert owner in (None, action.side)
                    assert length is None or cube < away[action.side]
                    cube *= 2
                    assert action.cube == cube <= 64
                    num_doubles += 1
                elif isinstance(action, WatchedDouble):
                    assert isinstance(before, WatchedDouble)
                    assert before.action == "double"
                    assert before.side != action.side
                    owner = action.side
                else:
                    assert action.cube == cube
            last = game[-1]
            if isinstance(last, WatchedTurn):
                assert last.score is not None
                winner, points = last.side, last.score * cube
            else:
                assert last.action == "drop"
                winner, points = last.side ^ 1, cube // 2
                num_passes += 1
            total += points if winner == 0 else -points
            away[winner] -= points
        assert total == contests.cube[index // 2, index % 2, 0]
        assert contests.points[index // 2, index % 2] == (total if length is None else np.sign(away[1] - away[0]))
    assert (num_doubles, num_passes) == tuple(contests.cube[..., 1:].sum(axis=(0, 1)))
    result = tournament.result.pairings[0]
    assert result.points_per_game == pytest.approx(contests.cube[..., 0].sum() / contests.num_games)
    assert result.doubles_per_game == num_doubles / contests.num_games
    assert result.pass_share == num_passes / contests.num_games
    assert num_doubles > num_passes > 0


def test_a_tournament_of_doubling_is_resumed_and_replayed(bots: list[Bot], tmp_path: Path) -> None:
    whole = played(bots, 12, 5, threads=2)
    played(bots, 12, 5, tmp_path)
    lines = (tmp_path / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_text("".join(lines[:7]))
    again = played(bots, 12, 5, tmp_path)
    assert (tmp_path / "results.jsonl").read_text() == "".join(lines)
    without_speed = {"pairings": {"__all__": {"games_per_second"}}}
    assert again.result.model_dump(exclude=without_speed) == whole.result.model_dump(exclude=without_speed)

    replay = TournamentReplay(tmp_path, bots)
    for number in (1, 12):
        contest, line = replay.contest(number), replay.lines[number - 1]
        assert line.cube is not None
        for match in (
            read_mat(write_mat(contest.match()), BACKGAMMON),
            read_match_json(write_match_json(contest.match())),
        ):
            actions = [turn.action for game in match.games for turn in game.turns]
            assert (actions.count("double"), actions.count("drop")) == line.cube[1:]
            assert sum(game.points or 0 for game in match.games if game.winner == 0) >= 5 or line.points == -1
        assert contest.text().count("doubles to") == line.cube[1]
        assert contest.text().count("passes") == line.cube[2]


def test_a_bot_doubles_as_its_evaluator_decides(bots: list[Bot]) -> None:
    evaluator = load_evaluator(BACKGAMMON, "backgammon")
    equity = evaluator.match_equity(5)
    boards, _ = engine.random_walk(compile_rules(BACKGAMMON), 5, 0, 3)
    boards = boards[::23].copy()
    states = [MatchState(), MatchState(cube=Cube(2, "me")), MatchState(5, (2, 4), cube=Cube(2)), MatchState(5, (3, 1))]
    for state in states:
        answers = bots[0].cube_answers(boards, [state] * len(boards), equity, threads=2)
        for board, answer in zip(boards, answers, strict=True):
            decision = evaluator.cube_decision(Position.from_board(board, BACKGAMMON), state)
            assert answer == (decision.should_double, decision.should_take)


def test_luck_with_a_cube_narrows_the_result(bots: list[Bot]) -> None:
    """Each side of a bot against itself has the same strength, so without luck nothing is left but the error."""
    network = load_checkpoint("backgammon")
    arena = Arena(BACKGAMMON, [bots[0], bots[0]], 8, None, [network], cube=True)
    contests = play_tournament(arena, 80).contests[0]
    assert contests.luck is not None
    # Both games of a pair are the same with swapped seats.
    assert np.array_equal(contests.points[:, 0], -contests.points[:, 1])
    raw = contests.points[:, 0]
    adjusted = raw - contests.luck[:, 0]
    assert adjusted.std() < 0.75 * raw.std()


def test_who_cannot_double_is_named(bots: list[Bot]) -> None:
    with pytest.raises(TavlaError, match="pubeval: makes no cube decisions; expected a network, a level, or sage:PLY"):
        Arena(BACKGAMMON, [bots[0], load_bot("pubeval", BACKGAMMON)], 1, cube=True)
    tavla = get_ruleset("north-sultan")
    with pytest.raises(RulesetError, match="north-sultan: has no cube"):
        Arena(tavla, [load_bot("hard", tavla), load_bot("easy", tavla)], 1, cube=True)
