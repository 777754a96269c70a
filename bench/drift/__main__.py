"""``python -m bench.drift``: an hour; ``--only long`` a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "long": ("Streams that change: the alarm of drift", "tables", "run_long"),
    "still": ("The alarm of drift where nothing changes", "tables", "run_still"),
    "river": ("Streams that change: ours beside river", "tables", "run_river"),
}

if __name__ == "__main__":
    main("bench.drift", __doc__, PARTS, "streams")
