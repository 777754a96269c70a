"""Windows of a log's samples: rows, labels, gaps, groups, the plan and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from edgeolk.reference.windows import rows_of
from firmware_sim.cli.program import main, parser
from firmware_sim.cli.shared import config_of
from firmware_sim.report import to_dict, to_text
from firmware_sim.streams import open_stream
from firmware_sim.streams.windowed import Windowed, windows_of_rows

FEATURES = ["rms", "kurtosis", "bands", "correlation"]


def log(folder: Path, n: int = 2000, missing: int | None = None) -> tuple[Path, np.ndarray]:
    """A machine of two units whose fault doubles the vibration; integer readings."""
    rng = np.random.default_rng(0)
    fault = np.arange(n) // 100 % 2
    x = np.rint(rng.standard_normal((n, 2)) * 1000 * (1 + fault[:, None])).astype(np.int16)
    lines = ["a,b,unit,fault"]
    for at, (row, label) in enumerate(zip(x, fault, strict=True)):
        first = "" if at == missing else row[0]
        lines.append(f"{first},{row[1]},{'first' if at < n // 2 else 'second'},{label}")
    path = folder / "machine.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, x


def windowed(path: Path, how: str = "majority", cuts: Any = None, hop: int = 16) -> Windowed:
    samples = open_stream(str(path), target="fault", ignore=("unit",))
    return Windowed(samples, ek.Windows(2, 64, hop, FEATURES, 100, "int16"), how, cuts)


def rows(stream: Any) -> tuple[np.ndarray, list[str]]:
    blocks = list(stream.blocks())
    labels = [block.labels.words[at] for block in blocks for at in block.labels.places]
    return np.concatenate([block.rows for block in blocks]), labels


def test_rows_and_labels_are_those_of_windows(tmp_path: Path) -> None:
    path, x = log(tmp_path)
    stream = windowed(path)
    found, labels = rows(stream)
    assert np.array_equal(found.astype(np.float32), rows_of(x, stream.windows))
    names = [one.replace("c0_", "a_").replace("c1_", "b_") for one in stream.windows.names]
    assert [*stream.features] == names  # with the names of the columns
    samples = open_stream(str(path), target="fault", ignore=("unit",))
    pairs = Windowed(samples, ek.Windows(2, 64, 16, ("correlation",), 100, "int16"), "last")
    assert pairs.features == ("a_b_correlation",)
    ends = np.arange(64, 2001, 16)
    fault = np.arange(2000) // 100 % 2
    means = [fault[end - 64 : end].mean() for end in ends]
    decided = [at for at, mean in enumerate(means) if mean != 0.5]
    assert [labels[at] for at in decided] == [str(int(means[at] > 0.5)) for at in decided]
    assert rows(windowed(path, "last"))[1] == [str(fault[end - 1]) for end in ends]
    assert rows(stream)[1] == labels  # again


def test_a_gap_or_another_group_begins_a_window(tmp_path: Path) -> None:
    path, x = log(tmp_path, missing=500)
    stream = windowed(path, cuts=np.array([1001]))
    found, _ = rows(stream)
    parts = [x[:500], x[501:1000], x[1000:]]
    expected = np.concatenate([rows_of(part, stream.windows) for part in parts])
    assert np.array_equal(found.astype(np.float32), expected)
    assert any("begun again after 1 gap" in note for note in stream.notes)


def test_a_replay_learns_windows_within_its_cap(tmp_path: Path) -> None:
    path, _ = log(tmp_path, 6000)
    options: dict[str, Any] = {"window": 64, "hop": 16, "features": FEATURES, "row": "int16"}
    result = fs.replay(str(path), target="fault", ignore=("unit",), ram="8KiB", **options)
    plan = windows_of_rows(21, size=64, hop=16, features=FEATURES, rate=1.0, dtype="int16")
    assert result.layout.part("windows").nbytes == plan.nbytes
    assert result.layout.end <= 8192
    assert result.rows.used == 1 + (6000 - 64) // 16
    assert result.metrics.loss("learner") < 0.2 * result.rows.used


def test_groups_do_not_share_windows(tmp_path: Path) -> None:
    path, _ = log(tmp_path)
    result = fs.replay(str(path), target="fault", group="unit", window=64, rate=100.0, ram="8KiB")
    assert result.held_out is not None
    assert [part.name for part in result.held_out.parts] == ["first", "second"]
    assert [part.metrics.rows for part in result.held_out.parts] == [30, 30]
    assert result.rows.used == 60


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "size": ({"window": 100}, "window: size must be a power of two from 32 to 1024, got 100"),
    "hop": ({"window": 64, "hop": 65}, "window: hop must be from 1 to 64, got 65"),
    "features": ({"window": 64, "features": ("rns",)}, "features must be among .*'rms'"),
    "set": (
        {"window": 64, "features": ("vibration", "entropy")},
        "got the set 'vibration' among others; its features are rms, crest, kurtosis, bands",
    ),
    "envelope": ({"window": 64, "features": ("rms", "envelope")}, "is an option: envelope=True"),
    "spectrum": ({"window": 64, "features": ("rms",), "envelope": True}, "envelope is for feat"),
    "faults": ({"window": 64, "faults": ("stuck:column=a",)}, "--window cannot .* with --fault"),
    "long": ({"window": 1024, "limit": 5, "stream": "short"}, "no 1024 samples in a row"),
    "integers": ({"window": 32, "row": "int16", "stream": "short"}, "need readings that are integ"),
}


@pytest.mark.parametrize("key", WRONG)
def test_what_is_refused(key: str, tmp_path: Path) -> None:
    options = dict(WRONG[key][0])
    path, _ = log(tmp_path)
    if options.pop("stream", ""):
        path.write_text("a,fault\n" + "".join(f"{i / 3},{i % 2}\n" for i in range(90)))
    with pytest.raises(fs.SimulatorError, match=WRONG[key][1]):
        fs.replay(str(path), target="fault", **options)


@pytest.mark.parametrize(
    ("step", "given", "rate"), [(0.02, None, 50), (0.02, 10.0, 10), (60, None, 1)]
)
def test_the_rate_is_that_of_the_times(
    tmp_path: Path, step: float, given: float | None, rate: float
) -> None:
    draws = np.random.default_rng(0).normal(size=300).round(3).tolist()
    lines = [f"{step * at:.2f},{x},{at // 50 % 2}" for at, x in enumerate(draws)]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join(["time,x,fault", *lines, ""]))
    config = fs.ReplayConfig(str(path), target="fault", window=32, rate=given)
    stream = fs.Replay(config).stream
    assert stream.windows is not None
    assert stream.windows.options["rate"] == rate
    assert (f"{rate} samples a second" in stream.notes[-1]) == (rate != 1)


def test_a_gap_in_time_begins_a_window_and_rounded_times_have_a_mean_step(tmp_path: Path) -> None:
    """At 400 Hz, in milliseconds: steps of 2 and 3."""
    x = np.rint(np.random.default_rng(0).standard_normal(300) * 1000).astype(np.int16)
    lines = [f"{int(2.5 * at) + 5000 * (at >= 130)},{one},{at % 2}" for at, one in enumerate(x)]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join(["time_ms,x,fault", *lines, ""]))
    config = fs.ReplayConfig(str(path), target="fault", window=32, features=("rms",))
    stream = fs.Replay(config).stream
    assert stream.windows is not None
    assert stream.windows.options["rate"] == pytest.approx(400, rel=0.01)
    parts = [x[:130, None].astype(np.float32), x[130:, None].astype(np.float32)]
    expected = np.concatenate([rows_of(part, stream.windows) for part in parts])
    assert np.array_equal(rows(stream)[0].astype(np.float32), expected)
    assert "begun again after 1 gap, 1 of them in time" in stream.notes[-1]


def test_a_saved_model_keeps_its_windows_and_no_program_takes_samples(tmp_path: Path) -> None:
    path, _ = log(tmp_path)
    config = fs.ReplayConfig(
        str(path), target="fault", ignore=("unit",), window=32, features=("rms",), ram="4KiB"
    )
    replay = fs.Replay(config)
    replay.run(beside_clean=False)
    saved = fs.save_model(replay, tmp_path / "m.zip")
    assert ek.load(saved).steps == replay.device.learner.steps
    assert ek.Windows.load(saved).plan == replay.stream.windows
    with pytest.raises(fs.SimulatorError, match="--write-script cannot be combined with --window"):
        fs.write_script(replay, tmp_path / "run.py", saved)


def test_an_envelope_on_the_command_line(tmp_path: Path) -> None:
    path, x = log(tmp_path)
    words = ["replay", str(path), "--window", "64", "--envelope", "--target", "fault", "--rate"]
    chosen = parser().parse_args([*words, "100", "--ignore", "unit", "--row", "int16"])
    stream = fs.Replay(config_of(chosen)).stream
    assert stream.windows is not None
    assert stream.windows.envelope
    assert np.array_equal(rows(stream)[0].astype(np.float32), rows_of(x, stream.windows))
    assert "every 32, envelope" in stream.notes[-1]


def broken_log(folder: Path) -> Path:
    """Samples of which one line is cut short, and 21 apart from each other are -99999."""
    path, _ = log(folder, 6000)
    lines = path.read_text().splitlines()
    for at in range(200, 2300, 100):
        _, rest = lines[at].split(",", 1)
        lines[at] = f"-99999,{rest}"
    lines[1000] = lines[1000][:3]
    path.write_text("\n".join([*lines, ""]))
    return path


def test_the_report_on_windows_says_what_was_read_of_the_log(tmp_path: Path) -> None:
    path = broken_log(tmp_path)
    short = "1 skipped: 1 cells where the header has 4"
    result = fs.replay(str(path), target="fault", ignore=("unit",), window=64, ram="8KiB")
    text = to_text(result)
    assert short in text
    assert "row 1,000:" in text
    assert "log       6,000 rows read, 1 damaged" in text
    warnings = " ".join(result.warnings)
    assert "1 of 6,000 rows cannot be read" in warnings
    assert "column 'a' is -99999 in 20 of 5,999 rows" in warnings
    report = to_dict(result)["stream"]
    assert report["log"] == {"rows_read": 6000, "rows_damaged": 1}
    assert [one["rows"] for one in report["damages"].values()] == [1]
    out = tmp_path / "out"
    words = ["replay", str(path), "--window", "64", "--target", "fault", "--ignore", "unit"]
    assert main([*words, "--out", str(out), "--no-picture", "--quiet"]) == 0
    written = (out / "report.txt").read_text()
    understood = written.split("How the log was understood")[1]
    assert "rows      6,000 inspected, 5,999 readable" in understood
    assert short in understood
    assert "a: number, -99999 to" in understood


def test_a_missing_code_begins_a_window(tmp_path: Path) -> None:
    path = broken_log(tmp_path)
    options: dict[str, Any] = {"target": "fault", "ignore": ("unit",), "window": 64}
    config = fs.ReplayConfig(str(path), missing_codes=(-99999,), **options)
    emptied = tmp_path / "emptied.csv"
    emptied.write_text(path.read_text().replace("\n-99999,", "\n,"))
    found, expected = (
        rows(fs.Replay(one).stream)[0] for one in (config, fs.ReplayConfig(str(emptied), **options))
    )
    assert np.array_equal(found, expected)
    assert not any("-99999" in one for one in fs.replay(config).warnings)


@pytest.mark.parametrize("huge", [1e30, 1e39])
def test_a_sample_too_large_for_windows_is_a_gap(tmp_path: Path, huge: float) -> None:
    x = np.random.default_rng(0).normal(size=600)
    x[300] = huge
    path = tmp_path / "s.csv"
    path.write_text("a,y\n" + "".join(f"{v!r},{i // 100 % 2}\n" for i, v in enumerate(x.tolist())))
    plan = ek.Windows(1, 64, 16, ("rms",), 100, "float32")
    stream = Windowed(open_stream(str(path), target="y"), plan, "majority")
    assert stream.gaps == 1
    found = rows(stream)[0]
    assert len(found) == (300 - 64) // 16 + 1 + (299 - 64) // 16 + 1
    assert found.max() < 2.0


def test_a_plan_of_rows_with_so_many_numbers() -> None:
    options = {"size": 64, "hop": 16, "rate": 100}
    assert windows_of_rows(6, features=("rms", "kurtosis"), **options).channels == 3
    assert windows_of_rows(3, features=("correlation",), **options).channels == 3  # three pairs
    with pytest.raises(ValueError, match="no windows have rows of 7 numbers"):
        windows_of_rows(7, features=("rms", "kurtosis"), **options)
    with pytest.raises(ValueError, match="features must be among"):
        windows_of_rows(7, features=("odd",), **options)


def test_what_comes_once_has_no_windows(tmp_path: Path) -> None:
    samples = open_stream(str(log(tmp_path)[0]), target="fault", ignore=("unit",))
    samples.kept = 100
    with pytest.raises(fs.StreamError, match=r"can be read again: machine.csv is live"):
        Windowed(samples, ek.Windows(2, 64, 16, ("rms",), 100, "int16"), "last")
