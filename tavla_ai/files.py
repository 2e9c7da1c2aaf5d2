"""How files are written."""

from __future__ import annotations

from pathlib import Path

from tavla_ai.errors import TavlaError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name and rename it, so that it is there whole or not at all."""
    temporary = _temporary(path)
    temporary.write_bytes(data)
    temporary.replace(path)


def require_writable(path: Path) -> None:
    """Make sure that `write_whole` can write a file, and make its folder.

    Raises:
      TavlaError: it cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _temporary(path).write_bytes(b"")
        _temporary(path).unlink()
    except OSError as error:
        raise TavlaError(f"{path}: cannot be written ({error.strerror})") from None


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp")
