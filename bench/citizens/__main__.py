"""``python -m bench.citizens``: half an hour; ``--only classes`` (novelty, regression) a part."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from bench import machine
from bench.citizens import classes, novelty, regression
from bench.table import Report, Table

PARTS = ("classes", "novelty", "regression")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.citizens", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="run one part and save nothing")
    parser.add_argument("--sets", nargs="*", default=[], help="of that part alone")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    tables: list[Table] = []
    data: dict[str, Any] = {}
    names = tuple(asked.sets)
    if asked.only in (None, "classes"):
        table, data["classes"] = classes.run(names)
        tables.append(table)
        print(table.markdown(), flush=True)
    if asked.only in (None, "novelty"):
        both, data["novelty"] = novelty.run(names)
        tables += both
        for table in both:
            print(table.markdown(), flush=True)
    if asked.only in (None, "regression"):
        table, data["regression"] = regression.run(names)
        tables.append(table)
        print(table.markdown(), flush=True)
    if asked.only is None:
        made = Report(
            "Classes, novelty and regression in one pass",
            f"`python -m bench.citizens`. {machine.sentence()} Times are of the processor, one"
            " thread, on a machine that had other work.",
            tables,
            data,
        )
        for path in made.save("citizens"):
            print(path.name)


if __name__ == "__main__":
    main()
