"""Files of levels for tests that need one."""

import json
from pathlib import Path
from typing import Any

import yaml


def ladder(ruleset: str = "north-sultan", match_length: int = 3, checkpoint: str | None = None) -> dict[str, Any]:
    """Return a ladder of checkpoints `easy`, `medium` and `hard` beside the file, or of one for all three."""
    targets = {"easy": 1200.0, "medium": 1500.0, "hard": 1750.0}
    levels: dict[str, Any] = {
        name: {
            "checkpoint": checkpoint or name,
            "weights_sha256": "0" * 64,
            "noise": noise,
            "cap": 2 * noise,
            "target": targets[name],
            "rating": targets[name] + 2,
            "interval": [targets[name] - 5, targets[name] + 9],
        }
        for name, noise in (("easy", 0.2), ("medium", 0.1), ("hard", 0.0))
    }
    data = {"ruleset": ruleset, "match_length": match_length, "anchor": "medium", "matches": 1000, "seed": 1}
    return data | {"levels": levels}


def write_levels(folder: Path, *ladders: dict[str, Any]) -> Path:
    """Write them as `levels.yaml` into a folder, with the weights of checkpoints that are there; return its path."""
    for one in ladders:
        for level in one["levels"].values():
            card = folder / level["checkpoint"] / "card.json"
            if card.exists():
                level["weights_sha256"] = json.loads(card.read_text())["weights_sha256"]
    path = folder / "levels.yaml"
    path.write_text(yaml.safe_dump({"schema_version": 1, "ladders": list(ladders)}))
    return path
