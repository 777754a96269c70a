"""Installs the source distribution on bare Debian systems of other processors, under qemu-user.

``python -m release.source [--only armv7l]``: pip builds it there in isolation, with only the
target's Python and gcc, from a folder of packages instead of an index. numpy publishes no wheel for
32-bit ARM: Debian's package is converted to one, as in the index of Raspberry Pi OS. Decisions of
the built learners are compared with this machine's. Needs root, for chroot and binfmt_misc. It is
run in pieces as release.emulated is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.cases import Cases
from release.emulated import Board, compare_learners, link, pieces
from release.project import copied
from release.rootfs import root_file_system
from release.targets import BUILD, ROOT, TARGETS, TRIXIE, Target
from release.wheels import run_module, source_distribution

#: What users have to install first: a compiler and Python's headers.
PACKAGES = ("python3-dev", "python3-pip", "gcc", "libc6-dev")
#: ELF machine number and word size of the target's programs.
MAGIC = {
    "aarch64": (183, 2),
    "arm": (40, 1),
}
BINFMT = Path("/proc/sys/fs/binfmt_misc")


@contextmanager
def programs_run(target: Target) -> Iterator[None]:
    """Register the emulator with the kernel for the target's programs, since pip starts many."""
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=True)
    machine, bits = MAGIC[target.emulator]
    name = f"edgeolk-{target.emulator}"
    magic = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9) + b"\x02\0" + machine.to_bytes(2, "little")
    mask = b"\xff" * 7 + b"\0" + b"\xff" * 8 + b"\xfe\xff\xff\xff"
    escaped = ("".join(f"\\x{byte:02x}" for byte in part) for part in (magic, mask))
    emulator = shutil.which(f"qemu-{target.emulator}-static")
    rule = f":{name}:M::{':'.join(escaped)}:{emulator}:F"
    (BINFMT / "register").write_text(rule)
    try:
        yield
    finally:
        (BINFMT / name).write_text("-1")


def packages(target: Target, system: Path) -> None:
    """Put the build requirements and numpy where pip in the target's system finds them."""
    folder = system / "opt/packages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    platforms = ("any", f"manylinux2014_{target.name}", f"manylinux_2_28_{target.name}")
    numpy = [] if target.emulator == "arm" else ["numpy>=2"]
    run_module(
        *("pip", "download", "--quiet", "--dest", str(folder), "--only-binary=:all:"),
        *("--python-version", TRIXIE.python),
        *(f"--platform={platform}" for platform in platforms),
        *("setuptools>=77", "cython>=3.1", *numpy),
    )
    if not numpy:
        pack_numpy(target, system, folder)


def trust(system: Path) -> None:
    """Concatenate the CA certificates for pip, as the script of their package would."""
    parts = sorted((system / "usr/share/ca-certificates").rglob("*.crt"))
    joined = system / "etc/ssl/certs/ca-certificates.crt"
    joined.parent.mkdir(parents=True, exist_ok=True)
    joined.write_bytes(b"".join(part.read_bytes() for part in parts))


def pack_numpy(target: Target, system: Path, folder: Path) -> None:
    """Make a wheel of Debian's numpy."""
    site, unpacked = system / "usr/lib/python3/dist-packages", BUILD / "numpy" / target.name
    shutil.rmtree(unpacked, ignore_errors=True)
    [facts] = site.glob("numpy-*.dist-info")
    for part in (site / "numpy", facts):
        shutil.copytree(part, unpacked / part.name, ignore=shutil.ignore_patterns("tests"))
    (unpacked / facts.name / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: edgeolk\nRoot-Is-Purelib: false\n"
        f"Tag: {TRIXIE.tag}-{TRIXIE.tag}-linux_{target.name}\n"
    )
    run_module("wheel", "pack", "--dest-dir", str(folder), str(unpacked))


def build(target: Target, source: Path, processor: str) -> Board:
    """Install the source distribution; return the system with it."""
    numpy = ("python3-numpy",) if target.emulator == "arm" else ()
    system = root_file_system(target, TRIXIE, (*PACKAGES, *numpy))
    link(system, target)
    shutil.copy(shutil.which(f"qemu-{target.emulator}-static") or "", system / "usr/bin")
    packages(target, system)
    trust(system)
    shutil.rmtree(system / "opt/site", ignore_errors=True)
    shutil.copy(source, system / "opt")
    # Without this machine's environment: no compiler cache, no flags, no index.
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/root", "QEMU_CPU": processor}
    install = ["/usr/bin/python3", "-m", "pip", "install", "--quiet", "--target", "/opt/site"]
    folder = ["--no-index", "--find-links", "/opt/packages"]
    subprocess.run(
        [shutil.which("chroot") or "chroot", str(system), *install, *folder, f"/opt/{source.name}"],
        env=environment,
        check=True,
    )
    # gcc generates no NEON instructions there (port.h).
    variants = tuple(pair for pair in target.variants if pair[0] != "neon")
    return Board(system, replace(target, variants=variants), TRIXIE, processor)


def main(words: list[str] | None = None) -> int:
    """Build for the given targets; return 1 if learners differ."""
    parser = argparse.ArgumentParser(prog="python -m release.source", description=__doc__)
    parser.add_argument("--only", action="append", choices=("aarch64", "armv7l"))
    pieces(parser)
    given = parser.parse_args(words)
    names = given.only or ["aarch64", "armv7l"]
    if os.geteuid() != 0:
        raise SystemExit("chroot needs root")
    (ROOT / "dist").mkdir(exist_ok=True)
    end = time.monotonic() + 60 * given.minutes
    kept = Cases(given.kept, given.kept and given.kept.stem)
    source, failed, left = source_distribution(), 0, []
    for target in (TARGETS[name] for name in names):
        case = f"source on {target.name}"
        if kept.get(case) is None and time.monotonic() >= end:
            left.append(case)
        elif kept.get(case) is None:
            began = time.monotonic()
            with programs_run(target):
                board = build(target, source, target.processors[0])
            built = f"{(time.monotonic() - began) / 60:.0f} minutes"
            copied(board.system / "opt/project", ("release", "bench"), ())
            agree, _ = compare_learners(board)
            print(f"{source.name} on {target.name}: built in {built}", flush=True)
            failed += not agree
            if agree:
                kept.add(case, built)
    print(f"{len(names) - len(left) - failed} of {len(names)} processors built the source")
    print(*(f"left: {case}" for case in left), sep="\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
