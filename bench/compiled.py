"""C compiled once for what it is made from, into build/compiled, whichever process asks first."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from edgeolk.core.units import Unit, units

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "compiled"
WEEK = 7 * 86400.0


class CompilerError(RuntimeError):
    """The compiler refused; says what it said."""


def compiler() -> list[str]:
    """The C compiler, as a command."""
    return shlex.split(os.environ.get("CC") or "cc")


def compiled(
    command: Sequence[str],
    sources: Sequence[Path],
    suffix: str = ".so",
    linked: Sequence[str] = (),
) -> Path:
    """The file that a compiler makes of sources, made only if nobody has made the same one.

    Two are the same if command, version of the compiler, sources, headers (those beside the
    sources, in the folders named by ``-I``, and below) and the words that say what is linked are.
    What nobody asked for in a week goes.

    Raises
    ------
    FileNotFoundError
        There is no such compiler.
    CompilerError
        It cannot compile this.
    """
    digest = hashlib.sha256(repr((list(command), suffix, list(linked))).encode())
    digest.update(_version(command[0]))
    folders = {source.parent for source in sources}
    folders |= {Path(flag[2:]) for flag in command if flag.startswith("-I")}
    headers = {header for folder in folders for header in folder.rglob("*.h")}
    for file in (*sources, *sorted(headers)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    target = FOLDER / f"{sources[0].stem}-{digest.hexdigest()[:20]}{suffix}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _locked(target.with_suffix(".lock")):
        if not target.exists():
            _sweep()
            part = target.with_suffix(".part")
            made = [*command, "-o", str(part), *map(str, sources), *linked]
            ran = subprocess.run(made, capture_output=True, text=True, check=False)
            if ran.returncode:
                raise CompilerError(f"{command[0]} cannot compile {sources[0].name}: {ran.stderr}")
            part.replace(target)
        os.utime(target)
    return target


def compiled_sets(
    command: Sequence[str], loops: str, names: Container[str] | None = None
) -> list[str]:
    """What is linked: objects of the loops, one a set of instructions, and macros that name them.

    Of the sets of ``names`` only, where it is given, and of those that the compiler makes.
    """
    made = []
    for unit in _units(tuple(command), loops):
        if names is None or unit.instructions.name in names:
            # Sanitizers in optimised loops take a minute to compile.
            smaller = unit.instructions.small and "-O0" not in command
            small = ["-Os"] if smaller else []
            target = compiled([*command, *unit.flags, *small, "-c"], [unit.source], ".o")
            made += [str(target), f"-D{unit.instructions.built}"]
    return made


@cache
def _units(command: tuple[str, ...], loops: str) -> list[Unit]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _locked(FOLDER / "units.lock"):
        return units(command, loops, FOLDER / "units")


@cache
def _version(program: str) -> bytes:
    return subprocess.run([program, "--version"], capture_output=True, check=False).stdout


def _sweep() -> None:
    for file in FOLDER.iterdir():
        if file.is_file() and file.stat().st_mtime < time.time() - WEEK:
            file.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time; where there are no such locks, two may make the same file."""
    with path.open("w") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
