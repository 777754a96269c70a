"""Learners of a system that runs on this machine compared with this machine's own, both ways."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from release.agreement import compare
from release.emulated import write_here
from release.targets import BUILD

#: Variants that are compared: what both sides compute alike.
VARIANTS = ("scalar", "baseline", "v3", "v4")
#: Runs that system's Python with these words and a variant, in the folder of the tests; the exit
#: code, and what was printed.
Run = Callable[[list[str], str], tuple[int, str]]


def variants_there(run: Run) -> list[str]:
    """The variants that are in the wheel and run on this processor."""
    _, printed = run(["-c", "import edgeolk as ek; print(*ek.available_simd())"], "")
    return [name for name in VARIANTS if name in printed.split()]


def learners_agree(project: Path, run: Run) -> bool:
    """Whether decisions are those of this machine, bit for bit, and files cross both ways.

    Parameters
    ----------
    project : Path
        The folder of the tests, in which ``run`` runs.
    run : callable
        See `Run`.
    """
    fine = True
    said: list[str] = []
    reference, inside = BUILD / "agreement", project / "agreement"
    shutil.rmtree(inside, ignore_errors=True)
    for simd in variants_there(run):
        write_here(simd, reference / simd)
        shutil.copytree(reference / simd, inside / "linux" / simd)
        words = ["write", f"agreement/{simd}", "--resume", f"agreement/linux/{simd}"]
        code, _ = run(["-m", "release.agreement", *words], simd)
        if code:
            print(f"{simd}: ended with {code}")
            return False
        # Both ways: here the other system's files are resumed.
        write_here(simd, inside / "back" / simd, resume=inside / simd)
        ways = (inside / simd, reference / simd), (inside / "back" / simd, inside / simd)
        wrong = [line for way in ways for line in compare(*way, same=True, said=said)]
        print(*said[-2:], *wrong, sep="\n", flush=True)
        fine &= not wrong
    return fine
