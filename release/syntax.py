"""Whether compilers of platforms that no wheel is built for here take the loops.

``python -m release.syntax``: the plain C11 variant, pedantically, and all that the platform's
compiler would be given, by zig for Windows, macOS and the processors of Linux.
"""

from __future__ import annotations

import subprocess
import sys

from release.targets import ROOT

PLATFORMS = (
    *("x86_64-windows-gnu", "aarch64-windows-gnu", "x86_64-macos", "aarch64-macos"),
    *("x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf", "powerpc64le-linux-gnu"),
    *("riscv64-linux-gnu", "s390x-linux-gnu", "x86_64-linux-musl", "aarch64-linux-musl"),
)
HEADERS = ("variants.h", "structured.h")
PLAIN = ("-std=c11", "-pedantic", "-DOLK_SCALAR_ONLY")
WHOLE = ("-std=gnu11",)
#: Functions that only some builds call.
FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only")


def complaint(platform: str, header: str, dialect: tuple[str, ...]) -> str:
    """What the compiler says of a header, "" for nothing."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", platform, *dialect, *FLAGS]
    run = subprocess.run(
        [*command, f"-I{ROOT / 'edgeolk/core/loops'}", "-x", "c", "-"],
        input=f'#include "{header}"\n',
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stderr if run.returncode else ""


def main() -> int:
    """Check all; 1 where a compiler complains."""
    failed = 0
    for platform in PLATFORMS:
        for dialect in (PLAIN, WHOLE):
            said = [complaint(platform, header, dialect) for header in HEADERS]
            failed += any(said)
            print(f"{platform:24} {dialect[0]:12} {'refused' if any(said) else 'taken'}")
            print(*filter(None, said), end="")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
