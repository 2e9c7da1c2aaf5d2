"""Outside engines at the table: the lock-step games are the engine's own, and what goes wrong is told."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner
from network_reference import possible
from peers_fake import PipPeer

from tavla_ai import engine
from tavla_ai.bench import run_bench
from tavla_ai.bots import Bot, Fault, PeerPlayer, close_plays, load_bot
from tavla_ai.bots.peers import PEERS, Peer, counting_peer, evaluating_peer, peer_player, peers_able_to
from tavla_ai.cli import main
from tavla_ai.errors import RulesetError, TavlaError
from tavla_ai.match import utilities
from tavla_ai.rules import Position, Ruleset, compile_rules, get_ruleset
from tavla_ai.tournament import Leg, play_pairing, play_pairs

NORTH_SULTAN = get_ruleset("north-sultan")
RULES = compile_rules(NORTH_SULTAN)
SINGLE = utilities(NORTH_SULTAN, None)

Boards = npt.NDArray[np.int8]


_KEY = np.random.default_rng(1).integers(0, 1009, 52)


class Answers(PipPeer):
    """A peer with the same answer for all, or one that fails, on few positions."""

    def __init__(self, answer: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]) -> None:
        super().__init__()
        self.answer = answer

    def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
        found = super().chances(boards, ply, counts_backgammon)
        return self.answer(found) if (boards.reshape(-1, 52) @ _KEY % 1009 == 0).any() else found


def fake(peer: PipPeer | None = None, ply: int = 0, name: str = "fake") -> Bot:
    return Bot(name, NORTH_SULTAN, PeerPlayer(name, peer or PipPeer(), NORTH_SULTAN, ply))


# The engine's decisions in batches


def turns(number: int = 300) -> tuple[Boards, npt.NDArray[np.int8]]:
    boards, dice = engine.random_walk(RULES, 3, 0, 20)
    return boards[:number], dice[:number]


def choose(
    player: engine.Player, boards: Boards, dice: npt.NDArray[np.int8], threads: int = 1, seed: int = 1
) -> Boards:
    counters = np.arange(len(boards), dtype=np.uint32)
    after, _ = engine.choose_plays(
        RULES,
        player,
        boards,
        dice,
        *SINGLE,
        seed=seed,
        games=counters.astype(np.uint64),
        rounds=counters,
        plies=counters,
        threads=threads,
    )
    return after


def test_plays_chosen_in_a_batch_are_the_networks_best(network_of: Callable[..., engine.Network]) -> None:
    network = network_of()
    boards, dice = turns()
    chosen = choose(engine.Player.network(network), boards, dice)
    for board, roll, after in zip(boards, dice.tolist(), chosen, strict=True):
        plays, _, scores = engine.legal_plays(RULES, board, *roll)
        shares = network.evaluate_plays(RULES, board, *roll, SINGLE[1][0])
        values = possible(get_ruleset("north-sultan"), plays, shares) @ SINGLE[0][0]
        values[scores != engine.NO_SCORE] = scores[scores != engine.NO_SCORE]
        assert values[[np.array_equal(play, after) for play in plays]].max() == values.max()


def test_threads_change_no_play_and_seeds_do_of_random_players() -> None:
    boards, dice = turns()
    player = engine.Player.random()
    np.testing.assert_array_equal(choose(player, boards, dice, threads=3), choose(player, boards, dice))
    assert (choose(player, boards, dice, seed=2) != choose(player, boards, dice)).any()


def test_no_turn_is_no_play() -> None:
    boards, dice = turns(0)
    assert choose(engine.Player.random(), boards, dice).shape == (0, 2, 26)


def test_what_cannot_be_chosen_is_refused() -> None:
    boards, dice = turns(2)
    with pytest.raises(ValueError, match="one roll, game, round and ply per board"):
        choose(engine.Player.random(), boards, dice[:1])
    with pytest.raises(RulesetError, match="expected two numbers from 1 to 6"):
        choose(engine.Player.random(), boards, dice + np.int8(6))
    over = boards.copy()
    over[:, 0] = 0
    over[:, 0, 0] = 15
    with pytest.raises(RulesetError, match="the game is over"):
        choose(engine.Player.random(), over, dice)
    rules = compile_rules(get_ruleset("gul-bara"))
    none = np.zeros(0, np.uint32)
    with pytest.raises(RulesetError, match="more than one roll"):
        engine.choose_plays(
            rules,
            engine.Player.random(),
            np.zeros((0, 2, 27), np.int8),
            np.zeros((0, 2), np.int8),
            *SINGLE,
            seed=1,
            games=none.astype(np.uint64),
            rounds=none,
            plies=none,
        )


# Lock-step


@pytest.mark.parametrize("match_length", [None, 3])
@pytest.mark.parametrize(
    ("preset", "specs"),
    [
        ("north-sultan", ("random", "pubeval")),
        ("north-sultan", ("network", "random")),
        ("traditional", ("pubeval", "random")),
        ("plakoto", ("baseline", "random")),
        ("portes", ("pubeval", "random")),
    ],
)
def test_games_in_lock_step_are_those_of_a_duel(
    preset: str, specs: Sequence[str], match_length: int | None, tmp_path: Path
) -> None:
    """Openings, seats, void games, who starts the next game, the stakes at each score, and random plays."""
    ruleset = get_ruleset(preset)
    checkpoint = str(write_checkpoint(tmp_path / "net", preset))
    a, b = (load_bot(checkpoint if spec == "network" else spec, ruleset) for spec in specs)
    assert isinstance(a.player, engine.Player)
    assert isinstance(b.player, engine.Player)
    stakes = utilities(ruleset, match_length)
    expected = engine.duel(
        compile_rules(ruleset),
        a.player,
        b.player,
        6,
        11,
        12,
        length=match_length or 0,
        values=stakes[0],
        inputs=stakes[1],
    )
    finished: list[int] = []
    found = play_pairs(
        [Leg(ruleset, (a, b), stakes)],
        seed=6,
        first_pair=11,
        num_pairs=12,
        length=match_length or 0,
        progress=finished.append,
    )
    np.testing.assert_array_equal(found.points, expected.points)
    np.testing.assert_array_equal(found.scores, expected.contest_scores)
    np.testing.assert_array_equal(found.void_games, expected.contest_voids)
    np.testing.assert_array_equal(found.plies, expected.contest_plies)
    assert sum(finished) == 24


def test_a_void_game_in_lock_step_is_void() -> None:
    """Under a rule that a single turn without a move ends the game, many are."""
    ruleset = NORTH_SULTAN.model_copy(update={"stuck_limit": 2})
    bot = load_bot("random", ruleset)
    assert isinstance(bot.player, engine.Player)
    for length in (0, 3):
        stakes = utilities(ruleset, length or None)
        expected = engine.duel(
            compile_rules(ruleset), bot.player, bot.player, 1, 0, 100, length=length, values=stakes[0], inputs=stakes[1]
        )
        found = play_pairs([Leg(ruleset, (bot, bot), stakes)], seed=1, first_pair=0, num_pairs=100, length=length)
        np.testing.assert_array_equal(found.void_games, expected.contest_voids)
        np.testing.assert_array_equal(found.points, expected.points)


# A peer's plays


def test_a_peer_takes_the_play_it_likes_best() -> None:
    boards, dice = turns(100)
    player = fake().peer
    assert player is not None
    for board, roll, after in zip(boards, dice.tolist(), player.choose_plays(boards, dice), strict=True):
        plays, _, scores = engine.legal_plays(RULES, board, *roll)
        values = np.where(scores == engine.NO_SCORE, player.equities(plays.copy()), scores)
        assert values[[np.array_equal(play, after) for play in plays]].max() == values.max()


def test_a_peer_is_not_asked_for_what_is_forced_or_won() -> None:
    peer = PipPeer()
    player = PeerPlayer("fake", peer, NORTH_SULTAN, 0)
    forced = Position.from_text("bar:1 6:14 / 6:2 5:2 4:2 3:2 2:2 1:2 8:3", NORTH_SULTAN)
    won = Position.from_text("1:1 off:14 / 20:15", NORTH_SULTAN)
    boards = np.stack([forced.board, won.board])
    first, second = player.choose_plays(boards, np.array([[6, 5], [1, 2]], np.int8))
    np.testing.assert_array_equal(first, forced.board)
    assert isinstance(second, np.ndarray)
    assert second[0, 0] == 15
    assert peer.asked == []


def test_deeper_a_peer_looks_only_at_what_is_close() -> None:
    peer = PipPeer()
    player = PeerPlayer("fake", peer, NORTH_SULTAN, 2)
    board = RULES.start()[None]
    (after,) = player.choose_plays(board, np.array([[3, 1]], np.int8))
    plays, _, _ = engine.legal_plays(RULES, board[0], 3, 1)
    assert peer.asked == [(0, len(plays)), (2, 8)]
    # At 2-ply it wants to be behind: of the eight that go on, the one that runs least.
    pips = (plays.astype(np.int64) @ np.arange(26))[:, 0]
    assert isinstance(after, np.ndarray)
    assert after[0].astype(int) @ np.arange(26) == np.sort(pips)[:8].max()


def test_close_plays_are_few_and_near() -> None:
    values = np.array([0.1, 0.5, 0.49, 0.45, 0.2])
    assert close_plays(values, 2, 0.3).tolist() == [False, True, True, False, False]
    assert close_plays(values, 8, 0.05).tolist() == [False, True, True, True, False]
    assert close_plays(np.zeros(1), 8, 0.1).tolist() == [True]


@pytest.mark.parametrize(("preset", "expected"), [("north-sultan", 2 * 0.6 - 1 + 0.3 - 0.1), ("oyna-backgammon", 0.44)])
def test_points_are_counted_as_the_game_counts_them(preset: str, expected: float) -> None:
    class Constant(PipPeer):
        def chances(self, boards: Boards, ply: int, counts_backgammon: bool) -> npt.NDArray[np.float64]:
            assert counts_backgammon == (preset == "oyna-backgammon")
            return np.array([[0.6, 0.3, 0.05, 0.1, 0.01]])

    player = PeerPlayer("fake", Constant(), get_ruleset(preset), 0)
    assert player.equities(RULES.start()[None]) == pytest.approx([expected])


@pytest.mark.parametrize("preset", ["traditional", "plakoto", "tawula"])
def test_a_peer_plays_western_movement_only(preset: str) -> None:
    with pytest.raises(RulesetError, match=f"fake: plays games of western movement only, not {preset}"):
        PeerPlayer("fake", PipPeer(), get_ruleset(preset), 0)


# A peer in tournaments


def test_a_peer_against_itself_is_paired() -> None:
    result = play_pairing(NORTH_SULTAN, fake(), fake(name="other"), games=20, seed=3)
    assert (result.points_per_game, result.standard_error) == (0, None)
    assert result.games == 20
    assert result.faults == {}


def test_a_peers_games_are_the_same_again_and_from_the_other_side() -> None:
    pubeval = load_bot("pubeval", NORTH_SULTAN)
    first = play_pairing(NORTH_SULTAN, fake(), pubeval, games=20, seed=3)
    again = play_pairing(NORTH_SULTAN, fake(), pubeval, games=20, seed=3, workers=2)
    assert first.model_dump(exclude={"games_per_second"}) == again.model_dump(exclude={"games_per_second"})
    other = play_pairing(NORTH_SULTAN, pubeval, fake(), games=20, seed=3)
    assert other.points_per_game == -first.points_per_game != 0


def test_a_peer_plays_matches() -> None:
    result = play_pairing(NORTH_SULTAN, fake(), load_bot("random", NORTH_SULTAN), games=8, seed=3, match_length=3)
    assert result.matches == 8
    assert result.match_win_share is not None
    assert result.match_win_share > 0.5


def broken(found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    raise RuntimeError("out of\npaper")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (broken, "fake: RuntimeError: out of paper"),
        (lambda found: found * np.nan, "fake: answered no probabilities"),
        (lambda found: found + 2, "fake: answered no probabilities"),
        (lambda found: found[:0], "fake: answered no probabilities"),
    ],
)
def test_a_game_in_which_a_peer_fails_is_void_and_named(
    answer: Callable[..., npt.NDArray[np.float64]], reason: str
) -> None:
    bots = fake(Answers(answer)), load_bot("random", NORTH_SULTAN)
    result = play_pairing(NORTH_SULTAN, *bots, games=20, seed=3)
    assert result.faults == {reason: result.void_games}
    assert 0 < result.void_games < 20
    assert result.games == 20
    # The other games go on, and a match that cannot be finished is half a win.
    match = play_pairing(NORTH_SULTAN, *bots, games=6, seed=3, match_length=5)
    assert match.faults == {reason: match.void_games}
    assert match.match_win_share == 0.5 + (6 - match.void_games) / 12


def test_an_illegal_play_ends_the_game() -> None:
    class Cheat:
        name = "cheat"

        def choose_plays(self, boards: Boards, dice: npt.NDArray[np.int8]) -> list[npt.NDArray[np.int8] | Fault]:
            return [np.ascontiguousarray(board[::-1]) for board in boards]

    result = play_pairing(NORTH_SULTAN, Bot("cheat", NORTH_SULTAN, Cheat()), fake(), games=4, seed=3)
    assert result.faults == {"cheat: an illegal play": 4}
    assert result.void_games == 4
    assert result.points_per_game == 0


def test_faults_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = fake(Answers(broken))
    monkeypatch.setattr(
        "tavla_ai.cli.tournament.load_bot", lambda spec, *how: failing if spec == "fake" else load_bot(spec, *how)
    )
    done = CliRunner().invoke(main, ["tournament", "fake", "random", "--games", "20", "--seed", "3"])
    assert done.exit_code == 0
    assert "void, fake: RuntimeError: out of paper\n" in done.stdout


# Names


@pytest.mark.parametrize(("spec", "package"), [("gnubg:0", "gnubg"), ("sage:1", "bgsage")])
def test_a_peer_that_is_missing_names_the_extra(spec: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = spec.partition(":")[0]
    monkeypatch.delitem(sys.modules, f"tavla_ai.bots.peers.{kind}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TavlaError, match=rf"^{kind} is not installed .*pip install --pre '\.\[peers\]'"):
        load_bot(spec, NORTH_SULTAN)
    done = CliRunner().invoke(main, ["tournament", spec, "random"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


def examples() -> str:
    """The outside engines that an unknown bot is answered with."""
    return ", ".join(f"{name}:{PEERS[name].option}" for name in peers_able_to("play"))


def test_a_peer_looks_only_so_far() -> None:
    with pytest.raises(TavlaError, match="gnubg:9: ply 9, expected 0 to 3"):
        load_bot("gnubg:9", NORTH_SULTAN)


@pytest.mark.parametrize("spec", ["gnubg", "gnubg:", "sage:x", "gnubg:-1", "wildbg:0"])
def test_a_peer_without_its_ply_is_unknown(spec: str) -> None:
    with pytest.raises(TavlaError, match=f"medium, hard, {examples()}, "):
        load_bot(spec, NORTH_SULTAN)


# The registry


@pytest.fixture
def pips(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an engine that one row of the registry adds."""
    monkeypatch.setitem(PEERS, "pips", Peer("peers_fake:PipPeer", frozenset({"play", "evaluate", "count plays"})))
    return "pips"


