"""Shared by all learners: random numbers, support vectors, kernels, losses, options and the step
template.

Nothing is cached between steps except the model itself, so that an error in an incremental formula
of the compiled code cannot be repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

#: k(s_i, x) for the rows of S (m, d) and x (d,), as an array (m,).
Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

MASK64 = (1 << 64) - 1


class Pcg32:
    """PCG-XSH-RR with 64 bits of state and 32 of output, stream 54.
    O'Neill, HMC-CS-2014-0905."""

    MULTIPLIER = 6364136223846793005

    def __init__(self, seed: int = 0, stream: int = 54) -> None:
        self.state = 0
        self.inc = (2 * stream + 1) & MASK64
        self.next_u32()
        self.state = (self.state + seed) & MASK64
        self.next_u32()

    def next_u32(self) -> int:
        old = self.state
        self.state = (old * self.MULTIPLIER + self.inc) & MASK64
        word = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        rot = old >> 59
        return ((word >> rot) | (word << (32 - rot))) & 0xFFFFFFFF

    def uniform(self) -> float:
        return self.next_u32() * 2.0**-32

    def index(self, n: int) -> int:
        return (self.next_u32() * n) >> 32

    def bernoulli(self, p: float) -> bool:
        """A certain outcome uses no draw."""
        if p <= 0.0:
            return False
        if p >= 1.0:
            return True
        return self.uniform() < p


def lightest(sizes: np.ndarray, arrival: np.ndarray) -> int:
    """The slot of the smallest size; ties: the oldest."""
    return min(range(len(sizes)), key=lambda i: (sizes[i], arrival[i]))


class Vectors:
    """Support vectors in slots, each with one coefficient, or with one per class.

    ``width`` is the shape of a coefficient: () for a number, (K,) for K classes.
    """

    def __init__(
        self, kernel: Kernel, budget: int | None, seed: int, width: tuple[int, ...] = ()
    ) -> None:
        self.kernel = kernel
        self.budget = budget
        self.seed = seed
        self.rng = Pcg32(seed)
        self.sv = np.zeros((0, 0))
        self.alpha = np.zeros((0, *width))
        self.arrival = np.zeros(0, dtype=int)
        self.arrivals = 0

    def row(self, x: np.ndarray) -> np.ndarray:
        """k(s_i, x) of all slots, (m,)."""
        return self.kernel(self.sv, x) if self.m else np.zeros(0)

    def gram(self) -> np.ndarray:
        """k(s_i, s_j) of all slots, (m, m)."""
        return self._gram_of(self.sv)

    def norm2(self) -> float:
        """The squared norm of the model in the feature space."""
        return float(np.vdot(self.alpha.T @ self.gram(), self.alpha.T))

    @property
    def m(self) -> int:
        """Number of support vectors."""
        return len(self.alpha)

    @property
    def is_full(self) -> bool:
        """Whether the budget is used up."""
        return self.budget is not None and self.m >= self.budget

    def append(self, x: np.ndarray, coefficient: Any) -> None:
        """Add a support vector."""
        self.sv = np.vstack([self.sv.reshape(-1, x.size), x])
        self.alpha = np.concatenate([self.alpha, [coefficient]])
        self.arrival = np.append(self.arrival, self.arrivals)
        self.arrivals += 1

    def replace(self, slot: int, x: np.ndarray, coefficient: Any) -> None:
        """Replace a support vector."""
        self.sv[slot] = x
        self.alpha[slot] = coefficient
        self.arrival[slot] = self.arrivals
        self.arrivals += 1

    def append_or_replace(self, x: np.ndarray, coefficient: Any, slot: Callable[[], int]) -> bool:
        """Add a support vector, in the slot of another if the model is full."""
        if self.is_full:
            self.replace(slot(), x, coefficient)
        else:
            self.append(x, coefficient)
        return True

    def move(self, change: np.ndarray) -> bool:
        """Add to all coefficients; returns whether any changed."""
        before = self.alpha
        self.alpha = before + change
        return not np.array_equal(before, self.alpha)

    def keep(self, slots: np.ndarray) -> None:
        """Keep only these support vectors."""
        self.sv = self.sv[slots].copy()
        self.alpha = self.alpha[slots].copy()
        self.arrival = self.arrival[slots].copy()

    def sizes(self) -> np.ndarray:
        """The squared size of each coefficient (m,)."""
        return np.asarray(np.sum(self.alpha.reshape(self.m, -1) ** 2, axis=1))

    def oldest(self) -> int:
        """The slot of the oldest support vector."""
        return int(np.argmin(self.arrival))

    def smallest(self) -> int:
        """The slot of the smallest coefficient; ties: the oldest."""
        return lightest(self.sizes(), self.arrival)

    def any_slot(self) -> int:
        """A slot drawn uniformly."""
        return self.rng.index(self.m)

    def unbiased_slot(self) -> int:
        """A slot drawn uniformly; scales up the others, so that the mean model is unchanged."""
        slot = self.any_slot()
        self.alpha = self.alpha * (self.m / (self.m - 1))
        return slot

    def slot_of(self, policy: str) -> int:
        """The slot that a policy frees."""
        slots = {
            "oldest": self.oldest,
            "smallest": self.smallest,
            "random": self.any_slot,
            "unbiased": self.unbiased_slot,
        }
        return slots[policy]()

    def _project_on_ball(self, U: float | None) -> None:
        if U is None:
            return
        norm2 = max(0.0, self.norm2())
        if norm2 > U * U:
            self.alpha = self.alpha * (U / math.sqrt(norm2))

    def _self_kernel(self, x: np.ndarray) -> float:
        return float(self.kernel(x[None, :], x)[0])

    def _self_kernels(self) -> np.ndarray:
        return np.array([self._self_kernel(s) for s in self.sv])

    def _gram_of(self, S: np.ndarray) -> np.ndarray:
        return np.array([self.kernel(S, s) for s in S]).reshape(len(S), len(S))


