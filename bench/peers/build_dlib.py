"""``python -m bench.peers.build_dlib``: compile dlib's learners, which its Python package lacks.

The headers come from dlib's source archive on PyPI; nothing of dlib is built but these templates.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.datasets import ROOT

FOLDER = ROOT / "build" / "peers"
PROGRAM = FOLDER / "dlib_peer"
VERSION = FOLDER / "dlib_version"
SOURCE = Path(__file__).with_name("dlib_peer.cpp")


def fetch(folder: Path) -> Path:
    """Download and unpack the source archive; the folder that holds ``dlib/``."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    command = [*pip, "download", "--no-deps", "--no-binary", "dlib", "--dest", str(folder), "dlib"]
    subprocess.run(command, check=True)
    (archive,) = folder.glob("dlib-*.tar.gz")
    shutil.unpack_archive(archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")


def build() -> None:
    """Compile the program into build/peers."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        headers = fetch(Path(scratch))
        flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", f"-I{headers}"]
        subprocess.run(["g++", *flags, str(SOURCE), "-o", str(PROGRAM)], check=True)
        VERSION.write_text(headers.name.removeprefix("dlib-") + "\n", encoding="ascii")


def main() -> int:
    """Build; where that cannot be done say so, and leave the benchmark to run without."""
    argparse.ArgumentParser(
        prog="python -m bench.peers.build_dlib", description=__doc__
    ).parse_args()
    PROGRAM.unlink(missing_ok=True)
    if shutil.which("g++") is None:
        print("dlib is left out: there is no g++", file=sys.stderr)
        return 0
    try:
        build()
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"dlib is left out: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
