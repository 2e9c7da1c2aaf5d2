"""Joining a Ray cluster."""

import sys

import pytest

from tavla_ai.cluster import joined_cluster
from tavla_ai.errors import TavlaError


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "^--at '127.0.0.1:1': nothing answers there "),
        ("ray://127.0.0.1:1", "^--at 'ray://127.0.0.1:1': nothing answers there "),
        ("somewhere", "^--at: local, auto, host:port or ray://host:port expected, not 'somewhere'$"),
        ("ray://a/b:1", "^--at: local, auto, host:port or ray://host:port expected, not 'ray://a/b:1'$"),
    ],
)
def test_an_address_where_no_cluster_is_names_the_setting(address: str, message: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(TavlaError, match=message), joined_cluster(address, num_cpus=1, setting="--at"):
        pass


def test_without_ray_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    message = r"^Ray is not installed; in the checkout: pip install '\.\[train\]'"
    with pytest.raises(TavlaError, match=message), joined_cluster(num_cpus=1):
        pass
