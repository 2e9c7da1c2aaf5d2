"""Dice that can be checked: statistics that find loaded dice and no others, and seeds promised and revealed."""

import hashlib
import json
import math
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import fails, ok, ok_json, run

from tavla_ai import dice as fairness
from tavla_ai import engine
from tavla_ai.dice import DiceSecret, audit, game_dice, read_rolls
from tavla_ai.errors import TavlaError
from tavla_ai.rules import compile_rules, get_ruleset

NORTH_SULTAN, OYNA = get_ruleset("north-sultan"), get_ruleset("oyna-tavla")
SALT = "000102030405060708090a0b0c0d0e0f"
DOCS = Path(__file__).parents[1] / "docs" / "dice.md"


def p_values(rolls: np.ndarray) -> dict[str, float | None]:
    return {test.name: test.p_value for test in audit(rolls).tests}


# Statistics


def test_every_test_is_right_as_often_as_it_says() -> None:
    """Of fair dice p is uniform: about one in twenty is below 0.05, and half are below one half."""
    rng = np.random.default_rng(1)
    runs = 1000
    found = np.array([list(p_values(rng.integers(1, 7, (600, 2))).values()) for _ in range(runs)], np.float64)
    assert not np.isnan(found).any()
    assert (abs((found < 0.05).mean(axis=0) - 0.05) < 4 * math.sqrt(0.05 * 0.95 / runs)).all()
    assert (abs((found < 0.5).mean(axis=0) - 0.5) < 0.08).all()


def test_the_engines_dice_pass() -> None:
    for rolls in (engine.rolls(7, 0, 1_000_000), engine.rolls(7, 0, 1_000_000)[::2]):
        values = list(p_values(rolls).values())
        assert min(value for value in values if value is not None) > 0.05 / len(values)


def loaded(name: str) -> tuple[np.ndarray, list[str]]:
    """Return 6000 rolls that are wrong in one way, and the tests that must see it."""
    rng = np.random.default_rng(2)
    rolls = rng.integers(1, 7, (6000, 2))
    again = rng.random(6000) < 0.1
    if name == "a face too often":
        rolls[again, 0] = 6
        return rolls, ["faces of the first die", "36 ordered pairs", "21 rolls"]
    if name == "second die":
        rolls[again, 1] = 1
        return rolls, ["faces of the second die"]
    if name == "one of 21 rolls":
        classes = np.array([(i, j) for i in range(1, 7) for j in range(1, i + 1)])
        rolls = rng.permuted(classes[rng.integers(0, 21, 6000)], axis=1)
        return rolls, ["21 rolls", "doubles", "36 ordered pairs"]
    if name == "repeats itself":
        for i in np.flatnonzero(again[1:]) + 1:
            rolls[i] = rolls[i - 1]
        return rolls, ["first die and the next first", "second die and the next second", "runs of large rolls"]
    if name == "second die comes again":
        for i in np.flatnonzero(again[1:]) + 1:
            rolls[i, 0] = rolls[i - 1, 1]
        return rolls, ["second die and the next first"]
    doubles = rolls[:, 0] == rolls[:, 1]
    order = np.concatenate([np.flatnonzero(doubles), np.flatnonzero(~doubles)])
    return rolls[order], ["runs of doubles"]


@pytest.mark.parametrize(
    "name",
    ["a face too often", "second die", "one of 21 rolls", "repeats itself", "second die comes again", "doubles first"],
)
def test_loaded_dice_are_found(name: str) -> None:
    rolls, seen_by = loaded(name)
    values = p_values(rolls)
    for test in seen_by:
        p_value = values[test]
        assert p_value is not None
        assert p_value < 1e-5


def test_shares_are_reported() -> None:
    result = audit(np.array([[1, 1], [2, 6], [6, 5], [3, 4]]))
    assert (result.rolls, result.doubles_share) == (4, 0.25)
    assert result.face_shares == (2 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 2 / 8)
    assert all(test.p_value is None for test in result.tests)
    assert audit(np.zeros((0, 2), np.int8)).doubles_share is None


@pytest.mark.parametrize(
    ("rolls", "message"),
    [
        (np.zeros((3, 3), int), "hard: rolls of shape [3, 3]"),
        (np.array([[1, 7]]), "hard: die 7"),
        (np.array([[0, 1]]), "hard: die 0"),
        (np.array([[3, 1], [6, 6]] * 10), "hard: the two dice of every roll are sorted"),
    ],
)
def test_audit_names_mistakes(rolls: np.ndarray, message: str) -> None:
    with pytest.raises(TavlaError, match=re.escape(message)):
        audit(rolls, "hard")


