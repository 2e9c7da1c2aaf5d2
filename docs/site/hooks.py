"""What mkdocs adds to the pages when it builds the site: boards, tables made from the data, pages made from files.

A page asks for a piece with a comment on a line of its own, such as `<!-- facts: fevga -->`; on a code host the
comment is invisible.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flowchart import flowchart_svg
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tavla_ai.bots import Levels
from tavla_ai.network.shipped import strongest_checkpoint
from tavla_ai.report.board import board_svg
from tavla_ai.rules import MatchSet, Position, Ruleset, get_match_set, get_ruleset, match_set_names, ruleset_names

ROOT = Path(__file__).parents[2]

# Files outside docs/ that are pages of the site.
_OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_EXAMPLES = "examples/index.md"
_MARK = re.compile(r"^<!-- (board|facts|games|sets): ?(.*?) -->$", re.MULTILINE)
_FLOWCHART = re.compile(r"^```mermaid\n(flowchart TD\n.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from files outside the pages' folder."""
    for uri, name in _OUTSIDE.items():
        files.append(File.generated(config, uri, content=(ROOT / name).read_text()))
    files.append(File.generated(config, _EXAMPLES, content="\n".join(_examples())))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in the pieces that a page asks for, draw its flowcharts, and take out the links that leave the site."""
    source = ROOT / _OUTSIDE.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    markdown = _FLOWCHART.sub(lambda chart: f"<figure>{flowchart_svg(chart[1])}</figure>", markdown)
    markdown = _MARK.sub(lambda mark: _PIECES[mark[1]](mark[2].split()), markdown)
    return _LINK.sub(lambda link: _link_on_site(link, source, page, files), markdown)


def _link_on_site(link: re.Match[str], source: Path, page: Page, files: Files) -> str:
    """Return a link as the site has it: to the page of the file, or its text alone where the site has no such page."""
    address, _, anchor = link[2].partition("#")
    if "://" in address or not address:
        return link[0]
    name = (source.parent / address).resolve().relative_to(ROOT).as_posix()
    uri = {outside: uri for uri, outside in _OUTSIDE.items()}.get(name, name.removeprefix("docs/"))
    if uri.startswith("examples/"):
        uri, anchor = _EXAMPLES, Path(uri).name.replace(".", "")
    elif name.startswith("docs/") and source.is_relative_to(ROOT / "docs"):
        return link[0]
    elif files.get_file_from_path(uri) is None:
        return link[1]
    up = "../" * page.file.src_uri.count("/")
    return f"[{link[1]}]({up}{uri}{'#' * bool(anchor)}{anchor})"


def _examples() -> Iterator[str]:
    """Yield the lines of the page of examples: what each prints, and its source."""
    yield "# Examples\n"
    yield "Each file runs by itself, from any folder, and the tests run it. They are in `docs/examples/`.\n"
    for path in sorted((ROOT / "docs" / "examples").glob("*.py")):
        text = path.read_text()
        module = ast.parse(text)
        body = text.split('"""', 2)[2].lstrip()
        yield f"## {path.name}\n\n{ast.get_docstring(module)}\n\n```python\n{body}```\n"


def _board(names: Sequence[str]) -> str:
    """Return the start position of a game as a picture."""
    (name,) = names
    ruleset = get_ruleset(name)
    return f'<figure class="board">{board_svg(Position.start(ruleset), ruleset)}</figure>'


def _facts(names: Sequence[str]) -> str:
    """Return a table with a column for each ruleset and a row for each fact."""
    rulesets = [get_ruleset(name) for name in names]
    columns = [_facts_of(ruleset) for ruleset in rulesets]
    rows = [["", *(f"`{ruleset.name}`" for ruleset in rulesets)]]
    rows += [[fact, *(column[fact] for column in columns)] for fact in columns[0]]
    return _table(rows)


