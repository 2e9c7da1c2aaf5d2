"""Levels: bots of a measured strength, as data.

A file of levels has a ladder for each house and match length: Easy, Medium and Hard. Each level is a checkpoint with a
bounded error of judgement and the rating that `tavla calibrate` measured. The error belongs to the position in its
game, so a position looks the same throughout a turn. A level never makes a play that its network values below the best
play by more than the cap. Some races are played without error; see `Bot.choose_play`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tavla_ai.bots.bot import PlayStyle
from tavla_ai.engine import MAX_PLY
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.files import first_mistake, write_whole
from tavla_ai.network import (
    CARD_FILE,
    Card,
    Checkpoint,
    LossRate,
    Result,
    check_is_not_packaged,
    find_checkpoint,
    load_checkpoint,
    read_card,
    shipped_folder,
)
from tavla_ai.rules import Ruleset, get_ruleset

SCHEMA_VERSION: Literal[1] = 1
LEVELS_FILE = "levels.yaml"
# Environment variable that names another file.
LEVELS_VARIABLE = "TAVLA_LEVELS"

# From the weakest up.
LevelName = Literal["easy", "medium", "hard"]
LEVEL_NAMES: tuple[LevelName, ...] = get_args(LevelName)

_HEADER = "# Written by `tavla calibrate`. Folders are beside this file or shipped; noise and caps are in points.\n"

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Points = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RatedLevel(BaseModel):
    """A level of a ladder: its network, its error and its strength."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    checkpoint: str = Field(
        min_length=1, description="folder of its network, relative to the file of levels, or the name of a shipped one"
    )
    weights_sha256: str = Field(description="sha256 of the measured weights")
    ply: int = Field(default=0, ge=0, le=MAX_PLY, description="look-ahead")
    noise: _Points = Field(description="standard deviation of the error about a position, in points")
    cap: _Points = Field(description="largest loss of a play by that error, in points")
    target: _Finite = Field(description="requested rating, in Elo")
    rating: _Finite = Field(description="measured rating, in Elo, relative to the ladder's anchor")
    interval: tuple[_Finite, _Finite] = Field(
        description="95 % interval of the rating; for the anchor the rating twice"
    )
    results: tuple[Result, ...] = Field(default=(), description="results in single games, played with the error")
    loss_rates: tuple[LossRate, ...] = Field(default=(), description="losses on judged decisions, with the error")

    @property
    def style(self) -> PlayStyle:
        """The style in which the level plays with its network."""
        return PlayStyle(self.ply, self.noise, self.cap)


