"""Export: a folder that a game server can run without this product, and the check that it still is right.

A bundle is one ONNX file with the input features inside its graph, so that a server passes boards and what
each score is worth, and golden vectors computed by the engine, so that any runtime can be checked against
it. `export_bundle` needs the extra `[export]`; `verify_bundle` needs onnxruntime alone. Importing this package
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