# Rolls of games


def write_lines(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n\n")
    return path


def test_a_replayed_game_is_split_by_seats(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", {"seats": ["a", "b"], "seed": 5, "game": 3, "plies": 9, "winner": "b"})
    dice = game_dice(NORTH_SULTAN, 5, 3, 9)
    seat, opening = engine.opening(compile_rules(NORTH_SULTAN), 5, 3)
    assert (dice.first, tuple(dice.rolls[0].tolist()), dice.has_opening) == (seat, opening, True)
    read = read_rolls([path])
    assert read.openings == 1
    starter, other = ("a", "b") if seat == 0 else ("b", "a")
    stream = engine.rolls(5, 3, 9)
    np.testing.assert_array_equal(read.rolls[starter], stream[2::2])
    np.testing.assert_array_equal(read.rolls[other], stream[1::2])


def test_only_opening_dice_that_are_played_are_left_out(tmp_path: Path) -> None:
    game = {"seats": ["a", "b"], "seed": 5, "game": 3, "plies": 9, "round": 2}
    afresh = read_rolls([write_lines(tmp_path / "x.jsonl", game | {"ruleset": "oyna-tavla"})])
    winner = read_rolls([write_lines(tmp_path / "y.jsonl", game | {"first": 1})])
    stream = engine.rolls(5, 3, 9, 2)
    assert afresh.openings == winner.openings == 0
    assert sum(map(len, afresh.rolls.values())) == 9
    np.testing.assert_array_equal(winner.rolls["b"], stream[::2])
    np.testing.assert_array_equal(winner.rolls["a"], stream[1::2])
    assert not game_dice(OYNA, 5, 3, 9, 2).has_opening


def test_repeated_dice_count_once(tmp_path: Path) -> None:
    """Against every opponent a bot has the same dice again; seats swapped, it has the other half of them."""
    game = {"seed": 5, "game": 3, "plies": 21}
    once = read_rolls([write_lines(tmp_path / "once.jsonl", game | {"seats": ["a", "b"], "plies": 31})])
    again = [game | {"seats": ["a", "b"]}, game | {"seats": ["a", "c"], "plies": 31}]
    twice = read_rolls([write_lines(tmp_path / "twice.jsonl", *again), write_lines(tmp_path / "more.jsonl", again[0])])
    np.testing.assert_array_equal(twice.rolls["a"], once.rolls["a"])
    assert twice.repeated > 0
    pair = read_rolls(
        [write_lines(tmp_path / "p.jsonl", *(game | {"seats": seats} for seats in (["a", "b"], ["b", "a"])))]
    )
    assert pair.repeated == 0
    assert len(pair.rolls["a"]) == len(pair.rolls["b"]) == 20


def test_recorded_rolls(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "x.jsonl",
        {"player": "a", "rolls": "31 6-2"},
        {"seats": ["a", "b"], "first": 1, "rolls": "41 55 12 66", "opening": True},
        {"player": "a", "rolls": ""},
    )
    read = read_rolls([path])
    assert {name: rolls.tolist() for name, rolls in read.rolls.items()} == {
        "a": [[3, 1], [6, 2], [5, 5], [6, 6]],
        "b": [[1, 2]],
    }
    assert read.openings == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Invalid JSON"),
        ("[]", "Input should be an object"),
        ("{}", "expected rolls, or seed, game, plies and seats"),
        ('{"player": "a", "rolls": "31 70"}', "die 7: expected 1 to 6"),
        ('{"player": "a", "rolls": "31 6"}', "dice '6': expected two digits"),
        ('{"rolls": "31"}', "expected player or seats with rolls"),
        ('{"seats": ["a", "b"], "rolls": "31"}', "expected first"),
        ('{"player": "a", "rolls": "31", "seed": 1}', "expected rolls or seed, not both"),
        ('{"seats": ["a"], "seed": 1, "game": 1, "plies": 5}', "seats"),
        (
            '{"seats": ["a", "b"], "seed": -1, "game": 1, "plies": 5}',
            "seed: Input should be greater than or equal to 0",
        ),
        ('{"seats": ["a", "b"], "seed": 1, "game": 1, "plies": 5, "first": 2}', "first"),
        ('{"seats": ["a", "b"], "seed": 1, "game": 1, "plies": 5, "ruleset": "chess"}', "unknown ruleset 'chess'"),
        ("\xff\xfe", "Invalid JSON"),
    ],
)
def test_broken_lines_are_named(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"player": "a", "rolls": "31"}\n' + line.encode("latin-1") + b"\n")
    error = fails("dice-audit", path)
    assert f"{path}, line 2: " in error
    assert message in error


