"""Tables of a ladder's strength for documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tavla_ai.bots import LEVEL_NAMES, Ladder, LevelName, Levels, baselines_of
from tavla_ai.errors import TavlaError
from tavla_ai.files import write_whole
from tavla_ai.network import WEIGHTS_FILE, LossRate, Result, checkpoint_name
from tavla_ai.rules import get_ruleset

# A document's short table of the levels, and all figures of a ladder, each between two marks.
LEVELS_BEGIN, LEVELS_END = "<!-- levels: written by `tavla levels --table FILE` -->", "<!-- /levels -->"
FIGURES_BEGIN, FIGURES_END = "<!-- figures: written by `tavla levels --table FILE` -->", "<!-- /figures -->"

_REPORTING = "reporting"


def levels_table(levels: Levels, ladder: Ladder) -> str:
    """Return a short Markdown table of the levels of a ladder, strongest first.

    The numbers are from the file of levels and from the checkpoints' cards. A cell is empty where nothing was measured.

    Raises:
      CheckpointError: a card cannot be read.
      TavlaError: a level was measured with other weights than its checkpoint's.
    """
    heads = [
        "level",
        f"rating (Elo, matches to {ladder.match_length})",
        f"points per game against {_baselines(ladder)[1]}",
        "size",
        "time per move in the engine",
    ]
    wanted = (0, 2, 4, 6, 7)
    rows = [_level_row(levels, ladder, name) for name in reversed(LEVEL_NAMES)]
    return _table(heads, [[row[column] for column in wanted] for row in rows])


def strength_tables(levels: Levels, ladder: Ladder) -> str:
    """Return Markdown tables of all figures of a ladder: its levels, and Hard's network against outside engines.

    The sources of the numbers and the errors raised are the same as for `levels_table`.
    """
    heads = [
        "level",
        "checkpoint",
        f"rating, matches to {ladder.match_length}",
        *(f"points per game against {name}" for name in _baselines(ladder)),
        "points lost per 1,000 decisions",
        "size",
        "time per move in the engine, one core",
    ]
    rows = [_level_row(levels, ladder, name) for name in reversed(LEVEL_NAMES)]
    hard = ladder.levels["hard"]
    card = levels.measured_card("hard", hard)
    engines = [result for result in card.results if ":" in result.opponent]
    engine_rows = [
        [
            f"`{result.opponent}`",
            f"{result.ply}-ply",
            f"{result.games:,}",
            _signed(result.points_per_game, result.standard_error),
            "" if result.adjusted is None else _signed(result.adjusted, result.adjusted_standard_error),
        ]
        for result in sorted(engines, key=lambda result: (result.ply, result.opponent))
    ]
    text = _table(heads, rows)
    if engine_rows:
        against = ["Hard's network against", "looking ahead", "paired games", "points per game", "without luck"]
        text += "\n" + _table(against, engine_rows)
    return text


def write_tables(file: Path, levels: Levels, ladder: Ladder) -> None:
    """Write the tables into a document, each between its two marks.

    Raises:
      TavlaError: the document cannot be read, or has no marks; also the errors of `levels_table`.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise TavlaError(f"{file}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise TavlaError(f"{file}: expected text ({error})") from None
    found = False
    for begin, end, tables in (
        (LEVELS_BEGIN, LEVELS_END, levels_table),
        (FIGURES_BEGIN, FIGURES_END, strength_tables),
    ):
        start, stop = text.find(begin), text.find(end)
        if 0 <= start < stop:
            text = f"{text[:start]}{begin}\n{tables(levels, ladder)}{text[stop:]}"
            found = True
    if not found:
        raise TavlaError(
            f"{file}: expected a line {LEVELS_BEGIN} and after it a line {LEVELS_END}, or the same with figures"
        )
    write_whole(file, text.encode())


def _baselines(ladder: Ladder) -> tuple[str, str]:
    """Return the opponents by which the levels of a ladder are compared."""
    return baselines_of(get_ruleset(ladder.ruleset))


def _level_row(levels: Levels, ladder: Ladder, name: LevelName) -> list[str]:
    rated = ladder.levels[name]
    folder = levels.folder(rated)
    card = levels.measured_card(name, rated)
    shape = " → ".join(map(str, card.network.hidden))
    # A level without errors plays like its checkpoint, whose own results count too.
    measured = (rated,) if rated.noise else (card, rated)
    results = [result for one in measured for result in one.results]
    loss_rates = [rate for one in measured for rate in one.loss_rates]
    noise = f", noise {rated.noise:.3f} points" if rated.noise else ""
    return [
        name.title(),
        f"`{checkpoint_name(folder)}`, {shape}, {rated.ply}-ply{noise}",
        f"{rated.rating:.0f}",
        *(_score(results, opponent, rated.ply) for opponent in _baselines(ladder)),
        _loss(loss_rates, rated.ply),
        f"{(folder / WEIGHTS_FILE).stat().st_size / 1000:.0f} kB",
        "" if card.decision_microseconds is None else f"{card.decision_microseconds:.0f} µs",
    ]


def _score(results: Sequence[Result], opponent: str, ply: int) -> str:
    found = [result for result in results if (result.opponent, result.ply) == (opponent, ply)]
    return _signed(found[-1].points_per_game, found[-1].standard_error) if found else ""


def _loss(loss_rates: Sequence[LossRate], ply: int) -> str:
    found = [rate for rate in loss_rates if (rate.positions, rate.ply) == (_REPORTING, ply)]
    if not found:
        return ""
    error = found[-1].standard_error
    return f"{found[-1].loss:.1f}" + ("" if error is None else f" ± {error:.1f}")


def _signed(value: float, error: float | None) -> str:
    text = f"{value:+.3f}".replace("-", "−")
    return text + ("" if error is None else f" ± {error:.3f}")


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