def test_one_row_makes_a_bot_of_an_engine(pips: str) -> None:
    bot = load_bot("pips:0", NORTH_SULTAN)
    assert not bot.is_native
    result = play_pairing(NORTH_SULTAN, bot, load_bot("random", NORTH_SULTAN), games=20, seed=3)
    same = play_pairing(NORTH_SULTAN, fake(name="pips:0"), load_bot("random", NORTH_SULTAN), games=20, seed=3)
    assert result.model_dump(exclude={"games_per_second"}) == same.model_dump(exclude={"games_per_second"})
    assert examples().endswith("pips:PLY")
    with pytest.raises(TavlaError, match=f"{examples()}, "):
        load_bot("pip:0", NORTH_SULTAN)


def test_one_row_sets_an_engine_beside_ours_in_benchmarks(pips: str) -> None:
    report = run_bench(NORTH_SULTAN, ("plays", "evaluate"), None, repeats=1, against=pips)
    compared = [result for result in report.results if result.peer == pips]
    assert [result.measure for result in compared] == ["plays", "evaluate"]
    assert all(result.ratio is not None and result.ratio > 0 for result in compared)


def test_an_engine_that_counts_other_plays_is_found_out(monkeypatch: pytest.MonkeyPatch, pips: str) -> None:
    monkeypatch.setattr(PipPeer, "count_plays", lambda self, positions, dice: [1] * len(positions))
    with pytest.raises(RuntimeError, match="pips: counts other plays than the engine"):
        run_bench(NORTH_SULTAN, ("plays",), None, repeats=1, against=pips)