# --- kernels: (S of shape (m, d), x of shape (d,)) -> (m,) ---------------------------


@dataclass(frozen=True)
class Gaussian:
    """The Gaussian kernel as a class with its width, for methods that need this kernel."""

    gamma: float

    def __call__(self, S: np.ndarray, x: np.ndarray) -> np.ndarray:
        # Differences, not the expanded square, so that a duplicate has distance exactly 0.
        return np.asarray(np.exp(-self.gamma * np.sum((S - x) ** 2, axis=1)))


def gaussian(gamma: float) -> Kernel:
    return Gaussian(gamma)


def width_of(kernel: Kernel) -> float:
    """The gamma of a Gaussian kernel. Raises ValueError for any other."""
    if not isinstance(kernel, Gaussian):
        raise ValueError("this method needs a Gaussian kernel")
    return kernel.gamma


def laplacian(gamma: float) -> Kernel:
    return lambda S, x: np.exp(-gamma * np.sum(np.abs(S - x), axis=1))


def linear() -> Kernel:
    return lambda S, x: S @ x


def polynomial(degree: int, scale: float = 1.0, offset: float = 1.0) -> Kernel:
    return lambda S, x: (scale * (S @ x) + offset) ** degree


def sigmoid(scale: float, offset: float) -> Kernel:
    return lambda S, x: np.tanh(scale * (S @ x) + offset)


# --- losses of the score f ----------------------------------------------------------


def logistic_function(u: float) -> float:
    if u >= 0.0:
        return 1.0 / (1.0 + math.exp(-u))
    e = math.exp(u)
    return e / (1.0 + e)


def softplus(u: float) -> float:
    return max(u, 0.0) + math.log1p(math.exp(-abs(u)))


def hinge(y: float, f: float) -> float:
    return max(0.0, 1.0 - y * f)


#: Half the width of the tube of zero loss.
TOLERANCE = 0.1
#: Losses for real targets.
REAL = ("square", "epsilon")


def piecewise_loss(loss: str, y: float, f: float) -> float:
    """The residual of a passive-aggressive step: the hinge, or the distance from the tube."""
    return max(0.0, abs(y - f) - TOLERANCE) if loss == "epsilon" else hinge(y, f)


def direction(loss: str, y: float, f: float) -> float:
    """The sign of such a step."""
    return float(np.sign(y - f)) if loss == "epsilon" else y


