"""Comparison of another system's learners with those of this machine, in both directions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from release.agreement import compare
from release.targets import BUILD, ROOT

#: Variants that are compared on this processor, whose results are identical on both sides.
VARIANTS = ("scalar", "baseline", "v3", "v4")
#: Runs that system's Python with arguments and a variant, in the folder of the tests; returns the
#: exit code and the output.
Run = Callable[[list[str], str], tuple[int, str]]


def available_variants(run: Run) -> list[str]:
    """Return the variants that are in the wheel and run on this processor."""
    _, printed = run(["-c", "import edgeolk as ek; print(*ek.available_simd())"], "")
    return [name for name in VARIANTS if name in printed.split()]


def _write_here(simd: str, folder: Path, resume: Path | None = None) -> None:
    """Write the results of this machine's learners, in one variant."""
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
    """Whether results equal those of this machine, and files can be exchanged both ways.

    Parameters
    ----------
    inside : Path
        A folder that both systems see; overwritten.
    there : str
        Its path on the other system.
    run : callable
        See `Run`.
    variants : iterable of (str, str)
        Variants of the loops there, each with the variant here of identical rounding.

    Returns
    -------
    bool, list of str
        Whether they agree, and lines with the results.
    """
    agree = True
    lines: list[str] = []
    reference = BUILD / "agreement"
    shutil.rmtree(inside, ignore_errors=True)
    for simd, local in variants:
        _write_here(local, reference / local)
        shutil.copytree(reference / local, inside / "here" / simd)
        words = ["write", f"{there}/{simd}", "--resume", f"{there}/here/{simd}"]
        code, _ = run(["-m", "release.agreement", *words], simd)
        if code:
            lines.append(f"{simd}: ended with {code}")
            print(lines[-1])
            return False, lines
        # The other direction: this machine resumes the other system's files.
        _write_here(local, inside / "back" / simd, resume=inside / simd)
        ways = (inside / simd, reference / local), (inside / "back" / simd, inside / simd)
        wrong = [line for way in ways for line in compare(*way, same=True, lines=lines)]
        print(*lines[-2:], *wrong, sep="\n", flush=True)
        agree &= not wrong
    return agree, lines


def wheel_agrees(project: Path, run: Run) -> bool:
    """The same for a system that runs on this machine, in the folder of its tests."""
    pairs = [(simd, simd) for simd in available_variants(run)]
    return learners_agree(project / "agreement", "agreement", run, pairs)[0]
