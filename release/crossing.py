"""Learners of another system compared with this machine's own, both ways."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from release.agreement import compare
from release.targets import BUILD, ROOT

#: Variants that are compared on this processor: what both sides compute alike.
VARIANTS = ("scalar", "baseline", "v3", "v4")
#: Runs that system's Python with these words and a variant, in the folder of the tests; the exit
#: code, and what was printed.
Run = Callable[[list[str], str], tuple[int, str]]


def variants_there(run: Run) -> list[str]:
    """The variants that are in the wheel and run on this processor."""
    _, printed = run(["-c", "import edgeolk as ek; print(*ek.available_simd())"], "")
    return [name for name in VARIANTS if name in printed.split()]


def _write_here(simd: str, folder: Path, resume: Path | None = None) -> None:
    """Write what this machine's learners make of the rows, in one variant."""
    again = ["--resume", str(resume)] if resume else []
    subprocess.run(
        [sys.executable, "-m", "release.agreement", "write", str(folder), *again],
        env={**os.environ, "EDGEOLK_SIMD": simd},
        cwd=ROOT,
        check=True,
    )


def learners_agree(
    inside: Path, there: str, run: Run, variants: Iterable[tuple[str, str]]
) -> tuple[bool, list[str]]:
    """Whether decisions are those of this machine, bit for bit, and files cross both ways.

    Parameters
    ----------
    inside : Path
        A folder that both systems see; made anew.
    there : str
        What the other system calls it.
    run : callable
        See `Run`.
    variants : iterable of (str, str)
        Variants of the loops there, each with the one of this machine that rounds alike.

    Returns
    -------
    bool, list of str
        And lines about what was found.
    """
    fine = True
    said: list[str] = []
    reference = BUILD / "agreement"
    shutil.rmtree(inside, ignore_errors=True)
    for simd, own in variants:
        _write_here(own, reference / own)
        shutil.copytree(reference / own, inside / "here" / simd)
        words = ["write", f"{there}/{simd}", "--resume", f"{there}/here/{simd}"]
        code, _ = run(["-m", "release.agreement", *words], simd)
        if code:
            said.append(f"{simd}: ended with {code}")
            print(said[-1])
            return False, said
        # Both ways: here the other system's files are resumed.
        _write_here(own, inside / "back" / simd, resume=inside / simd)
        ways = (inside / simd, reference / own), (inside / "back" / simd, inside / simd)
        wrong = [line for way in ways for line in compare(*way, same=True, said=said)]
        print(*said[-2:], *wrong, sep="\n", flush=True)
        fine &= not wrong
    return fine, said


def wheel_agrees(project: Path, run: Run) -> bool:
    """The same of a system that runs on this machine, in the folder of its tests."""
    pairs = [(simd, simd) for simd in variants_there(run)]
    return learners_agree(project / "agreement", "agreement", run, pairs)[0]
