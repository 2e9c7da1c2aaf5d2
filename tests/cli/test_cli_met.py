"""`tavla met`: what it prints, where the shares come from, and what it refuses."""

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json

from tavla_ai.errors import CheckpointError
from tavla_ai.match import match_equity
from tavla_ai.network import CARD_FILE, load_checkpoint
from tavla_ai.rules import get_match_set, get_ruleset

EDGE = (0.2, 0.38, 0.32, 0.1)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("met") / "measured", ruleset="portes", score_shares=EDGE)


def met(*args: object) -> str:
    return ok("met", *args)


def met_json(*args: object) -> Any:
    return ok_json("met", *args)


def met_fails(*args: object) -> str:
    return fails("met", *args)


# What is printed


def test_the_table_of_the_house() -> None:
    lines = met().splitlines()
    assert lines[0] == "north-sultan, match to 3, either side starts: match-winning chance in %"
    assert lines[1].startswith("Score shares of north-sultan: assumed: 27.0 % of wins count more than a point")
    rows = [line.split() for line in lines[2:] if line.strip()]
    assert rows[0] == ["away", "1", "2", "3"]
    assert rows[2:] == [["1", "50.0", "68.2", "81.7"], ["2", "31.8", "50.0", "65.8"], ["3", "18.3", "34.2", "50.0"]]


def test_backgammon_has_a_second_table() -> None:
    text = met("--ruleset", "oyna-backgammon", "--length", 5)
    assert "After the Crawford game, the opponent 1 away" in text
    assert "After the Crawford game" not in met("--ruleset", "oyna-backgammon", "--length", 1)
    data = met_json("--ruleset", "oyna-backgammon", "--length", 5)
    equity = match_equity(get_ruleset("oyna-backgammon"), 5)
    assert data["tables"][0]["mwc"] == equity.table()[1:, 1:].tolist()
    assert data["tables"][0]["after_crawford"] == equity.after_crawford()[1:].tolist()


def test_a_set_has_a_table_for_each_game() -> None:
    text = met("--ruleset", "zar-greek", "--length", 7)
    for number, game in enumerate(("portes", "plakoto-greek", "fevga"), 1):
        assert f"zar-greek, game {number}: {game}, match to 7" in text
    data = met_json("--ruleset", "zar-greek")
    assert (data["ruleset"], data["length"], data["starter"]) == ("zar-greek", 5, "fresh")
    assert [table["game"] for table in data["tables"]] == ["portes", "plakoto-greek", "fevga"]
    assert data["tables"][0]["after_crawford"] is None
    equity = match_equity(get_match_set("zar-greek"), 5)
    for game, table in enumerate(data["tables"]):
        assert table["mwc"] == equity.table(game)[1:, 1:].tolist()


@pytest.mark.parametrize(
    ("starter", "title"),
    [("me", "the player starts"), ("opponent", "the opponent starts"), ("fresh", "either side starts")],
)
def test_who_starts(starter: str, title: str) -> None:
    options = ("--ruleset", "portes", "--shares", "0.2,0.38,0.32,0.1", "--starter", starter)
    assert f"portes, match to 5, {title}: " in met(*options)
    equity = match_equity(get_ruleset("portes"), 5, {"portes": EDGE})
    assert met_json(*options)["tables"][0]["mwc"] == equity.table(starter=starter)[1:, 1:].tolist()


