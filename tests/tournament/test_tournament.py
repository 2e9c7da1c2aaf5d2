"""Paired games: the counts, their standard errors, and that only seed and bots decide the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint
from tournaments import played

from tavla_ai import engine
from tavla_ai.bots import Bot, load_bot
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.match import Utility, as_utilities, match_equity, utilities
from tavla_ai.network import Checkpoint, load_checkpoint
from tavla_ai.report.tournament import write_report
from tavla_ai.rules import compile_rules, get_match_set, get_ruleset, ruleset_names
from tavla_ai.tournament import (
    Arena,
    TournamentResult,
    Workers,
    play_pairing,
    rated_pairings,
    scheduled,
)

NORTH_SULTAN = get_ruleset("north-sultan")
RANDOM = load_bot("random", NORTH_SULTAN)
PUBEVAL = load_bot("pubeval", NORTH_SULTAN)


@pytest.fixture(scope="module")
def network_bot(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    return load_bot(str(write_checkpoint(tmp_path_factory.mktemp("tournament") / "small")), NORTH_SULTAN)


@pytest.fixture(scope="module")
def luck_network() -> Checkpoint:
    return load_checkpoint(Path(__file__).parents[2] / "checkpoints" / "tavla")


def without_speed(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.model_dump(mode="json")
    for pairing in data.get("pairings", [data]):
        assert pairing.pop("games_per_second") > 0
    return data


def duel(a: Bot, b: Bot, games: int, seed: int, match_length: int = 0) -> engine.DuelResult:
    """The same games from the engine, in one call."""
    if match_length:
        grid = match_equity(NORTH_SULTAN, match_length).utility_grid().reshape(-1, 4)
        utilities = [Utility(tuple(row), total=1.0) for row in grid]
    else:
        utilities = [Utility.points(NORTH_SULTAN)]
    values, inputs = as_utilities(utilities)
    rules = compile_rules(NORTH_SULTAN)
    return engine.duel(
        rules, a.player, b.player, seed, 0, games // 2, length=match_length, values=values, inputs=inputs
    )


def test_nobody_doubles_in_a_tournament() -> None:
    """So a score of backgammon has its value without a cube, although the house has one."""
    backgammon = get_ruleset("oyna-backgammon")
    values, _ = utilities(backgammon, 5)
    cubeless = match_equity(backgammon.model_copy(update={"cube": False, "crawford": False}), 5).utility_grid()
    np.testing.assert_allclose(values, cubeless.reshape(25, 6), atol=1e-7)
    assert abs(cubeless - match_equity(backgammon, 5).utility_grid()).max() > 0.01


def test_single_games_are_counted_from_pairs(network_bot: Bot) -> None:
    result = play_pairing(NORTH_SULTAN, network_bot, RANDOM, games=600, seed=7)
    expected = duel(network_bot, RANDOM, 600, 7)
    pairs = expected.points.mean(axis=1)
    error = pairs.std(ddof=1) / np.sqrt(300)
    assert (result.a, result.b, result.ruleset) == (network_bot.name, "random", "north-sultan")
    assert (result.seed, result.match_length, result.matches, result.games) == (7, None, None, 600)
    assert result.points_per_game == pytest.approx(expected.points.mean())
    assert result.standard_error == pytest.approx(error)
    assert result.interval == pytest.approx((pairs.mean() - 1.96 * error, pairs.mean() + 1.96 * error), abs=1e-4)
    mars, single, lost_single, lost_mars = expected.scores
    assert result.win_share == pytest.approx((mars + single) / 600)
    assert result.mars_share == pytest.approx(mars / (mars + single))
    assert result.opponent_mars_share == pytest.approx(lost_mars / (lost_single + lost_mars))
    assert result.void_games == expected.void_games
    assert result.plies_per_game == pytest.approx(expected.plies / 600)
    assert result.match_win_share is None


def test_a_match_counts_by_matches_and_its_games_too(network_bot: Bot) -> None:
    result = play_pairing(NORTH_SULTAN, network_bot, RANDOM, games=200, seed=3, match_length=3)
    expected = duel(network_bot, RANDOM, 200, 3, match_length=3)
    wins = (1 + expected.points.astype(float)) / 2
    assert (result.matches, result.match_length) == (200, 3)
    assert result.games == expected.games + expected.void_games > 200
    assert result.match_win_share == pytest.approx(wins.mean())
    assert result.standard_error == pytest.approx(wins.mean(axis=1).std(ddof=1) / np.sqrt(100))
    assert result.points_per_game == pytest.approx(np.dot(expected.scores, NORTH_SULTAN.scores) / result.games)
    assert result.interval is not None
    assert result.match_win_share is not None
    assert 0 <= result.interval[0] < result.match_win_share < result.interval[1] <= 1


def test_pubeval_beats_random_as_published() -> None:
    # +1.906 ± 0.010 points per game, measured elsewhere over 1,000 games.
    result = play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, games=4000, seed=11, workers=2)
    assert result.standard_error is not None
    assert abs(result.points_per_game - 1.906) < 3 * np.hypot(0.010, result.standard_error)


def test_a_player_draws_with_itself_exactly() -> None:
    result = play_pairing(NORTH_SULTAN, PUBEVAL, PUBEVAL, games=100, seed=1)
    assert (result.points_per_game, result.standard_error, result.win_share) == (0, None, 0.5)


@pytest.mark.parametrize("match_length", [None, 3])
def test_seats_are_fair(network_bot: Bot, match_length: int | None) -> None:
    forward = play_pairing(NORTH_SULTAN, network_bot, RANDOM, 100, 5, match_length)
    back = play_pairing(NORTH_SULTAN, RANDOM, network_bot, 100, 5, match_length)
    assert back.points_per_game == pytest.approx(-forward.points_per_game)
    assert back.standard_error == pytest.approx(forward.standard_error)
    assert back.mars_share == forward.opponent_mars_share


def test_one_pair_has_no_standard_error() -> None:
    result = play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, games=2, seed=1)
    assert result.standard_error is None
    assert result.interval is None
    assert json.loads(result.model_dump_json())["standard_error"] is None


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"games": 7}, TavlaError, "7 games: expected an even number"),
        ({"games": 0}, TavlaError, "0 games"),
        ({"games": -2}, TavlaError, "-2 games"),
        ({"seed": -1}, TavlaError, "seed -1"),
        ({"seed": 2**64}, TavlaError, "seed 18446744073709551616"),
        ({"workers": 0}, TavlaError, "0 workers"),
        ({"workers": 10**6}, TavlaError, "1000000 workers"),
        ({"match_length": 0}, RulesetError, "match length 0"),
        ({"match_length": 4}, RulesetError, "match length 4: north-sultan is played to 1, 3, 5"),
    ],
)
def test_arguments_are_checked(changes: dict[str, int], error: type[TavlaError], message: str) -> None:
    arguments: dict[str, Any] = {"games": 10, "seed": 1} | changes
    with pytest.raises(error, match=message):
        play_pairing(NORTH_SULTAN, RANDOM, PUBEVAL, **arguments)


@pytest.mark.parametrize("name", ruleset_names())
def test_every_game_is_played(name: str, tmp_path: Path) -> None:
    ruleset = get_ruleset(name)
    bot = load_bot(str(write_checkpoint(tmp_path / "net", name, num_scores=len(ruleset.scores))), ruleset)
    random = load_bot("random", ruleset)
    games = play_pairing(ruleset, bot, random, games=20, seed=2)
    assert games.games == 20
    assert max(abs(games.points_per_game), games.win_share, games.draw_share) <= max(ruleset.scores)
    length = ruleset.default_match_length
    matches = play_pairing(ruleset, bot, random, games=10, seed=2, match_length=length)
    assert matches.matches == 10
    assert matches.match_win_share is not None
    assert 0 <= matches.match_win_share <= 1
    assert (matches.draw_share > 0) <= (0 in ruleset.scores)


def test_draws_are_counted() -> None:
    plakoto = get_ruleset("plakoto")
    bot = load_bot("random", plakoto)
    result = play_pairing(plakoto, bot, bot, games=600, seed=1)
    # 17 % of random games are drawn, as measured elsewhere.
    assert result.draw_share == pytest.approx(0.17, abs=0.06)
    assert 2 * result.win_share + result.draw_share == pytest.approx(1)


def test_a_round_robin_has_every_pairing_on_the_same_dice(network_bot: Bot) -> None:
    bots = [network_bot, RANDOM, PUBEVAL]
    result = played(NORTH_SULTAN, bots, games=200, seed=4).result
    assert [(p.a, p.b) for p in result.pairings] == [
        (network_bot.name, "random"),
        (network_bot.name, "pubeval"),
        ("random", "pubeval"),
    ]
    for pairing, (a, b) in zip(result.pairings, [(0, 1), (0, 2), (1, 2)], strict=True):
        alone = play_pairing(NORTH_SULTAN, bots[a], bots[b], 200, 4)
        assert without_speed(pairing) == without_speed(alone)


def test_totals_take_a_pair_of_all_pairings_as_one_sample(network_bot: Bot) -> None:
    bots = [network_bot, RANDOM, PUBEVAL]
    result = played(NORTH_SULTAN, bots, games=200, seed=4).result
    assert [total.name for total in result.totals] == [bot.name for bot in bots]
    assert sum(total.points_per_game for total in result.totals) == pytest.approx(0)
    total = result.totals[1]
    samples = (
        duel(RANDOM, network_bot, 200, 4).points.mean(axis=1) + duel(RANDOM, PUBEVAL, 200, 4).points.mean(axis=1)
    ) / 2
    assert total.games == 400
    assert total.points_per_game == pytest.approx(samples.mean())
    assert total.standard_error == pytest.approx(samples.std(ddof=1) / 10)


def test_match_totals_count_matches() -> None:
    result = played(NORTH_SULTAN, [RANDOM, PUBEVAL, RANDOM], games=20, seed=4, match_length=3).result
    assert [total.matches for total in result.totals] == [40, 40, 40]
    assert sum(total.match_win_share or 0 for total in result.totals) == pytest.approx(1.5)


def test_a_result_reads_back_from_json() -> None:
    result = played(NORTH_SULTAN, [RANDOM, PUBEVAL], games=20, seed=4).result
    assert TournamentResult.model_validate_json(result.model_dump_json()) == result


def test_a_tournament_needs_two() -> None:
    with pytest.raises(TavlaError, match="expected at least 2 bots"):
        played(NORTH_SULTAN, [RANDOM], games=20, seed=4)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("round-robin", [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        ("gauntlet", [(0, 1), (0, 2), (0, 3)]),
        ("ladder", [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_schedules(schedule: Any, expected: list[tuple[int, int]]) -> None:
    assert scheduled(4, schedule) == expected


def test_a_schedule_decides_who_plays_and_nothing_else(network_bot: Bot) -> None:
    bots = [network_bot, RANDOM, PUBEVAL]
    everyone = {(p.a, p.b): p for p in played(NORTH_SULTAN, bots, games=40, seed=4).result.pairings}
    gauntlet = played(NORTH_SULTAN, bots, games=40, seed=4, schedule="gauntlet").result
    assert [(p.a, p.b) for p in gauntlet.pairings] == [(network_bot.name, "random"), (network_bot.name, "pubeval")]
    for pairing in gauntlet.pairings:
        assert without_speed(pairing) == without_speed(everyone[pairing.a, pairing.b])
    assert [total.games for total in gauntlet.totals] == [80, 40, 40]


def test_ratings_come_from_shares_with_the_error_of_pairs(network_bot: Bot) -> None:
    result = played(NORTH_SULTAN, [network_bot, RANDOM, PUBEVAL], games=400, seed=4).result
    assert result.ratings is not None
    names = [player.name for player in result.ratings.players]
    assert names == [network_bot.name, "random", "pubeval"]
    assert result.ratings.rating("pubeval").rating > result.ratings.rating("random").rating
    for pairing, rated in zip(result.pairings, rated_pairings(result.pairings), strict=True):
        assert (rated.wins, rated.losses, rated.draws) == (pairing.wins, pairing.losses, pairing.draws)
        assert rated.standard_error == (pairing.share_standard_error or None)
    even = played(NORTH_SULTAN, [PUBEVAL, PUBEVAL], games=20, seed=4).result
    assert even.ratings is None
    assert rated_pairings(even.pairings)[0].standard_error is None


def test_a_pairing_stops_once_it_is_known_well_enough() -> None:
    wide = play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, 4000, 1)
    assert wide.standard_error is not None
    result = played(NORTH_SULTAN, [PUBEVAL, RANDOM], 4000, 1, until_ci=0.02).result.pairings[0]
    assert result.standard_error is not None
    assert 1.96 * result.standard_error <= 0.02
    assert 400 < result.games < 4000
    # The games are the same as in a tournament without a stopping rule.
    same = play_pairing(NORTH_SULTAN, PUBEVAL, RANDOM, result.games, 1)
    assert without_speed(same) == without_speed(result)
    never = played(NORTH_SULTAN, [PUBEVAL, RANDOM], 600, 1, until_ci=1e-9).result.pairings[0]
    assert never.games == 600


def test_totals_give_long_and_short_pairings_the_same_weight() -> None:
    result = played(NORTH_SULTAN, [PUBEVAL, RANDOM, PUBEVAL], 4000, 1, until_ci=0.02).result
    (first, _, third), total = result.pairings, result.totals[1]
    assert first.games != result.pairings[1].games
    assert total.points_per_game == pytest.approx((-first.points_per_game + third.points_per_game) / 2)


def test_luck_makes_a_pairing_stop_sooner(luck_network: Checkpoint) -> None:
    bots = [PUBEVAL, load_bot(str(luck_network.path), NORTH_SULTAN)]
    options: dict[str, Any] = {"workers": Workers(2), "until_ci": 0.1}
    raw = played(NORTH_SULTAN, bots, 4000, 1, **options).result.pairings[0]
    adjusted = played(NORTH_SULTAN, bots, 4000, 1, luck_networks=[luck_network], **options).result.pairings[0]
    assert adjusted.games < raw.games


def test_pairs_that_are_all_alike_leave_the_error_unknown() -> None:
    """No spread is not a spread of zero: points have no interval, shares Wilson's, and a tournament plays on."""
    games = played(NORTH_SULTAN, [PUBEVAL, PUBEVAL], 600, 1, until_ci=0.5).result.pairings[0]
    assert games.games == 600
    assert (games.points_per_game, games.standard_error, games.interval) == (0, None, None)
    matches = played(NORTH_SULTAN, [PUBEVAL, PUBEVAL], 600, 1, 3, until_ci=0.01).result.pairings[0]
    assert matches.matches == 600
    assert matches.match_win_share == 0.5
    assert matches.standard_error is None
    assert matches.interval == pytest.approx((0.4437, 0.5563), abs=1e-4)


