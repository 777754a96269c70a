"""The options of the ring family: parameters of its parts. A part's row names those it has.

One row an option: its number in files, default, range, meaning. C has a member of this name in
``Params`` of ``core/parts.pxd``, which is written from this table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum

from edgeolk.parts.option import Option
from edgeolk.parts.table import TRAITS

#: Every option by its name.
OPTIONS: dict[str, Option] = {
    "C": Option(1, 1.0, "aggressiveness: the largest step of PA-I, the softness of PA-II"),
    "eta": Option(2, 0.1, "step size"),
    "lam": Option(3, 0.0, "shrinkage: f is scaled by 1 - eta lam every step", "[0, inf)"),
    "rate": Option(
        4, 0.25, "coefficient of every incoming vector; None: U / sqrt(updates)", none=0.0
    ),
    "eps": Option(5, 0.5, "update where y f < 1 - eps", "(0, 1)"),
    "U": Option(6, None, "maximum norm of the function", none=math.inf),
    "alpha": Option(7, 1.0, "loss at which the sampling probability stops growing"),
    "beta": Option(8, 20.0, "inverse sampling rate: at most alpha/beta of the examples are kept"),
    "c": Option(9, 1.0, "sampling probability c t^-decay"),
    "ridge": Option(10, 5e-4, "ridge added to the Gram matrix", "[0, inf)"),
    "rescale": Option(11, True, "restore the norm after a halving", flag=True),
    "allow_skip": Option(12, True, "drop the incoming vector if that costs least", flag=True),
    "growth": Option(13, None, "budget grows as 1 + growth sqrt(t), up to B", none=0.0),
    "shift": Option(14, 1.0, "how slowly the past is forgotten"),
    "sparsity": Option(
        15, 0.0, "distance to the span up to which an incoming vector is projected", "[0, inf)"
    ),
    "singular": Option(
        16, lambda c: 1e-4 if c["float32"] else 1e-8, "relative distance that counts as in the span"
    ),
    "decay": Option(17, 0.25, "exponent of the sampling probability", "(0, 1)"),
    "horizon": Option(18, None, "total number of examples", "[1, inf)", none=0.0),
    "G": Option(19, 1.0, "bound on |l'|; larger samples less", "[1, inf)"),
    "boost": Option(20, 2.0, "height of the auxiliary function", "[1, inf)"),
    "delta": Option(21, 1.0, "margin beyond which nothing is learned", "(-inf, inf)"),
    "clip_coefficients": Option(22, None, "largest |alpha| in units of eta", none=math.inf),
    # Without eta the composition is invalid.
    "eta2": Option(23, lambda c: c.get("eta", math.nan), "step size after the change of basis"),
    "rank": Option(
        24, lambda c: max(1.0, math.floor(0.2 * c["budget"] + 0.5)), "eigenfunctions kept",
        "[1, inf)", integer=True,
    ),
    "iters": Option(25, 40, "golden-section steps", "[1, 1000)", integer=True),
    "hint_rows": Option(26, 15, "number of past examples in a hint", "[1, 1e+06)", integer=True),
    "coe": Option(27, 0.1, "factor on the rate after the first halving"),
    "b0": Option(
        28, lambda c: float(c["budget"] // 2), "number of support vectors at which projection ends",
        "[0, inf)", integer=True,
    ),
    "ald": Option(
        29, 0.005, "distance to the span up to which an incoming vector is projected", "[0, inf)"
    ),
    "epsilon": Option(30, 0.1, "tolerance: smaller errors cost nothing", "[0, inf)"),
    "nu": Option(31, 0.05, "share of rows to be called novel", "(0, 1)", omitted=0.05),
    "radius": Option(
        32, 0.1, "distance up to which a row adds to the nearest support vector", "[0, inf)"
    ),
    "coherence": Option(
        33, 0.95, "largest coherence with a support vector at which a row enters", "[0, 1]"
    ),
    "last_rows": Option(34, 4, "rows of a step", "[1, 1000]", integer=True),
    "dependence": Option(
        35, lambda c: 0.01 if c["float32"] else 1e-4,
        "squared distance to the span up to which a row does not enter",
    ),
    "forgetting": Option(36, 1.0, "forgetting factor of every row; 1 forgets nothing", "(0, 1]"),
    "noise": Option(37, 0.01, "variance of the noise, in units of that of the function"),
    "jitter": Option(38, lambda c: 1e-4 if c["narrow"] else 1e-6, "added to k(x, x)"),
    "lags": Option(
        39, 0, "how many of the last targets are inputs, for rows in the order of time",
        "[0, 1000]", integer=True, regions=("lagging", "recent_targets", "pending_rows"),
    ),
    "delay": Option(
        40, 1, "lags: rows until a target arrives", "[1, 1e+06]", integer=True
    ),
}


def uses(parts: Mapping[str, IntEnum]) -> tuple[str, ...]:
    """Names of the options of a composition, in a fixed order."""
    wanted = {name for axis, part in parts.items() for name in TRAITS[axis][part].parameters}
    return tuple(name for name in OPTIONS if name in wanted)
