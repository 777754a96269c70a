"""Mutation testing: each mutation of the source must make the tests fail.

``python tests/mutants.py [WORD...]`` tries the mutations whose file or description contains one of
the words and lists the survivors; exits with 1 if there are any. The package and its tests are
copied to a temporary folder and must pass there. Mutations of C come first: they take seconds
(mutants_loops.py, mutants_rules.py). With ``--kept FILE`` it stores detected mutations there and
does not try them again; with ``--minutes`` it ends after about that time and prints how many are
left.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from pathlib import Path

import mutants_files
import mutants_learners
import mutants_loops
import mutants_rules
import mutants_simulator
import mutants_wrappers
from mutating import ROOT, Mutation, Trials, applied, failures

MUTATIONS = [
    *mutants_files.MUTATIONS,
    *mutants_wrappers.MUTATIONS,
    *mutants_simulator.MUTATIONS,
]


def lived(wanted: list[Mutation], folder: Path, trials: Trials) -> list[Mutation]:
    """The mutations that no test detects."""
    for part in ("edgeolk", "firmware_sim", "tests"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for tests in dict.fromkeys(tuple(mutation.tests) for mutation in wanted):
        if output := failures(folder, tests):
            raise SystemExit(f"{tests[0]} is red without any mutation:\n{output}")

    def notice(mutation: Mutation) -> bool:
        with applied(mutation, folder / mutation.file):
            return bool(failures(folder, mutation.tests))

    return trials.survivors(wanted, notice)


def main(arguments: list[str] | None = None) -> int:
    from bench.cases import Cases  # found beside this folder, see below

    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--kept", type=Path, help="the file of detected mutations")
    parser.add_argument("--minutes", type=float, default=math.inf)
    given = parser.parse_args(arguments)
    # Each case has a digest of what it depends on.
    trials = Trials(Cases(given.kept, "mutations"), given.minutes)
    count, left, lived_through = 0, 0, 0
    for every, trial in (
        (mutants_loops.MUTATIONS, mutants_loops.lived),
        (mutants_rules.MUTATIONS, mutants_rules.lived),
        (mutants_learners.MUTATIONS, mutants_learners.lived),
        (MUTATIONS, lived),
    ):
        words = given.words
        wanted = [m for m in every if not words or any(w in f"{m.file} {m.what}" for w in words)]
        count += len(wanted)
        untried = trials.left(wanted)
        if untried and not trials.over:
            with tempfile.TemporaryDirectory() as name:
                lived_through += len(trial(untried, Path(name) / "copy", trials))
        left += len(trials.left(wanted))
    if left > lived_through:
        print(f"{left - lived_through} of {count} mutations are left, {lived_through} lived so far")
    else:
        print(f"{count} mutations, {lived_through} lived")
    return 1 if lived_through else 0


if __name__ == "__main__":
    sys.path.append(str(ROOT))  # at the end: beside this file lies a folder that is called edgeolk
    sys.exit(main())
