"""The runs of the frontier: sets, learners, sizes, settings, and the record of a run."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.bytes.sets import SPECS, Rows
from bench.cases import Record
from edgeolk.parts.methods import find
from edgeolk.parts.table import DEFAULT_PARTS
from edgeolk.ring.options import uses

#: The share of the rows that parameters are chosen on.
PREFIX = 0.2
KIB = 1024
OURS = "sorf"

BINARY = (
    *("a9a_train", "ijcnn1_train", "phishing", "spambase", "covtype10k", "usps_train", "phoneme"),
    *("banana", "ring", "w8a", "german", "mushrooms", "twonorm", "svmguide3", "elec2"),
    *("insects_gradual", "weather_rain", "wall_following", "occupancy", "eeg_eye_state"),
)
CLASSES = ("letter", "segment", "satimage_train", "usps10_train", "vowel_train", "keystroke")
REGRESSION = (
    *("abalone_regression", "cadata_regression", "ccpp_regression", "cpusmall_regression"),
    "mg_regression",
)
SETS = (*BINARY, *CLASSES, *REGRESSION)


@dataclass(frozen=True)
class Job:
    """One run: a learner in ``nbytes`` over a set.

    ``width`` multiplies the set's gamma.
    """

    data: str
    name: str
    nbytes: int
    dtype: str = ""
    coefficients: str = ""
    width: float = 1.0
    params: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 10_000

    @property
    def key(self) -> str:
        """Names the run in a file of finished ones."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of a configuration beyond the kernel and the features."""
        made: dict[str, Any] = {**self.params, "ram": self.nbytes}
        if self.dtype:
            made["dtype"] = self.dtype
        if self.coefficients:
            made["coefficients"] = self.coefficients
        task = SPECS[self.data].task
        if task == "regression":
            made["loss"] = "square"
        elif task == "classes":
            made["n_classes"] = SPECS[self.data].classes
        return made

    def exists(self) -> bool:
        """Whether there is such a learner, of whatever size."""
        options = {**self.options, "ram": None, "budget": 64}
        try:
            ek.Config(self.name, n_features=2, kernel=ek.Gaussian(1.0), **options)
        except (ValueError, TypeError):
            return False
        return True


@dataclass(frozen=True)
class Grid:
    """The runs of a frontier.

    A learner tries ``values`` of each parameter that it has. The first of each come first, so that
    an interrupted run has every learner once.
    """

    sizes: tuple[int, ...]
    names: tuple[str, ...]
    storage: tuple[tuple[str, str], ...]
    widths: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    rows: int
    ours: tuple[Mapping[str, Any], ...] = ({},)

    def jobs(self, data: str) -> Iterator[tuple[int, Job]]:
        """Jobs of a set, each with how far down the lists its choices are."""
        for size in self.sizes:
            for more in self.ours:
                yield 0, Job(data, OURS, size, params=dict(more), rows=self.rows)
            for name, (dtype, coefficients) in itertools.product(self.names, self.storage):
                for far, params in choices(name, self.values):
                    for at, width in enumerate(self.widths):
                        yield (
                            far + at,
                            Job(data, name, size, dtype, coefficients, width, params, self.rows),
                        )


def choices(
    name: str, values: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Settings of the parameters that a published algorithm has, by their names."""
    method = find(name)
    own = uses({**DEFAULT_PARTS, **method.parts})
    axes: dict[str, tuple[Any, ...]] = {n: tried for n, tried in values.items() if n in own}
    if "frequencies" in method.choices:
        axes["frequencies"] = ("structured", "stored")
    for picked in itertools.product(*(list(enumerate(tried)) for tried in axes.values())):
        far = sum(at for at, _ in picked)
        yield far, {n: value for n, (_, value) in zip(axes, picked, strict=True)}


#: The published methods that were best or smallest anywhere, in their smallest storage.
WHOLE = Grid(
    sizes=(512, *(KIB * size for size in (1, 2, 4, 8, 16))),
    names=(
        *("ahpatron", "bpa_s", "bpa_nn", "olrd", "ogd", "fogd", "nogd"),
        *("avp", "bsgd", "forgetron_basic", "pa1", "pa2", "pegasos", "rbp", "remove_smallest"),
    ),
    storage=(("int8", "float32"), ("float32", "float32")),
    widths=(1.0, 3.0),
    values={"C": (1.0, 0.1), "eta": (0.3, 0.05), "rate": (0.5, 0.25), "lam": (1e-4, 1e-2)},
    rows=4_000,
    ours=({}, {"scale": "common"}),
)


def costs(task: str, answers: NDArray[Any], y: Rows) -> Rows:
    """What each row counts: 1 for an error; in regression its square over the variance of y."""
    if task == "regression":
        return np.asarray((y - answers) ** 2 / np.var(y))
    return np.asarray((answers if task == "classes" else y * answers) <= 0.0, dtype=float)


def record(task: str, answers: NDArray[Any], y: Rows, nbytes: int, seconds: float) -> Record:
    """Errors in %: of all rows, and of the first ones."""
    lost = 100.0 * costs(task, answers, y)
    first = max(1, int(PREFIX * len(y)))
    return {
        "error": float(np.mean(lost)),
        "prefix": float(np.mean(lost[:first])),
        "rest": float(np.mean(lost[first:])),
        "nbytes": nbytes,
        "rows": len(y),
        "seconds": seconds,
    }