def _facts_of(ruleset: Ruleset) -> dict[str, str]:
    """Return the facts of a game in words."""
    start = ", ".join(f"{count} on {point}" for point, count in sorted(ruleset.setup.items(), reverse=True))
    reserve = f", {ruleset.reserve} in reserve" if ruleset.reserve else ""
    facts = {
        "name": ruleset.title,
        "family": f"`{ruleset.family}`",
        "start, each side": start + reserve,
        "direction": "both the same way round" if ruleset.is_parallel else "opposite",
        "a lone checker": ruleset.facts.lone_checker,
        "first turn": _OPENING[ruleset.opening],
        "next game of a match": _NEXT_GAME[ruleset.next_game],
        "scores": _scores(ruleset),
        "match lengths": _match_lengths(ruleset),
        "concession": _CONCESSION[ruleset.concession],
        "cube": f"up to {ruleset.cube_limit}" + ", Crawford rule" * ruleset.crawford if ruleset.cube else "none",
        "void after": f"{ruleset.stuck_limit} rolls in a row without a move",
    }
    for field in sorted(ruleset.facts.house_rules):
        facts[f"`{field}`"] = _plain(getattr(ruleset, field))
    return facts


_OPENING = {
    "use_dice": "the winner of the opening roll plays those dice",
    "reroll": "the winner of the opening roll rolls both dice again",
}
_NEXT_GAME = {"fresh": "a new opening roll", "winner_rolls": "the winner of the previous game rolls"}
_CONCESSION = {
    "none": "none: a player who leaves loses the match",
    "offered": "offered; the opponent may refuse",
    "final": "ends the game",
}


def _scores(ruleset: Ruleset) -> str:
    return ", ".join(str(score) for score in ruleset.scores if score >= 0)


def _match_lengths(game: Ruleset | MatchSet) -> str:
    lengths = "any" if game.match_lengths is None else ", ".join(map(str, game.match_lengths))
    return f"{lengths} (default {game.default_match_length})"


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"`{value}`"


def _games(_: Sequence[str]) -> str:
    """Return the table of all games."""
    rows = [["ruleset", "game (house)", "family", "scores", "match lengths", "shipped bots"]]
    for name in ruleset_names():
        ruleset = get_ruleset(name)
        rows.append(
            [
                f"[`{name}`]({page_of(name)}#{name})",
                ruleset.title,
                f"`{ruleset.family}`",
                _scores(ruleset),
                _match_lengths(ruleset),
                _shipped(ruleset),
            ]
        )
    return _table(rows)


def page_of(ruleset: str) -> str:
    """Return the page of the rules that has the facts of a ruleset."""
    pages = [
        path.name
        for path in sorted((ROOT / "docs" / "rules").glob("*.md"))
        if any(ruleset in mark[2].split() for mark in _MARK.finditer(path.read_text()) if mark[1] == "facts")
    ]
    (page,) = pages
    return page


def _shipped(ruleset: Ruleset) -> str:
    """Return the shipped bots of a game."""
    ladder = Levels().find(ruleset, None)
    if ladder is not None:
        return ", ".join(name.capitalize() for name in ladder.levels)
    checkpoint = strongest_checkpoint(ruleset)
    return f"checkpoint `{checkpoint}`" if checkpoint else "none; [train one](../training.md)"


def _sets(_: Sequence[str]) -> str:
    """Return the table of all sets of games."""
    rows = [["set", "name", "games in turn", "match lengths"]]
    for name in match_set_names():
        match_set = get_match_set(name)
        games = " → ".join(f"[`{game}`]({page_of(game)}#{game})" for game in match_set.games)
        rows.append([f"`{name}`", match_set.title, games, _match_lengths(match_set)])
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first row is its head."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((head, "|" + " --- |" * len(rows[0]), *body))


_PIECES: dict[str, Callable[[Sequence[str]], str]] = {"board": _board, "facts": _facts, "games": _games, "sets": _sets}
