"""The documents: links lead somewhere, the API pages have every public name, the blocks of the guides run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ok

import tavla_ai
from tavla_ai.rules import ruleset_names

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
GUIDES = (
    "README.md",
    "docs/index.md",
    "docs/server.md",
    "docs/measuring.md",
    pytest.param("docs/training.md", marks=pytest.mark.slow),
)
# What the commands of a checkout read by default or by name.
FOLDERS = ("configs", "benchmarks")


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$|^ {4}.*?$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(document: Path) -> set[str]:
    """Return what a link to a heading of a document may name."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for address in re.findall(r"\]\(([^)\s]+)\)", without_code(document.read_text(encoding="utf-8"))):
        if "://" in address:
            continue
        name, _, anchor = address.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), address
        assert not anchor or anchor in anchors(target), address


def test_every_public_name_is_on_the_page_of_its_task() -> None:
    """The pages group the names as the package does, in the same order."""
    listed = (ROOT / "tavla_ai" / "__init__.py").read_text(encoding="utf-8").partition("__all__")[2]
    tasks: dict[str, list[str]] = {}
    for task, name in re.findall(r'^    (?:# (.+)|"(\w+)",)$', listed, re.MULTILINE):
        if task:
            tasks[task] = []
        elif tasks:
            tasks[list(tasks)[-1]].append(name)
    assert {"__version__", *(name for names in tasks.values() for name in names)} == set(tavla_ai.__all__)
    pages = {}
    for page in (ROOT / "docs" / "api").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        pages[text.partition("\n")[0].removeprefix("# ")] = re.findall(r"^::: tavla_ai\.(\w+)$", text, re.MULTILINE)
    assert pages.pop("The API") == []
    assert pages == tasks
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(f"api/{page.name}" in site for page in (ROOT / "docs" / "api").glob("*.md"))


def test_every_game_has_a_page_with_its_facts() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "rules").glob("*.md"))
    shown = [name for names in re.findall(r"^<!-- facts: (.*) -->$", pages, re.MULTILINE) for name in names.split()]
    assert sorted(shown) == list(ruleset_names())
    assert all(f"\n### {name}\n" in pages for name in shown)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_blocks_of_the_guides_run(guide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in a folder with a checkout's recipes; the Python blocks of a guide share their names."""
    monkeypatch.chdir(tmp_path)
    for folder in FOLDERS:
        (tmp_path / folder).symlink_to(ROOT / folder)
    names: dict[str, object] = {}
    text = (ROOT / guide).read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(sh|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "python":
            exec(block, names)
            continue
        for line in block.replace("\\\n", "").splitlines():
            run_line(shlex.split(line, comments=True))


def run_line(words: list[str]) -> None:
    """Run a command of a guide: one of `tavla` in this process, another one in its own."""
    if words[:1] == ["tavla"]:
        assert ok(*words[1:])
    elif words:
        command = [sys.executable if word == "python" else word for word in words]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