@pytest.mark.parametrize(
    "ruleset",
    [
        get_ruleset("traditional"),
        get_ruleset("plakoto"),
        NORTH_SULTAN.model_copy(update={"bear_off_order": "larger_first"}),
    ],
    ids=["traditional", "plakoto", "larger first"],
)
def test_benchmarks_beside_an_engine_are_of_western_movement(pips: str, ruleset: Ruleset) -> None:
    with pytest.raises(
        TavlaError, match=f"pips: expected a game with the movement of western backgammon, not {ruleset.name}"
    ):
        run_bench(ruleset, ("plays",), None, repeats=1, against=pips)


@pytest.mark.parametrize("kind", ["wildbg", "bgsage"])
def test_an_unknown_engine_is_refused_with_those_that_exist(kind: str) -> None:
    for load in (lambda: peer_player(kind, "0", NORTH_SULTAN), lambda: counting_peer(kind)):
        with pytest.raises(TavlaError, match=f"unknown outside engine '{kind}'; expected {', '.join(PEERS)}"):
            load()


def test_an_engine_does_only_what_its_row_says() -> None:
    with pytest.raises(TavlaError, match=f"gnubg-nn cannot play; expected {', '.join(peers_able_to('play'))}"):
        peer_player("gnubg-nn", "0", NORTH_SULTAN)
    with pytest.raises(TavlaError, match=f"gnubg cannot evaluate; expected {', '.join(peers_able_to('evaluate'))}"):
        evaluating_peer("gnubg")


