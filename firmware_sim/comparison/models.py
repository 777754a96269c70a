"""Models of river and scikit-learn in a comparison: they answer each row before they learn it.

They are not under a cap: a comparison lists them with the bytes that they have at the end.
"""

from __future__ import annotations

import copy
import math
import pickle
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_sim.comparison.evaluators import Evaluator
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds import KINDS
from firmware_sim.kinds.base import Kind
from firmware_sim.streams import Row

#: Rows between looks at the clock.
_EVERY = 64


@dataclass(frozen=True)
class ModelOutcome:
    """The result of a model.

    name: as the caller named it.
    library: "river" or "scikit-learn", whose interface it has.
    rows: rows learned.
    seconds: processor time.
    nbytes: bytes of the learned model, pickled; 0 if it cannot be pickled.
    scores: its answers; empty if it took too long.
    detail: why it is not finished, or "".
    """

    name: str
    library: str
    rows: int
    seconds: float
    nbytes: int
    scores: Row
    detail: str = ""

    @property
    def label(self) -> str:
        """Its name in a report."""
        size = f"{self.nbytes / 1024:,.0f} KiB" if self.nbytes >= 1024 else f"{self.nbytes} B"
        return f"{self.name} ({self.library}, {size})" if self.nbytes else self.name


def check(models: Mapping[str, Any], kind: str, group: str | None) -> None:
    """Raise SimulatorError for a model without the methods of either library.

    kind: its name.
    group: column of the groups of which one at a time is left out; None if none is.
    """
    if models and not KINDS[kind].is_supervised:
        raise SimulatorError("models of other libraries are compared on labels, not on novelty")
    if models and group is not None:
        raise SimulatorError("models of other libraries are not compared by group: leave out group")
    for name, model in models.items():
        _interface(name, model)


def run(
    name: str, model: Any, evaluator: Evaluator, features: tuple[str, ...], seconds: float
) -> ModelOutcome:
    """Answer and learn the rows of a comparison with a copy of a model.

    features: names of the readings.
    seconds: limit of the processor time.
    Raises SimulatorError: it has the methods of neither library, or refuses a row.
    """
    library, adapter = _interface(name, model)
    kind, y = evaluator.kind, evaluator.y
    own = adapter(copy.deepcopy(model), kind, features, y)
    waits, delay = deque[int](), _delay(evaluator)
    scores, began, n = np.zeros(len(y)), time.thread_time(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n, row in enumerate(_rows(evaluator), 1):
            try:
                scores[n - 1] = own.answer(row)
                waits.append(n - 1)
                own.rows[n - 1] = row
                if len(waits) >= delay:  # its label is known now
                    first = waits.popleft()
                    own.learn(own.rows.pop(first), float(y[first]))
            except Exception as error:  # of another library
                raise SimulatorError(f"model {name!r} refuses row {n:,}: {error}") from error
            spent = time.thread_time() - began
            if n % _EVERY == 0 and spent >= seconds and n < len(y):
                detail = f"{n:,} of {len(y):,} rows in {seconds:g} s"
                return ModelOutcome(name, library, n, spent, 0, np.empty(0), detail)
    spent = time.thread_time() - began
    return ModelOutcome(name, library, n, spent, _size(own.model), scores)


def _delay(evaluator: Evaluator) -> int:
    """Return the rows after which a label is known; 1 if before the next row."""
    config = evaluator.config
    delay, in_seconds = config.delay
    rows = delay / config.period if in_seconds and config.period else delay
    return max(1, evaluator.kind.horizon, math.ceil(rows))


def _rows(evaluator: Evaluator) -> Any:
    """Yield the usable rows, as read, with the last reading for each missing one."""
    stream, numbers = evaluator.filled, evaluator.numbers
    assert not isinstance(stream, str)
    for block in stream.blocks():
        first, end = np.searchsorted(numbers, [block.first, block.first + len(block)])
        yield from block.rows[numbers[first:end] - block.first]


def _size(model: Any) -> int:
    try:
        return len(pickle.dumps(model))
    except Exception:  # a lambda in a pipeline
        return 0


class _Adapter:
    """A model: its answers as scores of a replay, its labels in its own terms.

    rows: those that wait for their labels, by index.
    """

    def __init__(self, model: Any, kind: Kind, features: tuple[str, ...], y: Row) -> None:
        self.model, self._kind, self._features = model, kind, features
        self._classes = np.unique(y[~np.isnan(y)]).astype(int)
        self.rows: dict[int, Row] = {}

    def answer(self, row: Row) -> float:
        """Return the score of a row."""
        raise NotImplementedError

    def learn(self, row: Row, label: float) -> None:
        """Learn a row."""
        raise NotImplementedError

    def _score(self, answer: Any) -> float:
        """Return an answer as a score; before there is one, of the first class."""
        if answer is None:
            return 0.0
        if self._kind.takes_positive:
            return 1.0 if answer == 1 else -1.0
        return float(answer)


class _River(_Adapter):
    """A model of river: rows are dictionaries."""

    def _named(self, row: Row) -> dict[str, float]:
        return dict(zip(self._features, row.tolist(), strict=True))

    def answer(self, row: Row) -> float:
        return self._score(self.model.predict_one(self._named(row)))

    def learn(self, row: Row, label: float) -> None:
        if self._kind.takes_positive:
            self.model.learn_one(self._named(row), label > 0)
        else:
            self.model.learn_one(
                self._named(row), int(label) if self._kind.takes_classes else label
            )


class _Sklearn(_Adapter):
    """An estimator of scikit-learn that learns row by row."""

    _is_fitted = False

    def answer(self, row: Row) -> float:
        if not self._is_fitted:
            return 0.0
        return self._score(self.model.predict(row[None])[0])

    def learn(self, row: Row, label: float) -> None:
        numeric = self._kind.is_numeric
        more = {} if numeric or self._is_fitted else {"classes": self._classes}
        target = label if numeric else int(label)
        self.model.partial_fit(row[None], np.array([target]), **more)
        self._is_fitted = True


def _interface(name: str, model: Any) -> tuple[str, Callable[..., _Adapter]]:
    """Return the library whose methods a model has, and its adapter."""
    if isinstance(model, type):
        raise SimulatorError(f"model {name!r} is a class: give an instance of it")
    if hasattr(model, "learn_one") and hasattr(model, "predict_one"):
        return "river", _River
    if hasattr(model, "partial_fit") and hasattr(model, "predict"):
        return "scikit-learn", _Sklearn
    raise SimulatorError(
        f"model {name!r} is a {type(model).__name__}, which cannot learn row by row: it must have "
        "learn_one and predict_one (river), or partial_fit and predict (scikit-learn)"
    )
