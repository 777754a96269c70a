"""What is told of an emulated board, without one."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.mcu.emulator import lacking
from firmware_sim.mcu.program import too_large
from firmware_sim.mcu.replaying import Emulated


def told(*, same: bool, variant: str) -> str:
    made = Emulated("microbit", "Cortex-M0", 9, 1, 1, same, 1, 1, 1, 2.0, 3.0, 1.0, 16e6, variant)
    return made.to_lines()[1]


@pytest.mark.parametrize("variant", ["scalar", "v4"])
def test_states_that_are_equal(variant: str) -> None:
    assert told(same=True, variant=variant).endswith("; its state is identical, byte for byte")


def test_states_that_differ() -> None:
    """Only plain C here says that the board is wrong."""
    assert told(same=False, variant="scalar").endswith("; ITS STATE DIFFERS from here")
    vectors = told(same=False, variant="v4")
    assert "DIFFERS" not in vectors
    assert "where v4 vectors add in another order: compare with EDGEOLK_SIMD=scalar" in vectors


def test_novel_rows_are_no_mistakes() -> None:
    made = Emulated(
        "uno", "ATmega328P", 9, 6, 6, True, 1, 1, 1, 2.0, 3.0, 1.0, 16e6, counts="novel rows"
    )
    assert "9 rows learned, 6 novel rows there and 6 here" in made.to_lines()[1]
    assert "mistake" not in "".join(made.to_lines())


def test_by_how_much_a_program_does_not_fit() -> None:
    said = (
        "ld: board.elf section `.bss' will not fit in region `RAM'\n"
        "ld: region `RAM' overflowed by 6136 bytes\nld: region `FLASH' overflowed by 1 byte\n"
    )
    assert too_large(said) == (
        "the program does not fit: it exceeds RAM by 6,136 bytes and FLASH by 1 byte"
    )
    assert too_large("undefined reference to `f'") == ""


def test_two_counts_are_explained() -> None:
    """Of a score of exactly 0 the learner says a mistake, the answers say +1."""
    made = Emulated("microbit", "Cortex-M0", 9, 6, 6, True, 1, 1, 1, 2.0, 3.0, 1.0, 16e6, "v4", 2)
    assert "a score of exactly 0" in made.to_lines()[2]
    assert "so 2 rows with that score are correct" in made.to_lines()[2]
    made = Emulated("microbit", "Cortex-M0", 9, 6, 6, True, 1, 1, 1, 2.0, 3.0, 1.0, 16e6)
    assert "exactly 0" not in "".join(made.to_lines())


def test_an_exported_folder_says_what_a_board_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the replay's own rows, and not that there is no estimate."""
    made = Emulated(
        "uno", "ATmega328P", 70, 6, 6, True, 1, 1, 1, 20_400.0, 30_000.0, 10_000.0, 16e6,
        near="under simavr",
    )  # fmt: skip
    board = Mock(return_value=Mock(run=lambda: made))
    monkeypatch.setattr("firmware_sim.replaying.loop.OnBoard", board)
    words = ["replay", "occupancy", "--limit", "70", "--ram", "4KiB", "--on", "uno", "--quiet"]
    more = ["--export", str(tmp_path / "board"), "--out", str(tmp_path), "--no-picture"]
    assert main([*words, *more]) == 0
    text = (tmp_path / "board" / "README.md").read_text()
    assert "| ATmega328P | library | 10 | 20 | 30 |" in text
    assert "COUNTED on an emulated uno on the rows of a replay, 70" in text
    assert "The board is under simavr." in text
    assert "No estimate" not in text
    assert "ESTIMATE" not in text


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_a_cap_with_stack_and_buffers_holds_all_ram_of_the_board() -> None:
    config = fs.ReplayConfig(
        "occupancy", limit=60, ram="16KiB", on="mps2-an386", frozen_after=0,
        cap_includes=("stack", "buffers"),
    )  # fmt: skip
    found = fs.replay(config).emulated
    assert found is not None
    assert found.ram + found.stack <= 16 * 1024


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_a_board_watches_rows_at_their_times() -> None:
    """The default detector of novelty has a history, and a season of the day."""
    config = fs.ReplayConfig(
        "office", kind="novelty", limit=150, ram="4KiB", on="mps2-an386", frozen_after=0,
    )  # fmt: skip
    replay = fs.Replay(config)
    assert replay.config.params["clock"]
    found = replay.run(beside_clean=False).emulated
    assert found is not None
    assert found.same
    assert found.rows == 150


@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_a_board_does_not_forget_after_gaps() -> None:
    config = fs.ReplayConfig("office", kind="novelty", ram="4KiB", on="mps2-an386", gap=60.0)
    with pytest.raises(fs.SimulatorError, match="--on cannot be combined with --gap"):
        fs.Replay(config)
