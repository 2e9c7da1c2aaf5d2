"""The learner: fits the network to the targets.

Terms: a *step* is one minibatch; a *round* is the training on one round of self-play; *EMA weights* are the
exponential moving average of the weights over steps, which are evaluated and saved, while the raw weights
play and learn.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from tavla_ai import engine
from tavla_ai.errors import ConfigError
from tavla_ai.network import NetworkSpec
from tavla_ai.network.module import ValueNetwork, from_numpy, to_numpy
from train.batch import Afterstates
from train.config import LearnerConfig


class DivergedError(RuntimeError):
    """A loss, gradient or weight is not a finite number."""


@dataclass(frozen=True)
class RoundMetrics:
    """Results of training on one round.

    Attributes:
      loss: mean cross-entropy in nats.
      excess_loss: loss minus the entropy of the targets: the mean divergence from target to prediction, in nats.
      sibling_error: root mean square error of the differences between siblings' values, in points; 0 if it has no
        weight.
      gradient_norm: mean norm of the gradient before it was limited.
      positions: number of afterstates trained on.
      steps: number of minibatches.
      learning_rate: step size of the last step.
    """

    loss: float
    excess_loss: float
    sibling_error: float
    gradient_norm: float
    positions: int
    steps: int
    learning_rate: float


class Learner:
    """The network, its average and the optimiser; deterministic for the same batches and thread count."""

    def __init__(
        self,
        spec: NetworkSpec,
        config: LearnerConfig,
        seed: int,
        initial: dict[str, NDArray[np.float32]] | None = None,
    ) -> None:
        torch.set_num_threads(config.threads)
        self._config = config
        self._inputs = spec.input_names
        self._seed = seed
        self._device = _device(config.device)
        if initial is None:
            torch.manual_seed(seed)
            module = ValueNetwork(spec)
        else:
            module = from_numpy(spec, initial)
        self._module = module.to(self._device)
        self._average = [parameter.detach().clone() for parameter in self._module.parameters()]
        parameters = self._module.parameters()
        self._optimizer: torch.optim.Optimizer
        if config.optimizer == "adam":
            self._optimizer = torch.optim.Adam(parameters, lr=config.learning_rate, fused=True)
        else:
            self._optimizer = torch.optim.SGD(parameters, lr=config.learning_rate)
        self._window: deque[Afterstates] = deque(maxlen=config.window_rounds)
        self.steps = 0

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the raw weights, which play."""
        return to_numpy(self._module)

    def average_weights(self) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the EMA weights, which are evaluated and saved."""
        names = [name for name, _ in self._module.named_parameters()]
        return {
            name: average.to("cpu", torch.float32).numpy().copy()
            for name, average in zip(names, self._average, strict=True)
        }

    def train_round(self, new: Afterstates, round_index: int, progress: float) -> RoundMetrics:
        """Train on a round of self-play.

        Args:
          new: the round's afterstates and their targets.
          round_index: number of the round; with the seed it decides how afterstates are shuffled.
          progress: finished share of the run, 0 to 1, for the learning rate.

        Raises:
          DivergedError: the loss or gradient is not finite; the weights are then useless.
        """
        self._window.append(new)
        kept = Afterstates.concatenated(self._window)
        rng = np.random.Generator(np.random.Philox(key=[self._seed, round_index]))
        rate = self._learning_rate(progress)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        sums = torch.zeros(4, dtype=torch.float64, device=self._device)
        steps = positions = 0
        for chosen, siblings in self._minibatches(rng, kept.siblings, round(len(new) * self._config.passes)):
            features = torch.from_numpy(engine.encode(kept.boards[chosen], kept.utility_inputs[chosen], self._inputs))
            target = torch.from_numpy(kept.targets[chosen])
            values = torch.from_numpy(kept.values[chosen]) if self._config.sibling_weight else None
            sums += self._step(features, target, values, siblings)
            steps += 1
            positions += len(chosen)
        weights_finite = all(bool(torch.isfinite(weights).all()) for weights in self._module.parameters())
        if not (weights_finite and bool(torch.isfinite(sums).all())):
            raise DivergedError(f"round {round_index}: a loss, gradient or weight is not finite")
        loss, entropy, variance, norm = (float(total) for total in sums / max(steps, 1))
        return RoundMetrics(loss, loss - entropy, math.sqrt(variance), norm, positions, steps, rate)

    def _step(
        self,
        features: torch.Tensor,
        target: torch.Tensor,
        values: torch.Tensor | None,
        siblings: NDArray[np.int32],
    ) -> torch.Tensor:
        features, target = features.to(self._device), target.to(self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._config.precision == "bfloat16"):
            logits = self._module(features)
        logits = logits.float()
        loss = total = cross_entropy(logits, target)
        variance = torch.zeros((), device=self._device)
        if values is not None:
            error = ((logits.softmax(dim=1) - target) * values.to(self._device)).sum(dim=1)
            variance = _variance_within(error, siblings)
            total = loss + self._config.sibling_weight * variance
        self._optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self._module.parameters(), self._config.max_gradient_norm)
        self._optimizer.step()
        self.steps += 1
        # The average starts as a plain mean, so that the first weights are soon forgotten.
        decay = min(self._config.ema, self.steps / (self.steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(self._average, list(self._module.parameters()), 1 - decay)
            entropy = torch.special.entr(target).sum(dim=1).mean()
        return torch.stack([loss.detach(), entropy, variance.detach(), norm]).double()

    def _minibatches(
        self, rng: np.random.Generator, siblings: NDArray[np.int32], wanted: int
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int32]]]:
        """Yield minibatches: indices of afterstates, and the number of afterstates of each decision.

        They have `wanted` afterstates in all, or a few more, because no minibatch splits a decision. No decision is
        drawn again before all have been drawn.
        """
        available = int(siblings.sum())
        repeats = math.ceil(wanted / available) if available else 0
        order = np.concatenate([rng.permutation(len(siblings)) for _ in range(repeats)] or [np.zeros(0, np.intp)])
        first = np.cumsum(siblings) - siblings
        ends = np.cumsum(siblings[order])
        begin = 0
        for limit in range(self._config.batch_size, wanted + self._config.batch_size, self._config.batch_size):
            end = int(np.searchsorted(ends, min(limit, wanted))) + 1
            if end == begin:
                continue
            decisions = order[begin:end]
            begin = end
            counts = siblings[decisions]
            offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            yield np.repeat(first[decisions], counts) + offsets, counts

    def _learning_rate(self, progress: float) -> float:
        first, last = self._config.learning_rate, self._config.final_learning_rate
        share = (1 + math.cos(math.pi * min(max(progress, 0.0), 1.0))) / 2
        return last + (first - last) * share

    def state(self) -> dict[str, Any]:
        """Return the state that `load_state` takes; `torch.load(weights_only=True)` can read it."""
        return {
            "module": self._module.state_dict(),
            "average": self._average,
            "optimizer": self._optimizer.state_dict(),
            "steps": self.steps,
            # Old rounds are needed only if the window is longer than one round.
            "window": [
                [torch.from_numpy(array) for array in afterstates.arrays()]
                for afterstates in list(self._window)[1 - self._config.window_rounds :]
                if self._config.window_rounds > 1
            ],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        self._module.load_state_dict(state["module"])
        for average, saved in zip(self._average, state["average"], strict=True):
            average.copy_(saved)
        self._optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]
        self._window.clear()
        self._window.extend(Afterstates(*(tensor.numpy() for tensor in tensors)) for tensors in state["window"])


def _variance_within(errors: torch.Tensor, siblings: NDArray[np.int32]) -> torch.Tensor:
    """Return the mean square of errors `[N]` minus the mean of their decision, which changes no choice."""
    counts = torch.from_numpy(siblings).to(errors.device, torch.int64)
    # The deviations of a decision add up to 0, so its mean has no gradient.
    means = torch.segment_reduce(errors.detach(), "mean", lengths=counts)
    return (errors - torch.repeat_interleave(means, counts)).square().mean()


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        if device.type not in ("cpu", "cuda"):
            raise RuntimeError
    except RuntimeError:
        raise ConfigError(f"learner.device: cpu, cuda, cuda:N or auto expected, not {name!r}") from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(f"learner.device: this machine has no {name}; use cpu or auto")
    return device
