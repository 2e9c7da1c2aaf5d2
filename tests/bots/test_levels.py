"""Levels: the file, the names as players, and what a level never does."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint
from click.testing import CliRunner
from command_line import fails, ok, ok_json
from levels_fixture import ladder, write_levels

from tavla_ai.bots import (
    LEVEL_NAMES,
    UNMEASURED_EASY,
    Level,
    Levels,
    PlayStyle,
    checkpoint_bot,
    level_bot,
    make_bot,
    save_levels,
    timeout_bot,
)
from tavla_ai.cli import main
from tavla_ai.errors import TavlaError
from tavla_ai.evaluator import Evaluator
from tavla_ai.match import MatchState
from tavla_ai.network import load_checkpoint
from tavla_ai.report.strength import BEGIN, END, strength_tables
from tavla_ai.rules import Position, get_ruleset
from tavla_ai.strength import KINDS, measure_likeness
from tavla_ai.tournament import play_pairing

NORTH_SULTAN = get_ruleset("north-sultan")
SHIPPED = Path(__file__).parents[2] / "checkpoints" / "levels.yaml"


@pytest.fixture(scope="module")
def levels_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of levels whose three networks differ."""
    folder = tmp_path_factory.mktemp("levels")
    for seed, name in enumerate(LEVEL_NAMES):
        write_checkpoint(folder / name, seed=seed)
    return write_levels(folder, ladder(), ladder(match_length=5), ladder("oyna-tavla", 5))


@pytest.fixture
def replaced_path(levels_path: Path, tmp_path: Path) -> Path:
    """The same after its networks were replaced."""
    shutil.copytree(levels_path.parent, tmp_path / "replaced")
    for seed, name in enumerate(LEVEL_NAMES, start=10):
        shutil.rmtree(tmp_path / "replaced" / name)
        write_checkpoint(tmp_path / "replaced" / name, seed=seed)
    return tmp_path / "replaced" / levels_path.name


# The file


def test_levels_are_read_and_written(levels_path: Path, tmp_path: Path) -> None:
    found = Levels(levels_path).ladders
    again = save_levels(tmp_path / "new" / "levels.yaml", found)
    assert again.ladders == found
    assert found[0].level("easy") == Level(name="easy", noise=0.2, cap=0.4)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["levels.yaml"]


def test_the_ladder_is_that_of_the_nearest_match_length(levels_path: Path) -> None:
    levels = Levels(levels_path)
    for length, nearest in ((None, 3), (1, 3), (3, 3), (5, 5)):
        assert levels.ladder(NORTH_SULTAN, length).match_length == nearest
    assert levels.find(get_ruleset("portes"), 5) is None
    with pytest.raises(TavlaError, match=r"no levels of portes, it has those of north-sultan, oyna-tavla; make them"):
        levels.ladder(get_ruleset("portes"), 5)


def without(name: str) -> dict[str, Any]:
    found = ladder()
    del found["levels"][name]
    return found


def with_easy(ruleset: str = "north-sultan", **changes: Any) -> dict[str, Any]:
    found = ladder(ruleset)
    found["levels"]["easy"] |= changes
    return found


@pytest.mark.parametrize(
    ("ladders", "message"),
    [
        ([without("easy")], "no level easy; expected easy, medium, hard"),
        ([ladder("north-sultan", 7)], "match length 7"),
        ([ladder("nowhere")], "unknown ruleset 'nowhere'"),
        ([ladder(), ladder()], "north-sultan, matches to 3: stands there twice"),
        ([with_easy(noise=-1)], "ladders.0.levels.easy.noise: Input should be greater than or equal to 0"),
        ([with_easy(noise=float("nan"))], "ladders.0.levels.easy.noise: Input should be"),
        ([with_easy(ply=9)], "ladders.0.levels.easy.ply: Input should be less than or equal to 4"),
        ([with_easy(strength=3)], "ladders.0.levels.easy.strength: Extra inputs are not permitted"),
    ],
)
def test_a_file_that_makes_no_sense_is_one_line(ladders: list[Any], message: str, tmp_path: Path) -> None:
    path = write_levels(tmp_path, *ladders)
    found = fails("levels", "--levels", path)
    assert found.startswith(f"error: {path}: ")
    assert message in found


