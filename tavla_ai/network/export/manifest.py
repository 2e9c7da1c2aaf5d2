"""The manifest of a bundle: its files, and the inputs and outputs of its model."""

from __future__ import annotations

import importlib.metadata

from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.rules import Ruleset

BUNDLE_SCHEMA_VERSION = 1
MODEL_FILE = "model.onnx"
RULESET_FILE = "ruleset.json"
GOLDEN_FILE = "golden.safetensors"
README_FILE = "README.md"
MANIFEST_FILE = "manifest.json"

TOLERANCE = 1e-5

# The oldest versions of ONNX that hold the model; a test holds them to the exported file.
IR_VERSION, OPSET = 10, 20
RUNTIME = f"ONNX Runtime 1.18 or later, or another runtime of ONNX IR {IR_VERSION} and opset {OPSET}"


class TensorInfo(BaseModel):
    """One input or output of the exported model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name in the ONNX file")
    dtype: str = Field(description="element type, as numpy names it")
    shape: tuple[int | str, ...] = Field(description="sizes; a name means any size")


class Manifest(BaseModel):
    """The contents of `manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(description="version of the bundle's layout")
    version: str = Field(description="version of the package that exported it")
    ruleset: str = Field(description="name of the ruleset, which is in ruleset.json")
    features: str = Field(description="version of the network's inputs, which are inside the graph")
    weights_sha256: str = Field(description="sha256 of the checkpoint's weights file")
    tolerance: float = Field(
        gt=0, le=TOLERANCE, description="largest absolute difference from the golden vectors allowed"
    )
    runtime: str = Field(default="", description="the oldest runtime that can run the model; empty in older bundles")
    inputs: tuple[TensorInfo, ...] = Field(description="inputs of the model, in order")
    outputs: tuple[TensorInfo, ...] = Field(description="outputs of the model, in order")
    files: dict[str, str] = Field(description="sha256 of every other file of the bundle, by name")


def interface(ruleset: Ruleset) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
    """Return the model's inputs and outputs, in order."""
    num_scores = len(ruleset.scores)
    return (
        (
            TensorInfo(name="boards", dtype="int8", shape=("batch", 2, ruleset.num_places)),
            TensorInfo(name="utility", dtype="float32", shape=("batch", num_scores)),
        ),
        (
            TensorInfo(name="outcomes", dtype="float32", shape=("batch", num_scores)),
            TensorInfo(name="expected_utility", dtype="float32", shape=("batch",)),
        ),
    )


def product_version() -> str:
    """Return the version of the installed package."""
    return importlib.metadata.version("tavla-ai")
