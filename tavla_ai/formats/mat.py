"""Match files of Jellyfish (`.mat`), which most backgammon programs read and write.

A file holds one match: headers, the length, and games in two columns, player 0 on the left. The turns of a
game alternate between the players; an offered double and its answer are one turn each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tavla_ai import engine
from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.formats.common import Dice, check_boards, line_of
from tavla_ai.formats.headers import header_problems
from tavla_ai.formats.match import Action, Game, Match, Turn
from tavla_ai.match import Cube
from tavla_ai.rules import (
    BAR,
    Play,
    Position,
    Ruleset,
    apply_steps,
    check_dice,
    check_play,
    compile_rules,
    forced_play,
    format_play,
    get_ruleset,
    parse_play,
    play_index,
    steps_of,
)

_BACKGAMMON = "oyna-backgammon"
_BACKGAMMON_POINTS = 3
_LEFT_WIDTH = 27
_RIGHT_COLUMN = 32
# The only cell of a line belongs to the right column if it begins after this column.
_MIDDLE = 20
# No match has longer lines, and the patterns below take long to refuse them.
_MAX_LINE = 500

_FLAGS = re.IGNORECASE | re.ASCII
_HEADER = re.compile(r';\s*\[\s*([^"\]]*?)\s*"(.*)"\s*\]?')
_LENGTH = re.compile(r"\s*(?:([0-9]{1,5})\s+points?\s+match\b.*|match\s+of\s+([0-9]{1,5})\s+points?.*)", _FLAGS)
_GAME = re.compile(r"\s*game\s+([0-9]{1,5})\s*", _FLAGS)
_PLAYERS = re.compile(r"\s*(.+?)\s*:\s*([0-9]{1,5})\s+(.+?)\s*:\s*([0-9]{1,5})\s*")
_TURN = re.compile(r"\s*[0-9]{1,5}\)", _FLAGS)
# A numbered line without a turn, with which some programs end games and files.
_EMPTY_TURN = re.compile(r"\s*[0-9]{1,5}\)\s*", _FLAGS)
# A player gives up the game or the match; the result says who won.
_GIVEN_UP = r"\?{3,}|(?:concedes?|resigns?|resigned)\b(?:\s+(?:the\s+)?(?:game|match)\b)?"
_CELL = re.compile(
    rf"(?<![^\s):])(?:[0-9]{{2}}:|{_GIVEN_UP}|(?:(?:re)?doubles?|takes?|accepts?|drops?|(?<!\d\d:\s)pass(?:es)?|rejects?|wins?"
    r"|beavers?|raccoons?)\b)",
    _FLAGS,
)
_MARKER = re.compile(_GIVEN_UP, _FLAGS)
_TAKES = ("take", "accept")
_DOUBLE = re.compile(r"(?:re)?doubles?(?:\s*=>\s*([0-9]{1,5}))?", _FLAGS)
_RESULT = re.compile(r"wins?\s+([0-9]{1,5})\s+points?(?:\s+and\s+the\s+match)?[.!]?", _FLAGS)
_NO_MOVE = re.compile(r"\(?(?:no move|cannot move|can't move|pass|passes)\)?", _FLAGS)


def read_mat(text: str, ruleset: Ruleset | None = None, *, strict: bool = True) -> Match:
    """Return the match in a `.mat` file, after playing it through.

    Tabs, carriage returns, blank lines and numbers without a turn, capitals, `bar`, `off` and hits without a mark are
    read. A marker of giving up (`????`, `Concedes`, `Resigns` …) is not a turn, and a roll with a marker was not
    played; the result says who won. If a roll without a play has only one legal play, that play is filled in. A game
    won by fewer points than the board shows was resigned or played for less. In a game whose largest score is a mars,
    a backgammon counts as a mars.

    Args:
      text: the file.
      ruleset: the game; None is western backgammon, which has the same moves as ordinary tavla.
      strict: whether an illegal or unreadable turn is an error. Otherwise it is noted in `Match.problems`; after an
        illegal turn reading continues as far as possible, after an unreadable line with the next game.

    Raises:
      NotationError: a line that cannot be read; the message gives its number and text.
      RulesetError: a die is not 1 to 6, or a line is illegal and `strict` is set.
    """
    ruleset = ruleset or get_ruleset(_BACKGAMMON)
    check_boards(ruleset, "match files")
    return _Reader(ruleset, strict).read(text)


def write_mat(match: Match) -> str:
    """Return a match as a `.mat` file, with the bar as 25, off as 0 and hits marked.

    Hits are found by playing each game from the start position of backgammon and tavla.

    Raises:
      NotationError: a name or a header does not fit a line, or a turn lacks what its action needs.
      RulesetError: a step is impossible; the message names the game and the turn.
    """
    names = [line_of(name, "name") for name in match.players]
    if any(":" in name for name in names):
        raise NotationError(f"names {names}: expected no colon in them")
    lines = []
    for key, value in match.headers:
        if '"' in line_of(key, "header") or "]" in key or not (value.isprintable() or value == ""):
            raise NotationError(f"header {key!r} {value!r}: expected printable text, with no quote in the key")
        lines.append(f'; [{key} "{value}"]')
    lines += [""] * bool(lines) + [f" {match.length or 0} point match"]
    for game in match.games:
        left, right = (f" {name} : {points}" for name, points in zip(names, game.score, strict=True))
        lines += ["", f" Game {game.number}", f"{left:<{_RIGHT_COLUMN - 1}}{right}"]
        lines += _game_lines(game)
        if game.winner is not None and game.points is not None:
            total = game.score[game.winner] + game.points
            ending = " and the match" if match.length and total >= match.length else ""
            points = f"Wins {game.points} point{'s' if game.points != 1 else ''}{ending}"
            lines.append(" " * (_RIGHT_COLUMN + 2 if game.winner else 6) + points)
    return "\n".join(lines) + "\n"


def _game_lines(game: Game) -> Iterator[str]:
    cells = [""] * (game.turns[0].player if game.turns else 0)
    position: Position | None = None
    for number, turn in enumerate(game.turns, start=1):
        where = f"game {game.number}, turn {number}"
        if turn.player != len(cells) % 2:
            raise NotationError(f"{where}: player {turn.player} again, expected the players to take turns")
        if position is None:
            position = Position.start(get_ruleset(_BACKGAMMON))
        try:
            text, position = _cell(turn, position)
        except (NotationError, RulesetError) as error:
            raise type(error)(f"{where}: {error}") from None
        cells.append(text)
    for row in range(0, len(cells), 2):
        left, right = (*cells[row : row + 2], "")[:2]
        yield f"{row // 2 + 1:3}) {left:<{_LEFT_WIDTH}} {right}".rstrip()


def _cell(turn: Turn, position: Position) -> tuple[str, Position]:
    """Return a turn as text, and the board after it, seen by the next player; `position` is the board before it."""
    if turn.action == "double":
        if turn.cube is None:
            raise NotationError("double: expected the value of the cube")
        return f" Doubles => {turn.cube}", position.swap()
    if turn.action in ("take", "drop"):
        return f" {turn.action.capitalize()}s", position.swap()
    if turn.dice is None:
        raise NotationError("play: expected a roll")
    check_dice(*turn.dice)
    words = []
    for start, end in turn.play or ():
        after = apply_steps(position, [(start, end)], get_ruleset(_BACKGAMMON))
        hit = "*" if after.board[1, BAR] > position.board[1, BAR] else ""
        words.append(f"{start}/{end}{hit}")
        position = after
    return f"{turn.dice[0]}{turn.dice[1]}: {' '.join(words)}".rstrip(), position.swap()


@dataclass
class _OpenGame:
    """The game being read.

    Attributes:
      number: number of the game in the file.
      position: the board seen by the next player; None after an impossible play.
      score: points before the game; None until that line has been read.
      player: the next player; None before the first turn.
      owner: the player who may double; None if both may.
      unplayed: place of a roll without a play; empty without one.
      given_up: column of a marker of giving up; None without one.
      is_left_out: whether a line could not be read, so that only the result is read.
    """

    number: int
    position: Position | None
    score: tuple[int, int] | None = None
    turns: list[Turn] = field(default_factory=list)
    player: int | None = None
    cube: Cube = field(default_factory=Cube)
    owner: int | None = None
    unplayed: str = ""
    given_up: int | None = None
    is_left_out: bool = False
    is_over: bool = False
    winner: int | None = None
    points: int | None = None

    @property
    def awaits_answer(self) -> bool:
        """Whether a double has been offered."""
        return bool(self.turns) and self.turns[-1].action == "double"

    def closed(self) -> Game:
        """Return the game as read so far."""
        return Game(self.number, self.score or (0, 0), tuple(self.turns), self.winner, self.points)


class _Reader:
    """Reader of one file, line by line."""

    def __init__(self, ruleset: Ruleset, strict: bool) -> None:
        self.ruleset, self.strict = ruleset, strict
        self.rules = compile_rules(ruleset)
        self.start = Position.start(ruleset)
        self.length: int | None = None
        self.has_length = False
        self.players: tuple[str, str] | None = None
        self.headers: list[tuple[str, str]] = []
        self.games: list[Game] = []
        self.problems: list[str] = []
        self.where = ""  # of the line being read
        self.game: _OpenGame | None = None

    def read(self, text: str) -> Match:
        for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
            line = raw.expandtabs().rstrip()
            if len(line) > _MAX_LINE:
                raise NotationError(f"line {number}: {len(line)} characters, expected at most {_MAX_LINE}")
            if line and not _EMPTY_TURN.fullmatch(line):
                self.where = f"line {number} {line.strip()!r}"
                if self.strict:
                    self._read_line(line)
                else:
                    self._read_leniently(line)
        if not self.has_length:
            raise NotationError("match file: no match length, expected a line such as ' 5 point match'")
        if self.game is not None and self.game.score is None:
            raise NotationError(f"{self.where}: the file ends, expected the players and their scores")
        self._close_game()
        if self.players is None:
            raise NotationError("match file: no game, expected a line such as ' Game 1'")
        headers = tuple(self.headers)
        problems = [*header_problems(headers), *self.problems]
        return Match(self.length, self.players, tuple(self.games), headers, tuple(problems))

    def _read_leniently(self, line: str) -> None:
        """Read a line, or note that it cannot be read and leave out the rest of its game."""
        game = self.game
        if game is not None and game.is_left_out and not _GAME.fullmatch(line):
            for cell in _CELL.finditer(line):
                if result := _RESULT.match(line, cell.start()):
                    with suppress(NotationError, RulesetError):
                        self._read_result(result[0], int(cell.start() > _MIDDLE), game)
            return
        try:
            self._read_line(line)
        except (NotationError, RulesetError) as error:
            if not self.has_length:
                raise
            if game is not None and game.score is None:
                self.game = None
            elif game is not None:
                game.is_left_out = True
            rest = "" if game is None else f"; the rest of game {game.number} is left out"
            self.problems.append(f"{error}{rest}")

    def _read_line(self, line: str) -> None:
        if line.lstrip().startswith(";"):
            header = _HEADER.fullmatch(line.strip())
            if header is not None and header[1] and self.players is None:
                self.headers.append((header[1], header[2]))
        elif self.game is not None and self.game.score is None:
            self._read_players(line, self.game)
        elif match := _LENGTH.fullmatch(line):
            if self.has_length:
                raise NotationError(f"{self.where}: a second match length")
            self.length, self.has_length = int(match[1] or match[2]) or None, True
        elif match := _GAME.fullmatch(line):
            if not self.has_length:
                raise NotationError(f"{self.where}: expected a match length before the first game")
            if self.game is not None and not self.game.is_over:
                self._note(f"game {self.game.number} has no result before it")
            self._close_game()
            self.game = _OpenGame(int(match[1]), self.start)
        elif self.game is not None:
            self._read_cells(line, self.game)
        else:
            raise NotationError(f"{self.where}: expected a match length such as ' 5 point match', or ' Game 1'")

    def _read_players(self, line: str, game: _OpenGame) -> None:
        match = _PLAYERS.fullmatch(line)
        if match is None:
            raise NotationError(f"{self.where}: expected two players and their scores, such as 'A : 0    B : 0'")
        players, game.score = (match[1], match[3]), (int(match[2]), int(match[4]))
        if self.players is None:
            self.players = players
        elif players != self.players:
            self._note(f"other players than {self.players[0]!r} and {self.players[1]!r} of the first game")
        if self.length is not None and max(game.score) >= self.length:
            self._note(f"the match to {self.length} is over at {game.score[0]}-{game.score[1]}")

    def _read_cells(self, line: str, game: _OpenGame) -> None:
        number = _TURN.match(line)
        begin = number.end() if number else 0
        cells = list(_CELL.finditer(line, begin))
        if not cells or line[begin : cells[0].start()].strip():
            raise NotationError(
                f"{self.where}: expected a turn such as '1) 31: 8/5 6/5', or a result such as 'Wins 1 point'"
            )
        for cell, following in zip(cells, [*cells[1:], None], strict=True):
            text = line[cell.start() : following.start() if following else len(line)].strip()
            is_right = cell.start() > _MIDDLE
            if text[:3].lower() == "win":
                self._read_result(text, int(is_right), game)
            elif _MARKER.match(text):
                game.given_up = int(is_right)
            elif text == "00:" and following is not None and _MARKER.match(following[0]):
                continue
            elif number is None:
                raise NotationError(f"{self.where}: expected a number before a turn, such as '1) 31: 8/5 6/5'")
            else:
                if game.player is None:
                    game.player = int(is_right and len(cells) == 1)
                elif game.given_up == game.player != is_right:
                    # The marker stands in place of this player's turn.
                    game.player, game.position = 1 - game.player, game.position and game.position.swap()
                self._read_turn(text, game.player, game)

    def _read_turn(self, text: str, player: int, game: _OpenGame) -> None:
        if game.is_over:
            raise NotationError(f"{self.where}: {text!r} after the end of game {game.number}")
        if game.unplayed:
            self._fill_in(game)
        if text[0].isdigit():
            self._read_play(text, player, game)
        else:
            self._read_cube_action(text, player, game)
        game.player = 1 - player

    def _read_play(self, text: str, player: int, game: _OpenGame) -> None:
        words = text[3:].strip()
        dice = int(text[0]), int(text[1])
        try:
            check_dice(*dice)
            steps = () if _NO_MOVE.fullmatch(words) else parse_play(words)
        except (NotationError, RulesetError) as error:
            raise type(error)(f"{self._turn_where()}: {error}") from None
        if game.awaits_answer:
            self._problem("a roll, expected an answer to the double")
        before, game.position = game.position, None
        play: Play | None = steps
        if before is not None and not words and not self._can_pass(before, dice):
            # No play follows if the game is given up after the roll or if the file ends there.
            play, game.position, game.unplayed = None, before.swap(), self._turn_where()
        elif before is not None:
            try:
                play, after = self._played(before, dice, steps)
                game.position = after.swap()
                if (score := after.score(self.ruleset)) is not None:
                    game.is_over, game.winner, game.points = True, player, score * game.cube.value
            except RulesetError as error:
                self._problem(str(error))
                with suppress(RulesetError):
                    game.position = apply_steps(before, steps, self.ruleset).swap()
        game.turns.append(Turn(player, "play", dice, play, before=before))

    def _fill_in(self, game: _OpenGame) -> None:
        """Make the play of a roll that the file left out, if there is only one."""
        where, game.unplayed = game.unplayed, ""
        last = game.turns[-1]
        assert last.before is not None
        assert last.dice is not None
        forced = forced_play(self.ruleset, last.before, last.dice)
        if forced is None or game.given_up is not None:
            self._problem("the roll is not played, but the game goes on", where)
            return
        game.turns[-1] = replace(last, play=forced.steps)
        game.position = forced.afterstate.swap()
        self._note(f"the only legal play {format_play(last.before, forced.steps, self.ruleset)} is filled in", where)

    def _can_pass(self, before: Position, dice: Dice) -> bool:
        boards, _, _ = engine.legal_plays(self.rules, before.board, *dice)
        return play_index(boards, before.board) is not None

    def _played(self, before: Position, dice: Dice, steps: Play) -> tuple[Play, Position]:
        """Return a play and the board after it; the text may leave out hits on a checker's way."""
        try:
            return steps, check_play(before, dice, steps, self.ruleset)
        except RulesetError:
            boards, paths, _ = engine.legal_plays(self.rules, before.board, *dice)
            plays = [steps_of(path) for path in paths]
            found = [k for k, play in enumerate(plays) if _displacement(play) == _displacement(steps)]
            if len(found) != 1:
                raise
            return plays[found[0]], Position(boards[found[0]])

    def _read_cube_action(self, text: str, player: int, game: _OpenGame) -> None:
        word = text.split()[0].lower()
        if word.startswith(("beaver", "raccoon")):
            raise NotationError(f"{self._turn_where()}: {text!r}: beavers are not supported")
        double = _DOUBLE.fullmatch(text)
        if double is None and not text.isalpha():
            raise NotationError(f"{self._turn_where()}: {text!r}, expected 'Doubles => 2', 'Takes' or 'Drops'")
        if not self.ruleset.cube:
            self._problem(f"{text!r}, but {self.ruleset.name} is played without a cube; read it as {_BACKGAMMON}")
        if double is None and not game.awaits_answer:
            self._problem(f"{text!r} without a double before it")
        twice = 2 * game.cube.value
        action: Action = "double"
        value = None
        if double is not None:
            value = int(double[1] or twice)
            if game.awaits_answer:
                self._problem("a double, expected an answer to the double before it")
            elif value != twice or game.owner == 1 - player:
                owner = "both players" if game.owner is None else f"player {game.owner}"
                self._problem(f"double to {value}, but {owner} may double, to {twice}")
        elif word.startswith(_TAKES):
            action, game.cube, game.owner = "take", Cube(twice), player
        else:
            action, game.is_over, game.winner, game.points = "drop", True, 1 - player, game.cube.value
        game.turns.append(Turn(player, action, cube=value, before=game.position))
        game.position = game.position and game.position.swap()

    def _read_result(self, text: str, column: int, game: _OpenGame) -> None:
        match = _RESULT.fullmatch(text)
        if match is None:
            raise NotationError(f"{self.where}: {text!r}, expected a result such as 'Wins 1 point'")
        points = int(match[1])
        if points <= _BACKGAMMON_POINTS * game.cube.value:
            points = min(points, self.ruleset.scores[0] * game.cube.value)
        most = self.ruleset.scores[0] * game.cube.value if game.points is None else game.points
        if not 1 <= points <= most:
            self._note(f"a win of {points}, expected 1 to {most}")
        # The column of the result names the winner only if the game was given up.
        winner = column if game.winner is None else game.winner
        game.is_over, game.winner, game.points = True, winner, points
        self._close_game()

    def _close_game(self) -> None:
        if self.game is not None:
            self.games.append(self.game.closed())
            self.game = None

    def _turn_where(self) -> str:
        if self.game is None or self.game.player is None:
            return self.where
        return f"{self.where}: game {self.game.number}, turn {len(self.game.turns) + 1}, player {self.game.player}"

    def _note(self, message: str, where: str = "") -> None:
        self.problems.append(f"{where or self._turn_where()}: {message}")

    def _problem(self, message: str, where: str = "") -> None:
        self._note(message, where)
        if self.strict:
            raise RulesetError(self.problems[-1])


def _displacement(steps: Play) -> dict[int, int]:
    """Return the change of each place's count by a play."""
    change: dict[int, int] = {}
    for start, end in steps:
        change[start] = change.get(start, 0) - 1
        change[end] = change.get(end, 0) + 1
    return {place: count for place, count in change.items() if count}
