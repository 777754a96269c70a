"""What is told of an emulated board, without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.mcu.emulator import lacking
from firmware_sim.mcu.program import too_large
from firmware_sim.mcu.replaying import Emulated, _Recorder, repeat


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


def test_a_forecaster_that_learned_nothing_has_a_rate_too() -> None:
    """A replay that is shorter than the horizon asks rows, and tells no target."""
    forecaster = Emulated(
        "microbit", "Cortex-M0", 9, 0, 0, True, 1, 1, 1, 0.0, 0.0, 5.0, 16e6, asked=9, ask=8e3,
        longest_ask=9e3,
    )  # fmt: skip
    text = "\n".join(forecaster.to_lines())
    assert "work      8,000 instructions per forecast, at most 9,000; 5 per score" in text
    assert "about 2,000 rows per second at 16 MHz" in text
    assert "9 forecasts" in text


def test_a_replay_without_a_row_has_no_rate() -> None:
    empty = Emulated("microbit", "Cortex-M0", 0, 0, 0, True, 1, 1, 1, 0.0, 0.0, 5.0, 16e6)
    assert not any(line.startswith("rate") for line in empty.to_lines())


def test_a_forecaster_of_some_rows_ahead_costs_a_tell_and_an_ask() -> None:
    forecaster = Emulated(
        "microbit", "Cortex-M0", 9, 0, 0, True, 1, 1, 1, 2e3, 3e3, 5.0, 16e6, asked=9, ask=6e3,
        longest_ask=7e3,
    )  # fmt: skip
    text = "\n".join(forecaster.to_lines())
    assert "2,000 instructions per learned target, at most 3,000" in text
    assert "6,000 per forecast, at most 7,000" in text
    assert "about 2,000 rows per second at 16 MHz" in text
    row = forecaster.to_row()
    assert row[3:5] == (8.0, 10.0)
    assert "To learn is to learn a target and to forecast" in row.about.replace("\n", " ")


def test_recorded_calls_repeat_a_forecaster() -> None:
    """Each call that changes it: forecasts, known and unknown targets, a restart."""
    options: dict[str, Any] = {
        "n_features": 2, "D": 64, "loss": "square", "history": True, "horizon": 3,
    }  # fmt: skip
    first, second = ek.Learner(**options), ek.Learner(**options)
    calls: list[Any] = []
    recorder = _Recorder(first, calls)
    X = np.random.default_rng(0).normal(size=(40, 2))
    for t, row in enumerate(X):
        if t == 20:
            recorder.restart()
        if recorder.n_waiting == 3:
            recorder.tell_one(None if t == 9 else float(X[t - 3].sum()))
        recorder.ask_one(row)
    for call in calls:
        repeat(second, call, supervised=True)
    assert {call.name for call in calls} == {"ask", "tell", "restart"}
    assert first.updates == second.updates > 10
    assert bytes(first._sealed()) == bytes(second._sealed())


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


@pytest.mark.mcu
@pytest.mark.skipif(bool(lacking()), reason=lacking())
@pytest.mark.parametrize(
    "options",
    [
        {"limit": 40},
        {"limit": 2},  # fewer rows than the horizon
        {"limit": 40, "algorithm": "krls_auto", "params": {"lags": 2}},
    ],
)
def test_a_board_forecasts_some_rows_ahead(options: dict[str, Any]) -> None:
    """It forecasts and learns targets in the order of the replay."""
    config = fs.ReplayConfig(
        "house", forecast="temperature_comedor_sensor", horizon=3, ram="8KiB", on="mps2-an386",
        frozen_after=0, **options,
    )  # fmt: skip
    found = fs.Replay(config).run(beside_clean=False).emulated
    assert found is not None
    assert found.same or ek.simd() != "scalar"
    assert found.asked == config.limit
    assert found.ask > 0
    assert (found.learn > 0) == (config.limit > 3)
    assert found.score > 0
    assert "per forecast" in "".join(found.to_lines())
