"""Count instructions by callgrind and hold them against bench/results/instructions.json.

Exit code 0: as recorded, or not comparable, which is reported. 1: counts changed. 2: no valgrind.
"""

from __future__ import annotations

import argparse
import sys

import edgeolk as ek
from bench import callgrind
from bench.datasets import ROOT
from bench.instructions import compare
from bench.instructions.cases import ENTRY, WIDE, Case, cases
from bench.instructions.compare import DECISIVE_OF_CALLS, Cost, Counts, build
from bench.machine import here as measured_on


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="rewrite the file")
    parser.add_argument("--only", metavar="NAME", help="the cases of one algorithm")
    return parser.parse_args()


def measure(chosen: list[Case]) -> dict[str, Cost]:
    """Count cases, in a process for each instruction set."""
    counted = {}
    for variant in sorted({case.variant for case in chosen}):
        names = [case.name for case in chosen if case.variant == variant]
        counts = callgrind.count("bench.instructions.child", names, ENTRY, variant)
        for name in names:
            if not counts[name].own:
                raise RuntimeError(f"{name}: callgrind saw no instruction; is the module stripped?")
            counted[name] = Cost(counts[name].own, counts[name].calls)
    return counted


def record(chosen: list[Case], whole: bool, recorded: Counts | None, here: dict[str, str]) -> int:
    """Rewrite the file: all of it, or the lines of the chosen cases."""
    refusal = ""
    if any(case.variant not in ek.available_simd() for case in chosen):
        refusal = f"this machine has no {WIDE}"
    elif recorded and not whole:
        refusal = compare.differing(recorded.build, here, here)
    if refusal:
        print(f"not recorded: {refusal}", file=sys.stderr)
        return 2
    known = {**(recorded.cases if recorded and not whole else {}), **measure(chosen)}
    ordered = {case.name: known[case.name] for case in cases() if case.name in known}
    # Lines of one algorithm do not make the others newer.
    commit = measured_on() if whole or not recorded else recorded.measured_on
    compare.save(Counts(here, ordered, commit))
    print(f"recorded in {compare.FILE.relative_to(ROOT)}; cases counted: {len(chosen)}")
    return 0


def check(chosen: list[Case], only: str | None, recorded: Counts, here: dict[str, str]) -> int:
    """Count the chosen cases, say what moved."""
    lacking = {case.name for case in chosen if case.variant not in ek.available_simd()}
    if lacking:
        print(f"not compared: {len(lacking)} of the cases, for {WIDE}, which is not to be had here")
    counted = measure([case for case in chosen if case.name not in lacking])
    # A record without a case still belongs to its algorithm.
    mine = {
        name: cost
        for name, cost in recorded.cases.items()
        if name not in lacking and only in (None, name.split(", ")[0])
    }
    others = compare.differing(recorded.build, here, DECISIVE_OF_CALLS)
    if others:
        print(f"calls out of the library are not compared: {others}")
    findings = compare.compare(mine, counted, calls=not others)
    if not findings:
        print(f"as recorded, within {compare.BAND:.0%}; cases counted: {len(counted)}")
        return 0
    print(compare.table(findings).markdown())
    if otherwise := compare.differing(recorded.build, here, here):
        print(f"\nThe build differs, which may be why: {otherwise}")
    return 1


def main() -> int:
    """Count, compare or record."""
    arguments = _arguments()
    only: str | None = arguments.only
    if not callgrind.available():
        print(callgrind.MISSING, file=sys.stderr)
        return 2
    chosen = [case for case in cases() if only in (None, case.algorithm)]
    if not chosen:
        print(f"--only: there is no algorithm {only!r}", file=sys.stderr)
        return 2
    here, recorded = build(), compare.load()
    if arguments.record:
        return record(chosen, only is None, recorded, here)
    if recorded is None:
        print(f"{compare.FILE.relative_to(ROOT)} is not there: make it with --record")
        return 1
    if other := compare.differing(recorded.build, here):
        print(f"not compared: {other}")
        return 0
    return check(chosen, only, recorded, here)


if __name__ == "__main__":
    sys.exit(main())
