"""Export: a bundle that a game server runs without this package, and its verification.

A bundle has one ONNX file whose graph computes the inputs, so a server passes boards and the worth of each score. It
also has golden vectors computed by the engine, against which any runtime can be checked. `export_bundle` needs the
extra `[export]`; `verify_bundle` needs onnxruntime alone. Importing this package
imports neither torch nor onnx.
"""

from __future__ import annotations

from tavla_ai.network.export.bundle import export_bundle
from tavla_ai.network.export.golden import NUM_GOLDEN
from tavla_ai.network.export.manifest import TOLERANCE, Manifest, TensorInfo
from tavla_ai.network.export.verify import VerifyReport, verify_bundle

__all__ = [
    "NUM_GOLDEN",
    "TOLERANCE",
    "Manifest",
    "TensorInfo",
    "VerifyReport",
    "export_bundle",
    "verify_bundle",
]