def test_csv_has_a_line_for_each_score(tmp_path: Path) -> None:
    met("--ruleset", "oyna-backgammon", "--length", 4, "--csv", tmp_path / "met.csv")
    with (tmp_path / "met.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16 + 4
    equity = match_equity(get_ruleset("oyna-backgammon"), 4)
    for row in rows:
        assert (row["game"], row["starter"]) == ("oyna-backgammon", "fresh")
        away, opp_away = int(row["away"]), int(row["opp_away"])
        if row["after_crawford"] == "yes":
            assert opp_away == 1
            assert float(row["mwc"]) == equity.after_crawford()[away]
        else:
            assert float(row["mwc"]) == equity.table()[away, opp_away]


def test_plot_has_a_number_in_each_cell(tmp_path: Path) -> None:
    met("--ruleset", "zar-greek", "--length", 3, "--plot", tmp_path / "met.svg")
    root = ET.fromstring((tmp_path / "met.svg").read_text(encoding="utf-8"))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    cells = list(root.iter(f"{SVG}rect"))[1:]
    assert len(cells) == 3 * 9
    assert texts.count("50.0") == 9
    assert sum("match to 3" in (text or "") for text in texts) == 3
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for cell in cells:
        assert float(cell.attrib["x"]) + float(cell.attrib["width"]) <= width
        assert float(cell.attrib["y"]) + float(cell.attrib["height"]) <= height


# Where the shares come from


def test_shares_of_a_card(measured: Path) -> None:
    text = met("--ruleset", "portes", "--checkpoint", measured)
    assert f"Score shares of portes: measured in {measured}, in games of portes" in text
    data = met_json("--ruleset", "portes", "--checkpoint", measured)
    assert data["score_shares"]["portes"]["shares"] == list(EDGE)
    equity = match_equity(get_ruleset("portes"), 5, {"portes": EDGE})
    assert data["tables"][0]["mwc"] == equity.table()[1:, 1:].tolist()


def test_a_set_takes_from_a_card_what_it_is_about(measured: Path) -> None:
    data = met_json("--ruleset", "zar-greek", "--checkpoint", measured, "--shares", "fevga=0.1,0.42,0.4,0.08")
    sources = {game: shares["source"].split()[0] for game, shares in data["score_shares"].items()}
    assert sources == {"portes": "measured", "plakoto-greek": "assumed:", "fevga": "given"}


def test_given_shares_win(measured: Path) -> None:
    data = met_json("--ruleset", "portes", "--checkpoint", measured, "--shares", "portes=0.1,0.4,0.4,0.1")
    assert data["score_shares"]["portes"] == {"shares": [0.1, 0.4, 0.4, 0.1], "source": "given"}


def test_inspect_shows_the_shares(measured: Path) -> None:
    assert "20.0 / 38.0 / 32.0 / 10.0 %, best first" in ok("inspect", measured)


# What is refused


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--ruleset", "chess"), "unknown ruleset 'chess'"),
        (("--length", 0), "0 is not in the range"),
        (("--length", 41), "41 is not in the range"),
        (("--starter", "white"), "'white' is not one of"),
        (("--shares", "0.1,x"), "--shares '0.1,x': expected numbers"),
        (("--shares", ""), "--shares '': expected numbers"),
        (("--shares", "0.5,0.5"), "2 numbers, expected one for each of 2, 1, -1, -2"),
        (("--shares", "0.5,0.5,0.5,0.5"), "they add up to 2"),
        (("--shares", "portes=0.1,0.4,0.4,0.1"), "score shares of 'portes'"),
        (("--ruleset", "zar-greek", "--shares", "0.1,0.4,0.4,0.1"), "expected GAME=P,P,... with one of portes, "),
        (("--checkpoint", "nowhere"), "nowhere: no such checkpoint"),
        (("--csv", "no/such/folder/met.csv"), "No such file or directory"),
        (("--plot", "no/such/folder/met.svg"), "No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(args: tuple[object, ...], message: str) -> None:
    assert message in met_fails(*args)


def test_a_card_without_shares_is_refused(tmp_path: Path) -> None:
    unmeasured = write_checkpoint(tmp_path / "unmeasured")
    assert "its card has no score shares; measure them" in met_fails("--checkpoint", unmeasured)


def test_a_card_of_another_game_is_refused(measured: Path) -> None:
    assert "trained for portes, which does not play like fevga" in met_fails(
        "--ruleset", "fevga", "--checkpoint", measured
    )


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((0.5, 0.5), "score_shares: .*2 numbers, expected 4"),
        ((0.5, 0.5, 0.5, 0.5), "score_shares: .*expected probabilities that add up to 1"),
        ((1.5, -0.5, 0.0, 0.0), "score_shares: .*expected probabilities"),
        ((float("nan"),) * 4, "score_shares: .*expected probabilities"),
    ],
)
def test_a_card_with_wrong_shares_is_neither_written_nor_read(
    tmp_path: Path, shares: tuple[float, ...], message: str
) -> None:
    with pytest.raises(CheckpointError, match=message):
        write_checkpoint(tmp_path / "wrong", score_shares=shares)
    assert not (tmp_path / "wrong").exists()
    path = write_checkpoint(tmp_path / "right", score_shares=EDGE)
    assert load_checkpoint(path).card.score_shares == EDGE
    card = json.loads((path / CARD_FILE).read_text())
    card["score_shares"] = shares
    (path / CARD_FILE).write_text(json.dumps(card))
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(path)


def test_shares_without_a_win_are_used_as_given() -> None:
    """The side that starts may lose every game."""
    assert met_json("--shares", "0,0,0.5,0.5")["score_shares"]["north-sultan"]["source"] == "given"
