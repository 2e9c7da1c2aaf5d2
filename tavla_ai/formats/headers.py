"""Headers of match files that change the rules of the game: what they say, and what this project cannot follow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tavla_ai.rules import Ruleset, get_ruleset, ruleset_names

# A file's headers: keys and values, in order.
Headers = tuple[tuple[str, str], ...]

_SWITCHES: Mapping[str, bool] = MappingProxyType(
    {word: on for on, words in ((True, "on yes true 1"), (False, "off no false 0")) for word in words.split()}
)
_CRAWFORD, _VARIATION = "crawford", "variation"
# Rules that no house of this project has.
_UNSUPPORTED: Mapping[str, str] = MappingProxyType(
    {
        "jacoby": "gammons count here also while the cube is centred",
        "beaver": "nobody beavers here",
        "raccoon": "nobody raccoons here",
    }
)


def is_crawford_off(headers: Headers) -> bool:
    """Return whether a file says that its match is played without the Crawford rule."""
    return any(_key(key) == _CRAWFORD and _SWITCHES.get(value.strip().lower()) is False for key, value in headers)


def header_problems(headers: Headers) -> list[str]:
    """Return one line for each header that asks for a rule which no house of this project has, or cannot be read."""
    return [problem for key, value in headers if (problem := _problem(key, value)) is not None]


def variation_of(headers: Headers) -> Ruleset | None:
    """Return the game that a file names, if it is one of this project's."""
    for key, value in headers:
        if _key(key) == _VARIATION:
            rulesets = map(get_ruleset, ruleset_names())
            return next((ruleset for ruleset in rulesets if value.strip() in (ruleset.name, ruleset.title)), None)
    return None


def variation_problem(headers: Headers, ruleset: Ruleset) -> str | None:
    """Return a line if a file names another of this project's games than the one that judges it."""
    named = variation_of(headers)
    if named is None or named.plays_like(ruleset):
        return None
    return f"header Variation: the file is of {named.name}, judged as {ruleset.name}"


def _problem(key: str, value: str) -> str | None:
    header, name = f"header {key} {value!r}", _key(key)
    if name != _CRAWFORD and name not in _UNSUPPORTED:
        return None
    switch = _SWITCHES.get(value.strip().lower())
    if switch is None:
        return f"{header}: expected On or Off, so it is not followed"
    if name in _UNSUPPORTED and switch:
        return f"{header}: not supported; {_UNSUPPORTED[name]}"
    return None


def _key(key: str) -> str:
    """Return a header's key without capitals and plural, so that `Beavers` and `Jacoby Rule` are known."""
    return key.strip().lower().removesuffix("rule").strip().removesuffix("s")
