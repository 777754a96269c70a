"""``python -m bench.time``: a quarter of an hour; ``--only forecasts`` a part."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

from bench import machine
from bench.table import Report, Table
from bench.time import forecasts, novelty

PARTS: dict[str, tuple[str, Callable[[tuple[str, ...]], tuple[list[Table], dict[str, Any]]]]] = {
    "forecasts": ("Forecasts of rows in order, in one pass", forecasts.run),
    "novelty": ("Novelty of rows in order, in one pass", novelty.run),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.time", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="run one part")
    parser.add_argument("--streams", nargs="*", default=[], help="of that part; saves nothing")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    for part, (title, run) in PARTS.items():
        if asked.only not in (None, part):
            continue
        tables, data = run(tuple(asked.streams))
        made = Report(
            title,
            f"`python -m bench.time --only {part}`. {machine.sentence()}. Times are of the"
            " processor, one thread, on a machine that had other work.",
            tables,
            data,
        )
        print(made.markdown(), flush=True)
        if not asked.streams:
            made.save(f"time_{part}")


if __name__ == "__main__":
    main()
