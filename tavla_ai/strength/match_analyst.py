"""The analyst of a match, which values every decision and measures the luck of every roll for `match_analysis`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np

from tavla_ai.errors import RulesetError
from tavla_ai.evaluator import BaseEvaluator, RankedPlay
from tavla_ai.formats import Game, Match, Turn, is_crawford_off, variation_problem
from tavla_ai.match import Cube, CubeDecision, MatchState
from tavla_ai.progress import ProgressCallback
from tavla_ai.rules import Play, Position, Ruleset, apply_steps, games_of
from tavla_ai.strength.decisions import phase_of
from tavla_ai.strength.match_analysis import (
    CLOSE_CUBE,
    AnalyzedCube,
    AnalyzedPlay,
    CubeAction,
    GameAnalysis,
    MatchAnalysis,
)


def analyze_match(
    match: Match,
    evaluator: BaseEvaluator | Sequence[BaseEvaluator],
    *,
    ply: int = 0,
    progress: ProgressCallback | None = None,
) -> MatchAnalysis:
    """Value every decision of a match.

    Plays are valued without later turns of the cube, cube decisions by the model of `cube`. An illegal turn, or a turn
    whose board is unknown, is not valued and is named in `problems`, and so is a game with an impossible score.

    Args:
      match: a match from `read_match`, with the boards before its turns.
      evaluator: the critic, an evaluator of the match's game; for a set of games one for each game, in the set's order,
        with the set.
      ply: look-ahead of plays and of cube decisions.
      progress: called with the number of turns analysed since its last call.

    Raises:
      RulesetError: an evaluator is of another game, its game cannot have the length or the cube, or the ply is out of
        range.
    """
    given = [evaluator] if isinstance(evaluator, BaseEvaluator) else list(evaluator)
    # A file is a fact: it is judged also where this house would not have offered its length.
    critics = [critic.for_any_length() for critic in given]
    _check_games(match, critics)
    game_played = given[0].match_set or given[0].ruleset
    variation = variation_problem(match.headers, critics[0].ruleset)
    problems = [*match.problems, *([] if variation is None else [variation])]
    games = []
    had_crawford = False
    for game, critic in zip(match.games, cycle(critics), strict=False):
        try:
            state = _first_state(match, game, critic.ruleset, had_crawford)
        except RulesetError as error:
            problems.append(f"game {game.number}: {error}; it is not judged")
            continue
        had_crawford |= state.is_crawford
        # Files of matches without a cube say so by the cube's limit.
        has_cube = critic.ruleset.cube and ("CubeLimit", "1") not in match.headers
        games.append(_GameAnalyst(game, state, critic, ply, has_cube, problems).analyze(progress))
    return MatchAnalysis(game_played, match.players, match.length, ply, match.headers, tuple(games), tuple(problems))


def _check_games(match: Match, critics: Sequence[BaseEvaluator]) -> None:
    if match.game is None:
        return
    rulesets = games_of(match.game)
    names = [critic.ruleset.name for critic in critics]
    if len(rulesets) != len(critics) or not all(
        critic.ruleset.plays_like(ruleset) for critic, ruleset in zip(critics, rulesets, strict=True)
    ):
        raise RulesetError(
            f"evaluators of {', '.join(names)}: expected one for each of "
            f"{', '.join(ruleset.name for ruleset in rulesets)}, in this order"
        )


def _first_state(match: Match, game: Game, ruleset: Ruleset, had_crawford: bool) -> MatchState:
    """Return the stakes at the start of a game, seen by player 0."""
    if match.length is None:
        return MatchState(game=max(0, game.number - 1))
    # A double in the Crawford game shows that the match was played without that rule.
    is_crawford = (
        ruleset.crawford
        and not is_crawford_off(match.headers)
        and not had_crawford
        and game.score.count(match.length - 1) == 1
        and all(turn.action != "double" for turn in game.turns)
    )
    return MatchState(match.length, game.score, max(0, game.number - 1), is_crawford)


class _GameAnalyst:
    """Values the decisions of one game; `problems` gets the turns that cannot be valued."""

    def __init__(
        self, game: Game, state: MatchState, evaluator: BaseEvaluator, ply: int, has_cube: bool, problems: list[str]
    ) -> None:
        self.game, self.evaluator, self.ply, self.has_cube, self.problems = game, evaluator, ply, has_cube, problems
        self.state = state  # seen by player 0, with the cube as it is
        self.doubled: AnalyzedCube | None = None  # the double that awaits an answer
        self.num_rolls = [0, 0]

    def analyze(self, progress: ProgressCallback | None) -> GameAnalysis:
        decisions: list[AnalyzedPlay | AnalyzedCube] = []
        for number, turn in enumerate(self.game.turns, start=1):
            if turn.before is None:
                self.problem(number, "the board before it is not known")
            elif turn.action == "play":
                decisions += self.no_double(number, turn, turn.before)
                decisions += self.play(number, turn, turn.before)
            elif self.has_cube:
                decisions += self.cube_action(number, turn, turn.before)
            if progress:
                progress(1)
        game, state = self.game, self.state
        result = None
        if game.points is not None and (game.winner is not None or game.points == 0):
            equity = self.evaluator.match_equity(state.length or 1)
            result = equity.value_after(state, game.points if game.winner == 0 else -game.points)
        return GameAnalysis(
            number=game.number,
            ruleset=self.evaluator.ruleset,
            score=game.score,
            is_crawford=state.is_crawford,
            winner=game.winner,
            points=game.points,
            result=result,
            total=0.0 if state.length is None else 1.0,
            decisions=tuple(decisions),
        )

    def move(self, number: int) -> int:
        return (number + 1 + self.game.turns[0].player) // 2

    def seen_by(self, player: int) -> MatchState:
        return self.state if player == 0 else self.state.swap()

    def play(self, number: int, turn: Turn, before: Position) -> list[AnalyzedPlay]:
        if turn.dice is None:
            self.problem(number, "a play without a roll")
            return []
        match = self.seen_by(turn.player)
        ranked = self.evaluator.rank_plays(before, turn.dice, match, ply=self.ply)
        best, played, rank = ranked[0], None, None
        if turn.play is not None:
            found = self.find(number, turn.play, before, ranked)
            if found is not None:
                played, rank = self.valued(replace(ranked[found], steps=turn.play), best, match), found + 1
                if played.evaluation.value > best.evaluation.value:
                    # The search narrows plays at 0-ply and may have dropped the best one.
                    best, rank = played, 1
        values = self.evaluator.roll_values(before, match)
        larger, smaller = sorted(turn.dice, reverse=True)
        unit = _unit(match)
        analyzed = AnalyzedPlay(
            game=self.game.number,
            turn=number,
            move=self.move(number),
            player=turn.player,
            match=match,
            before=before,
            point=self.evaluator.utility(match).point * unit,
            loss_points=0.0 if played is None else self.in_points(best, match) - self.in_points(played, match),
            is_counted=played is not None and len(ranked) > 1,
            dice=turn.dice,
            num_plays=len(ranked),
            best=best,
            played=played,
            rank=rank,
            value_before=unit * self.mean(values, turn.dice),
            value_rolled=unit * values[larger, smaller],
            phase=phase_of(self.evaluator.ruleset, before, self.num_rolls[turn.player]),
        )
        self.num_rolls[turn.player] += 1
        return [analyzed]

    def find(self, number: int, steps: Play, before: Position, ranked: Sequence[RankedPlay]) -> int | None:
        """Return the index of the play with the same afterstate; None, with a problem, if there is none."""
        try:
            afterstate = apply_steps(before, steps, self.evaluator.ruleset)
            return next(i for i, play in enumerate(ranked) if play.afterstate == afterstate)
        except (RulesetError, StopIteration):
            self.problem(number, "the play is not legal")
            return None

    def valued(self, play: RankedPlay, best: RankedPlay, match: MatchState) -> RankedPlay:
        """Return a play valued as deeply as the best one; a better value by rounding alone becomes equal."""
        evaluation = play.evaluation
        if play.score is None and evaluation.ply < best.evaluation.ply:
            evaluation = self.evaluator.evaluate_afterstate(play.afterstate, match, ply=best.evaluation.ply)
        loss = max(0.0, best.evaluation.value - evaluation.value)
        return replace(play, evaluation=evaluation, loss=loss)

    def in_points(self, play: RankedPlay, match: MatchState) -> float:
        return play.evaluation.value / self.evaluator.utility(match).point

    def mean(self, values: dict[tuple[int, int], float], dice: tuple[int, int]) -> float:
        """Return the mean over the possible rolls."""
        ruleset = self.evaluator.ruleset
        is_opening = sum(self.num_rolls) == 0 and (ruleset.next_game == "fresh" or self.game.number == 1)
        if is_opening and ruleset.opening == "use_dice" and dice[0] != dice[1]:
            # The dice that decided who starts were different.
            values = {roll: value for roll, value in values.items() if roll[0] != roll[1]}
        weights = [1 if first == second else 2 for first, second in values]
        return float(np.average(list(values.values()), weights=weights))

    # The cube

    def no_double(self, number: int, turn: Turn, before: Position) -> list[AnalyzedCube]:
        """Value the decision not to double before a roll, if a double was possible."""
        previous = self.game.turns[number - 2] if number > 1 else None
        match = self.seen_by(turn.player)
        # A player cannot double before the opening roll, or twice.
        if not self.has_cube or previous is None or previous.action != "play":
            return []
        decision = self.evaluator.cube_decision(before, match, ply=self.ply)
        if not decision.can_double:
            return []
        gain = min(decision.double_take, decision.double_pass) - decision.no_double
        return [self.cube(number, turn.player, "no double", gain, match, before, decision)]

    def cube_action(self, number: int, turn: Turn, before: Position) -> list[AnalyzedCube]:
        if turn.action == "double":
            match = self.seen_by(turn.player)
            decision = self.evaluator.cube_decision(before, match, ply=self.ply)
            loss = decision.no_double - min(decision.double_take, decision.double_pass)
            analyzed = self.cube(number, turn.player, "double", loss, match, before, decision)
            self.doubled = analyzed
            return [analyzed]
        doubled, self.doubled = self.doubled, None
        if doubled is None:
            self.problem(number, f"a {turn.action} without a double")
            return []
        decision = doubled.decision
        gain = decision.double_take - decision.double_pass
        if turn.action == "take":
            cube = Cube(2 * self.state.cube.value, "me" if turn.player == 0 else "opponent")
            self.state = replace(self.state, cube=cube)
            return [self.cube(number, turn.player, "take", gain, doubled.match, doubled.before, decision)]
        return [self.cube(number, turn.player, "pass", -gain, doubled.match, doubled.before, decision)]

    def cube(
        self,
        number: int,
        player: int,
        action: CubeAction,
        loss: float,
        match: MatchState,
        before: Position,
        decision: CubeDecision,
    ) -> AnalyzedCube:
        """Return a cube decision; `loss` is the gain of the other action."""
        point = self.evaluator.utility(match).point
        best: CubeAction
        if action in ("take", "pass"):
            best = "take" if decision.should_take else "pass"
        else:
            best = "double" if decision.should_double else "no double"
        return AnalyzedCube(
            game=self.game.number,
            turn=number,
            move=self.move(number),
            player=player,
            match=match,
            before=before,
            point=point * _unit(match),
            loss_points=0.0 if action == best else max(0.0, loss / point),
            is_counted=action != "no double" or -loss / point < CLOSE_CUBE,
            action=action,
            best=best,
            decision=decision,
        )

    def problem(self, number: int, message: str) -> None:
        self.problems.append(f"game {self.game.number}, turn {number}: {message}")


def _unit(match: MatchState) -> float:
    """Return the factor from the evaluator's values to the unit of the stakes: the cube in single games, else 1."""
    return 1.0 if match.length is not None else float(match.cube.value)
