"""The emulated boards, and the program around an exported learner, compiled for one of them."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firmware_sim.plaintext import counted

HERE = Path(__file__).parent / "c"  # start-up code and linker script
PREFIX = "arm-none-eabi-"  # of the cross-compiler's programs
STACK = 6 * 1024  # bytes


@dataclass(frozen=True)
class Chain:
    """The tools for a kind of processor.

    Attributes
    ----------
    prefix : str
        Of the compiler's programs.
    startup : str
        Source of the services of c/board.h.
    flags, link : tuple of str
        Flags of the compiler, and besides of the linker.
    emulator : str
        The program that emulates it; for simavr a source of c, which is compiled.
    options : tuple of str
        Its options, before those of the board.
    packages : str
        What to install.
    script : bool
        Whether programs are linked by c/board.ld, with the stack at the bottom of RAM.
    """

    prefix: str
    startup: str
    flags: tuple[str, ...]
    link: tuple[str, ...]
    emulator: str
    options: tuple[str, ...]
    packages: str
    script: bool = True

    def lacking(self) -> str:
        """Return why its boards cannot be emulated here; empty if they can."""
        for tool in ("cc" if self.is_compiled else self.emulator, f"{self.prefix}gcc"):
            if shutil.which(tool) is None:
                return f"no {tool}: apt install {self.packages}"
        if self.is_compiled and not _has_simavr():
            return f"no headers of simavr: apt install {self.packages}"
        return ""

    @property
    def is_compiled(self) -> bool:
        """Whether the emulator is a source."""
        return self.emulator.endswith(".c")

    def emulator_in(self, folder: Path) -> str:
        """Return the emulator's program, which is compiled in a folder if it is a source."""
        if not self.is_compiled:
            return self.emulator
        made = folder.resolve() / "emulator"
        if not made.exists():
            command = ["cc", "-O2", str(HERE / self.emulator), "-o", str(made), *_SIMAVR]
            subprocess.run(command, check=True, capture_output=True)
        return str(made)


_SIMAVR = ("-lsimavr", "-lelf")


@functools.cache
def _has_simavr() -> bool:
    """Whether a program can be compiled with simavr."""
    asked = "#include <simavr/sim_avr.h>\nint main(void) { return !avr_make_mcu_by_name; }\n"
    with tempfile.TemporaryDirectory() as made:
        command = ["cc", "-x", "c", "-", "-o", f"{made}/tried", *_SIMAVR]
        tried = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    return tried.returncode == 0


_QEMU = ("-nographic", "-monitor", "none", "-serial", "null", "-semihosting-config",
         "enable=on,target=native", "-icount", "shift=0")  # fmt: skip
_SECTIONS = ("-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra")
ARM = Chain(
    PREFIX, "startup.c", ("-std=c99", "-mthumb", "-masm-syntax-unified", *_SECTIONS),
    ("--specs=nosys.specs",), "qemu-system-arm", _QEMU,
    "qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi",
)  # fmt: skip
RISCV = Chain(
    "riscv64-unknown-elf-", "riscv.c",
    ("--specs=picolibc.specs", "-mabi=ilp32", "-misa-spec=2.2", "-std=c99", *_SECTIONS), (),
    "qemu-system-riscv32", (*_QEMU, "-bios", "none"),
    "qemu-system-misc gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
)  # fmt: skip
#: A program of the size that counts there: functions share their prologues, calls are short.
AVR = Chain(
    "avr-", "avr.c",
    ("-std=c99", "-mcall-prologues", "-mrelax", "-mstrict-X", "-flto", *_SECTIONS,
     "-Wno-overflow"), (),
    "avr_host.c", (), "gcc-avr avr-libc libsimavr-dev libelf-dev", script=False,
)  # fmt: skip


@dataclass(frozen=True)
class Board:
    """A microcontroller under QEMU or simavr.

    Attributes
    ----------
    name : str
        Its name; also QEMU's, unless ``machine`` is given.
    core : str
        Its processor, for reports.
    flags : tuple of str
        Compiler flags.
    flash, ram : tuple of int
        Start address and bytes of each.
    clock : float
        Cycles per second of the real board.
    fpu : bool
        Whether it has a floating-point unit, which the start-up code enables.
    machine : str
        QEMU's name of a similar machine, if QEMU lacks the board.
    options : tuple of str
        Further arguments of QEMU.
    near : str
        The differences, for reports.
    chain : Chain
        Its tools.
    level : str
        How programs are optimised.
    scratch : str
        Where calls have their scratch memory.
    stack : int
        Bytes for the stack.
    """

    name: str
    core: str
    flags: tuple[str, ...]
    flash: tuple[int, int]
    ram: tuple[int, int]
    clock: float
    fpu: bool = False
    machine: str = ""
    options: tuple[str, ...] = ()
    near: str = ""
    chain: Chain = ARM
    level: str = "-O2"
    scratch: str = "stack"
    stack: int = STACK


