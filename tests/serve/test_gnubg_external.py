"""The external player of GNU Backgammon: requests and replies, the server, and the real program."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, tavla
from hypothesis import example, given, settings
from hypothesis import strategies as st
from serve_cases import (
    BACKGAMMON,
    CAPTURES,
    FIRST_PLAY,
    LINES,
    NEARLY_LOST,
    ON_THE_BAR,
    RACER,
    START,
    WON_RACE,
    board,
    changed_boards,
)

from tavla_ai.evaluator import Evaluator
from tavla_ai.formats import Game, MatchId, format_gnubg_id, parse_gnubg_id, read_mat
from tavla_ai.match import Cube, MatchState
from tavla_ai.rules import Position, apply_steps, legal_plays, parse_play
from tavla_ai.serve import ExternalPlayer, serve
from tavla_ai.serve.gnubg_external import MAX_REPLY, MAX_REQUEST

GNUBG = shutil.which("gnubg", path=os.environ.get("PATH", "") + ":/usr/games")


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture["gnubg_id"])
def test_what_gnubg_was_seen_to_ask_is_answered(
    capture: dict[str, str], tavla_bot: Evaluator, backgammon_bot: Evaluator
) -> None:
    position, stakes = parse_gnubg_id(capture["gnubg_id"])
    for evaluator in (tavla_bot, backgammon_bot):
        reply = ExternalPlayer(evaluator).reply(capture["board"] + "\n\0")
        if stakes.is_double_offered:
            assert reply in ("take", "drop")
        elif stakes.dice is None:
            assert reply in ("roll", "double")
            assert evaluator.ruleset.cube or reply == "roll"
        else:
            after = apply_steps(position, parse_play(reply), evaluator.ruleset)
            assert after in [play.afterstate for play in legal_plays(evaluator.ruleset, position, stakes.dice)]


@pytest.mark.parametrize("is_own_turn", [True, False])
def test_plays_are_written_step_by_step(is_own_turn: bool, tavla_bot: Evaluator) -> None:
    player = ExternalPlayer(tavla_bot)

    def reply(position: Position, *dice: int) -> str:
        return player.reply(board(position, dice=dice, is_own_turn=is_own_turn))

    assert reply(START, 3, 1) == "8/5 6/5"
    assert reply(ON_THE_BAR, 3, 1) == " "
    assert reply(WON_RACE, 6, 6) == "6/off 6/off 6/off 5/off"
    assert reply(Position.from_sides({24: 1, 2: 14}, {6: 15}), 6, 5) in ("24/18 18/13", "24/19 19/13")
    entering = Position.from_sides({6: 14}, {6: 4, 5: 2, 4: 2, 3: 2, 2: 2, 1: 1, 7: 2}, bar=(1, 0))
    assert reply(entering, 1, 2).startswith("bar/24 ")


def test_a_bot_with_a_cube_doubles_and_answers(backgammon_bot: Evaluator) -> None:
    player = ExternalPlayer(backgammon_bot)
    assert player.reply(board()) == "roll"
    assert player.reply(board(WON_RACE)) == "double"
    assert player.reply(board(WON_RACE.swap(), is_double_offered=True)) == "drop"
    assert player.reply(board(is_double_offered=True)) == "take"
    # The cube is the opponent's, or at the house's limit, or out of play.
    assert player.reply(board(WON_RACE, MatchState(cube=Cube(2, "opponent")))) == "roll"
    assert player.reply(board(WON_RACE, MatchState(cube=Cube(2, "me")))) == "double"
    assert player.reply(board(WON_RACE, MatchState(cube=Cube(64, "me")))) == "roll"
    assert player.reply(board(WON_RACE, MatchState(cube=Cube(256, "me")))) == "roll"
    # At 3-away the trailer's take point differs from money's: the score counts.
    match = MatchState(3, (0, 2))
    assert player.reply(board(START, match)) == "double"
    assert player.reply(board(START, MatchState(3, (0, 2), is_crawford=True))) == "roll"


def test_a_bot_without_a_cube_never_doubles_and_takes_within_reason(tavla_bot: Evaluator) -> None:
    player = ExternalPlayer(tavla_bot)
    assert player.reply(board(WON_RACE)) == "roll"
    assert player.reply(board(WON_RACE.swap(), is_double_offered=True)) == "drop"
    assert player.reply(board(is_double_offered=True)) == "take"
    # Once the cube is turned the game goes on as any other.
    for match in (MatchState(cube=Cube(2, "me")), MatchState(5, (1, 2), cube=Cube(2, "opponent"))):
        assert player.reply(board(match=match, dice=(3, 1))) == "8/5 6/5"
    assert player.reply(board(match=MatchState(5, (4, 2), is_crawford=True), dice=(3, 1))) == "8/5 6/5"


@pytest.mark.parametrize("is_own_turn", [True, False])
def test_resignations_are_accepted_for_what_the_game_is_worth(is_own_turn: bool, backgammon_bot: Evaluator) -> None:
    player = ExternalPlayer(backgammon_bot)

    def reply(position: Position, points: int, match: MatchState = MatchState()) -> list[str]:
        """Ask in both ways: as an option, and where a double is written."""
        text = board(position, match, is_own_turn=is_own_turn)
        tokens = text.split(":")
        tokens[40] = str(-points)
        return [player.reply(f"{text} resignation {points}"), player.reply(":".join(tokens))]

    lost = Position.from_sides({6: 15}, {1: 2})
    assert reply(lost, 1) == ["reject"] * 2
    assert reply(lost, 3) == ["accept"] * 2
    assert reply(lost, 9) == [reply(lost, 9)[0], "accept"]
    assert reply(START, 1) == ["accept"] * 2
    assert reply(NEARLY_LOST, 1) == ["accept"] * 2
    # One point wins the match, so that a mars adds nothing.
    assert reply(lost, 1, MatchState(3, (0, 2), is_crawford=False)) == ["accept"] * 2


def test_three_points_in_tavla_are_its_most(tavla_bot: Evaluator) -> None:
    lost = Position.from_sides({6: 15}, {1: 2})
    assert ExternalPlayer(tavla_bot).reply(board(lost) + " resignation 3") == "accept"


OPTIONS = "plies 0 cubeless cube on noise 0.0 deterministic on prune on crawfordrule on jacobyrule off"


def test_evaluations_are_those_of_the_evaluator(tavla_bot: Evaluator, backgammon_bot: Evaluator) -> None:
    for evaluator in (tavla_bot, backgammon_bot):
        player = ExternalPlayer(evaluator)
        for match in (MatchState(), MatchState(5, (1, 3))):
            reply = player.reply(f"evaluation fibsboard {board(match=match)} {OPTIONS}")
            assert re.fullmatch(r"[01]\.\d{6}( -?[01]\.\d{6}){5}", reply)
            win, gammon, backgammon, gammon_lost, backgammon_lost, value = map(float, reply.split())
            expected = evaluator.evaluate(START, match)
            assert (win, gammon, gammon_lost) == pytest.approx(
                (expected.win, expected.mars, expected.mars_lost), abs=2e-6
            )
            assert value == pytest.approx(expected.value, abs=2e-6)
            assert (backgammon > 0, backgammon_lost > 0) == (evaluator.ruleset.cube,) * 2


def test_an_evaluation_can_have_a_cube_and_other_plies(backgammon_bot: Evaluator) -> None:
    player = ExternalPlayer(backgammon_bot)
    match = MatchState(5, (4, 2), is_crawford=True)

    def value(text: str, options: str) -> float:
        return float(player.reply(f"EVALUATION FIBSBOARD {text} {options}").split()[-1])

    assert value(board(WON_RACE), "cubeful") == pytest.approx(1)
    assert value(board(), "cubeful") == pytest.approx(backgammon_bot.cube_decision(START).value, abs=2e-6)
    assert value(board(), "cubeless plies 1") == pytest.approx(backgammon_bot.evaluate(START, ply=1).value, abs=2e-6)
    assert value(board(match=match), "cubeful") == pytest.approx(
        backgammon_bot.cube_decision(START, match).value, abs=2e-6
    )
    # With the rule off the same score is that of any game.
    off = backgammon_bot.cube_decision(START, MatchState(5, (4, 2))).value
    assert value(board(match=match), "cubeful crawfordrule off") == pytest.approx(off, abs=2e-6)
    # The side that has doubled is on roll, though the other is asked.
    assert value(board(WON_RACE.swap(), is_double_offered=True), "cubeless") == pytest.approx(1, abs=1e-3)


def test_the_other_commands() -> None:
    player = ExternalPlayer(RACER)
    lines = player.reply("version").splitlines()
    assert [line.split(":")[0] for line in lines] == ["Interface", "RFBF", "Engine", "Software"]
    assert lines[2] == "Engine: fake"
    assert lines[0] == "Interface: 2"
    assert player.reply("set newinterface on") == "New interface ON"
    assert player.reply("set debug on") == "Debug output ON"
    *debug, answer = player.reply(board(match=MatchState(5, (1, 3)), dice=(3, 1))).splitlines()
    assert answer == FIRST_PLAY
    assert all(line.startswith("DBG: ") for line in debug)
    gnubg_id = format_gnubg_id(START, MatchId.from_match(MatchState(5, (1, 3)), dice=(3, 1)))
    assert gnubg_id in debug[0]
    assert player.reply(board(is_double_offered=True)).endswith("\ntake")
    assert player.reply("SET DEBUG OFF") == "Debug output OFF"
    assert player.reply(board(dice=(3, 1))) == FIRST_PLAY
    assert "board:" in player.reply("help")
    assert (player.reply("exit"), player.is_over) == ("", True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no command given"),
        (" \t\r\n", "no command given"),
        ("roll", "unknown command 'roll'"),
        ("version 2", "unknown command"),
        ("set", "expected set debug"),
        ("set debug", "on or off"),
        ("set prompt on", "expected set debug"),
        ("evaluation", "expected fibsboard"),
        ("evaluation fibsboard", "expected 53"),
        ("evaluation fibsboard x", "expected 53"),
        ("board:", "expected 53"),
        ("board:a:b", "expected 53"),
        (board(dice=(3, 1)) + " plies", "option 'plies' ''"),
        (board(dice=(3, 1)) + " plies 9", "plies 9: expected 0 to 4"),
        (board(dice=(3, 1)) + " noise 0.5", "noise 0.5: expected 0"),
        (board(dice=(3, 1)) + " prune maybe", "option 'prune' 'maybe'"),
        (board(dice=(3, 1)) + " resignation 4", "option 'resignation' '4'"),
        (board(dice=(3, 1)).replace(":3:1:3:1:", ":7:1:7:1:"), "die 7"),
        (board(dice=(3, 1)).replace(":5:", ":6:", 1), "checkers"),
        (board(match=MatchState(64), dice=(3, 1)), "64"),
    ],
)
def test_what_cannot_be_answered_is_one_short_line(line: str, message: str) -> None:
    player = ExternalPlayer(RACER)
    reply = player.reply(line)
    assert reply.startswith("Error: ")
    assert message in reply or reply.endswith("...")
    assert "\n" not in reply
    assert len(reply) <= MAX_REPLY
    assert player.reply(board(dice=(3, 1))) == FIRST_PLAY


def test_names_may_have_blanks_and_any_letters() -> None:
    player = ExternalPlayer(RACER)
    text = board(dice=(3, 1), names=("Gül Baba", "a bot"))
    assert player.reply(text) == FIRST_PLAY
    assert len(player.reply(f"evaluation fibsboard {text} plies 0").split()) == 6


@settings(deadline=None, max_examples=150)
@given(lines=st.lists(LINES | changed_boards(), max_size=6))
@example(lines=["\0", "board:", "evaluation fibsboard board:", "set debug on", CAPTURES[0]["board"]])
def test_any_lines_are_answered_by_the_external_player(
    lines: list[str], tavla_bot: Evaluator, backgammon_bot: Evaluator
) -> None:
    for evaluator in (tavla_bot, backgammon_bot):
        player = ExternalPlayer(evaluator)
        for line in lines:
            reply = player.reply(line)
            assert reply or line.strip() == "exit"
            assert not reply.startswith("Error") or "\n" not in reply


# The server


class Server:
    """A server on a free port, in a thread; it keeps what was asked and answered."""

    def __init__(self, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, str]] = []
        self.log: list[str] = []
        reply = ExternalPlayer.reply

        def kept(player: ExternalPlayer, line: str) -> str:
            answer = reply(player, line)
            self.asked.append((line, answer))
            return answer

        monkeypatch.setattr(ExternalPlayer, "reply", kept)
        ready = threading.Event()

        def listening(address: str) -> None:
            self.address = address
            ready.set()

        async def main() -> None:
            self.loop, self.task = asyncio.get_running_loop(), asyncio.current_task()
            await serve(evaluator, "127.0.0.1", 0, on_listening=listening, log=self.log.append)

        def played() -> None:
            # Stopping is being cancelled.
            with pytest.raises(asyncio.CancelledError):
                asyncio.run(main())

        self.thread = threading.Thread(target=played, daemon=True)
        self.thread.start()
        assert ready.wait(20)

    def connect(self) -> socket.socket:
        host, port = self.address.split(":")
        return socket.create_connection((host, int(port)), timeout=20)

    def stop(self) -> None:
        assert self.task is not None
        self.loop.call_soon_threadsafe(self.task.cancel)
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture
def tavla_server(tavla_bot: Evaluator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server(tavla_bot, monkeypatch)
    yield server
    server.stop()


@pytest.fixture
def backgammon_server(backgammon_bot: Evaluator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server(backgammon_bot, monkeypatch)
    yield server
    server.stop()


def test_several_clients_are_answered_in_any_pieces(tavla_server: Server) -> None:
    first, second = tavla_server.connect(), tavla_server.connect()
    asked, other = board(dice=(3, 1)).encode(), board().encode()
    first.sendall(asked[:70])
    second.sendall(other + b"\n\0" + other + b"\r\n")
    with second.makefile() as lines:
        assert [next(lines), next(lines)] == ["roll\n"] * 2
    first.sendall(asked[70:] + b"\n")
    with first.makefile() as lines:
        assert next(lines) == "8/5 6/5\n"
        first.sendall(b"x" * (3 * MAX_REQUEST) + b"\n" + asked + b"\n")
        assert next(lines) == f"Error: a line of more than {MAX_REQUEST} bytes\n"
        assert next(lines) == "8/5 6/5\n"
        first.sendall(b"\xff\xfe\n" + board(ON_THE_BAR, dice=(3, 1)).encode() + b"\n")
        assert next(lines).startswith("Error: unknown command")
        assert next(lines) == " \n"
        first.sendall(b"exit\n")
        assert next(lines, "") == ""
    second.sendall(other)
    second.shutdown(socket.SHUT_WR)
    assert second.recv(100) == b"roll\n"
    assert second.recv(100) == b""
    ports = [client.getsockname()[1] for client in (first, second)]
    assert sorted(tavla_server.log) == sorted(f"connection from 127.0.0.1:{port}" for port in ports)
    first.close()
    second.close()


def test_a_client_that_leaves_at_once_disturbs_nobody(tavla_server: Server) -> None:
    for _ in range(3):
        client = tavla_server.connect()
        client.sendall(board().encode() + b"\n")
        client.close()
    with tavla_server.connect() as client:
        client.sendall(b"version\n")
        assert client.recv(10) == b"Interface:"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_the_command_listens_until_ctrl_c(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "small")
    args = tavla("external", "--checkpoint", str(path))
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    assert re.fullmatch(r"listening on 127\.0\.0\.1:\d+\n", first)
    port = int(first.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(board().encode() + b"\n")
        assert client.recv(100) == b"roll\n"
        assert "address already in use" in fails("external", "--checkpoint", path, "--port", port)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.fullmatch(r"connection from 127\.0\.0\.1:\d+", stderr.strip())


def test_a_host_that_is_none_is_one_line(tmp_path: Path) -> None:
    fails("external", "--checkpoint", write_checkpoint(tmp_path / "small"), "--host", "256.0.0.1")


# The real program

SETUP = (
    *("set automatic roll off", "set automatic bearoff off", "set automatic move off", "set automatic crawford on"),
    *("set confirm new off", "set confirm save off", "set display off", "set jacoby off", "set seed 7"),
    *(
        "set player 0 gnubg",
        "set player 0 chequerplay evaluation plies 0",
        "set player 0 cubedecision evaluation plies 0",
    ),
)


def gnubg(commands: list[str], folder: Path) -> str:
    """Run GNU Backgammon on its commands and return what it said."""
    done = subprocess.run(
        [str(GNUBG), "-t", "-q"],
        input="\n".join([*SETUP, *commands]) + "\n",
        cwd=folder,
        env=os.environ | {"HOME": str(folder)},
        text=True,
        capture_output=True,
        timeout=150,
        check=True,
    )
    said = done.stdout + done.stderr
    assert not re.search(r"(?i)^(error|warning)|illegal|badly formed|unparsable|refused", said, re.MULTILINE), said
    return said


def check_played(server: Server, games: Iterable[Game]) -> Counter[str]:
    """Check that each answer of the server is what then happened, and return how often it did what.

    GNU Backgammon says nothing of an illegal play, but passes for the player: then the two differ.
    """
    turns = [turn for game in games for turn in game.turns if turn.player == 1]
    answers = [answer for _, answer in server.asked if answer != "roll"]
    for turn, answer in zip(turns, answers, strict=True):
        if turn.action == "play":
            # A checker that moves twice may have taken the other way.
            assert turn.before is not None
            assert turn.play is not None
            after = apply_steps(turn.before, parse_play(answer), BACKGAMMON)
            assert after == apply_steps(turn.before, turn.play, BACKGAMMON)
        else:
            assert answer == turn.action
    return Counter(turn.action for turn in turns)


peer = pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")


@pytest.mark.peer
@peer
def test_fifty_games_of_tavla_inside_gnubg(tavla_server: Server, tmp_path: Path) -> None:
    began = time.monotonic()
    games = 50
    said = gnubg(
        [
            *("set cube use off", "set automatic game off", f"set player 1 external {tavla_server.address}"),
            *("new session", *["new game"] * (games - 1), "export match mat games.mat"),
        ],
        tmp_path,
    )
    results = re.findall(r"^(\S+) wins a (single game|gammon|backgammon)", said, re.MULTILINE)
    assert len(results) == games
    # Reading the file plays every game through, and refuses plays that the rolls do not allow.
    match = read_mat((tmp_path / "games.mat").read_text())
    assert len(match.games) == games
    turns = check_played(tavla_server, match.games)
    # The bot has the name of whoever runs this.
    won = games - [winner for winner, _ in results].count("gnubg")
    print(f"\nwon {won} of {games} games of tavla, {turns['play']} plays, {time.monotonic() - began:.0f} s")
    assert won >= 12


@pytest.mark.peer
@peer
def test_fifty_games_of_backgammon_with_the_cube_inside_gnubg(backgammon_server: Server, tmp_path: Path) -> None:
    began = time.monotonic()
    matches = 35
    files = [f"match{k}.mat" for k in range(matches)]
    commands = ["set automatic game on", f"set player 1 external {backgammon_server.address}"]
    said = gnubg(
        [*commands, *(line for name in files for line in ("new match 3", f"export match mat {name}"))], tmp_path
    )
    winners = re.findall(r"(\w+) has won the match", said)
    assert len(winners) == matches
    games = [game for name in files for game in read_mat((tmp_path / name).read_text(), BACKGAMMON).games]
    assert len(games) >= 50
    turns = check_played(backgammon_server, games)
    assert min(turns["double"], turns["take"], turns["drop"]) > 0
    # The bot has the name of whoever runs this.
    won = matches - winners.count("gnubg")
    print(
        f"\nwon {won} of {matches} matches to 3, {len(games)} games, {turns['play']} plays, {turns['double']} doubles, "
        f"{turns['take']} takes, {turns['drop']} drops, {time.monotonic() - began:.0f} s"
    )
    assert won >= 7


@pytest.mark.peer
@peer
def test_gnubg_answers_the_same_requests_in_the_same_way(tmp_path: Path, backgammon_bot: Evaluator) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(GNUBG), "-t", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        text=True,
    )
    assert process.stdin is not None
    try:
        process.stdin.write(f"external 127.0.0.1:{port}\n")
        process.stdin.flush()
        client = None
        for _ in range(100):
            try:
                client = socket.create_connection(("127.0.0.1", port), timeout=20)
                break
            except OSError:
                time.sleep(0.2)
        assert client is not None
        with client, client.makefile("rw", newline="\n") as lines:

            def ask(line: str) -> str:
                lines.write(line + "\n")
                lines.flush()
                return lines.readline().removesuffix("\n")

            ours = ExternalPlayer(backgammon_bot)
            matches = (
                MatchState(),
                MatchState(5, (1, 3)),
                MatchState(5, (4, 2), is_crawford=True),
                MatchState(5, (4, 2)),
            )
            for is_own_turn in (True, False):
                for match in matches:
                    for position in (START, WON_RACE):
                        text = board(position, match, is_own_turn=is_own_turn)
                        asked = f"evaluation fibsboard {text} plies 0 cubeful jacobyrule off"
                        theirs = [float(number) for number in ask(asked).split()]
                        assert [float(number) for number in ours.reply(asked).split()] == pytest.approx(
                            theirs, abs=0.15
                        )
                    rolled = board(START, match, is_own_turn=is_own_turn, dice=(3, 1))
                    assert ask(rolled).strip() == ours.reply(rolled) == "8/5 6/5"
                doubled = board(WON_RACE.swap(), is_own_turn=is_own_turn, is_double_offered=True)
                assert ask(doubled) == ours.reply(doubled) == "drop"
                before = board(WON_RACE, is_own_turn=is_own_turn)
                assert ask(before) == ours.reply(before) == "double"
                resigned = board(NEARLY_LOST, is_own_turn=is_own_turn) + " resignation 1"
                assert ask(resigned) == ours.reply(resigned) == "accept"
                for position, roll in ((ON_THE_BAR, (3, 1)), (WON_RACE, (6, 6))):
                    text = board(position, is_own_turn=is_own_turn, dice=roll)
                    assert parse_play(ask(text)) == parse_play(ours.reply(text))
    finally:
        process.kill()
        process.wait()
