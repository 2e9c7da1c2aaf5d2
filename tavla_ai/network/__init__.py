"""What is learned and kept: networks, their inputs, checkpoints and their cards.

Importing this room needs no torch; `module` and `export` do.
"""

from __future__ import annotations

from tavla_ai.network.card import Card, LossRate, Result
from tavla_ai.network.checkpoint import (
    CARD_FILE,
    WEIGHTS_FILE,
    Checkpoint,
    fold,
    is_checkpoint,
    load_checkpoint,
    read_card,
    save_checkpoint,
    write_card,
)
from tavla_ai.network.spec import Inputs, NetworkSpec

__all__ = [
    "CARD_FILE",
    "WEIGHTS_FILE",
    "Card",
    "Checkpoint",
    "Inputs",
    "LossRate",
    "NetworkSpec",
    "Result",
    "fold",
    "is_checkpoint",
    "load_checkpoint",
    "read_card",
    "save_checkpoint",
    "write_card",
]
