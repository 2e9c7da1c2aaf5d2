"""Networks: their shape and inputs, their weights, checkpoints and cards, and export.

Importing this room needs no torch; `module` and `export` do.
"""

from __future__ import annotations

from tavla_ai.network.card import CARD_FILE, Card, CardDraft, LossRate, Result, read_card, write_card
from tavla_ai.network.checkpoint import (
    WEIGHTS_FILE,
    Checkpoint,
    is_checkpoint,
    load_checkpoint,
    load_strongest,
    save_checkpoint,
)
from tavla_ai.network.inputs import INPUTS, NetworkInput, input_names
from tavla_ai.network.shipped import (
    check_is_not_packaged,
    checkpoint_name,
    find_checkpoint,
    shipped_folder,
    shipped_names,
    strongest_checkpoint,
)
from tavla_ai.network.spec import NetworkSpec
from tavla_ai.network.weights import Weights, fold

__all__ = [
    "CARD_FILE",
    "INPUTS",
    "WEIGHTS_FILE",
    "Card",
    "CardDraft",
    "Checkpoint",
    "LossRate",
    "NetworkInput",
    "NetworkSpec",
    "Result",
    "Weights",
    "check_is_not_packaged",
    "checkpoint_name",
    "find_checkpoint",
    "fold",
    "input_names",
    "is_checkpoint",
    "load_checkpoint",
    "load_strongest",
    "read_card",
    "save_checkpoint",
    "shipped_folder",
    "shipped_names",
    "strongest_checkpoint",
    "write_card",
]
