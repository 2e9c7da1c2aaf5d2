"""Export: a folder that a game server can run without this product, and the check that it still is right.

A bundle is one ONNX file with the input features inside its graph, so that a server passes boards and what
each score is worth, and golden vectors computed by the engine, so that any runtime can be checked against
it. `export_bundle` needs the extra `[export]`; `verify_bundle` needs onnxruntime alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import io
import json
import logging
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from tavla_ai import engine
from tavla_ai.errors import CheckpointError, TavlaError
from tavla_ai.files import first_mistake, whole_folder
from tavla_ai.match import Utility, match_equity
from tavla_ai.network.checkpoint import CARD_FILE, Checkpoint, load_checkpoint, read_card
from tavla_ai.rules import BAR, MAX_OWN_ROLLS, NUM_CHECKERS, OWN_ROLLS, PINNED, RESERVE, Family, Ruleset, compile_rules

if TYPE_CHECKING:
    from torch import nn

BUNDLE_SCHEMA_VERSION = 1
MODEL_FILE = "model.onnx"
RULESET_FILE = "ruleset.json"
GOLDEN_FILE = "golden.safetensors"
README_FILE = "README.md"
MANIFEST_FILE = "manifest.json"

TOLERANCE = 1e-5
NUM_GOLDEN = 1000
BATCH_SIZES = (1, 2, 7, 500)

_OPSET = 20
_GOLDEN_SEED = 20_011_001
_GOLDEN_GAMES = 30  # per utility: some 2,000 positions, of which about 100 are kept
_GOLDEN_MATCH_LENGTH = 7
_GOLDEN_MATCH_SCORES = 8


class TensorInfo(BaseModel):
    """One input or output of the exported model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="name in the ONNX file")
    dtype: str = Field(description="numpy's name of the element type")
    shape: tuple[int | str, ...] = Field(description="sizes; a name stands for any size")


class Manifest(BaseModel):
    """What `manifest.json` says of a bundle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(description="version of the bundle's layout")
    version: str = Field(description="of the product that exported it")
    ruleset: str = Field(description="name of the game, in full in ruleset.json")
    features: str = Field(description="version of the network's inputs, which are inside the graph")
    weights_sha256: str = Field(description="of the checkpoint's weights file")
    tolerance: float = Field(
        gt=0, le=TOLERANCE, description="largest absolute difference from the golden vectors allowed"
    )
    inputs: tuple[TensorInfo, ...] = Field(description="of the model, in order")
    outputs: tuple[TensorInfo, ...] = Field(description="of the model, in order")
    files: dict[str, str] = Field(description="sha256 of every other file of the bundle, by name")


class VerifyReport(BaseModel):
    """How far an exported model is from the golden vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    num_positions: int = Field(ge=1, description="golden positions compared")
    batch_sizes: tuple[int, ...] = Field(description="batch sizes that all positions were run in")
    max_outcome_difference: float = Field(ge=0, description="largest absolute difference of a probability")
    max_utility_difference: float = Field(
        ge=0, description="largest absolute difference of an expected utility, in the utility's unit"
    )
    tolerance: float = Field(gt=0, description="what both differences had to stay within")


def export_bundle(checkpoint_path: Path, out: Path) -> Manifest:
    """Write a checkpoint as a bundle for game servers; it appears under its name complete or not at all.

    The bundle is verified before it appears. Nothing is printed.

    Args:
      checkpoint_path: the checkpoint's folder.
      out: the folder to make; it must not exist, or be empty.

    Raises:
      CheckpointError: the checkpoint cannot be loaded, `out` cannot be made or has something in it, or the
        exported model does not give what the engine gives.
      TavlaError: a package of the extra `[export]` is missing.
    """
    target = Path(os.path.realpath(out))
    if target.is_dir():
        if any(target.iterdir()):
            raise CheckpointError(f"{out}: not empty; a bundle is never written over other files")
    elif target.exists():
        raise CheckpointError(f"{out}: is a file, expected a folder to make")
    checkpoint = load_checkpoint(checkpoint_path)
    try:
        with whole_folder(target) as folder:
            manifest = _write_files(folder, checkpoint_path, checkpoint)
            verify_bundle(folder)
    except OSError as error:
        raise CheckpointError(f"{out}: cannot be written ({error.strerror or error})") from None
    return manifest


