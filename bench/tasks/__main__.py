"""``python -m bench.tasks``: half an hour; ``--only classes`` (novelty, regression) a part."""

from __future__ import annotations

from bench.table import main

PARTS = {
    "classes": ("Several classes in one pass", "classes", "run"),
    "novelty": ("Novelty in one pass", "novelty", "run"),
    "regression": ("Regression in one pass", "regression", "run"),
}

if __name__ == "__main__":
    main("bench.tasks", __doc__, PARTS, "sets")
