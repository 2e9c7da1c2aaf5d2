"""UBGI: dialogues, as a controller holds them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import ok, tavla
from hypothesis import example, given, settings
from hypothesis import strategies as st
from serve_cases import FIRST_PLAY, LINES, ON_THE_BAR, RACER, RACER_WITH_CUBE, START, WON_RACE, changed_boards

from tavla_ai.evaluator import BaseEvaluator, Evaluator, EvaluatorOptions
from tavla_ai.formats import FibsBoard, MatchId, Xgid, format_gnubg_id
from tavla_ai.match import Cube, MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.rules import MatchSet, Position
from tavla_ai.serve import UbgiEngine, run


def dialogue(evaluator: BaseEvaluator, text: str) -> None:
    """Hold a dialogue: lines that start with `> ` are said, the others are what must be answered."""
    engine = UbgiEngine(evaluator)
    lines = [line.strip() for line in text.strip().splitlines()]
    got = []
    for line in lines:
        if line.startswith(">"):
            got += [line, *engine.handle(line[1:] + "\r\n")]
    assert got == lines


def test_ubgi_shakes_hands() -> None:
    lines = UbgiEngine(RACER, ply=1).handle("ubgi")
    assert lines[0] == "id name tavla-ai north-sultan"
    assert [line.split()[0] for line in lines] == ["id", "id", "id", "proto", *["key"] * 4, "ubgiok"]
    assert lines[3] == "proto 0.2"
    assert "key engine.ply int 1..5 2 look-ahead; 1 is the network alone" in lines


def test_a_ubgi_game_without_a_cube(tavla_bot: Evaluator) -> None:
    dialogue(
        tavla_bot,
        """
        > isready
        readyok
        > go
        error bad_state missing position
        > newgame
        > go
        error bad_state missing dice
        > dice 3 1
        > go
        bestmove 8/5 6/5
        > go chequer
        bestmove 8/5 6/5
        > go role chequer movetime 10
        bestmove 8/5 6/5
        > go turn depth 1
        bestturn cube=nodouble move=8/5 6/5
        > go cube
        error unsupported go cube: north-sultan has no cube
        > newsession type match length 5
        > setscore 1 3
        > go
        bestmove 8/5 6/5
        > position gnubgid 4HPwATDgc/ABMA
        > go
        error bad_state missing dice
        >
        > stop
        """,
    )


def test_ubgi_writes_bar_off_and_pass(tavla_bot: Evaluator) -> None:
    dialogue(
        tavla_bot,
        f"""
        > position gnubgid {ON_THE_BAR.to_id()}
        > dice 3 1
        > go
        bestmove pass
        > position gnubgid {WON_RACE.to_id()}
        > dice 6 6
        > go
        bestmove 6/off 6/off 6/off 5/off
        """,
    )


def test_ubgi_cube_decisions(backgammon_bot: Evaluator) -> None:
    dialogue(
        backgammon_bot,
        f"""
        > position gnubgid {WON_RACE.to_id()}
        > go cube
        bestcube double
        > setcube value 2 owner p1
        > go cube
        bestcube nodouble
        > setturn p1
        > go cube
        bestcube double
        > dice 6 5
        > go turn
        bestturn cube=double move=6/off 5/off
        > newsession type match length 5 crawford on
        > setscore 4 1
        > go cube
        bestcube nodouble
        > newsession type match length 5 crawford off
        > setscore 1 4
        > go cube
        bestcube double
        > newsession type money jacoby off
        > go cube
        bestcube double
        """,
    )


def test_ubgi_reads_ids_and_xgids_with_their_stakes(backgammon_bot: Evaluator) -> None:
    match = MatchState(5, (1, 3), cube=Cube(2, "opponent"))
    for seat, on_roll in (("bottom", 0), ("top", 1)):
        xgid = Xgid(WON_RACE, match, seat, (6, 5))  # type: ignore[arg-type]
        gnubg_id = format_gnubg_id(WON_RACE, MatchId.from_match(match, on_roll=on_roll, dice=(6, 5)))
        dialogue(
            backgammon_bot,
            f"""
            > position xgid {xgid.to_text()}
            > go turn
            bestturn cube=nodouble move=6/off 5/off
            > setcube value 2 owner p{on_roll}
            > go cube
            bestcube double
            > position gnubgid {gnubg_id}
            > go turn
            bestturn cube=nodouble move=6/off 5/off
            """,
        )
    crawford = Xgid(WON_RACE, MatchState(5, (1, 4), is_crawford=True)).to_text()
    dialogue(backgammon_bot, f"> position xgid {crawford}\n> go cube\nbestcube nodouble")
    after = Xgid(WON_RACE, MatchState(5, (1, 4))).to_text()
    dialogue(backgammon_bot, f"> position xgid {after}\n> go cube\nbestcube double")


def test_ubgi_keys() -> None:
    dialogue(
        RACER_WITH_CUBE,
        f"""
        > keys
        key engine.ply int 1..5 1 look-ahead; 1 is the network alone
        key engine.threads int 1..256 1 ! threads of a search
        key engine.time_ms int 0..3600000 0 milliseconds that a play may deepen for; 0 for no clock
        key game.variant enum backgammon backgammon only this one
        > set engine.ply 2
        > get engine.ply
        value engine.ply 2
        > set engine.threads 2
        > get engine.threads
        value engine.threads 2
        > set engine.time_ms 20
        > get engine.time_ms
        value engine.time_ms 20
        > newgame
        > dice 3 1
        > go
        bestmove {FIRST_PLAY}
        > set engine.time_ms 0
        > get engine.time_ms
        value engine.time_ms 0
        > setoption name Ply value 0
        > get engine.ply
        value engine.ply 1
        > setoption name Threads value 1
        > set game.variant backgammon
        > get game.variant
        value game.variant backgammon
        """,
    )


def test_ubgi_threads_change_nothing_else(tmp_path: Path) -> None:
    """Of a set, a position whose game another bot plays is refused, whatever the threads."""
    games = MatchSet(name="two", title="Two", games=("plakoto", "portes"), match_lengths=(5,), default_match_length=5)
    checkpoint = load_checkpoint(write_checkpoint(tmp_path / "net", "portes"))
    dialogue(
        Evaluator(checkpoint, options=EvaluatorOptions(match_set=games)),
        """
        > newsession type match length 5
        > newgame
        > dice 3 1
        > go
        error bad_value game 0 of the set: plakoto is played, not portes
        > set engine.threads 4
        > get engine.threads
        value engine.threads 4
        > go
        error bad_value game 0 of the set: plakoto is played, not portes
        """,
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("bogus", "bad_command"),
        ("UBGI", "bad_command"),
        ("set", "bad_command"),
        ("set engine.ply", "bad_command"),
        ("set engine.ply 0", "bad_value"),
        ("set engine.ply 6", "bad_value"),
        ("set engine.ply x", "bad_value"),
        ("set engine.threads 0", "bad_value"),
        ("set game.variant nackgammon", "bad_value"),
        ("set engine.seed 1", "unsupported"),
        ("get", "bad_command"),
        ("get engine.seed", "unsupported"),
        ("setoption name Threads", "bad_command"),
        ("setoption name Hash value 1", "unsupported"),
        ("setoption name Ply value x", "bad_value"),
        ("newsession", "bad_value"),
        ("newsession type", "bad_command"),
        ("newsession type league", "bad_value"),
        ("newsession type match", "bad_value"),
        ("newsession type match length 0", "bad_value"),
        ("newsession type money jacoby on", "unsupported"),
        ("newsession type money crawford maybe", "bad_value"),
        ("setscore 1", "bad_command"),
        ("setscore 1 x", "bad_value"),
        ("setcube 2", "bad_command"),
        ("setcube value 3 owner p0", "bad_value"),
        ("setcube value 2 owner me", "bad_value"),
        ("setturn p2", "bad_value"),
        ("position", "bad_command"),
        ("position fen x", "bad_command"),
        ("position gnubgid 4HPwATDgc/AB!A", "bad_value"),
        ("position gnubgid AAAAAAAAAAAAAA", "bad_value"),
        ("position xgid XGID=x", "bad_value"),
        ("dice 3", "bad_command"),
        ("dice 3 7", "bad_value"),
        ("go fish", "bad_command"),
        ("go nodes 5", "unsupported"),
        ("go movetime", "bad_value"),
        ("go depth 9", "bad_value"),
    ],
)
def test_ubgi_errors_have_a_code_and_the_dialogue_goes_on(line: str, code: str) -> None:
    engine = UbgiEngine(RACER_WITH_CUBE)
    (answer,) = engine.handle(line)
    assert answer.startswith(f"error {code} ")
    engine.handle("newgame")
    engine.handle("dice 3 1")
    assert engine.handle("go") == [f"bestmove {FIRST_PLAY}"]


def test_a_score_beyond_the_match_changes_nothing() -> None:
    engine = UbgiEngine(RACER_WITH_CUBE)
    engine.handle("newsession type match length 5")
    assert engine.handle("setscore 5 0")[0].startswith("error bad_value")
    engine.handle("newgame")
    engine.handle("dice 3 1")
    assert engine.handle("go") == [f"bestmove {FIRST_PLAY}"]


def test_a_bare_position_is_answered_with_the_bare_action(tavla_bot: Evaluator, backgammon_bot: Evaluator) -> None:
    # Here a board is FIBS's own, with the scores of the first player first.
    def fibs(position: Position, match: MatchState = MatchState(), **fields: object) -> str:
        return FibsBoard(position, match, **fields).to_text()  # type: ignore[arg-type]

    xgid = Xgid(START, dice=(3, 1)).to_text()
    doubled = Xgid(WON_RACE, action="double").to_text()
    dialogue(
        backgammon_bot,
        f"""
        > {fibs(START, dice=(3, 1))}
        8/5 6/5
        > {xgid}
        8/5 6/5
        > {fibs(WON_RACE)}
        double
        > {fibs(START)}
        roll
        > {fibs(WON_RACE.swap(), is_double_offered=True)}
        drop
        > {doubled}
        drop
        > {doubled.replace(":D:", ":B:")}
        sorry
        > {xgid.replace("31", "37")}
        sorry
        > board:x
        sorry
        """,
    )
    assert UbgiEngine(backgammon_bot).handle(fibs(ON_THE_BAR, dice=(3, 1))) == [""]
    assert UbgiEngine(tavla_bot).handle(fibs(WON_RACE)) == ["roll"]


def test_run_ends_at_quit_or_at_the_end() -> None:
    said: list[str] = []
    run(UbgiEngine(RACER), ["isready\n", "quit\n", "isready\n"], said.append)
    run(UbgiEngine(RACER), ["isready"], said.append)
    assert said == ["readyok"] * 2


def test_the_ubgi_command_answers_at_once_and_takes_any_bytes(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "small")
    process = subprocess.Popen(
        tavla("ubgi", "--checkpoint", str(path), "--ply", "1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\xff\xfe\r\n\r\nget engine.ply\r\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"error bad_command ")
    assert process.stdout.readline().strip() == b"value engine.ply 2"
    stdout, stderr = process.communicate(b"isready", timeout=30)
    assert (process.returncode, stdout.strip(), stderr) == (0, b"readyok", b"")
    assert ok("ubgi", "--checkpoint", path) == ""


@settings(deadline=None, max_examples=150)
@given(lines=st.lists(LINES | changed_boards(), max_size=8))
@example(lines=["newgame", "setcube value 32768 owner p0", "go cube", "newsession type match length 99", "go cube"])
def test_any_lines_are_answered_in_ubgi(lines: list[str], tavla_bot: Evaluator, backgammon_bot: Evaluator) -> None:
    for evaluator in (tavla_bot, backgammon_bot):
        engine = UbgiEngine(evaluator)
        for line in lines:
            assert all("\n" not in answer for answer in engine.handle(line))