KIB, MIB = 2**10, 2**20
_M33 = ("-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16")
_M4F = ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")


def _sizes(flash: int, ram: int) -> tuple[str, ...]:
    """Return the options that change the memory sizes of QEMU's microbit."""
    given = {"flash-size": flash, "sram-size": ram}
    return tuple(word for name, n in given.items() for word in ("-global", f"nrf51-soc.{name}={n}"))


BOARDS = {
    board.name: board
    for board in (
        Board(
            "microbit", "Cortex-M0", ("-mcpu=cortex-m0",),
            (0, 256 * KIB), (0x20000000, 16 * KIB), 16e6,
        ),
        Board(
            "lm3s6965evb", "Cortex-M3", ("-mcpu=cortex-m3",),
            (0, 256 * KIB), (0x20000000, 64 * KIB), 50e6,
        ),
        Board(
            "netduinoplus2", "Cortex-M4F", _M4F,
            (0x08000000, MIB), (0x20000000, 128 * KIB), 168e6, True,
        ),
        Board(
            "mps2-an386", "Cortex-M4F", _M4F, (0, 4 * MIB), (0x20000000, 4 * MIB), 25e6, True,
        ),
        Board(
            "mps2-an500", "Cortex-M7", ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"),
            (0, 4 * MIB), (0x20000000, 4 * MIB), 25e6, True,
        ),
        Board(
            "mps2-an505", "Cortex-M33", _M33,
            (0x10000000, 4 * MIB), (0x38000000, 4 * MIB), 20e6, True,
        ),
        # A core without a board: RAM is where QEMU's machine has it, its first half the flash.
        Board(
            "rv32imc", "RV32IMC", ("-march=rv32imc",),
            (0x80000000, 4 * MIB), (0x80400000, 64 * KIB), 100e6, machine="virt",
            near="a bare RV32IMC without a floating-point unit, on QEMU's machine virt",
            chain=RISCV,
        ),
        # Numbers of a board are float there, double too.
        Board(
            "uno", "ATmega328P", ("-mmcu=atmega328p",), (0, 32 * KIB), (0x100, 2 * KIB), 16e6,
            options=("atmega328p", "16000000"), chain=AVR, level="-Os", scratch="arena",
            near="an Arduino Uno's ATmega328P under simavr, which counts cycles, not instructions",
            stack=512,
        ),
        # The Pico has 2 MiB of cached external flash.
        Board(
            "rp2040", "Cortex-M0+", ("-mcpu=cortex-m0plus",),
            (0, 2 * MIB), (0x20000000, 264 * KIB), 125e6, machine="microbit",
            options=_sizes(2 * MIB, 264 * KIB),
            near="QEMU's microbit with this RAM: instructions are those of a Cortex-M0, one core"
            " runs, and neither the cache before the flash nor the divider is there",
        ),
        Board(
            "rp2350", "Cortex-M33", _M33,
            (0x10000000, 4 * MIB), (0x38000000, 520 * KIB), 150e6, True, machine="mps2-an505",
            near="QEMU's mps2-an505 with this RAM: one core runs, and neither the cache before the"
            " flash nor the coprocessor for doubles is there",
        ),
    )
}  # fmt: skip


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


def _tool(chain: Chain, name: str, *arguments: str) -> str:
    program = chain.prefix + name
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.strip()[-2000:]}")
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
    chain = board.chain
    if shutil.which(f"{chain.prefix}gcc") is None:
        raise FileNotFoundError(f"{chain.prefix}gcc")
    link = [*chain.link, "-Wl,--gc-sections", "-o", str(target)]
    if chain.script:
        script = target.with_suffix(".ld")
        _write_script(script, board, stack)
        link += ["-nostartfiles", "-T", str(script), "-Wl,--no-warn-rwx-segments"]
    options = [*chain.flags, *board.flags, *flags, *(["-DBOARD_FPU"] if board.fpu else [])]
    options += [f"-I{folder}" for folder in (HERE, *include)]
    _tool(chain, "gcc", *options, *map(str, (HERE / chain.startup, *sources)), *libraries, *link)
    sizes = _tool(chain, "size", str(target)).splitlines()[1].split()[:3]
    text_bytes, data, bss = map(int, sizes)
    program = Program(board, target, text_bytes + data, data + bss - (stack if chain.script else 0))
    _check_ram(program, stack)
    return program


def _check_ram(program: Program, stack: int) -> None:
    """Raise RuntimeError, as the linker of a script does, if variables and stack exceed RAM."""
    beyond = program.ram + stack - program.board.ram[1]
    if beyond > 0:
        raise RuntimeError(f"region `RAM' overflowed by {beyond} bytes")


def _write_script(script: Path, board: Board, stack: int) -> None:
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
