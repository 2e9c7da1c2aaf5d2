"""The shape of a value network."""

from __future__ import annotations

from itertools import accumulate

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tavla_ai import engine
from tavla_ai.network.inputs import COUNTS, INPUTS, input_names
from tavla_ai.rules import NUM_PLACES


class NetworkSpec(BaseModel):
    """The shape of a value network: a sparse first layer, dense layers after it, a softmax over scores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: tuple[int, ...] = Field(
        min_length=1, description="units of each hidden layer, the sparse first layer first"
    )
    num_places: int = Field(default=NUM_PLACES, ge=NUM_PLACES, le=50, description="length of a side's row of counts")
    num_scores: int = Field(ge=2, le=8, description="outputs: the ruleset's possible scores, best first")
    inputs: str = Field(
        default=COUNTS, description="inputs: `counts`, or names of further inputs joined by `+`; see `network.inputs`"
    )

    @field_validator("inputs")
    @classmethod
    def _check_inputs(cls, inputs: str, info: ValidationInfo) -> str:
        for name in input_names(inputs):
            if info.data.get("num_places") != INPUTS[name].num_places:
                raise ValueError(f"{name}: only for boards of {INPUTS[name].num_places} places a side")
        return inputs

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the further inputs, in the order of their columns."""
        return input_names(self.inputs)

    @property
    def num_utility_inputs(self) -> int:
        """Number of inputs that tell the network the worth of each score."""
        return self.num_scores - 2

    def widths(self) -> dict[str, int]:
        """Return the number of columns of each part of the first layer's input, in their order.

        The parts are `counts`, `utility`, then `input_names`.
        """
        return {
            COUNTS: engine.num_board_features(self.num_places),
            "utility": self.num_utility_inputs,
            **{name: INPUTS[name].width for name in self.input_names},
        }

    def columns(self) -> dict[str, slice]:
        """Return the slice of columns of each part."""
        widths = self.widths()
        ends = accumulate(widths.values())
        return {name: slice(end - width, end) for (name, width), end in zip(widths.items(), ends, strict=True)}

    @property
    def num_inputs(self) -> int:
        """Width of the first layer's input."""
        return sum(self.widths().values())

    @property
    def features(self) -> str:
        """Version of the inputs."""
        return "+".join((engine.FEATURE_VERSION, *(INPUTS[name].version for name in self.input_names)))

    def layer_shapes(self) -> list[tuple[int, int]]:
        """Return `(out, in)` of each layer, first to last."""
        widths = (self.num_inputs, *self.hidden, self.num_scores)
        return [(widths[i + 1], widths[i]) for i in range(len(widths) - 1)]
