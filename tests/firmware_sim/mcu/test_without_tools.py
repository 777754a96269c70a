"""What is told where tools are missing, a program does not fit, or a board does not end."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.mcu import BOARDS, counting, emulator, program, replaying, sampling
from firmware_sim.mcu.program import Program
from firmware_sim.mcu.replaying import OnBoard

CONFIG: dict[str, Any] = {"limit": 60, "ram": "8KiB"}
OVERFLOW = "ld: region `RAM' overflowed by 64 bytes"


def there(monkeypatch: pytest.MonkeyPatch, *tools: str) -> None:
    """Let only these tools be installed."""
    which = {tool: f"/usr/bin/{tool}" for tool in tools}.get
    monkeypatch.setattr(program, "shutil", SimpleNamespace(which=which))


def test_a_missing_tool_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = BOARDS["microbit"].chain
    there(monkeypatch)
    assert chain.lacking() == f"no qemu-system-arm: apt install {chain.packages}"
    there(monkeypatch, "qemu-system-arm")
    assert chain.lacking().startswith("no arm-none-eabi-gcc: apt install ")
    there(monkeypatch, "qemu-system-arm", "arm-none-eabi-gcc")
    assert chain.lacking() == ""
    avr = BOARDS["uno"].chain
    there(monkeypatch, "cc", "avr-gcc")
    for has, words in ((False, f"no headers of simavr: apt install {avr.packages}"), (True, "")):
        monkeypatch.setattr(program, "_has_simavr", lambda has=has: has)
        assert avr.lacking() == words
    there(monkeypatch)
    with pytest.raises(FileNotFoundError, match="arm-none-eabi-gcc"):
        program.build(BOARDS["microbit"], [], tmp_path / "board.elf")


def test_an_emulator_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []

    def compiled(command: list[str], **_: Any) -> None:
        made.append(command)
        Path(command[command.index("-o") + 1]).touch()

    monkeypatch.setattr(program.subprocess, "run", compiled)
    chain = BOARDS["uno"].chain
    assert chain.emulator_in(tmp_path) == chain.emulator_in(tmp_path) == str(tmp_path / "emulator")
    assert len(made) == 1
    assert BOARDS["microbit"].chain.emulator_in(tmp_path) == "qemu-system-arm"


def test_variables_and_stack_beyond_the_board_are_told_as_by_a_linker() -> None:
    board = BOARDS["uno"]
    program._check_ram(Program(board, Path("board.elf"), 100, 1536), 512)
    with pytest.raises(RuntimeError, match="region `RAM' overflowed by 3 bytes"):
        program._check_ram(Program(board, Path("board.elf"), 100, 1539), 512)


def test_a_board_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(command: list[str], timeout: float, **_: Any) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(emulator.subprocess, "run", endless)
    made = Program(BOARDS["microbit"], tmp_path / "board.elf", 1, 1)
    with pytest.raises(RuntimeError, match=r"microbit: no end after 2.5 s"):
        emulator.execute(made, tmp_path, 2.5)


def test_a_core_that_is_too_small_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = SimpleNamespace(mean=2000.0, most=3000.0)
    error = RuntimeError(OVERFLOW)

    def learned(board: Any, *_: Any) -> Any:
        if board is BOARDS[counting.BOARD_OF["Cortex-M0"]]:
            raise error
        return None, SimpleNamespace(learned=cost, scored=cost)

    monkeypatch.setattr(counting, "learn_on", learned)
    monkeypatch.setattr(counting, "lacking", lambda: "")
    learner = ek.Learner("sorf", n_features=3, D=64, memory=False)
    found = counting.counted(learner)
    cores = {row.core for row in found}
    assert cores == set(counting.BOARD_OF) - {"Cortex-M0"}
    assert {row[2:5] for row in found} == {(2.0, 2.0, 3.0)}
    error = RuntimeError("undefined reference to `f'")
    with pytest.raises(RuntimeError, match="undefined reference"):
        counting.counted(learner)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("odd", {}, r"--on odd: choose from .*microbit"),
        ("microbit", {"power_cut": "at=7"}, "cannot be combined with --power-cut or --enforce"),
        ("microbit", {"params": {"delay": 3}, "label_delay": 3}, "a learner's delay: give delay=0"),
        ("microbit", {"algorithm": "rbp"}, "--on needs a learner that scales inside"),
    ],
)
def test_what_a_board_cannot_do(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(replaying, "lacking", lambda _: "")
    replay = fs.Replay(fs.ReplayConfig("occupancy", **CONFIG, **options))
    with pytest.raises(fs.SimulatorError, match=words):
        OnBoard(name, replay.config, replay.device)


def test_why_a_board_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = fs.Replay(fs.ReplayConfig("occupancy", **CONFIG))
    monkeypatch.setattr(replaying, "lacking", lambda _: "no emulator")
    with pytest.raises(fs.SimulatorError, match="--on microbit: no emulator"):
        OnBoard("microbit", replay.config, replay.device)
    monkeypatch.setattr(replaying, "lacking", lambda _: "")
    plan = ek.windows_plan(2, 32, 16, ("rms",), 100, "int16")
    board = OnBoard("microbit", replay.config, replay.device, plan)
    for said, told in ((OVERFLOW, "it exceeds RAM by 64 bytes"), ("no end after 9 s", "no end")):

        def fails(*_: Any, said: str = said) -> None:
            raise RuntimeError(said)

        monkeypatch.setattr(replaying, "learn_on", fails)
        monkeypatch.setattr(replaying, "sample_on", fails)
        for call in (board.run, board._samples):
            with pytest.raises(fs.SimulatorError, match=rf"--on microbit: .*{told}"):
                call()


def test_what_windows_cost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two windows of noise in the type of the samples."""
    replay = fs.Replay(fs.ReplayConfig("occupancy", **CONFIG))
    monkeypatch.setattr(replaying, "lacking", lambda _: "")
    plan = ek.windows_plan(2, 32, 16, ("rms",), 100, "int16")
    given: list[np.ndarray] = []

    def sampled(board: Any, learner: Any, windows: Any, samples: Any, labels: Any) -> Any:
        given.append(samples)
        used = SimpleNamespace(flash=20_000, ram=9_000)
        return SimpleNamespace(per_sample=1234.4, per_row=56789.0, program=used, stack=700)

    monkeypatch.setattr(replaying, "sample_on", sampled)
    text = OnBoard("microbit", replay.config, replay.device, plan)._samples()
    assert text == (
        "1,234 instructions each, 56,789 where a row is complete; windows and learner: "
        "20,000 bytes of flash, 9,000 of RAM, 700 of stack used"
    )
    assert (given[0].shape, given[0].dtype) == ((48, 2), np.int16)
    without = fs.Replay(fs.ReplayConfig("occupancy", **CONFIG))
    assert OnBoard("microbit", without.config, without.device)._samples() == ""


@pytest.mark.parametrize(
    ("code", "words"), [(99, "a fault: the stack may be too small"), (3, "exit code 3")]
)
def test_samples_on_a_board_that_fails(
    monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    monkeypatch.setattr(sampling, "build", lambda *_, **__: None)
    monkeypatch.setattr(sampling, "execute", lambda *_: code)
    windows = ek.Windows(1, 32, 32, "level", dtype="float32")
    learner = ek.Learner(n_features=3, ram="2KiB")
    samples = np.zeros((34, 1), np.float32)
    with pytest.raises(RuntimeError, match=f"microbit: {words}"):
        sampling.sample_on(BOARDS["microbit"], learner, windows, samples, np.ones(34))
