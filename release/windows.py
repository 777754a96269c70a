"""Tests the wheel for Windows in the Python that runs under Wine.

``python -m release.windows [--most n] [PYTEST ARGUMENTS]``. A wheel that is not in ``dist`` is
built first. The decisions of every algorithm over 2,000 rows are compared with those of Linux, by
variant, and each side loads the other's model files (release/agreement.py). Then the tests of the
library and the simulator are run, each with ``--most`` of its sets of parameters
(release/fewer.py): Wine is slow. What is left out, and why: release/windows_tests.py.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from release.agreement import compare
from release.emulated import write_here
from release.foreign import FOREIGN, build_wheel, windows_python
from release.targets import BUILD, ROOT
from release.wheels import DIST, source_distribution, unpack

#: Variants that are compared: what both sides compute alike.
VARIANTS = ("scalar", "baseline", "v3", "v4")


def wheel() -> Path:
    """The newest wheel for Windows; built where there is none."""
    row = FOREIGN["win-amd64"]
    found = sorted(DIST.glob(f"*{row.tag}.whl"), key=lambda path: path.stat().st_mtime)
    if found:
        return found[-1]
    DIST.mkdir(exist_ok=True)
    return build_wheel(unpack(source_distribution()), row)


def install(made: Path) -> Path:
    """Put the wheel into the Python for Windows, and the tests beside it; return their folder."""
    there = windows_python()
    site, project = there / "python/Lib/site-packages", there / "project"
    for name in ("edgeolk", "firmware_sim", *(path.name for path in site.glob("edgeolk-*"))):
        shutil.rmtree(site / name, ignore_errors=True)
    shutil.unpack_archive(made, site, "zip")
    shutil.rmtree(project, ignore_errors=True)
    for name in ("tests", "bench", "release", "docs", "firmware_sim/data"):
        unwanted = shutil.ignore_patterns("__pycache__", "cache")
        shutil.copytree(ROOT / name, project / name, ignore=unwanted)
    # A wheel has one of the bundled streams.
    shutil.copytree(ROOT / "firmware_sim/data", site / "firmware_sim/data", dirs_exist_ok=True)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, project)
    return project


def run(project: Path, words: list[str], simd: str = "") -> tuple[int, str]:
    """Run the Python for Windows in the tests' folder, and show what it prints; return that."""
    environment = {**os.environ, "EDGEOLK_SIMD": simd, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [str(windows_python() / "run"), *words],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as started:
        assert started.stdout is not None
        printed = []
        for line in started.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    return started.returncode, "".join(printed)


def variants_there(project: Path) -> list[str]:
    """The variants that are in the wheel and run on this processor."""
    _, printed = run(project, ["-c", "import edgeolk as ek; print(*ek.available_simd())"])
    return [name for name in VARIANTS if name in printed.split()]


def learners_agree(project: Path) -> bool:
    """Whether decisions are those of Linux, bit for bit, and files cross both ways."""
    fine = True
    said: list[str] = []
    reference, inside = BUILD / "agreement", project / "agreement"
    shutil.rmtree(inside, ignore_errors=True)
    for simd in variants_there(project):
        write_here(simd, reference / simd)
        shutil.copytree(reference / simd, inside / "linux" / simd)
        words = ["write", f"agreement/{simd}", "--resume", f"agreement/linux/{simd}"]
        code, _ = run(project, ["-m", "release.agreement", *words], simd)
        if code:
            print(f"{simd}: ended with {code}")
            return False
        # Both ways: here the files of Windows are resumed.
        write_here(simd, inside / "back" / simd, resume=inside / simd)
        ways = (inside / simd, reference / simd), (inside / "back" / simd, inside / simd)
        wrong = [line for way in ways for line in compare(*way, same=True, said=said)]
        print(*said[-2:], *wrong, sep="\n", flush=True)
        fine &= not wrong
    return fine


def main() -> int:
    """Compare and test; 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m release.windows", description=__doc__)
    parser.add_argument("--most", type=int, default=2, help="sets of parameters of a test")
    asked, more = parser.parse_known_args()
    made = wheel()
    project = install(made)
    print(f"{made.stat().st_size:>11,}  {made.name}: {', '.join(variants_there(project))}")
    alike = learners_agree(project)
    words = ["-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rs"]
    plugins = ["-p", "release.windows_tests", "-p", "release.fewer", f"--most={asked.most}"]
    tests = more or ["tests/edgeolk", "tests/firmware_sim"]
    code, printed = run(project, [*words, *plugins, *tests])
    counted = re.findall(r"(\d+ (?:passed|failed|skipped|deselected|errors?))", printed)
    print(f"== {', '.join(counted) or f'ended with {code}'}")
    return int(not (alike and code == 0))


if __name__ == "__main__":
    sys.exit(main())
