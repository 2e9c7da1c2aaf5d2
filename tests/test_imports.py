"""Who imports whom, where a contract of `make lint` cannot say it: the doors of the rooms, and circles of files."""

from __future__ import annotations

from functools import cache
from graphlib import CycleError, TopologicalSorter

import grimp

# Imported by their full path: they need torch or onnx, an outside engine, or are large and seldom needed.
BY_FULL_PATH = ("tavla_ai.network.module", "tavla_ai.network.export", "tavla_ai.bots.peers", "tavla_ai.report.")
# A module that is imported whole, by its name.
AS_MODULE = ("tavla_ai.strength.server_elo",)


@cache
def imports() -> dict[str, frozenset[str]]:
    """Return the modules that each module imports."""
    graph = grimp.build_graph("tavla_ai", "train", cache_dir=None)
    return {module: frozenset(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def room(module: str) -> list[str]:
    return module.split(".")[:2]


def test_a_room_is_entered_by_its_door() -> None:
    past_the_door = {
        f"{importer} -> {imported}"
        for importer, found in imports().items()
        for imported in found
        if imported.startswith("tavla_ai.") and imported.count(".") > 1 and room(importer) != room(imported)
        if not imported.startswith(BY_FULL_PATH) and imported not in AS_MODULE
    }
    assert past_the_door == set()


def test_no_circle_of_files_doors_included() -> None:
    # The compiled tavla_ai.engine._core is no Python file, so it is taken for an import of tavla_ai itself.
    arrows = {importer: found - {"tavla_ai"} for importer, found in imports().items()}
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(f"circle of imports: {' -> '.join(error.args[1])}") from None
