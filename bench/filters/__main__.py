"""``python -m bench.filters``: kernel adaptive filters, `sorf` and a forecaster on chaotic series.

``--quick`` takes fewer rows and sizes and saves nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bench import machine
from bench.datasets import find
from bench.filters.picture import draw
from bench.filters.profile import CHOOSING, PASSES, ROWS, SIZES, Found, Profile, profile
from bench.filters.series import LAGS, SERIES
from bench.filters.subjects import SUBJECTS
from bench.table import RESULTS, Report, Table

QUICK_ROWS, QUICK_SIZES = 1200, ("1KiB", "4KiB")


def _table(title: str, methods: Mapping[str, Mapping[str, Found]], show: Any, note: str) -> Table:
    sizes = [ram for ram in SIZES if any(ram in found for found in methods.values())]
    rows = [
        [method, *(show(found[ram]) if ram in found else "" for ram in sizes)]
        for method, found in methods.items()
    ]
    return Table(title, ("method", *(ram.replace("KiB", " KiB") for ram in sizes)), rows, note)


def _settings(setting: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in setting.items()
    )


def tables_of(found: Profile) -> list[Table]:
    """Errors, errors by hindsight, times and settings of each series."""
    made = []
    for name, methods in found.items():
        title = SERIES[name]
        made += [
            _table(
                f"{title}: steady error in dB",
                methods,
                lambda one: f"{one.error:.1f}",
                "Settings chosen on the first rows.",
            ),
            _table(
                f"{title}: steady error in dB by hindsight",
                methods,
                lambda one: f"{one.hindsight:.1f}",
                "The best of all tried settings on the judged rows.",
            ),
            _table(
                f"{title}: microseconds per row",
                methods,
                lambda one: f"{one.microseconds:.2f}",
                f"`learn_many`, the median of {PASSES} passes.",
            ),
            _table(
                f"{title}: settings",
                {m: each for m, each in methods.items() if SUBJECTS[m].tried},
                lambda one: _settings(one.setting),
                "Those chosen on the first rows.",
            ),
        ]
    return made


def report_of(found: Profile, rows: int, picture: bool) -> Report:
    """The page and the numbers behind it."""
    introduction = (
        f"`python -m bench.filters`. {machine.sentence()}. The value of a series after its last"
        f" {LAGS} values, answered before it is learned, in one pass over {rows} rows; lags and"
        " targets standardised. The steady error is the mean square error from row"
        f" {CHOOSING.stop} on, over the variance. A filter's settings are those with the least"
        f" error in rows {CHOOSING.start} to {CHOOSING.stop}; `sorf` and the forecaster have their"
        " defaults. Times are of the processor, one thread, on a machine that had other work."
    )
    if picture:
        introduction += "\n\n![Error against bytes and time](filters.png)"
    data = {
        name: {
            method: {ram: asdict(one) for ram, one in each.items()} for method, each in of.items()
        }
        for name, of in found.items()
    }
    return Report("Kernel adaptive filters", introduction, tables_of(found), data)


def main() -> int:
    """Run the benchmark; 1 if a series is missing."""
    parser = argparse.ArgumentParser(prog="python -m bench.filters", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and sizes; saves nothing")
    parser.add_argument("--series", nargs="*", choices=SERIES, help="of these; saves nothing")
    parser.add_argument("--methods", nargs="*", choices=SUBJECTS, help="of these; saves nothing")
    arguments = parser.parse_args()
    names = arguments.series or list(SERIES)
    try:
        for name in names:
            find(f"series/{name}.dat.gz")
    except FileNotFoundError as missing:
        print(missing, file=sys.stderr)
        return 1
    methods = arguments.methods or list(SUBJECTS)
    rows, sizes = (QUICK_ROWS, QUICK_SIZES) if arguments.quick else (ROWS, SIZES)
    found = profile(names, sizes, rows, methods, lambda word: print(word, file=sys.stderr))
    whole = not (arguments.quick or arguments.series or arguments.methods)
    pictures = [draw(found, RESULTS / "filters.png")] if whole else []
    report_of(found, rows, whole).publish("filters", whole, pictures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
