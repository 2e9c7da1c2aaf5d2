"""The external player of GNU Backgammon: lines over a socket, interface 2 as its version 1.07 speaks it.

A request is a FIBS board in GNU Backgammon's order (see `FibsBoard.from_text`). The answer is the bot's action:

    dice                 the play, step by step; a blank if there is no legal move
    no dice              `roll` or `double`
    a double offered     `take` or `drop`
    `resignation N`      after the board, or −N in the field of the double: `accept` or `reject`; the side on roll
                         resigns

Other requests are `version`, `help`, `set debug on`, `set newinterface on`, `exit`, and `evaluation fibsboard BOARD`
with options. An evaluation is answered with the chances of the side on roll (a win, a gammon, a backgammon, a lost
gammon, a lost backgammon) and its equity, or in a match its chance of winning the match. A request that cannot be
answered gets one line `Error: …`; GNU Backgammon then stops the game, and the connection stays open. Version 1.07 does
not ask its external player about resignations: it refuses all but a backgammon for that player.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from importlib.metadata import version
from typing import NamedTuple

from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.evaluator import BaseEvaluator
from tavla_ai.formats import FibsBoard, MatchId, format_gnubg_id
from tavla_ai.rules import check_board
from tavla_ai.serve.player import Player, play_text

# GNU Backgammon reads answers into 256 bytes and cannot read on after a longer one.
MAX_REPLY = 250
# A FIBS board has about 150 characters.
MAX_REQUEST = 4096

_BOARD = re.compile(r"(board:[^:]*:[^:]*(?::-?[0-9]+){50})(?:\s+(.*))?", re.IGNORECASE)
_WAS_DOUBLED_FIELD = 40
_BOOLEANS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_SWITCHES = ("cube", "deterministic", "prune", "crawfordrule", "jacobyrule", "beavers")
_DEBUG_PREFIX = "DBG: "


class _Options(NamedTuple):
    """Options after a board.

    The other switches of the protocol are read and ignored: evaluations are deterministic and not pruned, and beavers
    and the Jacoby rule are not supported.
    """

    plies: int | None = None
    is_cubeful: bool = False
    has_crawford_rule: bool = True
    resignation: int = 0


class ExternalPlayer:
    """One connection's side of the protocol, without the socket.

    Args:
      evaluator: the bot's network and game.
      ply: look-ahead.

    Raises:
      RulesetError: the game does not have the plays of backgammon.
    """

    def __init__(self, evaluator: BaseEvaluator, ply: int = 0) -> None:
        self.player = Player(evaluator, ply)
        self.is_over = False
        self._is_debug = False

    def reply(self, line: str) -> str:
        """Return the answer to one line, without a newline at the end; a failure is a line `Error: …`.

        Only `version` and, with debugging on, a board have answers of several lines. After `exit` the answer is empty
        and `is_over` is true.
        """
        try:
            return self._answer(line.strip(" \t\r\n\0"))
        except TavlaError as error:
            return _error(str(error))

    def _answer(self, line: str) -> str:
        lowered = line.lower()
        words = lowered.split()
        if not words:
            return _error("no command given")
        if lowered.startswith("board:"):
            return self._answer_board(line)
        if words[0] == "evaluation":
            # The board keeps its capitals, because names have them.
            return self._answer_evaluation(line[len("evaluation") :].strip())
        if words[0] == "set":
            return self._set(words[1:])
        if words == ["version"]:
            engine = self.player.evaluator.version[:8]
            return f"Interface: 2\nRFBF: 0\nEngine: {engine}\nSoftware: tavla-ai {version('tavla-ai')}"
        if words == ["help"]:
            return "\tboard:..., evaluation fibsboard board:..., version, set debug on|off, exit"
        if words == ["exit"]:
            self.is_over = True
            return ""
        return _error(f"unknown command {line!r}: expected a FIBS board, evaluation, version, set, help or exit")

    def _set(self, words: list[str]) -> str:
        if len(words) != 2 or words[0] not in ("debug", "newinterface") or words[1] not in _BOOLEANS:
            return _error(f"set {' '.join(words)}: expected set debug or set newinterface, and on or off")
        is_on = _BOOLEANS[words[1]]
        if words[0] == "debug":
            self._is_debug = is_on
        return f"{'Debug output' if words[0] == 'debug' else 'New interface'} {'ON' if is_on else 'OFF'}"

    def _answer_board(self, text: str) -> str:
        board, options = self._read_board(text)
        position, match, player = board.position, board.match, self.player
        if options.resignation:
            answer = "accept" if player.accepts_resignation(position, options.resignation, match) else "reject"
        elif board.is_double_offered:
            answer = "take" if player.should_take(position.swap(), match.swap()) else "drop"
        elif board.dice is not None:
            # GNU Backgammon does not take an empty line for an answer.
            answer = play_text(player.choose_play(position, board.dice, match).steps) or " "
        else:
            answer = "double" if player.should_double(position, match) else "roll"
        return self._debug(board) + answer

    def _answer_evaluation(self, text: str) -> str:
        keyword, _, rest = text.partition(" ")
        if keyword.lower() != "fibsboard":
            raise NotationError(f"evaluation {keyword!r}: expected fibsboard and a FIBS board")
        board, options = self._read_board(rest.strip())
        position, match = board.position, board.match
        if board.is_double_offered:
            position, match = position.swap(), match.swap()
        match = self.player.stakes(match)
        evaluator, ply = self.player.evaluator, self.player.ply if options.plies is None else options.plies
        evaluation = evaluator.evaluate(position, match, ply=ply)
        chances = [
            sum(share for score, share in zip(evaluation.scores, evaluation.outcomes, strict=True) if sign * score >= k)
            for sign, k in ((1, 1), (1, 2), (1, 3), (-1, 2), (-1, 3))
        ]
        value = evaluation.equity if match.length is None else evaluation.value
        if options.is_cubeful and evaluator.ruleset.cube:
            value = evaluator.cube_decision(position, match, ply=ply).value
        return self._debug(board) + " ".join(f"{number:f}" for number in (*chances, value))

    def _read_board(self, text: str) -> tuple[FibsBoard, _Options]:
        found = _BOARD.fullmatch(text)
        board_text, rest = (found[1], found[2] or "") if found else (text, "")
        options = _read_options(rest)
        tokens = board_text.split(":")
        if found and re.fullmatch("-[1-9]", tokens[_WAS_DOUBLED_FIELD]):
            options = options._replace(resignation=-int(tokens[_WAS_DOUBLED_FIELD]))
            tokens[_WAS_DOUBLED_FIELD] = "0"
        board = FibsBoard.from_text(":".join(tokens), from_gnubg=True)
        # `Player.stakes` adapts cube and Crawford rule to the bot's house, so it can play at a table that has them.
        check_board(board.position.board, self.player.ruleset)
        if not options.has_crawford_rule:
            board = replace(board, match=replace(board.match, is_crawford=False))
        return board, options

    def _debug(self, board: FibsBoard) -> str:
        if not self._is_debug:
            return ""
        position, match = (board.position, board.match)
        if board.is_double_offered:
            position, match = position.swap(), match.swap()
        match_id = MatchId.from_match(match, dice=board.dice, is_double_offered=board.is_double_offered)
        lines = [
            f"{self.player.ruleset.name}, {format_gnubg_id(position, match_id)}",
            *position.render(self.player.ruleset).splitlines(),
        ]
        return "".join(f"{_DEBUG_PREFIX}{line}\n" for line in lines)


async def serve(
    evaluator: BaseEvaluator,
    host: str,
    port: int,
    *,
    ply: int = 0,
    on_listening: Callable[[str], None],
    log: Callable[[str], None],
) -> None:
    """Play for every client, several at once, until cancelled.

    Args:
      evaluator: the network and its game.
      host: name or address to listen on.
      port: number to listen on; 0 takes a free one.
      ply: look-ahead.
      on_listening: told once where the server listens, as `HOST:PORT`.
      log: told a line for each connection.

    Raises:
      RulesetError: the game does not have the plays of backgammon.
      OSError: nothing can listen there.
    """
    ExternalPlayer(evaluator, ply)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        log(f"connection from {_address(writer.get_extra_info('peername'))}")
        player = ExternalPlayer(evaluator, ply)
        try:
            async for line in _lines(reader):
                # A search may take long; other connections must not wait for it.
                reply = (
                    _error(f"a line of more than {MAX_REQUEST} bytes")
                    if line is None
                    else await asyncio.to_thread(player.reply, line.decode("utf-8", "replace"))
                )
                if player.is_over:
                    break
                writer.write(reply.encode("ascii", "backslashreplace") + b"\n")
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            # The other side has gone, or the server stops. Python 3.11 would show a traceback if this were raised.
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port)
    try:
        on_listening(_address(server.sockets[0].getsockname()))
        await asyncio.Event().wait()
    finally:
        server.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes | None]:
    """Yield each line that comes; None for one that is too long to be kept."""
    rest, is_too_long = b"", False
    while chunk := await reader.read(MAX_REQUEST):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield None if is_too_long or len(line) > MAX_REQUEST else line
            is_too_long = False
        if len(rest) > MAX_REQUEST:
            rest, is_too_long = b"", True
    # GNU Backgammon ends each line with a newline and a zero byte; the zero is not a line.
    if rest.strip(b" \t\r\0"):
        yield rest


def _address(name: tuple[object, ...]) -> str:
    host, port = str(name[0]), name[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _read_options(text: str) -> _Options:
    """Return the options after a board: words and their values."""
    options = _Options()
    words = text.lower().split()
    while words:
        word = words.pop(0)
        if word in ("cubeful", "cubeless"):
            options = options._replace(is_cubeful=word == "cubeful")
            continue
        value = words.pop(0) if words else ""
        if word == "plies" and re.fullmatch("[0-9]{1,3}", value):
            if int(value) > MAX_PLY:
                raise RulesetError(f"plies {value}: expected 0 to {MAX_PLY}")
            options = options._replace(plies=int(value))
        elif word == "resignation" and re.fullmatch("[0-3]", value):
            options = options._replace(resignation=int(value))
        elif word == "noise" and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", value):
            if float(value):
                raise RulesetError(f"noise {value}: expected 0; evaluations here have none")
        elif word in _SWITCHES and value in _BOOLEANS:
            if word == "crawfordrule":
                options = options._replace(has_crawford_rule=_BOOLEANS[value])
        else:
            raise NotationError(
                f"option {word!r} {value!r}: expected plies N, cubeful, cubeless, noise 0, resignation 1 to 3, or "
                f"{', '.join(_SWITCHES)} with on or off"
            )
    return options


def _error(message: str) -> str:
    line = f"Error: {' '.join(message.split())}"
    line = line.encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= MAX_REPLY else f"{line[: MAX_REPLY - 3]}..."
