"""Exported bundles: parity with torch and the engine, files that stand alone, and refusals."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import FAULTS
from safetensors.numpy import load_file, save_file

from tavla_ai import engine
from tavla_ai.errors import CheckpointError, TavlaError
from tavla_ai.match import MatchState, Utility, as_utilities, match_equity
from tavla_ai.network import CardDraft, NetworkSpec, load_checkpoint, save_checkpoint
from tavla_ai.network.export import NUM_GOLDEN, TOLERANCE, export_bundle, verify_bundle
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
torch = pytest.importorskip("torch")

from tavla_ai.network.export import onnx as model_writer  # noqa: E402 - imports torch and onnx

FAULTS = {case["id"]: case for case in FAULTS}
RULESET = get_ruleset("north-sultan")
TAVLA_PRESETS = ("north-sultan", "oyna-tavla", "portes", "traditional")
SCORES = RULESET.scores
BUNDLE_FILES = {
    "README.md",
    "card.json",
    "golden.safetensors",
    "manifest.json",
    "model.onnx",
    "ruleset.json",
}


def write_checkpoint(path, hidden, num_scores=None, seed=7, ruleset=RULESET, reads="counts"):
    """Write a checkpoint of random weights, three times as large as usual so that outcomes vary."""
    from tavla_ai.network.module import ValueNetwork, to_numpy

    torch.manual_seed(seed)
    spec = NetworkSpec(
        hidden=hidden,
        num_places=ruleset.num_places,
        num_scores=num_scores or len(ruleset.scores),
        inputs=reads,
    )
    save_checkpoint(
        path,
        {name: 3 * array for name, array in to_numpy(ValueNetwork(spec)).items()},
        CardDraft(
            ruleset=ruleset,
            network=spec,
            games=0,
            positions=0,
            seed=seed,
            config={},
            code={},
            versions={},
            cost={},
        ),
    )
    return path


def self_play_rows(network, num_positions):
    """Return boards and utility values of self-play of every tavla preset, `num_positions` in all."""
    equity = match_equity(RULESET, 5)
    mix = [equity.utility(MatchState())] + [equity.utility(MatchState(5, score)) for score in ((4, 4), (3, 1), (0, 2))]
    values, inputs = as_utilities(mix)
    rng = np.random.default_rng(0)
    each = num_positions // len(TAVLA_PRESETS)
    boards = []
    for name in TAVLA_PRESETS:
        rules = compile_rules(get_ruleset(name))
        games = engine.self_play(
            rules, network, 3, 0, 200, lambda_=1.0, values=values, inputs=inputs, shares=[0.25] * 4
        )
        boards.append(games.boards[rng.choice(len(games.boards), each, replace=False)])
    chosen = rng.integers(len(mix), size=each * len(boards))
    return np.concatenate(boards), values[chosen], inputs[chosen]


def open_model(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(session, boards, utility):
    return session.run(["outcomes", "expected_utility"], {"boards": boards, "utility": utility})


def run_python(code, cwd, *args):
    """Run code in a process where torch and onnx cannot be imported."""
    blocked = "import sys\nsys.modules['torch'] = sys.modules['onnx'] = None\n"
    return subprocess.run([sys.executable, "-c", blocked + code, *map(str, args)], cwd=cwd, capture_output=True)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return write_checkpoint(tmp_path_factory.mktemp("checkpoints") / "tiny", (32, 16), reads="shots")


@pytest.fixture(scope="module")
def exported(checkpoint, tmp_path_factory):
    """One export of this module: the bundle's folder, which was there empty, and the finished process."""
    out = tmp_path_factory.mktemp("bundles") / "tiny"
    out.mkdir()
    code = "import sys, pathlib, tavla_ai.network.export as e\ne.export_bundle(*map(pathlib.Path, sys.argv[1:]))"
    process = subprocess.run([sys.executable, "-c", code, checkpoint, out], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return out, process


@pytest.fixture(scope="module")
def bundle(exported):
    return exported[0]


@pytest.fixture
def copied(bundle, tmp_path):
    """A copy of the bundle to damage."""
    return Path(shutil.copytree(bundle, tmp_path / "bundle"))


@pytest.fixture
def fake_model(bundle, monkeypatch):
    """Take the model from the bundle instead of exporting it again."""
    monkeypatch.setattr(model_writer, "write_model", lambda path, _: shutil.copyfile(bundle / "model.onnx", path))


def update_manifest(bundle, *names, **fields):
    """Make the manifest agree with files that were changed, or change its fields."""
    path = bundle / "manifest.json"
    manifest = json.loads(path.read_text()) | fields
    for name in names:
        manifest["files"][name] = hashlib.sha256((bundle / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


# What is written


def test_export_prints_nothing_and_leaves_only_the_bundle(exported):
    out, process = exported
    assert (process.stdout, process.stderr) == ("", "")
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert {path.name for path in out.iterdir()} == BUNDLE_FILES


def test_manifest_card_and_ruleset_describe_the_checkpoint(bundle, checkpoint):
    card = load_checkpoint(checkpoint).card
    assert (bundle / "card.json").read_bytes() == (checkpoint / "card.json").read_bytes()
    assert json.loads((bundle / "ruleset.json").read_text()) == card.ruleset.model_dump(mode="json")
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert set(manifest["files"]) == BUNDLE_FILES - {"manifest.json"}
    assert manifest["weights_sha256"] == card.weights_sha256
    assert manifest["tolerance"] == TOLERANCE == 1e-5
    assert manifest["inputs"] == [
        {"name": "boards", "dtype": "int8", "shape": ["batch", 2, 26]},
        {"name": "utility", "dtype": "float32", "shape": ["batch", 4]},
    ]
    assert manifest["outputs"] == [
        {"name": "outcomes", "dtype": "float32", "shape": ["batch", 4]},
        {"name": "expected_utility", "dtype": "float32", "shape": ["batch"]},
    ]


def test_model_names_its_origin_and_no_folder_of_this_machine(bundle, checkpoint):
    card = load_checkpoint(checkpoint).card
    found = open_model(bundle / "model.onnx").get_modelmeta().custom_metadata_map
    assert found.pop("version")
    assert found == {
        "ruleset": "north-sultan",
        "scores": "[2, 1, -1, -2]",
        "features": f"{engine.FEATURE_VERSION}+shots-1",
        "weights_sha256": card.weights_sha256,
    }
    data = (bundle / "model.onnx").read_bytes()
    assert b".py" not in data
    assert str(Path(model_writer.__file__).parent).encode() not in data


def test_golden_vectors_are_the_engine_s_at_several_utilities(bundle, checkpoint):
    golden = load_file(bundle / "golden.safetensors")
    assert len(golden["boards"]) == NUM_GOLDEN == 1000
    assert (golden["boards"].sum(axis=2) == 15).all()
    utilities, counts = np.unique(golden["utility"], axis=0, return_counts=True)
    assert len(utilities) >= 8
    assert {(2, 1, -1, -2), (1, 1, 0, 0)} <= set(map(tuple, utilities))
    assert counts.max() < NUM_GOLDEN / 4
    inputs = np.array([Utility(tuple(map(float, row))).inputs for row in golden["utility"]], np.float32)
    network = load_checkpoint(checkpoint).engine_network()
    outcomes = network.evaluate(golden["boards"], inputs)
    np.testing.assert_allclose(golden["outcomes"], outcomes, atol=1e-6)
    np.testing.assert_allclose(golden["expected_utility"], (outcomes * golden["utility"]).sum(1), atol=1e-6)
    assert golden["outcomes"].std(axis=0).min() > 0.02


def test_readme_example_runs_as_it_stands(bundle):
    example = re.search(r"```python\n(.*?)```", (bundle / "README.md").read_text(), re.DOTALL)[1]
    process = run_python(example + "\nprint(outcomes.sum(), *outcomes.shape, *expected_utility.shape)", bundle)
    assert process.returncode == 0, process.stderr
    total, *shapes = process.stdout.split()
    assert float(total) == pytest.approx(1)
    assert shapes == [b"1", b"4", b"1"]


# Parity


def test_torch_engine_and_onnx_agree_on_ten_thousand_positions(bundle, checkpoint):
    from tavla_ai.network.module import from_numpy

    loaded = load_checkpoint(checkpoint)
    network = loaded.engine_network()
    boards, utility, inputs = self_play_rows(network, 10_000)
    assert len(boards) == 10_000
    by_engine = network.evaluate(boards, inputs)
    with torch.inference_mode():
        encoded = engine.encode(boards, inputs, ["shots"])
        logits = from_numpy(loaded.card.network, loaded.weights)(torch.from_numpy(encoded))
        by_torch = torch.softmax(logits, dim=1).numpy()
    by_onnx, expected_utility = run(open_model(bundle / "model.onnx"), boards, utility)
    assert by_engine.std(axis=0).min() > 0.02
    assert np.abs(by_torch - by_engine).max() <= TOLERANCE
    assert np.abs(by_onnx - by_engine).max() <= TOLERANCE
    assert np.abs(by_onnx - by_torch).max() <= TOLERANCE
    assert np.abs(expected_utility - (by_engine * utility).sum(axis=1)).max() <= TOLERANCE


def test_model_file_alone_runs_at_any_batch_size(bundle, checkpoint, tmp_path):
    assert "batch 1, 2, 7, 500" in FAULTS["ox01_onnx_export_matrix"]["expectation"]["test"]
    shutil.copyfile(bundle / "model.onnx", tmp_path / "model.onnx")
    network = load_checkpoint(checkpoint).engine_network()
    boards, utility, inputs = self_play_rows(network, 500)
    np.savez(tmp_path / "rows.npz", boards=boards, utility=utility)
    process = run_python(
        "import numpy as np, onnxruntime\n"
        "rows = np.load('rows.npz')\n"
        "session = onnxruntime.InferenceSession('model.onnx')\n"
        "for n in (1, 2, 7, 500):\n"
        "    feed = {'boards': rows['boards'][:n], 'utility': rows['utility'][:n]}\n"
        "    np.save(f'{n}.npy', session.run(['outcomes'], feed)[0])\n"
        "assert not any(sys.modules.get(name) for name in ('torch', 'onnx', 'tavla_ai'))\n",
        tmp_path,
    )
    assert process.returncode == 0, process.stderr
    for n in (1, 2, 7, 500):
        outcomes = np.load(tmp_path / f"{n}.npy")
        np.testing.assert_allclose(outcomes, network.evaluate(boards[:n], inputs[:n]), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("num_scores", range(2, 9))
def test_graph_normalises_utilities_as_the_product_does(num_scores, tmp_path):
    loaded = load_checkpoint(write_checkpoint(tmp_path / "net", (8,), num_scores))
    rng = np.random.default_rng(num_scores)
    boards = engine.random_walk(compile_rules(RULESET), 1, 0, 2)[0][:50]
    utility = np.sort(rng.random((len(boards), num_scores), dtype=np.float32), axis=1)[:, ::-1].copy()
    inputs = np.array([Utility(tuple(map(float, row))).inputs for row in utility], np.float32)
    with torch.inference_mode():
        outcomes, expected_utility = model_writer.BundleNetwork(loaded)(
            torch.from_numpy(boards), torch.from_numpy(utility)
        )
    by_engine = loaded.engine_network().evaluate(boards, inputs.reshape(len(boards), num_scores - 2))
    np.testing.assert_allclose(outcomes, by_engine, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(expected_utility, (by_engine * utility).sum(axis=1), rtol=0, atol=TOLERANCE)


def test_rows_that_make_no_sense_give_nan_and_leave_the_others_alone(bundle):
    golden = load_file(bundle / "golden.safetensors")
    boards, utility = golden["boards"][:9].copy(), golden["utility"][:9].copy()
    boards[1, 0, 3] += 1
    boards[2, 1, :2] += np.array([-20, 20], np.int8)  # still adds up to 15
    boards[3] = boards[3, ::-1, ::-1] + 1
    utility[4] = (1, 0.5, 0.6, 0)
    utility[5] = 1
    utility[6, 0] = np.nan
    utility[7, 0] = np.inf
    outcomes, expected_utility = run(open_model(bundle / "model.onnx"), boards, utility)
    assert np.isnan(outcomes[1:8]).all()
    assert np.isnan(expected_utility[1:8]).all()
    np.testing.assert_allclose(outcomes[[0, 8]], golden["outcomes"][[0, 8]], rtol=0, atol=TOLERANCE)


# Every game


def game_rows(network, ruleset, num_positions):
    """Return boards, utility values and inputs of a game's self-play."""
    utility = Utility.points(ruleset)
    values, inputs = (np.array([row], np.float32) for row in (utility.values, utility.inputs))
    games = engine.self_play(
        compile_rules(ruleset), network, 3, 0, 100, lambda_=1.0, values=values, inputs=inputs, shares=[1.0]
    )
    boards = games.boards[np.random.default_rng(0).choice(len(games.boards), num_positions, replace=False)]
    return boards, np.tile(values, (num_positions, 1)), np.tile(inputs, (num_positions, 1))


@pytest.mark.parametrize("name", ruleset_names())
def test_graph_agrees_with_the_engine_in_every_game(name, tmp_path):
    ruleset = get_ruleset(name)
    loaded = load_checkpoint(write_checkpoint(tmp_path / "net", (16, 8), ruleset=ruleset))
    network = loaded.network_for(ruleset)
    boards, utility, inputs = game_rows(network, ruleset, 1000)
    module = model_writer.BundleNetwork(loaded)

    def answer(boards):
        with torch.inference_mode():
            return module(torch.from_numpy(boards), torch.from_numpy(utility))[0].numpy()

    by_engine = network.evaluate(boards, inputs)
    assert by_engine.std(axis=0).max() > 0.05
    np.testing.assert_allclose(answer(boards), by_engine, rtol=0, atol=TOLERANCE)
    # The places that some games add are no checkers, and a mistake in them is one in the board.
    places = range(26, ruleset.num_places)
    for row, place in zip(range(len(boards)), places, strict=False):
        boards[row, row % 2, place] += {"plakoto": 2, "gul-bara": 4, "tawula": 1}[ruleset.family]
    damaged = np.isnan(answer(boards)).all(axis=1)
    assert damaged.sum() == len(places)
    assert damaged[: len(places)].all()


def check_bundle(name, tmp_path):
    ruleset = get_ruleset(name)
    checkpoint = write_checkpoint(tmp_path / "net", (16, 8), ruleset=ruleset)
    manifest = export_bundle(checkpoint, tmp_path / "bundle")
    assert [tensor.shape for tensor in manifest.inputs] == [
        ("batch", 2, ruleset.num_places),
        ("batch", len(ruleset.scores)),
    ]
    golden = load_file(tmp_path / "bundle" / "golden.safetensors")
    assert golden["boards"].shape == (NUM_GOLDEN, 2, ruleset.num_places)
    network = load_checkpoint(checkpoint).network_for(ruleset)
    boards, utility, inputs = game_rows(network, ruleset, 1000)
    outcomes, expected_utility = run(open_model(tmp_path / "bundle" / "model.onnx"), boards, utility)
    by_engine = network.evaluate(boards, inputs)
    np.testing.assert_allclose(outcomes, by_engine, rtol=0, atol=TOLERANCE)
    largest = max(ruleset.scores)
    np.testing.assert_allclose(expected_utility, (by_engine * utility).sum(axis=1), rtol=0, atol=largest * TOLERANCE)
    readme = (tmp_path / "bundle" / "README.md").read_text()
    assert f"int8 [N, 2, {ruleset.num_places}]" in readme
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    code = f"{example}\nprint(outcomes.sum(), outcomes.shape[1])"
    process = run_python(code, tmp_path / "bundle")
    assert process.returncode == 0, process.stderr
    total, num_scores = process.stdout.split()
    assert (float(total), int(num_scores)) == (pytest.approx(1), len(ruleset.scores))


@pytest.mark.parametrize("name", ["tawula"])
def test_bundles_of_other_games(name, tmp_path):
    check_bundle(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*ruleset_names()} - {"tawula"}))
def test_bundles_of_every_game(name, tmp_path):
    check_bundle(name, tmp_path)


# Verifying


def test_verify_reports_every_batch_size_and_the_largest_difference(bundle):
    report = verify_bundle(bundle)
    assert report.num_positions == 1000
    assert report.batch_sizes == (1, 2, 7, 500, 1000)
    assert report.max_outcome_difference <= report.tolerance == TOLERANCE
    assert report.max_utility_difference <= report.tolerance


def test_verify_runs_where_torch_and_onnx_are_missing(bundle):
    code = "import pathlib, tavla_ai.network.export as e\nprint(e.verify_bundle(pathlib.Path(sys.argv[1])))"
    process = run_python(code, None, bundle)
    assert process.returncode == 0, process.stderr
    assert b"num_positions=1000" in process.stdout
    assert process.stderr == b""


@pytest.mark.parametrize("name", sorted(BUNDLE_FILES))
def test_missing_file_is_named(copied, name):
    (copied / name).unlink()
    with pytest.raises(CheckpointError, match=re.escape(name)):
        verify_bundle(copied)


@pytest.mark.parametrize("name", sorted(BUNDLE_FILES - {"manifest.json"}))
def test_changed_file_is_named(copied, name):
    data = bytearray((copied / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copied / name).write_bytes(data)
    with pytest.raises(CheckpointError, match=rf"{re.escape(name)}: damaged, its sha256"):
        verify_bundle(copied)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "schema version None, this version reads 1"),
        ('{"schema_version": 2}', "schema version 2, this version reads 1"),
        ('{"schema_version": 1}', "version: Field required"),
    ],
)
def test_manifest_that_cannot_be_read_is_refused(copied, text, message):
    (copied / "manifest.json").write_text(text)
    with pytest.raises(CheckpointError, match=rf"manifest\.json: {message}"):
        verify_bundle(copied)


def test_missing_bundle_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no such bundle"):
        verify_bundle(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["outcomes", "expected_utility"])
@pytest.mark.parametrize("value", [0.5, np.nan])
def test_difference_above_the_tolerance_is_refused(copied, name, value):
    golden = load_file(copied / "golden.safetensors")
    golden[name].flat[-1] += value
    save_file(golden, copied / "golden.safetensors")
    update_manifest(copied, "golden.safetensors")
    with pytest.raises(CheckpointError, match=rf"model\.onnx: {name} is .* at batch 1, expected at most 1e-05"):
        verify_bundle(copied)


def test_golden_vectors_of_another_shape_are_refused(copied):
    golden = load_file(copied / "golden.safetensors")
    golden["utility"] = np.ascontiguousarray(golden["utility"][:, :3])
    save_file(golden, copied / "golden.safetensors")
    update_manifest(copied, "golden.safetensors")
    with pytest.raises(CheckpointError, match=r"utility is float32 \(1000, 3\), expected float32 \(1000, 4\)"):
        verify_bundle(copied)


def test_model_that_is_not_onnx_is_refused(copied):
    (copied / "model.onnx").write_bytes(b"not a model")
    update_manifest(copied, "model.onnx")
    with pytest.raises(CheckpointError, match=r"model\.onnx: onnxruntime cannot load it") as error:
        verify_bundle(copied)
    assert "\n" not in str(error.value)


def test_model_with_a_fixed_batch_is_refused(copied):
    model = onnx.load(copied / "model.onnx")
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = 2
    onnx.save(model, copied / "model.onnx")
    update_manifest(copied, "model.onnx")
    with pytest.raises(CheckpointError, match=r"model\.onnx: its inputs are .*manifest says"):
        verify_bundle(copied)


def test_model_of_other_weights_is_refused(copied):
    """Card and manifest agree with each other, but the model was made from something else."""
    card = json.loads((copied / "card.json").read_text()) | {"weights_sha256": "0" * 64}
    (copied / "card.json").write_text(json.dumps(card))
    update_manifest(copied, "card.json", weights_sha256="0" * 64)
    with pytest.raises(CheckpointError, match=r"model\.onnx: made from weights"):
        verify_bundle(copied)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"weights_sha256": "0" * 64}, "weights_sha256 is '000"),
        ({"ruleset": "plakoto"}, "ruleset is 'plakoto'"),
        ({"features": "zzz"}, "features is 'zzz'"),
        ({"tolerance": 1e9}, "tolerance"),
        ({"files": {"../card.json": "0"}}, "not the name of a file"),
    ],
)
def test_manifest_that_says_something_else_than_the_card_is_refused(copied, fields, message):
    update_manifest(copied, **fields)
    with pytest.raises(CheckpointError, match=message):
        verify_bundle(copied)


