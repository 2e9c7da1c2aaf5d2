"""The exported model: a torch module with the input features inside, written as one ONNX file.

Importing this module imports torch and onnx.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from tavla_ai import engine
from tavla_ai.errors import CheckpointError
from tavla_ai.network.checkpoint import Checkpoint
from tavla_ai.network.export.manifest import IR_VERSION, OPSET, interface, product_version
from tavla_ai.network.inputs import INPUTS
from tavla_ai.network.module import from_numpy
from tavla_ai.rules import MAX_OWN_ROLLS, NUM_CHECKERS


class BundleNetwork(nn.Module):
    """A checkpoint's network that computes its inputs, for afterstates seen by the player who has just moved."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__()
        table = torch.from_numpy(engine.place_features(checkpoint.card.network.num_places))
        self.num_counts = table.shape[1]
        ruleset = checkpoint.card.ruleset
        self.num_checker_places = ruleset.num_checker_places
        self.num_others = ruleset.num_places - ruleset.num_checker_places
        # Places that hold no checkers: Gul Bara counts rolls there, Plakoto marks pins.
        self.most_others = MAX_OWN_ROLLS if ruleset.has_stages else 1
        self.further_inputs = [INPUTS[name].torch_columns() for name in checkpoint.card.network.input_names]
        self.network = from_numpy(checkpoint.card.network, checkpoint.weights)
        self.register_buffer("table", table.flatten(0, 1))
        self.register_buffer("first_rows", torch.arange(table.shape[0]) * self.num_counts)

    def forward(self, boards: torch.Tensor, utility: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return `outcomes` `[N, K]` and `expected_utility` `[N]`, float32; NaN for an invalid row.

        Args:
          boards: `[N, 2, num_places]` int8, afterstates.
          utility: `[N, K]` float32, worth of each score to the player who has just moved, best first.
        """
        counts = boards.to(torch.int64)
        rows = self.get_buffer("first_rows") + counts.clamp(0, self.num_counts - 1)
        features = nn.functional.embedding(rows, self.get_buffer("table")).flatten(1)
        # The same as match.Utility.inputs: gaps in units of the gap between the smallest win and loss.
        gaps = utility[:, :-1] - utility[:, 1:]
        num_wins, middle = utility.shape[1] // 2, gaps.shape[1] // 2
        unit = utility[:, num_wins - 1 : num_wins] - utility[:, -num_wins].unsqueeze(1)
        inputs = torch.cat([gaps[:, :middle], gaps[:, middle + 1 :]], dim=1) / unit
        read = [features, inputs, *(columns(counts) for columns in self.further_inputs)]
        outcomes = torch.softmax(self.network(torch.cat(read, dim=1)), dim=1)
        # Counts that are not 15 a side, or values that rise, are mistakes that no estimate may hide.
        sums = counts[:, :, : self.num_checker_places].sum(dim=2)
        is_sound = (counts.flatten(1).amin(dim=1) >= 0) & (sums.amin(dim=1) == NUM_CHECKERS)
        is_sound &= sums.amax(dim=1) == NUM_CHECKERS
        if self.num_others > 0:
            others = counts[:, :, self.num_checker_places :]
            is_sound &= others.flatten(1).amax(dim=1) <= self.most_others
        is_sound &= (gaps.amin(dim=1) >= 0) & (gaps.amax(dim=1) < torch.inf) & (unit[:, 0] > 0)
        outcomes = torch.where(is_sound.unsqueeze(1), outcomes, torch.nan)
        return outcomes, (outcomes * utility).sum(dim=1)


def write_model(path: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint's network as one ONNX file, with its inputs computed inside the graph."""
    inputs, outputs = interface(checkpoint.card.ruleset)
    # Two rows, because the exporter would take a batch of one for a constant.
    example = (
        torch.zeros((2, 2, checkpoint.card.ruleset.num_places), dtype=torch.int8),
        torch.tensor([[float(score) for score in checkpoint.card.ruleset.scores]] * 2),
    )
    batch = torch.export.Dim("batch")
    with _quiet():
        program = torch.onnx.export(
            BundleNetwork(checkpoint).eval(),
            example,
            dynamo=True,
            external_data=False,
            opset_version=OPSET,
            input_names=[tensor.name for tensor in inputs],
            output_names=[tensor.name for tensor in outputs],
            dynamic_shapes=({0: batch}, {0: batch}),
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _strip_traces(model)
    if model.ir_version > IR_VERSION:
        raise CheckpointError(f"{path}: exported as ONNX IR {model.ir_version}, expected at most {IR_VERSION}")
    card = checkpoint.card
    properties = {
        "ruleset": card.ruleset.name,
        "scores": json.dumps(card.ruleset.scores),
        "features": card.features,
        "weights_sha256": card.weights_sha256,
        "version": product_version(),
    }
    onnx.helper.set_model_props(model, properties)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _strip_traces(model: Any) -> None:
    """Remove the exporter's stack traces, which name folders of the machine it ran on."""
    graph = model.graph
    for holder in (graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del holder.metadata_props[:]
        holder.ClearField("doc_string")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the output, logs and warnings of torch.onnx during an export."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
