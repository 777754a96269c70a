"""Builds a wheel for every target and Python of Debian, cross-compiled by zig, and checks its size.

``python -m release.wheels [--only aarch64-cp311]``; wheels and the source distribution come to
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
from pathlib import Path

from release.rootfs import root_file_system
from release.targets import BUILD, ROOT, TARGETS, TRIXIE, Debian, Target

DIST = ROOT / "dist"
#: Bytes a wheel may have.
MOST = 1_000_000


def source_distribution() -> Path:
    """Pack the source; what follows is built from it, so that it is complete."""
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", str(DIST)]
    subprocess.run([*command, str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    return max(DIST.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)


def unpacked(source: Path) -> Path:
    """Unpack it, and let Cython write the C files once for all targets."""
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
    """Copy the target's headers of Python and numpy: the rest of its folder is glibc's, not zig's.

    numpy's are those of Debian 13: a module compiled with them runs with numpy 1.22 and later.
    """
    system = root_file_system(target, release)
    folder = BUILD / "headers" / f"{target.name}-{release.tag}"
    shutil.rmtree(folder, ignore_errors=True)
    name = f"python{release.python}"
    shutil.copytree(
        system / "usr/include" / name, folder / "python", ignore=shutil.ignore_patterns("numpy")
    )
    shutil.copy(system / "usr/include" / target.triplet / name / "pyconfig.h", folder / "python")
    shutil.copytree(
        root_file_system(target, TRIXIE) / "usr/lib/python3/dist-packages/numpy/_core/include",
        folder / "numpy",
    )
    return [folder / "python", folder / "numpy"]


def compiler(target: Target, release: Debian) -> Path:
    """Write a script that is a C compiler for the target, its headers before all others."""
    script = BUILD / "compilers" / f"{target.name}-{release.tag}"
    script.parent.mkdir(parents=True, exist_ok=True)
    folders = " ".join(f"'-I{folder}'" for folder in headers(target, release))
    flags = " ".join(target.flags)
    script.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -m ziglang cc -target {target.zig} {flags} {folders}"
        ' "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def built(source: Path, target: Target, release: Debian) -> Path:
    """Compile a copy of the source, repair the wheel; returns where it is."""
    name = f"{target.name}-{release.tag}"
    folder, raw = BUILD / "wheels" / name, BUILD / "wheels" / f"{name}-raw"
    for old in (folder, raw):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(source, folder)
    script = compiler(target, release)
    digits = release.tag.removeprefix("cp")
    environment = {
        **os.environ,
        "CC": str(script),
        # Of zig's own library for 32-bit ARM all would be linked, 200 KB a module.
        "LDSHARED": f"{script} -shared -s -Wl,--gc-sections",
        "CFLAGS": "",
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{digits}-{target.triplet}.so",
        "_PYTHON_HOST_PLATFORM": f"linux-{target.name}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    module = [sys.executable, "-m"]
    subprocess.run(
        [*module, "build", "--wheel", "--no-isolation", "-o", str(raw), str(folder)],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    tags = ["--python-tag", release.tag, "--abi-tag", release.tag, "--remove"]
    subprocess.run(
        [*module, "wheel", "tags", *tags, *map(str, raw.glob("*.whl"))],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    [wheel] = raw.glob("*.whl")
    before = set(DIST.glob("*.whl"))
    for same in before:
        if release.tag in same.name and same.stem.endswith(f"_{target.name}"):
            same.unlink()
    if not target.shipped:
        return Path(shutil.copy(wheel, DIST))
    subprocess.run(
        [*module, "auditwheel", "repair", "-w", str(DIST), str(wheel)],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return max(DIST.glob("*.whl"), key=lambda path: path.stat().st_mtime)


def main() -> int:
    """Build what is asked for; 1 where a wheel is too large."""
    parser = argparse.ArgumentParser(prog="python -m release.wheels", description=__doc__)
    parser.add_argument("--only", action="append", metavar="TARGET[-PYTHON]", default=[])
    asked = tuple(parser.parse_args().only)
    DIST.mkdir(exist_ok=True)
    packed = source_distribution()
    print(f"{packed.stat().st_size:>11,}  {packed.name}", flush=True)
    source, large = unpacked(packed), False
    for target in TARGETS.values():
        for release in target.releases:
            name = f"{target.name}-{release.tag}"
            if not (name.startswith(asked) if asked else target.shipped):
                continue
            wheel = built(source, target, release)
            size = wheel.stat().st_size
            large |= size > MOST
            print(f"{size:>11,}  {wheel.name}", flush=True)
    if large:
        print(f"a wheel may have {MOST:,} bytes", file=sys.stderr)
    return int(large)


if __name__ == "__main__":
    sys.exit(main())
