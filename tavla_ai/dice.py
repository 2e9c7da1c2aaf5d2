"""Fair dice: statistics of rolls, and seeds that are committed to before the games and revealed after them.

Every roll is a function of (seed, game, turn), see `engine/base/dice.hpp`, so players cannot influence it. This module
proves that to others.

**Audit.** `audit` tests rolls in the order thrown; `read_rolls` collects them by player from JSON lines.

**Commitment.** Scheme `tavla-dice-1`. Before the games the commitment is published: the SHA-256, as 64 lower-case
hexadecimal digits, of the ASCII text `tavla-dice-1:SALT:SEED`, where SALT is 32 lower-case hexadecimal digits and SEED
the seed in decimal without leading zeros, 0 to 2**64 − 1. After the games salt and seed are published. With
them anybody can compute every roll: Philox 4x32-10 with the seed as key, its low 32 bits first, and the counter

    (n, stream + 256 · round, game mod 2**32, game div 2**32)

with stream 0 for the roll of turn n = 0, 1, 2, ... of a game and stream 1 for the n-th attempt to decide who starts;
`round` counts the games of a match, from 0. Of the four resulting words w0 to w3, the dice are
1 + ⌊6 · w0 / 2**32⌋ and 1 + ⌊6 · w1 / 2**32⌋. The opening dice are those of the first attempt whose dice differ: seat 0
starts where the first is the higher one, and its first turn has these dice (`use_dice`) or those of turn 0 (`reroll`).
Where the winner of the previous game starts, there are no opening dice. docs/dice.md has the computation in a few
lines.

The commitment shows that the dice were fixed before the games. It does not show how the seed was chosen: publish it
before it is known who plays which game.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, model_validator

from tavla_ai import engine
from tavla_ai.engine import MAX_SEED
from tavla_ai.errors import TavlaError
from tavla_ai.files import first_mistake
from tavla_ai.rules import Ruleset, compile_rules, get_ruleset, parse_dice
from tavla_ai.stats import chi_square_p_value

SCHEME = "tavla-dice-1"
# Most turns of one game that are generated again; no game is as long.
MAX_PLIES = 1_000_000
MAX_ROUND = 2**24 - 1
# Most rolls of the engine's dice that are tested at once.
MAX_ROLLS = 20_000_000

Rolls = npt.NDArray[np.int8]

# Least count of each class for a chi-square test, and of each kind for a normal approximation.
_MIN_EXPECTED = 5
_MIN_KIND = 10
# The dice of this many rolls are all sorted by chance once in 20,000 times.
_SORTED_ROLLS = 20
# Mean pips of a roll, a double counting four times: 8 1/6.
_LARGE = 9


# Statistics


class DiceTest(BaseModel):
    """One test of a set of rolls."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="property that is compared with fair dice")
    statistic: float = Field(description="chi-square; 0 if there are too few rolls")
    freedom: int = Field(description="degrees of freedom")
    p_value: float | None = Field(
        description="chance that fair dice give at least this statistic; null if there are too few rolls"
    )


