"""Exact bear-off tables: built once per bear-off rule, kept in the user's cache folder, memory-mapped.

A file is a header of `HEADER_SIZE` bytes, which is a magic line and one line of JSON padded with spaces, followed by
the engine's bytes. The header has their checksum. Only this module reads and writes the files; only the engine reads
the bytes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.files import write_whole
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Ruleset

BearoffRule = Literal["standard", "larger-first"]
BEAROFF_RULES: tuple[BearoffRule, ...] = get_args(BearoffRule)

CACHE_VARIABLE = "TAVLA_CACHE_DIR"
HEADER_SIZE = 4096
_MAGIC = b"tavla-ai bear-off tables\n"

log = logging.getLogger("tavla_ai")


@dataclass(frozen=True)
class CachedTables:
    """Tables and where they came from."""

    tables: engine.Bearoff
    path: Path | None  # None if the cache folder could not be written, so that the tables are in memory only
    num_bytes: int
    seconds: float  # time to build them, or to load them and verify their checksum
    is_built: bool  # True: built by this process; False: found in the cache


class _UnusableError(Exception):
    """A file of the cache cannot be used; the message says why."""


def rule_of(ruleset: Ruleset) -> BearoffRule | None:
    """Return the bear-off rule whose tables serve a game; None for Gul Bara.

    Cascades and passed dice make the bear-off of Gul Bara another game. Fevga, Plakoto and Tawula use the standard
    tables: once both sides are on their lowest points, none of their special rules applies any more.
    """
    if ruleset.has_stages:
        return None
    return "larger-first" if ruleset.bear_off_order == "larger_first" else "standard"


def shape_of(rule: BearoffRule) -> engine.BearoffShape:
    """Return the shape of the full tables of a rule."""
    return engine.BearoffShape(larger_first=rule == "larger-first")


def cache_folder() -> Path:
    """Return the folder of the cache: `TAVLA_CACHE_DIR`, or else the platform's cache folder of the user."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:
        # In a container, the user may have no home.
        home = Path(tempfile.gettempdir())
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tavla-ai"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "tavla-ai" / "Cache"
    # The XDG specification says that a relative path must be ignored.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else home / ".cache") / "tavla-ai"


def load_tables(
    ruleset: Ruleset, *, folder: Path | None = None, build: bool = True, progress: ProgressCallback | None = None
) -> engine.Bearoff | None:
    """Return the bear-off tables of a game; a process checks them once and then shares them.

    A missing file of the cache is built. A file that is damaged, or of another version, is built again, with a
    warning in the log `tavla_ai`. If the folder cannot be written, the tables stay in memory, with a warning.

    Args:
      ruleset: the game.
      folder: where the tables are kept, instead of `cache_folder()`.
      build: whether to build tables that cannot be loaded, which takes several seconds.
      progress: function that is called during the build, with the percents done since its last call.

    Returns:
      The tables; None if the game has none, or if there is nothing to load and `build` is false.
    """
    rule = rule_of(ruleset)
    if rule is None:
        return None
    if build:
        return open_tables(shape_of(rule), folder=folder, progress=progress).tables
    found = find_tables(shape_of(rule), folder=folder)
    return None if found is None else found.tables


def open_tables(
    shape: engine.BearoffShape,
    *,
    folder: Path | None = None,
    force: bool = False,
    progress: ProgressCallback | None = None,
) -> CachedTables:
    """Return tables of any shape, with their file, as `load_tables` does; `force` builds them in any case."""
    path, key = _place(shape, folder)
    with _lock:
        found = None if force else _opened.get(key) or _load(path, shape, otherwise="building it again")
        _opened[key] = found or _build(path, shape, progress)
        return _opened[key]


def find_tables(shape: engine.BearoffShape, *, folder: Path | None = None) -> CachedTables | None:
    """Return the same without a build; None if the cache has no usable file."""
    path, key = _place(shape, folder)
    with _lock:
        found = _opened.get(key) or _load(path, shape, otherwise="not used")
        if found is not None:
            _opened[key] = found
        return found


