"""The folder of a report: one replay at a time, no file of another's, no loss for a picture."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import NotWrittenError
from firmware_sim.report import hints, summary, to_text, writing
from firmware_sim.report.writing import claimed, write_each

NAMES = ("algorithm", "kind", "params", "kernel", "scale", "window", "features")
SHORT = ["replay", "occupancy", "--ram", "8KiB", "--limit", "200", "--gamma", "0.2"]


def short() -> fs.ReplayResult:
    return fs.replay(fs.ReplayConfig("occupancy", ram="8KiB", limit=50, gamma=0.2))


def test_two_replays_do_not_share_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with claimed(tmp_path):
        # Where a folder itself cannot be locked there is a file, which goes with the claim.
        before = list(tmp_path.iterdir())
        assert main([*SHORT, "--out", str(tmp_path)]) == 2
        assert f"another replay is writing to {tmp_path}" in capsys.readouterr().err
        with pytest.raises(fs.SimulatorError, match=r"another replay.*--out"):
            fs.write_report(short(), tmp_path)
        assert list(tmp_path.iterdir()) == before
    assert not list(tmp_path.iterdir())
    assert main([*SHORT, "--out", str(tmp_path), "--quiet", "--no-picture"]) == 0


def test_earlier_report_is_replaced_whole(tmp_path: Path) -> None:
    result = short()
    assert len(fs.write_report(result, tmp_path)) == 4
    (tmp_path / "notes").touch()
    fs.write_report(result, tmp_path, picture=False)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["notes", "report.html", "report.json", "report.txt"]


def test_without_matplotlib_the_report_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        writing, "find_spec", lambda name: None if name == "matplotlib" else find_spec(name)
    )
    assert main([*SHORT, "--out", str(tmp_path)]) == 0
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith("firmware_sim: no picture: matplotlib is not installed (pip install")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "report.html",
        "report.json",
        "report.txt",
    ]
    assert main([*SHORT, "--out", str(tmp_path), "--no-picture"]) == 0
    assert "matplotlib" not in capsys.readouterr().err


def test_without_jinja_there_is_no_page_but_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        writing, "find_spec", lambda name: None if name == "jinja2" else find_spec(name)
    )
    (tmp_path / "report.html").write_text("older")
    assert main([*SHORT, "--out", str(tmp_path), "--no-picture"]) == 0
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == ("firmware_sim: no page: jinja2 is not installed (pip install 'edgeolk[sim]')")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "report.txt"]


def test_imports_are_only_what_is_used(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom firmware_sim.cli import main\n"
        f"code = main({[*SHORT, '--out', str(tmp_path), '--no-picture', '--quiet']!r})\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(code, sorted(loaded & {'matplotlib', 'tqdm', 'paho', 'PIL', 'scipy'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 []\n"


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """A disk that takes so many bytes of each file, and then no more."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_no_half_file_and_the_report_is_printed(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    small_files: Callable[[int], None],
) -> None:
    out, model = tmp_path / "out", tmp_path / "model.zip"
    command = [*SHORT, "--out", str(out), "--no-picture", "--save-model", str(model)]
    assert main(command) == 0
    text = (out / "report.txt").read_text(encoding="utf-8")
    before = model.read_bytes()
    assert len(text) < 4000 < len(before)
    capsys.readouterr()
    small_files(4000)
    assert main(command) == 1
    said = capsys.readouterr()
    assert "\nstream    occupancy: 200 rows read" in said.out
    assert f"report    {out / 'report.txt'}\n" in said.out
    for name in (out / "report.json", out / "report.html", model):
        assert f"cannot write to {name}: File too large" in said.err
    assert [path.name for path in out.iterdir()] == ["report.txt"]
    assert model.read_bytes() == before
    small_files(100)
    assert main(command) == 1
    assert "\nstream    occupancy: 200 rows read" in capsys.readouterr().out
    assert not list(out.iterdir())
    with pytest.raises(NotWrittenError, match=r"report\.txt: File too large; .*report\.json: File"):
        fs.write_report(short(), out, picture=False)


def test_names_of_a_stream_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = tmp_path / "s.csv"
    lines = [f"{i},{i % 7},{i % 2}" for i in range(60)]
    stream.write_text("a\x1b]0;owned\x07,$\\frac{,y\n" + "\n".join(lines) + "\n,1,1\n")
    arguments = ["replay", str(stream), "--ram", "8KiB", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--target", "y"]) == 0  # a formula in a name breaks no picture
    assert main([*arguments, "--target", "z"]) == 2
    printed = capsys.readouterr()
    text = (tmp_path / "out" / "report.txt").read_text(encoding="utf-8")
    assert r"a\x1b]0;owned\x07 1" in text
    for shown in (printed.out, printed.err, text):
        assert "\x1b" not in shown
        assert "\x07" not in shown


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("older")

    def write(path: Path) -> None:
        assert path.parent == tmp_path
        path.write_text("new")
        assert not (tmp_path / "a.txt").exists()

    assert write_each(tmp_path, {"a.txt": write}) == [tmp_path / "a.txt"]
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["new"]


def test_one_that_fails_keeps_no_other_back(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "held").touch()
    named = re.escape(str(tmp_path / "b"))
    with pytest.raises(NotWrittenError, match=f"^cannot write to {named}: ") as error:
        write_each(tmp_path, {"a": "text", "b": "", "c": {"one": 1}})
    assert error.value.files == [tmp_path / "a", tmp_path / "c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]
    assert (tmp_path / "a").read_text(encoding="utf-8") == "text"
    assert (tmp_path / "c").read_text(encoding="utf-8") == '{\n "one": 1\n}\n'


def test_hints_are_tried_for_a_limited_time() -> None:
    params = {"history": False}
    config = fs.ReplayConfig("office", kind="novelty", ram="2KiB", params=params)
    result = fs.replay(config)
    known = hints.tried_hints(result, clock=lambda: 0.0)
    assert hints.loses(result.metrics)
    assert "nu=0.01; " in known
    times = iter([0.0, 1.0, hints.SECONDS + 0.1])
    assert hints.tried_hints(result, clock=lambda: next(times)) != known
    times = iter([0.0, hints.SECONDS + 0.1])
    assert hints.tried_hints(result, clock=lambda: next(times)) == ""


def test_the_speed_of_a_replay_without_time_is_not_told() -> None:
    result = fs.replay(fs.ReplayConfig("occupancy", ram="2KiB", limit=50))
    assert "rows per second" in to_text(result)
    assert "rows per second" not in to_text(replace(result, seconds=0.0))


@pytest.mark.parametrize(
    ("stream", "options", "expected"),
    [
        ("occupancy", {"algorithm": "bsgd", "params": {"lam": 0.1}},
         "--algorithm bsgd --param lam=0.1"),
        ("occupancy", {"algorithm": "rbp", "kernel": "laplacian"},
         "--algorithm rbp --kernel laplacian"),
        ("occupancy", {"window": 32, "features": ("rms",)}, "--window 32 --features rms"),
        ("house", {"kind": "regression", "algorithm": "krls", "params": {"nu": 0.1}},
         "--algorithm krls --kind regression --param nu=0.1"),
        ("occupancy", {}, ""),
    ],
)  # fmt: skip
def test_the_fewest_options_that_give_a_learner(
    stream: str, options: dict[str, Any], expected: str
) -> None:
    """Without its kind, a learner of real numbers is an error: such options are not enough."""
    config = fs.ReplayConfig(stream, ram="4KiB", **options)
    assert summary.options(config, NAMES) == expected