class DiceAudit(BaseModel):
    """Comparison of one player's rolls with fair dice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    player: str = Field(description="name of the player")
    rolls: int = Field(description="number of rolls")
    doubles_share: float | None = Field(description="share of doubles, 1/6 for fair dice; null without rolls")
    face_shares: tuple[float, ...] | None = Field(
        description="share of each face, 1 to 6, among both dice; null without rolls"
    )
    tests: tuple[DiceTest, ...] = Field(
        description="results of the tests; among many tests some look unlikely by chance"
    )


def audit(rolls: Rolls, player: str = "rolls") -> DiceAudit:
    """Compare rolls with those of two fair dice.

    The length of a game may depend on its dice: whether there is another roll never depends on that roll.
    The opening dice of houses that play them are never a double and must not be among the rolls.

    Args:
      rolls: int8 `[N, 2]`, 1 to 6, dice and rolls in the order thrown, game after game. With fair dice the first roll
        of a game is independent of the last roll of the game before.
      player: name of the player, for messages.

    Raises:
      TavlaError: wrong shape or numbers, or dice that were sorted by size.
    """
    rolls = np.asarray(rolls)
    if rolls.ndim != 2 or rolls.shape[1] != 2:
        raise TavlaError(f"{player}: rolls of shape {list(rolls.shape)}: expected [N, 2]")
    wrong = ~np.isin(rolls, np.arange(1, 7))
    if wrong.any():
        raise TavlaError(f"{player}: die {rolls[wrong][0]}: expected 1 to 6")
    first, second = rolls.T.astype(np.int64) - 1
    number = len(rolls)
    if number >= _SORTED_ROLLS and ((first >= second).all() or (first <= second).all()):
        raise TavlaError(f"{player}: the two dice of every roll are sorted by size: expected them as they were thrown")
    ordered = np.bincount(6 * first + second, minlength=36).reshape(6, 6)
    lower = np.tril_indices(6)
    classes = (ordered + ordered.T)[lower]
    classes[lower[0] == lower[1]] //= 2
    shares = np.where(lower[0] == lower[1], 1, 2) / 36
    is_double = first == second
    doubles = int(is_double.sum())
    faces = ordered.sum(axis=0) + ordered.sum(axis=1)
    pips = np.where(is_double, 4 * (first + 1), first + second + 2)
    return DiceAudit(
        player=player,
        rolls=number,
        doubles_share=doubles / number if number else None,
        face_shares=tuple((faces / (2 * number)).tolist()) if number else None,
        tests=(
            _fit("faces of the first die", ordered.sum(axis=1), np.full(6, 1 / 6)),
            _fit("faces of the second die", ordered.sum(axis=0), np.full(6, 1 / 6)),
            _fit("36 ordered pairs", ordered.ravel(), np.full(36, 1 / 36)),
            _fit("21 rolls", classes, shares),
            _fit("doubles", np.array([doubles, number - doubles]), np.array([1 / 6, 5 / 6])),
            _serial("first die and the next first", first[:-1], first[1:]),
            _serial("second die and the next second", second[:-1], second[1:]),
            _serial("second die and the next first", second[:-1], first[1:]),
            _runs("runs of doubles", is_double),
            _runs("runs of large rolls", pips >= _LARGE),
        ),
    )


def _fit(name: str, counts: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]) -> DiceTest:
    """Compare counts with the counts expected from known shares."""
    expected = counts.sum() * shares
    freedom = len(counts) - 1
    if expected.min() < _MIN_EXPECTED:
        return DiceTest(name=name, statistic=0, freedom=freedom, p_value=None)
    return _tested(name, float(((counts - expected) ** 2 / expected).sum()), freedom)


def _serial(name: str, before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> DiceTest:
    """Compare each roll with the next: a contingency table with the observed margins.

    The pairs overlap, which would spoil a comparison with 1/36 each but not this one (Billingsley, Statistical
    methods in Markov chains, 1961).
    """
    table = np.bincount(6 * before + after, minlength=36).reshape(6, 6)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(len(before), 1)
    if expected.min() < _MIN_EXPECTED:
        return DiceTest(name=name, statistic=0, freedom=25, p_value=None)
    return _tested(name, float(((table - expected) ** 2 / expected).sum()), 25)


def _runs(name: str, kind: npt.NDArray[np.bool_]) -> DiceTest:
    """Compare the number of runs of one kind of roll with a random order (Wald and Wolfowitz 1940)."""
    number, of_kind = len(kind), int(kind.sum())
    others = number - of_kind
    if min(of_kind, others) < _MIN_KIND:
        return DiceTest(name=name, statistic=0, freedom=1, p_value=None)
    runs = 1 + int((kind[1:] != kind[:-1]).sum())
    mean = 1 + 2 * of_kind * others / number
    variance = (mean - 1) * (mean - 2) / (number - 1)
    return _tested(name, (runs - mean) ** 2 / variance, 1)


def _tested(name: str, statistic: float, freedom: int) -> DiceTest:
    return DiceTest(name=name, statistic=statistic, freedom=freedom, p_value=chi_square_p_value(statistic, freedom))


@dataclass(frozen=True)
class SmallestPValue:
    """The most unlikely result of several audits.

    Attributes:
      audit: the audit with it.
      test: the test with it.
      p_value: p-value of the test.
      num_tests: number of tests, in all audits, that had enough rolls.
    """

    audit: DiceAudit
    test: DiceTest
    p_value: float
    num_tests: int

    @property
    def bonferroni_p_value(self) -> float:
        """An upper bound of the chance that fair dice give a p-value as small in any of the tests."""
        return min(1.0, self.p_value * self.num_tests)


def smallest_p_value(audits: Sequence[DiceAudit]) -> SmallestPValue | None:
    """Return the smallest p-value of all tests of all audits; None if no test had enough rolls."""
    done = [(test.p_value, audit, test) for audit in audits for test in audit.tests if test.p_value is not None]
    if not done:
        return None
    p_value, of_audit, test = min(done, key=lambda item: item[0])
    return SmallestPValue(of_audit, test, p_value, len(done))


# Rolls of games


@dataclass(frozen=True)
class GameDice:
    """The dice of one game.

    Attributes:
      first: the seat that made the first turn; turns alternate.
      rolls: int8 `[plies, 2]`, the roll of each turn.
      has_opening: whether the first roll is opening dice, which are never a double.
    """

    first: int
    rolls: Rolls
    has_opening: bool


def game_dice(ruleset: Ruleset, seed: int, game: int, plies: int, round: int = 0, first: int | None = None) -> GameDice:
    """Return the dice of a game from its seed.

    Args:
      seed: seed of the dice, 0 to 2**64 − 1.
      game: number of the game, 0 to 2**64 − 1; in a tournament the number of the pair.
      plies: number of turns.
      round: number of the game within its match, from 0.
      first: seat that won the previous game and so starts without opening dice; None if opening dice are thrown.
    """
    rolls = engine.rolls(seed, game, plies, round)
    if first is not None:
        return GameDice(first, rolls, has_opening=False)
    seat, opening = engine.opening(compile_rules(ruleset), seed, game, round)
    rolls[:1] = opening
    return GameDice(seat, rolls, has_opening=ruleset.opening == "use_dice")


def parse_rolls(text: str) -> Rolls:
    """Return the rolls of a text such as `31 62 5-5` as int8 `[N, 2]`, in the order written.

    Raises:
      TavlaError: a roll that cannot be read.
    """
    return np.array([parse_dice(roll) for roll in text.split()], np.int8).reshape(-1, 2)


class DiceRecord(BaseModel):
    """One line of a file for `read_rolls`: the dice of one game, or of one player in it.

    It has either `rolls` with `player` (who threw all of them) or with `seats` and `first`; or it has `seats` with
    `seed`,
    `game` and `plies`, from which the dice follow. Other fields are ignored.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    player: str | None = Field(default=None, description="player who threw all of `rolls`")
    seats: tuple[str, str] | None = Field(default=None, description="players in seat 0 and seat 1")
    first: Literal[0, 1] | None = Field(
        default=None,
        description="the seat of the first turn; with `seed` only where it starts without opening dice, because it "
        "won the game before",
    )
    rolls: str | None = Field(default=None, description="dice in the order thrown, turn by turn, such as 31 62 55")
    opening: bool = Field(
        default=False,
        description="whether the first of `rolls` is opening dice, which are never a double and are not tested",
    )
    seed: int | None = Field(default=None, ge=0, le=MAX_SEED, description="seed of the dice")
    game: int | None = Field(
        default=None, ge=0, le=MAX_SEED, description="number of the game; in a tournament, of the pair"
    )
    round: int = Field(default=0, ge=0, le=MAX_ROUND, description="number of the game within its match, from 0")
    plies: int | None = Field(default=None, ge=0, le=MAX_PLIES, description="number of turns played")
    ruleset: str = Field(default="north-sultan", description="name of the ruleset, which says what opening dice do")

    @model_validator(mode="after")
    def _is_complete(self) -> DiceRecord:
        if self.rolls is None:
            if None in (self.seed, self.game, self.plies, self.seats):
                raise ValueError("expected rolls, or seed, game, plies and seats")
        elif self.seed is not None:
            raise ValueError("expected rolls or seed, not both")
        elif (self.player is None) == (self.seats is None):
            raise ValueError("expected player or seats with rolls")
        elif self.seats is not None and self.first is None:
            raise ValueError("expected first with seats and rolls")
        return self


