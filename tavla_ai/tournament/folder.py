"""A tournament's results on disk, in a folder that is valid after a kill at any time.

    settings.json   the settings, written first; a folder can be resumed only with the same settings
    results.jsonl   a line for each contest, in the order of the pairings and their pairs; lines are only added
    summary.json    the results, written when everything is played
    report.html     the results for people

The module `replay` plays a contest again, move for move, from its line, the seed and the players.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tavla_ai.bots import LEVEL_NAMES, Bot
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import TavlaError
from tavla_ai.files import first_mistake, is_temporary, locked, write_whole
from tavla_ai.network import Checkpoint
from tavla_ai.rules import MatchSet, Ruleset, scores_of
from tavla_ai.tournament.contests import Contests

SCHEMA_VERSION = 1
SETTINGS_FILE, RESULTS_FILE, SUMMARY_FILE, REPORT_FILE = "settings.json", "results.jsonl", "summary.json", "report.html"
_LOCK_FILE = ".lock"


class LevelIdentity(BaseModel):
    """A level at the time of the tournament; the file of levels may have changed since."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the level")
    ply: int = Field(default=0, ge=0, le=MAX_PLY, description="look-ahead")
    noise: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        description="standard deviation of the level's error, in points",
    )
    cap: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="largest loss of a play by that error, in points"
    )


class BotIdentity(BaseModel):
    """A bot that took part."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name of the bot, as given")
    weights_sha256: str | None = Field(
        description="sha256 of its checkpoint's weights, one for each game of a set; null without a checkpoint"
    )
    level: LevelIdentity | None = Field(default=None, description="style of a level, which its name does not contain")
    levels: tuple[LevelIdentity | None, ...] = Field(
        default=(), description="styles of the levels for each game of a set; empty if no level plays in it"
    )

    @staticmethod
    def of(name: str, *checkpoints: Checkpoint | None) -> BotIdentity:
        """Return the sha256 of a checkpoint's weights, or one for each game of a set."""
        hashes = [checkpoint.card.weights_sha256 if checkpoint else "none" for checkpoint in checkpoints]
        return BotIdentity(name=name, weights_sha256=",".join(hashes) if any(checkpoints) else None)

    @staticmethod
    def of_bot(bot: Bot) -> BotIdentity:
        """Return the identity of a bot."""
        levels = tuple(_level_of(part) for part in bot.parts)
        return BotIdentity.of(bot.name, *(part.checkpoint for part in bot.by_game)).model_copy(
            update={"levels": levels if any(levels) else (), "level": None if bot.parts else _level_of(bot)}
        )


def _level_of(bot: Bot) -> LevelIdentity | None:
    if bot.name not in LEVEL_NAMES:
        return None
    return LevelIdentity(name=bot.name, ply=bot.style.ply, noise=bot.style.noise, cap=bot.style.cap)


class Settings(BaseModel):
    """Everything that decides a tournament's results."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(default=SCHEMA_VERSION, description="version of the folder's layout")
    ruleset: Ruleset | MatchSet = Field(description="the ruleset, in full, or the set of games")
    bots: tuple[BotIdentity, ...] = Field(description="the bots, in the order given")
    pairings: tuple[tuple[int, int], ...] = Field(description="pairings, as numbers of bots from 0")
    games: int = Field(description="largest number of games, or matches, of each pairing")
    seed: int = Field(description="seed of the dice")
    match_length: int | None = Field(description="points that win a match; null for single games")
    judge: BotIdentity | None = Field(
        description="network that measures luck, or networks for the games of a set; null if luck is not measured"
    )
    until_ci: float | None = Field(
        description="half of the 95 % interval at which a pairing stops; null plays all games"
    )
    cube: bool = Field(default=False, description="whether the bots turn the doubling cube")


class ContestLine(BaseModel):
    """A line of `results.jsonl`; numbers are A's unless stated otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairing: int = Field(ge=0, description="number of the pairing in the settings")
    a: str = Field(description="name of A")
    b: str = Field(description="name of B")
    pair: int = Field(ge=0, description="number of the pair; with the seed it decides the dice")
    a_seat: int = Field(ge=0, le=1, description="seat of A")
    seed: int = Field(description="seed of the dice")
    points: int = Field(description="points of a game; ±1 for a match won or lost; 0 if void or undecided")
    scores: tuple[int, ...] = Field(description="number of games by score, best first; a match has several games")
    void: int = Field(ge=0, description="number of void games")
    plies: int = Field(ge=0, description="number of turns of both sides")
    luck: float | None = Field(default=None, description="A's luck minus B's; null if it was not measured")
    fault: str | None = Field(default=None, description="fault that ended the contest")
    cube: tuple[int, int, int] | None = Field(
        default=None,
        description="with a cube: points over all games, number of doubles of both sides, and number of games that a "
        "pass ended; `scores` leave out the cube",
    )


