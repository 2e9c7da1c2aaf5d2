"""Errors that users' mistakes raise. The command line prints each as one line, with exit code 2."""

from __future__ import annotations


class TavlaError(Exception):
    """Base of every error caused by what the user passed in.

    The message names the value, what was expected and where.
    """


class NotationError(TavlaError):
    """A position, play or identifier whose text cannot be read."""


class RulesetError(TavlaError):
    """An unknown ruleset, or a position, roll or play that the ruleset forbids."""


class CheckpointError(TavlaError):
    """A checkpoint that is missing, damaged, or unsuitable for its task."""


class ConfigError(TavlaError):
    """A configuration key or value that is unknown, of the wrong type or out of range."""
