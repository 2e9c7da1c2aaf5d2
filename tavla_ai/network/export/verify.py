"""The verification of a bundle: its files are complete and its model answers as the engine did."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors

from tavla_ai.errors import CheckpointError
from tavla_ai.files import read_model
from tavla_ai.network.card import CARD_FILE, read_card
from tavla_ai.network.export.extra import export_extra
from tavla_ai.network.export.manifest import (
    BUNDLE_SCHEMA_VERSION,
    GOLDEN_FILE,
    MANIFEST_FILE,
    MODEL_FILE,
    RULESET_FILE,
    Manifest,
)
from tavla_ai.rules import Ruleset

BATCH_SIZES = (1, 2, 7, 500)


class VerifyReport(BaseModel):
    """Differences of an exported model from the golden vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    num_positions: int = Field(ge=1, description="number of golden positions compared")
    batch_sizes: tuple[int, ...] = Field(description="batch sizes in which all positions were run")
    max_outcome_difference: float = Field(ge=0, description="largest absolute difference of a probability")
    max_utility_difference: float = Field(
        ge=0, description="largest absolute difference of an expected utility, in the unit of the utility"
    )
    tolerance: float = Field(gt=0, description="largest allowed difference")


def verify_bundle(bundle: str | Path) -> VerifyReport:
    """Check a bundle's files and run its model on the golden vectors, in several batch sizes.

    Neither torch nor onnx is imported, only onnxruntime.

    Args:
      bundle: the bundle's folder.

    Raises:
      CheckpointError: a file is missing or damaged, the model cannot be run, or it differs from the golden
        vectors by more than the manifest's tolerance. The message names the file.
      TavlaError: onnxruntime is missing.
    """
    out = Path(bundle)
    manifest = _read_manifest(out)
    data = {name: _read_checked(out / name, digest) for name, digest in manifest.files.items()}
    _check_card(out, manifest)
    golden = _read_golden(out / GOLDEN_FILE, data[GOLDEN_FILE], manifest)
    model_path = out / MODEL_FILE
    session = _open_session(model_path, data[MODEL_FILE], manifest)
    boards, utility = golden["boards"], golden["utility"]
    batch_sizes = tuple(sorted({size for size in BATCH_SIZES if size < len(boards)} | {len(boards)}))
    worst = {"outcomes": 0.0, "expected_utility": 0.0}
    for batch_size in batch_sizes:
        for begin in range(0, len(boards), batch_size):
            rows = slice(begin, begin + batch_size)
            try:
                results = session.run(list(worst), {"boards": boards[rows], "utility": utility[rows]})
            except Exception as error:  # onnxruntime's exceptions share no other base.
                raise CheckpointError(
                    f"{model_path}: fails on a batch of {batch_size} ({_first_line(error)})"
                ) from None
            for name, result in zip(worst, results, strict=True):
                expected = golden[name][rows]
                if result.shape != expected.shape:
                    raise CheckpointError(
                        f"{model_path}: {name} has shape {result.shape} at batch {batch_size},"
                        f" expected {expected.shape}"
                    )
                difference = float(np.abs(result - expected).max())
                # This also refuses a NaN.
                if not difference <= manifest.tolerance:
                    raise CheckpointError(
                        f"{model_path}: {name} is {difference:.3g} from {GOLDEN_FILE} at batch {batch_size},"
                        f" expected at most {manifest.tolerance:g}"
                    )
                worst[name] = max(worst[name], difference)
    return VerifyReport(
        num_positions=len(boards),
        batch_sizes=batch_sizes,
        max_outcome_difference=worst["outcomes"],
        max_utility_difference=worst["expected_utility"],
        tolerance=manifest.tolerance,
    )