class ResultsFolder:
    """The folder of a tournament; `opened` sets its settings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._settings: Settings | None = None
        self._stored: dict[int, Contests] = {}
        self._file: TextIO | None = None

    @contextmanager
    def opened(self, settings: Settings) -> Iterator[ResultsFolder]:
        """Make the folder, or read the contests of an unfinished tournament with these settings.

        Raises:
          TavlaError: the folder holds something else or is damaged, or another process is playing the tournament.
        """
        self._check(settings)
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path / _LOCK_FILE, TavlaError(f"{self.path}: another process is playing this tournament")):
            self._check(settings)
            self._settings = settings
            if not (self.path / SETTINGS_FILE).exists():
                write_whole(self.path / SETTINGS_FILE, (settings.model_dump_json(indent=2) + "\n").encode())
            lines, whole = _read_whole(self.path / RESULTS_FILE)
            self._stored, num_kept = _contests_of(lines, settings, self.path / RESULTS_FILE)
            with (self.path / RESULTS_FILE).open("a+", encoding="utf-8") as self._file:
                # A pair that a kill interrupted is played again.
                self._file.truncate(sum(whole[:num_kept]))
                yield self

    def stored(self, pairing: int) -> Contests | None:
        """Return the contests of a pairing that were already in the folder when it was opened."""
        return self._stored.get(pairing)

    def append(self, pairing: int, first_pair: int, contests: Contests) -> None:
        """Add the contests of some pairs, as whole lines."""
        settings, file = self._settings, self._file
        assert settings is not None
        assert file is not None
        a, b = (settings.bots[i].name for i in settings.pairings[pairing])
        lines = []
        for i in range(contests.num_pairs):
            for seat in (0, 1):
                line = ContestLine(
                    pairing=pairing,
                    a=a,
                    b=b,
                    pair=first_pair + i,
                    a_seat=seat,
                    seed=settings.seed,
                    points=int(contests.points[i, seat]),
                    scores=tuple(contests.scores[i, seat].tolist()),
                    void=int(contests.void_games[i, seat]),
                    plies=int(contests.plies[i, seat]),
                    luck=None if contests.luck is None else float(contests.luck[i, seat]),
                    fault=contests.faults.get(2 * i + seat),
                    cube=None if contests.cube is None else tuple(contests.cube[i, seat].tolist()),
                )
                lines.append(line.model_dump_json(exclude_none=True) + "\n")
        file.write("".join(lines))
        file.flush()

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write the results of the tournament."""
        write_whole(self.path / SUMMARY_FILE, (json.dumps(summary, indent=2) + "\n").encode())

    def _check(self, settings: Settings) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise TavlaError(f"{self.path}: is not a folder; name another one")
        if not (self.path / SETTINGS_FILE).exists():
            if any(entry.name != _LOCK_FILE and not is_temporary(entry) for entry in self.path.iterdir()):
                raise TavlaError(f"{self.path}: is not empty and holds no tournament; name another folder")
            return
        old = read_settings(self.path).model_dump(mode="json")
        new = settings.model_dump(mode="json")
        for key, value in new.items():
            if key == "bots" and old[key] != value and _without_levels(old[key]) == _without_levels(value):
                names = [one["name"] for one, other in zip(old[key], value, strict=True) if one != other]
                raise TavlaError(
                    f"{self.path}: {', '.join(names)} was calibrated again since it played; name another folder"
                )
            if old[key] != value:
                raise TavlaError(
                    f"{self.path}: holds a tournament with other {key} ({_short(old[key])}, not {_short(value)}); "
                    "name another folder"
                )


