"""Files and folders that appear whole, one lock, and what is wrong with data that was read.

A file or folder in the making stands beside its place as `.NAME.tmp-XXXXXXXX`; a kill may leave it there.
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
    """Write a file, or replace it, in one step: readers meet all of the bytes or none, whoever else is writing.

    Args:
      path: the file; its folder must exist.
      parts: its bytes, one after the other.

    Raises:
      OSError: it cannot be written; nothing is left behind.
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
    """Make a folder in one step: give another folder to fill, which takes the name at the end.

    Args:
      path: the folder to make; it must not exist, or be empty.

    Raises:
      OSError: it cannot be made. After this or any other error nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.mkdir()
    try:
        yield temporary
        # An empty folder is replaced; one that has been filled meanwhile makes this fail.
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def is_temporary(path: Path) -> bool:
    """Return whether a path is named as `write_whole` and `whole_folder` name what is in the making."""
    return path.name.startswith(".") and path.suffix.startswith(".tmp")


def require_writable(path: Path) -> None:
    """Make sure that `write_whole` can write a file, and make its folder.

    Raises:
      TavlaError: it cannot.
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
    """Keep other processes from taking the same lock meanwhile, where the system can.

    Args:
      path: the lock's file, which is made and stays.
      refusal: raised where another process has the lock.
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
    """Return the model that a JSON file holds.

    Args:
      model: its class, which has a field `schema_version`.
      schema_version: the one that this version reads.
      refusal: the error's class.

    Raises:
      TavlaError: the file cannot be read, or its data is of another schema or not what the model takes.
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
    """A field that is wrong; as a text `where: what`.

    Attributes:
      where: the field's keys, joined by dots; empty where the whole is wrong.
      what: what is wrong with it.
    """

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def first_mistake(error: ValidationError) -> Mistake:
    """Return the first of the mistakes that a model found in its data."""
    first = error.errors()[0]
    return Mistake(".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, "))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp-{uuid.uuid4().hex[:8]}")
