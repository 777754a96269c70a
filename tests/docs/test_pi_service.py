"""The service of the Raspberry Pi page, with a simulated sensor and a sysfs of files."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgeolk as ek

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs/examples/pi/service.py"), run_name="service")


def test_it_says_what_is_unusual_and_goes_on_after_a_stop(
    service: dict[str, Any], tmp_path: Path
) -> None:
    place, said = str(tmp_path / "model.checkpoint"), []
    rows = service["simulated"](3)
    service["watch"](rows, place, 700, said.append)
    assert any(words.startswith("row 400:") for words in said)
    assert len(said) < 70
    said.clear()
    service["watch"](rows, place, 1300, said.append)
    assert all(int(words.split()[1].rstrip(":")) > 700 for words in said)


def run(service: dict[str, Any], place: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    words = ["service.py", str(place), "--simulate", "--rows", str(rows)]
    monkeypatch.setattr("sys.argv", words)
    service["main"]()


def flipped(data: bytes, at: int) -> bytes:
    """The data with a bit flipped at the same place of each of the eight slots."""
    changed = bytearray(data)
    for start in range(0, len(data), len(data) // 8):
        changed[start + at] ^= 1
    return bytes(changed)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: flipped(data, 5),
        lambda data: flipped(data, 60),
        lambda data: data[:100],
        lambda data: bytes(len(data)),
        lambda data: b"something else\n",
    ],
    ids=["headers", "contents", "cut", "zeros", "other"],
)
def test_checkpoints_that_are_all_damaged_are_told_and_kept(
    service: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[bytes], bytes],
) -> None:
    place = tmp_path / "model.checkpoint"
    with ek.Checkpointer(place, slots=8) as checkpoints:
        learner = ek.Learner("sorf", n_features=3, ram="4KiB", loss="novelty")
        for _ in range(8):
            checkpoints.write((ek.RunningScaler(3), learner))
    for kept in ("model.checkpoint.damaged-1", "model.checkpoint.damaged-2"):
        data = damage(place.read_bytes())
        place.write_bytes(data)
        with pytest.raises(SystemExit, match="65"):
            run(service, place, monkeypatch, 100)
        said = capsys.readouterr().err
        assert said.startswith(f"no checkpoint in {place} can be used (")
        assert f"it is kept as {tmp_path / kept}" in said
        assert (tmp_path / kept).read_bytes() == data
        assert not place.exists()
        run(service, place, monkeypatch, 100)  # the next start begins anew
        assert capsys.readouterr().err == ""
        assert ek.Checkpointer.restore(place, 8)[1].steps == 100


def test_what_was_never_written_is_no_damage(
    service: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "model.checkpoint"
    place.touch()
    run(service, place, monkeypatch, 20)
    assert ek.Checkpointer.restore(place, 8)[1].steps == 20
    run(service, place, monkeypatch, 30)
    assert ek.Checkpointer.restore(place, 8)[1].steps == 30


def test_the_unit_does_not_restart_what_has_lost_its_checkpoints(service: dict[str, Any]) -> None:
    unit = (ROOT / "docs/examples/pi/edgeolk.service").read_text()
    assert f"\nRestartPreventExitStatus={service['LOST']}\n" in unit


def test_channels_of_a_device(service: dict[str, Any], tmp_path: Path) -> None:
    for name, text in (("in_temp_input", "21500\n"), ("in_pressure_raw", "77\n"), ("name", "x\n")):
        (tmp_path / name).write_text(text)
    assert next(service["sensor"](tmp_path)) == [77.0, 21500.0]
    with pytest.raises(SystemExit, match="no channel"):
        next(service["sensor"](tmp_path / "gone"))
