"""The training configuration: what it accepts, and the one-line error for what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavla_ai.errors import ConfigError
from train.config import check_resumable, describe_keys, dump_config, load_config, parse_config
from train.stages import has_stages, load_stages

ROOT = Path(__file__).parents[2]


def test_every_shipped_recipe_is_valid() -> None:
    recipes = sorted((ROOT / "configs").glob("*.yaml"))
    assert len(recipes) >= 2
    for recipe in recipes:
        if has_stages(recipe):
            assert load_stages(recipe, Path("run"), [])
        else:
            load_config(recipe, [])


def test_a_resolved_configuration_reads_back_as_itself() -> None:
    config = load_config(ROOT / "configs" / "quick.yaml", ["td.lambda=0.5"])
    assert parse_config(dump_config(config), [], "again") == config


def test_numbers_that_yaml_reads_as_text_are_repaired() -> None:
    assert load_config(None, ["learner.learning_rate=1e-3"]).learner.learning_rate == 0.001


@pytest.mark.parametrize(
    ("overrides", "fragments"),
    [
        (["td.lamda=0.7"], ["td.lamda", "unknown key"]),
        (["learnr.batch_size=1"], ["learnr", "unknown key"]),
        (["td.lambda=high"], ["td.lambda", "'high'"]),
        (["td.lambda=1.5"], ["td.lambda", "1.5"]),
        (["games=0"], ["games", "0"]),
        (["ruleset=chess"], ["ruleset", "chess", "north-sultan"]),
        (["network.hidden=[]"], ["network.hidden"]),
        (["network.hidden=[128, 0]"], ["network.hidden", "[128, 0]"]),
        (["evaluation.games=7"], ["evaluation.games", "even", "7"]),
        (["self_play.utilities=[{kind: match, share: 1}]"], ["self_play.utilities", "length"]),
        (["ray.mode=asynchronous"], ["ray.workers"]),
        (["games"], ["games", "KEY=VALUE"]),
        (["games.more=1"], ["games.more"]),
        (["games=on"], ["games", "true"]),
        (["seed=2001-99-99"], ["seed=2001-99-99", "YAML"]),
        (["evaluation.final_seed=18446744073709551616"], ["evaluation.final_seed"]),
        (["self_play.threads=100000"], ["self_play.threads"]),
        (["learner.passes=.inf"], ["learner.passes"]),
        (["learner.learning_rate=.inf"], ["learner.learning_rate"]),
        (["learner.window_rounds=99999999999999999999999"], ["learner.window_rounds"]),
        (["network.hidden=[16.5]"], ["--set network.hidden"]),
        (["targets=lookahead", "lookahead.finalists=2"], ["lookahead.finalists", "candidates"]),
        (["network.inputs=shots", "ruleset=plakoto"], ["network.inputs", "plakoto"]),
        (["lookahead.near=0.95"], ["lookahead.near", "explore"]),
        (["network.inputs=blocks"], ["network.inputs", "blocks", "shots"]),
    ],
)
def test_a_mistake_is_named_with_its_key_and_value(overrides: list[str], fragments: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, overrides)
    message = str(caught.value)
    assert "\n" not in message
    for fragment in fragments:
        assert fragment in message


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text("network:\n  width: 3\n")
    with pytest.raises(ConfigError, match=r"recipe\.yaml: network\.width: unknown key"):
        load_config(path, [])
    path.write_text("- 1\n- 2\n")
    with pytest.raises(ConfigError, match=r"recipe\.yaml: keys and values expected"):
        load_config(path, [])
    path.write_text("a: [1\n")
    with pytest.raises(ConfigError, match=r"recipe\.yaml: not YAML"):
        load_config(path, [])
    path.write_text("games: 1\nseed: 2\ngames: 3\n")
    with pytest.raises(ConfigError, match=r"recipe\.yaml: not YAML: games is given twice"):
        load_config(path, [])
    path.write_text("0\n")
    with pytest.raises(ConfigError, match=r"recipe\.yaml: keys and values expected, not int"):
        load_config(path, [])
    path.write_text("[" * 1000)
    with pytest.raises(ConfigError, match=r"recipe\.yaml: not YAML"):
        load_config(path, [])
    with pytest.raises(ConfigError, match=r"missing\.yaml: cannot be read"):
        load_config(tmp_path / "missing.yaml", [])


def test_a_resumed_run_may_move_but_not_compute_something_else() -> None:
    run = load_config(None, [])
    check_resumable(run, load_config(None, ["ray.workers=2", "checkpoint.every_seconds=5"]), "--set")
    with pytest.raises(ConfigError, match=r"td\.lambda is 0\.5, the run to resume has 0\.7"):
        check_resumable(run, load_config(None, ["td.lambda=0.5"]), "--set")


def test_the_documented_keys_are_those_of_the_configuration() -> None:
    document = (ROOT / "docs" / "config.md").read_text()
    assert describe_keys() in document, "docs/config.md: paste in what `python -m train --keys` prints"
    assert "`td.lambda`" in document