# The engines themselves


def installed(kind: str, ply: int) -> PeerPlayer:
    pytest.importorskip({"gnubg": "gnubg", "sage": "bgsage"}[kind])
    return peer_player(kind, str(ply), NORTH_SULTAN)


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["gnubg", "sage"])
def test_openings_are_worth_what_they_are_known_to_be(kind: str) -> None:
    """Tavla equities after the play, as measured with GNU Backgammon at 2-ply."""
    player = installed(kind, 2)
    for roll, text, expected in [
        ((3, 1), "24:2 13:5 8:2 6:4 5:2 / 24:2 13:5 8:3 6:5", 0.156),
        ((6, 1), "24:2 13:4 8:2 7:2 6:5 / 24:2 13:5 8:3 6:5", 0.097),
        ((6, 5), "24:1 13:6 8:3 6:5 / 24:2 13:5 8:3 6:5", 0.054),
    ]:
        after = Position.from_text(text, NORTH_SULTAN).board
        assert player.equities(after[None])[0] == pytest.approx(expected, abs=0.025)
        (chosen,) = player.choose_plays(RULES.start()[None], np.array([roll], np.int8))
        assert isinstance(chosen, np.ndarray)
        np.testing.assert_array_equal(chosen, after)


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["gnubg", "sage"])
def test_sides_and_mars_are_told_apart(kind: str) -> None:
    """A side that has just moved and is about to win a mars, then the same board seen by the other."""
    player = installed(kind, 0)
    after = Position.from_text("1:2 off:13 / 20:15", NORTH_SULTAN)
    assert player.equities(after.board[None])[0] == pytest.approx(2, abs=0.01)
    assert player.equities(after.swap().board[None])[0] == pytest.approx(-2, abs=0.01)
    bar = Position.from_text("bar:1 6:5 5:5 4:4 / 6:3 5:3 4:3 3:2 2:2 1:2", NORTH_SULTAN)
    assert player.equities(bar.board[None])[0] < -0.5


@pytest.mark.peer
@pytest.mark.parametrize(("kind", "expected"), [("gnubg", 0.594), ("sage", 0.63)])
def test_a_peer_beats_pubeval_by_what_was_measured(kind: str, expected: float) -> None:
    bot = Bot(kind, NORTH_SULTAN, installed(kind, 0))
    result = play_pairing(NORTH_SULTAN, bot, load_bot("pubeval", NORTH_SULTAN), games=600, seed=8)
    assert result.void_games == 0
    assert result.points_per_game == pytest.approx(expected, abs=0.2)
