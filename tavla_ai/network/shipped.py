"""Shipped checkpoints and levels: where they are, and the names by which they are found.

An installed package has them in its folder `shipped`; a checkout has them in `checkpoints`.
"""

from __future__ import annotations

from pathlib import Path

from tavla_ai.errors import TavlaError
from tavla_ai.network.card import CARD_FILE, read_card
from tavla_ai.rules import Ruleset

# For each game the strongest shipped network: the first of these that plays the game.
_STRONGEST = (
    "tavla/hard",
    "traditional/hard",
    "backgammon/hard",
    "fevga/hard",
    "gul-bara/hard",
    "plakoto/hard",
    "plakoto-greek/hard",
    "tawula/hard",
)

_PACKAGED = Path(__file__).parents[1] / "shipped"


def shipped_folder() -> Path:
    """Return the folder of the shipped checkpoints and of their file of levels."""
    return _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parents[2] / "checkpoints"


def shipped_names() -> tuple[str, ...]:
    """Return the names of the shipped checkpoints, such as `tavla/hard`, in alphabetical order."""
    folder = shipped_folder()
    return tuple(sorted(card.parent.relative_to(folder).as_posix() for card in folder.glob(f"**/{CARD_FILE}")))


def find_checkpoint(name: str | Path) -> Path:
    """Return the folder of a checkpoint: `name` itself if it exists, else the shipped checkpoint of that name."""
    path = Path(name)
    if path.exists() or path.as_posix() not in shipped_names():
        return path
    return shipped_folder() / path


def checkpoint_name(path: Path) -> str:
    """Return the name of a checkpoint in results: its short name if it is shipped, else its folder as given."""
    folder = shipped_folder()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def strongest_checkpoint(ruleset: Ruleset) -> str | None:
    """Return the name of the strongest shipped checkpoint that plays a game; None if no shipped one plays it."""
    folder = shipped_folder()
    return next((name for name in _STRONGEST if ruleset.plays_like(read_card(folder / name / CARD_FILE).ruleset)), None)


def check_is_not_packaged(path: Path) -> None:
    """Raise `TavlaError` if a file belongs to the installed package, whose files are not changed."""
    if path.resolve().is_relative_to(_PACKAGED.resolve()):
        raise TavlaError(f"{path}: part of the installed package; copy its folder and name the copy")
