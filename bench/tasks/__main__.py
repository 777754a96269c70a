"""``python -m bench.tasks``: twenty minutes; ``--only classes`` (novelty) a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "classes": ("Several classes in one pass", "classes", "run"),
    "novelty": ("Novelty in one pass", "novelty", "run"),
}

if __name__ == "__main__":
    main("bench.tasks", __doc__, PARTS, "sets")
