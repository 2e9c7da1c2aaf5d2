"""Recipes of stages, look-ahead targets, and growing networks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
import yaml
from checkpoints_fixture import write_checkpoint
from training import train, weights

from tavla_ai import engine
from tavla_ai.match import Utility, utilities
from tavla_ai.network import NetworkSpec, fold, load_checkpoint
from tavla_ai.network.module import ValueNetwork, to_numpy
from tavla_ai.rules import compile_rules, get_ruleset
from train.batch import Afterstates, Task
from train.config import LearnerConfig, parse_config
from train.growth import can_grow, grow
from train.learner import Learner, RoundMetrics
from train.worker import SelfPlayWorker

NORTH_SULTAN = get_ruleset("north-sultan")

RECIPE = {
    "network": {"hidden": [16]},
    "self_play": {"games_per_round": 20, "threads": 1},
    "learner": {"threads": 1, "batch_size": 256},
    "evaluation": {"games": 20, "final_games": 40, "every_games": 1000},
    "stages": [
        {"name": "td", "games": 100},
        {
            "name": "look-ahead",
            "targets": "lookahead",
            "games": 60,
            "network": {"hidden": [24, 16]},
            "self_play": {"weights": "averaged"},
            "learner": {"window_rounds": 10, "passes": 2},
        },
    ],
}


def write_recipe(path: Path, **changes: object) -> Path:
    path.write_text(yaml.safe_dump({**RECIPE, **changes}))
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stages")
    run = folder / "run"
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert train(monkeypatch, "--config", str(write_recipe(folder / "recipe.yaml")), "--run", str(run)) == 0
    return run


def test_every_stage_starts_from_the_one_before(finished: Path) -> None:
    first, last = (load_checkpoint(finished / name / "final").card for name in ("1-td", "2-look-ahead"))
    assert (first.network.hidden, last.network.hidden) == ((16,), (24, 16))
    assert last.parent == first.weights_sha256
    (ancestor,) = last.lineage
    assert (ancestor.targets, ancestor.games, ancestor.positions) == ("td", 100, first.positions)
    assert ancestor.results == first.results
    assert ancestor.cost["core_hours"] > 0
    assert last.config["targets"] == "lookahead"
    # Shared keys hold in each stage; the stage's own keys are added.
    assert (last.config["learner"]["batch_size"], last.config["learner"]["passes"]) == (256, 2)
    assert first.config["learner"]["passes"] == 1
    assert load_checkpoint(finished / "final").card == last


def test_a_finished_recipe_is_not_run_again(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = weights(finished)
    recipe = str(finished.parent / "recipe.yaml")
    assert train(monkeypatch, "--config", recipe, "--run", str(finished), "--resume", "auto") == 0
    assert train(monkeypatch, "--resume", str(finished)) == 0
    assert train(monkeypatch, "--config", recipe, "--run", str(finished)) == 2
    assert weights(finished) == before


def test_stopping_anywhere_gives_the_same_weights(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    args = ("--config", str(write_recipe(tmp_path / "recipe.yaml")), "--run", str(run), "--resume", "auto")
    for _ in range(8):  # two rounds at a time: three calls for the first stage, two for the second
        assert train(monkeypatch, *args, "--rounds", "2") == 0
    assert weights(run) == weights(finished)


def test_a_kill_in_the_second_stage_loses_nothing(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    args = ("--config", str(write_recipe(tmp_path / "recipe.yaml")), "--run", str(run), "--resume", "auto")
    # The first stage is finished, the second has one of its rounds.
    for rounds in ("5", "1"):
        assert train(monkeypatch, *args, "--rounds", rounds) == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "train", *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "stage 2" in line:
            process.kill()
            break
    process.communicate()
    assert train(monkeypatch, "--resume", str(run)) == 0
    assert weights(run) == weights(finished)


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ([], "stages: a list of stages expected"),
        ({"td": 1}, "stages: a list of stages expected"),
        ([3], "stages.1: keys and values expected, not int"),
        ([{"games": 10}], "stages.1: name: letters, digits and dashes expected, not None"),
        ([{"name": "a", "games": 10}, {"name": "a", "games": 10}], "stages.2: name: a is the name of another stage"),
        ([{"name": "a"}, {"name": "b", "parent": "x"}], "stages.2: parent: a stage starts from the stage before"),
        ([{"name": "a", "gaems": 10}], "stages.a: gaems: unknown key"),
        ([{"name": "a", "games": 10}, {"name": "b", "games": -1}], "stages.b: games"),
    ],
)
def test_a_recipes_mistakes_are_one_line(
    stages: object, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write_recipe(tmp_path / "recipe.yaml", stages=stages)
    assert train(monkeypatch, "--config", str(recipe), "--run", str(tmp_path / "run")) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_missing_run_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = write_recipe(tmp_path / "recipe.yaml")
    assert train(monkeypatch, "--config", str(recipe), "--resume", str(tmp_path / "none")) == 2


# Growing


@pytest.mark.parametrize("reads", ["counts", "shots"])
@pytest.mark.parametrize("hidden", [(8, 8), (12, 8), (8, 20), (16, 16), (12, 10, 9), (8, 8, 8, 8)])
def test_a_grown_network_answers_as_before(hidden: tuple[int, ...], reads: str, tmp_path: Path) -> None:
    small = load_checkpoint(write_checkpoint(tmp_path / "net"))
    spec = NetworkSpec(hidden=hidden, num_scores=4, inputs=reads)
    assert can_grow(small.card.network, spec)
    grown = fold(grow(small.weights, small.card.network, spec, seed=3), spec)
    rules = compile_rules(NORTH_SULTAN)
    boards, _ = engine.random_walk(rules, 1, 0, 5)
    inputs = np.tile(np.array(Utility.points(NORTH_SULTAN).inputs, np.float32), (len(boards), 1))
    np.testing.assert_allclose(
        grown.evaluate(boards, inputs), small.engine_network().evaluate(boards, inputs), atol=1e-6
    )


def test_a_network_grows_into_a_game_with_larger_scores(tmp_path: Path) -> None:
    """Backgammon's network begins with what tavla's says of wins and of wins with two points or more."""
    small = load_checkpoint(write_checkpoint(tmp_path / "net"))
    spec = NetworkSpec(hidden=(12, 8), num_scores=6)
    grown = fold(grow(small.weights, small.card.network, spec, seed=3), spec)
    boards, _ = engine.random_walk(compile_rules(NORTH_SULTAN), 1, 0, 5)
    inputs = np.tile(np.array(Utility.points(NORTH_SULTAN).inputs, np.float32), (len(boards), 1))
    before = small.engine_network().evaluate(boards, inputs)
    after = grown.evaluate(boards, np.pad(inputs, ((0, 0), (1, 1)), constant_values=0.5))
    np.testing.assert_allclose(after[:, :2].sum(1), before[:, 0], atol=1e-6)
    np.testing.assert_allclose(after[:, 4:].sum(1), before[:, 3], atol=1e-6)
    np.testing.assert_allclose(after[:, 0], 0.05 * before[:, 0], atol=1e-6)
    assert not can_grow(spec, small.card.network)


def test_a_parent_of_another_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = write_checkpoint(tmp_path / "net")
    small = ["games=40", "self_play.games_per_round=20", "evaluation.games=10", "evaluation.final_games=10"]
    keys = [f"parent={parent}", "network.hidden=[8,8]", "learner.threads=1", *small]
    options = [part for key in keys for part in ("--set", key)]
    run = str(tmp_path / "run")
    assert train(monkeypatch, "--set", "ruleset=traditional", *options, "--run", run) == 0
    assert load_checkpoint(Path(run) / "final").card.ruleset.name == "traditional"
    assert train(monkeypatch, "--set", "ruleset=fevga", *options, "--run", f"{run}-2") == 2


@pytest.mark.parametrize("hidden", [(7, 8), (8,), (8, 4), (8, 8, 7), (16, 7)])
def test_a_network_does_not_shrink(hidden: tuple[int, ...]) -> None:
    assert not can_grow(NetworkSpec(hidden=(8, 8), num_scores=4), NetworkSpec(hidden=hidden, num_scores=4))


def test_a_network_does_not_forget_an_input() -> None:
    counts, shots = (NetworkSpec(hidden=(8,), num_scores=4, inputs=reads) for reads in ("counts", "shots"))
    assert can_grow(counts, shots)
    assert not can_grow(shots, counts)


def test_new_units_learn(finished: Path) -> None:
    """The second stage's weights are no longer those that it grew from."""
    first, last = (load_checkpoint(finished / name / "final") for name in ("1-td", "2-look-ahead"))
    grown = grow(first.weights, first.card.network, last.card.network, last.card.seed)
    assert np.abs(last.weights["layers.1.weight"][:, 16:] - grown["layers.1.weight"][:, 16:]).max() > 1e-5


