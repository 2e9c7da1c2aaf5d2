"""Checkpoints: a trained network with everything needed to trust it.

A checkpoint is a folder of `weights.safetensors` and `card.json`; the card is written last, so a folder
without one is not a checkpoint. This module alone knows the file names. Loading needs neither torch nor ray.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from tavla_ai import engine
from tavla_ai.errors import CheckpointError
from tavla_ai.rulesets import NUM_PLACES, Ruleset

SCHEMA_VERSION = 1
WEIGHTS_FILE = "weights.safetensors"
CARD_FILE = "card.json"

Inputs = Literal["counts", "shots"]
Weights = Mapping[str, NDArray[np.float32]]

_SHARES_TOLERANCE = 1e-6


class NetworkSpec(BaseModel):
    """The shape of a value network: a sparse first layer, dense layers after it, a softmax over scores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: tuple[int, ...] = Field(
        min_length=1, description="units of each hidden layer, the sparse first one at the front"
    )
    num_places: int = Field(default=NUM_PLACES, ge=NUM_PLACES, le=50, description="length of a side's row of counts")
    num_scores: int = Field(ge=2, le=8, description="outputs: the ruleset's possible scores, best first")
    inputs: Inputs = Field(
        default="counts", description="what it reads of a board; `shots`, see `engine.shots`, as well"
    )

    @field_validator("inputs")
    @classmethod
    def _check_inputs(cls, inputs: Inputs, info: ValidationInfo) -> Inputs:
        if inputs == "shots" and info.data.get("num_places") != NUM_PLACES:
            raise ValueError(f"shots: only of boards of {NUM_PLACES} places a side")
        return inputs

    @property
    def num_utility_inputs(self) -> int:
        """How many numbers tell the network what each score is worth."""
        return self.num_scores - 2

    @property
    def num_inputs(self) -> int:
        """Width of the first layer's input: board features, then utility inputs, then shots."""
        shots = engine.NUM_SHOT_INPUTS if self.reads_shots else 0
        return engine.num_board_features(self.num_places) + self.num_utility_inputs + shots

    @property
    def reads_shots(self) -> bool:
        """Whether the first layer reads how many rolls hit which blots."""
        return self.inputs == "shots"

    @property
    def features(self) -> str:
        """Version of the inputs."""
        return f"{engine.FEATURE_VERSION}+{engine.SHOTS_VERSION}" if self.reads_shots else engine.FEATURE_VERSION

    def layer_shapes(self) -> list[tuple[int, int]]:
        """Return `(out, in)` of each layer, first to last."""
        widths = (self.num_inputs, *self.hidden, self.num_scores)
        return [(widths[i + 1], widths[i]) for i in range(len(widths) - 1)]


class Result(BaseModel):
    """What a checkpoint scored against one opponent, on dice that were not used to choose it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opponent: str = Field(description="the opponent's name, as the tournament takes it")
    games: int = Field(ge=1, description="games played, in pairs with the same dice and swapped seats")
    points_per_game: float = Field(description="mean score of the checkpoint, in points")
    standard_error: float | None = Field(
        ge=0, description="of points_per_game, from the pairs, in points; null for a single pair"
    )
    win_share: float = Field(ge=0, le=1, description="games won, as a share of all")
    mars_share: float = Field(ge=0, le=1, description="games won by more than one point, as a share of wins")
    seed: int = Field(description="seed of the dice")
    ply: int = Field(default=0, ge=0, description="look-ahead of the checkpoint")
    adjusted: float | None = Field(
        default=None, description="points_per_game without the luck of the rolls; null where nobody judged luck"
    )
    adjusted_standard_error: float | None = Field(default=None, ge=0, description="of `adjusted`, in points")


class LossRate(BaseModel):
    """What a checkpoint loses on a set of judged decisions, see `tavla_ai.error_rate`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positions: str = Field(description="name of the set: its file, without folder and ending")
    judges: str = Field(description="who judged them, and how deep")
    decisions: int = Field(ge=1, description="how many there are")
    ply: int = Field(ge=0, description="look-ahead of the checkpoint")
    loss: float = Field(ge=0, description="thousandths of a point lost per decision")
    standard_error: float | None = Field(ge=0, description="of the loss; null for a single decision")
    best_share: float = Field(ge=0, le=1, description="decisions in which the best play was made, as a share")


