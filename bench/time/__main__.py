"""``python -m bench.time``: a quarter of an hour; ``--only forecasts`` a part."""

from __future__ import annotations

import argparse
import warnings
from importlib import import_module

from bench import machine
from bench.table import Report

#: Title, module and function of a part: each asks for packages of its own.
PARTS = {
    "forecasts": ("Forecasts of rows in order, in one pass", "forecasts", "run"),
    "novelty": ("Novelty of rows in order, in one pass", "novelty", "run"),
    "novelty_slow": ("Novelty of rows in order beside slow detectors", "novelty", "run_slow"),
    "labels": ("Labels that are known before the next row", "labels", "run"),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.time", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="run one part")
    parser.add_argument("--streams", nargs="*", default=[], help="of that part; saves nothing")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    for part, (title, module, name) in PARTS.items():
        if asked.only not in (None, part):
            continue
        run = getattr(import_module(f"bench.time.{module}"), name)
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