@pytest.mark.parametrize("text", ["", "- 1\n- 2", "a: [", "schema_version: 2\nladders: []", "\x00", "a: &b [*b]"])
def test_a_file_of_something_else_is_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "levels.yaml"
    path.write_text(text)
    assert fails("levels", "--levels", path).startswith(f"error: {path}: ")
    assert fails("levels", "--levels", tmp_path).startswith(f"error: {tmp_path}: ")


# Names as players


def test_a_level_is_its_network_and_its_noise(levels_path: Path) -> None:
    bot = make_bot("medium", NORTH_SULTAN, Levels(levels_path), 3)
    assert bot.name == "medium"
    assert bot.style == PlayStyle(noise=0.1, cap=0.2)
    assert bot.checkpoint is not None
    assert bot.checkpoint.path == levels_path.parent / "medium"
    spec = make_bot(f"{levels_path.parent / 'medium'}:0.1,0.2", NORTH_SULTAN)
    assert play_pairing(NORTH_SULTAN, bot, spec, games=20, seed=1).points_per_game == 0


def test_without_the_file_a_level_says_how_to_name_it(
    levels_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    missing = "error: level easy: no file of levels, such as checkpoints/levels.yaml; name one with --levels FILE or "
    assert fails("tournament", "easy", "random").startswith(missing)
    assert fails("tournament", "easy", "random", "--levels", "no.yaml") == (
        "error: no.yaml: no such file of levels; name one with --levels FILE or TAVLA_LEVELS"
    )
    assert "no such file of levels" in fails("levels")
    played = ok_json("tournament", "easy", "random", "--games", 4, "--levels", levels_path)
    monkeypatch.setenv("TAVLA_LEVELS", str(levels_path))
    assert ok_json("tournament", "easy", "random", "--games", 4)["totals"] == played["totals"]
    # A folder of that name is meant by its path.
    write_checkpoint(tmp_path / "easy")
    assert make_bot("./easy", NORTH_SULTAN).style == PlayStyle()


def test_a_level_of_a_house_without_one_is_one_line(levels_path: Path) -> None:
    found = fails("tournament", "easy", "random", "--ruleset", "portes", "--levels", levels_path)
    assert "no levels of portes" in found


def test_levels_measure_their_error_rate(levels_path: Path) -> None:
    positions = Path(__file__).parents[2] / "benchmarks" / "choosing.npz"
    easy, hard = ok_json("error-rate", "easy", "hard", "--positions", positions, "--levels", levels_path)["bots"]
    assert easy["bot"] == "easy"
    assert easy["loss"] != hard["loss"]


@pytest.mark.parametrize(("game", "house"), [("north-sultan", "north-sultan"), ("zar-turkish", "portes")])
def test_a_tournament_of_levels_knows_when_they_were_calibrated_anew(game: str, house: str, tmp_path: Path) -> None:
    """In single games, and in a set, whose levels are those of its games."""
    for seed, name in enumerate(LEVEL_NAMES):
        write_checkpoint(tmp_path / name, seed=seed)
    path, out = write_levels(tmp_path, ladder(house)), tmp_path / "out"
    command = ("tournament", "easy", "hard", "--games", 4, "--out", out, "--levels", path, "--ruleset", game)
    ok(*command)
    ok(*command)
    assert "easy, hard" in ok("replay", out, "--levels", path).splitlines()[0]
    write_levels(tmp_path, with_easy(house, noise=0.3))
    assert "easy has been calibrated anew" in fails(*command)
    assert "easy has been calibrated anew" in fails("replay", out, "--levels", path)


# Levels as bots


def test_a_level_plays_with_its_own_network(levels_path: Path) -> None:
    folder, match, levels = levels_path.parent, MatchState(3, (1, 2)), Levels(levels_path)
    hard_network, easy_network = (load_checkpoint(folder / name) for name in ("hard", "easy"))
    easy = level_bot("easy", NORTH_SULTAN, levels, 3)
    own = checkpoint_bot("own", NORTH_SULTAN, easy_network, PlayStyle(noise=0.2, cap=0.4))
    late = timeout_bot(hard_network, NORTH_SULTAN, levels, 3)
    start = Position.start(NORTH_SULTAN)
    plays = {}
    for seed in range(12):
        named = easy.choose_play(start, (3, 2), match, seed=seed)
        assert named == own.choose_play(start, (3, 2), match, seed=seed)
        assert named == late.choose_play(start, (3, 2), match, seed=seed)
        plays[seed] = named.afterstate
    assert len(set(plays.values())) > 1
    hard = level_bot("hard", NORTH_SULTAN, levels, 3).choose_play(start, (3, 2), match)
    assert hard.afterstate == Evaluator(hard_network, NORTH_SULTAN).choose_play(start, (3, 2), match).afterstate


def test_without_levels_there_is_a_play_for_who_is_out_of_time(levels_path: Path) -> None:
    checkpoint, start = load_checkpoint(levels_path.parent / "hard"), Position.start(NORTH_SULTAN)
    for house, levels in ((NORTH_SULTAN, None), (get_ruleset("portes"), Levels(levels_path))):
        unmeasured = checkpoint_bot("own", house, checkpoint, UNMEASURED_EASY)
        late = timeout_bot(checkpoint, house, levels)
        assert late.choose_play(start, (3, 2), seed=3) == unmeasured.choose_play(start, (3, 2), seed=3)
        with pytest.raises(TavlaError, match="levels"):
            level_bot("easy", house, levels)
    with pytest.raises(TavlaError, match="level 'godlike': expected easy, medium, hard"):
        level_bot("godlike", NORTH_SULTAN, Levels(levels_path))  # type: ignore[arg-type]


def test_decide_plays_a_level(levels_path: Path) -> None:
    checkpoint = levels_path.parent / "hard"
    asked = ("decide", "play", "--dice", "32", "--checkpoint", checkpoint, "--levels", levels_path)
    assert len({ok(*asked, "--level", "easy", "--seed", seed) for seed in range(12)}) > 1
    assert ok(*asked, "--level", "hard") == ok(*asked)
    assert ok(*asked, "--level", "easy", "--seed", 3) == ok(*asked, "--timeout", "--seed", 3)
    assert "--level: easy looks as far as it does" in fails(*asked, "--level", "easy", "--ply", 1)
    assert "no --level, --ply or --time-ms with it" in fails(*asked, "--level", "easy", "--timeout")


# What ships


@pytest.mark.parametrize(("house", "match_length"), [("north-sultan", 3), ("oyna-tavla", 5)])
def test_the_shipped_levels_are_calibrated(house: str, match_length: int) -> None:
    """After one of the checkpoints is replaced, `make calibrate` measures its ladder anew."""
    found = Levels(SHIPPED).ladder(get_ruleset(house), match_length)
    assert found.match_length == match_length
    assert {name: level.target for name, level in found.levels.items()} == {
        "easy": 1200.0,
        "medium": 1500.0,
        "hard": 1750.0,
    }
    for name, level in found.levels.items():
        assert load_checkpoint(Levels(SHIPPED).folder(level)).card.weights_sha256 == level.weights_sha256, name
        low, high = level.interval
        assert level.target - 15 <= low <= level.rating <= high <= level.target + 15
    assert found.levels["hard"].noise == 0
    assert 0 < found.levels["medium"].noise < found.levels["easy"].noise


def test_no_shipped_level_makes_a_play_beyond_its_cap() -> None:
    report = measure_likeness(NORTH_SULTAN, Levels(SHIPPED), 3, games=60, seed=3, progress=None)
    easy, medium, hard = report.levels
    for level in report.levels:
        assert level.own_maximum <= level.cap + 1e-6
        assert level.phases["bear-off"].mean is not None
        assert level.phases["bear-off"].mean < 0.003
        # A clear decision is not missed by most.
        assert level.close[0].loss.median is not None
        assert level.close[0].loss.median < 0.01
    assert 0 == hard.loss.mean < (medium.loss.mean or 0) < (easy.loss.mean or 0)
    assert easy.own_maximum > medium.cap / 2


# The report


def test_the_report_says_what_plays_lose(levels_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "likeness"
    report = ok_json("levels", "--levels", levels_path, "--report", out, "--games", 4)
    assert json.loads((out / "report.json").read_text()) == report
    page = (out / "report.html").read_text()
    assert page.count("<svg") >= 4
    assert "<script" not in page
    easy, _, hard = report["levels"]
    assert hard["loss"]["same_share"] == 1
    assert hard["kinds"] == []
    loss = easy["loss"]
    assert 0 <= loss["median"] <= loss["p90"] <= loss["p99"] <= loss["maximum"]
    assert sum(phase["decisions"] for phase in easy["phases"].values()) == loss["decisions"]
    assert sum(one["loss"]["decisions"] for one in easy["close"]) == loss["decisions"]
    assert sum(kind["share"] for kind in easy["kinds"]) == pytest.approx(1)
    assert {kind["kind"] for kind in easy["kinds"]} <= set(KINDS)
    assert easy["own_maximum"] <= easy["cap"] + 1e-6
    assert easy["examples"][0]["loss"] == loss["maximum"]
    again = ok_json("levels", "--levels", levels_path, "--report", tmp_path / "again", "--games", 4)
    assert again == report


def test_a_report_of_bad_input_is_one_line(levels_path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    asked = ("levels", "--levels", levels_path, "--report")
    assert "expected a folder" in fails(*asked, tmp_path / "file")
    assert "3 games: expected an even number" in fails(*asked, tmp_path / "out", "--games", 3)
    assert "gul-bara: a turn is more than one play" in fails(*asked, tmp_path / "out", "--ruleset", "gul-bara")
    assert not (tmp_path / "out").exists()


def test_levels_lists_the_ladders(levels_path: Path, replaced_path: Path) -> None:
    assert "another one was measured" not in ok("levels", "--levels", levels_path)
    assert ok("levels", "--levels", replaced_path).count("another one was measured") == 9
    listed = ok_json("levels", "--levels", levels_path, "--ruleset", "oyna-tavla")
    assert [one["ruleset"] for one in listed["ladders"]] == ["oyna-tavla"]
    assert "unknown ruleset" in fails("levels", "--levels", levels_path, "--ruleset", "nowhere")
    assert "no levels of portes" in fails("levels", "--levels", levels_path, "--ruleset", "portes")


# Calibration


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gap is as asked for if it is known to be within 150 Elo, which few matches tell."""
    monkeypatch.setattr("tavla_ai.strength.calibration.TOLERANCE", 150.0)
    monkeypatch.setattr("tavla_ai.strength.calibration._STEPS", 2)


EASY_NETWORK = SHIPPED.parent / "tavla" / "easy"
NETWORKS = ("--hard", EASY_NETWORK, "--medium", EASY_NETWORK, "--easy", EASY_NETWORK)


def calibrated(out: Path, *args: object) -> dict[str, Any]:
    asked = ("calibrate", *NETWORKS, "--matches", 200, "--search-matches", 60, "--workers", 1, "--out", out, "--json")
    result = CliRunner().invoke(main, [str(arg) for arg in (*asked, *args)])
    assert result.exit_code == 0, result.stderr
    assert "measured: easy with noise" in result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("quick")
def test_a_calibration_finds_noise_with_the_gaps_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "sub" / "levels.yaml"
    out.parent.mkdir()
    write_levels(out.parent, ladder(), ladder("oyna-tavla", 5))
    found = calibrated(out)
    levels = found["ladder"]["levels"]
    assert 0 == levels["hard"]["noise"] < levels["medium"]["noise"] < levels["easy"]["noise"]
    assert levels["medium"]["rating"] == levels["medium"]["target"] == 1500
    for gap in found["gaps"]:
        assert gap["target"] - 150 <= gap["interval"][0] <= gap["gap"] <= gap["interval"][1] <= gap["target"] + 150
    assert levels["hard"]["rating"] - 1500 == pytest.approx(found["gaps"][0]["gap"], abs=0.1)
    assert 1500 - levels["easy"]["rating"] == pytest.approx(found["gaps"][1]["gap"], abs=0.1)
    # The other ladder stays, and the folders are found from the file.
    written = Levels(out)
    assert [one.ruleset for one in written.ladders] == ["north-sultan", "oyna-tavla"]
    assert json.loads(written.ladders[0].model_dump_json()) == found["ladder"]
    assert written.folder(written.ladders[0].levels["easy"]).resolve() == EASY_NETWORK
    assert make_bot("easy", NORTH_SULTAN, written, 3).style.noise == levels["easy"]["noise"]
    # The same seed gives the same levels, on more threads too.
    assert calibrated(tmp_path / "again.yaml", "--workers", 2)["gaps"] == found["gaps"]


def test_a_calibration_that_cannot_be_writes_nothing(tmp_path: Path) -> None:
    weak, out = write_checkpoint(tmp_path / "weak"), tmp_path / "levels.yaml"
    few = ("--matches", 40000, "--search-matches", 100, "--workers", 1, "--out", out)

    def refused(*args: object) -> str:
        result = CliRunner().invoke(main, [str(arg) for arg in ("calibrate", *NETWORKS, *few, *args)])
        assert result.exit_code == 2
        assert not out.exists()
        line = result.stderr.strip().splitlines()[-1]
        assert line.startswith("error: ")
        return line

    assert "Elo below hard without noise; expected at most the gap of 250: take a stronger" in refused("--medium", weak)
    assert "the largest; expected at least the gap of 7500" in refused("--ratings", "easy=1,medium=1500,hard=9000")
    assert "100 matches: they tell a gap of 300 Elo to ±" in refused("--matches", 100)


def test_bad_input_of_a_calibration_is_one_line(tmp_path: Path) -> None:
    asked = ("calibrate", *NETWORKS, "--out", tmp_path / "levels.yaml", "--ratings")
    assert "expected them to rise from easy to hard" in fails(*asked, "easy=1500,medium=1200,hard=1750")
    assert "expected one for each of easy, medium, hard" in fails(*asked, "easy=1200,hard=1750")
    assert "level 'novice': expected easy, medium, hard" in fails(*asked, "novice=1,medium=2,hard=3")
    assert "expected BOT=NUMBER" in fails(*asked, "easy,medium=2,hard=3")
    good = "easy=1200,medium=1500,hard=1750"
    assert "match length 4" in fails(*asked, good, "--match-length", 4)
    assert "expected an even number" in fails(*asked, good, "--search-matches", 5)
    assert "expected an even number" in fails(*asked, good, "--matches", 5)
    assert "no such checkpoint" in fails(*asked, good, "--hard", tmp_path / "none")
    (tmp_path / "levels.yaml").write_text("a: [")
    assert "no file of levels" in fails(*asked, good)
    assert "cannot be written" in fails(*asked, good, "--out", tmp_path / "levels.yaml" / "mine.yaml")
    assert (tmp_path / "levels.yaml").read_text() == "a: ["


@pytest.mark.slow
def test_a_ladder_holds_where_nobody_has_looked() -> None:
    """The shipped levels on dice that no calibration has seen."""
    bots = [make_bot(name, NORTH_SULTAN, Levels(SHIPPED), 3) for name in LEVEL_NAMES]
    for weaker, stronger, share in ((0, 1, 0.849), (1, 2, 0.808)):
        result = play_pairing(NORTH_SULTAN, bots[stronger], bots[weaker], 6000, 987_654_321, 3)
        assert result.match_win_share == pytest.approx(share, abs=0.02)
    assert np.isfinite(result.share)


# Strength


@pytest.fixture
def own_levels(levels_path: Path, tmp_path: Path) -> Path:
    """A file of levels that a test may write to."""
    shutil.copytree(levels_path.parent, tmp_path / "own")
    levels = Levels(tmp_path / "own" / levels_path.name)
    measured = []
    for one in levels.ladders:
        cards = {name: load_checkpoint(levels.folder(rated)).card for name, rated in one.levels.items()}
        rated = {
            name: level.model_copy(update={"weights_sha256": cards[name].weights_sha256})
            for name, level in one.levels.items()
        }
        measured.append(one.model_copy(update={"levels": rated}))
    return save_levels(levels.path, tuple(measured)).path


def test_a_level_is_measured_as_it_plays(own_levels: Path) -> None:
    measure = ("measure", "easy", "--levels", own_levels, "--games", 20, "--seed", 9)
    found = ok_json(*measure, "--opponent", "random")
    (rated,) = found["results"]
    assert (rated["opponent"], rated["games"], rated["seed"]) == ("random", 20, 9)
    played = ok_json("tournament", "easy", "random", "--levels", own_levels, "--games", 20, "--seed", 9)
    assert rated["points_per_game"] == played["pairings"][0]["points_per_game"]

    ladders = Levels(own_levels).ladders
    assert [len(one.levels["easy"].results) for one in ladders] == [1, 0, 0]
    assert all(not one.levels["medium"].results for one in ladders)
    # Another opponent stands beside it, the same again replaces it.
    ok_json(*measure, "--opponent", "pubeval")
    ok_json(*measure, "--opponent", "random", "--seed", 10)
    results = Levels(own_levels).ladders[0].levels["easy"].results
    assert [(result.opponent, result.seed) for result in results] == [("pubeval", 9), ("random", 10)]


def test_the_tables_are_of_what_was_measured(own_levels: Path) -> None:
    ok_json("measure", "easy", "--levels", own_levels, "--games", 20, "--opponent", "random")
    ok_json("measure", own_levels.parent / "hard", "--games", 20, "--opponent", "pubeval")
    document = own_levels.parent / "README.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    ok("levels", "--table", document, "--levels", own_levels, "--match-length", 3)
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| level |")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    random = Levels(own_levels).ladders[0].levels["easy"].results[0]
    assert f"{random.points_per_game:+.3f}".replace("-", "−") in rows["Easy"]
    (pubeval,) = load_checkpoint(own_levels.parent / "hard").card.results
    assert f"{pubeval.points_per_game:+.3f}".replace("-", "−") in rows["Hard"]
    assert "±" not in rows["Medium"]
    assert "1752" in rows["Hard"]


def test_a_replaced_network_is_refused_but_a_time_out_is_played(levels_path: Path, replaced_path: Path) -> None:
    start, match = Position.start(NORTH_SULTAN), MatchState(length=3)
    network = load_checkpoint(levels_path.parent / "easy")
    levels = Levels(replaced_path)
    with pytest.raises(TavlaError, match="easy was measured with other weights"):
        level_bot("easy", NORTH_SULTAN, levels, 3)
    unmeasured = checkpoint_bot("own", NORTH_SULTAN, network, UNMEASURED_EASY)
    late = timeout_bot(network, NORTH_SULTAN, levels, 3)
    assert late.choose_play(start, (3, 2), match, seed=3) == unmeasured.choose_play(start, (3, 2), match, seed=3)


def test_a_level_whose_network_was_replaced_is_measured_anew_first(replaced_path: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"{BEGIN}\n{END}\n")
    for command in (
        ("measure", "easy", "--games", 2),
        ("levels", "--table", tmp_path / "README.md"),
        ("tournament", "easy", "random", "--games", 2),
    ):
        assert "was measured with other weights" in fails(*command, "--levels", replaced_path)


def test_mistakes_of_measuring_levels_are_one_line(own_levels: Path, tmp_path: Path) -> None:
    assert "--ply" in fails("measure", "easy", "--levels", own_levels, "--ply", 1)
    assert "--ruleset" in fails("measure", own_levels.parent / "easy", "--ruleset", "portes")
    assert "portes" in fails("measure", "easy", "--levels", own_levels, "--ruleset", "portes")
    (tmp_path / "plain.md").write_text("no marks")
    assert "plain.md: expected a line" in fails("levels", "--levels", own_levels, "--table", tmp_path / "plain.md")
    assert "nowhere.md" in fails("levels", "--levels", own_levels, "--table", tmp_path / "nowhere.md")
    assert (tmp_path / "plain.md").read_text() == "no marks"


def test_the_readme_shows_what_the_cards_say() -> None:
    text = (SHIPPED.parents[1] / "README.md").read_text()
    begin, end = text.index(BEGIN) + len(BEGIN) + 1, text.index(END)
    levels = Levels(SHIPPED)
    tables = strength_tables(levels, levels.ladders[0]).replace(str(SHIPPED.parents[1]) + "/", "")
    assert text[begin:end] == tables
