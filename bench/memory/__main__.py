"""``python -m bench.memory``: allocations, resident memory, error against bytes."""

from __future__ import annotations

import argparse

from bench.memory import accuracy, allocations, resident
from bench.table import RESULTS, Report


def main() -> None:
    """Measure, print and save everything."""
    argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__).parse_args()
    counted = allocations.table()
    sentence = resident.draw(RESULTS / "memory_resident.png")
    result, skipped = accuracy.measure()
    accuracy.draw(result, RESULTS / "memory_error.png")
    introduction = (
        "`make memory`.\n\n![Resident memory over time](memory_resident.png)\n\n"
        f"Resident memory, sampled from another process: {sentence}.\n\n"
        "![Error against bytes](memory_error.png)"
    )
    tables = [accuracy.table(result, skipped)]
    if counted is not None:
        tables.append(counted)
    data = {"error": {" ".join(map(str, key)): cell for key, cell in result.items()}}
    Report("Memory", introduction, tables, data).publish("memory")


if __name__ == "__main__":
    main()
