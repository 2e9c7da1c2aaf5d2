"""What several test files need: compiled presets, networks with weights that matter, and the dice by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from checkpoints_fixture import write_checkpoint
from hypothesis import settings
from levels_fixture import ladder, write_levels

from tavla_ai import engine
from tavla_ai.bots import LEVEL_NAMES, Levels, save_levels
from tavla_ai.match import Utility, as_utilities, match_equity
from tavla_ai.network import NetworkSpec, fold, load_checkpoint
from tavla_ai.rules import compile_rules, get_ruleset

# How long an example takes says more of the machine than of the code.
settings.register_profile("tavla", deadline=None)
settings.load_profile("tavla")

TAVLA_PRESETS = ("north-sultan", "oyna-tavla", "portes", "traditional")
SCORES = (2, 1, -1, -2)
SHARES = (0.125, 0.375, 0.375, 0.125)

_MASK = 0xFFFFFFFF


def philox(counter: tuple[int, ...], key: int) -> tuple[int, ...]:
    """Philox 4x32-10 from the paper: Salmon, Moraes, Dror, Shaw, SC 2011, section 4.3."""
    c0, c1, c2, c3 = counter
    k0, k1 = key & _MASK, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & _MASK, p0 >> 32 ^ c3 ^ k1, p0 & _MASK
        k0, k1 = k0 + 0x9E3779B9 & _MASK, k1 + 0xBB67AE85 & _MASK
    return c0, c1, c2, c3


class ReferenceStreams:
    """The random numbers of one game of a seed, written again in Python."""

    philox = staticmethod(philox)

    def __init__(self, seed: int, game: int, round_: int = 0) -> None:
        self.seed, self.game, self.round = seed, game, round_

    def _draw(self, stream: int, n: int) -> tuple[int, ...]:
        return philox((n, stream | self.round << 8, self.game & _MASK, self.game >> 32), self.seed)

    def roll(self, ply: int) -> tuple[int, int]:
        """The roll of a turn, as it is thrown."""
        first, second, *_ = self._draw(0, ply)
        return 1 + (first * 6 >> 32), 1 + (second * 6 >> 32)

    def opening(self, rerolls: bool) -> tuple[int, tuple[int, int]]:
        """The seat that starts and the roll it plays first."""
        attempt = 0
        while True:
            first, second, *_ = self._draw(1, attempt)
            roll = 1 + (first * 6 >> 32), 1 + (second * 6 >> 32)
            if roll[0] != roll[1]:
                return int(roll[0] < roll[1]), self.roll(0) if rerolls else roll
            attempt += 1

    def choice(self, ply: int, bound: int) -> int:
        """A whole number below `bound`, as the random player draws it."""
        return self._draw(2, ply)[0] * bound >> 32

    def utility_draw(self) -> float:
        """A number in [0, 1) that picks what the game is played for."""
        return self._draw(3, 0)[0] / 2**32


@pytest.fixture(scope="session")
def reference_streams() -> type[ReferenceStreams]:
    return ReferenceStreams


@pytest.fixture(scope="session")
def rules_of() -> Callable[..., engine.Rules]:
    """A preset in the engine's form, with any of its fields changed."""

    def compiled(preset: str, **changes: object) -> engine.Rules:
        return compile_rules(get_ruleset(preset).model_copy(update=changes))

    return compiled


@pytest.fixture(scope="session", params=TAVLA_PRESETS)
def preset(request: pytest.FixtureRequest) -> str:
    """Each tavla preset in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def rules(preset: str) -> engine.Rules:
    """The preset of `preset` in the engine's form."""
    return compile_rules(get_ruleset(preset))


@pytest.fixture(scope="session")
def weights_of() -> Callable[..., dict[str, np.ndarray]]:
    """Random weights whose predictions spread over all of [0, 1]: a network at its start is nearly flat."""

    def build(
        hidden: tuple[int, ...], seed: int = 0, num_scores: int = 4, reads: str = "counts"
    ) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        weights = {}
        spec = NetworkSpec(hidden=hidden, num_scores=num_scores, inputs=reads)
        for i, (out, into) in enumerate(spec.layer_shapes()):
            # About thirty board features are on at a time.
            active = 30 if i == 0 else into
            scale = np.sqrt((2 if i < len(hidden) else 4) / active)
            weights[f"layers.{i}.weight"] = rng.normal(0, scale, (out, into)).astype(np.float32)
            weights[f"layers.{i}.bias"] = rng.normal(0, 0.3, out).astype(np.float32)
        return weights

    return build


@pytest.fixture(scope="session")
def network_of(weights_of: Callable[..., dict[str, np.ndarray]]) -> Callable[..., engine.Network]:
    """An engine network with such weights."""

    def build(hidden: tuple[int, ...] = (32,), seed: int = 0) -> engine.Network:
        return fold(weights_of(hidden, seed), NetworkSpec(hidden=hidden, num_scores=len(SCORES)))

    return build


@pytest.fixture(scope="session")
def single_game() -> tuple[np.ndarray, np.ndarray]:
    """The utility of a game for points: values `[1, 4]` and inputs `[1, 2]`, float32."""
    utility = Utility(SCORES)
    return as_utilities([utility])


@pytest.fixture(scope="session")
def match_grid() -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """The utilities at every score of a match: values `[length², 4]` and inputs `[length², 2]`, float32."""

    def build(length: int) -> tuple[np.ndarray, np.ndarray]:
        equity = match_equity(get_ruleset("north-sultan"), length, {"north-sultan": SHARES})
        values = equity.utility_grid().reshape(-1, len(SCORES))
        inputs = [Utility(tuple(row), total=1.0).inputs for row in values]
        return values.astype(np.float32), np.array(inputs, np.float32)

    return build


@pytest.fixture(scope="session")
def pubeval_weights() -> tuple[np.ndarray, np.ndarray]:
    """Tesauro's published weights, contact and race."""
    folder = resources.files("tavla_ai.bots") / "pubeval"
    contact, race = (np.array((folder / f"{kind}.txt").read_text().split(), np.float32) for kind in ("contact", "race"))
    return contact, race


@pytest.fixture(scope="session")
def levels_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of levels whose three networks differ."""
    folder = tmp_path_factory.mktemp("levels")
    for seed, name in enumerate(LEVEL_NAMES):
        write_checkpoint(folder / name, seed=seed)
    return write_levels(folder, ladder(), ladder(match_length=5), ladder("oyna-tavla", 5))


@pytest.fixture
def replaced_path(levels_path: Path, tmp_path: Path) -> Path:
    """The same file after its networks were replaced."""
    shutil.copytree(levels_path.parent, tmp_path / "replaced")
    for seed, name in enumerate(LEVEL_NAMES, start=10):
        shutil.rmtree(tmp_path / "replaced" / name)
        write_checkpoint(tmp_path / "replaced" / name, seed=seed)
    return tmp_path / "replaced" / levels_path.name


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