@dataclass
class PlayerRolls:
    """The rolls of several players.

    Attributes:
      rolls: player → int8 `[N, 2]`, in the order of the lines.
      openings: rolls left out because they were opening dice.
      repeated: rolls left out because the player had the same dice of a seed in another game. A round robin repeats
        them for every opponent, and a repeated roll proves nothing new.
    """

    rolls: dict[str, Rolls]
    openings: int = 0
    repeated: int = 0


def read_rolls(paths: Sequence[Path]) -> PlayerRolls:
    """Collect the rolls of each player from files of JSON lines, each a `DiceRecord`; empty lines are skipped.

    Raises:
      TavlaError: a line that cannot be read.
      OSError: a file that cannot be read.
    """
    result = PlayerRolls({})
    # Player → rolls. Of games with the same dice of a seed the longest counts; recorded rolls count line by line.
    thrown: dict[str, dict[tuple[object, ...], Rolls]] = {}
    for path in paths:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    record, dice = _read_line(line, f"{path}, line {number}")
                    origin = (path, number) if record.seed is None else (record.seed, record.game, record.round)
                    _collect(record, dice, origin, thrown, result)
    result.rolls = {player: np.concatenate(list(parts.values())) for player, parts in thrown.items()}
    return result


def rolls_of_seed(seed: int, games: int, plies: int) -> PlayerRolls:
    """Return the engine's own rolls of a seed: those of all turns, of the even turns and of the odd turns.

    Args:
      seed: seed of the dice, 0 to 2**64 − 1.
      games: games 0 to `games` − 1 of the seed.
      plies: turns of each game.

    Raises:
      TavlaError: more than `MAX_ROLLS` rolls.
    """
    if games * plies > MAX_ROLLS:
        raise TavlaError(f"{games} games of {plies} rolls: expected at most {MAX_ROLLS} rolls")
    rolls = np.stack([engine.rolls(seed, game, plies) for game in range(games)])
    groups = {"all turns": rolls, "even turns": rolls[:, ::2], "odd turns": rolls[:, 1::2]}
    return PlayerRolls({name: group.reshape(-1, 2) for name, group in groups.items()})


