"""UBGI, the Universal Backgammon Interface: lines over stdin and stdout.

Versions 0.1 and 0.2 of bungogood's protocol (bgci, gnubg-ubgi): `ubgi`, `isready`, `newgame`, `set`, `get`, `keys`,
`position gnubgid` or `xgid`, `dice`, `go chequer|cube|turn` and `quit`, of 0.1 also `newsession`, `setscore`,
`setcube`, `setturn`, `setoption`, `go role …` and `stop`. Of Schønning-Johansen's draft 0.01, a bare FIBS board or XGID
is answered with the bare action, or `sorry`.

The side on roll is player 0 unless `setturn` or an XGID says otherwise; positions are seen by the side on roll. A new
position has no dice yet. `newgame` sets up the board and the cube; session and score stay until they are set. If
exactly one side is a point away, the game is the Crawford game, unless the session says `crawford off`; a controller
says that also for the games after it. `engine.ply` counts like UBGI: one more than this project and GNU Backgammon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Literal

from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import NotationError, RulesetError, TavlaError
from tavla_ai.evaluator import BaseEvaluator
from tavla_ai.formats import FibsBoard, Xgid, parse_gnubg_id
from tavla_ai.match import MAX_LENGTH, Cube, CubeOwner, MatchState
from tavla_ai.rules import Position, check_board, check_dice
from tavla_ai.serve.player import Player, play_text

ErrorCode = Literal["bad_command", "bad_value", "bad_state", "unsupported"]

MAX_THREADS = 256
MAX_TIME_MS = 3_600_000

# UBGI counts the play itself as the first ply.
_UBGI_PLIES = 1
_VARIANT = "backgammon"
# Names of version 0.1, where plies count as in GNU Backgammon.
_OPTIONS = {"threads": ("engine.threads", 0), "ply": ("engine.ply", 1), "evalplies": ("engine.ply", 1)}


class _UbgiError(Exception):
    """An answer `error CODE DETAIL`."""

    def __init__(self, code: ErrorCode, detail: str) -> None:
        super().__init__(f"error {code} {' '.join(detail.split())}")


@dataclass(frozen=True)
class _Session:
    """The stakes between the players 0 and 1."""

    length: int | None = None
    score: tuple[int, int] = (0, 0)
    has_crawford: bool = True
    cube: int = 1
    cube_owner: int | None = None
    on_roll: int = 0

    @classmethod
    def of(cls, match: MatchState, on_roll: int) -> _Session:
        """Return the session of stakes that are seen by the player on roll."""
        owners = {"centred": None, "me": on_roll, "opponent": 1 - on_roll}
        mine, theirs = match.score
        score = (theirs, mine) if on_roll else (mine, theirs)
        return cls(match.length, score, match.is_crawford, match.cube.value, owners[match.cube.owner], on_roll)

    def match_state(self) -> MatchState:
        """Return the stakes seen by the player on roll."""
        owner: CubeOwner = "centred"
        if self.cube_owner is not None:
            owner = "me" if self.cube_owner == self.on_roll else "opponent"
        cube = Cube(self.cube, owner)
        if self.length is None:
            return MatchState(cube=cube)
        score = self.score[self.on_roll], self.score[1 - self.on_roll]
        is_crawford = self.has_crawford and score.count(self.length - 1) == 1 and self.length > 1 and cube == Cube()
        return MatchState(self.length, score, is_crawford=is_crawford, cube=cube)


class UbgiEngine:
    """The protocol for one controller, without the pipes.

    Args:
      evaluator: the bot's network and game.
      ply: look-ahead, counted as in this project.

    Raises:
      RulesetError: a game whose plays are not backgammon's.
    """

    def __init__(self, evaluator: BaseEvaluator, ply: int = 0) -> None:
        self.player = Player(evaluator, ply)
        self.is_over = False
        self._default_ply, self._default_threads = ply, evaluator.threads
        self._session = _Session()
        self._position: Position | None = None
        self._dice: tuple[int, int] | None = None
        self._commands: dict[str, Callable[[list[str]], list[str]]] = {
            "ubgi": self._ubgi,
            "isready": lambda _: ["readyok"],
            "newgame": self._newgame,
            "newsession": self._newsession,
            "set": self._set,
            "get": self._get,
            "keys": lambda _: self._keys(),
            "setoption": self._setoption,
            "position": self._set_position,
            "dice": self._set_dice,
            "setscore": self._setscore,
            "setcube": self._setcube,
            "setturn": self._setturn,
            "go": self._go,
            # A search ends before the next line is read.
            "stop": lambda _: [],
            "quit": self._quit,
        }

    def handle(self, line: str) -> list[str]:
        """Return the lines that answer one line, or no line. After `quit`, `is_over` is true."""
        line = line.strip(" \t\r\n\0\ufeff")
        if not line.split():
            return []
        if line[:6].lower() == "board:" or line[:5].upper() == "XGID=":
            try:
                return [self._act(line)]
            except TavlaError:
                return ["sorry"]
        name, *words = line.split()
        try:
            if name not in self._commands:
                raise _UbgiError("bad_command", f"{name}: expected {', '.join(self._commands)}")
            return self._commands[name](words)
        except _UbgiError as error:
            return [str(error)]
        except (NotationError, RulesetError) as error:
            return [str(_UbgiError("bad_value", str(error)))]

    # The handshake and the keys

    def _ubgi(self, _: list[str]) -> list[str]:
        return [
            f"id name tavla-ai {self.player.ruleset.name}",
            "id author the tavla-ai authors",
            f"id version {version('tavla-ai')}",
            "proto 0.2",
            *self._keys(),
            "ubgiok",
        ]

    def _quit(self, _: list[str]) -> list[str]:
        self.is_over = True
        return []

    def _keys(self) -> list[str]:
        return [
            f"key engine.ply int 1..{MAX_PLY + _UBGI_PLIES} {self._default_ply + _UBGI_PLIES} "
            "look-ahead; 1 is the network alone",
            f"key engine.threads int 1..{MAX_THREADS} {self._default_threads} ! threads of a search",
            f"key engine.time_ms int 0..{MAX_TIME_MS} 0 milliseconds that a play may deepen for; 0 for no clock",
            f"key game.variant enum {_VARIANT} {_VARIANT} only this one",
        ]

    def _values(self) -> dict[str, str]:
        return {
            "engine.ply": str(self.player.ply + _UBGI_PLIES),
            "engine.threads": str(self.player.evaluator.threads),
            "engine.time_ms": str(int(self.player.time_ms or 0)),
            "game.variant": _VARIANT,
        }

    def _get(self, words: list[str]) -> list[str]:
        if len(words) != 1:
            raise _UbgiError("bad_command", "expected: get <key>")
        if words[0] not in self._values():
            raise _UbgiError("unsupported", f"key {words[0]}")
        return [f"value {words[0]} {self._values()[words[0]]}"]

    def _set(self, words: list[str]) -> list[str]:
        if len(words) != 2:
            raise _UbgiError("bad_command", "expected: set <key> <value>")
        key, value = words
        if key == "engine.ply":
            self.player.ply = _number(key, value, 1, MAX_PLY + _UBGI_PLIES) - _UBGI_PLIES
        elif key == "engine.threads":
            self._set_threads(_number(key, value, 1, MAX_THREADS))
        elif key == "engine.time_ms":
            self.player.time_ms = _number(key, value, 0, MAX_TIME_MS) or None
        elif key == "game.variant":
            if value != _VARIANT:
                raise _UbgiError("bad_value", f"{key} must_be {_VARIANT}")
        else:
            raise _UbgiError("unsupported", f"key {key}")
        return []

    def _setoption(self, words: list[str]) -> list[str]:
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise _UbgiError("bad_command", "expected: setoption name <name> value <value>")
        if words[1].lower() not in _OPTIONS:
            raise _UbgiError("unsupported", f"option {words[1]}")
        key, first = _OPTIONS[words[1].lower()]
        value = str(int(words[3]) + first) if re.fullmatch("[0-9]{1,9}", words[3]) else words[3]
        return self._set([key, value])

    def _set_threads(self, threads: int) -> None:
        if threads != self.player.evaluator.threads:
            self.player.evaluator = self.player.evaluator.with_threads(threads)

    # What is played

    def _newgame(self, _: list[str]) -> list[str]:
        self._position = Position.start(self.player.ruleset)
        self._dice = None
        self._session = replace(self._session, cube=1, cube_owner=None)
        return []

    def _newsession(self, words: list[str]) -> list[str]:
        options = dict(zip(words[::2], words[1::2], strict=False))
        usage = "expected: newsession type money|match [length <N>] [jacoby on|off] [crawford on|off]"
        if len(words) % 2 or not options.keys() <= {"type", "length", "jacoby", "crawford"}:
            raise _UbgiError("bad_command", usage)
        if options.get("type") not in ("money", "match"):
            raise _UbgiError("bad_value", usage)
        for rule in ("jacoby", "crawford"):
            if options.get(rule, "off") not in ("on", "off"):
                raise _UbgiError("bad_value", f"{rule} must_be on or off")
        if options.get("jacoby") == "on":
            raise _UbgiError("unsupported", "jacoby on: a gammon counts twice whether the cube was turned or not")
        length = None
        if options["type"] == "match":
            length = _number("length", options.get("length", ""), 1, MAX_LENGTH)
        self._session = _Session(length, has_crawford=options.get("crawford", "on") == "on")
        return []

    def _setscore(self, words: list[str]) -> list[str]:
        if len(words) != 2:
            raise _UbgiError("bad_command", "expected: setscore <p0> <p1>")
        score = _number("score", words[0], 0, 9999), _number("score", words[1], 0, 9999)
        return self._set_session(replace(self._session, score=score))

    def _setcube(self, words: list[str]) -> list[str]:
        owners = {"center": None, "p0": 0, "p1": 1}
        if len(words) != 4 or words[0] != "value" or words[2] != "owner":
            raise _UbgiError("bad_command", "expected: setcube value <N> owner <center|p0|p1>")
        if words[3] not in owners:
            raise _UbgiError("bad_value", "owner must_be center, p0 or p1")
        cube = _number("cube", words[1], 1, 2**15)
        return self._set_session(replace(self._session, cube=cube, cube_owner=owners[words[3]]))

    def _setturn(self, words: list[str]) -> list[str]:
        if words not in (["p0"], ["p1"]):
            raise _UbgiError("bad_value", "expected: setturn <p0|p1>")
        return self._set_session(replace(self._session, on_roll=int(words[0] == "p1")))

    def _set_session(self, session: _Session) -> list[str]:
        # The score of a money session changes nothing and is ignored.
        session.match_state()
        self._session = session
        return []

    def _set_position(self, words: list[str]) -> list[str]:
        if len(words) != 2 or words[0] not in ("gnubgid", "xgid"):
            raise _UbgiError("bad_command", "expected: position gnubgid <id> or position xgid <XGID>")
        kind, text = words
        session, dice = self._session, None
        if kind == "xgid":
            xgid = Xgid.from_text(text)
            position, dice = xgid.position, xgid.dice
            session = _Session.of(xgid.match, int(xgid.on_roll == "top"))
        elif ":" in text:
            position, match_id = parse_gnubg_id(text)
            session, dice = _Session.of(match_id.match_state(), match_id.on_roll), match_id.dice
        else:
            position = Position.from_id(text)
        check_board(position.board, self.player.ruleset)
        self._position, self._session, self._dice = position, session, dice
        return []

    def _set_dice(self, words: list[str]) -> list[str]:
        if len(words) != 2:
            raise _UbgiError("bad_command", "expected: dice <d1> <d2>")
        dice = _number("die", words[0], 1, 6), _number("die", words[1], 1, 6)
        check_dice(*dice)
        self._dice = dice
        return []

    # Decisions

    def _go(self, words: list[str]) -> list[str]:
        player, kind = self._searching(words)
        position, match = self._position, self._session.match_state()
        if position is None:
            raise _UbgiError("bad_state", "missing position")
        if position.is_over(player.ruleset):
            raise _UbgiError("bad_state", "the game is over")
        if kind == "cube" and not player.ruleset.cube:
            raise _UbgiError("unsupported", f"go cube: {player.ruleset.name} has no cube")
        cube = move = ""
        if kind != "cube":
            if self._dice is None:
                raise _UbgiError("bad_state", "missing dice")
            move = play_text(player.choose_play(position, self._dice, match).steps) or "pass"
        if kind != "chequer":
            cube = "double" if player.should_double(position, match) else "nodouble"
        return [
            {
                "chequer": f"bestmove {move}",
                "cube": f"bestcube {cube}",
                "turn": f"bestturn cube={cube} move={move}",
            }[kind]
        ]

    def _searching(self, words: list[str]) -> tuple[Player, str]:
        """Return the player and the kind of decision that a `go` asks for."""
        words = words[1:] if words[:1] == ["role"] else words
        kind = "chequer"
        if words and words[0] in ("chequer", "cube", "turn"):
            kind, *words = words
        player = replace(self.player)
        while words:
            name, value, words = words[0], (words[1] if len(words) > 1 else ""), words[2:]
            if name == "movetime":
                player.time_ms = _number(name, value, 1, MAX_TIME_MS)
            elif name == "depth":
                player.ply = _number(name, value, 1, MAX_PLY + _UBGI_PLIES) - _UBGI_PLIES
            elif name in ("nodes", "trials"):
                raise _UbgiError("unsupported", f"go {name}")
            else:
                raise _UbgiError("bad_command", "expected: go [chequer|cube|turn] [movetime <ms>] [depth <n>]")
        return player, kind

    def _act(self, line: str) -> str:
        """Return the action of the side that must act in a bare position."""
        player = self.player
        if line[:6].lower() == "board:":
            board = FibsBoard.from_text(line)
            position, match, dice, is_doubled = board.position, board.match, board.dice, board.is_double_offered
            if is_doubled:
                position, match = position.swap(), match.swap()
        else:
            xgid = Xgid.from_text(line)
            if xgid.action in ("beaver", "raccoon"):
                raise RulesetError(f"{xgid.action}: not played here")
            position, match, dice, is_doubled = xgid.position, xgid.match, xgid.dice, xgid.action is not None
        check_board(position.board, player.ruleset)
        if is_doubled:
            return "take" if player.should_take(position, match) else "drop"
        if dice is None:
            return "double" if player.should_double(position, match) else "roll"
        return play_text(player.choose_play(position, dice, match).steps)


def run(engine: UbgiEngine, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answer lines until `quit` or their end; `say` gets each answer and must send it at once."""
    for line in lines:
        for answer in engine.handle(line):
            say(answer)
        if engine.is_over:
            return


def _number(what: str, text: str, lowest: int, highest: int) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or not lowest <= int(text) <= highest:
        raise _UbgiError("bad_value", f"{what} must_be {lowest}..{highest}")
    return int(text)