# dice-audit


def test_dice_audit_of_a_tournament(tmp_path: Path) -> None:
    records = [
        {"seats": seats, "seed": 9, "game": game, "plies": 60}
        for game in range(100)
        for seats in (["hard", "easy"], ["easy", "hard"])
    ]
    path = write_lines(tmp_path / "games.jsonl", *records)
    out = ok("dice-audit", path)
    for text in ("hard", "easy", "36 ordered pairs", "Bonferroni", "200 rolls left out: opening dice"):
        assert text in out
    data = ok_json("dice-audit", path)
    assert {entry["player"] for entry in data["audits"]} == {"hard", "easy"}
    assert {entry["rolls"] for entry in data["audits"]} == {5900}
    assert data["tests"] == 20
    assert data["bonferroni_p_value"] == pytest.approx(min(1, 20 * data["smallest_p_value"]))


def test_dice_audit_finds_a_level_with_loaded_dice(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    lines: list[dict[str, object]] = []
    for _ in range(100):
        rolls = rng.integers(1, 7, (30, 2))
        lines.append({"player": "easy", "rolls": " ".join(f"{a}{b}" for a, b in rolls.tolist())})
        rolls[rng.random(30) < 0.1] = 6
        lines.append({"player": "hard", "rolls": " ".join(f"{a}{b}" for a, b in rolls.tolist())})
    out = ok("dice-audit", write_lines(tmp_path / "x.jsonl", *lines))
    assert re.search(r"\(hard, [^)]*\): rarely this small with fair dice", out)


def test_dice_audit_of_the_engine() -> None:
    out = ok("dice-audit", "--seed", 7)
    assert "1,000,000" in out
    assert ": no evidence against the dice" in out


def test_dice_audit_of_few_rolls(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", {"player": "a", "rolls": "31"})
    assert "Too few rolls to test anything." in ok("dice-audit", path)
    assert ok_json("dice-audit", path)["smallest_p_value"] is None
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert f"{empty}: no dice" in fails("dice-audit", empty)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "expected either files or --seed"),
        (["x.jsonl", "--seed", "1"], "expected either files or --seed"),
        (["no/such.jsonl"], "no/such.jsonl: No such file"),
        (["--seed", "-1"], "'--seed'"),
        (["--seed", "1", "--games", "0"], "'--games'"),
        (["--seed", "1", "--games", "9000000"], "9000000 games of 50 rolls: expected at most"),
    ],
)
def test_dice_audit_mistakes(args: list[str], message: str) -> None:
    assert message in fails("dice-audit", *args)


# Commitment


def test_the_commitment_is_the_documented_hash() -> None:
    secret = DiceSecret(seed=2**64 - 1, salt=SALT)
    text = f"tavla-dice-1:{SALT}:18446744073709551615"
    assert secret.commitment == hashlib.sha256(text.encode()).hexdigest()
    assert fairness.is_commitment_to(secret, secret.commitment.upper())
    assert not fairness.is_commitment_to(DiceSecret(seed=1, salt=SALT), secret.commitment)


