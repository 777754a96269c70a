"""The platforms of wheels, one row each, with Debian's names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build"


@dataclass(frozen=True)
class Debian:
    """A Debian release and the version of its Python."""

    suite: str
    python: str

    @property
    def tag(self) -> str:
        """Python's tag in names of wheels and modules, such as cp311."""
        return "cp" + self.python.replace(".", "")


#: Variants of the loops that every processor has, with the corresponding ones of x86-64.
PLAIN = (("scalar", "scalar"), ("baseline", "baseline"))
BOOKWORM = Debian("bookworm", "3.11")
TRIXIE = Debian("trixie", "3.13")


@dataclass(frozen=True)
class Target:
    """A kind of processor.

    Parameters
    ----------
    name : str
        The end of the platform tag of its wheels.
    debian : str
        Debian's name of the architecture.
    triplet : str
        The name of Debian's library folder, also part of the names of compiled modules.
    glibc : str
        The oldest glibc that the wheel supports.
    processors : tuple of str
        The emulated processors.
    flags : tuple of str
        Further flags of the compiler.
    releases : tuple of Debian
        Releases that have it.
    numpy : str
        The target whose headers of Debian 13's numpy it takes, for want of its own. C's types have
        the same sizes there.
    variants : tuple of (str, str)
        Variants of the loops, each with the one of x86-64 of identical rounding; NEON only if the
        processor has it.
    shipped : bool
        Whether its wheels are published; others are built for tests only.
    all_tests : bool
        Whether all tests are run on the first processor and release, or only those of the core.
        Its C is the same for every release.
    """

    name: str
    debian: str
    triplet: str
    glibc: str
    processors: tuple[str, ...]
    flags: tuple[str, ...] = ()
    releases: tuple[Debian, ...] = (BOOKWORM, TRIXIE)
    numpy: str = ""
    variants: tuple[tuple[str, str], ...] = PLAIN
    shipped: bool = True
    all_tests: bool = False

    @property
    def zig(self) -> str:
        """The target of zig."""
        return f"{self.triplet}.{self.glibc}"

    @property
    def emulator(self) -> str:
        """The program of qemu-user, without ``qemu-``."""
        return "arm" if self.name.startswith("armv") else self.name


TARGETS = {
    target.name: target
    for target in (
        Target("x86_64", "amd64", "x86_64-linux-gnu", "2.17", ("max",)),
        Target(
            *("aarch64", "arm64", "aarch64-linux-gnu", "2.17", ("cortex-a53",)),
            variants=(("scalar", "scalar"), ("baseline", "v3")),
            all_tests=True,
        ),
        # Exactly the requirements of Debian's armhf: VFPv3-D16. NEON is selected at import.
        Target(
            *("armv7l", "armhf", "arm-linux-gnueabihf", "2.31"),
            ("cortex-a7", "cortex-a7,neon=off"),
            flags=("-mcpu=generic+v7a+vfp3d16-neon-d32",),
            variants=(*PLAIN, ("neon", "baseline")),
            all_tests=True,
        ),
        # The processor of a Pi Zero and Pi 1, by the calling convention that Debian has for it.
        Target(
            *("armv6l", "armel", "arm-linux-gnueabi", "2.31", ("arm1176",)),
            flags=("-mcpu=arm1176jzf_s", "-mfloat-abi=softfp"),
            releases=(BOOKWORM,),
            numpy="armv7l",
            shipped=False,
        ),
        Target(
            *("riscv64", "riscv64", "riscv64-linux-gnu", "2.31", ("rv64",)),
            releases=(TRIXIE,),
        ),
        # The order of bytes of files: any release shows it.
        Target(
            *("s390x", "s390x", "s390x-linux-gnu", "2.17", ("qemu",)),
            releases=(BOOKWORM,),
            numpy="aarch64",
            shipped=False,
        ),
    )
}


class NoPythonError(Exception):
    """A version of Python that this machine lacks."""


def this_machines_python(version: str) -> tuple[str, Path]:
    """Return the program of a Python of this machine, such as 3.13, and the folder it is in.

    The one that a variable such as PYTHON313 names, the one on the path, or the newest of pyenv.

    Raises
    ------
    NoPythonError
        If none of them runs.
    """
    variable = f"PYTHON{version.replace('.', '')}"
    environments = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    of_pyenv = [path for path in environments.glob(f"{version}.*") if path.suffix[1:].isdigit()]
    of_pyenv.sort(key=lambda path: int(path.suffix[1:]))
    programs = [
        *([os.environ[variable]] if variable in os.environ else []),
        *(sys.executable, f"python{version}"),
        *(str(path / f"bin/python{version}") for path in reversed(of_pyenv)),
    ]
    query = "import sys; print('%d.%d' % sys.version_info[:2], sys.base_prefix)"
    for program in programs:
        try:
            ran = subprocess.run([program, "-c", query], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        found, _, folder = ran.stdout.strip().partition(" ")
        if found == version:
            return program, Path(folder)
    raise NoPythonError(f"this machine has no Python {version}; {variable} may name one")


def platforms(
    prefixes: Sequence[str], is_default: Callable[[Target], bool]
) -> Iterator[tuple[str, Target, Debian]]:
    """Yield the name, target and release of each selected platform.

    Parameters
    ----------
    asked : sequence of str
        Prefixes of names such as ``aarch64-cp311``; empty for the default platforms.
    usual : callable
        Whether a target is among the default ones.
    """
    for target in TARGETS.values():
        for release in target.releases:
            name = platform_name(target, release)
            if name.startswith(tuple(prefixes)) if prefixes else is_default(target):
                yield name, target, release


def platform_name(target: Target, release: Debian) -> str:
    """Return a name such as ``aarch64-cp311``."""
    return f"{target.name}-{release.tag}"