# Look-ahead targets


def random_network(reads: str = "counts") -> engine.Network:
    spec = NetworkSpec(hidden=(8,), num_scores=4, inputs=reads)
    rng = np.random.default_rng(1)
    return fold(
        {
            f"layers.{i}.{kind}": rng.normal(0, 0.3, shape if kind == "weight" else shape[:1]).astype(np.float32)
            for i, shape in enumerate(spec.layer_shapes())
            for kind in ("weight", "bias")
        },
        spec,
    )


def points() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    return utilities(NORTH_SULTAN, None)


def test_targets_are_the_search_of_one_ply() -> None:
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    stakes = points()
    options = {"explore": 0.3, "scramble": 0.5, "scrambled": 10, "sample": 0.2}
    result = engine.lookahead(
        rules,
        network,
        3,
        0,
        20,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**options),
    )
    searcher = engine.Searcher(rules, network, root=[(1, 0, 0.0)], replies=(1, 0, 0.0))
    for board, target in list(zip(result.boards, result.targets, strict=True))[::7]:
        found, _ = searcher.evaluate(board, *stakes, 1)
        np.testing.assert_allclose(target, found, atol=1e-6)
    again = engine.lookahead(
        rules,
        network,
        3,
        0,
        20,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**options),
        threads=3,
    )
    np.testing.assert_array_equal(again.boards, result.boards)
    np.testing.assert_array_equal(again.targets, result.targets)
    everything = engine.lookahead(
        rules,
        network,
        3,
        0,
        20,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**{**options, "sample": 1.0}),
    )
    assert 0.1 < len(result.boards) / len(everything.boards) < 0.3