LOSSES = ("hinge", "ramp", "logistic", *REAL)


def loss_value(loss: str, y: float, f: float) -> float:
    if loss == "epsilon":
        return piecewise_loss(loss, y, f)
    if loss == "hinge":
        return hinge(y, f)
    if loss == "ramp":
        return min(2.0, hinge(y, f))
    if loss == "square":
        return (y - f) ** 2 / 2.0
    if loss == "logistic":
        return softplus(-y * f)
    raise ValueError(f"unknown loss {loss!r}")


def loss_gradient(loss: str, y: float, f: float) -> float:
    """dl/df; at the corner of the hinge (y f = 1) and on the edge of the tube it is 0."""
    if loss == "epsilon":
        return -direction(loss, y, f) if abs(y - f) > TOLERANCE else 0.0
    if loss == "hinge":
        return -y if y * f < 1.0 else 0.0
    if loss == "ramp":
        return -y if -1.0 <= y * f < 1.0 else 0.0
    if loss == "square":
        return f - y
    if loss == "logistic":
        return -y * logistic_function(-y * f)
    raise ValueError(f"unknown loss {loss!r}")


def require(ok: bool, message: str) -> None:
    if not ok:
        raise ValueError(message)


# --- options of a learner ---


@dataclass(frozen=True)
class Option:
    """A keyword of the constructor, which becomes an attribute; None only if it is the default."""

    default: Any
    holds: Callable[[Any], bool]
    rule: str
    called: str = ""  # the keyword, if its name differs from the attribute


def option(default: Any, rule: str, holds: Callable[[Any], bool], called: str = "") -> Any:
    """An option with a rule; with the default ``...`` it is required."""
    return Option(default, holds, rule, called)


def positive(default: Any, called: str = "") -> Any:
    return option(default, "must be positive", lambda value: value > 0.0, called)


def not_negative(default: Any) -> Any:
    return option(default, "must not be negative", lambda value: value >= 0.0)


def at_least(minimum: float, default: Any) -> Any:
    return option(default, f"must be at least {minimum:g}", lambda value: value >= minimum)


def among(*words: str, called: str = "") -> Any:
    """One of these words; the first is the default."""
    return option(words[0], f"is {' or '.join(words)}", lambda value: value in words, called)


def flag(default: bool) -> Any:
    return option(default, "is True or False", lambda value: isinstance(value, bool))


# --- the step template --------------------------------------------------------------


