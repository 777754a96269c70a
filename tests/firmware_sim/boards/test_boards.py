"""Boards: their figures, and how long a step takes on them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.boards import BOARDS, board_of, table
from firmware_sim.boards.step_time import timing
from firmware_sim.cli import main
from firmware_sim.report import to_dict, to_text

NEEDED = ("pi-zero-2w", "pi-3", "pi-4", "pi-5", "pico", "pico-2", "esp32", "nrf52840")


def run(**changes: object) -> fs.ReplayResult:
    base = {"algorithm": "ahpatron", "limit": 400, "gamma": 0.2, "device": "pico", "ram": "16KiB"}
    return fs.replay(fs.ReplayConfig("occupancy", **{**base, **changes}))  # type: ignore[arg-type]


def made(formula: str, budget: int = 100) -> SimpleNamespace:
    return SimpleNamespace(budget=budget, longest_step=formula)


def test_every_row_makes_sense() -> None:
    assert set(NEEDED) | {"stm32f405", "microbit"} <= set(BOARDS)
    for board in BOARDS.values():
        assert 0 < board.for_learner <= board.ram // 2
        assert board.page <= board.erase
        assert board.endurance >= 1000
        assert 1e7 < board.per_second < 1e10
        assert board.source
    speeds = [BOARDS[name].per_second for name in ("pi-zero-2w", "pi-3", "pi-4", "pi-5")]
    assert speeds == sorted(speeds)
    with pytest.raises(fs.SimulatorError, match="device 'pi-9' is not one of: pi-zero-2w"):
        board_of("pi-9")


def test_table_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    printed = capsys.readouterr().out
    assert printed.strip() == table()
    assert len(printed.splitlines()) == len(BOARDS) + 1
    for board in BOARDS.values():
        assert board.title in printed
        assert board.provenance in printed
        assert ("RAM and clock unchecked" in board.provenance) == (not board.seen)
        assert ("flash unchecked" in board.provenance) == (not board.flash_seen)


def test_counts_that_the_estimates_come_from() -> None:
    """The measured kernel rows come out again."""
    for device, n_features, measured in (
        ("nrf52840", 16, 20_000),
        ("microbit", 16, 711_000),
    ):
        board = BOARDS[device]
        step = timing(board, made("O(B d), every step"), n_features).step
        assert step * board.per_second == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize(
    ("algorithm", "measured"),
    [
        ("projectron", 34_280),
        ("forgetron", 6_406),
        ("forgetron_greedy", 12_816),
        ("bpa_p", 2_439_269),
        ("bsgd", 330_485),
    ],
)
def test_longest_steps_against_counted_ones(algorithm: str, measured: int) -> None:
    """Of the right size: between half and twice what callgrind counts, bench/results/steps.md."""
    board = BOARDS["pi-4"]
    longest = timing(board, ek.plan(algorithm, n_features=5, budget=100), 5).longest
    assert longest is not None
    assert 0.5 * measured < longest * board.per_second < 2.0 * measured


@pytest.mark.parametrize("row", [row.name for row in ek.algorithms()])
def test_every_algorithm_has_an_estimate_or_says_so(row: str) -> None:
    found = timing(BOARDS["pico"], ek.plan(row, n_features=5, budget=50), 5)
    assert found.step > 0
    assert found.formula
    assert found.longest is None or found.longest >= found.step


def test_step_that_is_always_the_longest() -> None:
    found = timing(BOARDS["pico"], made("O(B d), every step"), 5)
    assert found.longest == found.step


def test_formula_that_is_not_understood() -> None:
    for formula in ("a while", "O(B log B), every step", "O(B^7), at dawn", "O(d)"):
        assert timing(BOARDS["pico"], made(formula), 5).longest is None


def test_report_says_whether_it_fits() -> None:
    fits, not_ = run(), run(device="microbit", ram="16KiB")
    assert "board     Raspberry Pi Pico: 16,384 bytes fits the 135,168" in to_text(fits)
    assert "16,384 bytes DOES NOT FIT the 8,192" in to_text(not_)
    data = to_dict(fits)["board"]
    assert data["fits"] is True
    assert to_dict(not_)["board"]["fits"] is False
    assert data["longest_step_seconds"] >= data["step_seconds"] > 0
    assert "estimates" in data["note"]
    assert to_dict(run(device=None))["board"] is None
    assert "within its cache" in to_text(run(device="pi-4"))


def test_period_is_that_of_the_stream(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    lines = [f"2020-01-01 00:{i:02d}:00,{i % 5},{i % 2}" for i in range(60)]
    path.write_text("when,a,y\n" + "\n".join(lines) + "\n")
    result = fs.replay(fs.ReplayConfig(str(path), target="y", device="pico", ram="4KiB"))
    assert result.period == 60.0
    assert "60 s between rows: in time" in to_text(result)
    assert run(period=1e-6).period == 1e-6
    assert "TOO LATE" in to_text(run(period=1e-6))
    with pytest.raises(fs.SimulatorError, match="period is -1"):
        run(period=-1.0)
    path.write_text("a,y\n" + "\n".join(f"{i % 5},{i % 2}" for i in range(60)))
    unknown = fs.replay(fs.ReplayConfig(str(path), target="y", device="pico", ram="4KiB"))
    assert "period    unknown: name a time column" in to_text(unknown)


def test_default_cap_is_no_more_than_the_board_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["replay", "occupancy", "--limit", "200", "--no-picture", "--out", str(tmp_path)]
    for device, cap in (("microbit", "8,192"), ("pi-4", "65,536")):
        assert main([*command, "--device", device]) == 0
        assert f"memory    cap {cap} bytes" in capsys.readouterr().out
