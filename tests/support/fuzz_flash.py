"""Compile the fuzzer of an exported learner's slots: fuzz_flash.py FOLDER writes FOLDER/fuzz."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import edgeolk as ek

SANITIZE = ("-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all")


def build(folder: Path) -> Path:
    """The program; needs clang.

    Raises
    ------
    FileNotFoundError
        If there is no clang.
    RuntimeError
        If it fails.
    """
    ek.export_c(ek.Learner("sorf", n_features=3, D=20, scale="standard"), folder)
    program = folder / "fuzz"
    sources = [Path(__file__).with_suffix(".c")]
    sources += [folder / name for name in ("edgeolk.c", "model.c", "flash.c")]
    command = ["clang", "-std=c99", "-O1", "-g", *SANITIZE, f"-I{folder}", "-o", str(program)]
    ran = subprocess.run([*command, *map(str, sources)], capture_output=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr.decode())
    return program


if __name__ == "__main__":
    build(Path(sys.argv[1]))
