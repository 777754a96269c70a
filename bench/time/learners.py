"""The learners of these benchmarks, and their rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import edgeolk as ek
from bench.time import streams
from bench.time.streams import Numbers

RAM = "4KiB"
#: Seeds of figures that are means.
SEEDS = 5


@cache
def rows_of(name: str) -> tuple[Numbers, Numbers]:
    return streams.READERS[name]()


def learner_of(d: int, **options: Any) -> ek.Learner:
    """A learner of targets in 4 KiB by default."""
    size = {} if "D" in options else {"ram": RAM}
    return ek.Learner("sorf", n_features=d, loss="square", **{"seed": 1, **size, **options})