def _check_card(out: Path, manifest: Manifest) -> None:
    """Raise `CheckpointError` unless card, ruleset and manifest describe the same network and game."""
    card = read_card(out / CARD_FILE)
    said = {
        "ruleset": (manifest.ruleset, card.ruleset.name),
        "features": (manifest.features, card.features),
        "weights_sha256": (manifest.weights_sha256, card.weights_sha256),
    }
    for key, (here, there) in said.items():
        if here != there:
            raise CheckpointError(f"{out / MANIFEST_FILE}: {key} is {here!r}, {CARD_FILE} says {there!r}")
    path = out / RULESET_FILE
    try:
        ruleset = Ruleset.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: not a ruleset ({_first_line(error)})") from None
    if ruleset != card.ruleset:
        raise CheckpointError(f"{path}: is not the ruleset of {CARD_FILE}")


def _read_manifest(out: Path) -> Manifest:
    if not out.exists():
        raise CheckpointError(f"{out}: no such bundle; `tavla export CHECKPOINT --out DIR` makes one")
    path = out / MANIFEST_FILE
    if not path.is_file():
        raise CheckpointError(f"{out}: not an exported bundle, it has no {MANIFEST_FILE}")
    manifest = read_model(path, Manifest, BUNDLE_SCHEMA_VERSION, CheckpointError)
    for name in manifest.files:
        if Path(name).name != name or "\0" in name:
            raise CheckpointError(f"{path}: files: {name!r} is not the name of a file in the bundle")
    for what, tensors, names in (
        ("inputs", manifest.inputs, ["boards", "utility"]),
        ("outputs", manifest.outputs, ["outcomes", "expected_utility"]),
    ):
        if [tensor.name for tensor in tensors] != names:
            raise CheckpointError(f"{path}: {what}: {[tensor.name for tensor in tensors]}, expected {names}")
    for name in (MODEL_FILE, GOLDEN_FILE, CARD_FILE, RULESET_FILE):
        if name not in manifest.files:
            raise CheckpointError(f"{path}: files: {name} is not listed")
    return manifest


def _read_checked(path: Path, digest: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise CheckpointError(f"{path}: damaged, its sha256 is {found[:12]}…, the manifest says {digest[:12]}…")
    return data


def _read_golden(path: Path, data: bytes, manifest: Manifest) -> dict[str, NDArray[Any]]:
    try:
        golden = load_safetensors(data)
    except SafetensorError as error:
        raise CheckpointError(f"{path}: not a safetensors file ({error})") from None
    num_positions = len(golden["boards"]) if "boards" in golden else 0
    for tensor in (*manifest.inputs, *manifest.outputs):
        if tensor.name not in golden:
            raise CheckpointError(f"{path}: has no {tensor.name!r}")
        found = golden[tensor.name]
        shape = tuple(num_positions if size == "batch" else size for size in tensor.shape)
        if num_positions == 0 or found.shape != shape or found.dtype != tensor.dtype:
            raise CheckpointError(
                f"{path}: {tensor.name} is {found.dtype} {found.shape}, expected {tensor.dtype} {shape}"
            )
    return golden


def _open_session(path: Path, data: bytes, manifest: Manifest) -> Any:
    """Return an onnxruntime session for a model that matches the manifest."""
    with export_extra():
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no other base.
        raise CheckpointError(f"{path}: onnxruntime cannot load it ({_first_line(error)})") from None
    onnx_types = {"int8": "tensor(int8)", "float32": "tensor(float)"}
    for what, tensors, nodes in (
        ("inputs", manifest.inputs, session.get_inputs()),
        ("outputs", manifest.outputs, session.get_outputs()),
    ):
        expected = [(tensor.name, onnx_types.get(tensor.dtype, tensor.dtype), list(tensor.shape)) for tensor in tensors]
        found = [(node.name, node.type, list(node.shape)) for node in nodes]
        if found != expected:
            raise CheckpointError(f"{path}: its {what} are {found}, the manifest says {expected}")
    weights = session.get_modelmeta().custom_metadata_map.get("weights_sha256")
    if weights != manifest.weights_sha256:
        raise CheckpointError(f"{path}: made from weights {weights!r}, the manifest says {manifest.weights_sha256!r}")
    return session


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