def _without_levels(bots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in bot.items() if key not in ("level", "levels")} for bot in bots]


def read_settings(path: Path) -> Settings:
    """Return the settings of a tournament's folder.

    Raises:
      TavlaError: the folder holds no tournament, or its settings cannot be read.
    """
    file = path / SETTINGS_FILE
    try:
        return Settings.model_validate_json(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise TavlaError(
            f"{path}: holds no tournament, it has no {SETTINGS_FILE}; `tavla tournament --out DIR` makes one"
        ) from None
    except ValidationError as error:
        raise TavlaError(f"{file}: cannot be read ({first_mistake(error)})") from None


def read_lines(path: Path) -> list[ContestLine]:
    """Return all complete contests of a tournament's folder, in order.

    Raises:
      TavlaError: a line cannot be read.
    """
    return _read_whole(path / RESULTS_FILE)[0]


def _read_whole(path: Path) -> tuple[list[ContestLine], list[int]]:
    """Return the complete lines of a file and their lengths in bytes; text after the last newline is incomplete."""
    lines, lengths = [], []
    if path.exists():
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    lines.append(ContestLine.model_validate_json(line))
                except ValidationError:
                    raise TavlaError(f"{path}: line {number} cannot be read") from None
                lengths.append(len(line))
    return lines, lengths


def _contests_of(lines: list[ContestLine], settings: Settings, path: Path) -> tuple[dict[int, Contests], int]:
    """Return the complete pairs by pairing, and their number of lines.

    Raises:
      TavlaError: the lines are not those of pairs in order.
    """
    num_kept, num_scores = len(lines) // 2 * 2, len(scores_of(settings.ruleset))
    by_pairing: dict[int, list[ContestLine]] = {}
    for index, line in enumerate(lines[:num_kept]):
        own = by_pairing.setdefault(line.pairing, [])
        expected = divmod(len(own), 2)
        if (
            (line.pair, line.a_seat) != expected
            or line.pairing >= len(settings.pairings)
            or line.pairing != max(by_pairing)
            or len(line.scores) != num_scores
            or (line.luck is None) != (settings.judge is None)
            or (line.cube is not None) != settings.cube
        ):
            raise TavlaError(f"{path}: line {index + 1} does not belong to this tournament")
        own.append(line)
    return {
        pairing: _joined(own, num_scores, has_luck=settings.judge is not None) for pairing, own in by_pairing.items()
    }, num_kept


def _joined(lines: list[ContestLine], num_scores: int, *, has_luck: bool) -> Contests:
    shape = len(lines) // 2, 2
    return Contests(
        np.array([line.points for line in lines], np.int16).reshape(shape),
        np.array([line.scores for line in lines], np.int32).reshape(*shape, num_scores),
        np.array([line.void for line in lines], np.int32).reshape(shape),
        np.array([line.plies for line in lines], np.int32).reshape(shape),
        np.array([line.luck for line in lines], np.float64).reshape(shape) if has_luck else None,
        {index: line.fault for index, line in enumerate(lines) if line.fault is not None},
        np.array([line.cube for line in lines], np.int32).reshape(*shape, 3) if lines[0].cube is not None else None,
    )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