def _read_line(line: str, where: str) -> tuple[DiceRecord, GameDice]:
    try:
        record = DiceRecord.model_validate_json(line)
        return record, _dice_of(record)
    except ValidationError as error:
        raise TavlaError(f"{where}: {first_mistake(error)}") from None
    except TavlaError as error:
        raise TavlaError(f"{where}: {error}") from None


def _collect(
    record: DiceRecord,
    dice: GameDice,
    origin: tuple[object, ...],
    thrown: dict[str, dict[tuple[object, ...], Rolls]],
    result: PlayerRolls,
) -> None:
    """Add the dice of one line to the rolls of its players."""
    opening = int(dice.has_opening and len(dice.rolls) > 0)
    result.openings += opening
    if record.seats is None:
        shares = [(record.player or "", dice.rolls[opening:])]
    else:
        starter, other = record.seats[dice.first], record.seats[dice.first ^ 1]
        shares = [(starter, dice.rolls[::2][opening:]), (other, dice.rolls[1::2])]
    for turn, (player, own) in enumerate(shares):
        of_player = thrown.setdefault(player, {})
        before = of_player.get((*origin, turn), own[:0])
        result.repeated += min(len(before), len(own))
        of_player[*origin, turn] = max(before, own, key=len)


def _dice_of(record: DiceRecord) -> GameDice:
    if record.rolls is not None:
        return GameDice(record.first or 0, parse_rolls(record.rolls), record.opening)
    ruleset = get_ruleset(record.ruleset)
    return game_dice(ruleset, record.seed or 0, record.game or 0, record.plies or 0, record.round, record.first)