class Ancestor(BaseModel):
    """A checkpoint that another one was trained from: what it took and what it reached."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights_sha256: str = Field(description="of its weights file")
    targets: str = Field(description="what it was trained on")
    hidden: tuple[int, ...] = Field(description="units of each of its hidden layers")
    games: int = Field(ge=0, description="self-play games of its run")
    positions: int = Field(ge=0, description="afterstates that its run trained on")
    cost: dict[str, float] = Field(description="what its run took")
    results: tuple[Result, ...] = Field(description="its measured strength")

    @classmethod
    def of(cls, card: Card) -> Ancestor:
        """Return what a card says of its own run."""
        return cls(
            weights_sha256=card.weights_sha256,
            targets=str(card.config.get("targets", "td")),
            hidden=card.network.hidden,
            games=card.games,
            positions=card.positions,
            cost=card.cost,
            results=card.results,
        )


class Card(BaseModel):
    """What `card.json` says of a checkpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(description="version of this card's layout")
    ruleset: Ruleset = Field(description="the game the network was trained for, in full")
    network: NetworkSpec = Field(description="the network's shape")
    features: str = Field(description="version of the network's inputs")
    weights_sha256: str = Field(description="of the weights file")
    games: int = Field(ge=0, description="self-play games behind these weights")
    positions: int = Field(ge=0, description="afterstates trained on")
    seed: int = Field(description="seed of the training run")
    config: dict[str, Any] = Field(description="the resolved training configuration")
    code: dict[str, str] = Field(description="git commit and whether the tree had changes")
    versions: dict[str, str] = Field(description="of the libraries used")
    parent: str | None = Field(description="weights_sha256 of the checkpoint this one started from")
    lineage: tuple[Ancestor, ...] = Field(
        default=(), description="the checkpoints behind this one, oldest first; the last one is the parent"
    )
    created: str = Field(description="when it was written, UTC, ISO 8601")
    cost: dict[str, float] = Field(description="what training took: seconds by phase, peak memory in MiB")
    results: tuple[Result, ...] = Field(default=(), description="measured strength")
    loss_rates: tuple[LossRate, ...] = Field(default=(), description="what it loses on judged decisions")
    decision_microseconds: float | None = Field(
        default=None,
        gt=0,
        description="mean time of a decision at 0-ply, on one core of the machine that measured; null if not measured",
    )
    score_shares: tuple[float, ...] | None = Field(
        default=None,
        description="probability of each score for the side that starts a game of self-play, best first; null if not "
        "measured",
    )

    @field_validator("score_shares")
    @classmethod
    def _check_score_shares(cls, shares: tuple[float, ...] | None, info: ValidationInfo) -> tuple[float, ...] | None:
        network = info.data.get("network")
        if shares is None or network is None:
            return shares
        if len(shares) != network.num_scores:
            raise ValueError(f"{len(shares)} numbers, expected {network.num_scores}")
        if not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > _SHARES_TOLERANCE:
            raise ValueError(f"{shares}: expected probabilities that add up to 1")
        return shares


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint: where it was, its card, and its weights by layer (`layers.N.weight`, `.bias`)."""

    path: Path
    card: Card
    weights: dict[str, NDArray[np.float32]]

    def engine_network(self) -> engine.Network:
        """Return the network folded into the engine, ready to evaluate."""
        return fold(self.weights, self.card.network.num_places)

    def network_for(self, ruleset: Ruleset) -> engine.Network:
        """Return the network folded into the engine, to evaluate games of `ruleset`.

        Raises:
          CheckpointError: the network predicts other scores, or reads other boards, than the game has.
        """
        for what, network, game in (
            ("predicts {} scores", self.card.network.num_scores, len(ruleset.scores)),
            ("reads {} places a side", self.card.network.num_places, ruleset.num_places),
        ):
            if network != game:
                raise CheckpointError(f"{self.path}: {what.format(network)}, a game of {ruleset.name} has {game}")
        return self.engine_network()


def fold(weights: Weights, num_places: int = NUM_PLACES) -> engine.Network:
    """Return the engine's network for weights named `layers.N.weight` `[out, in]` and `layers.N.bias` `[out]`."""
    count = sum(name.endswith(".weight") for name in weights)
    return engine.Network(
        [
            (
                np.ascontiguousarray(weights[f"layers.{i}.weight"], dtype=np.float32),
                np.ascontiguousarray(weights[f"layers.{i}.bias"], dtype=np.float32),
            )
            for i in range(count)
        ],
        num_places,
    )


