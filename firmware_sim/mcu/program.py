"""An exported learner and a program around it, compiled for a board."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.mcu.boards import Board
from firmware_sim.plaintext import counted

HERE = Path(__file__).parent / "c"
PREFIX = "arm-none-eabi-"
STACK = 6 * 1024
FLAGS = (
    "-std=c99",
    "-mthumb",
    "-masm-syntax-unified",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
)


@dataclass(frozen=True)
class Program:
    """A program for a board.

    Attributes
    ----------
    board : Board
    path : Path
        The ELF file.
    flash : int
        Bytes of code and constants, including vector table and start-up.
    ram : int
        Bytes of variables, without the stack.
    """

    board: Board
    path: Path
    flash: int
    ram: int


def _tool(name: str, *arguments: str) -> str:
    done = subprocess.run([PREFIX + name, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{PREFIX}{name}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def too_large(linker_output: str) -> str:
    """Return by how much a program exceeds its board; empty if that is not the linker's error.

    linker_output: the message of the linker.
    """
    overflows = re.findall(r"region `(\w+)' overflowed by (\d+) bytes?", linker_output)
    parts = [f"{name} by {counted(int(count), 'byte')}" for name, count in dict(overflows).items()]
    return f"the program does not fit: it exceeds {' and '.join(parts)}" if parts else ""


def build(
    board: Board,
    sources: Sequence[Path],
    target: Path,
    *,
    include: Sequence[Path] = (),
    flags: Sequence[str] = ("-O2",),
    libraries: Sequence[str] = (),
    stack: int = STACK,
) -> Program:
    """Compile and link sources with the start-up of the boards.

    Parameters
    ----------
    board : Board
    sources : sequence of Path
        C files, one of which has ``main``.
    target : Path
        The ELF file to write; the linker script is written next to it.
    include : sequence of Path
        Include folders.
    flags : sequence of str
        Further compiler flags.
    libraries : sequence of str
        Libraries besides the C library.
    stack : int
        Bytes at the bottom of RAM.

    Raises
    ------
    RuntimeError
        Compiler or linker failed, for example since the program does not fit the board.
    FileNotFoundError
        There is no cross-compiler.
    """
    if shutil.which(f"{PREFIX}gcc") is None:
        raise FileNotFoundError(f"{PREFIX}gcc")
    script = target.with_suffix(".ld")
    numbers = {
        "BOARD_FLASH_BYTES": board.flash[1],
        "BOARD_FLASH": board.flash[0],
        "BOARD_RAM_BYTES": board.ram[1],
        "BOARD_RAM": board.ram[0],
        "BOARD_STACK": stack,
    }
    text = (HERE / "board.ld").read_text(encoding="utf-8")
    for name, number in numbers.items():
        text = text.replace(name, str(number))
    script.write_text(text, encoding="utf-8", newline="\n")
    options = [*FLAGS, *board.flags, *flags, *(["-DBOARD_FPU"] if board.fpu else [])]
    options += [f"-I{folder}" for folder in (HERE, *include)]
    link = ["-nostartfiles", "--specs=nosys.specs", "-Wl,--gc-sections", f"-T{script}"]
    link += ["-Wl,--no-warn-rwx-segments", "-o", str(target)]
    _tool("gcc", *options, *map(str, (HERE / "startup.c", *sources)), *libraries, *link)
    text_bytes, data, bss = map(int, _tool("size", str(target)).splitlines()[1].split()[:3])
    return Program(board, target, text_bytes + data, data + bss - stack)
