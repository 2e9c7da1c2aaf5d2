"""Ray clusters: join one, or start one on this machine, and leave it.

Only this module imports Ray, when it is needed.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tavla_ai.errors import TavlaError

_CONNECT_SECONDS = 5.0


@contextmanager
def joined_cluster(
    address: str = "local", *, num_cpus: int, setting: str = "Ray address", **options: Any
) -> Iterator[Any]:
    """Join a Ray cluster, yield the module `ray`, and leave the cluster at the end.

    A cluster that this process has already joined is used and not left.

    Args:
      address: `local` starts a cluster on this machine, `auto` joins the one that this machine belongs to,
        `host:port` or `ray://host:port` a named one.
      num_cpus: CPUs of a cluster that is started; each worker needs one.
      setting: name of the setting with the address, for messages.
      options: further options of `ray.init`, such as logging.

    Raises:
      TavlaError: Ray is not installed, or there is no cluster at the address.
    """
    try:
        # Ray warns about a future default for GPUs that no worker uses.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        import ray
    except ImportError:
        raise TavlaError(
            "Ray is not installed; in the checkout: pip install '.[train]', or use no Ray workers"
        ) from None
    if ray.is_initialized():
        yield ray
        return
    if address == "local":
        options |= {"num_cpus": num_cpus, "include_dashboard": False}
    elif address != "auto":
        _check_reachable(address, setting)
    try:
        ray.init(address=address, log_to_driver=False, **options)
    except (ConnectionError, TimeoutError, RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise TavlaError(f"{setting} {address!r}: no cluster could be reached there ({reason})") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_reachable(address: str, setting: str) -> None:
    """Raise `TavlaError` unless something listens at `address`; Ray itself would try for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not (host and separator and port.isdigit()) or "/" in host:
        raise TavlaError(f"{setting}: local, auto, host:port or ray://host:port expected, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise TavlaError(f"{setting} {address!r}: nothing answers there ({error})") from None
