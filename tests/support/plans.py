"""Configurations for Hypothesis: a published algorithm, its choices, kernel, storage and sizes."""

from __future__ import annotations

import contextlib
from typing import Any

from helpers import KERNELS, NEEDS, fitting
from hypothesis import strategies as st

import edgeolk as ek

ITEM = {"float64": 8, "float32": 4, "float16": 2, "int8": 1}
#: Options that change a region's size.
SIZED = {"hint_rows": (1, 40), "rank": (1, 60), "b0": (0, 60)}
REFUSED = (("fogd", "int8"), ("sorf", "float16"), ("krls_auto", "float16"), ("krls_auto", "int8"))


def types_of(name: str) -> list[str]:
    return [dtype for dtype in ITEM if (name, dtype) not in REFUSED]


@st.composite
def configurations(draw: Any) -> dict[str, Any]:
    """All but the budget."""
    row = draw(st.sampled_from(ek.algorithms()))
    chosen = {name: draw(st.sampled_from(list(options))) for name, options in row.choices.items()}
    needed = [NEEDS.get((row.name, *choice), {}) for choice in chosen.items()]
    made = {
        "algorithm": row.name,
        "n_features": draw(st.integers(1, 64)),
        "kernel": KERNELS[fitting(row.name, draw(st.sampled_from(list(KERNELS))))][0],
        "dtype": draw(st.sampled_from(types_of(row.name))),
        **chosen,
        **{name: value for more in needed for name, value in more.items()},
    }
    if row.name == "sorf":  # else these follow from the size
        made["kernel"] = KERNELS["gaussian"][0]
        made |= {"relevance": chosen["loss"] != "novelty" and draw(st.booleans()), "groups": 1}
    if chosen.get("frequencies", "stored") != "stored":  # nothing is stored in half precision
        made["dtype"] = draw(st.sampled_from(["float32", "float64"]))
        made["kernel"] = KERNELS["gaussian"][0]
    sizes = {name: ends for name, ends in SIZED.items() if name in row.aliases.values()}
    more = {name: draw(st.integers(*ends)) for name, ends in sizes.items() if draw(st.booleans())}
    if draw(st.booleans()):
        more["coefficients"] = "float32"
    with contextlib.suppress(ValueError):  # refused by some policies
        ek.plan(**{**made, **more}, budget=2)
        return {**made, **more}
    return made