# Commitment


class DiceSecret(BaseModel):
    """The secret behind a commitment, until it is revealed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scheme: Literal["tavla-dice-1"] = Field(default="tavla-dice-1", description="name of the commitment scheme")
    seed: int = Field(
        ge=0,
        le=MAX_SEED,
        description="seed of the dice; a text in JSON, because many readers round numbers above 2**53",
    )
    salt: str = Field(
        pattern=r"^[0-9a-f]{32}$", description="32 hexadecimal digits, which make the seed impossible to guess"
    )

    @field_serializer("seed", when_used="json")
    def _seed_as_text(self, seed: int) -> str:
        return str(seed)

    @property
    def message(self) -> str:
        """Return the text whose hash is the commitment."""
        return f"{self.scheme}:{self.salt}:{self.seed}"

    @property
    def commitment(self) -> str:
        """Return the commitment to publish before the games, 64 hexadecimal digits."""
        return hashlib.sha256(self.message.encode("ascii")).hexdigest()


def make_secret(seed: int | None = None, salt: str | None = None) -> DiceSecret:
    """Return a secret with this seed and salt; the system's secure generator draws each that is None.

    Raises:
      TavlaError: a seed that is not 0 to 2**64 − 1, or a salt that is not 32 hexadecimal digits.
    """
    if seed is None:
        seed = secrets.randbelow(MAX_SEED + 1)
    if not 0 <= seed <= MAX_SEED:
        raise TavlaError(f"seed {seed}: expected 0 to {MAX_SEED}")
    salt = secrets.token_hex(16) if salt is None else _hexadecimal("salt", salt, 32)
    return DiceSecret(seed=seed, salt=salt)


def write_secret(path: Path, secret: DiceSecret) -> None:
    """Write a secret and its commitment as JSON into a new file that only this user can read.

    Raises:
      OSError: the file exists, or it cannot be written.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(secret.model_dump(mode="json") | {"commitment": secret.commitment}, file, indent=2)
        file.write("\n")


def read_secret(text: str, where: str) -> DiceSecret:
    """Return the secret of a JSON text.

    Args:
      where: the file, for messages.

    Raises:
      TavlaError: the text is no secret.
    """
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError
        return DiceSecret.model_validate({name: data[name] for name in ("scheme", "seed", "salt") if name in data})
    except ValidationError as error:
        raise TavlaError(f"{where}: {first_mistake(error)}") from None
    except ValueError:
        raise TavlaError(f"{where}: not the JSON of a dice secret") from None


def is_commitment_to(secret: DiceSecret, commitment: str) -> bool:
    """Return whether a published commitment belongs to this secret.

    Raises:
      TavlaError: the commitment is not 64 hexadecimal digits.
    """
    return secrets.compare_digest(_hexadecimal("commitment", commitment, 64), secret.commitment)


def first_difference(recorded: Rolls, dice: GameDice) -> int | None:
    """Return the first turn whose recorded roll differs from `dice`; None if none does.

    The order of the two dice of a roll does not matter.
    """
    number = min(len(recorded), len(dice.rolls))
    differs = (np.sort(recorded[:number]) != np.sort(dice.rolls[:number])).any(axis=1)
    if differs.any():
        return int(differs.argmax())
    return None if number == len(recorded) else number


def _hexadecimal(what: str, text: str, digits: int) -> str:
    if not re.fullmatch(f"[0-9a-f]{{{digits}}}", text.strip().lower()):
        raise TavlaError(f"{what} {text!r}: expected {digits} hexadecimal digits")
    return text.strip().lower()
