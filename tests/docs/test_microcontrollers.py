"""The page about microcontrollers: its programs compile and run, its commands work."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import edgeolk.cli
import firmware_sim.cli
from bench.compiled import compiled
from bench.mcu.rows import stream
from edgeolk.export.costs import instructions_of, scratch_of, stacks_of
from edgeolk.export.kits import KITS
from firmware_sim.mcu import BOARDS, lacking

TEXT = (Path(__file__).parents[2] / "docs" / "microcontrollers.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.S)


def programs() -> list[str]:
    """Those in C, without the start of an emulated board."""
    return [block for block in blocks("c") if "void _start" not in block]


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the page's Python writes."""
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("python")[0], "microcontrollers.md", "exec"), {})
    return tmp_path / "board"


@pytest.mark.parametrize("number", range(2))
def test_its_programs(number: int, board: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    program = board / "program.c"
    program.write_text(programs()[number])
    sources = [program, board / "edgeolk.c", board / "model.c", board / "flash.c"]
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Og"]
    objects = [compiled(["cc", *flags, "-c"], [source], ".o") for source in sources]
    subprocess.run(["cc", "-o", board / "program", *objects], check=True)
    assert subprocess.run([board / "program"], check=False).returncode == 0


def test_its_first_program_on_an_emulated_board(board: Path) -> None:
    """As the page says, with an exit code and a line that come out."""
    if shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None:
        pytest.skip("no emulated board")
    (start,) = (block for block in blocks("c") if "void _start" in block)
    program = programs()[0].replace("return step(row, 1.0) < 0;", 'puts("run"); return 3;')
    Path("qemu.c").write_text(start)
    Path("step.c").write_text(f"#include <stdio.h>\n{program}")
    (build, run) = re.search(
        r"(arm-none-eabi-gcc .*?)\n    (qemu-system-arm .*?)\n", TEXT, re.S
    ).groups()  # type: ignore[union-attr]
    subprocess.run(build.replace("\\\n", " ").split(), check=True)
    done = subprocess.run(run.split(), capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (3, "run")


def test_its_two_learners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program with alarms compiles, runs, and leaves an image of two pairs of slots."""
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    monkeypatch.chdir(tmp_path)
    (text,) = (block for block in blocks("python") if '"drill", prefix="drill"' in block)
    exec(compile(text, "microcontrollers.md", "exec"), {"ek": ek})
    shown = (
        '    FILE *file = fopen("image.bin", "wb");\n    fwrite(memory, 1, sizeof memory, file);\n'
    )
    program = programs()[2].replace(
        "    return saved", f"{shown}    fclose(file);\n    return saved"
    )
    assert "fclose" in program
    # The page saves the second learner in the last line, after which nothing can be written.
    program = program.replace(
        "    FILE *file", "    (void)drill_save(drill_arena, &drill);\n    FILE *file"
    )
    Path("program.c").write_text("#include <stdio.h>\n" + program)
    sources = [Path("program.c")]
    sources += [
        Path(p, p + part) for p in ("gate", "drill") for part in (".c", "_model.c", "_flash.c")
    ]
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Og", "-Igate", "-Idrill"]
    subprocess.run(["cc", *flags, "-o", "program", *map(str, sources)], check=True)
    assert subprocess.run(["./program"], check=False).returncode == 0
    image = bytearray(Path("image.bin").read_bytes())
    (start,) = (int(n) for n in re.findall(r"Checkpointer\(image\[(\d+):\]\)", TEXT))
    assert ek.Checkpointer(image[:start]).open().steps == 1
    assert ek.Checkpointer(image[start:]).open().why[0]


def test_its_check_before_an_update(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = (block for block in blocks("python") if "config.difference(" in block)
    exec(compile(text, "microcontrollers.md", "exec"), {"ek": ek})
    (said,) = re.findall(r"difference\(.*  # (.*)", text)
    assert capsys.readouterr().out == f"{said}\n"


def test_its_frequencies_by_type() -> None:
    """The table of int8 and float32: the plan's sizes, the estimates of an exported README."""
    rows = re.findall(r"^\| (\d) KiB \| (int8|float32).*? \| ([\d |]+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 4
    for ram, dtype, figures in rows:
        learner = ek.Learner(n_features=5, ram=f"{ram}KiB", dtype=dtype)
        (cost,) = (
            row
            for row in instructions_of(learner)
            if (row.core, row.arithmetic) == ("Cortex-M4F", "library")
        )
        found = [learner.budget, learner.parameters["memory"], cost.score, cost.learn]
        assert [int(figure) for figure in figures.split(" | ")] == [round(n) for n in found]


def test_its_stacks_with_scratch_in_the_arena() -> None:
    learner = ek.Learner(n_features=5, ram="1KiB")
    usual, beside = (stacks_of(learner, where)["library"] for where in ("stack", "arena"))
    more = scratch_of(learner.dtype)["library"]
    for figure in (usual, beside, more, beside + more):
        assert f"{figure:,}" in TEXT


def test_its_export(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = re.findall(r"edgeolk (export .*)", TEXT)
    assert edgeolk.cli.main(command.split()) == 0
    assert "zephyr/module.yml" in capsys.readouterr().out
    assert all(name in command for name in KITS)


def test_it_names_every_board() -> None:
    assert all(name in TEXT for name in BOARDS)


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"^python -m firmware_sim (replay .*)", TEXT, re.MULTILINE)
    assert firmware_sim.cli.main([*command.split(), "--no-picture"]) == 0
    told = capsys.readouterr().out
    assert "emulated  mps2-an386, Cortex-M4F: 500 rows learned" in told
    assert "its state is identical, byte for byte" in told
    assert (tmp_path / "replay-report/report.txt").read_text() in told


#: Arduino's own core for the Uno, of the package arduino-core-avr; options are those of its IDE.
CORE = Path("/usr/share/arduino/hardware/arduino/avr")
FLAGS = ("-mmcu=atmega328p", "-Os", "-w", "-flto", "-ffunction-sections", "-fdata-sections",
         "-DF_CPU=16000000L", "-DARDUINO=10819", "-DARDUINO_AVR_UNO", "-DARDUINO_ARCH_AVR",
         f"-I{CORE}/cores/arduino", f"-I{CORE}/variants/standard")  # fmt: skip
#: The last is in a header of newer compilers.
CPP = ("-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics",
       "-DDECIMAL_DIG=__DECIMAL_DIG__")  # fmt: skip


def sketch(text: str, library: Path, folder: Path) -> Path:
    """A sketch as Arduino's tools build it, with a library."""
    main = folder / "sketch.cpp"
    main.write_text(f"#include <Arduino.h>\n{text}")
    objects = []
    for source in (main, *library.glob("*.c"), *(CORE / "cores/arduino").glob("*.c*")):
        objects.append(folder / f"{source.name}.o")
        cpp = source.suffix == ".cpp"
        tool, flags = ("avr-g++", CPP) if cpp else ("avr-gcc", ("-std=gnu11",))
        command = [tool, *FLAGS, *flags, f"-I{library}", "-c", source, "-o", objects[-1]]
        subprocess.run(command, check=True)
    made = folder / "sketch.elf"
    link = ["avr-gcc", *FLAGS, "-fuse-linker-plugin", "-Wl,--gc-sections", "-o", made]
    subprocess.run([*link, *objects, "-lm"], check=True)
    return made


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking(BOARDS["uno"])), reason=lacking(BOARDS["uno"]))
@pytest.mark.skipif(not CORE.exists(), reason="no core: apt install arduino-core-avr")
def test_its_sketch_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (python,) = (text for text in blocks("python") if '"uno"' in text)
    exec(compile(python, "microcontrollers.md", "exec"), {})
    made = sketch(blocks("cpp")[0], tmp_path / "uno/arduino/edgeolk/src", tmp_path)
    X, y = stream("occupancy", 300, 4)
    low, high = X.min(axis=0), X.max(axis=0)
    volts = np.rint((X - low) / (high - low) * 4900).astype(np.uint16)
    switch = (y > 0).astype(np.uint16)
    (tmp_path / "analog.bin").write_bytes(np.column_stack((volts, switch)).tobytes())
    board = BOARDS["uno"]
    command = [board.chain.emulator_in(tmp_path), *board.options, made]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = printed[printed.index("rows") :].split("\n")
    said = [line.split("\t") for line in blocks("text")[0].splitlines()]
    found = [line.strip().split("\t") for line in lines if line.strip()]
    assert [row[:2] for row in found] == [row[:2] for row in said]
    # What a row takes follows the compiler.
    for row, told in zip(found[1:], said[1:], strict=True):
        assert int(row[2]) == pytest.approx(int(told[2]), rel=0.05)
    learner = ek.Learner(
        n_features=4, ram=640, relevance=False, drift=False, constant=False, gamma=0.125
    )
    readings = (volts.astype(np.uint32) * 1023 // 5000).astype(np.float32)
    for first, line in zip((0, 100, 200), lines[1:], strict=False):
        learner.learn_many(readings[first : first + 100], y[first : first + 100])
        assert int(line.split()[1]) == learner.mistakes
