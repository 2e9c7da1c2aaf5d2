"""The base of the configuration's sections."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    """A part of the configuration: frozen, without unknown keys, and with a description of each key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True, allow_inf_nan=False
    )

    @model_validator(mode="before")
    @classmethod
    def _no_truth_values(cls, data: Any) -> Any:
        # YAML reads `on` and `yes` as true, which would be taken for the number 1.
        for key, value in data.items() if isinstance(data, dict) else ():
            if isinstance(value, bool):
                raise ValueError(f"{key}: a number or text expected, not {str(value).lower()}")
        return data
