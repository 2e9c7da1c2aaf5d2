"""The command line: results on stdout, one line and exit code 2 for a user's mistake, never a traceback."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from cases import MATCHES
from checkpoints_fixture import write_checkpoint
from command_line import fails, ok, ok_json, run, tavla
from levels_fixture import ladder, write_levels

import tavla_ai
from tavla_ai import engine
from tavla_ai.cli import main
from tavla_ai.network import CARD_FILE, WEIGHTS_FILE, Result
from tavla_ai.rules import compile_rules, get_ruleset, match_set_names, ruleset_names

START = "4HPwATDgc/ABMA"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = Result(
        opponent="pubeval",
        games=10_000,
        points_per_game=0.512,
        standard_error=0.013,
        win_share=0.68,
        mars_share=0.31,
        seed=5,
    )
    return write_checkpoint(tmp_path_factory.mktemp("cli") / "small", results=(result,))


# The group


def test_no_command_shows_help() -> None:
    assert ok() == ok("--help")


def test_version() -> None:
    assert ok("--version") == f"tavla, version {tavla_ai.__version__}\n"


def commands(group: click.Group = main, *path: str) -> dict[str, click.Command]:
    """Return every command by how it is called, those of groups too."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[" ".join((*path, name))] = command
        if isinstance(command, click.Group):
            found |= commands(command, *path, name)
    return found


