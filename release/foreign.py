"""Wheels of systems that Debian has no Python for, cross-built by zig: Windows, macOS, musl.

``python -m release.foreign`` builds all rows; a shipped one comes to ``dist``. Windows' headers and
import library are those of the Python that runs under Wine (release/windows_python.sh). Headers of
macOS and musl cannot be had here: this machine's, of the same word size, stand in for them, and
what is made proves no more than that every module compiles and links; it stays in ``build``.
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
    MOST,
    cross_build,
    described,
    environment_of,
    source_distribution,
    unpack,
    zig_script,
)

#: The Python for Windows, and what modules for it are linked with.
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
        What the import library of Python is made for, as dlltool names it; "" where modules leave
        Python's functions open.
    shipped : bool
        Whether its wheels come to ``dist``.
    numpy : str
        The platform of the wheel of numpy whose headers are taken; "" where others will do.
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
    """The folder of the Python for Windows, made where there is none."""
    if not (WINDOWS / "run").exists():
        script = ROOT / "release/windows_python.sh"
        subprocess.run(["bash", str(script), str(WINDOWS)], check=True, stdin=subprocess.DEVNULL)
    return WINDOWS


def import_library(row: Foreign) -> Path:
    """What stands for Python's library when a module of Windows is linked."""
    there = windows_python()
    if row.name == "win-amd64":
        return there / "libpython311.a"
    made = BUILD / "compilers" / f"libpython311-{row.name}.a"
    definition = there / "python/python311.def"
    words = ["-m", row.machine, "-d", str(definition), "-l", str(made), "-D", "python311.dll"]
    subprocess.run([sys.executable, "-m", "ziglang", "dlltool", *words], check=True)
    return made


def numpy_headers(row: Foreign) -> Path:
    """The headers in a wheel of numpy for the system."""
    folder = BUILD / "headers" / row.name
    shutil.rmtree(folder, ignore_errors=True)
    words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "311"]
    asked = ["--platform", row.numpy, "numpy==2.0.2", "-d", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *words, *asked], check=True)
    [wheel] = folder.glob("*.whl")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder / "numpy/_core/include"


def compiler(row: Foreign) -> Path:
    """Write a script that is a C compiler for the system, its headers before all others."""
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
    """Build what is asked for; 1 where a wheel is too large."""
    parser = argparse.ArgumentParser(prog="python -m release.foreign", description=__doc__)
    parser.add_argument("--only", action="append", metavar="PLATFORM", default=[])
    asked = parser.parse_args().only
    DIST.mkdir(exist_ok=True)
    source, large = unpack(source_distribution()), False
    for row in FOREIGN.values():
        if not asked or row.name.startswith(tuple(asked)):
            wheel = build_wheel(source, row)
            large |= row.shipped and wheel.stat().st_size > MOST
            print(described(wheel), "" if row.shipped else "(linked only)", flush=True)
    if large:
        print(f"a wheel may have {MOST:,} bytes", file=sys.stderr)
    return int(large)


if __name__ == "__main__":
    sys.exit(main())