def test_siblings_are_the_best_plays_of_a_decision() -> None:
    """They are good plays of the same position and roll as the play that was made; their targets are searched too."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    values, inputs = points()
    options = {"explore": 0.0, "scramble": 0.0, "scrambled": 0, "sample": 0.3}
    alone = engine.lookahead(
        rules,
        network,
        3,
        0,
        10,
        values=values,
        inputs=inputs,
        shares=[1.0],
        settings=engine.LookaheadSettings(**options),
    )
    assert set(alone.siblings.tolist()) == {1}
    beside = engine.lookahead(
        rules,
        network,
        3,
        0,
        10,
        values=values,
        inputs=inputs,
        shares=[1.0],
        settings=engine.LookaheadSettings(**options, siblings=3, margin=0.1),
    )
    assert beside.siblings.sum() == len(beside.boards) == len(beside.values)
    assert beside.siblings.min() == 1
    assert beside.siblings.max() == 4
    searcher = engine.Searcher(rules, network, root=[(1, 0, 0.0)], replies=(1, 0, 0.0))
    made = beside.boards[np.cumsum(beside.siblings) - 1]
    np.testing.assert_array_equal(made, alone.boards)
    first = 0
    for count in beside.siblings:
        boards = beside.boards[first : first + count]
        worth = network.evaluate(boards, np.repeat(inputs, count, axis=0)) @ values[0]
        # The best play was made, and no sibling looked much worse; once checkers are off a mars is ruled out too.
        if not boards[:, :, 0].any():
            assert worth[-1] >= worth.max() - 1e-6
            assert worth.min() >= worth.max() - 0.1 - 1e-5
        assert len({board.tobytes() for board in boards}) == count
        found, _ = searcher.evaluate(boards[0], values, inputs, 1)
        np.testing.assert_allclose(beside.targets[first], found, atol=1e-6)
        first += count


def test_near_plays_are_made_too() -> None:
    """With probability `near` a play within the margin of the best is made, and none beyond it."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    values, inputs = points()
    options = {"explore": 0.0, "scramble": 0.0, "scrambled": 0, "sample": 1.0, "siblings": 100, "margin": 0.1}

    def others_made(near: float) -> float:
        result = engine.lookahead(
            rules,
            network,
            3,
            0,
            10,
            values=values,
            inputs=inputs,
            shares=[1.0],
            settings=engine.LookaheadSettings(**options, near=near),
        )
        others, first = [], 0
        for count in result.siblings:
            boards = result.boards[first : first + count]
            first += count
            if boards[:, :, 0].any():
                continue  # once checkers are off a mars is ruled out, which the network alone does not know
            worth = network.evaluate(boards, np.repeat(inputs, count, axis=0)) @ values[0]
            assert worth[-1] >= worth.max() - 0.1 - 1e-5
            others.append(worth[-1] < worth.max() - 1e-6)
        assert len(others) > 200
        return float(np.mean(others))

    assert others_made(0.0) == 0
    assert 0.3 < others_made(0.5) / others_made(1.0) < 0.7
    with pytest.raises(ValueError, match="near"):
        others_made(1.5)


