"""Builds a wheel for every target and Python of Debian, cross-compiled by zig, and checks its size.

``python -m release.wheels [--only aarch64-cp311]``; wheels and the source distribution go to
``dist``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from edgeolk.core.units import SETS
from release.project import newest
from release.rootfs import root_file_system
from release.targets import BUILD, ROOT, TARGETS, TRIXIE, Debian, Target, platform_name, platforms

DIST = ROOT / "dist"
#: Maximum bytes of a wheel on every system: 10 % more than the largest known, the free-threaded one
#: of gcc. A third are the loops in four variants; docs/platforms.md explains the rest.
MAX_BYTES = 4_800_000


def source_distribution() -> Path:
    """Pack the source distribution, from which wheels are built to prove that it is complete."""
    run_module("build", "--sdist", "--no-isolation", "-o", str(DIST), str(ROOT))
    return newest(DIST, "*.tar.gz")[0]


def unpack(source: Path) -> Path:
    """Unpack it, and have Cython write the C files once for all targets."""
    folder = BUILD / "wheels" / "source"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(source) as packed:
        packed.extractall(folder.parent, filter="data")
    folder.rmdir()
    (folder.parent / source.name.removesuffix(".tar.gz")).rename(folder)
    subprocess.run([sys.executable, "setup.py", "--quiet", "egg_info"], cwd=folder, check=True)
    return folder


def headers(target: Target, release: Debian) -> list[Path]:
    """Copy the target's headers of Python and numpy, without glibc's, which zig supplies.

    numpy's are from Debian 13 for every release: what is compiled with them runs with numpy 1.22
    and later, and Cython's declarations, which are of numpy 2, find their functions in no older
    ones.
    """
    system = root_file_system(target, release)
    folder = BUILD / "headers" / platform_name(target, release)
    shutil.rmtree(folder, ignore_errors=True)
    name = f"python{release.python}"
    shutil.copytree(
        system / "usr/include" / name, folder / "python", ignore=shutil.ignore_patterns("numpy")
    )
    shutil.copy(system / "usr/include" / target.triplet / name / "pyconfig.h", folder / "python")
    newest_numpy = root_file_system(TARGETS[target.numpy or target.name], TRIXIE)
    [include] = newest_numpy.glob("usr/lib/python3/dist-packages/numpy/*core/include")
    shutil.copytree(include, folder / "numpy")
    return [folder / "python", folder / "numpy"]


def compiler(target: Target, release: Debian) -> Path:
    """Write a script that is a C compiler for the target, with its headers first."""
    name = platform_name(target, release)
    return zig_script(name, target.zig, target.flags, headers(target, release))


def zig_script(name: str, target: str, flags: Sequence[str], folders: Sequence[Path]) -> Path:
    """Write a script that is zig's C compiler for a target, with these headers first."""
    script = BUILD / "compilers" / name
    script.parent.mkdir(parents=True, exist_ok=True)
    words = " ".join([*flags, *(f"'-I{folder}'" for folder in folders)])
    script.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -m ziglang cc -target {target} {words} \"$@\"\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def build_wheel(source: Path, target: Target, release: Debian) -> Path:
    """Compile a copy of the source and put the wheel into ``dist``; return its path."""
    environment = cross_environment(target, release)
    wheel = cross_build(source, platform_name(target, release), release.tag, environment)
    for old in DIST.glob("*.whl"):
        if release.tag in old.name and old.stem.endswith(f"_{target.name}"):
            old.unlink()
    if not target.shipped:
        return Path(shutil.copy(wheel, DIST))
    run_module("auditwheel", "repair", "-w", str(DIST), str(wheel), environment=environment)
    return newest(DIST, "*.whl")[0]


def cross_environment(target: Target, release: Debian) -> dict[str, str]:
    """Return the environment in which setuptools compiles for a target."""
    script = compiler(target, release)
    # Without this, zig's complete library for 32-bit ARM would be linked: 200 KB per module.
    link_flags = "-Wl,--gc-sections"
    suffix = f".cpython-{release.tag.removeprefix('cp')}-{target.triplet}.so"
    return environment_of(str(script), link_flags, suffix, f"linux-{target.name}")


def environment_of(compiler: str, link_flags: str, suffix: str, platform: str) -> dict[str, str]:
    """Return the environment in which setuptools compiles for a platform.

    Parameters
    ----------
    compiler : str
        A command.
    linked : str
        Linker flags.
    suffix : str
        The suffix of modules' names.
    platform : str
        The platform in setuptools' spelling.
    """
    return {
        **os.environ,
        "CC": compiler,
        "LDSHARED": f"{compiler} -shared -s {link_flags}",
        "CFLAGS": "",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "_PYTHON_HOST_PLATFORM": platform,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


def cross_build(source: Path, name: str, tag: str, environment: dict[str, str]) -> Path:
    """Compile a copy of the source; return the wheel with the tags of its Python.

    Parameters
    ----------
    source : Path
        The result of ``unpack``.
    name : str
        The platform's name, for the folder of the copy.
    tag : str
        Python's tag, such as cp311.
    environment : dict of str to str
        The result of ``environment_of``.
    """
    folder, raw = BUILD / "wheels" / name, BUILD / "wheels" / f"{name}-raw"
    for old in (folder, raw):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(source, folder)
    build = ("build", "--wheel", "--no-isolation", "-o", str(raw), str(folder))
    run_module(*build, environment=environment)
    tags = ("--python-tag", tag, "--abi-tag", tag, "--remove")
    run_module("wheel", "tags", *tags, *map(str, raw.glob("*.whl")))
    [wheel] = raw.glob("*.whl")
    return wheel


def described(wheel: Path) -> str:
    """Return a line with the bytes of a wheel, its name, and the variants of its loops.

    The variants are read from the table in the compiled module.
    """
    with zipfile.ZipFile(wheel) as packed:
        [module] = [n for n in packed.namelist() if n.startswith("edgeolk/core/variants.c")]
        code = packed.read(module)
    within = [row.name for row in SETS if b"\0" + row.name.encode() + b"\0" in code]
    return f"{wheel.stat().st_size:>11,}  {wheel.name}: {', '.join(within)}"


def run_module(*words: str, environment: dict[str, str] | None = None) -> None:
    """Run ``python -m`` with these arguments, and show only its errors."""
    command = [sys.executable, "-m", *words]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Build the given platforms; return 1 if a wheel is too large."""
    parser = argparse.ArgumentParser(prog="python -m release.wheels", description=__doc__)
    parser.add_argument("--only", action="append", metavar="TARGET[-PYTHON]", default=[])
    asked = parser.parse_args().only
    DIST.mkdir(exist_ok=True)
    packed = source_distribution()
    print(f"{packed.stat().st_size:>11,}  {packed.name}", flush=True)
    source, large = unpack(packed), False
    for _, target, release in platforms(asked, lambda target: target.shipped):
        wheel = build_wheel(source, target, release)
        large |= wheel.stat().st_size > MAX_BYTES
        print(described(wheel), flush=True)
    if large:
        print(f"a wheel may have {MAX_BYTES:,} bytes", file=sys.stderr)
    return int(large)


if __name__ == "__main__":
    sys.exit(main())
