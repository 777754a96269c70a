"""Checkpoints of a board: no cut loses one, and Python and C open each other's."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from exported import STRICT, Compiled, signs, stream
from fuzz_flash import build as fuzzer

import edgeolk as ek
from bench.compiled import CompilerError, compiled
from edgeolk.files.slots import packed_head

SUPPORT = Path(__file__).parents[2] / "support"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
OPTIONS: dict[str, Any] = {"D": 64, "scale": "standard", "gamma": "auto", "gamma_rows": 50}


def simulator(folder: Path, unit: int) -> Path:
    learner = ek.Learner("sorf", n_features=3, **OPTIONS)
    ek.export_c(learner, folder)
    shutil.copy(SUPPORT / "flash_cuts.c", folder)
    sources = [folder / name for name in ("flash_cuts.c", "edgeolk.c", "model.c", "flash.c")]
    command = ["cc", *STRICT, "-Wno-conversion", "-O0", f"-DEK_FLASH_UNIT={unit}"]
    try:
        return compiled([*command, *SANITIZE], sources, ".program")
    except FileNotFoundError:
        pytest.skip("no cc")
    except CompilerError:  # perhaps only of the sanitizers
        return compiled(command, sources, ".program")


def told(program: Path, *arguments: object) -> int:
    ran = subprocess.run(
        [str(program), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = re.fullmatch(r"(\d+) \w+, nothing lost\n", ran.stdout)
    assert found
    return int(found[1])


def test_no_cut_loses_a_checkpoint(tmp_path: Path) -> None:
    """Cut at every operation, under the sanitizers; damaged images too."""
    program = simulator(tmp_path, 32)
    assert told(program, "cut", 1500, 32) >= 1500
    assert told(program, "fuzz", 2000, 32) == 2000


@pytest.mark.slow
@pytest.mark.parametrize("unit", [4, 8, 32, 256])
def test_a_hundred_thousand_cuts(unit: int, tmp_path: Path) -> None:
    program = simulator(tmp_path, unit)
    assert told(program, "cut", 100_000, unit + 1) >= 100_000
    assert told(program, "fuzz", 300_000, unit + 1) == 300_000


@pytest.mark.slow
def test_nothing_in_the_slots_misleads_the_reader(tmp_path: Path) -> None:
    """Some thousand inputs of the guided fuzzer; make fuzz-slots runs it for long."""
    try:
        program = fuzzer(tmp_path)
    except (FileNotFoundError, RuntimeError):
        pytest.skip("needs clang with libFuzzer")
    # A state that learning cannot reach, with checksums that are right.
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/forged").write_bytes(bytes([0x5B, 0x26, 0x9B, 0x2F, 0xBA]))
    command = [str(program), "corpus", "-runs=3000", "-seed=1", "-max_len=300"]
    # It brings sanitizers of its own; others, loaded first, would be in their way.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()


class Flash:
    """Memory of the host behind the four callbacks."""

    def __init__(self, slot: int) -> None:
        self.memory = bytearray(b"\xff" * 2 * slot)
        call = ctypes.CFUNCTYPE
        where, size = ctypes.c_void_p, ctypes.c_uint32
        self.kept = (
            call(ctypes.c_int, where, size, where, size)(self.read),
            call(ctypes.c_int, where, size, where, size)(self.program),
            call(ctypes.c_int, where, size, size)(self.erase),
            call(ctypes.c_int, where)(lambda device: 0),
        )
        casts = [ctypes.cast(function, ctypes.c_void_p).value for function in self.kept]
        self.struct = (ctypes.c_void_p * 6)(None, *casts, slot)

    def read(self, device: Any, at: int, to: int, count: int) -> int:
        ctypes.memmove(to, bytes(self.memory[at : at + count]), count)
        return 0

    def program(self, device: Any, at: int, data: int, count: int) -> int:
        self.memory[at : at + count] = ctypes.string_at(data, count)
        return 0

    def erase(self, device: Any, at: int, count: int) -> int:
        self.memory[at : at + count] = b"\xff" * count
        return 0


def test_python_and_the_board_open_each_others(tmp_path: Path) -> None:
    """Turn by turn over one store, each going on where the other stopped."""
    X, y = stream("occupancy", 900)
    y = signs(y)
    learner = ek.Learner("sorf", n_features=5, **OPTIONS)
    ek.export_c(learner, tmp_path)
    board = Compiled(tmp_path, learner, names=("flash.c",))
    flash = Flash(4096)
    assert board.c.ek_open(board.arena, ctypes.byref(flash.struct)) == -3
    for turn in range(6):
        rows = slice(150 * turn, 150 * (turn + 1))
        if turn % 2 == 0:
            for x, label in zip(X[rows], y[rows], strict=True):
                board.learn(x, label)
            assert board.c.ek_save(board.arena, ctypes.byref(flash.struct)) == 0
        else:
            (tmp_path / "store").write_bytes(flash.memory)
            with ek.Checkpointer(tmp_path / "store") as checkpoints:
                found = checkpoints.open()
                assert checkpoints.sequence == turn
                found.learn_many(X[rows], y[rows])
                checkpoints.write(found)
            flash.memory[:] = (tmp_path / "store").read_bytes()
            assert board.c.ek_open(board.arena, ctypes.byref(flash.struct)) == 0
    whole = ek.Learner("sorf", n_features=5, **OPTIONS)
    whole.learn_many(X, y)
    assert board.counts()[:3] == [whole.steps, whole.mistakes, whole.updates]
    assert ek.Learner._from_block(board.file(len(whole.__reduce__()[1][0]))).steps == 900
    memory = bytearray(flash.memory)
    assert ek.Checkpointer.restore(memory).steps == 900


def test_a_slot_that_is_too_small_has_a_code_of_its_own(tmp_path: Path) -> None:
    learner = ek.Learner("sorf", n_features=5, **OPTIONS)
    ek.export_c(learner, tmp_path)
    board = Compiled(tmp_path, learner, names=("flash.c",))
    needed = 32 + 24 + len(learner._sealed())
    for slot, said in ((needed - 1, -5), (needed, 0)):
        flash = Flash(slot)
        before = bytes(flash.memory)
        assert board.c.ek_save(board.arena, ctypes.byref(flash.struct)) == said
        assert (bytes(flash.memory) == before) == (said != 0)
        assert board.c.ek_open(board.arena, ctypes.byref(flash.struct)) == said


#: m1, and what an update may have changed in it: a seed, or also the length of its checkpoint.
M1: dict[str, Any] = {"D": 64, "seed": 0}
M2: dict[str, dict[str, Any]] = {
    "seed": {"D": 64, "seed": 1},
    "shorter": {"D": 32},
    "longer": {"D": 128},
}


def board_of(folder: Path, options: dict[str, Any]) -> Compiled:
    learner = ek.Learner(n_features=5, **options)
    ek.export_c(learner, folder)
    return Compiled(folder, learner, names=("flash.c",))


def newest(flash: Flash) -> tuple[int | None, ek.Config | None]:
    """The number and configuration of the checkpoint that Python opens."""
    checkpoints = ek.Checkpointer(bytearray(flash.memory))
    found = checkpoints.open()
    return checkpoints.sequence, None if found is None else found.config


@pytest.mark.parametrize("change", M2)
def test_what_another_program_saved_is_kept_until_it_is_discarded(
    change: str, tmp_path: Path
) -> None:
    """A program saves three times; an update of it has another configuration."""
    m1, m2 = board_of(tmp_path / "m1", M1), board_of(tmp_path / "m2", M2[change])
    config = {m: ek.Learner(n_features=5, **o).config for m, o in ((m1, M1), (m2, M2[change]))}
    flash = Flash(8192)
    to = ctypes.byref(flash.struct)
    X, y = stream("occupancy", 60)
    for x, label in zip(X, signs(y), strict=True):
        m1.learn(x, label)
        if m1.counts()[0] % 20 == 0:
            assert m1.c.ek_save(m1.arena, to) == 0
    saved, fresh = bytes(flash.memory), m2._memory.tobytes()
    assert newest(flash) == (3, config[m1])
    for _ in range(3):
        assert m2.c.ek_open(m2.arena, to) == -7
        assert m2._memory.tobytes() == fresh
        assert m2.c.ek_save(m2.arena, to) == -7
    assert bytes(flash.memory) == saved
    assert m1.c.ek_open(m1.arena, to) == 0  # rolled back, m1 goes on
    assert m2.c.ek_discard(to) == 0
    assert m2.c.ek_open(m2.arena, to) == -3
    for number in (1, 2, 3):
        assert m2.c.ek_save(m2.arena, to) == 0
        assert newest(flash) == (number, config[m2])
    saved = bytes(flash.memory)
    assert (m1.c.ek_open(m1.arena, to), m1.c.ek_save(m1.arena, to)) == (-7, -7)
    assert bytes(flash.memory) == saved
    assert m2.c.ek_discard(to) == 0  # nothing of another configuration
    assert bytes(flash.memory) == saved


@pytest.mark.parametrize("change", M2)
def test_of_two_configurations_the_newest_decides(change: str, tmp_path: Path) -> None:
    """As for Python; discarding leaves an older checkpoint of this program, and its number."""
    m1, m2 = board_of(tmp_path / "m1", M1), board_of(tmp_path / "m2", M2[change])
    flash = Flash(8192)
    to = ctypes.byref(flash.struct)
    with ek.Checkpointer(flash.memory) as checkpoints:
        checkpoints.write(ek.Learner(n_features=5, **M2[change]))
        checkpoints.write(ek.Learner(n_features=5, **M1))
        checkpoints.write(ek.Learner(n_features=5, **M2[change]))
    mixed = bytes(flash.memory)
    assert newest(flash) == (3, ek.Learner(n_features=5, **M2[change]).config)
    assert (m1.c.ek_open(m1.arena, to), m1.c.ek_save(m1.arena, to)) == (-7, -7)
    assert bytes(flash.memory) == mixed
    assert m1.c.ek_discard(to) == 0
    assert newest(flash) == (2, ek.Learner(n_features=5, **M1).config)
    assert m1.c.ek_open(m1.arena, to) == 0
    assert m1.c.ek_save(m1.arena, to) == 0
    assert newest(flash)[0] == 3
    flash.memory[:] = mixed  # the older checkpoint is m1's: m2 writes over it, as Python does
    assert (m2.c.ek_open(m2.arena, to), m2.c.ek_save(m2.arena, to)) == (0, 0)
    assert newest(flash)[0] == 4


def test_a_checkpoint_of_longer_slots_is_kept_too(tmp_path: Path) -> None:
    """An update to a smaller learner may have shorter slots; the older one is out of its sight."""
    m1, m2 = board_of(tmp_path / "m1", {"D": 512}), board_of(tmp_path / "m2", {"D": 16})
    long, short = Flash(8192), Flash(2048)
    assert m1.c.ek_save(m1.arena, ctypes.byref(long.struct)) == 0
    short.memory[:] = long.memory[:4096]
    to = ctypes.byref(short.struct)
    assert (m2.c.ek_open(m2.arena, to), m2.c.ek_save(m2.arena, to)) == (-7, -7)
    assert bytes(short.memory) == bytes(long.memory[:4096])
    assert (m2.c.ek_discard(to), m2.c.ek_save(m2.arena, to)) == (0, 0)


def test_a_slot_that_python_made_and_never_wrote_is_empty(tmp_path: Path) -> None:
    board = board_of(tmp_path, M1)
    flash = Flash(8192)
    for slot in (0, 8192):
        flash.memory[slot : slot + 32] = packed_head(0, 0, 0)
    to = ctypes.byref(flash.struct)
    assert (board.c.ek_open(board.arena, to), board.c.ek_save(board.arena, to)) == (-3, 0)
