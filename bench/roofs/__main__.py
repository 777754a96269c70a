"""Measure peaks and scores in one run, print the tables, save them in bench/results."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack

from tqdm import tqdm

import edgeolk as ek
from bench.roofs.peak import (
    DTYPES,
    Instructions,
    arithmetic_cases,
    caches,
    in_vectors,
    loaded_for,
    reading_cases,
)
from bench.roofs.report import draw, make_report, shares_of
from bench.roofs.scores import Child
from bench.table import RESULTS
from bench.timing import Case, interleave


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.roofs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5 short rounds; nothing is saved")
    parser.add_argument("--l1", type=int, help="KiB of L1d, where the system does not say")
    parser.add_argument("--l2", type=int, help="KiB of L2, where the system does not say")
    return parser.parse_args()


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments()
    rounds, seconds = (5, 0.004) if arguments.quick else (25, 0.012)
    variants = in_vectors(ek.available_simd())
    todo: list[Case] = []
    with ExitStack() as stack:
        try:
            sizes = caches(arguments.l1, arguments.l2)
            loaded = {
                (variant, dtype): loaded_for(Instructions.of(variant), dtype)
                for variant in variants
                for dtype in DTYPES
            }
        except (OSError, RuntimeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        for variant in variants:
            instructions = Instructions.of(variant)
            child = Child(variant, seconds)
            stack.callback(child.close)
            scores = child.start()
            # A variant's peaks next to its scores: the clock may depend on the instruction set.
            for dtype in DTYPES:
                todo += arithmetic_cases(instructions, dtype, loaded[variant, dtype], seconds)
            todo += reading_cases(instructions, loaded[variant, DTYPES[0]], sizes, seconds)
            todo += scores
        with tqdm(total=len(todo) * rounds, disable=None, unit=" runs") as bar:
            timings = interleave(todo, range(rounds), bar.update)
    shares = shares_of(variants, sizes, timings)
    made = make_report(variants, sizes, timings, shares, rounds)
    picture = RESULTS / "roofs.png"
    if not arguments.quick:
        draw(shares, variants, picture)
    made.publish("roofs", not arguments.quick, [picture])
    return 0


if __name__ == "__main__":
    sys.exit(main())
