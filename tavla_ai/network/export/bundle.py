"""The writer of bundles and of their README."""

from __future__ import annotations

import hashlib
import os
import shutil
from importlib import resources
from pathlib import Path

from safetensors.numpy import save as save_safetensors

from tavla_ai.errors import CheckpointError
from tavla_ai.files import whole_folder, write_model
from tavla_ai.network.card import CARD_FILE
from tavla_ai.network.checkpoint import Checkpoint, load_checkpoint
from tavla_ai.network.export.extra import export_extra
from tavla_ai.network.export.golden import NUM_GOLDEN, golden_vectors
from tavla_ai.network.export.manifest import (
    BUNDLE_SCHEMA_VERSION,
    GOLDEN_FILE,
    MANIFEST_FILE,
    MODEL_FILE,
    README_FILE,
    RULESET_FILE,
    RUNTIME,
    TOLERANCE,
    Manifest,
    interface,
    product_version,
)
from tavla_ai.network.export.verify import verify_bundle
from tavla_ai.rules import BAR, MAX_OWN_ROLLS, NUM_CHECKERS, OWN_ROLLS, PINNED, RESERVE, Ruleset

_README_TEMPLATE = "README.md.in"


def export_bundle(checkpoint: str | Path, out: str | Path) -> Manifest:
    """Write a checkpoint as a bundle for game servers; it appears under its name complete or not at all.

    The bundle is verified before it appears. Nothing is printed.

    Args:
      checkpoint: the checkpoint's folder, or the name of a shipped checkpoint, such as `tavla/hard`.
      out: the folder to make; it must not exist, or be empty.

    Raises:
      CheckpointError: the checkpoint cannot be loaded, `out` cannot be made or is not empty, or the exported model
        answers otherwise than the engine.
      TavlaError: a package of the extra `[export]` is missing.
    """
    target = Path(os.path.realpath(out))
    if target.is_dir():
        if any(target.iterdir()):
            raise CheckpointError(f"{out}: not empty; a bundle is never written over other files")
    elif target.exists():
        raise CheckpointError(f"{out}: is a file, expected a folder to make")
    loaded = load_checkpoint(checkpoint)
    try:
        with whole_folder(target) as folder:
            manifest = _write_files(folder, loaded)
            verify_bundle(folder)
    except OSError as error:
        raise CheckpointError(f"{out}: cannot be written ({error.strerror or error})") from None
    return manifest


def _write_files(folder: Path, checkpoint: Checkpoint) -> Manifest:
    """Write a bundle's files, the manifest last."""
    card = checkpoint.card
    shutil.copyfile(checkpoint.path / CARD_FILE, folder / CARD_FILE)
    write_model(folder / RULESET_FILE, card.ruleset)
    golden = golden_vectors(checkpoint, checkpoint.network_for(card.ruleset))
    (folder / GOLDEN_FILE).write_bytes(save_safetensors(golden))
    _write_model(folder / MODEL_FILE, checkpoint)
    (folder / README_FILE).write_text(_readme(card.ruleset), encoding="utf-8")
    inputs, outputs = interface(card.ruleset)
    manifest = Manifest(
        schema_version=BUNDLE_SCHEMA_VERSION,
        version=product_version(),
        ruleset=card.ruleset.name,
        features=card.features,
        weights_sha256=card.weights_sha256,
        tolerance=TOLERANCE,
        runtime=RUNTIME,
        inputs=inputs,
        outputs=outputs,
        files={file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())},
    )
    write_model(folder / MANIFEST_FILE, manifest)
    return manifest


def _write_model(path: Path, checkpoint: Checkpoint) -> None:
    with export_extra():
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401 - torch.onnx imports it when it is called
        import torch  # noqa: F401

        from tavla_ai.network.export.onnx import write_model
    write_model(path, checkpoint)


def _more_places(ruleset: Ruleset) -> str:
    if ruleset.has_pins:
        return f" Place {PINNED} + p is 1 where the side's checker on its point p is pinned."
    if ruleset.has_stages:
        return (
            f" Place {OWN_ROLLS}: how often the side has rolled so far, at most {MAX_OWN_ROLLS}.\n"
            "  The answer is for a turn that passes no dice on; else ask after the other player's forced play of them."
        )
    return f" Place {RESERVE}: checkers in reserve." if ruleset.has_reserve else ""


def _readme(ruleset: Ruleset) -> str:
    """Return the text of a bundle's README."""
    template = resources.files(__package__).joinpath(_README_TEMPLATE).read_text(encoding="utf-8")
    facing = "((q + 11) mod 24) + 1" if ruleset.is_parallel else f"{BAR} − q"
    reserve = {RESERVE: ruleset.reserve} if ruleset.reserve else {}
    return template.format(
        title=ruleset.title,
        model=MODEL_FILE,
        runtime=RUNTIME,
        golden=GOLDEN_FILE,
        manifest=MANIFEST_FILE,
        places=ruleset.num_places,
        bar=BAR,
        checkers=NUM_CHECKERS,
        num_scores=len(ruleset.scores),
        scores=", ".join(map(str, ruleset.scores)),
        last_game=[1 if score > 0 else 0 if score < 0 else 0.5 for score in ruleset.scores],
        places_note=f"One side's point q is the other's {facing}.{_more_places(ruleset)}",
        setup=dict(sorted((reserve | ruleset.setup).items(), reverse=True)),
        num_golden=NUM_GOLDEN,
        tolerance=TOLERANCE,
    )
