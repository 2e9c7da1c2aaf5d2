"""Match files in JSON (`tavla-match-1`), which hold matches of every game and of sets of games.

`docs/match.schema.json` describes the file. `.mat` files hold tavla and backgammon only.
"""

from __future__ import annotations

import json
from itertools import cycle
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tavla_ai.errors import NotationError, RulesetError
from tavla_ai.files import first_mistake
from tavla_ai.formats.headers import header_problems
from tavla_ai.formats.match import Action, Game, Match, Turn
from tavla_ai.rules import (
    Position,
    Ruleset,
    check_play,
    format_play,
    games_of,
    get_game,
    parse_play,
)

FORMAT: Literal["tavla-match-1"] = "tavla-match-1"

_Seat = Annotated[int, Field(ge=0, le=1, description="player 0 or player 1, as in `players`")]
_Die = Annotated[int, Field(ge=1, le=6)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TurnEntry(_Entry):
    """One action of a player."""

    player: _Seat
    action: Action = Field(default="play", description="`play` is a roll and its play; the others use the cube")
    dice: tuple[_Die, _Die] | None = Field(default=None, description="the roll; only with `play`")
    play: str | None = Field(
        default=None,
        description="the steps in the player's own numbering, such as `8/5 6/5`; empty for a pass; null if the game "
        "ended after the roll",
    )
    cube: int | None = Field(default=None, ge=2, description="the value after the double; only with `double`")


class GameEntry(_Entry):
    """One game of a match."""

    score: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]] = Field(
        description="points of the two players before the game"
    )
    turns: tuple[TurnEntry, ...] = Field(description="the actions, in order")
    winner: _Seat | None = Field(default=None, description="the player who won; null if nobody did")
    points: int | None = Field(
        default=None, ge=0, description="points won, with the cube; 0 in a drawn game, null if the game was interrupted"
    )


class MatchEntry(_Entry):
    """A match, or a session of single games."""

    format: Literal["tavla-match-1"] = Field(description="name and version of the format")
    game: str = Field(description="name of the ruleset or of the set of games, as `tavla rulesets` lists them")
    length: Annotated[int, Field(ge=1)] | None = Field(description="points that win the match; null for single games")
    players: tuple[str, str] = Field(description="names of player 0 and player 1")
    headers: dict[str, str] = Field(default={}, description="what else there is to say, such as the event and its date")
    games: tuple[GameEntry, ...] = Field(description="the games, in order; of a set of games, one after the other")