@pytest.mark.parametrize("until_ci", [0.0, -1.0, float("nan")])
def test_a_stopping_interval_is_above_zero(until_ci: float) -> None:
    with pytest.raises(TavlaError, match="expected more than 0"):
        played(NORTH_SULTAN, [PUBEVAL, RANDOM], 20, 1, until_ci=until_ci)


def test_a_set_of_one_game_is_a_match_of_it(tmp_path: Path) -> None:
    portes, turkish = get_ruleset("portes"), get_match_set("zar-turkish")
    path = write_checkpoint(tmp_path / "net", "portes")
    of_set = played(turkish, [load_bot(str(path), turkish), load_bot("random", turkish)], 40, 3, 5).result
    of_game = played(
        portes.model_copy(update={"match_lengths": None}),
        [load_bot(str(path), portes), load_bot("random", portes)],
        40,
        3,
        5,
    ).result
    assert of_set.pairings[0].match_win_share == of_game.pairings[0].match_win_share
    assert of_set.pairings[0].plies_per_game == of_game.pairings[0].plies_per_game
    assert of_set.ruleset == "zar-turkish"


@pytest.mark.parametrize("name", ["zar-greek", "zar-macedonian"])
def test_the_games_of_a_set_are_played_in_turn(name: str, tmp_path: Path) -> None:
    match_set = get_match_set(name)
    paths = {
        game: write_checkpoint(tmp_path / game, game, num_scores=len(get_ruleset(game).scores))
        for game in match_set.games
    }
    bots = [
        load_bot(",".join(f"{game}={path}" for game, path in paths.items()), match_set),
        load_bot("random", match_set),
    ]
    assert [part.checkpoint is not None for part in bots[0].parts] == [True] * 3
    tournament = played(match_set, bots, 40, 3, 7, out=tmp_path / "out")
    result = tournament.result.pairings[0]
    assert result.matches == 40
    assert result.interval is not None
    # Only Plakoto can be drawn.
    arena = Arena(match_set, bots, 3, 7)
    whole = arena.play(0, 1, 0, 20)
    assert whole.scores.shape == (20, 2, 5)
    np.testing.assert_array_equal(arena.play(0, 1, 0, 20, threads=3).points, whole.points)
    np.testing.assert_array_equal(arena.play(1, 0, 0, 20).points, -whole.points[:, ::-1])
    again = Arena.from_recipe(arena.recipe()).play(0, 1, 5, 5)
    np.testing.assert_array_equal(again.points, whole.points[5:10])
    write_report(tmp_path / "out", tournament)
    assert match_set.title in (tmp_path / "out" / "report.html").read_text()


def test_a_set_is_played_in_matches_and_has_a_luck_network_for_each_game(luck_network: Checkpoint) -> None:
    match_set = get_match_set("zar-greek")
    bots = [load_bot("random", match_set)] * 2
    with pytest.raises(RulesetError, match="zar-greek: a set of games is played in matches"):
        played(match_set, bots, 2, 1)
    with pytest.raises(TavlaError, match="zar-greek: 1 luck networks; expected one, or none, for each of its 3 games"):
        played(match_set, bots, 2, 1, 5, luck_networks=[luck_network])
    assert played(match_set, bots, 20, 1, 5).result.pairings[0].match_win_share == 0.5
