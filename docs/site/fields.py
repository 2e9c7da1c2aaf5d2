"""An extension of griffe: the description of a pydantic field is the docstring of the attribute."""

from __future__ import annotations

import ast
from typing import Any

import griffe


class Fields(griffe.Extension):
    """Moves what `Field(description=…)` says into the attribute's docstring, and leaves its default as the value."""

    def on_attribute_instance(self, *, node: Any, attr: griffe.Attribute, **_: Any) -> None:
        """Read the call of `Field` in the source of an attribute."""
        value = getattr(node, "value", None)
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Field"):
            return
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        description = given.get("description")
        if isinstance(description, ast.Constant) and attr.docstring is None:
            attr.docstring = griffe.Docstring(str(description.value), parent=attr)
        attr.value = ast.unparse(given["default"]) if "default" in given else None