def examples(command: click.Command) -> list[str]:
    return re.findall(r"^ *tavla (.*)$", command.help or "", re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_help_has_an_example(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # In a checkout `train --help` is the trainer's.
    assert re.search(rf"Examples?:\n +tavla {name}\b", ok(*name.split(), "--help"))


# What would need other files, build tables or never end.
ELSEWHERE = [
    "export",
    "train",
    "bench",
    "bearoff",
    "calibrate",
    "dice-verify",
    "error-rate",
    "external",
    "measure",
    "replay",
]


@pytest.mark.parametrize(
    "example",
    [
        example
        for name, command in {"": main, **commands()}.items()
        if name.split(" ")[0] not in ELSEWHERE
        for example in examples(command)
    ],
)
def test_the_examples_work(example: str, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(checkpoint, tmp_path / "checkpoints" / "tavla")
    write_checkpoint(tmp_path / "checkpoints" / "backgammon", "oyna-backgammon", num_scores=6)
    write_levels(tmp_path / "checkpoints", ladder(checkpoint="tavla"))
    shutil.copy(MATCHES / "cubeless-7.mat", tmp_path / "match.mat")
    # Nobody asks anything of `ubgi` here.
    assert ok(*shlex.split(example)) or example.startswith("ubgi")


def test_an_unknown_command_or_option_is_one_line() -> None:
    assert "No such command 'bogus'" in fails("bogus")
    assert "--bogus" in fails("moves", "--bogus")


def test_an_unreadable_file_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr("tavla_ai.cli.inspect.load_checkpoint", refuse)
    assert fails("inspect", "x") == "error: some/file: Permission denied"


def test_ctrl_c_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tavla_ai.cli.tournament.play_tournament", interrupt)
    result = run("tournament", "pubeval", "random")
    assert result.exit_code == 130
    assert result.output.strip() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_stops_a_running_tournament() -> None:
    process = subprocess.Popen(
        tavla("tournament", "pubeval", "random", "--games", "1000000000"), stderr=subprocess.PIPE, text=True
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr.strip() == ""


def test_what_the_terminal_cannot_show_is_no_traceback() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(tavla("rulesets", "portes"), env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, tavla_ai.cli; sys.exit(bool({'torch', 'ray', 'onnxruntime'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# tournament


def test_tournament_prints_pairings_and_totals(checkpoint: Path) -> None:
    out = ok("tournament", checkpoint, "random", "pubeval", "--games", "40", "--seed", "3")
    assert "north-sultan, single games, seed 3" in out
    assert out.count(str(checkpoint)) == 3  # two pairings and a total
    assert "All pairings" in out


def test_tournament_json() -> None:
    data = ok_json("tournament", "pubeval", "random", "--games", "40")
    (pairing,) = data["pairings"]
    assert (pairing["a"], pairing["b"], pairing["games"]) == ("pubeval", "random", 40)
    assert pairing["points_per_game"] > 1.5
    assert [total["name"] for total in data["totals"]] == ["pubeval", "random"]


def test_tournament_plays_matches() -> None:
    args = ("tournament", "pubeval", "random", "--games", "20", "--match-length", "5", "--ruleset", "oyna-tavla")
    data = ok_json(*args)
    assert (data["ruleset"], data["match_length"], data["pairings"][0]["matches"]) == ("oyna-tavla", 5, 20)
    assert "matches to 5" in ok(*args)


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_tournament_of_every_game(ruleset: str, tmp_path: Path) -> None:
    scores = get_ruleset(ruleset).scores
    path = write_checkpoint(tmp_path / "net", ruleset, num_scores=len(scores))
    args = ("tournament", path, "random", "--games", "10", "--ruleset", ruleset)
    pairing = ok_json(*args)["pairings"][0]
    assert pairing["games"] == 10
    assert ("draws %" in ok(*args)) == (0 in scores)
    args = (*args, "--match-length", get_ruleset(ruleset).default_match_length)
    assert ok_json(*args)["pairings"][0]["matches"] == 10
    assert ("draws %" in ok(*args)) == (0 in scores)


def test_tournament_does_not_depend_on_workers(checkpoint: Path) -> None:
    results = []
    for workers in (0, 1, 3):
        data = ok_json("tournament", checkpoint, "pubeval", "--games", "102", "--workers", workers)
        del data["pairings"][0]["games_per_second"]
        results.append(data)
    assert results[0] == results[1] == results[2]


def test_a_tournament_is_kept_and_gone_on_with(checkpoint: Path, tmp_path: Path) -> None:
    args = ("tournament", checkpoint, "random", "--games", "10", "--out", tmp_path / "out", "--luck")
    out = ok(*args, "--mat")
    assert "without luck" in out
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"results.jsonl", "report.html", "mat"}
    assert len(list((tmp_path / "out" / "mat").iterdir())) == 10
    ok(*args)
    assert "other seed" in fails(*args, "--seed", "2")
    game = ok("replay", tmp_path / "out", "--game", "3")
    assert game.startswith("Game 1: ")
    assert "Wins" in ok("replay", tmp_path / "out", "--game", "3", "--mat")
    assert "expected 1 to 10" in fails("replay", tmp_path / "out", "--game", "11")


def test_a_ladder_is_the_checkpoints_of_a_run(tmp_path: Path) -> None:
    for number, name in enumerate(("checkpoints/round-0000001", "checkpoints/round-0000002", "final")):
        write_checkpoint(tmp_path / "run" / name, seed=number)
    data = ok_json("tournament", "--ladder", tmp_path / "run", "--games", "4")
    assert [(Path(p["a"]).name, Path(p["b"]).name) for p in data["pairings"]] == [
        ("round-0000001", "round-0000002"),
        ("round-0000002", "final"),
    ]
    data = ok_json("tournament", "random", "--ladder", tmp_path / "run", "--schedule", "gauntlet", "--games", "4")
    assert [p["a"] for p in data["pairings"]] == ["random"] * 3
    assert "no training run with checkpoints" in fails("tournament", "random", "--ladder", tmp_path)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["random"], "a tournament of 1: expected at least 2 bots"),
        ([], "a tournament of 0"),
        (["pubeval", "random", "--luck"], "--luck: nobody here has a network to judge it"),
        (["pubeval", "random", "--mat"], "--mat writes into the folder of --out"),
        (["pubeval", "random", "--until-ci", "0"], "expected more than 0"),
        (["random", "pubeval", "--ruleset", "zar-greek"], "pubeval: plays only the opposed, hitting games"),
        (["random", "fevga=random", "--ruleset", "zar-greek"], "fevga=random: expected a bot for each game, such as"),
        (
            ["random", "fevga=random,fevga=random", "--ruleset", "zar-greek"],
            "expected each of portes, plakoto-greek, fevga",
        ),
        (["random", "random", "--ruleset", "zar-greek", "--judge", "DIR"], "DIR: expected a checkpoint for each game"),
        (["random", "random", "--ruleset", "zar-greek", "--luck"], "nobody here has a network to judge it"),
        (["random", "random", "--ruleset", "zar-greek", "--match-length", "4"], "zar-greek is played to 3, 5, 7"),
        (["random", "random", "--ruleset", "fevga", "--mat", "--out", "x"], "hold tavla and backgammon only"),
        (
            ["random", "pubevil"],
            "unknown bot 'pubevil'; expected random, pubeval, easy, medium, hard, gnubg:PLY, sage:PLY or a "
            "checkpoint's folder",
        ),
        (["random", "no/such"], "unknown bot 'no/such'"),
        (["random", "pubeval", "--games", "7"], "7 games: expected an even number"),
        (["random", "pubeval", "--games", "0"], "0 games"),
        (["random", "pubeval", "--games", "many"], "'--games': 'many' is not a valid integer"),
        (["random", "pubeval", "--seed", "-1"], "'--seed'"),
        (["random", "pubeval", "--workers", "-1"], "'--workers'"),
        (["random", "pubeval", "--match-length", "4"], "match length 4: north-sultan is played to 1, 3, 5"),
        (["random", "pubeval", "--match-length", "0"], "match length 0"),
        (["random", "pubeval", "--match-length", "41", "--ruleset", "traditional"], "expected at most 40"),
        (["random", "pubeval", "--ruleset", "chess"], "unknown ruleset 'chess'; expected one of fevga, gul-bara"),
        (["random", "pubeval", "--ruleset", "plakoto"], "pubeval: plays only the opposed, hitting games, not plakoto"),
        (["random", "random", "--ruleset", "tawula", "--match-length", "3"], "tawula is played to 1"),
    ],
)
def test_tournament_mistakes(args: list[str], message: str) -> None:
    assert message in fails("tournament", *args)


# Checkpoints that cannot be used


def damage(path: Path, name: str, data: bytes) -> None:
    (path / name).write_bytes(data)


@pytest.fixture
def copy(checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint, tmp_path / "copy"))


@pytest.mark.parametrize(
    "command",
    [("inspect", "{}"), ("tournament", "{}", "random"), ("analyze", "--dice", "31", "--checkpoint", "{}")],
    ids=lambda command: command[0],
)
class TestBadCheckpoint:
    def fails(self, command: tuple[str, ...], path: Path) -> str:
        return fails(*(part.format(path) for part in command))

    def test_missing(self, command: tuple[str, ...], tmp_path: Path) -> None:
        path = tmp_path / "none"
        message = self.fails(command, path)
        assert f"{path}: no such checkpoint" in message or f"unknown bot '{path}'" in message

    def test_a_file(self, command: tuple[str, ...], copy: Path) -> None:
        assert "not a checkpoint" in self.fails(command, copy / CARD_FILE)

    def test_without_a_card(self, command: tuple[str, ...], copy: Path) -> None:
        (copy / CARD_FILE).unlink()
        assert f"it has no {CARD_FILE}" in self.fails(command, copy)

    @pytest.mark.parametrize(
        "data", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema_version": 99}', b'{"schema_version": 1}']
    )
    def test_a_damaged_card(self, command: tuple[str, ...], copy: Path, data: bytes) -> None:
        damage(copy, CARD_FILE, data)
        assert CARD_FILE in self.fails(command, copy)

    def test_a_card_with_a_wrong_value(self, command: tuple[str, ...], copy: Path) -> None:
        card = json.loads((copy / CARD_FILE).read_text())
        card["ruleset"]["opening"] = "coin"
        damage(copy, CARD_FILE, json.dumps(card).encode())
        assert "ruleset.opening" in self.fails(command, copy)

    def test_damaged_weights(self, command: tuple[str, ...], copy: Path) -> None:
        data = bytearray((copy / WEIGHTS_FILE).read_bytes())
        data[-1] ^= 1
        damage(copy, WEIGHTS_FILE, bytes(data))
        assert "damaged, its sha256 is" in self.fails(command, copy)

    def test_missing_weights(self, command: tuple[str, ...], copy: Path) -> None:
        (copy / WEIGHTS_FILE).unlink()
        assert f"{WEIGHTS_FILE}: cannot be read" in self.fails(command, copy)


@pytest.mark.parametrize(
    "command",
    [("tournament", "{}", "random"), ("analyze", "--dice", "31", "--checkpoint", "{}")],
    ids=lambda command: command[0],
)
def test_a_checkpoint_of_another_game_is_refused(command: tuple[str, ...], checkpoint: Path, tmp_path: Path) -> None:
    args = [part.format(checkpoint) for part in command]
    ok(*args, "--ruleset", "portes", *(["--games", "2"] if args[0] == "tournament" else []))
    assert "trained for north-sultan" in fails(*args, "--ruleset", "traditional")
    six = write_checkpoint(tmp_path / "six", num_scores=6)
    assert "predicts 6 scores" in fails(*(part.format(six) for part in command))


# inspect


def test_inspect_is_readable(checkpoint: Path) -> None:
    out = ok("inspect", checkpoint)
    for text in ("north-sultan", "12,000", "340,000", "210-8-8-4", "0123abc", "pubeval", "+0.512 +- 0.013", "68.0"):
        assert text in out
    assert ok_json("inspect", checkpoint) == json.loads((checkpoint / CARD_FILE).read_text())


def test_inspect_without_results(tmp_path: Path) -> None:
    assert "not been measured" in ok("inspect", write_checkpoint(tmp_path / "new"))


# moves


def test_moves_shows_the_board_and_every_play() -> None:
    out = ok("moves", "--position", START, "--dice", "31")
    assert "+13-14-15" in out
    assert "16 legal plays of 3-1" in out
    assert "8/5 6/5" in out
    assert out == ok("moves", "--dice", "3-1")


def test_moves_json_gives_the_position_after_each_play() -> None:
    data = ok_json("moves", "--position", START, "--dice", "31")
    assert (data["position"], data["dice"], len(data["plays"])) == (START, [3, 1], 16)
    # Checked against GNU Backgammon 1.07: the board after 8/5 6/5 with the other side on roll.
    after = {play["play"]: play["position"] for play in data["plays"]}
    assert after["8/5 6/5"] == "sGfwATDgc/ABMA"
    assert all(set(play) == {"play", "steps", "position", "score"} for play in data["plays"])
    assert all(play["score"] is None for play in data["plays"])


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_moves_of_every_game(ruleset: str) -> None:
    args = ("moves", "--ruleset", ruleset, "--dice", "63")
    plain = ok_json(*args)
    assert (plain["ruleset"], plain["scores"]) == (ruleset, list(get_ruleset(ruleset).scores))
    # The position of the answer is one that the command takes.
    again = ok_json(*args, "--position", plain["position"])
    assert again == plain
    assert ok(*args, "--position", plain["plays"][0]["position"])


def test_moves_shows_a_play_that_ends_the_game() -> None:
    data = ok_json("moves", "--ruleset", "plakoto", "--position", "2:1 20:14 / 24:1 13:14", "--dice", "11")
    scores = {play["play"]: play["score"] for play in data["plays"]}
    # His mother is pinned and my start is empty: the other dice are not played.
    assert scores["2/1^"] == 2


def test_moves_without_a_move() -> None:
    # On the bar against six closed points.
    position = tavla_ai.Position.from_sides({6: 14}, dict.fromkeys(range(1, 7), 2) | {8: 3}, bar=(1, 0))
    out = ok("moves", "--position", position.to_id(), "--dice", "65")
    assert "1 legal play of 6-5" in out
    assert "(no move)" in out


@pytest.mark.parametrize("dice", ["07", "3", "abc", "311", "77", "", "-1", "3.1", "60"])
def test_moves_refuses_other_dice(dice: str) -> None:
    assert re.search(
        r"error: (die \d: expected 1 to 6|dice '.*': expected two digits)", fails("moves", f"--dice={dice}")
    )


def test_moves_needs_dice() -> None:
    assert "Missing option '--dice'" in fails("moves")


BOTH_ON_ONE_POINT = tavla_ai.Position.start(tavla_ai.get_ruleset("north-sultan")).board.copy()
BOTH_ON_ONE_POINT[0, 6], BOTH_ON_ONE_POINT[0, 1] = 4, 1  # my ace point is the opponent's 24


@pytest.mark.parametrize(
    "command", [("moves", "--dice", "31"), ("perft", "--depth", "1")], ids=lambda command: command[0]
)
@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("", "0 characters, expected 14"),
        ("4HPwATDgc/ABM", "13 characters, expected 14"),
        ("4HPwATDgc/ABMAA", "15 characters, expected 14"),
        ("4HPwATDgc_ABMA", "'_' at index 9"),
        ("4HPwATDgc/ABMé", "'é' at index 13"),
        ("4HPwATDgc/ABMB", "expected A, Q, g, w"),
        ("//////////////", "'/' at index 13"),
        ("/////////////w", "its bits end before both sides are placed"),
        (tavla_ai.Position(BOTH_ON_ONE_POINT).to_id(), "point 1: both sides stand on it"),
        ("AAAAAAAAAAAAAA", "off: both sides have 15"),
        (tavla_ai.Position.from_sides({}, {6: 15}).to_id(), "the game is over"),
        (tavla_ai.Position.from_sides({6: 15}, {}).to_id(), "the game is over"),
    ],
)
def test_bad_positions_are_refused(command: tuple[str, ...], position: str, message: str) -> None:
    line = fails(*command, "--position", position)
    assert line.startswith(f"error: position ID {position!r}: ")
    assert message in line


@pytest.mark.parametrize(
    ("ruleset", "position", "message"),
    [
        (
            "fevga",
            START,
            f"position ID '{START}': IDs are of tavla and backgammon only; fevga takes a text such as '24:15",
        ),
        ("fevga", "24:15 off:1 / 24:15", "mover has 16 checkers"),
        ("fevga", "24:15", "0 slashes"),
        ("fevga", "24:15 / x:15", "'x:15' at index 8"),
        ("fevga", "24:14 12:1 / 24:15", "both sides stand"),
        ("fevga", "24:15 / off:15", "the game is over"),
        ("tawula", "1:14 / bar:1 1:14", "the game is over"),
        ("plakoto", "1:15 / 24:1 13:14 pin:24", "the game is over"),
        ("north-sultan", "24:2 13:5 8:3 6:4 1:1 / 24:2 13:5 8:3 6:5", "point 1: both sides"),
    ],
)
def test_bad_position_texts_are_refused(ruleset: str, position: str, message: str) -> None:
    line = fails("moves", "--ruleset", ruleset, "--dice", "31", "--position", position)
    assert line.startswith(f"error: position{' ID' if position == START else ''} {position!r}: ")
    assert message in line


def test_a_position_text_is_as_good_as_an_id() -> None:
    text = tavla_ai.Position.from_id(START).to_text(get_ruleset("north-sultan"))
    assert ok_json("moves", "--position", text, "--dice", "31") == ok_json("moves", "--dice", "31")


@pytest.mark.parametrize("text", [f"{START}:cAkAAAAAAAAA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"])
def test_positions_of_other_programs_are_taken(text: str) -> None:
    assert ok_json("moves", "--position", text, "--dice", "31") == ok_json("moves", "--dice", "31")
    line = fails("moves", "--ruleset", "fevga", "--position", text, "--dice", "31")
    assert f"{text!r}: " in line
    assert "s are of tavla and backgammon only; fevga takes a text such as" in line


def test_moves_refuses_an_unknown_ruleset() -> None:
    assert "unknown ruleset 'tavli'" in fails("moves", "--ruleset", "tavli", "--dice", "31")


# perft


def test_perft_counts() -> None:
    assert ok("perft", "--depth", "1") == "447\n"
    assert ok("perft") == "202782\n"
    assert ok_json("perft", "--depth", "2") == {
        "ruleset": "north-sultan",
        "position": START,
        "depth": 2,
        "count": 202782,
    }


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_perft_is_the_engines(ruleset: str) -> None:
    # A race close to its end: finished games go no deeper.
    text = "3:1 2:1 1:2 / 3:1 1:2"
    rules = compile_rules(get_ruleset(ruleset))
    board = tavla_ai.Position.from_text(text, get_ruleset(ruleset)).board
    for depth in (1, 2, 3):
        args = ("perft", "--ruleset", ruleset, "--position", text, "--depth", depth)
        assert int(ok(*args)) == engine.perft(rules, board, depth)


@pytest.mark.parametrize("ruleset", ["plakoto", "fevga", "gul-bara", "tawula"])
def test_perft_from_the_start_of_other_games(ruleset: str) -> None:
    rules = compile_rules(get_ruleset(ruleset))
    data = ok_json("perft", "--ruleset", ruleset)
    assert data["count"] == engine.perft(rules, rules.start(), 2)
    assert ok_json("perft", "--ruleset", ruleset, "--position", data["position"]) == data


def test_perft_divides_by_roll() -> None:
    lines = ok("perft", "--depth", "1", "--divide").splitlines()
    assert lines[:3] == ["11: 42", "21: 15", "22: 75"]
    assert len(lines) == 22
    assert sum(int(line.split()[1]) for line in lines[:-1]) == int(lines[-1]) == 447
    assert ok_json("perft", "--depth", "1", "--divide")["rolls"]["31"] == 16


@pytest.mark.parametrize("depth", ["0", "-1", "x"])
def test_perft_refuses_other_depths(depth: str) -> None:
    assert "'--depth'" in fails("perft", "--depth", depth)


# rulesets


def test_rulesets_are_listed() -> None:
    out = ok("rulesets")
    assert all(name in out for name in (*ruleset_names(), *match_set_names()))
    data = ok_json("rulesets")
    assert [ruleset["name"] for ruleset in data["rulesets"]] == list(ruleset_names())
    assert [match_set["name"] for match_set in data["match_sets"]] == list(match_set_names())


def test_a_set_is_shown_in_full() -> None:
    out = ok("rulesets", "zar-greek")
    assert re.search(r"games +portes, plakoto-greek, fevga ", out)
    assert ok_json("rulesets", "zar-greek")["match_lengths"] == [3, 5, 7]


def test_a_ruleset_is_shown_in_full() -> None:
    out = ok("rulesets", "traditional")
    assert re.search(r"hit_and_run +no ", out)
    assert re.search(r"match_lengths +any ", out)
    assert re.search(r"setup +24: 2, 13: 5, 8: 3, 6: 5 ", out)
    assert tavla_ai.Ruleset.model_validate(ok_json("rulesets", "traditional")) == tavla_ai.get_ruleset("traditional")


def test_an_unknown_ruleset_lists_the_known() -> None:
    assert ", ".join(ruleset_names()) in fails("rulesets", "gammon")


# export and train


@pytest.mark.parametrize(
    "args", [[], ["x"], ["--out", "y"], ["x", "--verify", "y"], ["--verify", "y", "--out", "z"]], ids=" ".join
)
def test_export_needs_one_task(args: list[str]) -> None:
    assert "--verify" in fails("export", *args)


def test_export_reports_what_is_missing(tmp_path: Path) -> None:
    assert "no such checkpoint" in fails("export", tmp_path / "none", "--out", tmp_path / "bundle")
    assert str(tmp_path / "none") in fails("export", "--verify", tmp_path / "none")


def test_training_runs_from_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "training runs from a checkout" in fails("train", "--config", "x.yaml")


@pytest.mark.skipif(sys.platform == "win32", reason="replaces the process")
def test_train_hands_over_to_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "__init__.py").touch()
    (tmp_path / "train" / "__main__.py").write_text("import sys; print(sys.argv[1:]); sys.exit(3)\n")
    args = ["--config", "x.yaml", "--set", "td.lambda=0.7", "--help"]
    done = subprocess.run(tavla("train", *args), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{args}\n", "")


# The public surface


def test_the_public_surface_is_sorted_and_real() -> None:
    assert tavla_ai.__all__ == sorted(tavla_ai.__all__)
    assert all(hasattr(tavla_ai, name) for name in tavla_ai.__all__)
    assert isinstance(main, click.Group)
