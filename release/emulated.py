"""Tests the wheels in Debian root file systems of other processors, under qemu-user.

``python -m release.emulated [--only aarch64-cp311] [PYTEST ARGUMENTS]``. Wheels that are not in
``dist`` are built first. Emulation is slow: a minute of tests takes twenty.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from release.rootfs import root_file_system
from release.targets import ROOT, TARGETS, Debian, Target

#: What the tests need beside numpy, which is Debian's; all of it is Python alone.
TOOLS = ("pytest>=8", "hypothesis>=6.100", "sortedcontainers", "attrs")
#: Starts a process, compiles, or waits for one: nothing an emulated processor tells more about.
LEFT_OUT = (
    "test_c.py",
    "test_structured.py",
    "test_vector_code.py",
    "test_normals.py",
    "test_moments.py",
    "test_scaler.py",
    "test_winsor.py",
    "test_allocations.py",
    "test_out_of_memory.py",
    "test_simd.py",
    "test_variants.py",
)


def wheel_of(target: Target, release: Debian) -> Path:
    """The newest wheel of a target, built if there is none."""
    found = sorted(
        (ROOT / "dist").glob(f"edgeolk-*-{release.tag}-*{target.name}.whl"),
        key=lambda path: path.stat().st_mtime,
    )
    if not found:
        name = f"{target.name}-{release.tag}"
        subprocess.run([sys.executable, "-m", "release.wheels", "--only", name], check=False)
        return wheel_of(target, release)
    return found[-1]


def prepared(target: Target, release: Debian) -> Path:
    """A root file system with the wheel, the tests and what they need."""
    system = root_file_system(target, release)
    site, project = system / "opt/site", system / "opt/project"
    for folder in (site, project):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site)]
    pure = ["--platform", "any", "--python-version", release.python, "--only-binary=:all:"]
    subprocess.run(
        [*pip, *pure, "--no-deps", "iniconfig", "packaging", "pluggy", "pygments", *TOOLS],
        check=True,
    )
    subprocess.run(
        ["unzip", "-q", "-o", str(wheel_of(target, release)), "-d", str(site)], check=True
    )
    for name in ("tests", "bench", "firmware_sim/data"):
        shutil.copytree(
            ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "cache")
        )
    shutil.copy(ROOT / "pyproject.toml", project)
    # Debian links these by its alternatives, which are set up by scripts that are not run.
    libraries = system / "usr/lib" / target.triplet
    for name, place in (("libblas.so.3", "blas"), ("liblapack.so.3", "lapack")):
        if (libraries / place / name).exists() and not (libraries / name).exists():
            (libraries / name).symlink_to(f"{place}/{name}")
    if not (system / "lib").exists():
        (system / "lib").symlink_to("usr/lib")
    if target.name in ("x86_64", "s390x") and not (system / "lib64").exists():
        (system / "lib64").symlink_to("usr/lib64")
    emulator = shutil.which(f"qemu-{target.emulator}-static")
    if emulator is None:
        raise SystemExit("qemu-user-static is missing: apt-get install qemu-user-static")
    shutil.copy(emulator, system / "usr/bin")
    starts_itself(system, target, release)
    return system


def starts_itself(system: Path, target: Target, release: Debian) -> None:
    """Let tests start ``sys.executable``: a program of this machine that starts the emulator."""
    words = [
        f"/usr/bin/qemu-{target.emulator}-static",
        "-cpu",
        target.processors[-1],
        f"/usr/bin/python{release.python}",
    ]
    listed = "".join(f'"{word}", ' for word in words)
    program = f"""
#include <unistd.h>
int main(int argc, char **argv)
{{
    char *words[4096] = {{{listed}}};
    for (int i = 1; i < argc && i < 4000; i++)
        words[{len(words) - 1} + i] = argv[i];
    return execv(words[0], words);
}}
"""
    command = ["cc", "-static", "-O1", "-o", str(system / "opt/python"), "-x", "c", "-"]
    subprocess.run(command, input=program, text=True, check=True)
    custom = system / "opt/site/sitecustomize.py"
    custom.write_text('import sys\nsys.executable = "/opt/python"\n')


def python(
    system: Path, target: Target, release: Debian, processor: str, arguments: list[str]
) -> subprocess.CompletedProcess[str]:
    """Run the target's Python inside the root file system."""
    command = ["chroot", str(system), f"/usr/bin/qemu-{target.emulator}-static"]
    words = ["-cpu", processor, "-E", "PYTHONPATH=/opt/site", "-E", "PYTHONDONTWRITEBYTECODE=1"]
    program = [f"/usr/bin/python{release.python}", *arguments]
    return subprocess.run([*command, *words, *program], text=True, check=False)


def tested(target: Target, release: Debian, processor: str, more: list[str]) -> int:
    """Run the library's tests; pytest's exit code."""
    system = prepared(target, release)
    left_out = [f"--ignore-glob=*/{name}" for name in LEFT_OUT]
    arguments = [
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--rootdir=/opt/project",
        "-c",
        "/opt/project/pyproject.toml",
        *left_out,
        *(more or ["/opt/project/tests/edgeolk"]),
    ]
    return python(system, target, release, processor, arguments).returncode


def main() -> int:
    """Test what is asked for; 1 where a test failed."""
    parser = argparse.ArgumentParser(prog="python -m release.emulated", description=__doc__)
    parser.add_argument("--only", action="append", metavar="TARGET[-PYTHON]", default=[])
    asked, more = parser.parse_known_args()
    if os.geteuid() != 0:
        raise SystemExit("chroot needs root")
    failed = 0
    for target in TARGETS.values():
        if target.name == "x86_64":
            continue
        for release in target.releases:
            name = f"{target.name}-{release.tag}"
            if asked.only and not name.startswith(tuple(asked.only)):
                continue
            for processor in target.processors:
                print(f"== {name} on {processor}", flush=True)
                failed |= tested(target, release, processor, more) != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
