"""The README's commands in a fresh clone, on both Debians, with the oldest and the newest Python.

``python -m release.readme [--only bookworm-3.10]`` (root; mmdebstrap and the network). Each release
of Debian is installed with a C compiler into a folder of its own; the clone has what is committed.
In a new virtual environment, the first commands of the README are run as they are there, and the
report of the replay is compared with the figures that the README tells about it.

Debian 12 and 13 have neither Python. The oldest is this machine's, in its own place; the newest is
put together by ``release.newest``. Both stay for later runs, as do the systems and what pip
downloads.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from release import newest
from release.rootfs import mirror
from release.targets import (
    BOOKWORM,
    BUILD,
    ROOT,
    TRIXIE,
    Debian,
    NoPythonError,
    this_machines_python,
)

OLDEST, NEWEST = "3.10", newest.VERSION
#: A C compiler, what pip downloads with, and the libraries of a Python from elsewhere.
PACKAGES = (
    *("gcc", "libc6-dev", "make", "ca-certificates", "xz-utils", "libreadline8"),
    *("libssl-dev", "zlib1g-dev", "libffi-dev", "libsqlite3-dev", "libbz2-dev", "liblzma-dev"),
)
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
#: The README's words about the replay, and where its report has the same.
TOLD = (
    (r"([\d,]+) rows, one every", r"([\d,]+) rows read"),
    (r"Mean error ([\d.]+) degrees", r"^sorf +([\d.]+)"),
    (r"stays as it is: ([\d.]+\d)", r"^last value +([\d.]+)"),
    (r"as yesterday: ([\d.]+\d)", r"^value 96 rows ago +([\d.]+)"),
)


class RefusedError(Exception):
    """A command that fails, or does not do what the README says."""


def commands(readme: str) -> list[str]:
    """The README's first block of commands."""
    block = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    return [line.partition("  #")[0].strip() for line in block[1].splitlines() if line]


def differences(readme: str, report: str) -> list[str]:
    """Figures that the README tells about the replay and its report does not."""
    found = []
    for told, reported in TOLD:
        [here] = re.findall(told, readme)
        there = re.findall(reported, report, re.MULTILINE)
        digits = len(here.rpartition(".")[2]) if "." in here else None
        if not there or here != (f"{float(there[0]):.{digits}f}" if digits else there[0]):
            found.append(f"README: {here}, report: {there[0] if there else 'nothing'}")
    return found


def inside(system: Path, command: str, log: Path | None = None) -> None:
    """Run a command of the shell in a root file system that has /proc; raise if it fails."""
    environment = {
        "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "SSL_CERT_FILE": f"/{CERTIFICATES}",
        "PIP_CERT": f"/{CERTIFICATES}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    mounted = f'mount -t proc proc "{system}/proc" && exec chroot "{system}" sh -ec "$1"'
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", command],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if log is not None:
        log.write_text(ran.stdout)
    if ran.returncode:
        raise RefusedError(f"{command!r} ended with {ran.returncode}: {ran.stdout[-1500:]}")


def system_of(release: Debian) -> Path:
    """Return the folder of an installed Debian; install it if needed."""
    folder = BUILD / "readme" / release.suite
    if not folder.exists():
        part = folder.with_suffix(".part")  # of an interrupted run, too
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        source = f"deb {mirror()} {release.suite} main"
        old = '--aptopt=Acquire::Check-Valid-Until "false"'
        kind = ("--variant=minbase", f"--include={','.join(PACKAGES)}")
        command = ["mmdebstrap", "--quiet", *kind, old, release.suite, str(part), source]
        subprocess.run(command, check=True)
        part.rename(folder)
    for name in ("etc/resolv.conf", CERTIFICATES):
        if Path("/", name).exists():
            (folder / name).unlink(missing_ok=True)
            shutil.copy(Path("/", name), folder / name)
    return folder


def python(system: Path, version: str) -> str:
    """Return the program of a Python in a system; put it there if needed."""
    if version == newest.VERSION:
        if not (system / "opt" / f"python{version}/lib/start.so").exists():
            inside(system, newest.place(system))
        return f"/opt/python{version}/bin/python{version}"
    _, folder = this_machines_python(version)
    program = folder / f"bin/python{version}"
    there = system / folder.relative_to("/")
    if not there.exists():
        part = there.with_name(f"{there.name}.part")
        shutil.copytree(folder, part, symlinks=True, dirs_exist_ok=True)
        part.rename(there)
    return str(program)


def run(release: Debian, version: str) -> str:
    """Run the README's commands; return how long each took."""
    system = system_of(release)
    program = python(system, version)
    clone = system / "opt/edgeolk"
    for old in (clone, system / "opt/venv"):
        shutil.rmtree(old, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    readme = (clone / "README.md").read_text("utf-8")
    inside(system, f"{program} -m venv /opt/venv")
    took = []
    for number, command in enumerate(commands(readme)):
        began = time.monotonic()
        log = BUILD / "readme" / f"{release.suite}-{version}-{number}.log"
        inside(system, f"cd /opt/edgeolk && . /opt/venv/bin/activate && {command}", log)
        took.append(f"{time.monotonic() - began:,.0f} s")
    if not (clone / "replay-report/report.html").exists():
        raise RefusedError("the replay wrote no replay-report/report.html")
    if wrong := differences(readme, log.read_text()):
        raise RefusedError("; ".join(wrong))
    return " and ".join(took)


def main() -> int:
    """Run the chosen pairs; return 1 unless all did what the README says."""
    parser = argparse.ArgumentParser(prog="python -m release.readme", description=__doc__)
    parser.add_argument("--only", action="append", metavar="RELEASE-PYTHON", default=[])
    asked = parser.parse_args().only
    if os.geteuid() != 0:
        raise SystemExit("chroot needs root")
    pairs = [
        (release, version)
        for release in (BOOKWORM, TRIXIE)
        for version in (OLDEST, NEWEST)
        if not asked or f"{release.suite}-{version}" in asked
    ]
    done = 0
    for release, version in pairs:
        name = f"{release.suite}, Python {version}"
        try:
            print(f"{name}: as the README says, {run(release, version)}", flush=True)
        except (RefusedError, NoPythonError) as reason:
            print(f"{name}: {reason}", flush=True)
            continue
        done += 1
    print(f"{done} of {len(pairs)} pairs of Debian and Python run the README's commands")
    return int(done != len(pairs))


if __name__ == "__main__":
    sys.exit(main())
