"""What wheels are built for here: a row a platform, and Debian's names for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build"


@dataclass(frozen=True)
class Debian:
    """A release, and the Python it has."""

    suite: str
    python: str

    @property
    def tag(self) -> str:
        """Python's tag in names of wheels and modules, say cp311."""
        return "cp" + self.python.replace(".", "")


BOOKWORM = Debian("bookworm", "3.11")
TRIXIE = Debian("trixie", "3.13")


@dataclass(frozen=True)
class Target:
    """A kind of processor.

    Parameters
    ----------
    name : str
        As the platform tag of a wheel ends.
    debian : str
        As Debian calls it.
    triplet : str
        Of Debian's library folders, and in the names of compiled modules.
    zig : str
        What zig compiles for; the number is the oldest glibc the wheel runs with.
    emulator : str
        Of qemu-user, without the prefix.
    processors : tuple of str
        Which ones are emulated: the plainest it has to run on comes last.
    flags : tuple of str
        What else the compiler is told.
    releases : tuple of Debian
        Releases that have it.
    shipped : bool
        Whether its wheels are for people; the others are built for tests.
    whole : bool
        Whether all tests are run there, or those of the core.
    """

    name: str
    debian: str
    triplet: str
    zig: str
    emulator: str
    processors: tuple[str, ...]
    flags: tuple[str, ...] = ()
    releases: tuple[Debian, ...] = (BOOKWORM, TRIXIE)
    shipped: bool = True
    whole: bool = False


TARGETS = {
    target.name: target
    for target in (
        Target(
            name="x86_64",
            debian="amd64",
            triplet="x86_64-linux-gnu",
            zig="x86_64-linux-gnu.2.17",
            emulator="x86_64",
            processors=("max",),
        ),
        Target(
            name="aarch64",
            debian="arm64",
            triplet="aarch64-linux-gnu",
            zig="aarch64-linux-gnu.2.17",
            emulator="aarch64",
            processors=("cortex-a53",),
            whole=True,
        ),
        # What Debian's armhf asks for, and no more: VFPv3-D16 without NEON.
        Target(
            name="armv7l",
            debian="armhf",
            triplet="arm-linux-gnueabihf",
            zig="arm-linux-gnueabihf.2.31",
            emulator="arm",
            processors=("cortex-a7",),
            flags=("-mcpu=generic+v7a+vfp3d16-neon-d32",),
            whole=True,
        ),
        # The processor of a Pi Zero and Pi 1, by the calling convention that Debian has for it.
        Target(
            name="armv6l",
            debian="armel",
            triplet="arm-linux-gnueabi",
            zig="arm-linux-gnueabi.2.31",
            emulator="arm",
            processors=("arm1176",),
            flags=("-mcpu=arm1176jzf_s", "-mfloat-abi=softfp"),
            releases=(BOOKWORM,),
            shipped=False,
        ),
        Target(
            name="riscv64",
            debian="riscv64",
            triplet="riscv64-linux-gnu",
            zig="riscv64-linux-gnu.2.31",
            emulator="riscv64",
            processors=("rv64",),
            releases=(TRIXIE,),
        ),
        Target(
            name="s390x",
            debian="s390x",
            triplet="s390x-linux-gnu",
            zig="s390x-linux-gnu.2.17",
            emulator="s390x",
            processors=("qemu",),
        ),
    )
}
