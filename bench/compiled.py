"""C code compiled once per set of inputs, into build/compiled, by the first process to need it."""

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
    """The compiler failed; the message contains its output."""


def compiler() -> list[str]:
    """The C compiler, as a command."""
    return shlex.split(os.environ.get("CC") or "cc")


def compiled(
    command: Sequence[str],
    sources: Sequence[Path],
    suffix: str = ".so",
    link_flags: Sequence[str] = (),
) -> Path:
    """Compile sources, unless the same file exists; return the file.

    Files are the same if command, compiler version, sources, headers (next to the sources and in
    the folders given by ``-I``, recursively) and linker flags are. Files that were not used for a
    week are deleted.

    Raises
    ------
    FileNotFoundError
        There is no such compiler.
    CompilerError
        It cannot compile this.
    """
    digest = hashlib.sha256(repr((list(command), suffix, list(link_flags))).encode())
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
            command_line = [*command, "-o", str(part), *map(str, sources), *link_flags]
            done = subprocess.run(command_line, capture_output=True, text=True, check=False)
            if done.returncode:
                raise CompilerError(f"{command[0]} cannot compile {sources[0].name}: {done.stderr}")
            part.replace(target)
        os.utime(target)
    return target


def compiled_sets(
    command: Sequence[str], loops: str, names: Container[str] | None = None
) -> list[str]:
    """Return linker arguments: objects of the loops by instruction set, and macros that name them.

    Only for the sets in ``names``, if given, and for those that the compiler supports.
    """
    command_line = []
    for unit in _units(tuple(command), loops):
        if names is None or unit.instructions.name in names:
            # Sanitizers in optimised loops take a minute to compile.
            smaller = unit.instructions.small and "-O0" not in command
            small = ["-Os"] if smaller else []
            target = compiled([*command, *unit.flags, *small, "-c"], [unit.source], ".o")
            command_line += [str(target), f"-D{unit.instructions.built}"]
    return command_line


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
    """Allow one process at a time; without such locks, two may compile the same file."""
    with path.open("w") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
