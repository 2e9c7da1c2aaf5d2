"""The analysis of a match as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import accumulate

from tavla_ai.evaluator import RankedPlay
from tavla_ai.report.board import board_svg
from tavla_ai.report.chart import PAGE_FRAME, Chart, text
from tavla_ai.report.page import cell, open_table, page, table
from tavla_ai.strength import GRADES, PHASES, AnalyzedCube, AnalyzedPlay, GameAnalysis, MatchAnalysis, Summary

# Least range of a chart of points, so that small values look small.
_LEAST_RANGE = 0.5


def match_html(analysis: MatchAnalysis, *, critic: str, top: int) -> str:
    """Return the page: the players' figures, the course of every game, and the worst decisions with boards.

    Args:
      analysis: the match.
      critic: name of the network that valued the decisions, with its look-ahead, for people.
      top: number of the worst graded decisions to show with boards.

    Returns:
      An HTML document without scripts, links or external pictures.
    """
    title = escape(" – ".join(analysis.players))
    return page(title, _Page(analysis).parts(title, critic, top))


class _Page:
    """Parts of the page; texts from files are escaped."""

    def __init__(self, analysis: MatchAnalysis) -> None:
        self.analysis = analysis
        self.names = [f'<span class="p{i}">{escape(name)}</span>' for i, name in enumerate(analysis.players)]

    def parts(self, title: str, critic: str, top: int) -> Iterator[str]:
        analysis = self.analysis
        contest = "Single games" if analysis.length is None else f"Match to {analysis.length}"
        yield f"<h1>{title}</h1>"
        yield f'<p class="quiet">{contest} · {escape(analysis.game.title)} · judged by {escape(critic)}</p>'
        if analysis.headers:
            headers = " · ".join(f"{escape(key)}: {escape(value)}" for key, value in analysis.headers)
            yield f'<p class="quiet">{headers}</p>'
        yield from self.overview()
        yield from self.problems()
        yield from self.games()
        yield from self.worst(top)
        for game in analysis.games:
            yield from self.game(game)

    def overview(self) -> Iterator[str]:
        analysis = self.analysis
        summaries = [analysis.summary(player) for player in (0, 1)]
        rows = [
            [
                self.names[player],
                self.value(analysis.result_of(player)),
                self.value(analysis.luck_adjusted(player)),
                f"<b>{summary.error_rate:.1f}</b>",
                *self.summary_cells(summary),
            ]
            for player, summary in enumerate(summaries)
        ]
        headers = ["player", "result", "luck-adjusted", "error rate", *self.summary_headers()]
        yield from table(headers, rows)
        least = ", ".join(f"{grade} from {points:g}" for grade, points in GRADES.items())
        yield (
            '<p class="quiet">Error rate: thousandths of a point lost per decision with a choice. '
            f"Losses and luck in points: {least}. Luck-adjusted: the result without the luck of both sides' rolls.</p>"
        )
        rows = [
            [
                self.names[player],
                *(
                    f"{(summary := analysis.phase_summary(player, phase)).error_rate:.1f}"
                    f' <span class="quiet">({summary.decisions})</span>'
                    for phase in PHASES
                ),
            ]
            for player in (0, 1)
        ]
        yield from table(["error rate of plays", *PHASES], rows)

    def problems(self) -> Iterator[str]:
        if self.analysis.problems:
            yield "<h2>Not judged</h2>\n<ul>"
            yield from (f"<li>{escape(problem)}</li>" for problem in self.analysis.problems)
            yield "</ul>"

    def games(self) -> Iterator[str]:
        yield "<h2>Games</h2>"
        rows = []
        for game in self.analysis.games:
            summaries = [game.summary(player) for player in (0, 1)]
            rows.append(
                [
                    f'<a href="#game-{game.number}">{game.number}</a>',
                    f"{game.score[0]}–{game.score[1]}{' (Crawford)' * game.is_crawford}",
                    self.ending(game),
                    _score_after(game),
                    *(f"{summary.error_rate:.1f}" for summary in summaries),
                    *(f"{summary.luck_points:+.3f}" for summary in summaries),
                    self.value(game.luck_adjusted(0)),
                ]
            )
        first, second = self.names
        headers = [
            *(
                "game",
                "score before",
                "won by",
                "score after",
                f"error rate, {first}",
                second,
                f"luck, {first}",
                second,
            ),
            f"luck-adjusted, {first}",
        ]
        yield from table(headers, rows, num_text=4)

    def worst(self, top: int) -> Iterator[str]:
        worst = self.analysis.worst(top)
        yield f"<h2>Worst decisions ({len(worst)} of {len(self.analysis.worst())})</h2>"
        if not worst:
            yield "<p>No decision lost enough to be called doubtful.</p>"
        for decision in worst:
            roll = "cube" if isinstance(decision, AnalyzedCube) else "{}-{}".format(*decision.dice)
            yield (
                f'<h3 id="{_anchor(decision)}">Game {decision.game}, move {decision.move}: '
                f"{self.names[decision.player]}, {roll}</h3>"
            )
            match_loss = "" if self.analysis.length is None else f", {100 * decision.loss:.2f} % of the match"
            yield f"<p>{decision.grade}: {decision.loss_points:.3f} points{match_loss}</p>"
            yield '<div class="boards">'
            yield from self.boards(decision)
            yield "</div>"

    def boards(self, decision: AnalyzedPlay | AnalyzedCube) -> Iterator[str]:
        analysis, on_roll = self.analysis, decision.on_roll
        names = (analysis.players[on_roll], analysis.players[1 - on_roll])
        if isinstance(decision, AnalyzedCube):
            pictures: list[tuple[str, RankedPlay | None]] = [(f"{decision.action}; better: {decision.best}", None)]
        else:
            pictures = [
                (f"{what}: {analysis.play_text(decision, play)} ({self.evaluation(play)})", play)
                for what, play in (("played", decision.played), ("best", decision.best))
                if play is not None
            ]
        for caption, play in pictures:
            yield f"<figure><figcaption>{escape(caption)}</figcaption>"
            yield board_svg(
                decision.before,
                analysis.ruleset_of(decision),
                dice=None if isinstance(decision, AnalyzedCube) else decision.dice,
                match=decision.match,
                play=None if play is None else play.steps,
                player_on_roll_at_bottom=on_roll == 0,
                names=names,
            )
            yield "</figure>"

    def game(self, game: GameAnalysis) -> Iterator[str]:
        yield f'<h2 id="game-{game.number}">Game {game.number}</h2>'
        crawford = ", the Crawford game" * game.is_crawford
        won = "won by " * (game.winner is not None)
        yield f"<p>At {game.score[0]}–{game.score[1]}{crawford}; {won}{self.ending(game)}.</p>"
        if game.plays:
            yield '<div class="charts">'
            yield self.win_chart(game)
            yield self.luck_chart(game)
            yield "</div>"
        yield f"<details><summary>All {len(game.decisions)} decisions</summary>"
        in_match = self.analysis.length is not None
        headers = [
            "move",
            "player",
            "roll",
            "played",
            "best",
            "loss",
            *["match %"] * in_match,
            "luck",
            "chance to win, %",
        ]
        yield from open_table(headers, num_text=5)
        for decision in game.decisions:
            # A game without cube decisions has nothing to show.
            if isinstance(decision, AnalyzedPlay) or decision.is_counted:
                yield self.row(decision, in_match)
        yield "</table></div></details>"

    def row(self, decision: AnalyzedPlay | AnalyzedCube, in_match: bool) -> str:
        analysis = self.analysis
        action, best = analysis.action_text(decision), analysis.best_text(decision)
        has_loss = decision.loss_points > 0
        if isinstance(decision, AnalyzedCube):
            roll, luck, win = "cube", "", ""
        else:
            roll = "{}{}".format(*decision.dice)
            luck, win = f"{decision.luck_points:+.3f}", f"{100 * (decision.played or decision.best).evaluation.win:.1f}"
        cells = [
            cell(str(decision.move), text=True),
            cell(self.names[decision.player], text=True),
            cell(roll, text=True),
            cell(escape(action), text=True),
            cell(escape(best) if has_loss or action == "?" else "", text=True),
            cell(f"{decision.loss_points:.3f}" if has_loss else "", kind=decision.grade or ""),
            *[cell(f"{100 * decision.loss:.2f}" if has_loss else "")] * in_match,
            cell(luck),
            cell(win),
        ]
        return f"<tr{' class=right' * (decision.player == 1)}>{''.join(cells)}</tr>"

    def win_chart(self, game: GameAnalysis) -> str:
        """Player 0's chance of winning the game after each turn; dots are the decisions that have a grade."""
        plays = game.plays
        wins = [
            play_win if play.player == 0 else 1 - play_win
            for play in plays
            for play_win in [(play.played or play.best).evaluation.win]
        ]
        values = wins if game.winner is None else [*wins, 1.0 - game.winner]
        chart = Chart((0, max(1, len(values) - 1)), (0.0, 1.0))
        dots = [
            chart.dot(
                i,
                win,
                f"dot{play.player}",
                4,
                f"move {play.move}, {escape(self.analysis.players[play.player])}: {play.grade}, {play.loss_points:.3f}",
            )
            for i, (play, win) in enumerate(zip(plays, wins, strict=True))
            if play.grade is not None
        ]
        name = f"{escape(self.analysis.players[0])} wins the game, %"
        ticks = [(0.0, "0"), (0.5, "50"), (1.0, "100")]
        return chart.svg(name, ticks, [chart.line(enumerate(values), "win"), *dots])

    def luck_chart(self, game: GameAnalysis) -> str:
        """Return player 0's luck and skill minus the opponent's, added up over the turns."""
        signs = [1 if decision.player == 0 else -1 for decision in game.decisions]
        lucks = list(
            accumulate(
                sign * (decision.luck_points if isinstance(decision, AnalyzedPlay) else 0.0)
                for sign, decision in zip(signs, game.decisions, strict=True)
            )
        )
        skills = list(
            accumulate(-sign * decision.loss_points for sign, decision in zip(signs, game.decisions, strict=True))
        )
        reach = max(_LEAST_RANGE, *map(abs, lucks), *map(abs, skills))
        chart = Chart((0, max(1, len(lucks) - 1)), (-reach, reach))
        ticks = [(-reach, f"{-reach:.1f}"), (0.0, "0"), (reach, f"{reach:+.1f}")]
        name = f"{escape(self.analysis.players[0])} ahead, points"
        right, foot = PAGE_FRAME.right, PAGE_FRAME.height - 4
        parts = [
            chart.line(enumerate(lucks), "luck"),
            chart.line(enumerate(skills), "skill"),
            text(right - 90, foot, "luck", anchor="start", class_="luck-name"),
            text(right - 40, foot, "skill", anchor="start", class_="skill-name"),
        ]
        return chart.svg(name, ticks, parts)

    def ending(self, game: GameAnalysis) -> str:
        if game.winner is None or game.points is None:
            return "interrupted"
        return f"{self.names[game.winner]}, {game.points} point{'s' * (game.points != 1)}"

    def summary_headers(self) -> list[str]:
        cube = ["cube loss"] if self.analysis.has_cube else []
        return ["decisions", "loss", *cube, "doubtful", "errors", "blunders", "luck"]

    def summary_cells(self, summary: Summary) -> list[str]:
        cube = [f"{summary.cube_loss_points:.3f}"] if self.analysis.has_cube else []
        grades = [str(count) for count in (summary.doubtful, summary.errors, summary.blunders)]
        return [str(summary.decisions), f"{summary.loss_points:.3f}", *cube, *grades, f"{summary.luck_points:+.3f}"]

    def value(self, value: float | None) -> str:
        """Return a value in the unit of the stakes."""
        if value is None:
            return "–"
        return f"{value:+.3f}" if self.analysis.length is None else f"{100 * value:.1f} %"

    def evaluation(self, play: RankedPlay) -> str:
        value = play.evaluation.value
        return f"{value:+.3f}" if self.analysis.length is None else f"{100 * value:.2f} %"


def _score_after(game: GameAnalysis) -> str:
    if game.winner is None or game.points is None:
        return ""
    first, second = (points + game.points * (game.winner == player) for player, points in enumerate(game.score))
    return f"{first}–{second}"


def _anchor(decision: AnalyzedPlay | AnalyzedCube) -> str:
    return f"turn-{decision.game}-{decision.turn}-{'cube' if isinstance(decision, AnalyzedCube) else 'play'}"
