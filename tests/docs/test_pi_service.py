"""The service of the Raspberry Pi page, with a simulated sensor and a sysfs of files."""

from __future__ import annotations

import json
import re
import runpy
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
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
    service["watch"](rows, place, 600, said.append)
    assert ek.Checkpointer.restore(place).steps == 1300
    assert all(int(words.split()[1].rstrip(":")) > 700 for words in said)


def test_it_finds_a_sensor_that_is_stuck(service: dict[str, Any], tmp_path: Path) -> None:
    """Its reading is as usual, but stays; one alarm tells which."""
    rows, said = service["simulated"](3), []

    def stuck() -> Iterator[list[float]]:
        for number, row in enumerate(rows, 1):
            yield [row[0] - 15.0 * (number % 400 == 0), 45.0 if number > 1000 else row[1], row[2]]

    service["watch"](stuck(), str(tmp_path / "model.checkpoint"), 1300, said.append)
    (alarm,) = [words for words in said if int(words.split()[1].rstrip(":")) > 1000]
    assert alarm.endswith(": humidity: does not change, now 45")
    assert int(alarm.split()[1].rstrip(":")) < 1050


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
        learner = ek.Learner(n_features=3, ram="4KiB", loss="novelty", history=True)
        for _ in range(8):
            checkpoints.write(learner)
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
        run(service, place, monkeypatch, 100)  # the next start begins again
        assert capsys.readouterr().err == ""
        assert ek.Checkpointer.restore(place, 8).steps == 100


