"""Bots by name."""

from pathlib import Path

import pytest
from checkpoints_fixture import write_checkpoint

from tavla_ai.bots import BASELINES, PlayStyle, load_bot
from tavla_ai.bots.peers import PEERS, peers_able_to
from tavla_ai.errors import CheckpointError, RulesetError, TavlaError
from tavla_ai.evaluator import Evaluator
from tavla_ai.network import load_checkpoint, shipped_names
from tavla_ai.rules import get_ruleset, ruleset_names
from tavla_ai.tournament import play_pairing

NORTH_SULTAN = get_ruleset("north-sultan")


@pytest.fixture(scope="module")
def checkpoint_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("bots") / "small")


# Names


@pytest.mark.parametrize("name", ruleset_names())
@pytest.mark.parametrize("baseline", BASELINES)
def test_random_and_baseline_play_every_game_and_pubeval_those_it_knows(baseline: str, name: str) -> None:
    ruleset = get_ruleset(name)
    if baseline == "pubeval" and ruleset.family != "opposed-hit":
        with pytest.raises(RulesetError, match=f"pubeval: plays only the opposed, hitting games, not {name}"):
            load_bot(baseline, ruleset)
        return
    bot = load_bot(baseline, ruleset)
    assert bot.name == baseline
    assert bot.checkpoint is None


def test_a_folder_is_a_checkpoint(checkpoint_path: Path) -> None:
    bot = load_bot(f"{checkpoint_path}/", NORTH_SULTAN)
    assert bot.name == str(checkpoint_path)
    assert bot.checkpoint is not None
    assert bot.checkpoint.card.games == 12_000


def test_a_folder_may_have_a_baselines_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_checkpoint(Path("random"))
    assert load_bot("random", NORTH_SULTAN).checkpoint is None
    assert load_bot("./random", NORTH_SULTAN).checkpoint is not None


@pytest.mark.parametrize("spec", ["pubevil", "no/such/folder", ""])
def test_an_unknown_bot_lists_what_is_known(spec: str) -> None:
    with pytest.raises(TavlaError) as caught:
        load_bot(spec, NORTH_SULTAN)
    engines = ", ".join(f"{name}:{PEERS[name].option}" for name in peers_able_to("play"))
    bots = f"random, baseline, pubeval, easy, medium, hard, {engines}, {', '.join(shipped_names())}"
    known = f"{bots} or a checkpoint's folder"
    assert str(caught.value) == f"unknown bot {spec!r}; expected {known}"


def test_a_folder_without_a_card_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"card\.json"):
        load_bot(str(tmp_path), NORTH_SULTAN)


def test_a_network_of_another_game_is_refused(checkpoint_path: Path) -> None:
    load_bot(str(checkpoint_path), get_ruleset("portes"))
    with pytest.raises(CheckpointError, match=r"trained for north-sultan.*traditional"):
        load_bot(str(checkpoint_path), get_ruleset("traditional"))


def test_a_network_with_other_scores_is_refused(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "six", num_scores=6)
    with pytest.raises(CheckpointError, match="predicts 6 scores, a game of north-sultan has 4"):
        load_bot(str(path), NORTH_SULTAN)
    with pytest.raises(CheckpointError, match="predicts 6 scores"):
        Evaluator(load_checkpoint(path), NORTH_SULTAN)


def test_a_network_for_other_boards_is_refused(checkpoint_path: Path) -> None:
    tawula = get_ruleset("tawula")
    with pytest.raises(CheckpointError, match="reads 26 places a side, a game of tawula has 27"):
        Evaluator(load_checkpoint(checkpoint_path), tawula)


def test_what_follows_a_folder_is_how_it_plays(checkpoint_path: Path) -> None:
    assert load_bot(f"{checkpoint_path}@1", NORTH_SULTAN).name == f"{checkpoint_path}@1"
    assert load_bot(f"{checkpoint_path}/@2+points", NORTH_SULTAN).name == f"{checkpoint_path}@2+points"
    assert load_bot(f"{checkpoint_path}+untold", NORTH_SULTAN).checkpoint is not None
    with pytest.raises(TavlaError, match="ply 9, expected 0 to 4"):
        load_bot(f"{checkpoint_path}@9", NORTH_SULTAN)
    with pytest.raises(TavlaError, match="unknown bot"):
        load_bot(f"{checkpoint_path}+blind", NORTH_SULTAN)


def test_a_noisy_bot_says_how_noisy(checkpoint_path: Path) -> None:
    def level(how: str) -> PlayStyle:
        bot = load_bot(f"{checkpoint_path}{how}", NORTH_SULTAN)
        assert bot.name == f"{checkpoint_path}{how}"
        return bot.style

    assert level("") == PlayStyle()
    assert level(":0.5") == PlayStyle(noise=0.5, cap=1.5)
    assert level("@1:.5,0.25+points") == PlayStyle(ply=1, noise=0.5, cap=0.25, awareness="points")
    with pytest.raises(TavlaError, match="noise 7, expected 0 to 6 points"):
        level(":7")
    with pytest.raises(TavlaError, match="cap 99, expected 0 to 18 points"):
        level(":1,99")
    for nonsense in (":", ":a", ":-1", ":1,", ":1,2,3", ":1@1", ":nan"):
        with pytest.raises(TavlaError, match="unknown bot"):
            level(nonsense)


def test_a_noisy_bot_is_weaker_but_even_with_itself() -> None:
    tavla = Path(__file__).parents[2] / "checkpoints" / "tavla"
    best, noisy = (load_bot(f"{tavla}{how}", NORTH_SULTAN) for how in ("", ":0.4"))
    assert play_pairing(NORTH_SULTAN, best, noisy, games=400, seed=1).points_per_game > 0
    assert play_pairing(NORTH_SULTAN, noisy, noisy, games=20, seed=1).points_per_game == 0


def test_a_folder_may_end_like_an_option(tmp_path: Path) -> None:
    assert load_bot(str(write_checkpoint(tmp_path / "run@1")), NORTH_SULTAN).name == str(tmp_path / "run@1")


def test_gul_bara_is_not_looked_ahead(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "net", "gul-bara")
    with pytest.raises(RulesetError, match="look-ahead or noise: not in gul-bara, where a turn is more than one roll"):
        load_bot(f"{path}@1", get_ruleset("gul-bara"))
    with pytest.raises(RulesetError, match="look-ahead or noise: not in gul-bara, where a turn is more than one roll"):
        load_bot(f"{path}:0.1", get_ruleset("gul-bara"))


def test_looking_ahead_plays_what_the_search_finds_best(checkpoint_path: Path) -> None:
    """One turn of a game: the play of the bot at 1-ply is the evaluator's."""
    deep, flat = (load_bot(f"{checkpoint_path}@{ply}", NORTH_SULTAN) for ply in (1, 0))
    result = play_pairing(NORTH_SULTAN, deep, flat, games=20, seed=1)
    same = play_pairing(NORTH_SULTAN, flat, flat, games=20, seed=1)
    assert same.points_per_game == 0
    assert result.points_per_game != 0


def test_a_bot_that_plays_for_points_ignores_the_match(checkpoint_path: Path) -> None:
    """Playing for points in a match is playing single games; to be untold changes plays too."""
    aware, points, untold = (load_bot(f"{checkpoint_path}{how}", NORTH_SULTAN) for how in ("", "+points", "+untold"))
    for bot in (points, untold):
        assert play_pairing(NORTH_SULTAN, aware, bot, games=40, seed=2).points_per_game == 0
        match = play_pairing(NORTH_SULTAN, aware, bot, games=40, seed=2, match_length=3)
        assert match.points_per_game != 0
