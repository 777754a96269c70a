"""Tests wheels in Pythons that Debian lacks: one on musl, and a free-threaded one.

``python -m release.frozen [musl] [free]``. Each Python is built by release/frozen_python.sh unless
it exists, and gets a newly built wheel: for musl by zig, for the other by this machine's compiler.
On musl, learners are compared with this machine's (release/crossing.py). Then a part of the
library's tests is run (listed in release/pythons.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from release import foreign, pythons
from release.crossing import wheel_agrees
from release.project import FEWER, copied, counted
from release.targets import BUILD, ROOT, this_machines_python
from release.wheels import described, source_distribution, unpack


@dataclass(frozen=True)
class Frozen:
    """A Python: its tag, and the C library it runs on, musl or gnu."""

    tag: str
    libc: str

    @property
    def folder(self) -> Path:
        """Its folder."""
        return BUILD / "frozen" / f"{self.tag}-{self.libc}"

    @property
    def version(self) -> str:
        """Its version, such as 3.13."""
        return f"3.{self.tag.removeprefix('cp3').removesuffix('t')}"

    @property
    def packages(self) -> Path:
        """The folder of its packages."""
        threads = "t" if self.tag.endswith("t") else ""
        return self.folder / f"lib/python{self.version}{threads}/site-packages"

    def program(self) -> Path:
        """Return its executable; build it if it does not exist."""
        if not (self.folder / "bin/python").exists():
            script = ROOT / "release/frozen_python.sh"
            python, _ = this_machines_python(self.version)
            named = {"ZIG": f"{sys.executable} -m ziglang", "PYTHON": python}
            words = ["bash", str(script), str(self.folder), self.tag, self.libc]
            subprocess.run(words, check=True, env={**os.environ, **named})
        return self.folder / "bin/python"

    def run(self, project: Path, words: list[str], simd: str = "") -> tuple[int, str]:
        """Run it in the tests' folder; return exit code and output."""
        environment = {**os.environ, "EDGEOLK_SIMD": simd}
        # A test measures the memory of imports, as of installed packages: without compiling them.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            [str(self.program()), *words],
            cwd=project,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


FROZEN = {"musl": Frozen("cp311", "musl"), "free": Frozen("cp313t", "gnu")}


def build_wheel(row: Frozen, source: Path) -> Path:
    """Build a wheel for one of them."""
    if row.libc == "musl":
        return foreign.build_wheel(source, foreign.FOREIGN["linux-x86_64-musl"])
    suffix = f".cpython-{row.tag.removeprefix('cp')}-x86_64-linux-gnu.so"
    command = (str(row.program()),)
    return pythons.build_wheel(
        pythons.Python(command, None, row.tag, row.folder / "include", suffix), source
    )


def install(row: Frozen, wheel: Path) -> Path:
    """Install the wheel into a Python, and copy the tests; return their folder."""
    for folder in (row.packages / "edgeolk", row.packages / "firmware_sim"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(wheel, row.packages, "zip")
    return copied(row.folder / "project")


def test(row: Frozen, project: Path) -> bool:
    """Run tests; return whether none failed."""
    words = ["-m", "pytest", *FEWER, "-rs"]
    code, printed = row.run(project, [*words, *(f"tests/edgeolk/{name}" for name in pythons.TESTS)])
    if code:
        print(printed[-6000:])
    print(f"{row.tag}, {row.libc}:", counted(printed))
    return code == 0


def main() -> int:
    """Build, compare and test; return 1 if something failed."""
    source, passed = unpack(source_distribution()), True
    for name in sys.argv[1:] or FROZEN:
        row = FROZEN[name]
        row.program()
        wheel = build_wheel(row, source)
        print(described(wheel), flush=True)
        project = install(row, wheel)
        passed &= row.libc != "musl" or wheel_agrees(project, partial(row.run, project))
        passed &= test(row, project)
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
