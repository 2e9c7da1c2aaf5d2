"""The engine's folders depend on each other one way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "tavla_ai" / "engine"
FOLDERS = ["base", "rules", "value", "search", "games", "bind"]
SOURCES = sorted(path for suffix in ("cpp", "hpp", "inl") for path in ENGINE.rglob(f"*.{suffix}"))


def included(source: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE)


def test_each_source_stands_in_a_folder_of_the_readme() -> None:
    assert {source.relative_to(ENGINE).parts[0] for source in SOURCES} == set(FOLDERS)
    readme = (ENGINE / "README.md").read_text()
    assert re.findall(r"^\| `(\w+)/` \|", readme, re.MULTILINE) == FOLDERS


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_includes_go_one_way(source: Path) -> None:
    own = FOLDERS.index(source.relative_to(ENGINE).parts[0])
    for name in included(source):
        assert (ENGINE / name).is_file(), f"{name} is included by a path that does not start at the engine's folder"
        assert FOLDERS.index(name.split("/")[0]) <= own, f"{name} stands higher up"


def test_no_circle_of_includes() -> None:
    below = {str(source.relative_to(ENGINE)): included(source) for source in SOURCES}
    finished: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join([*path, name])
        if name in finished:
            return
        for other in below[name]:
            visit(other, (*path, name))
        finished.add(name)

    for name in below:
        visit(name, ())