_lock = threading.Lock()
_opened: dict[tuple[Path, str], CachedTables] = {}


def _place(shape: engine.BearoffShape, folder: Path | None) -> tuple[Path, tuple[Path, str]]:
    """Return the file of these tables, and their key in `_opened`."""
    path = (cache_folder() if folder is None else folder).absolute() / f"bearoff-{_rule_name(shape)}.bin"
    return path, (path, json.dumps(_description(shape)))


def _load(path: Path, shape: engine.BearoffShape, *, otherwise: str) -> CachedTables | None:
    """Return the tables of a file; None if there is no file, or (with a warning in the log) if it cannot be used."""
    begin = time.perf_counter()
    try:
        tables, num_bytes = _read(path, shape)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (_UnusableError, OSError) as error:
        log.warning("%s: %s; %s", path, error, otherwise)
        return None
    return CachedTables(tables, path, num_bytes, time.perf_counter() - begin, is_built=False)


def _build(path: Path, shape: engine.BearoffShape, progress: ProgressCallback | None) -> CachedTables:
    begin = time.perf_counter()
    data = engine.build_bearoff(shape, progress)
    seconds = time.perf_counter() - begin
    try:
        _write(path, shape, data)
        # From the file, so that processes share its pages.
        tables, num_bytes = _read(path, shape)
    except (_UnusableError, OSError) as error:
        log.warning(
            "%s: %s; the bear-off tables are used from memory and not kept: each process builds them again, in %.1f s "
            "and %d MiB. `tavla bearoff build` fills a folder, and %s may name it where it can only be read",
            *(path, error, seconds, data.nbytes >> 20, CACHE_VARIABLE),
        )
        return CachedTables(engine.Bearoff(shape, data), None, data.nbytes, seconds, is_built=True)
    return CachedTables(tables, path, num_bytes, seconds, is_built=True)


def _rule_name(shape: engine.BearoffShape) -> BearoffRule:
    return "larger-first" if shape.larger_first else "standard"


def _description(shape: engine.BearoffShape) -> dict[str, object]:
    """Return the entries that the header of a usable file has."""
    return {
        "version": engine.BEAROFF_VERSION,
        "rule": _rule_name(shape),
        "byte_order": sys.byteorder,
        "points": shape.points,
        "checkers": shape.checkers,
        "pair_points": shape.pair_points,
        "pair_checkers": shape.pair_checkers,
    }


def _read(path: Path, shape: engine.BearoffShape) -> tuple[engine.Bearoff, int]:
    """Map a file and check it; return the tables and the size of the file."""
    if path.stat().st_size <= HEADER_SIZE:
        raise _UnusableError(f"{path.stat().st_size} bytes, the file is cut short")
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    header = mapped[:HEADER_SIZE].tobytes()
    if not header.startswith(_MAGIC):
        raise _UnusableError("not a file of bear-off tables")
    try:
        said = dict(json.loads(header.removeprefix(_MAGIC)))
    except (ValueError, TypeError):
        raise _UnusableError("the header is damaged") from None
    for field, expected in _description(shape).items():
        if said.get(field) != expected:
            raise _UnusableError(f"{field} {said.get(field)!r}, expected {expected!r}")
    data = mapped[HEADER_SIZE:]
    if hashlib.sha256(data.data).hexdigest() != said.get("sha256"):
        raise _UnusableError("the checksum is wrong, the file is damaged")
    try:
        return engine.Bearoff(shape, data), mapped.nbytes
    except RulesetError as error:
        raise _UnusableError(str(error)) from None


def _write(path: Path, shape: engine.BearoffShape, data: NDArray[np.uint8]) -> None:
    header = _MAGIC + json.dumps(_description(shape) | {"sha256": hashlib.sha256(data.data).hexdigest()}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, header.ljust(HEADER_SIZE), data.data)
