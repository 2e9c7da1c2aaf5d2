"""The registry of further inputs, which a network may read beside the counts of a board and the worth of its scores.

To add an input, write

1. in the engine: a file in `engine/value/inputs/`, its `#include` and its type in `AllInputs` of
   `engine/value/inputs.hpp`, whose head lists what the type must have; version, width and boards come from it;
2. here: a file in `network/torch_inputs/` that gives the same columns by operations of tensors, for exported models,
   and its row in `INPUTS`.

Nothing else names an input: the engine, specs, training and its configuration, growth and export ask the two
registries. Then paste what `python -m train --keys` prints into `docs/config.md`; a test compares them.
`tests/network/test_inputs.py` compares the two sides for each row; the values themselves need an oracle, such as
`tests/oracle/shots.py`.

Importing this module does not import torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tavla_ai import engine
from tavla_ai.rules import Ruleset

if TYPE_CHECKING:
    import torch

    TorchColumns = Callable[[torch.Tensor], torch.Tensor]

COUNTS = "counts"


@dataclass(frozen=True)
class NetworkInput:
    """An input that a network may read.

    Attributes:
      name: the name in `NetworkSpec.inputs`.
      summary: description of the input for the configuration.
      version: the input's part of a checkpoint's `features`; another version is another input.
      width: number of columns of the first layer.
      num_places: length of the rows of counts of its boards.
      games: the games that have the input, for messages.
      is_of: whether a game has the input.
      torch_columns: imports torch and returns the function from boards `[B, 2, num_places]` int64, afterstates, to
        columns `[B, width]` float32, the same as those of `engine.encode`, by operations of tensors only.
    """

    name: str
    summary: str
    version: str
    width: int
    num_places: int
    games: str
    is_of: Callable[[Ruleset], bool]
    torch_columns: Callable[[], TorchColumns]


def _shots() -> TorchColumns:
    from tavla_ai.network.torch_inputs.shots import shot_columns

    return shot_columns


def _row(
    name: str, summary: str, games: str, is_of: Callable[[Ruleset], bool], torch_columns: Callable[[], TorchColumns]
) -> tuple[str, NetworkInput]:
    told = engine.INPUTS[name]
    return name, NetworkInput(
        name=name,
        summary=summary,
        version=told.version,
        width=told.width,
        num_places=told.num_places,
        games=games,
        is_of=is_of,
        torch_columns=torch_columns,
    )


INPUTS: dict[str, NetworkInput] = dict(
    [
        _row(
            "shots",
            "how many rolls hit each blot",
            "tavla and backgammon",
            lambda ruleset: ruleset.moves_as_backgammon,
            _shots,
        ),
    ]
)


def input_names(inputs: str) -> tuple[str, ...]:
    """Return the names of a network's further inputs, in the order of their columns.

    Args:
      inputs: `counts`, or one or more names of `INPUTS` joined by `+`.

    Raises:
      ValueError: a name is not known, or given twice.
    """
    if inputs == COUNTS:
        return ()
    names = tuple(inputs.split("+"))
    for name in names:
        if name not in INPUTS:
            known = ", ".join(INPUTS)
            raise ValueError(f"{name!r} is no input; expected {COUNTS}, or names joined by + from: {known}")
        if names.count(name) > 1:
            raise ValueError(f"{name} is given twice")
    return names
