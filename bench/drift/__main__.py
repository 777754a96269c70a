"""``python -m bench.drift``: ten minutes."""

from __future__ import annotations

from bench.table import main

PARTS = {"river": ("Streams that change: ours beside river", "tables", "run")}

if __name__ == "__main__":
    main("bench.drift", __doc__, PARTS, "streams")
