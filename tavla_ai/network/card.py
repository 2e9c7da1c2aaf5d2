"""The card of a checkpoint: its training and its measured strength."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tavla_ai.errors import CheckpointError
from tavla_ai.files import read_model, write_model
from tavla_ai.network.spec import NetworkSpec
from tavla_ai.rules import Ruleset

SCHEMA_VERSION = 1
CARD_FILE = "card.json"

_SHARES_TOLERANCE = 1e-6


class Result(BaseModel):
    """The result of a checkpoint against an opponent, on dice that were not used to choose the checkpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opponent: str = Field(description="name of the opponent, as in tournaments")
    games: int = Field(ge=1, description="games played, in pairs with the same dice and swapped seats")
    points_per_game: float = Field(description="mean score of the checkpoint, in points")
    standard_error: float | None = Field(
        ge=0, description="standard error of points_per_game, from the pairs, in points; null for a single pair"
    )
    win_share: float = Field(ge=0, le=1, description="share of games won")
    mars_share: float = Field(ge=0, le=1, description="share of wins by more than one point")
    seed: int = Field(description="seed of the dice")
    ply: int = Field(default=0, ge=0, description="look-ahead of the checkpoint")
    adjusted: float | None = Field(
        default=None, description="points_per_game without the luck of the rolls; null if luck was not measured"
    )
    adjusted_standard_error: float | None = Field(
        default=None, ge=0, description="standard error of `adjusted`, in points"
    )


class LossRate(BaseModel):
    """The loss of a checkpoint on a set of judged decisions, see `tavla_ai.strength`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positions: str = Field(description="name of the set: its file, without folder and ending")
    judges: str = Field(description="judges of the decisions, with their look-ahead")
    decisions: int = Field(ge=1, description="number of decisions")
    ply: int = Field(ge=0, description="look-ahead of the checkpoint")
    loss: float = Field(ge=0, description="thousandths of a point lost per decision")
    standard_error: float | None = Field(ge=0, description="standard error of the loss; null for a single decision")
    best_share: float = Field(ge=0, le=1, description="share of decisions in which the best play was made")


class Ancestor(BaseModel):
    """An ancestor of a checkpoint: its cost and its strength."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights_sha256: str = Field(description="sha256 of its weights file")
    targets: str = Field(description="targets of its training")
    hidden: tuple[int, ...] = Field(description="units of each of its hidden layers")
    games: int = Field(ge=0, description="self-play games of its run")
    positions: int = Field(ge=0, description="afterstates that its run trained on")
    cost: dict[str, float] = Field(description="cost of its run")
    results: tuple[Result, ...] = Field(description="measured results")

    @classmethod
    def of(cls, card: Card) -> Ancestor:
        """Return the entry of a card in the lineage of its descendants."""
        return cls(
            weights_sha256=card.weights_sha256,
            targets=str(card.config.get("targets", "td")),
            hidden=card.network.hidden,
            games=card.games,
            positions=card.positions,
            cost=card.cost,
            results=card.results,
        )


class CardDraft(TypedDict):
    """The fields of a `Card` that are known before its checkpoint is written; checked when the card is sealed."""

    ruleset: Ruleset
    network: NetworkSpec
    games: int
    positions: int
    seed: int
    config: dict[str, Any]
    code: dict[str, str]
    versions: dict[str, str]
    cost: dict[str, float]
    results: NotRequired[tuple[Result, ...]]
    score_shares: NotRequired[tuple[float, ...] | None]


class Card(BaseModel):
    """The contents of a checkpoint's `card.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(description="version of this card's layout")
    ruleset: Ruleset = Field(description="ruleset that the network was trained for, in full")
    network: NetworkSpec = Field(description="shape of the network")
    features: str = Field(description="version of the network's inputs")
    weights_sha256: str = Field(description="sha256 of the weights file")
    games: int = Field(ge=0, description="self-play games behind these weights")
    positions: int = Field(ge=0, description="afterstates trained on")
    seed: int = Field(description="seed of the training run")
    config: dict[str, Any] = Field(description="the resolved training configuration")
    code: dict[str, str] = Field(description="git commit and whether the tree had changes")
    versions: dict[str, str] = Field(description="versions of the libraries used")
    parent: str | None = Field(description="weights_sha256 of the checkpoint that training started from")
    lineage: tuple[Ancestor, ...] = Field(
        default=(), description="ancestors of the checkpoint, oldest first; the last one is the parent"
    )
    created: str = Field(description="time of writing, UTC, ISO 8601")
    cost: dict[str, float] = Field(description="cost of training: seconds by phase, peak memory in MiB")
    results: tuple[Result, ...] = Field(default=(), description="measured results")
    loss_rates: tuple[LossRate, ...] = Field(default=(), description="losses on judged decisions")
    decision_microseconds: float | None = Field(
        default=None,
        gt=0,
        description="mean time of a decision of the engine at 0-ply, on one core of the measuring machine; null if not "
        "measured",
    )
    score_shares: tuple[float, ...] | None = Field(
        default=None,
        description="probability of each score for the side that starts a game of self-play, best first; null if not "
        "measured",
    )

    @classmethod
    def seal(cls, draft: CardDraft, weights_sha256: str, parent: Card | None = None) -> Card:
        """Return the card of these weights, written now.

        Args:
          draft: the fields that the trainer knows.
          weights_sha256: sha256 of the weights file.
          parent: card of the checkpoint that training started from.

        Raises:
          ValidationError: a field is not valid.
        """
        return cls(
            **draft,
            schema_version=SCHEMA_VERSION,
            features=draft["network"].features,
            weights_sha256=weights_sha256,
            parent=None if parent is None else parent.weights_sha256,
            lineage=() if parent is None else (*parent.lineage, Ancestor.of(parent)),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
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


def read_card(path: Path) -> Card:
    """Return a checked card.

    Args:
      path: the card's file.

    Raises:
      CheckpointError: it cannot be read, or is not a card of this schema.
    """
    return read_model(path, Card, SCHEMA_VERSION, CheckpointError)


def write_card(folder: Path, card: Card) -> None:
    """Write or replace the card of the checkpoint in `folder`, in one step."""
    write_model(folder / CARD_FILE, card)
