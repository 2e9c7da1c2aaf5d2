"""The report on how human the levels play, as a self-contained HTML page and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from tavla_ai.files import write_whole
from tavla_ai.report.board import board_svg
from tavla_ai.report.chart import histogram
from tavla_ai.report.page import page, table
from tavla_ai.rules import Position, Ruleset, get_ruleset
from tavla_ai.strength import BLUNDER, DOUBTFUL, LevelLikeness, LikenessReport, LossSpread
from tavla_ai.tournament import REPORT_FILE

DATA_FILE = "report.json"

_SPREAD = ("mean", "median", "90 %", "99 %", "largest", "as Hard, %", f"over {BLUNDER:g}, %")


def write_likeness(out: Path, report: LikenessReport) -> None:
    """Write the page and the data of a report into a folder, which is made if needed."""
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / DATA_FILE, (report.model_dump_json(indent=2) + "\n").encode())
    write_whole(out / REPORT_FILE, likeness_html(report).encode())


def likeness_html(report: LikenessReport) -> str:
    """Return the page: the losses of each level by phase, by closeness of the decision and by kind of error."""
    return page("Levels", _parts(report))


def _parts(report: LikenessReport) -> Iterator[str]:
    ruleset = get_ruleset(report.ruleset)
    yield "<h1>Levels</h1>"
    yield f'<p class="quiet">{escape(ruleset.title)} · single games against Hard · seed {report.seed}</p>'
    yield (
        "<p>The loss of a play is the value of the best play minus its own, in points, by Hard's network at 0-ply. "
        "Decisions with a single play are left out. By this measure Hard itself loses nothing.</p>"
    )
    rows = [
        [
            level.level.title(),
            f"{level.rating:.0f}",
            f"{level.noise:.4f}",
            f"{level.cap:.4f}",
            f"{level.loss.decisions:,}",
            *_cells(level.loss),
            f"{level.own_maximum:.4f}",
        ]
        for level in report.levels
    ]
    headers = ["level", "rating", "noise", "cap", "decisions", *_SPREAD, "largest in its own view"]
    yield from table(headers, rows)
    for level in report.levels:
        if level.loss.decisions and level.noise > 0:
            yield from _level(level, ruleset)


def _level(level: LevelLikeness, ruleset: Ruleset) -> Iterator[str]:
    yield f"<h2>{level.level.title()}</h2>"
    yield '<div class="charts">'
    marks = [(edge, f"{edge:.2f}") for edge in level.edges[:-1:4]]
    yield histogram("decisions by points lost, without those that lost nothing", level.counts, level.edges, marks)
    shares = [round(1000 * (loss.blunder_share or 0)) for loss in level.phases.values()]
    edges = [float(i) for i in range(len(shares) + 1)]
    names = [(i + 0.5, phase) for i, phase in enumerate(level.phases)]
    yield histogram(f"decisions that lost more than {BLUNDER:g}, of 1,000 in each phase", shares, edges, names)
    yield "</div>"
    yield "<h3>By phase of the game</h3>"
    yield from _spread_table("phase", [(phase, loss) for phase, loss in level.phases.items()])
    yield "<h3>By number of close plays</h3>"
    within = level.close[0].within
    yield f'<p class="quiet">Close: within {within:.3f} points of the best play, itself included, in Hard\'s view.</p>'
    numbers = [
        f"{one.least} or more" if one.most is None else "–".join(map(str, sorted({one.least, one.most})))
        for one in level.close
    ]
    yield from _spread_table("close plays", list(zip(numbers, (one.loss for one in level.close), strict=True)))
    if level.kinds:
        yield "<h3>Kinds of error</h3>"
        yield f'<p class="quiet">Plays that lost {DOUBTFUL:g} points or more; the first kind that fits counts.</p>'
        yield from table(
            [
                "kind",
                "the board after it, compared with that after the best play",
                "errors",
                "share, %",
                "mean loss",
            ],
            [
                [kind.kind, kind.meaning, f"{kind.errors:,}", f"{100 * kind.share:.1f}", f"{kind.mean_loss:.3f}"]
                for kind in level.kinds
            ],
            num_text=2,
        )
    if level.examples:
        yield "<h3>Costliest errors</h3>"
        yield '<div class="boards">'
        for example in level.examples:
            yield (
                f"<figure><figcaption>{example.dice[0]}-{example.dice[1]}: {escape(example.played)}<br>"
                f"Hard: {escape(example.best)} (+{example.loss:.3f}), {example.kind}</figcaption>"
            )
            position = Position.from_text(example.position, ruleset)
            yield board_svg(position, ruleset, dice=example.dice, play=example.steps)
            yield "</figure>"
        yield "</div>"


def _spread_table(first: str, rows: Sequence[tuple[str, LossSpread]]) -> Iterator[str]:
    cells = [[name, f"{loss.decisions:,}", *_cells(loss)] for name, loss in rows]
    yield from table([first, "decisions", *_SPREAD], cells)


def _cells(loss: LossSpread) -> list[str]:
    points = (loss.mean, loss.median, loss.p90, loss.p99, loss.maximum)
    shares = (loss.same_share, loss.blunder_share)
    return [
        *("" if value is None else f"{value:.4f}" for value in points),
        *("" if share is None else f"{100 * share:.1f}" for share in shares),
    ]
