"""Benchmarks: ``python -m bench.speed`` and ``python -m bench.papers``; tables in results/.

Whatever is timed here has one thread. A thread of a matrix product goes on waiting, busily, after
its product is done, and its seconds would be counted with those of the next case.
"""

import os

#: numpy and its peers count their threads when they are imported, which is after this.
for _name in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
