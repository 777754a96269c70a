"""Whether compilers of platforms without a wheel accept the loops.

``python -m release.syntax``: the plain C11 variant with -pedantic, and all units of the platform,
by zig for Windows, macOS and the processors of Linux.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from edgeolk.core.units import C_FOLDER, HEADERS, units

PLATFORMS = (
    *("x86_64-windows-gnu", "aarch64-windows-gnu", "x86_64-macos", "aarch64-macos"),
    *("x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf", "powerpc64le-linux-gnu"),
    *("riscv64-linux-gnu", "s390x-linux-gnu", "x86_64-linux-musl", "aarch64-linux-musl"),
)
PLAIN = ("-std=c11", "-pedantic", "-DOLK_SCALAR_ONLY")
GNU = ("-std=gnu11",)
#: Functions that only some builds call, options that only some platforms use, comparisons of
#: vectors that older compilers for POWER handled differently.
ALLOWED = ("unused-function", "unused-command-line-argument", "deprecated-altivec-src-compat")
FLAGS = ("-O0", "-Wall", "-Wextra", "-Werror", *(f"-Wno-{name}" for name in ALLOWED))


def complaint(platform: str, header: str, dialect: tuple[str, ...]) -> str:
    """Return the compiler's messages on a header's units; "" if there are none."""
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", platform]
    with tempfile.TemporaryDirectory() as folder:
        for unit in units(compiler, header, Path(folder)):
            if dialect == PLAIN and not unit.instructions.small:
                continue
            command = [
                *compiler,
                *dialect,
                *FLAGS,
                *unit.flags,
                f"-I{C_FOLDER}",
                "-c",
                str(unit.source),
            ]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if run.returncode:
                return run.stderr
    return ""


def main() -> int:
    """Check all platforms; return 1 if a compiler complains."""
    failed = 0
    for platform in PLATFORMS:
        for dialect in (PLAIN, GNU):
            messages = [complaint(platform, header, dialect) for header in HEADERS.values()]
            failed += any(messages)
            print(f"{platform:24} {dialect[0]:12} {'refused' if any(messages) else 'taken'}")
            print(*filter(None, messages), end="")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
