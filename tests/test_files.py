"""Files and folders that are there whole or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

from tavla_ai.errors import TavlaError
from tavla_ai.files import (
    first_mistake,
    is_temporary,
    locked,
    read_model,
    require_writable,
    whole_folder,
    write_model,
    write_whole,
)


class Point(BaseModel):
    schema_version: int = 1
    x: float = Field(ge=0)
    y: float = 0

    @model_validator(mode="after")
    def _check(self) -> "Point":
        if self.y > self.x:
            raise ValueError("above the diagonal")
        return self


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for parts in ((b"one",), (b"two", memoryview(b" parts"))):
        write_whole(path, *parts)
        assert path.read_bytes() == b"".join(parts)
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    write_whole(path, b"old")
    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert [(entry, entry.read_bytes()) for entry in tmp_path.iterdir()] == [(path, b"old")]


def test_a_folder_takes_its_name_when_it_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "above" / "folder"
    with whole_folder(path) as folder:
        (folder / "file").write_text("whole")
        assert not path.exists()
        assert is_temporary(folder)
    assert [entry.name for entry in path.iterdir()] == ["file"]
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "other"):
        raise KeyboardInterrupt
    with pytest.raises(OSError, match="not empty"), whole_folder(path):
        pass
    assert [entry.name for entry in tmp_path.rglob("*")] == ["above", "folder", "file"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [(".card.json.tmp-0a1b2c3d", True), (".config.yaml.tmp", True), ("card.json", False), (".lock", False)],
)
def test_names_of_what_is_in_the_making(name: str, expected: bool) -> None:
    assert is_temporary(Path("folder") / name) is expected


def test_a_lock_is_one_process_s(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    program = (
        "import sys; from pathlib import Path; from tavla_ai.errors import TavlaError\n"
        "from tavla_ai.files import locked\n"
        "with locked(Path(sys.argv[1]), TavlaError('taken')): pass\n"
    )
    arguments = [sys.executable, "-c", program, str(path)]
    with locked(path, TavlaError("taken")):
        refused = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert refused.returncode != 0
        assert "TavlaError: taken" in refused.stderr
    assert subprocess.run(arguments, check=False).returncode == 0


def test_a_file_that_cannot_be_written_is_told_before(tmp_path: Path) -> None:
    require_writable(tmp_path / "new" / "file")
    assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(TavlaError, match=r"file/below: cannot be written \("):
        require_writable(tmp_path / "file" / "below")


def test_the_first_mistake_says_where_and_what() -> None:
    for data, expected in (
        ({"x": -1}, "x: Input should be greater than or equal to 0"),
        ({"x": 1, "y": 2}, "above the diagonal"),
    ):
        with pytest.raises(ValidationError) as caught:
            Point.model_validate(data)
        assert str(first_mistake(caught.value)) == expected


def test_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "point.json"
    write_model(path, Point(x=2, y=0.5))
    assert read_model(path, Point, 1, TavlaError) == Point(x=2, y=0.5)
    for version, text, message in (
        (2, path.read_text(), r"schema version 1, this version reads 2$"),
        (1, "[]", r"schema version None, this version reads 1$"),
        (1, "{", r"cannot be read \("),
        (1, '{"schema_version": 1}', r"x: Field required$"),
    ):
        path.write_text(text)
        with pytest.raises(TavlaError, match=message):
            read_model(path, Point, version, TavlaError)
