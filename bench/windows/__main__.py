"""``python -m bench.windows``: five minutes; ``--only classes`` a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "boards": ("Windows: instructions, flash and RAM on emulated boards", "boards", "run"),
    "bearings": ("Windows: faults of bearings", "bearings", "run"),
    "classes": ("Windows: classes", "classes", "run"),
    "novelty": ("Windows: novelty on few rows", "novelty", "run"),
}

if __name__ == "__main__":
    main("bench.windows", __doc__, PARTS, "some")
