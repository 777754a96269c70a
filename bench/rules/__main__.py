"""``python -m bench.rules``: `sorf` beside simple rules, by set, order and bytes.

Ten minutes; ``--all`` takes 10,000 rows, three seeds and 64 KiB too, an hour.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.rules.cells import SETS, cell, orders_of, stream
from bench.rules.report import Cells, Key, gap, report

SIZES, MORE_SIZES = (1, 4, 16), (1, 4, 16, 64)
ROWS, MORE_ROWS, SEEDS = 4_000, 10_000, 3


def measured(
    sets: Sequence[str], sizes: Sequence[int], rows: int, seeds: int, *, asks: bool = False
) -> tuple[Cells, dict[Key, str]]:
    """Errors and groups of all cells."""
    cells: dict[Key, dict[str, float]] = {}
    groups: dict[Key, str] = {}
    for name in sets:
        for order in orders_of(name):
            of = stream(name, order, rows, asks=asks)
            for kib in sizes:
                key = (name, order, kib)
                cells[key] = cell(of, kib, range(1, seeds + 1))
                groups[key] = of.group
                print(*key, f"{gap(cells[key]):+.2f}", flush=True)
    return cells, groups


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    reader = argparse.ArgumentParser(prog="python -m bench.rules", description=__doc__)
    reader.add_argument("--all", action="store_true", help="10,000 rows, 3 seeds, 64 KiB too")
    reader.add_argument("--sets", nargs="*", default=None, help="some sets; saves nothing")
    reader.add_argument("--rows", type=int, default=None, help="of each set (4,000)")
    reader.add_argument("--kib", type=int, nargs="*", default=None, help="sizes (1 4 16)")
    reader.add_argument(
        "--delay", action="store_true", help="count late labels as experts answered; saves nothing"
    )
    given = reader.parse_args(arguments)
    rows = given.rows or (MORE_ROWS if given.all else ROWS)
    seeds = SEEDS if given.all else 1
    sizes = given.kib or (MORE_SIZES if given.all else SIZES)
    cells, groups = measured(given.sets or SETS, sizes, rows, seeds, asks=given.delay)
    whole = given.sets is None and given.rows is None and given.kib is None and not given.delay
    report(cells, groups, rows, seeds).publish("rules_all" if given.all else "rules", whole)


if __name__ == "__main__":
    main()
