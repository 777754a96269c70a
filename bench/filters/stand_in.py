"""The reference of a filter in place of a compiled one; their times say nothing.

To be removed with the last filter that is not compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import edgeolk as ek
from bench.filters.series import LAGS
from edgeolk.reference import LEARNERS, gaussian


def is_needed(algorithm: str) -> bool:
    """Whether the library has no such algorithm."""
    return algorithm not in {row.name for row in ek.algorithms()}


def warning(algorithms: Iterable[str]) -> str:
    """A sentence for the page; empty if everything is compiled."""
    needed = [f"`{name}`" for name in algorithms if is_needed(name)]
    if not needed:
        return ""
    return (
        f" Measured with references in plain numpy, whose times say nothing: {', '.join(needed)}."
    )


def nbytes_of(algorithm: str, budget: int, p: int = 4) -> int:
    """Bytes of a compiled filter in float64, without its header."""
    vectors = 8 * budget * (LAGS + 1)
    return vectors + {
        "kapa": 8 * p * (LAGS + 2 + budget),
        "krls": 8 * budget * (budget + 1),
        "sw_krls": 4 * budget * (budget + 1) + 8 * budget,
        "fb_krls": 4 * (budget + 1) * (budget + 2) + 8 * (budget + 1),
        "krls_t": 8 * budget * (budget + 1) + 16,
        "sogp": 8 * budget * (budget + 1) + 16,
    }.get(algorithm, 0)


def learner_of(algorithm: str, most: int, options: dict[str, Any]) -> Any:
    """The reference with the largest budget whose filter fits."""
    budget = 0
    while nbytes_of(algorithm, budget + 1) <= most:
        budget += 1
    given = {name: value for name, value in options.items() if name not in ("dtype", "gamma")}
    learner: Any = LEARNERS[algorithm](gaussian(options["gamma"]), budget, **given)
    learner.nbytes = nbytes_of(algorithm, budget)
    return learner