class KernelLearner(Vectors):
    """Score, count, update, in that order; subclasses only supply ``update``.

    Labels are -1 and +1, or real numbers where ``loss`` is one of REAL.

    Parameters
    ----------
    kernel : callable
        ``kernel(S, x)`` gives k(s_i, x) for the rows of S (m, d) and x (d,) as an array (m,).
    budget : int or None
        Maximum number of support vectors; None if the method has no limit.
    seed : int
        Seed of the PCG32 generator ``rng``.
    **options
        Options declared by the class and its bases, such as ``C: float = positive(1.0)``.

    Attributes
    ----------
    sv : ndarray (m, d)
        The support vectors, in the order of their slots.
    alpha : ndarray (m,)
        Their coefficients.
    arrival : ndarray (m,)
        Sequence number of each.
    t, mistakes, updates, capacity_hits : int
        Rows learned; predictions with y f <= 0; rows that changed the model; rows that a full model
        could not store.
    """

    min_budget = 1
    needs_budget = False
    keeps_average = False

    #: Attribute and option by keyword, including those of the bases.
    options: ClassVar[dict[str, tuple[str, Option]]] = {}
    loss: str = "hinge"

    def __init_subclass__(cls) -> None:
        found = [(name, spec) for name, spec in vars(cls).items() if isinstance(spec, Option)]
        cls.options = {**cls.options, **{spec.called or name: (name, spec) for name, spec in found}}

    def __init__(
        self, kernel: Kernel, budget: int | None = None, seed: int = 0, **options: Any
    ) -> None:
        unknown = [name for name in options if name not in self.options]
        require(not unknown, f"no option {unknown}; there are {', '.join(self.options)}")
        for name, (attribute, spec) in self.options.items():
            value = options.get(name, spec.default)
            require(value is not ..., f"{name} must be given")
            unset = value is None and spec.default is None
            require(unset or spec.holds(value), f"{name} {spec.rule}")
            setattr(self, attribute, value)
        require(budget is not None or not self.needs_budget, "this method needs a budget")
        require(budget is None or budget >= self.min_budget, "budget too small")
        super().__init__(kernel, budget, seed)
        self.coef_sum = np.zeros(0)
        self.dim: int | None = None
        self.t = 0
        self.mistakes = 0
        self.updates = 0
        self.sq_error = 0.0
        self.capacity_hits = 0
        self._begin()

    def _begin(self) -> None:
        """Initialise further state, and check combinations of options."""

    # --- public side ---

    def learn_one(self, x: np.ndarray, y: float) -> float:
        """Learn a row; returns its score before the update. As ``ek.Learner.learn_one``."""
        return self.step(x, y)

    def learn_many(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Learn rows (n, d) in order; returns their scores before the update (n,)."""
        return np.array([self.step(row, label) for row, label in zip(X, y, strict=True)])

    def step(self, x: np.ndarray, y: float) -> float:
        """Learn an example; returns its score before the update."""
        x, y = self._checked(x, y)
        if self.dim is None:
            self.dim = x.size
            self.sv = np.zeros((0, x.size))
        row = self.row(x)
        f = self._score(x, row)
        kxx = self._self_kernel(x)
        self.t += 1
        if self.keeps_average:
            self.coef_sum = self.coef_sum + self.alpha
        if self.loss in REAL:
            self.sq_error += (y - f) ** 2
        elif not y * f > 0.0:
            self.mistakes += 1
        if self.update(x, y, f, row, kxx):
            self.updates += 1
        return f

    def decision(self, x: np.ndarray) -> float:
        """The score of a row; nothing is learned."""
        return self._combine(self.alpha, x)

    def averaged(self, x: np.ndarray, include_current: bool = False) -> float:
        """Mean of the models that made the predictions, f_1 = 0 among them.

        With `include_current` the mean includes the model that will score the next example.
        """
        if not self.keeps_average:
            raise AttributeError("this method has no averaged model")
        if include_current:
            return self._combine((self.coef_sum + self.alpha) / (self.t + 1), x)
        return self._combine(self.coef_sum / self.t, x) if self.t else 0.0

    @property
    def n_support(self) -> int:
        """Number of support vectors. As ``ek.Learner.n_support``."""
        return self.m

    # --- for the subclasses ---

    def _score(self, x: np.ndarray, row: np.ndarray) -> float:
        return float(self.alpha @ row)

    def update(self, x: np.ndarray, y: float, f: float, row: np.ndarray, kxx: float) -> bool:
        """Learn one checked row; returns whether the model changed.

        Parameters
        ----------
        x : ndarray (d,)
            The row.
        y, f : float
            Its label, and its score before the update.
        row : ndarray (m,)
            k(s_i, x) of the slots before the update.
        kxx : float
            k(x, x).
        """
        raise NotImplementedError

    def append(self, x: np.ndarray, coefficient: float) -> None:
        super().append(x, coefficient)
        self.coef_sum = np.append(self.coef_sum, 0.0)

    def is_frozen(self) -> bool:
        """Whether the model is full; counts this as a capacity hit."""
        self.capacity_hits += self.is_full
        return self.is_full

    def append_or_freeze(self, x: np.ndarray, coefficient: float) -> bool:
        """Add a support vector unless the model is full; returns whether it was added."""
        if self.is_frozen():
            return False
        self.append(x, coefficient)
        return True

    def _combine(self, coefficients: np.ndarray, x: np.ndarray) -> float:
        return float(coefficients @ self.row(np.asarray(x, dtype=float)))

    def _checked(self, x: np.ndarray, y: float) -> tuple[np.ndarray, float]:
        x = np.array(x, dtype=float)
        y = float(y)
        require(x.ndim == 1 and self.dim in (None, x.size), "wrong dimension")
        require(bool(np.all(np.isfinite(x))) and math.isfinite(y), "not finite")
        require(self.loss in REAL or y in (-1.0, 1.0), "labels are -1 and +1")
        return x, y
