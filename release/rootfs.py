"""Debian root file systems for other processors: extracted only, without running setup scripts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from release.targets import BUILD, Debian, Target

PACKAGES = ("python3", "libpython3-dev", "libstdc++6", "python3-numpy")


def mirror() -> str:
    """Return the Debian mirror of this machine."""
    command = ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"]
    sites = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    for site in sites:
        if site.rstrip("/").endswith("/debian"):
            return site
    raise SystemExit("apt knows no Debian mirror; it is needed for other processors' files")


def root_file_system(target: Target, release: Debian, packages: tuple[str, ...] = PACKAGES) -> Path:
    """Return the folder of a root file system; create it if needed: 20 s and about 150 MB."""
    kind = "" if packages == PACKAGES else "-build"
    folder = BUILD / "rootfs" / f"{release.suite}-{target.debian}{kind}"
    if (folder / "usr/bin" / f"python{release.python}").exists():
        return folder
    if shutil.which("mmdebstrap") is None:
        raise SystemExit("mmdebstrap is missing: apt-get install mmdebstrap")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    source = f"deb {mirror()} {release.suite} main"
    subprocess.run(
        [
            "mmdebstrap",
            "--variant=extract",
            # A mirror may be an old snapshot; its contents are signed anyway.
            '--aptopt=Acquire::Check-Valid-Until "false"',
            '--aptopt=Acquire::Retries "5"',
            f"--arch={target.debian}",
            f"--include={','.join(packages)}",
            release.suite,
            str(folder),
            source,
        ],
        check=True,
    )
    return folder