def match_schema() -> dict[str, Any]:
    """Return the JSON Schema of a match file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | MatchEntry.model_json_schema()


def write_match_json(match: Match) -> str:
    """Return a match as a JSON file.

    Raises:
      RulesetError: the match does not say which game is played, or a play fits no position of its game.
    """
    if match.game is None:
        raise RulesetError("match: expected its game, which JSON match files name")
    games = tuple(map(_game_entry, match.games, cycle(games_of(match.game))))
    entry = MatchEntry(
        format=FORMAT,
        game=match.game.name,
        length=match.length,
        players=match.players,
        headers=dict(match.headers),
        games=games,
    )
    return json.dumps(entry.model_dump(exclude_defaults=True), ensure_ascii=False, indent=1) + "\n"


def _game_entry(game: Game, ruleset: Ruleset) -> GameEntry:
    position = Position.start(ruleset)
    entries = []
    for turn in game.turns:
        text = None
        if turn.play is not None and turn.dice is not None:
            text = format_play(position, turn.play, ruleset)
            position = check_play(position, turn.dice, turn.play, ruleset).swap()
        entries.append(TurnEntry(player=turn.player, action=turn.action, dice=turn.dice, play=text, cube=turn.cube))
    return GameEntry(score=game.score, turns=tuple(entries), winner=game.winner, points=game.points)


def read_match_json(text: str, *, strict: bool = True) -> Match:
    """Return the match in a JSON file, after playing it through.

    Args:
      text: the file.
      strict: whether a turn that the rules do not allow is an error. Otherwise it is noted in `Match.problems`, and the
        rest of its game is left out.

    Raises:
      NotationError: the file is not JSON, or an entry is missing or of the wrong kind; the message names it.
      RulesetError: there is no game of this name, its turns have several stages, or, with `strict`, a turn is
        not legal.
    """
    try:
        entry = MatchEntry.model_validate(json.loads(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise NotationError(f"match file: not JSON ({error})") from None
    except ValidationError as error:
        raise NotationError(f"match file: {first_mistake(error)}") from None
    game = get_game(entry.game)
    headers = tuple(entry.headers.items())
    problems = header_problems(headers)
    games = []
    for number, (data, ruleset) in enumerate(zip(entry.games, cycle(games_of(game)), strict=False), start=1):
        ruleset.check_has_no_stages("match files")
        games.append(_GameReader(ruleset, number, strict, problems).read(data))
    return Match(entry.length, entry.players, tuple(games), headers, tuple(problems), game)


class _GameReader:
    """Plays one game through."""

    def __init__(self, ruleset: Ruleset, number: int, strict: bool, problems: list[str]) -> None:
        self.ruleset, self.number, self.strict, self.problems = ruleset, number, strict, problems
        self.position = Position.start(ruleset)
        self.to_act: int | None = None  # the player whose turn it is; None before the first turn
        self.doubled = False
        self.cube = 1
        self.owner: int | None = None
        self.score: tuple[int, int] | None = None  # winner and points, once the game is over

    def read(self, data: GameEntry) -> Game:
        turns: list[Turn] = []
        for index, entry in enumerate(data.turns, start=1):
            try:
                turns.append(self.turn(entry))
            except (NotationError, RulesetError) as error:
                message = f"game {self.number}, turn {index}, player {entry.player}: {error}"
                if self.strict:
                    raise type(error)(message) from None
                self.problems.append(f"{message}; the rest of game {self.number} is left out")
                break
        self.check_result(data)
        return Game(self.number, data.score, tuple(turns), data.winner, data.points)

    def turn(self, entry: TurnEntry) -> Turn:
        if self.score is not None:
            raise RulesetError("the game is over")
        if self.to_act is not None and entry.player != self.to_act:
            raise RulesetError(f"expected player {self.to_act}, whose turn it is")
        answers = entry.action in ("take", "drop")
        if answers != self.doubled:
            raise RulesetError(
                f"{entry.action}, expected {'an answer to the double' if self.doubled else 'a double before it'}"
            )
        before = self.position
        if entry.action == "play":
            return self.play(entry, before)
        if not self.ruleset.cube:
            raise RulesetError(f"{entry.action}: {self.ruleset.name} is played without a cube")
        self.use_cube(entry)
        return Turn(entry.player, entry.action, cube=entry.cube, before=before if not answers else before.swap())

    def play(self, entry: TurnEntry, before: Position) -> Turn:
        if entry.dice is None:
            raise NotationError("play: expected a roll")
        self.to_act = 1 - entry.player
        if entry.play is None:
            self.position = before.swap()
            return Turn(entry.player, dice=entry.dice, before=before)
        steps = parse_play(entry.play)
        after = check_play(before, entry.dice, steps, self.ruleset)
        points = after.score(self.ruleset)
        if points is not None:
            winner = entry.player if points >= 0 else 1 - entry.player
            self.score = winner, abs(points) * self.cube
        self.position = after.swap()
        return Turn(entry.player, dice=entry.dice, play=steps, before=before)

    def use_cube(self, entry: TurnEntry) -> None:
        other = 1 - entry.player
        if entry.action == "double":
            if entry.cube != 2 * self.cube or self.owner == other:
                owner = "both players" if self.owner is None else f"player {self.owner}"
                raise RulesetError(f"double to {entry.cube}, but {owner} may double, to {2 * self.cube}")
            self.doubled, self.to_act = True, other
        elif entry.action == "take":
            self.doubled, self.to_act, self.cube, self.owner = False, other, 2 * self.cube, entry.player
        else:
            self.doubled, self.score = False, (other, self.cube)

    def check_result(self, data: GameEntry) -> None:
        """Note a result that the board does not show; a game may have been conceded for less than it shows."""
        most = self.ruleset.scores[0] * self.cube if self.score is None else self.score[1]
        where = f"game {self.number}"
        if data.points is not None and data.points > most:
            self.problems.append(f"{where}: a win of {data.points}, expected at most {most}")
        if self.score is not None and self.score[1] > 0 and data.winner != self.score[0]:
            self.problems.append(f"{where}: winner {data.winner}, but player {self.score[0]} has won on the board")
