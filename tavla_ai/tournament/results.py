"""Results of pairings and tournaments, and their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tavla_ai.rules import scores_of
from tavla_ai.stats import interval_95, margin_95, mean_of_pairs, share_interval_95
from tavla_ai.tournament.arena import Arena
from tavla_ai.tournament.contests import Contests
from tavla_ai.tournament.ratings import Pairing, Ratings


class _Measured(BaseModel):
    """Measures of one side's games, all seen by that side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    matches: int | None = Field(description="number of matches; null for single games")
    games: int = Field(description="number of games, including those within matches and void games")
    points_per_game: float = Field(description="mean points of a game, with the cube; a void game counts as 0")
    win_share: float = Field(description="share of games won")
    doubles_per_game: float | None = Field(
        default=None, description="mean number of doubles of a game, of both sides; null without a cube"
    )
    pass_share: float | None = Field(
        default=None, description="share of games that a pass ended, of either side; null without a cube"
    )
    draw_share: float = Field(description="share of games drawn, not counting void games")
    mars_share: float | None = Field(
        description="share of wins by more than one point, before the cube; null without a win"
    )
    match_win_share: float | None = Field(description="share of matches won; null for single games")
    standard_error: float | None = Field(
        description="standard error of match_win_share in matches, else of points_per_game, from the means of pairs; "
        "null for a single pair, or if all pairs are alike"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % interval of match_win_share in matches (Wilson's if all pairs are alike), else of "
        "points_per_game (null if all pairs are alike); null for a single pair"
    )
    adjusted: float | None = Field(
        default=None,
        description="match_win_share in matches, else points_per_game, without the luck of the rolls; a share may then "
        "lie slightly beyond 0 or 1; null if luck was not measured",
    )
    adjusted_standard_error: float | None = Field(
        default=None, description="standard error of `adjusted`, from the means of pairs"
    )
    adjusted_interval: tuple[float, float] | None = Field(default=None, description="95 % interval of `adjusted`")


class PairResult(_Measured):
    """The result of A against B; numbers are A's unless stated otherwise."""

    ruleset: str = Field(description="name of the ruleset or of the set of games")
    a: str = Field(description="name of A")
    b: str = Field(description="name of B")
    seed: int = Field(description="seed of the dice")
    match_length: int | None = Field(description="points that win a match; null for single games")
    wins: int = Field(description="number of contests won: matches or single games")
    losses: int = Field(description="number of contests lost")
    draws: int = Field(description="number of contests neither won nor lost, including void and undecided ones")
    share: float = Field(description="share of contests won, draws as halves")
    share_standard_error: float | None = Field(
        description="standard error of `share`, from the means of pairs; null for a single pair, or if all pairs are "
        "alike"
    )
    opponent_mars_share: float | None = Field(
        description="share of B's wins by more than one point; null without a win"
    )
    void_games: int = Field(
        description="number of games that the stuck rule or a player's fault ended; they score nothing"
    )
    faults: dict[str, int] = Field(
        default={},
        description="number of games that a failure of an outside engine ended, by engine and failure; they count as "
        "void, and in a match they leave it undecided, half a win for each side",
    )
    plies_per_game: float = Field(description="mean number of turns of a game, of both sides")
    games_per_second: float | None = Field(description="speed on this machine; null if all games were already played")


class BotTotal(_Measured):
    """The result of a bot over all its pairings, each with the same weight."""

    name: str = Field(description="name of the bot")


class TournamentResult(BaseModel):
    """The pairings of a tournament, and each bot's total."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str = Field(description="name of the ruleset or of the set of games")
    seed: int = Field(description="seed of the dice, the same for every pairing")
    match_length: int | None = Field(description="points that win a match; null for single games")
    cube: bool = Field(default=False, description="whether the bots turned the doubling cube")
    judge: str | None = Field(
        default=None,
        description="name of the network that measured luck, in a set `GAME=NAME` for each game; null without luck",
    )
    pairings: tuple[PairResult, ...] = Field(description="results of the pairings, in the order played")
    totals: tuple[BotTotal, ...] = Field(description="total of each bot, in the order given")
    ratings: Ratings | None = Field(
        default=None,
        description="Bradley–Terry ratings around 1500, from single games or from matches won, the matches "
        "luck-adjusted if luck was measured; null if two bots have the same name",
    )


@dataclass(frozen=True)
class PlayedTournament:
    """A played tournament.

    Attributes:
      arena: the game, the bots and the dice.
      pairings: numbers of the two bots of each pairing.
      contests: the contests of each pairing.
      result: the results.
    """

    arena: Arena
    pairings: tuple[tuple[int, int], ...]
    contests: tuple[Contests, ...]
    result: TournamentResult


def rated_pairings(results: Sequence[PairResult]) -> list[Pairing]:
    """Return the input of ratings: contests won, lost and drawn, with standard errors from the means of pairs."""
    found = []
    for result in results:
        wins, losses, draws = float(result.wins), float(result.losses), float(result.draws)
        share, error = result.share, result.share_standard_error
        if result.match_win_share is not None and result.adjusted is not None and 0 < result.adjusted < 1:
            contests = wins + losses + draws
            share, error = result.adjusted, result.adjusted_standard_error
            wins, losses, draws = share * contests, (1 - share) * contests, 0.0
        # A share of 0 or 1 has no error in the normal approximation.
        has_error = error is not None and 0 < share < 1
        found.append(Pairing(result.a, result.b, wins, losses, draws, error if has_error else None))
    return found


def half_width(arena: Arena, contests: Contests) -> float:
    """Return half of the 95 % interval of A's result, without luck if it was measured; infinite for a single pair."""
    measures = measures_of(scores_of(arena.game), arena.match_length, [contests])
    error = measures.get("adjusted_standard_error", measures["standard_error"])
    return float("inf") if error is None else margin_95(float(error))


def pair_result(arena: Arena, a: int, b: int, contests: Contests, speed: float | None) -> PairResult:
    """Return the result of bot number `a` against bot number `b`; `speed` is in games per second."""
    scores = contests.scores.sum(axis=(0, 1))
    signs = np.sign(contests.points).astype(np.float64)
    share, share_error = mean_of_pairs([(1 + signs.mean(axis=1)) / 2])
    return PairResult(
        ruleset=arena.game.name,
        a=arena.bots[a].name,
        b=arena.bots[b].name,
        seed=arena.seed,
        match_length=arena.match_length,
        wins=int((signs > 0).sum()),
        losses=int((signs < 0).sum()),
        draws=int((signs == 0).sum()),
        share=share,
        share_standard_error=share_error,
        opponent_mars_share=_mars_share(scores_of(arena.game), scores[::-1]),
        void_games=int(contests.void_games.sum()),
        faults=dict(contests.count_faults()),
        plies_per_game=int(contests.plies.sum()) / contests.num_games,
        games_per_second=speed,
        **measures_of(scores_of(arena.game), arena.match_length, [contests]),
    )


def measures_of(all_scores: tuple[int, ...], match_length: int | None, played: Sequence[Contests]) -> dict[str, Any]:
    """Return the fields of `_Measured` for one side over pairings on the same dice."""
    points = np.array(all_scores)
    scores = np.sum([contests.scores.sum(axis=(0, 1)) for contests in played], axis=0)
    games = sum(contests.num_games for contests in played)
    raw = [contests.points.mean(axis=1) for contests in played]
    if match_length is not None:
        raw = [(1 + samples) / 2 for samples in raw]
    mean, error = mean_of_pairs(raw)
    num_pairs = max(map(len, raw))
    found: dict[str, Any] = {
        "matches": None if match_length is None else sum(contests.points.size for contests in played),
        "games": games,
        "points_per_game": mean if match_length is None else float(scores @ points) / games,
        "win_share": float(scores[points > 0].sum()) / games,
        "draw_share": float(scores[points == 0].sum()) / games,
        "mars_share": _mars_share(all_scores, scores),
        "match_win_share": None if match_length is None else mean,
        "standard_error": error,
        "interval": _interval(mean, error, num_pairs, is_share=match_length is not None),
    }
    cubes = [contests.cube.sum(axis=(0, 1)) for contests in played if contests.cube is not None]
    if cubes:
        won, doubles, passes = np.sum(cubes, axis=0).tolist()
        found |= {"points_per_game": won / games, "doubles_per_game": doubles / games, "pass_share": passes / games}
    lucks = [contests.luck.mean(axis=1) for contests in played if contests.luck is not None]
    if lucks and len(lucks) == len(played):
        mean, error = mean_of_pairs([samples - luck for samples, luck in zip(raw, lucks, strict=True)])
        found |= {
            "adjusted": mean,
            "adjusted_standard_error": error,
            "adjusted_interval": _interval(mean, error, num_pairs, is_share=match_length is not None),
        }
    return found


def _interval(mean: float, error: float | None, num_pairs: int, *, is_share: bool) -> tuple[float, float] | None:
    if error is None:
        # Pairs that are all alike still leave a share uncertain; what they say about points is unknown.
        return share_interval_95(mean, num_pairs) if is_share and num_pairs > 1 and 0 <= mean <= 1 else None
    low, high = interval_95(mean, error)
    return (max(0.0, low), min(1.0, high)) if is_share else (low, high)


def _mars_share(all_scores: tuple[int, ...], scores: npt.NDArray[Any]) -> float | None:
    points = np.array(all_scores)
    wins = int(scores[points > 0].sum())
    return int(scores[points > 1].sum()) / wins if wins else None
