"""Files and folders that appear complete or not at all, a lock, and mistakes in data files.

While a file or folder is written, it is beside its place as `.NAME.tmp-XXXXXXXX`; a kill may leave it there.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from tavla_ai.errors import TavlaError

Model = TypeVar("Model", bound=BaseModel)


def write_whole(path: Path, *parts: bytes | memoryview) -> None:
    """Write or replace a file in one step: readers see all of the bytes or none, even with several writers.

    Args:
      path: the file; its folder must exist.
      parts: bytes of the file, in order.

    Raises:
      OSError: the file cannot be written; nothing is left behind.
    """
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Make a folder in one step: yield a temporary folder to fill, which gets the name at the end.

    Args:
      path: the folder to make; it must not exist, or be empty.

    Raises:
      OSError: the folder cannot be made. After any error nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.mkdir()
    try:
        yield temporary
        # This replaces an empty folder and fails if another process has filled it.
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def is_temporary(path: Path) -> bool:
    """Return whether a path has the name of an unfinished file of `write_whole` or `whole_folder`."""
    return path.name.startswith(".") and path.suffix.startswith(".tmp")


def require_writable(path: Path) -> None:
    """Make the folder of a file, and check that `write_whole` can write the file.

    Raises:
      TavlaError: the file cannot be written.
    """
    temporary = _temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(b"")
        temporary.unlink()
    except OSError as error:
        raise TavlaError(f"{path}: cannot be written ({error.strerror})") from None


@contextmanager
def locked(path: Path, refusal: TavlaError) -> Iterator[None]:
    """Hold a lock that other processes cannot take; on systems without file locks this does nothing.

    Args:
      path: file of the lock, which is made and stays.
      refusal: error to raise if another process has the lock.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise refusal from None
        yield


def write_model(path: Path, model: BaseModel) -> None:
    """Write a model as JSON, its keys sorted; see `write_whole`."""
    text = json.dumps(model.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"
    write_whole(path, text.encode())


def read_model(path: Path, model: type[Model], schema_version: int, refusal: type[TavlaError]) -> Model:
    """Return the model in a JSON file.

    Args:
      model: class of the model, which has a field `schema_version`.
      schema_version: schema version that this version of the package reads.
      refusal: class of the error to raise.

    Raises:
      TavlaError: the file cannot be read, has another schema version, or does not fit the model.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise refusal(f"{path}: cannot be read ({error})") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != schema_version:
        raise refusal(f"{path}: schema version {version!r}, this version reads {schema_version}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise refusal(f"{path}: {first_mistake(error)}") from None


@dataclass(frozen=True)
class Mistake:
    """A mistake in a field; as text `where: what`.

    Attributes:
      where: keys of the field, joined by dots; empty if the data as a whole is wrong.
      what: the mistake.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def first_mistake(error: ValidationError) -> Mistake:
    """Return the first mistake that a model found in its data."""
    first = error.errors()[0]
    return Mistake(".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, "))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp-{uuid.uuid4().hex[:8]}")
