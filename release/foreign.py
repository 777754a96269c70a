"""Wheels for systems without a Debian Python, cross-built by zig: Windows, macOS, musl.

``python -m release.foreign`` builds all rows; shipped ones go to ``dist``. Windows' headers and
import library are those of the Python that runs under Wine (release/windows_python.sh). Headers of
macOS and musl are not available here: this machine's, of the same word size, replace them, so
these wheels only prove that every module compiles and links; they stay in ``build``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from release.targets import BOOKWORM, BUILD, ROOT
from release.wheels import (
    DIST,
    MAX_BYTES,
    cross_build,
    described,
    environment_of,
    source_distribution,
    unpack,
    zig_script,
)

#: The Python for Windows and its import libraries.
WINDOWS = BUILD / "windows"


@dataclass(frozen=True)
class Foreign:
    """A system and a processor.

    Parameters
    ----------
    name : str
        The platform as setuptools names it.
    zig : str
        The target of zig.
    suffix : str
        The end of the names of compiled modules.
    machine : str
        The machine of Python's import library, in dlltool's spelling; "" if modules are linked
        without Python's functions.
    shipped : bool
        Whether its wheels go to ``dist``.
    numpy : str
        The platform of the numpy wheel whose headers are used; "" for this machine's.
    """

    name: str
    zig: str
    suffix: str
    machine: str = ""
    shipped: bool = False
    numpy: str = ""

    @property
    def tag(self) -> str:
        """The platform's tag in the names of wheels."""
        return self.name.replace("-", "_").replace(".", "_")


FOREIGN = {
    row.name: row
    for row in (
        Foreign("win-amd64", "x86_64-windows-gnu", ".cp311-win_amd64.pyd", "i386:x86-64", True),
        Foreign("win-arm64", "aarch64-windows-gnu", ".cp311-win_arm64.pyd", "arm64"),
        Foreign("linux-x86_64-musl", "x86_64-linux-musl", ".cpython-311-x86_64-linux-musl.so"),
        Foreign(
            "macosx-11.0-x86_64",
            "x86_64-macos.11.0",
            ".cpython-311-darwin.so",
            numpy="macosx_10_9_x86_64",
        ),
        Foreign(
            "macosx-11.0-arm64",
            "aarch64-macos.11.0",
            ".cpython-311-darwin.so",
            numpy="macosx_11_0_arm64",
        ),
    )
}


def windows_python() -> Path:
    """Return the folder of the Python for Windows; create it if it does not exist."""
    if not (WINDOWS / "run").exists():
        script = ROOT / "release/windows_python.sh"
        subprocess.run(["bash", str(script), str(WINDOWS)], check=True, stdin=subprocess.DEVNULL)
    return WINDOWS


def import_library(row: Foreign) -> Path:
    """Return the import library with which modules for Windows are linked."""
    python = windows_python()
    if row.name == "win-amd64":
        return python / "libpython311.a"
    library = BUILD / "compilers" / f"libpython311-{row.name}.a"
    definition = python / "python/python311.def"
    words = ["-m", row.machine, "-d", str(definition), "-l", str(library), "-D", "python311.dll"]
    subprocess.run([sys.executable, "-m", "ziglang", "dlltool", *words], check=True)
    return library


def numpy_headers(row: Foreign) -> Path:
    """Return the headers in numpy's wheel for the system."""
    folder = BUILD / "headers" / row.name
    shutil.rmtree(folder, ignore_errors=True)
    words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "311"]
    names = ["--platform", row.numpy, "numpy==2.0.2", "-d", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *words, *names], check=True)
    [wheel] = folder.glob("*.whl")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder / "numpy/_core/include"


def compiler(row: Foreign) -> Path:
    """Write a script that is a C compiler for the system, with its headers first."""
    if row.machine:
        folders = [windows_python() / "include", windows_python() / "numpy-include"]
    else:
        folders = [Path(sysconfig.get_path("include"))]
        if row.numpy:
            folders.append(numpy_headers(row))
    return zig_script(row.name, row.zig, (), folders)


def environment(row: Foreign) -> dict[str, str]:
    """The environment in which setuptools compiles for a system."""
    script = compiler(row)
    if row.machine:
        python = str(import_library(row))
    else:
        python = "-undefined dynamic_lookup" if "macos" in row.zig else ""
    return environment_of(str(script), python, row.suffix, row.name)


def build_wheel(source: Path, row: Foreign) -> Path:
    """Compile a copy of the source; return the wheel."""
    wheel = cross_build(source, f"{row.name}-cp311", BOOKWORM.tag, environment(row))
    if not row.shipped:
        return wheel
    for old in DIST.glob(f"*{BOOKWORM.tag}*{row.tag}.whl"):
        old.unlink()
    return Path(shutil.copy(wheel, DIST))


def main() -> int:
    """Build the given platforms; return 1 if a wheel is too large."""
    parser = argparse.ArgumentParser(prog="python -m release.foreign", description=__doc__)
    parser.add_argument("--only", action="append", metavar="PLATFORM", default=[])
    names = parser.parse_args().only
    DIST.mkdir(exist_ok=True)
    source, large = unpack(source_distribution()), False
    for row in FOREIGN.values():
        if not names or row.name.startswith(tuple(names)):
            wheel = build_wheel(source, row)
            large |= row.shipped and wheel.stat().st_size > MAX_BYTES
            print(described(wheel), "" if row.shipped else "(linked only)", flush=True)
    if large:
        print(f"a wheel may have {MAX_BYTES:,} bytes", file=sys.stderr)
    return int(large)


if __name__ == "__main__":
    sys.exit(main())