def _write_files(folder: Path, checkpoint_path: Path, checkpoint: Checkpoint) -> Manifest:
    """Write a bundle's files, the manifest last."""
    card = checkpoint.card
    shutil.copyfile(checkpoint_path / CARD_FILE, folder / CARD_FILE)
    _write_json(folder / RULESET_FILE, card.ruleset.model_dump(mode="json"))
    golden = _golden_vectors(checkpoint, checkpoint.network_for(card.ruleset))
    (folder / GOLDEN_FILE).write_bytes(save_safetensors(golden))
    _write_model(folder / MODEL_FILE, checkpoint)
    (folder / README_FILE).write_text(_readme(card.ruleset), encoding="utf-8")
    inputs, outputs = _interface(card.ruleset)
    manifest = Manifest(
        schema_version=BUNDLE_SCHEMA_VERSION,
        version=_product_version(),
        ruleset=card.ruleset.name,
        features=card.features,
        weights_sha256=card.weights_sha256,
        tolerance=TOLERANCE,
        inputs=inputs,
        outputs=outputs,
        files={file.name: _sha256(file.read_bytes()) for file in sorted(folder.iterdir())},
    )
    _write_json(folder / MANIFEST_FILE, manifest.model_dump(mode="json"))
    return manifest


def verify_bundle(out: Path) -> VerifyReport:
    """Check a bundle's files and run its model on the golden vectors, at every batch size that matters.

    Neither torch nor onnx is imported, only onnxruntime.

    Args:
      out: the bundle's folder.

    Raises:
      CheckpointError: a file is missing or damaged, the model cannot be run, or it differs from the golden
        vectors by more than the manifest's tolerance. The message names the file.
      TavlaError: onnxruntime is missing.
    """
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
                # A NaN is not within the tolerance either.
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


def _interface(ruleset: Ruleset) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
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


# Golden vectors


def _golden_vectors(checkpoint: Checkpoint, network: engine.Network) -> dict[str, NDArray[Any]]:
    """Return positions from this network's self-play with the engine's answers.

    Returns:
      `boards` `[NUM_GOLDEN, 2, num_places]` int8, `utility` and `outcomes` `[NUM_GOLDEN, K]` float32,
      `expected_utility` `[NUM_GOLDEN]` float32, as the model takes and gives them.
    """
    rules = compile_rules(checkpoint.card.ruleset)
    rng = np.random.default_rng(_GOLDEN_SEED)
    parts = [
        _played_for(utility, rules, network, first_game=i * _GOLDEN_GAMES)
        for i, utility in enumerate(_golden_utilities(checkpoint.card.ruleset, rng))
    ]
    boards, utility, inputs = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if len(boards) < NUM_GOLDEN:
        raise CheckpointError(
            f"{checkpoint.path}: its self-play gave {len(boards)} positions, expected at least {NUM_GOLDEN}"
        )
    chosen = rng.choice(len(boards), NUM_GOLDEN, replace=False)
    boards, utility, inputs = boards[chosen], utility[chosen], inputs[chosen]
    outcomes = network.evaluate(boards, inputs)
    expected = (outcomes.astype(np.float64) * utility).sum(axis=1)
    return {
        "boards": boards,
        "utility": utility,
        "outcomes": outcomes,
        "expected_utility": expected.astype(np.float32),
    }


def _golden_utilities(ruleset: Ruleset, rng: np.random.Generator) -> list[Utility]:
    """Return what golden games are played for: points, double match point, and other match scores."""
    # Each further point is a third as likely: a quarter of tavla's wins are mars.
    weights = [3.0 ** -abs(score) for score in ruleset.scores]
    shares = [weight / sum(weights) for weight in weights]
    grid = match_equity(ruleset, _GOLDEN_MATCH_LENGTH, {ruleset.name: shares}).utility_grid()
    cells = 1 + rng.choice(_GOLDEN_MATCH_LENGTH**2 - 1, _GOLDEN_MATCH_SCORES, replace=False)
    values = grid.reshape(_GOLDEN_MATCH_LENGTH**2, -1)[[0, *cells]].tolist()
    return [Utility.points(ruleset), *(Utility(tuple(row), total=1.0) for row in values)]