def test_what_was_never_written_is_no_damage(
    service: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "model.checkpoint"
    place.touch()
    run(service, place, monkeypatch, 20)
    assert ek.Checkpointer.restore(place, 8).steps == 20
    run(service, place, monkeypatch, 10)
    assert ek.Checkpointer.restore(place, 8).steps == 30


SERVICE = ROOT / "docs/examples/pi/service.py"


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        signal.SIGABRT,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
@pytest.mark.spread(2)
def test_nothing_learned_is_lost_on_the_way_out(tmp_path: Path, number: signal.Signals) -> None:
    """A signal while a reading is waited for: the checkpoint has every row, and no traceback."""
    place = tmp_path / "model.checkpoint"
    learned = 0
    for start in ("begins again: 3 channels", "goes on after row"):
        command = [sys.executable, str(SERVICE), str(place), "--simulate", "--every", "0.001"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            assert running.stdout.readline().startswith(start)
            assert "unusual" in running.stdout.readline()  # some 400 rows later
            running.send_signal(number)
            said = running.stdout.read().splitlines()
            assert running.stderr.read() == ""
            assert running.wait() == 0
        assert said[-1] == f"stopped by {number.name}"
        steps = ek.Checkpointer.restore(place, 8).steps
        assert said[-2] == f"ends after row {steps:,}: checkpoint written"
        assert steps > learned
        learned = steps


def test_a_sensor_that_fails_loses_nothing(
    service: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    device, place = tmp_path / "iio", tmp_path / "model.checkpoint"
    device.mkdir()
    channel = device / "in_temp_input"
    channel.write_text("21500\n")
    taken = []

    def sleep(seconds: float) -> None:
        taken.append(seconds)
        if len(taken) == 40:
            channel.unlink()

    monkeypatch.setattr("time.sleep", sleep)
    words = ["service.py", str(place), "--device", str(device)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit, match=str(service["UNREAD"])):
        service["main"]()
    assert taken == [1.0] * 40
    assert ek.Checkpointer.restore(place, 8).steps == 40
    said = capsys.readouterr()
    assert "in_temp_input" in said.err
    assert said.err.count("\n") == 1
    assert said.out.splitlines()[-1] == "ends after row 40: checkpoint written"


def test_it_says_what_it_does_once_a_minute(service: dict[str, Any], tmp_path: Path) -> None:
    told: list[str] = []
    seconds = iter(range(10_000))
    rows = service["simulated"](3)
    place = str(tmp_path / "model.checkpoint")
    service["watch"](
        rows, place, 200, lambda _: None, told.append, clock=lambda: float(next(seconds))
    )
    assert told[0].startswith("begins again: 3 channels, a learner of ")
    assert [words.split(":")[0] for words in told[1:-1]] == ["row 60", "row 120", "row 180"]
    assert told[-1] == "ends after row 200: checkpoint written"


def test_the_unit_does_not_restart_what_has_lost_its_checkpoints(service: dict[str, Any]) -> None:
    unit = (ROOT / "docs/examples/pi/edgeolk.service").read_text()
    assert f"\nRestartPreventExitStatus={service['LOST']}\n" in unit
    room = (ROOT / "docs/raspberry-pi.md").read_text("utf-8")
    assert f"\nRestartPreventExitStatus={service['LOST']}\n" in room


def test_channels_of_a_device(service: dict[str, Any], tmp_path: Path) -> None:
    for name, text in (("in_temp_input", "21500\n"), ("in_pressure_raw", "77\n"), ("name", "x\n")):
        (tmp_path / name).write_text(text)
    assert next(service["sensor"](tmp_path)) == [77.0, 21500.0]
    assert service["names_of"](tmp_path) == ["pressure", "temp"]
    with pytest.raises(SystemExit, match="no channel"):
        next(service["sensor"](tmp_path / "gone"))


def test_lines_of_json(
    service: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["service.py", str(tmp_path / "m.checkpoint"), "--simulate", "--rows", "900", "--json"]
    monkeypatch.setattr("sys.argv", words)
    service["main"]()
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (told[0]["event"], told[0]["channels"]) == ("start", 3)
    assert told[-1]["event"] == "end"
    assert told[-1]["row"] == 900
    odd = next(one for one in told if one["event"] == "unusual")
    assert [*odd["readings"]] == ["temperature", "humidity", "pressure"] == told[0]["names"]
    assert 0.5 <= odd["anomaly"] <= 1
    assert re.fullmatch(r"temperature: changed faster than ever, now \d\d\.\d+", odd["reason"])
    assert all(one["time"] > 0 for one in told)


def test_metrics(service: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prometheus = pytest.importorskip("prometheus_client")
    served: list[Any] = []
    monkeypatch.setattr(
        prometheus, "start_http_server", lambda port, registry: served.append((port, registry))
    )
    place = str(tmp_path / "m.checkpoint")
    words = ["service.py", place, "--simulate", "--rows", "850", "--metrics", "9100"]
    monkeypatch.setattr("sys.argv", words)
    service["main"]()
    ((port, registry),) = served
    assert port == 9100
    text = prometheus.generate_latest(registry).decode()
    figures = dict(re.findall(r"^(edgeolk_\w+) (\S+)$", text, re.MULTILINE))
    assert set(figures) == set(service["METRICS"])
    assert "# TYPE edgeolk_rows_total counter\n" in text
    assert float(figures["edgeolk_rows_total"]) == 850
    assert 0 < float(figures["edgeolk_bytes"]) <= 4096
    odd, alarms = (float(figures[f"edgeolk_{name}_total"]) for name in ("unusual_rows", "alarms"))
    assert 0 < alarms <= odd
    assert float(figures["edgeolk_failed_writes_total"]) == 0
    assert float(figures["edgeolk_checkpoint_age_seconds"]) < 60
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(SystemExit, match="pip install prometheus-client"):
        service["main"]()


def test_a_second_process_ends_at_its_start(
    service: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = tmp_path / "m.checkpoint"
    with ek.Checkpointer(place) as first:
        first.lock()
        with pytest.raises(SystemExit, match=str(service["UNREAD"])):
            run(service, place, monkeypatch, 5)
    told = capsys.readouterr().err
    assert "is being written by another checkpointer" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("slots", [2, 8])
def test_checkpoints_of_a_newer_version_are_kept(
    service: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    slots: int,
) -> None:
    """In two slots it cannot go on beside them; in eight it goes on from the last one before."""
    place = tmp_path / "m.checkpoint"
    learner = ek.Learner(n_features=3, ram="4KiB", loss="novelty", history=True)
    with ek.Checkpointer(place, slots=slots) as checkpoints:
        for _ in range(slots):
            checkpoints.write(learner)
    data = bytearray(place.read_bytes())
    at = len(data) // slots * (slots - 1)
    data[at + 8] = 2
    data[at + 28 : at + 32] = zlib.crc32(data[at : at + 28]).to_bytes(4, "little")
    place.write_bytes(data)
    if slots == 2:
        with pytest.raises(SystemExit, match="65"):
            run(service, place, monkeypatch, 5)
        assert place.with_name("m.checkpoint.newer-1").read_bytes() == data
        assert "this version reads 1" in capsys.readouterr().err
    else:
        run(service, place, monkeypatch, 5)
        assert "not all checkpoints can be used" in capsys.readouterr().out
        assert place.read_bytes()[at:] == data[at:]


def test_a_disk_that_is_full_for_a_while(
    service: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and tried again after a minute."""
    tries: list[float] = []
    now = iter(range(100_000))

    def step(self: Any, what: Any) -> bool:
        tries.append(1.0)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ek.Checkpointer, "step", step)
    told: list[str] = []
    place = str(tmp_path / "m.checkpoint")
    service["watch"](
        service["simulated"](3), place, 200, told.append, told.append,
        clock=lambda: float(next(now)),
    )  # fmt: skip
    failed = [line for line in told if "no checkpoint was written: [Errno 28]" in line]
    assert len(tries) == len(failed)
    assert 2 <= len(failed) < 10
    assert ek.Checkpointer.restore(place).steps == 200
