"""Compares one run of the library with a reference, decision by decision.

Both see the same rows. They may diverge only at a step whose decision depends on a rounding error:
a margin at its threshold, or two candidates for eviction of equal cost. Counters of such a step are
not compared; if it leads to different models, the comparison of that run ends there.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np
from helpers import KERNELS
from synthetic import random_stream, regression_stream

import edgeolk as ek
from edgeolk.reference import LEARNERS, KernelLearner
from edgeolk.reference.base import REAL, TOLERANCE
from edgeolk.reference.forgetron import psi
from edgeolk.reference.pegasos import merge_height
from edgeolk.reference.projectron import NEGLIGIBLE, project_on_span

Case = tuple[str, dict[str, Any], str]

FEATURES = 6
#: Rows for each budget: a ring is full after a third of them, where the algorithm fills it.
ROWS = {1: 80, 2: 80, 7: 150, 40: 200}
#: Stream for each budget; chosen among a few so that hardly a row sits on a threshold.
SEEDS = {1: 100, 2: 100, 7: 101, 40: 105}
#: Of 1 + sum |alpha_i| R sqrt(k(x, x)), R^2 = max k(s, s). A float32 row of d products is off by at
#: most (d + 2) 2^-24 = 5e-7 of that, three times as much after a power; coefficients made from such
#: scores carry it on (measured: 4e-7 at most).
FLOAT32_BOUND = 4e-6
#: Policies whose coefficients solve a system that may be nearly singular, or maximise a function
#: that is flat at its top: they are fixed to the root of a rounding error only, as are those of
#: updates that add little to the diagonal of a matrix.
LOOSE = (ek.Policy.SPAN, ek.Policy.ANCHOR, ek.Policy.PROJECT, ek.Policy.LIGHTEST_PROJECT,
         ek.Policy.MERGE)  # fmt: skip
UNBOUNDED = math.inf
#: Where a reference leaves a parameter to the caller that the catalogue gives a default.
TWIN_DEFAULTS: dict[str, dict[str, Any]] = {"avp": {"U": UNBOUNDED, "lam": 0.25}}


def case_id(case: Case) -> str:
    name, params, kernel = case
    return "-".join([name, *(f"{key}={value}" for key, value in params.items()), kernel])


class Outcome(NamedTuple):
    """How far one run got, and what was found."""

    steps: int
    compared: int
    complaint: str


def make_learner(case: Case, budget: int, dtype: str) -> ek.Learner:
    name, params, kernel = case
    return ek.Learner(
        name,
        n_features=FEATURES,
        budget=budget,
        kernel=KERNELS[kernel][0],
        dtype=dtype,
        seed=11,
        **params,
    )


def make_plain(case: Case, budget: int) -> KernelLearner:
    name, params, kernel = case
    function = KERNELS[kernel][1]
    given = {**TWIN_DEFAULTS.get(name, {}), **params}
    if name == "avp" and given["U"] is None:
        given["U"] = UNBOUNDED
    if name == "fogd":
        return LEARNERS[name](function, None, seed=11, D=budget, **given)
    return LEARNERS[name](function, budget, seed=11, **given)


def is_loose(learner: ek.Learner) -> bool:
    return learner.parts.get("policy") in LOOSE or bool(learner._config.update.added)


def thresholds(learner: ek.Learner) -> list[float]:
    """Values of y f at which a decision changes."""
    update, parameters = learner.parts.get("update"), learner.parameters
    found = [0.0]
    if update == ek.Update.AGGRESSIVE:
        found.append(1.0 - parameters["eps"])
    elif update == ek.Update.LOGISTIC_CUT:
        found.append(parameters["delta"])
    elif update not in (ek.Update.PERCEPTRON, ek.Update.SHIFTING):
        found.append(1.0)
    if learner.parts["loss"] == ek.Loss.RAMP:
        found += [-1.0, 1.0]
    return found


def tied(sizes: Any, rank: int, tolerance: float) -> bool:
    """Whether rounding decides which sizes are the `rank` smallest."""
    order = np.sort(sizes)
    return bool(rank < len(order) and order[rank] - order[rank - 1] <= tolerance)


def skip_is_open(
    learner: ek.Learner, margin: float, kxx: float, least: float, reach: float, tolerance: float
) -> bool:
    """Whether budgeted PA might as well drop the incoming vector."""
    if not kxx > 0.0:
        return False
    C, H = learner.parameters["C"], max(0.0, 1.0 - margin)

    def cost(size: float) -> float:
        tau = min(C, H / size) if size > 0.0 else 0.0
        return 0.5 * tau * tau * size + C * (H - tau * size)

    return bool(abs(cost(reach) - 0.5 * least - cost(kxx)) <= tolerance)


def removal_is_open(
    learner: ek.Learner, plain: Any, x: np.ndarray, y: float, margin: float, tolerance: float
) -> bool:
    """Whether another vector might as well have been evicted from a full ring."""
    policy = learner.parts.get("policy")
    row, kxx = plain.kernel(plain.sv, x), plain._self_kernel(x)
    if policy == ek.Policy.SMALLEST:
        return tied(np.abs(plain.alpha), 1, tolerance)
    if policy == ek.Policy.HALVE:
        return tied(np.abs(plain.alpha), plain.m - plain.m // 2, tolerance)
    if policy in (ek.Policy.SIMPLE, ek.Policy.NEAREST, ek.Policy.PROJECT):
        if kxx <= 0.0:
            return False
        missed = np.array([repair[0] for repair in plain.rule().victims(plain, row, kxx)])
        costs = plain.alpha**2 * missed
        reach, _ = plain.rule().project(plain, x, row)
        skips = skip_is_open(learner, margin, kxx, min(costs), reach, tolerance)
        return tied(costs, 1, tolerance) or skips
    if policy == ek.Policy.FORGETRON_GREEDY:
        damages = [psi(*plain._weight_and_margin(r, y, row)) for r in range(plain.m)]
        return tied(damages, 1, tolerance)
    if policy in (ek.Policy.LIGHTEST, ek.Policy.LIGHTEST_PROJECT, ek.Policy.MERGE):
        S, beta = np.vstack([plain.sv, x]), np.append(plain.beta, y)
        roots = np.sqrt([max(0.0, plain._self_kernel(s)) for s in S])
        sizes = np.abs(beta) * roots
        return tied(sizes, 1, tolerance) or (
            policy == ek.Policy.MERGE and partner_is_open(plain, S, beta, tolerance)
        )
    return False


def partner_is_open(plain: Any, S: np.ndarray, beta: np.ndarray, tolerance: float) -> bool:
    p, losses = int(np.argmin(np.abs(beta))), []
    for j in range(len(beta)):
        if j == p or not beta[j] * beta[p] > 0.0:
            continue
        spread = plain.kernel.gamma * float(np.sum((S[p] - S[j]) ** 2))
        h = merge_height(spread, beta[p] / (beta[p] + beta[j]), plain.iters)
        near, far = math.exp(-spread * (1.0 - h) ** 2), math.exp(-spread * h * h)
        losses.append(
            beta[p] ** 2
            + beta[j] ** 2
            + 2.0 * beta[p] * beta[j] * math.exp(-spread)
            - (beta[p] * near + beta[j] * far) ** 2
        )
    return tied(losses, 1, tolerance)


def span_is_open(learner: ek.Learner, plain: Any, x: np.ndarray, margin: float) -> bool:
    """Whether rounding decides if a row is in the span, or if a margin error is worth a step."""
    if not plain.m:
        return False
    kxx = plain._self_kernel(x)
    _, p, rest = project_on_span(plain.gram(), plain.kernel(plain.sv, x), kxx)
    near = 1e-6 * max(kxx, 1e-300)
    limits = [learner.parameters.get(name, 0.0) ** 2 for name in ("sparsity", "ald")]
    if any(limit > 0.0 and abs(rest - limit) <= near for limit in limits):
        return True
    if 1e-4 * NEGLIGIBLE * kxx <= rest <= 1e4 * NEGLIGIBLE * kxx:
        return True
    missing = 1.0 - margin
    penalty = learner.parameters.get("U", 0.0) * math.sqrt(rest)
    tau = min(missing / p, 1.0) if p > 0.0 else 0.0
    return min(abs(missing - penalty), abs(2.0 * missing - tau * p - 2.0 * penalty)) <= 1e-6


def filter_is_open(plain: KernelLearner, x: np.ndarray, y: float, tolerance: float) -> bool:
    """Whether a row or coefficients that differ by roundings may leave other support vectors."""
    rng = np.random.default_rng(0)
    found = []
    for size in (0.0, *[tolerance] * 8):
        again = copy.deepcopy(plain)
        largest = np.abs(again.alpha).max(initial=0.0)
        again.alpha = again.alpha + size * largest * rng.normal(size=again.alpha.shape)
        again.step(x + 1e-3 * size * rng.normal(size=x.shape), y)
        found.append(again)
    return any(not alike(one.sv, found[0].sv, tolerance) for one in found[1:])


def hangs_by_rounding(
    learner: ek.Learner, plain: KernelLearner, x: np.ndarray, y: float, tolerance: float
) -> bool:
    """Whether rounding errors may change the decisions of the next step."""
    if learner._config.update.is_filter:
        return filter_is_open(plain, x, y, tolerance)
    f = plain.decision(x)
    # What lies outside the tube is to the tolerance what 1 - y f is to the hinge.
    margin = 1.0 + TOLERANCE - abs(y - f) if plain.loss == "epsilon" else y * f
    if any(abs(margin - at) <= tolerance for at in thresholds(learner)):
        return True
    if learner.parts.get("policy") in (ek.Policy.SPAN, ek.Policy.ANCHOR):
        return span_is_open(learner, plain, x, margin)
    return plain.is_full and removal_is_open(learner, plain, x, y, margin, tolerance)


def may_have_drawn(learner: ek.Learner, margin: float, tolerance: float) -> bool:
    """Whether only one of the two may have drawn a coin, in a step with no other effect."""
    always = learner.parts.get("sampling", ek.Sampling.ALWAYS) == ek.Sampling.ALWAYS
    if always or learner.n_support >= learner.budget:
        return False
    return any(abs(margin - at) <= tolerance for at in thresholds(learner)[1:])


def counters(model: Any) -> np.ndarray:
    held = model.n_support if isinstance(model, ek.Learner) else model.m
    if getattr(model, "algorithm", "") == "fogd" or isinstance(model, LEARNERS["fogd"]):
        held = 0  # frequencies are held from the start
    return np.array([model.mistakes, model.updates, model.capacity_hits, held])


def coefficients(plain: Any) -> np.ndarray:
    return plain.w if isinstance(plain, LEARNERS["fogd"]) else plain.alpha


def vectors(plain: Any) -> np.ndarray:
    return plain.omega if isinstance(plain, LEARNERS["fogd"]) else plain.sv


def scales(X: np.ndarray, plain: Any) -> np.ndarray:
    """R sqrt(k(x, x)) of every row, R the largest: the size that errors of k(s, x) refer to."""
    if isinstance(plain, LEARNERS["fogd"]):
        plain.features(X[0])
        return 1.0 + np.linalg.norm(X, axis=1) * np.linalg.norm(plain.omega, axis=1).max()
    norms = np.sqrt([abs(float(plain.kernel(x[None, :], x)[0])) for x in X])
    return norms * norms.max()


def alike(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    if a.shape != b.shape:
        return False
    return bool(np.all(np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b))))


def same_coefficients(
    learner: ek.Learner, plain: KernelLearner, tolerance: float, exact: bool
) -> bool:
    """Each relative to its size; those that solve a system, or come from float32 scores, to the
    size of the largest. Among slots of one vector float32 leaves the sharing of weight to rounding.
    """
    ours, theirs = learner.dual_coef_, coefficients(plain)
    if not exact and ours.shape == theirs.shape == (len(vectors(plain)),):
        which = np.unique(vectors(plain), axis=0, return_inverse=True)[1].ravel()
        ours, theirs = (np.bincount(which, weights=each) for each in (ours, theirs))
    if not exact or is_loose(learner):
        tolerance *= max(1.0, np.abs(theirs).max(initial=0.0))
    return alike(ours, theirs, tolerance)


def same_vectors(learner: ek.Learner, plain: KernelLearner) -> bool:
    held, theirs = learner.support_vectors_, vectors(plain)
    if learner.parts.get("policy") == ek.Policy.MERGE:
        return alike(held, theirs, 1e-5)
    return np.array_equal(held, theirs.astype(held.dtype))


def compare(case: Case, budget: int, dtype: str) -> Outcome:
    """One run of both, whose final models are compared too."""
    learner, plain = make_learner(case, budget, dtype), make_plain(case, budget)
    make = regression_stream if plain.loss in REAL else random_stream
    X, y = make(SEEDS[budget], max(ROWS.values()), FEATURES)
    n = ROWS[budget]
    X, y = X[:n].astype(dtype), y[:n]
    wide = X.astype(np.float64)
    exact = dtype == "float64"
    base = 1e-6 if is_loose(learner) else 1e-9
    drift = np.zeros(4, dtype=int)
    scale = scales(wide, plain)
    before = counters(learner) - counters(plain)
    for i in range(n):
        tolerance = base
        if not exact:
            tolerance = FLOAT32_BOUND * (1.0 + np.abs(coefficients(plain)).sum() * scale[i])
        f, g = learner.learn_one(X[i], y[i]), plain.step(wide[i], y[i])
        size = 1.0 if base == 1e-9 else np.abs(coefficients(plain)).max(initial=1.0)
        if not abs(f - g) <= tolerance * max(size, abs(g)):
            return Outcome(n, i, f"step {i}: f = {f!r}, reference {g!r}")
        after = counters(learner) - counters(plain)
        parted = bool(after[3]) or not same_vectors(learner, plain)
        if not parted and (exact or np.any(after != before)):
            close = tolerance if exact else 10 * FLOAT32_BOUND
            parted = not same_coefficients(learner, plain, close, exact)
        if parted or np.any(after != before):
            # What a step hung on is asked of a reference that has not made it yet.
            again = make_plain(case, budget)
            for a, b in zip(wide[:i], y[:i], strict=True):
                again.step(a, b)
            if not hangs_by_rounding(learner, again, wide[i], y[i], tolerance):
                return Outcome(n, i, f"step {i}: counters off by {after - before}, {parted=}")
            if parted:
                return Outcome(n, i, "")
            drift += after - before
        before = after
        if may_have_drawn(learner, y[i] * g, tolerance):
            return Outcome(n, i, "")
    return Outcome(n, n, end_state(learner, plain, drift, X, base if exact else None))


def end_state(
    learner: ek.Learner, plain: KernelLearner, drift: np.ndarray, X: np.ndarray, exact: float | None
) -> str:
    """What is wrong with the final model of a run, if anything.

    A ridge system of nearly dependent vectors determines its function well and its solution badly,
    so for float32 only the scores of halved models are compared.
    """
    tolerance = 10 * FLOAT32_BOUND if exact is None else exact
    if learner.steps != len(X) or np.any(counters(learner) - counters(plain) != drift):
        return f"counters: {counters(learner)}, reference {counters(plain)}, left out {drift}"
    if not same_vectors(learner, plain):
        return "support vectors or their slots"
    determined = exact is not None or learner.parts.get("policy") != ek.Policy.HALVE
    if determined and not same_coefficients(learner, plain, tolerance, exact is not None):
        return "coefficients"
    if learner.norm2 is not None:
        norm2 = plain.norm2()
        if not abs(learner.norm2 - norm2) <= 10 * tolerance * max(1.0, norm2):
            return f"norm2 = {learner.norm2!r}, reference {norm2!r}"
    if learner.is_regression and not math.isclose(
        learner.squared_error, plain.sq_error, rel_tol=1e-3 if exact is None else exact
    ):
        return f"squared error {learner.squared_error!r}, reference {plain.sq_error!r}"
    queries = X[::7].astype(np.float64)
    allowed = tolerance * (1.0 + np.abs(coefficients(plain)).sum() * scales(queries, plain))
    for view, score in [(learner, plain.decision), (mean_of(learner), plain.averaged)]:
        if view is None:
            continue
        expected = np.array([score(x) for x in queries])
        if not np.all(np.abs(view.decision_function(queries) - expected) <= allowed):
            return f"scores of {type(view).__name__}"
    return ""


def mean_of(learner: ek.Learner) -> Any:
    averaging = learner.parts.get("averaging", ek.Averaging.NONE)
    return None if averaging == ek.Averaging.NONE else learner.averaged
