"""The errors that users' mistakes raise; the command line turns each into one line and exit code 2."""

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
    """A checkpoint that is missing, damaged, or does not fit what it is asked to do."""


class ConfigError(TavlaError):
    """A configuration key or value that is unknown, of the wrong type or out of range."""
