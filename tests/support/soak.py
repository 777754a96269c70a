"""Long runs: ``python tests/support/soak.py [STEPS [ALGORITHM...]]``, or ``make soak``.

Every algorithm learns that many steps; the program exits with 1 if anything went wrong. With
``--kept FILE`` it stores the algorithms that went well there and does not soak them again; with
``--minutes`` it begins no algorithm after that time and prints what is left. The table has a line
for each algorithm:

- steps;
- halvings of the ring;
- the largest difference, over ten checks, between incrementally updated and recomputed values:
  norm and f of the support vectors, relative to it; the largest entry of M K - I for a stored
  inverse, of M K M' - I or M - K for a factor or triangle; by how much the squared distance to the
  stored neighbour of a support vector exceeds the minimum;
- the range of the common scale;
- the number of non-finite numbers;
- resident bytes gained from the first tenth to the last.
"""

from __future__ import annotations

import argparse
import json
import math
import mmap
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from helpers import LIVELY

import edgeolk as ek

D, B, ROWS, LOOKS = 4, 20, 100_000, 10
MORE: dict[str, dict[str, Any]] = {
    "pegasos": {"lam": 1e-4},
    "bsgd": {"lam": 1e-4},
    "sorf": {"linear": True, "last_label": True, "relevance": True},
}


def stream(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows around a boundary that a small ring cannot learn, so that updates never stop."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, D))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=ROWS) > 0.0, 1.0, -1.0)


def resident() -> int:
    """Resident memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


def packed(learner: ek.Learner, name: str, n: int) -> np.ndarray:
    """A packed triangle as a matrix, 0 elsewhere."""
    held = np.asarray(learner._engine.view(name)).reshape(-1)[: n * (n + 1) // 2]
    made = np.zeros((n, n))
    made[np.tril_indices(n)] = held
    return made


def drift(learner: ek.Learner) -> dict[str, float]:
    """Relative differences between stored and recomputed values."""
    found: dict[str, float] = {}
    if not learner._config.keeps_vectors or learner.parts.get("basis") != ek.Basis.SUPPORT_VECTORS:
        if learner.norm2 is not None:
            true = float((learner.dual_coef_**2).sum())
            found["norm"] = abs(learner.norm2 - true) / (1e-9 + true)
        return found
    if learner.algorithm == "krls_auto":  # nothing is derived, and the widths are its own
        return found
    S, a = learner.support_vectors_.astype(float), learner.dual_coef_
    n = len(S)
    gamma = learner.config.kernel.fields()[2]
    K = np.exp(-gamma * ((S[:, None] - S[None]) ** 2).sum(2))
    if learner.norm2 is not None:
        true = float(a @ K @ a)
        found["norm"] = abs(learner.norm2 - true) / (1e-9 + true)
    regions = {region.name for region in learner.plan.regions}
    if "scores" in regions:
        held = np.asarray(learner._engine.view("scores")).reshape(-1)[:n] * learner._engine.scale()
        found["scores"] = float(np.abs(held - K @ a).max() / (1e-9 + np.abs(K @ a).max()))
    if learner._config.update.added:
        K += learner.parameters[learner._config.update.added] * np.eye(n)
    if "inverse" in regions and n:
        low = packed(learner, "inverse", n)
        inverse = low + np.tril(low, -1).T
        found["inverse"] = float(np.abs(inverse @ K - np.eye(n)).max())
    policy = learner.parts.get("policy")
    # That of the anchors is of a part of the ring.
    if learner._config.policy.factor_pivots and policy != ek.Policy.ANCHOR and n:
        M = packed(learner, "factor", n)
        found["factor"] = float(np.abs(M @ K @ M.T - np.eye(n)).max())
    if policy == ek.Policy.LIGHTEST_PROJECT and n:
        found["factor"] = float(np.abs(packed(learner, "factor", n) - np.tril(K)).max())
    if "nearest" in regions and n > 1:
        d2 = ((S[:, None] - S[None]) ** 2).sum(2) + np.diag(np.full(n, np.inf))
        nearest = np.asarray(learner._engine.view("nearest")).reshape(-1)[:n]
        true_d2, held_d2 = d2.min(1), d2[np.arange(n), nearest]
        found["nearest"] = float(np.abs(held_d2 - true_d2).max())
    return found


def soak(name: str, steps: int) -> dict[str, Any]:
    """One algorithm's line of the table."""
    options = {**LIVELY.get(name, {}), **MORE.get(name, {})}
    learner = ek.Learner(name, n_features=D, budget=B, dtype="float64", seed=1, **options)
    out = np.empty(ROWS)
    X, y = stream(0)
    worst: dict[str, float] = {}
    scales: list[float] = []
    bad, begun, memory = 0, time.monotonic(), 0
    for look in range(LOOKS):
        until = steps * (look + 1) // LOOKS
        while learner.steps < until:
            n = min(ROWS, until - learner.steps)
            learner.learn_many(X[:n], y[:n], out=out[:n])
            bad += int(n - np.isfinite(out[:n]).sum())
        for key, value in drift(learner).items():
            worst[key] = max(worst.get(key, 0.0), value)
        if learner._config.keeps_vectors:
            scales.append(learner._engine.scale())
            bad += int((~np.isfinite(learner.dual_coef_)).sum())
        # A state that learning leads to is one that can be loaded.
        ek.Learner._from_block(bytes(learner._sealed()))
        if look == 0:
            memory = resident()
    counters = learner._engine.counters()
    return {
        "algorithm": name,
        "steps": learner.steps,
        "updates": learner.updates,
        "halvings": counters["halvings"],
        "drift": {key: float(f"{value:.1e}") for key, value in worst.items()},
        "scale": [float(f"{s:.1e}") for s in (min(scales), max(scales))] if scales else [],
        "not finite": bad,
        "resident": resident() - memory,
        "seconds": round(time.monotonic() - begun, 1),
    }


#: What counts as gone wrong: a kept number this far from its own, or memory beyond a MiB.
MOST_DRIFT, MOST_MEMORY = 1e-6, 2**20


def is_wrong(line: dict[str, Any]) -> bool:
    return (
        line["not finite"] > 0
        or line["resident"] > MOST_MEMORY
        or any(not value <= MOST_DRIFT for value in line["drift"].values())
    )


#: The quickest with and without a kernel matrix, which `--longest` soaks for longer.
LONGEST = ("perceptron", "rbp")


def main(arguments: list[str] | None = None) -> int:
    from bench.cases import Cases  # tests of installed packages only soak

    parser = argparse.ArgumentParser()
    parser.add_argument("steps", type=float, nargs="?", default=1e7)
    parser.add_argument("names", nargs="*", metavar="ALGORITHM")
    parser.add_argument("--longest", type=float, default=0.0, help=f"steps of {LONGEST}")
    parser.add_argument("--kept", type=Path, help="the file of finished algorithms")
    parser.add_argument("--minutes", type=float, default=math.inf)
    given = parser.parse_args(arguments)
    end = time.monotonic() + 60 * given.minutes
    kept = Cases(given.kept, given.kept and given.kept.stem)
    wrong, left = 0, []
    for name in given.names or [row.name for row in ek.algorithms()]:
        steps = int(max(given.steps, given.longest if name in LONGEST else 0.0))
        case = f"{name}, {steps} steps"
        line = kept.get(case)
        if line is None:
            if time.monotonic() >= end:
                left.append(name)
                continue
            line = soak(name, steps)
            if is_wrong(line):
                wrong += 1
            else:
                kept.add(case, line)
        print(json.dumps(line), flush=True)
    if left:
        print(f"{len(left)} algorithms are left: {', '.join(left)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
