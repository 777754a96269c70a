"""Ours compared with the others' published frontier: ``python -m bench.bytes.again``.

The others take an hour, and stay what they are while only ours changes. Their errors are read from
``bench/results/bytes.md``; ours is run as the frontier runs it, with one seed or several. Prints
how many comparisons it wins, and each that it loses.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bench.bytes.grid import OURS, WIDE, Job
from bench.bytes.runs import run
from bench.table import RESULTS


class Printed(NamedTuple):
    """A line of the page: errors in %, of ours as it was, of the best published by each choice."""

    data: str
    nbytes: int
    ours: float
    tuned: float
    hindsight: float


def printed(text: str) -> Iterator[Printed]:
    """Comparisons on a page."""
    nbytes = 0
    for line in text.splitlines():
        if line.startswith("## "):
            found = re.match(r"## (\d+) (B|KiB): error in %", line)
            nbytes = int(found[1]) * (1024 if found[2] == "KiB" else 1) if found else 0
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if nbytes and re.match(r"\d", cells[min(1, len(cells) - 1)]) and "-" not in cells[2:]:
            ours, tuned, best = (float(cell.split()[0]) for cell in cells[1:])
            yield Printed(cells[0], nbytes, ours, tuned, best)


def error_of(line: Printed, seeds: Sequence[int]) -> float:
    """Error of ours now, the mean over seeds; nan where so few bytes hold it no more."""
    job = Job(line.data, OURS, line.nbytes, rows=WIDE.rows)
    try:
        each = [run(replace(job, params={"seed": seed})) for seed in seeds]
    except ValueError:
        return math.nan
    return float(np.mean([one["error"] for one in each]))


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes.again", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(WIDE.sizes), help="bytes")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    given = parser.parse_args(arguments)
    text = (RESULTS / "bytes.md").read_text(encoding="utf-8")
    lines = [line for line in printed(text) if line.nbytes in given.sizes]
    tuned = hindsight = 0
    for line in lines:
        error = round(error_of(line, given.seeds), 2)
        tuned += error <= line.tuned
        hindsight += error <= line.hindsight
        if not error <= line.tuned:
            print(f"{line.data}, {line.nbytes} bytes: {error:.2f}, others {line.tuned}", flush=True)
    was = sum(line.ours <= line.tuned for line in lines)
    best = sum(line.ours <= line.hindsight for line in lines)
    print(f"Of {len(lines)} comparisons ours errs at most as much as the best published method")
    print(f"chosen on the first rows in {tuned} (was {was}), by hindsight in {hindsight}", end=" ")
    print(f"(was {best}).")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