@pytest.mark.parametrize("reads", ["counts", "shots"])
def test_more_candidates_come_nearer_to_the_search(reads: str) -> None:
    """With fewer candidates the best reply may be missed; with more candidates it is missed less often."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network(reads)
    values, inputs = points()
    options = {"explore": 0.1, "scramble": 0.2, "scrambled": 10, "sample": 0.3}
    errors = []
    exact = (
        engine.lookahead(
            rules,
            network,
            3,
            0,
            20,
            values=values,
            inputs=inputs,
            shares=[1.0],
            settings=engine.LookaheadSettings(**options),
        ).targets
        @ values[0]
    )
    for candidates in (1, 3, 8):
        result = engine.lookahead(
            rules,
            network,
            3,
            0,
            20,
            values=values,
            inputs=inputs,
            shares=[1.0],
            settings=engine.LookaheadSettings(**options, candidates=candidates),
        )
        worth = result.targets @ values[0]
        assert (worth >= exact - 1e-5).all()
        errors.append(np.abs(worth - exact).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01
    with pytest.raises(ValueError, match="candidates"):
        engine.lookahead(
            rules,
            network,
            3,
            0,
            1,
            values=values,
            inputs=inputs,
            shares=[1.0],
            settings=engine.LookaheadSettings(**options, candidates=engine.MOST_CANDIDATES + 1),
        )


def test_finalists_are_nearly_as_good_as_all_candidates() -> None:
    """Two finalists of sixteen candidates miss less than the two candidates that look best to first order."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    values, inputs = points()
    options = {"explore": 0.1, "scramble": 0.2, "scrambled": 10, "sample": 0.3}

    def worth(**chosen: int) -> np.ndarray:
        return (
            engine.lookahead(
                rules,
                network,
                3,
                0,
                20,
                values=values,
                inputs=inputs,
                shares=[1.0],
                settings=engine.LookaheadSettings(**options, **chosen),
            ).targets
            @ values[0]
        )

    exact = worth()
    all_of_sixteen = worth(candidates=16)
    np.testing.assert_array_equal(worth(candidates=16, finalists=16), all_of_sixteen)
    np.testing.assert_array_equal(worth(candidates=16, finalists=20), all_of_sixteen)
    of_two = worth(candidates=16, finalists=2)
    assert (of_two >= all_of_sixteen - 1e-6).all()
    assert np.abs(of_two - exact).mean() < np.abs(worth(candidates=2) - exact).mean()
    with pytest.raises(ValueError, match="finalists"):
        worth(candidates=16, finalists=-1)


def test_later_corrections_are_handed_back() -> None:
    """A position's target is its look-ahead value plus λ times the corrections that follow on the best line."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    values, inputs = points()
    options = {"explore": 0.0, "scramble": 0.0, "scrambled": 0, "sample": 1.0}
    plain = engine.lookahead(
        rules,
        network,
        3,
        0,
        5,
        values=values,
        inputs=inputs,
        shares=[1.0],
        settings=engine.LookaheadSettings(**options),
    )
    returned = engine.lookahead(
        rules,
        network,
        3,
        0,
        5,
        values=values,
        inputs=inputs,
        shares=[1.0],
        settings=engine.LookaheadSettings(**options, lambda_=0.8),
    )
    np.testing.assert_array_equal(returned.boards, plain.boards)
    searcher = engine.Searcher(rules, network, root=[(1, 0, 0.0)], replies=(1, 0, 0.0))
    predictions = [searcher.evaluate(board, values, inputs, 0)[0] for board in plain.boards]
    corrections = plain.targets.astype(float) - predictions
    ends = np.cumsum(plain.lengths)
    checked = 0
    for begin, end in zip(ends - plain.lengths, ends, strict=True):
        for t in range(begin, end):
            expected = plain.targets[t].astype(float)
            for later in range(t + 1, end):
                seen = corrections[later] if (later - t) % 2 == 0 else corrections[later][::-1]
                expected += 0.8 ** (later - t) * seen
            if (expected >= 0).all():
                np.testing.assert_allclose(returned.targets[t], expected, atol=1e-5)
                checked += 1
        np.testing.assert_allclose(returned.targets[end - 1], plain.targets[end - 1], atol=1e-6)
    assert checked > len(plain.boards) / 2
    np.testing.assert_allclose(returned.targets.sum(axis=1), 1, atol=1e-5)
    assert (returned.targets >= 0).all()


def test_nothing_is_handed_back_over_a_play_at_random() -> None:
    """If every play is random, most positions' targets are those of look-ahead alone."""
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    stakes = points()
    options = {"explore": 1.0, "scramble": 0.0, "scrambled": 0, "sample": 1.0}
    plain = engine.lookahead(
        rules,
        network,
        3,
        0,
        5,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**options),
    )
    returned = engine.lookahead(
        rules,
        network,
        3,
        0,
        5,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**options, lambda_=0.8),
    )
    np.testing.assert_array_equal(returned.boards, plain.boards)
    same = np.abs(returned.targets - plain.targets).max(axis=1) < 1e-6
    # A forced play is the best one too.
    assert 0.5 < same.mean() < 1


