"""The history that Home Assistant exports, read as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.streams.opening import open_stream

HISTORY = """entity_id,state,last_changed
sensor.temperature,12.4,2026-01-05T10:00:00.000Z
sensor.temperature,12.5,2026-01-05T10:05:00.000Z
sensor.temperature,12.6,2026-01-05T10:10:00.000Z
sensor.humidity,71,2026-01-05T10:00:00.000Z
sensor.humidity,unavailable,2026-01-05T10:05:00.000Z
sensor.humidity,72,2026-01-05T10:07:00.000Z
binary_sensor.door,off,2026-01-05T10:05:00.000Z
binary_sensor.door,on,2026-01-05T10:10:00.000Z
"""


def table(path: Path, **options: object) -> tuple[fs.Stream, list[tuple[list[float], str]]]:
    stream = open_stream(str(path), **options)  # type: ignore[arg-type]
    row = [0.0] * len(stream.features)
    found = []
    for sample in stream.samples(row):
        assert not sample.damage
        found.append(([*row], sample.label))
    assert stream.count() == len(found)
    return stream, found


def test_entities_are_columns_and_changes_are_rows(tmp_path: Path) -> None:
    (tmp_path / "history.csv").write_text(HISTORY, encoding="utf-8")
    stream, found = table(tmp_path / "history.csv", target="binary_sensor.door")
    assert stream.features == ("sensor.temperature", "sensor.humidity")
    nan = pytest.approx(float("nan"), nan_ok=True)
    assert found == [
        ([12.4, 71.0], ""), ([12.5, nan], "off"), ([12.5, 72.0], "off"), ([12.6, 72.0], "on"),
    ]  # fmt: skip
    assert any("last_changed" in note for note in stream.notes)


def test_the_order_of_the_lines_does_not_matter(tmp_path: Path) -> None:
    head, *lines = HISTORY.splitlines()
    expected = None
    for each in (lines, sorted(lines, key=lambda line: line[-24:]), lines[::-1]):
        path = tmp_path / "history.csv"
        path.write_text("\n".join([head, *each]) + "\n", encoding="utf-8")
        stream = open_stream(str(path), labelled=False)
        row = [0.0] * len(stream.features)
        places = sorted(range(len(row)), key=lambda i, names=stream.features: names[i])
        rows = [str([row[i] for i in places]) for _ in stream.samples(row)]
        expected = expected or rows
        assert rows == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entity_id,state,last_changed\na,1,yesterday\n", "line 2: last_changed is 'yesterday'"),
        ("entity_id,state,last_changed\n", "no row after the header"),
    ],
)
def test_damaged_histories(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "history.csv").write_text(text, encoding="utf-8")
    with pytest.raises(fs.StreamError, match=message):
        open_stream(str(tmp_path / "history.csv"))


def test_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["entity_id,state,last_changed"]
    for i in range(200):
        at = f"2026-01-05T{i // 10:02}:{i % 10 * 6:02}"
        lines.append(f"sensor.temperature,{'unavailable' if i == 9 else 20 + i % 5},{at}:00.000Z")
        if i % 3 == 0:
            lines.append(f"binary_sensor.door,{'on' if i % 5 > 2 else 'off'},{at}:00.000Z")
    Path("history.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    quiet = ["--quiet", "--no-picture", "--ram", "4KiB"]
    assert main(["replay", "history.csv", "--target", "binary_sensor.door", *quiet]) == 0
    assert main(["replay", "history.csv", "--kind", "novelty", *quiet]) == 0


def test_a_header_that_comes_again_is_no_change(tmp_path: Path) -> None:
    """As where two exports were put together."""
    head, *lines = HISTORY.splitlines()
    rows = []
    for text in ([head, *lines], [head, *lines[:3], head, *lines[3:]]):
        (tmp_path / "history.csv").write_text("\n".join([*text, ""]), encoding="utf-8")
        rows.append(table(tmp_path / "history.csv", target="binary_sensor.door")[1])
    assert repr(rows[0]) == repr(rows[1])