@pytest.mark.parametrize(("name", "text"), [("card.json", "{}"), ("ruleset.json", "zzz")])
def test_card_or_ruleset_replaced_with_its_digest_is_refused(copied, name, text):
    (copied / name).write_text(text)
    update_manifest(copied, name)
    with pytest.raises(CheckpointError, match=name.replace(".", r"\.")):
        verify_bundle(copied)


# Refusals of the export


@pytest.mark.usefixtures("fake_model")
def test_new_folder_is_made_with_its_parents(checkpoint, bundle, tmp_path):
    manifest = export_bundle(checkpoint, tmp_path / "a" / "b")
    assert manifest.model_dump(mode="json") == json.loads((tmp_path / "a" / "b" / "manifest.json").read_text())
    # The same checkpoint gives the same bundle, byte for byte.
    for name in BUNDLE_FILES:
        assert (tmp_path / "a" / "b" / name).read_bytes() == (bundle / name).read_bytes(), name


@pytest.mark.usefixtures("fake_model")
def test_folder_with_something_in_it_is_left_alone(checkpoint, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(CheckpointError, match="out: not empty"):
        export_bundle(checkpoint, tmp_path / "out")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_file_in_the_way_is_left_alone(checkpoint, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(CheckpointError, match="out: is a file"):
        export_bundle(checkpoint, tmp_path / "out")
    with pytest.raises(CheckpointError, match="cannot be written"):
        export_bundle(checkpoint, tmp_path / "out" / "below")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError])
