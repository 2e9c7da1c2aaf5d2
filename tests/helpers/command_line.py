"""The command line, in this process and in one of its own."""

from __future__ import annotations

import json
import sys
from typing import Any

from click.testing import CliRunner, Result

from tavla_ai.cli import main


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


def ok(*args: object) -> str:
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def ok_json(*args: object) -> Any:
    return json.loads(ok(*args, "--json"))


def fails(*args: object) -> str:
    """Run a command with a user's mistake in it and return its one line."""
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.strip()


def tavla(*args: str) -> list[str]:
    """Return the command, which hears Ctrl-C even where the tests run in the background of a shell, which does not."""
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    return [sys.executable, "-c", f"{listening}; from tavla_ai.cli import main; main()", *args]
