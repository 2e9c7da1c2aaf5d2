"""Networks: their shape and inputs, their weights, checkpoints and cards, and export.

Importing this room needs no torch; `module` and `export` do.
"""

from __future__ import annotations

from tavla_ai.network.card import Card, CardDraft, LossRate, Result
from tavla_ai.network.checkpoint import (
    CARD_FILE,
    WEIGHTS_FILE,
    Checkpoint,
    is_checkpoint,
    load_checkpoint,
    read_card,
    save_checkpoint,
    write_card,
)
from tavla_ai.network.inputs import INPUTS, NetworkInput, input_names
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
    "fold",
    "input_names",
    "is_checkpoint",
    "load_checkpoint",
    "read_card",
    "save_checkpoint",
    "write_card",
]
