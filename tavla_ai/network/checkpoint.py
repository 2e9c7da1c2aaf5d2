"""Checkpoints: a trained network with everything needed to trust it.

A checkpoint is a folder of `weights.safetensors` and `card.json`. The card is written last, so a folder without a
card is not a checkpoint. Loading needs neither torch nor ray.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from tavla_ai import engine
from tavla_ai.errors import CheckpointError
from tavla_ai.files import first_mistake, whole_folder
from tavla_ai.network.card import CARD_FILE, Card, CardDraft, read_card, write_card
from tavla_ai.network.shipped import checkpoint_name, find_checkpoint, shipped_names, strongest_checkpoint
from tavla_ai.network.weights import Weights, check_weights, fold
from tavla_ai.rules import Ruleset

WEIGHTS_FILE = "weights.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint.

    Attributes:
      path: the folder that it was loaded from.
      card: its card.
      weights: its weights by layer: `layers.N.weight`, `layers.N.bias`.
    """

    path: Path
    card: Card
    weights: dict[str, NDArray[np.float32]]

    @property
    def name(self) -> str:
        """The name in results: `tavla/hard` of a shipped checkpoint, else the folder."""
        return checkpoint_name(self.path)

    def engine_network(self) -> engine.Network:
        """Return the network folded into the engine, ready to evaluate."""
        return fold(self.weights, self.card.network)

    def network_for(self, ruleset: Ruleset) -> engine.Network:
        """Return the network folded into the engine, to evaluate games of `ruleset`.

        Raises:
          CheckpointError: the network predicts other scores, reads other boards, or was trained for a game whose
            positions are worth something else.
        """
        for what, network, game in (
            ("predicts {} scores", self.card.network.num_scores, len(ruleset.scores)),
            ("reads {} places a side", self.card.network.num_places, ruleset.num_places),
        ):
            if network != game:
                raise CheckpointError(f"{self.path}: {what.format(network)}, a game of {ruleset.name} has {game}")
        _check_plays_like(self.path, self.card, ruleset)
        return self.engine_network()


def save_checkpoint(
    path: Path,
    weights: Weights,
    draft: CardDraft,
    *,
    parent: Card | None = None,
    extra_files: Mapping[str, Callable[[Path], None]] | None = None,
) -> Card:
    """Write a checkpoint folder; it appears under its name complete or not at all.

    Args:
      path: the folder to make; it must not exist.
      weights: weights by layer; see `weights`.
      draft: the card's fields that are known before writing.
      parent: card of the checkpoint that training started from.
      extra_files: file name → function that writes it, such as the trainer's state.

    Raises:
      CheckpointError: the folder exists, a weight has another shape than its spec, or the card is not valid.
    """
    if path.exists():
        raise CheckpointError(f"{path}: already exists; a checkpoint is never overwritten")
    check_weights(path, draft["network"], weights)
    data = save_safetensors({name: np.ascontiguousarray(array) for name, array in weights.items()})
    try:
        card = Card.seal(draft, hashlib.sha256(data).hexdigest(), parent)
    except ValidationError as error:
        raise CheckpointError(f"{path}: {first_mistake(error)}") from None
    with whole_folder(path) as folder:
        (folder / WEIGHTS_FILE).write_bytes(data)
        for name, write in (extra_files or {}).items():
            write(folder / name)
        write_card(folder, card)
    return card


def is_checkpoint(path: Path) -> bool:
    """Return whether `path` is a folder with a finished checkpoint."""
    return (path / CARD_FILE).is_file()


def load_checkpoint(checkpoint: str | Path, ruleset: Ruleset | None = None) -> Checkpoint:
    """Load and check a checkpoint.

    Args:
      checkpoint: the checkpoint's folder, or the name of a shipped checkpoint, such as `tavla/hard`.
      ruleset: the game that it must play; None takes any.

    Raises:
      CheckpointError: missing, damaged, written for other inputs or another schema, or trained for a game
        whose positions are worth something else. The message gives the reason.
    """
    path = find_checkpoint(checkpoint)
    if not path.exists():
        raise CheckpointError(
            f"{path}: no such checkpoint; expected the folder of one, or a shipped one: {', '.join(shipped_names())}"
        )
    if not is_checkpoint(path):
        raise CheckpointError(f"{path}: not a checkpoint, it has no {CARD_FILE}; a run's last one is in its `final`")
    card = read_card(path / CARD_FILE)
    if card.features != card.network.features:
        raise CheckpointError(
            f"{path}: written for network inputs {card.features!r}, this version has {card.network.features!r}"
        )
    if ruleset is not None:
        _check_plays_like(path, card, ruleset)
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
    check_weights(weights_path, card.network, weights)
    return Checkpoint(path, card, weights)


def _check_plays_like(path: Path, card: Card, ruleset: Ruleset) -> None:
    if not ruleset.plays_like(card.ruleset):
        raise CheckpointError(
            f"{path}: trained for {card.ruleset.name}, whose positions are not worth the same in {ruleset.name}"
        )


def load_strongest(ruleset: Ruleset) -> Checkpoint:
    """Load the strongest shipped checkpoint that plays a game.

    Raises:
      CheckpointError: no shipped checkpoint plays the game; the message says how to get one.
    """
    name = strongest_checkpoint(ruleset)
    if name is None:
        raise CheckpointError(
            f"{ruleset.name}: no shipped network plays it; train one in a checkout, "
            f"`python -m train --config configs/quick.yaml --set ruleset={ruleset.name}`, and name its folder"
        )
    return load_checkpoint(name, ruleset)
