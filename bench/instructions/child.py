"""What runs in callgrind: the cases whose names are given, one after the other."""

from __future__ import annotations

import gc
import sys

import edgeolk as ek
from bench.callgrind import Counter
from bench.instructions.cases import cases


def main(names: list[str]) -> None:
    """Run each case with the count set to zero before it and written out after it."""
    gc.disable()  # its turns would fall into one case or another
    counter = Counter()
    by_name = {case.name: case for case in cases()}
    for name in names:
        case = by_name[name]
        if case.variant != ek.simd():
            raise RuntimeError(f"{name}: {ek.simd()} is in use")
        run = case.prepared()
        counter.zero()
        run()
        counter.dump(name)


if __name__ == "__main__":
    main(sys.argv[1:])