def test_the_documented_lines_work() -> None:
    """What docs/dice.md tells others to run gives the engine's dice and the package's commitments."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    theirs: dict[str, Any] = {}
    exec(code, theirs)
    for seed, game, round_ in ((0, 0, 0), (1, 2, 3), (2**64 - 1, 2**64 - 1, 2**24 - 1), (2**40 + 1, 2**33, 0)):
        assert theirs["commitment"](SALT, seed) == DiceSecret(seed=seed, salt=SALT).commitment
        rolls = [theirs["roll"](seed, game, n, round_) for n in range(50)]
        assert rolls == list(map(tuple, engine.rolls(seed, game, 50, round_).tolist()))
        dice = theirs["opening"](seed, game, round_)
        seat = int(dice[0] < dice[1])
        assert engine.opening(compile_rules(NORTH_SULTAN), seed, game, round_) == (seat, dice)


def test_commit_play_reveal_verify(tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    commitment = ok("dice-commit", "--out", path).strip()
    secret = json.loads(path.read_text())
    assert set(secret) == {"scheme", "seed", "salt", "commitment"}
    assert secret["commitment"] == commitment
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    seed = int(secret["seed"])
    dice = game_dice(NORTH_SULTAN, seed, 3, 12)
    rolls = " ".join(f"{a}{b}" for a, b in dice.rolls.tolist())
    by_hand = ("--commitment", commitment, "--seed", seed, "--salt", secret["salt"])
    for given in (by_hand, ("--commitment", commitment, "--secret", path)):
        assert ok("dice-verify", *given) == "commitment: matches the seed and salt\n"
        assert "all 12 match game 3" in ok("dice-verify", *given, "--game", 3, "--rolls", rolls)
    assert ok_json("dice-verify", *by_hand, "--game", 3, "--rolls", rolls) == {
        "scheme": "tavla-dice-1",
        "commitment_fits": True,
        "rolls": 12,
        "rolls_fit": True,
        "first_difference": None,
    }
    # Named the other way round it is the same roll.
    assert ok("dice-verify", *by_hand, "--game", 3, "--rolls", " ".join(roll[::-1] for roll in rolls.split()))


def test_later_games_of_a_match_are_verified() -> None:
    commitment = DiceSecret(seed=7, salt=SALT).commitment
    given = ("dice-verify", "--commitment", commitment, "--seed", 7, "--salt", SALT, "--game", 0, "--round", 2)
    rolls = " ".join(f"{a}{b}" for a, b in engine.rolls(7, 0, 5, 2).tolist())
    assert "all 5" in ok(*given, "--no-opening", "--rolls", rolls)
    assert "all 5" in ok(*given, "--ruleset", "oyna-tavla", "--rolls", rolls)
    assert run(*given, "--rolls", rolls).exit_code == 1


def test_what_does_not_fit_is_said_and_exits_1() -> None:
    commitment = DiceSecret(seed=7, salt=SALT).commitment
    other = run("dice-verify", "--commitment", commitment, "--seed", 8, "--salt", SALT)
    assert (other.exit_code, other.stderr) == (1, "")
    assert "commitment: DOES NOT MATCH" in other.stdout
    first, second, *rest = (f"{a}{b}" for a, b in game_dice(NORTH_SULTAN, 7, 0, 4).rolls.tolist())
    wrong = "11" if second != "11" else "12"
    args = ("dice-verify", "--commitment", commitment, "--seed", 7, "--salt", SALT, "--game", 0, "--rolls")
    changed = run(*args, " ".join([first, wrong, *rest]))
    assert changed.exit_code == 1
    assert (
        f"turn 1 of game 0, from 0, has {wrong[0]}-{wrong[1]}, the seed gives {second[0]}-{second[1]}" in changed.stdout
    )
    assert json.loads(run(*args, f"{first} {wrong}", "--json").stdout)["first_difference"] == 1


def test_a_secret_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    ok("dice-commit", "--seed", 7, "--out", path)
    before = path.read_bytes()
    assert "File exists" in fails("dice-commit", "--out", path)
    assert path.read_bytes() == before
    assert json.loads(before)["seed"] == "7"


def test_secrets_differ(tmp_path: Path) -> None:
    printed = [ok_json("dice-commit", "--seed", 7, "--out", tmp_path / name)["commitment"] for name in "ab"]
    assert printed[0] != printed[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--commitment", "ab", "--seed", "1", "--salt", SALT], "commitment 'ab': expected 64 hexadecimal digits"),
        (["--commitment", "0" * 64, "--seed", "1", "--salt", "xyz"], "salt 'xyz': expected 32 hexadecimal digits"),
        (["--commitment", "0" * 64, "--seed", "1"], "expected --seed and --salt, or --secret"),
        (["--seed", "1", "--salt", SALT], "Missing option '--commitment'"),
        (["--commitment", "0" * 64, "--seed", "1", "--salt", SALT, "--game", "1"], "--game and --rolls together"),
        (["--commitment", "0" * 64, "--seed", "1", "--secret", "x"], "--secret replaces"),
        (["--commitment", "0" * 64, "--secret", "no/such"], "no/such: No such file"),
        (["--commitment", "0" * 64, "--seed", "1", "--salt", SALT, "--game", "1", "--rolls", "37"], "die 7"),
    ],
)
def test_dice_verify_mistakes(args: list[str], message: str) -> None:
    assert message in fails("dice-verify", *args)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not the JSON of a dice secret"),
        ("[]", "not the JSON of a dice secret"),
        ('{"seed": "1"}', "salt: Field required"),
        (f'{{"seed": "x", "salt": "{SALT}"}}', "seed: "),
        (f'{{"scheme": "tavla-dice-2", "seed": "1", "salt": "{SALT}"}}', "scheme: Input should be 'tavla-dice-1'"),
    ],
)
def test_broken_secrets_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_text(text)
    error = fails("dice-verify", "--commitment", "0" * 64, "--secret", path)
    assert f"{path}: " in error
    assert message in error
