"""The packages of the extra `[export]`, which a server that only plays does not need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tavla_ai.errors import TavlaError


@contextlib.contextmanager
def export_extra() -> Iterator[None]:
    """Turn a failed import into an error that names the extra.

    Raises:
      TavlaError: an import inside failed.
    """
    try:
        yield
    except ImportError as error:
        raise TavlaError(f"{error.name or error} is not installed; in the checkout: pip install '.[export]'") from None