def _played_for(
    utility: Utility, rules: engine.Rules, network: engine.Network, first_game: int
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Return the boards of games where seat 0 plays for `utility`, with each mover's values and inputs."""
    sides = [_as_float32(side) for side in (utility, utility.opponent())]
    values = np.array([side.values for side in sides], dtype=np.float32)
    inputs = np.array([side.inputs for side in sides], dtype=np.float32)
    games = engine.self_play(
        rules, network, _GOLDEN_SEED, first_game, _GOLDEN_GAMES, 1.0, values[:1], inputs[:1], [1.0]
    )
    # The engine reports what the mover played for as network inputs, which tell the two sides apart wherever
    # the network can.
    distance = np.abs(games.utility_inputs[:, None, :] - inputs).sum(axis=2)
    side = distance.argmin(axis=1)
    return games.boards, values[side], inputs[side]


def _as_float32(utility: Utility) -> Utility:
    """Return the utility as a float32 model receives it, so that the expected answers are exact for that."""
    return Utility(tuple(float(np.float32(value)) for value in utility.values), utility.total)


# The model


def _write_model(path: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint's network as one ONNX file, with its inputs computed inside the graph."""
    with _extra():
        import onnx
        import onnxscript  # noqa: F401 - torch.onnx imports it when it is called
        import torch
    inputs, outputs = _interface(checkpoint.card.ruleset)
    # Two rows, so that the batch is not taken for the constant 1.
    example = (
        torch.zeros((2, 2, checkpoint.card.ruleset.num_places), dtype=torch.int8),
        torch.tensor([[float(score) for score in checkpoint.card.ruleset.scores]] * 2),
    )
    batch = torch.export.Dim("batch")
    with _quiet():
        program = torch.onnx.export(
            _bundle_module(checkpoint),
            example,
            dynamo=True,
            external_data=False,
            opset_version=_OPSET,
            input_names=[tensor.name for tensor in inputs],
            output_names=[tensor.name for tensor in outputs],
            dynamic_shapes=({0: batch}, {0: batch}),
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _strip_traces(model)
    card = checkpoint.card
    properties = {
        "ruleset": card.ruleset.name,
        "scores": json.dumps(card.ruleset.scores),
        "features": card.features,
        "weights_sha256": card.weights_sha256,
        "version": _product_version(),
    }
    onnx.helper.set_model_props(model, properties)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _bundle_module(checkpoint: Checkpoint) -> nn.Module:
    """Return the torch module that takes boards and utilities and gives outcomes and expected utility."""
    with _extra():
        import torch
        from torch import nn

        from tavla_ai.network.module import from_numpy, shot_inputs

    class BundleNetwork(nn.Module):
        """`(boards, utility)` → `(outcomes, expected_utility)`; a row that makes no sense gives NaN."""

        def __init__(self) -> None:
            super().__init__()
            table = torch.from_numpy(engine.place_features(checkpoint.card.network.num_places))
            self.num_counts = table.shape[1]
            ruleset = checkpoint.card.ruleset
            self.num_checker_places = ruleset.num_checker_places
            self.num_others = ruleset.num_places - ruleset.num_checker_places
            # Places that hold no checkers: Gul Bara counts rolls there, Plakoto marks pins.
            self.most_others = MAX_OWN_ROLLS if ruleset.family == "gul-bara" else 1
            self.network = from_numpy(checkpoint.card.network, checkpoint.weights)
            self.register_buffer("table", table.flatten(0, 1))
            self.register_buffer("first_rows", torch.arange(table.shape[0]) * self.num_counts)

        def forward(self, boards: torch.Tensor, utility: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            counts = boards.to(torch.int64)
            rows = self.get_buffer("first_rows") + counts.clamp(0, self.num_counts - 1)
            features = nn.functional.embedding(rows, self.get_buffer("table")).flatten(1)
            # The same as match.Utility.inputs: gaps in units of the one between the smallest win and loss.
            gaps = utility[:, :-1] - utility[:, 1:]
            num_wins, middle = utility.shape[1] // 2, gaps.shape[1] // 2
            unit = utility[:, num_wins - 1 : num_wins] - utility[:, -num_wins].unsqueeze(1)
            inputs = torch.cat([gaps[:, :middle], gaps[:, middle + 1 :]], dim=1) / unit
            read = [features, inputs]
            if self.network.spec.reads_shots:
                read.append(shot_inputs(counts))
            outcomes = torch.softmax(self.network(torch.cat(read, dim=1)), dim=1)
            # Counts that are not 15 a side or values that rise are a mistake, and no estimate should hide it.
            sums = counts[:, :, : self.num_checker_places].sum(dim=2)
            is_sound = (counts.flatten(1).amin(dim=1) >= 0) & (sums.amin(dim=1) == NUM_CHECKERS)
            is_sound &= sums.amax(dim=1) == NUM_CHECKERS
            if self.num_others > 0:
                others = counts[:, :, self.num_checker_places :]
                is_sound &= others.flatten(1).amax(dim=1) <= self.most_others
            is_sound &= (gaps.amin(dim=1) >= 0) & (gaps.amax(dim=1) < torch.inf) & (unit[:, 0] > 0)
            outcomes = torch.where(is_sound.unsqueeze(1), outcomes, torch.nan)
            return outcomes, (outcomes * utility).sum(dim=1)

    return BundleNetwork().eval()


def _strip_traces(model: Any) -> None:
    """Remove the exporter's stack traces, which name folders of the machine it ran on."""
    graph = model.graph
    for holder in (graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del holder.metadata_props[:]
        holder.ClearField("doc_string")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence what torch.onnx prints, logs and warns of while it exports."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def _extra() -> Iterator[None]:
    """Turn a failed import into the advice to install the extra."""
    try:
        yield
    except ImportError as error:
        raise TavlaError(f"{error.name or error} is not installed; pip install tavla-ai[export]") from None


# What a person reads

_README = """\
# {title}: a tavla-ai network as ONNX

`{model}` needs an ONNX runtime and nothing else. Pass all afterstates of a roll in one batch, of any size N,
and play the one with the highest `expected_utility`. "He" is the player who has just moved.

- in: `boards` int8 [N, 2, {places}]: the board after the play, his checkers first, then the other
  player's, each side in its own numbering: 0 = borne off, 1 to 24 = points (moving 24 → 1), {bar} = bar.
  {places_note}
- in: `utility` float32 [N, {num_scores}]: what each of the scores {scores} is worth to him. In a single
  game that is the points themselves, in a match his match-winning chance after that score
  ({last_game} where this game decides).
- out: `outcomes` float32 [N, {num_scores}]: the probability of each of those scores, for him.
- out: `expected_utility` float32 [N]: the sum of outcomes × utility.

```python
import numpy as np, onnxruntime

session = onnxruntime.InferenceSession("{model}")
boards = np.zeros((1, 2, {places}), np.int8)
for place, count in {setup}.items():
    boards[:, :, place] = count  # both sides as at the start
utility = np.array([[{scores}]], np.float32)
outcomes, expected_utility = session.run(None, {{"boards": boards, "utility": utility}})
```

A play that ends the game has its score by the rules: do not ask the network. A row that makes no sense
gives NaN: not {checkers} checkers a side, values that rise, a win worth no more than a loss. (Where a match
is all but decided, float32 may not tell them apart: subtract the smallest loss's value first, and scale up.)

`{golden}` holds {num_golden} inputs with the engine's answers, to be met within {tolerance:g}; `{manifest}`
has the sha256 of each file. `tavla export --verify DIR` checks both.
"""


_MORE_PLACES: dict[Family, str] = {
    "plakoto": f"Place {PINNED} + p is 1 where the side's checker on its point p is pinned.",
    "gul-bara": f"Place {OWN_ROLLS}: how often the side has rolled so far, at most {MAX_OWN_ROLLS}.\n"
    "  The answer is for a turn that passes no dice on; else ask after the other player's forced play of them.",
    "tawula": f"Place {RESERVE}: checkers in reserve.",
}


def _readme(ruleset: Ruleset) -> str:
    facing = "((q + 11) mod 24) + 1" if ruleset.is_parallel else f"{BAR} − q"
    reserve = {RESERVE: ruleset.reserve} if ruleset.reserve else {}
    return _README.format(
        title=ruleset.title,
        model=MODEL_FILE,
        golden=GOLDEN_FILE,
        manifest=MANIFEST_FILE,
        places=ruleset.num_places,
        bar=BAR,
        checkers=NUM_CHECKERS,
        num_scores=len(ruleset.scores),
        scores=", ".join(map(str, ruleset.scores)),
        last_game=[1 if score > 0 else 0 if score < 0 else 0.5 for score in ruleset.scores],
        places_note=f"One side's point q is the other's {facing}. {_MORE_PLACES.get(ruleset.family, '')}".rstrip(),
        setup=dict(sorted((reserve | ruleset.setup).items(), reverse=True)),
        num_golden=NUM_GOLDEN,
        tolerance=TOLERANCE,
    )


# Reading a bundle


def _check_card(out: Path, manifest: Manifest) -> None:
    """Raise `CheckpointError` unless card, ruleset and manifest speak of the same network and game."""
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
        raise CheckpointError(f"{out}: no such bundle")
    path = out / MANIFEST_FILE
    if not path.is_file():
        raise CheckpointError(f"{out}: not an exported bundle, it has no {MANIFEST_FILE}")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != BUNDLE_SCHEMA_VERSION:
        raise CheckpointError(f"{path}: schema version {version!r}, this version reads {BUNDLE_SCHEMA_VERSION}")
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as error:
        raise CheckpointError(f"{path}: {first_mistake(error)}") from None
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
    found = _sha256(data)
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
    """Return an onnxruntime session for a model that is what the manifest says."""
    with _extra():
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


def _write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _product_version() -> str:
    return importlib.metadata.version("tavla-ai")
