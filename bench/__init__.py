"""Benchmarks: ``python -m bench.speed`` and ``python -m bench.papers``; tables in results/.

All timings use one thread. A thread of a matrix product keeps spinning after the product is done,
and its processor time would be counted with that of the next case.
"""

import os

#: numpy and similar libraries read these variables when they are imported, which is after this.
for _name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
