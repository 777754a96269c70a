"""``python -m bench.tasks``: half an hour; ``--only classes`` (novelty, regression) a part."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

from bench import machine
from bench.table import Report, Table
from bench.tasks import classes, novelty, regression

PARTS: dict[str, tuple[str, Callable[[tuple[str, ...]], tuple[list[Table], dict[str, Any]]]]] = {
    "classes": ("Several classes in one pass", classes.run),
    "novelty": ("Novelty in one pass", novelty.run),
    "regression": ("Regression in one pass", regression.run),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tasks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="run one part")
    parser.add_argument("--sets", nargs="*", default=[], help="of that part alone; saves nothing")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    for part, (title, run) in PARTS.items():
        if asked.only not in (None, part):
            continue
        tables, data = run(tuple(asked.sets))
        made = Report(
            title,
            f"`python -m bench.tasks --only {part}`. {machine.sentence()}. Times are of the"
            " processor, one thread, on a machine that had other work.",
            tables,
            data,
        )
        print(made.markdown(), flush=True)
        if not asked.sets:
            made.save(f"tasks_{part}")


if __name__ == "__main__":
    main()
