"""A set in an order: rows, what each rule and what `sorf` answers, in so many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.sets import SPECS, Rows, load, running
from bench.rules.simple import Commonest, Last, Linear, Rule, Task, linear_models

#: Inputs that the linear rules see are clamped, as those of `sorf` are.
HELD, COMMON_CLIP = 2.5, 8.0
#: Of each order how many rows a label is late.
DELAYS = {"in order": 0, "permuted": 0, "noise": 0, "10 late": 10, "48 late": 48}
#: The columns of figures: ours and its parts, then the rules.
OURS, PARTS = "sorf", ("features alone", "memory alone")
#: The options that leave a part alone.
NO_OTHERS = {"constant": False, "linear_group": False}
RULES = ("commonest", "last", "AROW", "linear, bytes")
#: Of rare classes, second parts of sets, and one with many inputs, which takes long.
LEFT_OUT = ("ad_", "nab_", "usps_test", "usps10_test", "smap_telemetry", "mnist_t10k")
SETS = tuple(name for name in SPECS if not name.startswith(LEFT_OUT))


def orders_of(name: str) -> tuple[str, ...]:
    """A stream also comes as it is in its file; in regression it would be forecast."""
    spec = SPECS[name]
    if spec.shuffled or spec.task == "regression":
        return ("permuted", "noise")
    return tuple(DELAYS)


@dataclass
class Stream:
    """A set in an order, with errors of the rules that were asked so far."""

    name: str
    order: str
    X: Rows
    y: Rows
    task: Task
    asks: bool = False  # whether late labels are counted as experts answered, `delay=`
    found: dict[Any, float] = field(default_factory=dict)

    @property
    def delay(self) -> int:
        """Rows between an answer and its label."""
        return DELAYS[self.order]

    @property
    def group(self) -> str:
        """Under which its cells are counted."""
        spec = SPECS[self.name].task
        kind = {"two": "two classes", "classes": "several classes"}.get(spec, spec)
        return f"{self.order}, {kind}"


def stream(name: str, order: str, rows: int, *, asks: bool = False) -> Stream:
    """The first rows of a set; noise: labels permuted apart from permuted rows."""
    spec = SPECS[name]
    X, y = load(name, rows, raw=True)
    draws = np.random.default_rng(1)
    if order in ("permuted", "noise"):
        chosen = draws.permutation(len(y))
        X, y = X[chosen], y[chosen]
    if order == "noise":
        y = draws.permutation(y)
    regression = spec.task == "regression"
    if regression:
        y = (y - y.mean()) / y.std()
    task = Task(X.shape[1], max(1, spec.classes), regression)
    return Stream(name, order, X, y, task, asks)


def common(X: Rows) -> Rows:
    """Each row scaled by mean and deviation of all readings so far."""
    counts = X.shape[1] * np.arange(1, len(X) + 1)
    mean = np.cumsum(X.sum(axis=1)) / counts
    spread = np.cumsum((X**2).sum(axis=1)) / counts - mean**2
    sd = np.where(spread > 1e-12, np.sqrt(np.maximum(spread, 1e-12)), 1.0)
    return np.asarray(np.clip((X - mean[:, None]) / sd[:, None], -COMMON_CLIP, COMMON_CLIP))


def late(n: int, delay: int) -> Iterator[tuple[int, int | None]]:
    """The row that is answered, and the row that is learned after it, if any."""
    return ((t, t - delay if t >= delay else None) for t in range(n))


def walked(of: Stream, rule: Rule, X: Rows) -> float:
    """The error of a rule in %, each row answered while labels so far are known."""
    wrong = 0.0
    for asked, learned in late(len(X), of.delay):
        wrong += of.task.wrong(rule.scores(X[asked]), of.y[asked])
        if learned is not None:
            rule.learn(X[learned], of.y[learned])
    return 100.0 * wrong / len(X)


def rules(of: Stream, nbytes: int) -> dict[str, float]:
    """The errors in % of the rules that fit."""

    def once(key: Any, make: Callable[[], Rule], scaled: Callable[[Rows], Rows]) -> float:
        if key not in of.found:
            of.found[key] = walked(of, make(), scaled(of.X))
        return of.found[key]

    errors = {
        "commonest": once("commonest", lambda: Commonest(of.task), lambda X: X),
        "last": once("last", lambda: Last(of.task), lambda X: X),
    }
    for model in linear_models(of.task, nbytes):
        error = once(model, partial(model.made, of.task), scaler_of(model))
        errors[model.column] = min(error, errors.get(model.column, error))
    return errors


def scaler_of(model: Linear) -> Callable[[Rows], Rows]:
    """What a linear model sees of raw rows."""
    if model.common:
        return common
    return lambda X: np.clip(running(X), -HELD, HELD)


def ours(of: Stream, ram: str, seeds: Sequence[int], **options: Any) -> float | None:
    """The error in % of ``ek.Learner(n_features=d, ram=...)``; None if so few bytes hold none."""
    made: dict[str, Any] = {"n_features": of.task.d, "ram": ram, **options}
    if of.task.classes > 1:
        made["n_classes"] = of.task.classes
    if of.task.regression:
        made["loss"] = "square"
    if of.order == "in order":
        made["history"] = "auto"  # labels are known before the next row
    if of.asks and of.delay:
        made = {"delay": of.delay, "last_label": True, **made}
    try:
        ek.plan(**made)
    except ValueError:
        return None
    return float(np.mean([answered(of, ek.Learner(seed=seed, **made)) for seed in seeds]))


def answered(of: Stream, learner: ek.Learner) -> float:
    """The error in % of a learner."""
    if of.delay == 0:
        answers = np.asarray(learner.learn_many(of.X, of.y))
        if of.task.regression:
            return 100.0 * float(np.mean((of.y - answers) ** 2))
        margins = answers if of.task.classes > 1 else answers * of.y
        return 100.0 * float(np.mean(margins <= 0.0))
    wrong = 0.0
    for asked, learned in late(len(of.X), of.delay):
        if of.asks:
            f = np.atleast_1d(learner.ask_one(of.X[asked]))
            answer = float(np.argmax(f)) if of.task.classes > 1 else (1.0 if f[0] >= 0.0 else -1.0)
        else:
            answer = learner.predict_one(of.X[asked])
        wrong += answer != of.y[asked]
        if learned is not None:
            learner.learn_one(of.X[learned], of.y[learned])
    return 100.0 * wrong / len(of.X)


def largest_memory(of: Stream, ram: str) -> int:
    """The most rows a memory may have in so many bytes; 0 for none."""
    if of.task.regression:
        return 0
    made: dict[str, Any] = {"n_classes": of.task.classes} if of.task.classes > 1 else {}
    made |= {"relevance": False, **NO_OTHERS}

    def fits(rows: int) -> bool:
        try:
            ek.plan(n_features=of.task.d, ram=ram, memory=rows, **made)
        except ValueError:
            return False
        return True

    low, high = 0, 1 << 16
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def cell(of: Stream, kib: int, seeds: Sequence[int]) -> dict[str, float]:
    """The errors in % by column; those that do not fit are left out."""
    ram = f"{kib}KiB"
    memory = largest_memory(of, ram)
    found: dict[str, float | None] = {OURS: ours(of, ram, seeds)}
    if not of.task.regression:
        found["features alone"] = ours(of, ram, seeds[:1], memory=False, **NO_OTHERS)
    if memory:
        more = {"memory": memory, "relevance": False, **NO_OTHERS}
        found["memory alone"] = ours(of, ram, seeds[:1], **more)
    errors = {name: error for name, error in found.items() if error is not None}
    return {**errors, **rules(of, 1024 * kib)}