class Ladder(BaseModel):
    """The levels of one house at one match length."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str = Field(description="name of the game")
    match_length: int = Field(ge=1, description="points that win the measured matches")
    anchor: LevelName = Field(description="level whose rating is its target; the other ratings are relative to it")
    matches: int = Field(
        ge=2, description="matches that measured each gap between neighbours, in pairs on the same dice"
    )
    seed: int = Field(ge=0, description="seed of the calibration; the same seed gives the same levels")
    levels: dict[LevelName, RatedLevel] = Field(description="levels by name")

    @model_validator(mode="after")
    def _check(self) -> Ladder:
        if missing := [name for name in LEVEL_NAMES if name not in self.levels]:
            raise ValueError(f"no level {', '.join(missing)}; expected {', '.join(LEVEL_NAMES)}")
        try:
            get_ruleset(self.ruleset).check_match_length(self.match_length)
        except RulesetError as error:
            raise ValueError(str(error)) from None
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(description="version of the file's layout")
    ladders: tuple[Ladder, ...] = Field(description="one for each house and match length")

    @model_validator(mode="after")
    def _check(self) -> _File:
        keys = [(ladder.ruleset, ladder.match_length) for ladder in self.ladders]
        for ruleset, length in keys:
            if keys.count((ruleset, length)) > 1:
                raise ValueError(f"{ruleset}, matches to {length}: is given twice")
        return self


@dataclass(frozen=True)
class Levels:
    """A file of levels, read when it is first needed.

    Attributes:
      path: the file, which may be given as text; by default that of the shipped levels.
    """

    path: Path = field(default_factory=lambda: shipped_folder() / LEVELS_FILE)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    @property
    def name(self) -> str:
        """The name in messages: the file's path, or that it is the shipped one."""
        return "shipped levels" if self.path == shipped_folder() / LEVELS_FILE else str(self.path)

    @cached_property
    def ladders(self) -> tuple[Ladder, ...]:
        """The ladders in the file.

        Raises:
          TavlaError: the file does not exist, or is no file of levels.
        """
        try:
            data = yaml.safe_load(self.path.read_text(encoding="utf-8"))
            return _File.model_validate(data).ladders
        except (FileNotFoundError, NotADirectoryError):
            raise TavlaError(
                f"{self.path}: no such file of levels; name one with --levels FILE or {LEVELS_VARIABLE}"
            ) from None
        except ValidationError as error:
            raise TavlaError(f"{self.path}: {first_mistake(error)}") from None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise TavlaError(f"{self.path}: not a file of levels ({' '.join(str(error).split())})") from None
        except OSError as error:
            raise TavlaError(f"{self.path}: cannot be read ({error.strerror})") from None

    def find(self, ruleset: Ruleset, match_length: int | None) -> Ladder | None:
        """Return a house's ladder; None if it has none.

        A level plays alike at every match length. Of several ladders, the one of the nearest length is returned.

        Args:
          match_length: points that win the match; None for single games.

        Raises:
          TavlaError: see `ladders`.
        """
        own = [ladder for ladder in self.ladders if ladder.ruleset == ruleset.name]
        return min(own, key=lambda ladder: abs(ladder.match_length - (match_length or 1)), default=None)

    def ladder(self, ruleset: Ruleset, match_length: int | None) -> Ladder:
        """Return a house's ladder; see `find`.

        Raises:
          TavlaError: the house has no ladder, or see `ladders`.
        """
        found = self.find(ruleset, match_length)
        if found is None:
            houses = ", ".join(dict.fromkeys(ladder.ruleset for ladder in self.ladders)) or "none"
            raise TavlaError(
                f"{self.name}: no levels of {ruleset.name}, only of {houses}; "
                f"make them with tavla calibrate --ruleset {ruleset.name}, or play a checkpoint"
            )
        return found

    def folder(self, level: RatedLevel) -> Path:
        """Return the folder of a level's checkpoint: beside the file, else the shipped one of that name."""
        beside = self.path.parent / level.checkpoint
        return beside if beside.exists() else find_checkpoint(level.checkpoint)

    def measured_card(self, name: LevelName, level: RatedLevel) -> Card:
        """Return the card of a level's checkpoint.

        Raises:
          CheckpointError: the card cannot be read.
          TavlaError: the checkpoint has other weights than the level was measured with.
        """
        if not self.is_as_measured(level):
            raise _replaced(name, self.folder(level))
        return read_card(self.folder(level) / CARD_FILE)

    def is_as_measured(self, level: RatedLevel) -> bool:
        """Return whether a level's checkpoint is the one that was measured.

        Raises:
          CheckpointError: the card cannot be read.
        """
        return read_card(self.folder(level) / CARD_FILE).weights_sha256 == level.weights_sha256

    def checkpoint(self, name: LevelName, level: RatedLevel, ruleset: Ruleset) -> Checkpoint:
        """Return a level's checkpoint, for its game.

        Raises:
          CheckpointError: the checkpoint cannot be used; see `load_checkpoint`.
          TavlaError: it has other weights than the level was measured with, so its rating is unknown.
        """
        checkpoint = load_checkpoint(self.folder(level), ruleset)
        if checkpoint.card.weights_sha256 != level.weights_sha256:
            raise _replaced(name, self.folder(level))
        return checkpoint

    def with_ladder(self, ladder: Ladder) -> tuple[Ladder, ...]:
        """Return the file's ladders with a new one, which replaces the ladder of the same house and match length.

        Raises:
          TavlaError: the file exists and cannot be read.
        """
        found = self.ladders if self.path.exists() else ()
        by_key = {(one.ruleset, one.match_length): one for one in (*found, ladder)}
        return tuple(by_key.values())


def _replaced(name: LevelName, folder: Path) -> TavlaError:
    return TavlaError(f"{folder}: {name} was measured with other weights; measure it again with tavla calibrate")


def save_levels(path: Path, ladders: tuple[Ladder, ...]) -> Levels:
    """Write a file of levels in one step, and return it.

    Raises:
      TavlaError: the file is part of the installed package.
    """
    check_is_not_packaged(path)
    data = _File(schema_version=SCHEMA_VERSION, ladders=ladders).model_dump(mode="json")
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=120)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (_HEADER + text).encode())
    return Levels(path)


def level_name(text: str) -> LevelName:
    """Return the name of a level, checked.

    Raises:
      TavlaError: no level has this name.
    """
    if text not in LEVEL_NAMES:
        raise TavlaError(f"level {text!r}: expected {', '.join(LEVEL_NAMES)}")
    return text