def test_interrupted_export_leaves_nothing(checkpoint, tmp_path, monkeypatch, failure):
    def fail(path, _):
        path.write_bytes(b"half a model")
        raise failure

    monkeypatch.setattr(model_writer, "write_model", fail)
    with pytest.raises(failure):
        export_bundle(checkpoint, tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("fake_model")
def test_model_that_differs_from_the_engine_never_appears(tmp_path):
    # The model taken from the bundle belongs to another checkpoint of the same shape.
    other = write_checkpoint(tmp_path / "other", (32, 16), seed=8)
    with pytest.raises(CheckpointError, match=r"model\.onnx"):
        export_bundle(other, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("package", ["torch", "onnx", "onnxscript"])
def test_missing_package_is_named_with_the_extra(checkpoint, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TavlaError, match=rf"^{package} is not installed; in the checkout: pip install '\.\[export\]'$"):
        export_bundle(checkpoint, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_missing_onnxruntime_is_named_with_the_extra(bundle, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        TavlaError, match=r"^onnxruntime is not installed; in the checkout: pip install '\.\[export\]'$"
    ):
        verify_bundle(bundle)


def test_checkpoint_that_cannot_be_loaded_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        export_bundle(tmp_path / "nowhere", tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_network_without_an_output_for_each_score_is_refused(tmp_path):
    write_checkpoint(tmp_path / "net", (8,), num_scores=6)
    with pytest.raises(CheckpointError, match="predicts 6 scores, a game of north-sultan has 4"):
        export_bundle(tmp_path / "net", tmp_path / "out")


def test_a_bundle_names_the_oldest_runtime(bundle):
    """The manifest and the README name the versions that the model was written in."""
    model = onnx.load(bundle / "model.onnx")
    (opset,) = [one.version for one in model.opset_import if one.domain == ""]
    runtime = json.loads((bundle / "manifest.json").read_text())["runtime"]
    assert runtime == f"ONNX Runtime 1.18 or later, or another runtime of ONNX IR {model.ir_version} and opset {opset}"
    assert runtime in (bundle / "README.md").read_text()
