"""The shape of a value network."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from tavla_ai import engine
from tavla_ai.rules import NUM_PLACES

Inputs = Literal["counts", "shots"]


class NetworkSpec(BaseModel):
    """The shape of a value network: a sparse first layer, dense layers after it, a softmax over scores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: tuple[int, ...] = Field(
        min_length=1, description="units of each hidden layer, the sparse first one at the front"
    )
    num_places: int = Field(default=NUM_PLACES, ge=NUM_PLACES, le=50, description="length of a side's row of counts")
    num_scores: int = Field(ge=2, le=8, description="outputs: the ruleset's possible scores, best first")
    inputs: Inputs = Field(
        default="counts", description="what it reads of a board; `shots`, see `engine.shots`, as well"
    )

    @field_validator("inputs")
    @classmethod
    def _check_inputs(cls, inputs: Inputs, info: ValidationInfo) -> Inputs:
        if inputs == "shots" and info.data.get("num_places") != NUM_PLACES:
            raise ValueError(f"shots: only of boards of {NUM_PLACES} places a side")
        return inputs

    @property
    def num_utility_inputs(self) -> int:
        """How many numbers tell the network what each score is worth."""
        return self.num_scores - 2

    @property
    def num_inputs(self) -> int:
        """Width of the first layer's input: board features, then utility inputs, then shots."""
        shots = engine.NUM_SHOT_INPUTS if self.reads_shots else 0
        return engine.num_board_features(self.num_places) + self.num_utility_inputs + shots

    @property
    def reads_shots(self) -> bool:
        """Whether the first layer reads how many rolls hit which blots."""
        return self.inputs == "shots"

    @property
    def features(self) -> str:
        """Version of the inputs."""
        return f"{engine.FEATURE_VERSION}+{engine.SHOTS_VERSION}" if self.reads_shots else engine.FEATURE_VERSION

    def layer_shapes(self) -> list[tuple[int, int]]:
        """Return `(out, in)` of each layer, first to last."""
        widths = (self.num_inputs, *self.hidden, self.num_scores)
        return [(widths[i + 1], widths[i]) for i in range(len(widths) - 1)]
