"""The letters of GNU Backgammon's Position IDs and Match IDs: base64 of some bytes, bit k in byte k div 8."""

from __future__ import annotations

import base64
import string

from tavla_ai.errors import NotationError

_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def id_length(num_bytes: int) -> int:
    """Return the number of letters of an ID; each letter is six bits."""
    return -(-8 * num_bytes // 6)


def write_id(value: int, num_bytes: int) -> str:
    """Return the letters of an ID whose bits are those of a number."""
    return base64.b64encode(value.to_bytes(num_bytes, "little")).decode("ascii")[: id_length(num_bytes)]


def read_id(text: str, kind: str, num_bytes: int) -> str:
    """Return an ID's `8 * num_bytes` bits as text, bit 0 first.

    Args:
      kind: `position` or `match`, for messages.

    Raises:
      NotationError: wrong length, or a character outside the alphabet, named by its index from 0.
    """
    if len(text) != id_length(num_bytes):
        raise NotationError(f"{kind} ID {text!r}: {len(text)} characters, expected {id_length(num_bytes)}")
    for index, character in enumerate(text):
        if character not in _ALPHABET:
            raise NotationError(f"{kind} ID {text!r}: {character!r} at index {index}, expected A-Z, a-z, 0-9, + or /")
    value = int.from_bytes(base64.b64decode(text + "=" * (-len(text) % 4)), "little")
    return f"{value:0{8 * num_bytes}b}"[::-1]
