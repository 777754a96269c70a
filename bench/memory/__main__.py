"""``python -m bench.memory``: allocations, resident memory."""

from __future__ import annotations

import argparse

from bench.memory import allocations, resident
from bench.table import RESULTS, Report


def main() -> None:
    """Measure, print and save everything."""
    argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__).parse_args()
    counted = allocations.table()
    sentence = resident.draw(RESULTS / "memory_resident.png")
    introduction = (
        "`make memory`.\n\n![Resident memory over time](memory_resident.png)\n\n"
        f"Resident memory, sampled from another process: {sentence}."
    )
    tables = [] if counted is None else [counted]
    Report("Memory", introduction, tables).publish("memory")


if __name__ == "__main__":
    main()
