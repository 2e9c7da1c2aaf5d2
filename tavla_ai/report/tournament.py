"""A tournament as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np

from tavla_ai.files import write_whole
from tavla_ai.network import Checkpoint
from tavla_ai.report.board import board_svg
from tavla_ai.report.chart import Chart, histogram, interval_plot
from tavla_ai.report.page import page, table
from tavla_ai.rules import MatchSet, Position, Ruleset, format_play, scores_of
from tavla_ai.stats import margin_95
from tavla_ai.strength import Difference, find_differences
from tavla_ai.tournament import (
    REPORT_FILE,
    BotTotal,
    Contests,
    PairResult,
    PlayedTournament,
    TournamentResult,
    play_between,
)

# Pairs of each pairing that are searched for decisions on which the two bots differ, pairings searched, boards shown.
_SAMPLED_PAIRS, _SAMPLED_PAIRINGS, _BOARDS = 6, 10, 8
# Largest number of dots of a chart.
_MOST_DOTS = 1500
_BINS = 30


def write_report(out: Path, played: PlayedTournament) -> None:
    """Write the page of a finished tournament into a folder."""
    arena = played.arena
    critic = next((bot.checkpoint for bot in arena.bots if bot.checkpoint is not None), None)
    found: list[Difference] = []
    if critic is not None and isinstance(arena.game, Ruleset) and not arena.game.has_stages:
        for (a, b), contests in zip(played.pairings[:_SAMPLED_PAIRINGS], played.contests, strict=False):
            found += find_differences(arena, a, b, critic, min(_SAMPLED_PAIRS, contests.num_pairs))
    worst = sorted(found, key=lambda difference: -abs(difference.lead))[:_BOARDS]
    write_whole(out / REPORT_FILE, tournament_html(played, worst, critic).encode())


def tournament_html(played: PlayedTournament, differences: Sequence[Difference], critic: Checkpoint | None) -> str:
    """Return the page: ratings, results of the pairings, luck, lengths and scores of games, and boards.

    Args:
      played: the tournament.
      differences: decisions to show with boards.
      critic: checkpoint whose network valued these decisions; None without any.
    """
    parts = _Page(played.result, played.arena.game).parts(played.contests, differences, critic)
    return page("Tournament", parts)


class _Page:
    """Parts of the page; names from users are escaped."""

    def __init__(self, result: TournamentResult, game: Ruleset | MatchSet) -> None:
        self.result, self.game = result, game
        self.is_match = result.match_length is not None
        self.unit = "share of matches won, %" if self.is_match else "points per game"

    def parts(
        self, contests: Sequence[Contests], differences: Sequence[Difference], critic: Checkpoint | None
    ) -> Iterator[str]:
        result = self.result
        contest = f"matches to {result.match_length}" if self.is_match else "single games"
        yield "<h1>Tournament</h1>"
        yield f'<p class="quiet">{escape(self.game.title)} · {contest} · seed {result.seed}</p>'
        yield "<p>Every pair has the same dice twice, with the seats swapped. Intervals are 95 %, from the pairs.</p>"
        if result.judge is not None:
            yield (
                f"<p>The luck of each roll{self.where_measured()} was measured by {escape(result.judge)}. "
                "A result without luck (orange) has the same mean as the raw one (blue) and a smaller error.</p>"
            )
        if result.ratings is not None:
            yield "<h2>Ratings (Bradley–Terry, 1500 on average)</h2>"
            rated = [
                (player.name, [("raw", player.rating, player.standard_error)]) for player in result.ratings.players
            ]
            yield interval_plot(rated, lambda rating: f"{rating:.0f}")
        yield f"<h2>All pairings of each bot: {self.unit}</h2>"
        yield self.totals()
        yield "<h2>Results of the pairings</h2>"
        yield from self.cross_table()
        yield from self.pairings()
        yield "<h2>Games</h2>"
        yield '<div class="charts">'
        if result.judge is not None:
            yield self.luck_chart(contests)
        yield self.length_chart(contests)
        yield self.score_chart(contests)
        yield "</div>"
        if critic is not None and isinstance(self.game, Ruleset):
            yield from self.boards(self.game, differences, critic)

    def where_measured(self) -> str:
        """Return a note if luck was measured in only some games of a set; otherwise an empty text."""
        return " in the games named here" if isinstance(self.game, MatchSet) else ""

    def figure(self, one: PairResult | BotTotal) -> tuple[float, float | None, float, float | None]:
        """Return the raw mean and error, and those without luck (the raw ones if luck was not measured)."""
        raw = one.points_per_game if one.match_win_share is None else one.match_win_share
        if one.adjusted is None:
            return raw, one.standard_error, raw, one.standard_error
        return raw, one.standard_error, one.adjusted, one.adjusted_standard_error

    def text(self, value: float, error: float | None) -> str:
        if self.is_match:
            return f"{100 * value:.1f}" + ("" if error is None else f" ± {196 * error:.1f}")
        return f"{value:+.3f}" + ("" if error is None else f" ± {margin_95(error):.3f}")

    def totals(self) -> str:
        """Return the raw interval of each bot, with the interval without luck below it."""
        rows = []
        for total in self.result.totals:
            raw, raw_error, mean, error = self.figure(total)
            figures = [("raw", raw, raw_error or 0.0)]
            if self.result.judge is not None:
                figures.append(("adjusted", mean, error or 0.0))
            rows.append((total.name, figures))
        return interval_plot(rows, lambda value: self.text(value, None))

    def cross_table(self) -> Iterator[str]:
        names = [total.name for total in self.result.totals]
        found: dict[tuple[str, str], str] = {}
        for pairing in self.result.pairings:
            _, _, mean, error = self.figure(pairing)
            found[pairing.a, pairing.b] = self.text(mean, error)
            found.setdefault((pairing.b, pairing.a), self.text(1 - mean if self.is_match else -mean, error))
        rows = [
            [
                escape(total.name),
                *(found.get((total.name, name), "") for name in names),
                f"<b>{self.text(*self.figure(total)[2:])}</b>",
            ]
            for total in self.result.totals
        ]
        yield from table(["", *map(escape, names), "all"], rows)

    def pairings(self) -> Iterator[str]:
        headers = ["A", "B", "matches" if self.is_match else "games", "raw"]
        headers += ["without luck"] if self.result.judge is not None else []
        headers += ["wins %", "mars %", "B's mars %", "void", "turns a game"]
        rows, faults = [], []
        for pairing in self.result.pairings:
            raw, raw_error, mean, error = self.figure(pairing)
            adjusted = [self.text(mean, error)] if self.result.judge is not None else []
            shares = [pairing.win_share, pairing.mars_share, pairing.opponent_mars_share]
            rows.append(
                [
                    escape(pairing.a),
                    escape(pairing.b),
                    str(pairing.wins + pairing.losses + pairing.draws),
                    self.text(raw, raw_error),
                    *adjusted,
                    *("" if share is None else f"{100 * share:.1f}" for share in shares),
                    str(pairing.void_games),
                    f"{pairing.plies_per_game:.1f}",
                ]
            )
            faults += [
                f"<li>{escape(pairing.a)} – {escape(pairing.b)}: {count} void, {escape(fault)}</li>"
                for fault, count in pairing.faults.items()
            ]
        yield from table(headers, rows, num_text=2)
        if faults:
            yield f"<ul>{''.join(faults)}</ul>"

    def luck_chart(self, contests: Sequence[Contests]) -> str:
        """Return a dot for each pair: A's luck across, A's raw result up."""
        lucks, raws = [], []
        for one in contests:
            if one.luck is not None:
                lucks.append(one.luck.mean(axis=1))
                raws.append(one.points.mean(axis=1) / (2 if self.is_match else 1))
        luck, raw = np.concatenate(lucks), np.concatenate(raws)
        every = max(1, len(luck) // _MOST_DOTS)
        reach = max(0.1, float(np.abs(luck).max()), float(np.abs(raw).max()))
        chart = Chart((-reach, reach), (-reach, reach))
        dots = [
            chart.dot(x, y, "pale", 2.5) for x, y in zip(luck[::every].tolist(), raw[::every].tolist(), strict=True)
        ]
        marks = [(-reach, f"{-reach:.1f}"), (0.0, "0"), (reach, f"{reach:+.1f}")]
        varies = float(np.std(luck)) > 0 and float(np.std(raw)) > 0
        known = f", correlation {np.corrcoef(luck, raw)[0, 1]:.2f}" if varies else ""
        parts = [chart.line([(-reach, -reach), (reach, reach)], "luck"), *dots]
        what = "matches won, minus half" if self.is_match else "points per game"
        return chart.svg(f"A's {what} in each pair, up, and A's luck, across{known}", marks, parts, marks)

    def length_chart(self, contests: Sequence[Contests]) -> str:
        plies = np.concatenate([one.plies.ravel() for one in contests])
        counts, edges = np.histogram(plies, bins=min(_BINS, int(np.ptp(plies)) + 1))
        what = "matches" if self.is_match else "games"
        marks = [(float(edge), f"{edge:.0f}") for edge in (edges[0], (edges[0] + edges[-1]) / 2, edges[-1])]
        return histogram(f"{what} by turns of both sides", counts.tolist(), edges.tolist(), marks)

    def score_chart(self, contests: Sequence[Contests]) -> str:
        scores = np.sum([one.scores.sum(axis=(0, 1)) for one in contests], axis=0)
        counts = [*scores.tolist(), sum(int(one.void_games.sum()) for one in contests)]
        names = [*(f"{score:+d}" for score in scores_of(self.game)), "void"]
        edges = [float(i) for i in range(len(counts) + 1)]
        marks = [(i + 0.5, name) for i, name in enumerate(names)]
        return histogram("games by A's score", counts, edges, marks)

    def boards(self, ruleset: Ruleset, differences: Sequence[Difference], critic: Checkpoint) -> Iterator[str]:
        yield "<h2>Costliest differences</h2>"
        yield (
            f'<p class="quiet">From the first pairs of each pairing: the same roll played by both bots, judged by '
            f"{escape(str(critic.path))} at 0-ply.</p>"
        )
        if not differences:
            yield "<p>Both bots made the same plays in all of these games.</p>"
        yield '<div class="boards">'
        for difference in differences:
            turn = difference.turn
            position = Position.from_board(turn.board, ruleset)
            plays = [
                play_between(ruleset, turn.board, turn.dice, after)
                for after in (turn.after, difference.other)
                if isinstance(after, np.ndarray)
            ]
            lead = f"{100 * difference.lead:+.2f} %" if self.is_match else f"{difference.lead:+.3f}"
            texts = [
                f"{escape(name)}: {escape(format_play(position, play, ruleset))}"
                for name, play in zip(difference.players, plays, strict=True)
            ]
            yield "<figure><figcaption>{}-{} ({})<br>{}<br>{}</figcaption>".format(*turn.dice, lead, *texts)
            yield board_svg(position, ruleset, dice=turn.dice, play=plays[0], names=difference.players)
            yield "</figure>"
        yield "</div>"
