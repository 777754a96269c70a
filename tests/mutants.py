"""Mutation testing: each mutation of the source must make the tests fail.

``python tests/mutants.py [WORD...]`` tries the mutations whose file or description contains one of
the words and lists the survivors; exits with 1 if there are any. The package and its tests are
copied to a temporary folder and must pass there. Mutations of the loops come first: they take
seconds (mutants_loops.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import mutants_files
import mutants_loops
import mutants_simulator
import mutants_wrappers
from mutating import ROOT, Mutation, applied, survivors

MUTATIONS = [
    *mutants_files.MUTATIONS,
    *mutants_wrappers.MUTATIONS,
    *mutants_simulator.MUTATIONS,
]


def red(folder: Path, tests: Sequence[str]) -> bool:
    """Whether the tests fail in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    if ran.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr}")
    return ran.returncode == 1


def lived(wanted: list[Mutation], folder: Path) -> list[Mutation]:
    """The mutations that no test detects."""
    for part in ("edgeolk", "firmware_sim", "tests"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for tests in {mutation.file: mutation.tests for mutation in wanted}.values():
        if red(folder, tests):
            raise SystemExit(f"{tests[0]} is red without any mutation")

    def notice(mutation: Mutation) -> bool:
        with applied(mutation, folder / mutation.file):
            return red(folder, mutation.tests)

    return survivors(wanted, notice)


def main(words: list[str]) -> int:
    count, left = 0, 0
    for every, trial in ((mutants_loops.MUTATIONS, mutants_loops.lived), (MUTATIONS, lived)):
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