def test_siblings_get_what_their_play_gets() -> None:
    rules = compile_rules(NORTH_SULTAN)
    network = random_network()
    stakes = points()
    options = {"explore": 0.0, "scramble": 0.0, "scrambled": 0, "sample": 0.3, "siblings": 3, "margin": 0.1}
    returned = engine.lookahead(
        rules,
        network,
        3,
        0,
        5,
        values=stakes[0],
        inputs=stakes[1],
        shares=[1.0],
        settings=engine.LookaheadSettings(**options, lambda_=0.8),
    )
    searcher = engine.Searcher(rules, network, root=[(1, 0, 0.0)], replies=(1, 0, 0.0))
    first = 0
    handed = 0
    assert returned.lengths.sum() == len(returned.boards) == returned.siblings.sum()
    for count in returned.siblings[:100]:
        rows = range(first, first + count)
        changes = [returned.targets[row] - searcher.evaluate(returned.boards[row], *stakes, 1)[0] for row in rows]
        if count > 1 and all((returned.targets[row] > 1e-6).all() for row in rows):
            handed += np.abs(changes[0]).max() > 1e-3
            np.testing.assert_allclose(changes, [changes[-1]] * count, atol=1e-5)
        first += count
    assert handed > 0


@pytest.fixture(scope="module")
def labelled() -> tuple[NetworkSpec, dict[str, npt.NDArray[np.float32]], Afterstates]:
    """A network and positions with siblings that it labelled itself."""
    spec = NetworkSpec(hidden=(16,), num_scores=4)
    torch.manual_seed(1)
    weights = to_numpy(ValueNetwork(spec))
    data = {
        "network": {"hidden": [16]},
        "targets": "lookahead",
        "lookahead": {"siblings": 3, "sample": 0.3, "scramble": 0, "candidates": 8},
    }
    return spec, weights, SelfPlayWorker(parse_config(data, [], "test")).play(weights, Task(0, 0, 20)).afterstates


def trained(
    labelled: tuple[NetworkSpec, dict[str, npt.NDArray[np.float32]], Afterstates], **settings: Any
) -> tuple[Learner, RoundMetrics]:
    spec, weights, afterstates = labelled
    learner = Learner(spec, LearnerConfig(batch_size=64, passes=6, threads=1, **settings), 1, weights)
    return learner, learner.train_round(afterstates, 0, 0.0)


def test_a_learner_that_weighs_differences_gets_them_better(
    labelled: tuple[NetworkSpec, dict[str, npt.NDArray[np.float32]], Afterstates],
) -> None:
    spec, _, learned = labelled
    decision = np.repeat(np.arange(len(learned.siblings)), learned.siblings)

    def differences(learner: Learner) -> float:
        predicted = fold(learner.weights(), spec).evaluate(learned.boards, learned.utility_inputs)
        error = ((predicted - learned.targets) * learned.values).sum(axis=1)
        means = np.bincount(decision, error) / learned.siblings
        return float(np.square(error - means[decision]).mean())

    assert differences(trained(labelled, sibling_weight=30.0)[0]) < 0.9 * differences(trained(labelled)[0])


def test_half_precision_learns_nearly_the_same(
    labelled: tuple[NetworkSpec, dict[str, npt.NDArray[np.float32]], Afterstates],
) -> None:
    (full, exact), (half, rounded) = trained(labelled), trained(labelled, precision="bfloat16")
    assert rounded.excess_loss == pytest.approx(exact.excess_loss, rel=0.1)
    assert all(array.dtype == np.float32 for array in half.weights().values())
    assert not np.array_equal(half.weights()["layers.0.weight"], full.weights()["layers.0.weight"])
