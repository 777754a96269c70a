"""Mutation testing: each mutation of the source must make the tests fail.

``python tests/mutants.py [WORD...]`` tries the mutations whose file or description contains one of
the words and lists the survivors; exits with 1 if there are any. The package and its tests are
copied to a temporary folder and must pass there. Mutations of C come first: they take seconds
(mutants_loops.py, mutants_rules.py).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import mutants_files
import mutants_loops
import mutants_rules
import mutants_simulator
import mutants_wrappers
from mutating import ROOT, Mutation, applied, failures, survivors

MUTATIONS = [
    *mutants_files.MUTATIONS,
    *mutants_wrappers.MUTATIONS,
    *mutants_simulator.MUTATIONS,
]


def lived(wanted: list[Mutation], folder: Path) -> list[Mutation]:
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

    return survivors(wanted, notice)


def main(words: list[str]) -> int:
    count, left = 0, 0
    trials = (
        (mutants_loops.MUTATIONS, mutants_loops.lived),
        (mutants_rules.MUTATIONS, mutants_rules.lived),
        (MUTATIONS, lived),
    )
    for every, trial in trials:
        wanted = [m for m in every if not words or any(w in f"{m.file} {m.what}" for w in words)]
        if wanted:
            with tempfile.TemporaryDirectory() as name:
                left += len(trial(wanted, Path(name) / "copy"))
            count += len(wanted)
    print(f"{count} mutations, {left} lived")
    return 1 if left else 0


if __name__ == "__main__":
    sys.path.append(str(ROOT))  # at the end: beside this file lies a folder that is called edgeolk
    sys.exit(main(sys.argv[1:]))
