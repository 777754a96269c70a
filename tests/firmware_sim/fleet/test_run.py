"""Runs of a fleet: the same records however they come about, and a report of them."""

from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path

import pytest
from fleets import write_fleet

from firmware_sim.cli import main
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import Fleet, read_configurations, read_manifest, run_fleet
from firmware_sim.fleet.journal import JOURNAL


def run(folder: Path, out: str, **options: object) -> Fleet:
    return run_fleet(
        read_manifest(str(folder / "manifest.csv")),
        read_configurations(folder / "configs.toml"),
        folder / out,
        **options,  # type: ignore[arg-type]
    )


@pytest.fixture
def folder(tmp_path):
    write_fleet(tmp_path, boards=5)
    return tmp_path


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A run of that fleet."""
    place = tmp_path_factory.mktemp("fleet")
    write_fleet(place, boards=5)
    run(place, "whole")
    return place / "whole"


@pytest.fixture
def whole(folder, done):
    shutil.copytree(done, folder / "whole")
    return (folder / "whole" / "records.jsonl").read_bytes()


def test_records_are_in_the_order_of_the_manifest(folder, whole):
    rows = [json.loads(line) for line in whole.splitlines()]
    assert [row["device"] for row in rows] == [f"board{i}" for i in range(5) for _ in range(3)]
    assert [row["configuration"] for row in rows] == ["small", "wide", "usual"] * 5
    assert len({row["key"] for row in rows}) == 15
    assert all(row["status"] == "done" for row in rows)
    assert "seconds" not in rows[0]


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(folder, whole):
    left = iter([False, False, True])
    first = run(folder, "again", should_stop=lambda: next(left))
    assert not first.complete
    assert len(first.records) == 6
    done: list[int] = []
    second = run(folder, "again", on_start=lambda total, there: done.append(there))
    assert done == [2]
    assert second.complete
    assert second.earlier == 6
    assert (folder / "again" / "records.jsonl").read_bytes() == whole


def test_a_line_that_was_cut_off_is_done_again(folder, whole):
    journal = folder / "whole" / JOURNAL
    text = journal.read_bytes()
    cut = text[: text.rstrip(b"\n").rfind(b"\n") + 200]
    journal.write_bytes(cut)
    assert run(folder, "whole").earlier == 12
    assert (folder / "whole" / "records.jsonl").read_bytes() == whole
    assert run(folder, "whole").earlier == 15


def test_another_content_or_configuration_is_done_anew_and_nothing_else(folder, whole):
    log = folder / "logs" / "log1.csv"
    log.write_text(log.read_text(encoding="utf-8") + "0,20,3,1\n")
    configs = folder / "configs.toml"
    configs.write_text(configs.read_text(encoding="utf-8").replace("gamma = 0.5", "gamma = 0.6"))
    found = run(folder, "whole")
    assert found.earlier == 15 - 5 - 2  # one configuration everywhere, the others on one board
    assert found.complete


def test_a_board_that_cannot_be_read_is_recorded_and_tried_again(folder, whole):
    log = folder / "logs" / "log2.csv"
    text = log.read_text(encoding="utf-8")
    log.unlink()
    found = run(folder, "gap")
    assert {(one.device, one.status) for one in found.failed} == {("board2", "failed")}
    assert all("cannot be read" in one.detail for one in found.failed)
    log.write_text(text)
    assert not run(folder, "gap").failed
    assert (folder / "gap" / "records.jsonl").read_bytes() == whole


def test_models_that_are_missing_are_made(folder, whole):
    run(folder, "whole", models=folder / "models")
    names = {path.name for path in (folder / "models").glob("*.olk")}
    assert {f"board{i}.usual.olk" for i in range(5)} <= names
    (folder / "models" / "board3.usual.olk").unlink()
    started: list[tuple[int, int]] = []
    run(folder, "whole", models=folder / "models", on_start=lambda *n: started.append(n))
    assert started == [(5, 4)]
    assert (folder / "models" / "board3.usual.olk").exists()


def test_learners_beyond_the_memory_of_a_worker_are_refused_before_the_start(folder):
    with pytest.raises(SimulatorError, match="18,432 bytes, the sum of their caps"):
        run(folder, "none", worker_memory=18_431)
    assert not (folder / "none").exists()
    assert run(folder, "some", worker_memory=18_432).complete


def test_records_as_parquet(folder, whole):
    parquet = pytest.importorskip("pyarrow.parquet")
    run(folder, "whole", form="parquet")
    first = (folder / "whole" / "records.parquet").read_bytes()
    table = parquet.read_table(folder / "whole" / "records.parquet").to_pylist()
    assert table == [json.loads(line) for line in whole.splitlines()]
    run(folder, "other", form="parquet")
    assert (folder / "other" / "records.parquet").read_bytes() == first


def command(folder: Path, *words: str) -> int:
    manifest, configs = str(folder / "manifest.csv"), str(folder / "configs.toml")
    return main(["fleet", manifest, "--configs", configs, "--workers", "1", *words])


def test_the_command_prints_and_writes_its_report(folder, whole, capsys):
    assert command(folder, "--out", str(folder / "out")) == 0
    said = capsys.readouterr()
    assert "at most 18,432 bytes" in said.err
    assert "5 boards x 3 configurations: 15 done, 0 failed" in said.out
    assert "has the lowest error" in said.out
    assert "95 % interval" in said.out
    assert (folder / "out" / "records.jsonl").read_bytes() == whole
    assert (folder / "out" / "fleet.txt").read_text(encoding="utf-8") in said.out + "\n"
    assert (folder / "out" / "fleet.html").exists()


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_no_half_file_and_the_report_is_printed(
    folder, whole, capsys, monkeypatch
):
    write = Path.write_text
    monkeypatch.setattr(
        Path,
        "write_text",
        lambda path, *words, **said: (full if ".fleet.html" in path.name else write)(
            path, *words, **said
        ),
    )
    monkeypatch.setattr("firmware_sim.fleet.journal._write_lines", full)
    out = folder / "whole"
    assert command(folder, "--out", str(out)) == 1
    said = capsys.readouterr()
    assert "5 boards x 3 configurations: 15 done, 0 failed" in said.out
    assert said.out.endswith(f"report    {out / 'fleet.txt'}\n")
    for name in ("fleet.html", "records.jsonl", "timings.jsonl"):
        assert f"cannot write to {out / name}: No space left" in said.err
    assert sorted(path.name for path in out.iterdir()) == ["fleet.txt", JOURNAL]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 1),
        (["--fail-on", "any"], 1),
        (["--fail-on", "all"], 0),
        (["--fail-on", "never"], 0),
        (["--fail-on", "6"], 1),
        (["--fail-on", "7"], 0),
    ],
)
@pytest.mark.spread(6)
def test_failed_runs_make_the_exit_code(folder, whole, capsys, words, code):
    for i in (1, 3):
        (folder / "logs" / f"log{i}.csv").unlink()
    assert command(folder, "--out", str(folder / "whole"), *words) == code
    said = capsys.readouterr()
    assert "9 done, 6 failed" in said.out
    assert ("6 of 15 runs failed (--fail-on " in said.err) is bool(code)


def test_a_folder_of_models_that_cannot_be_is_told(folder, capsys):
    models = folder / "configs.toml"
    words = ["--out", str(folder / "out"), "--quiet", "--save-models", str(models)]
    assert command(folder, *words) == 2
    said = capsys.readouterr().err
    # The rest are the system's words.
    assert f"cannot write to {models}: " in said
    assert said.endswith(" exists\n")


def test_all_runs_failed(folder, capsys):
    for log in (folder / "logs").iterdir():
        log.unlink()
    out = ["--out", str(folder / "out"), "--quiet", "--fail-on"]
    assert command(folder, *out, "all") == 1
    assert command(folder, *out, "never") == 0
    with pytest.raises(SystemExit, match="2"):
        command(folder, *out, "0")
    assert "'0' is not a whole number of at least 1, nor never" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--worker-memory", "1KiB"], "the sum of their caps"),
        (["--worker-memory", "much"], "--worker-memory"),
        (["--scheduler", "tcp://127.0.0.1:1"], "--workers starts local workers"),
    ],
)
def test_wrong_words_end_with_one_line(folder, capsys, words, why):
    assert command(folder, "--quiet", "--out", str(folder / "out"), *words) == 2
    said = capsys.readouterr()
    assert why in said.err
    assert said.err.count("\n") == 1