def save_checkpoint(
    path: Path,
    weights: Weights,
    *,
    ruleset: Ruleset,
    network: NetworkSpec,
    games: int,
    positions: int,
    seed: int,
    config: Mapping[str, Any],
    code: Mapping[str, str],
    versions: Mapping[str, str],
    parent: Card | None = None,
    cost: Mapping[str, float] | None = None,
    results: tuple[Result, ...] = (),
    score_shares: Sequence[float] | None = None,
    extra_files: Mapping[str, Callable[[Path], None]] | None = None,
) -> Card:
    """Write a checkpoint folder; it appears under its name complete or not at all.

    Args:
      path: the folder to make; it must not exist.
      parent: card of the checkpoint that training started from.
      extra_files: file name → function that writes it, such as the trainer's state.

    Raises:
      CheckpointError: the folder exists, a weight does not have the shape its spec says, or the card would not
        be valid.
    """
    if path.exists():
        raise CheckpointError(f"{path}: already exists; a checkpoint is never overwritten")
    _check_shapes(path, network, weights)
    data = save_safetensors({name: np.ascontiguousarray(array) for name, array in weights.items()})
    try:
        card = Card(
            schema_version=SCHEMA_VERSION,
            ruleset=ruleset,
            network=network,
            features=network.features,
            weights_sha256=hashlib.sha256(data).hexdigest(),
            games=games,
            positions=positions,
            seed=seed,
            config=dict(config),
            code=dict(code),
            versions=dict(versions),
            parent=None if parent is None else parent.weights_sha256,
            lineage=() if parent is None else (*parent.lineage, Ancestor.of(parent)),
            cost=dict(cost or {}),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            results=results,
            score_shares=None if score_shares is None else tuple(score_shares),
        )
    except ValidationError as error:
        raise CheckpointError(f"{path}: {_first_mistake(error)}") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.tmp-{uuid.uuid4().hex[:8]}"
    temporary.mkdir()
    try:
        (temporary / WEIGHTS_FILE).write_bytes(data)
        for name, write in (extra_files or {}).items():
            write(temporary / name)
        write_card(temporary, card)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return card


def write_card(path: Path, card: Card) -> None:
    """Write or replace the card in the checkpoint folder `path`, in one step."""
    temporary = path / f".{CARD_FILE}.tmp-{uuid.uuid4().hex[:8]}"
    temporary.write_text(json.dumps(card.model_dump(mode="json"), indent=2, sort_keys=True) + "\n")
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path / CARD_FILE)


def is_checkpoint(path: Path) -> bool:
    """Return whether `path` is a folder with a finished checkpoint."""
    return (path / CARD_FILE).is_file()


def load_checkpoint(path: Path, ruleset: Ruleset | None = None) -> Checkpoint:
    """Load and check a checkpoint.

    Args:
      path: the checkpoint's folder.
      ruleset: the game it is wanted for; None takes any.

    Raises:
      CheckpointError: missing, damaged, written for other inputs or another schema, or trained for a game
        whose positions are worth something else. The message gives the reason.
    """
    if not path.exists():
        raise CheckpointError(f"{path}: no such checkpoint")
    if not is_checkpoint(path):
        raise CheckpointError(f"{path}: not a checkpoint, it has no {CARD_FILE}")
    card = read_card(path / CARD_FILE)
    if card.features != card.network.features:
        raise CheckpointError(
            f"{path}: written for network inputs {card.features!r}, this version has {card.network.features!r}"
        )
    if ruleset is not None and not ruleset.plays_like(card.ruleset):
        raise CheckpointError(
            f"{path}: trained for {card.ruleset.name}, whose positions are not worth the same in {ruleset.name}"
        )
    weights_path = path / WEIGHTS_FILE
    try:
        data = weights_path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{weights_path}: cannot be read ({error.strerror})") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != card.weights_sha256:
        raise CheckpointError(
            f"{weights_path}: damaged, its sha256 is {digest[:12]}…, the card says {card.weights_sha256[:12]}…"
        )
    try:
        weights = load_safetensors(data)
    except (SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(f"{weights_path}: not a safetensors file of float32 ({error})") from None
    _check_shapes(weights_path, card.network, weights)
    return Checkpoint(path, card, weights)


def read_card(path: Path) -> Card:
    """Return a checked card.

    Raises:
      CheckpointError: it cannot be read, or is not a card of this schema.
    """
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise CheckpointError(f"{path}: schema version {version!r}, this version reads {SCHEMA_VERSION}")
    try:
        return Card.model_validate(data)
    except ValidationError as error:
        raise CheckpointError(f"{path}: {_first_mistake(error)}") from None


def _first_mistake(error: ValidationError) -> str:
    """Return the first field that a card has wrong, and what is wrong with it."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _check_shapes(path: Path, network: NetworkSpec, weights: Weights) -> None:
    expected: dict[str, tuple[int, ...]] = {}
    for i, (out, into) in enumerate(network.layer_shapes()):
        expected[f"layers.{i}.weight"] = (out, into)
        expected[f"layers.{i}.bias"] = (out,)
    if set(weights) != set(expected):
        raise CheckpointError(f"{path}: has weights {sorted(weights)}, the network needs {sorted(expected)}")
    for name, shape in expected.items():
        if weights[name].shape != shape:
            raise CheckpointError(f"{path}: {name} has shape {weights[name].shape}, the network needs {shape}")
        if weights[name].dtype != np.float32:
            raise CheckpointError(f"{path}: {name} is {weights[name].dtype}, expected float32")
        if not np.isfinite(weights[name]).all():
            raise CheckpointError(f"{path}: {name} has a value that is not finite")
