"""The command that replays: learners that are exported or not, and a leak in a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_sim.cli import main, replay, terminal
from firmware_sim.streams import stdin

EXPORTED = ["--limit", "60", "--no-picture", "--quiet"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "house", "--kind", "regression", "--algorithm", "ogd"],
         "--export is not for --kind regression: "),
        (["replay", "occupancy", "--algorithm", "rbp"], "a learner that scales its readings"),
        (["replay", "occupancy", "--algorithm", "perceptron", "--scale", "none"], ""),
    ],
)  # fmt: skip
def test_some_learners_are_not_exported(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "c"
    code = main([*words, *EXPORTED, "--out", str(tmp_path / "out"), "--export", str(place)])
    assert said in capsys.readouterr().err
    assert (code, place.exists()) == ((2, False) if said else (0, True))


def test_a_learner_in_a_process_is_exported_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "c"
    words = ["replay", "occupancy", *EXPORTED, "--out", str(tmp_path / "out")]
    code = main([*words, "--enforce", "process", "--export", str(place)])
    if "cannot be limited here" in (said := capsys.readouterr().err):
        pytest.skip(said)
    assert (code, said) == (0, "")
    assert (place / "model.h").exists()


def test_an_export_that_fails_loses_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def export_c(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(replay.ek, "export_c", export_c)
    words = ["replay", "occupancy", *EXPORTED, "--out", str(tmp_path / "out")]
    assert main([*words, "--export", str(tmp_path / "c")]) != 0
    assert f"--export {tmp_path / 'c'}: the disk is full" in capsys.readouterr().err
    assert (tmp_path / "out" / "report.json").exists()


def test_a_leak_that_harms_nothing_has_the_code_of_its_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(replay, "run_in_child", lambda words: (len(words), None))
    assert replay._run_leaking(["replay", "occupancy"]) == 2
    monkeypatch.setattr(replay, "run_in_child", lambda words: (-11, "SIGSEGV"))
    assert replay._run_leaking([]) == 3
    assert "the device wrote beyond its cap and died: SIGSEGV" in capsys.readouterr().err


@pytest.mark.parametrize("is_live", [False, True])
def test_the_wait_for_a_live_row_is_no_slow_step(
    is_live: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = "x,z,y\n" + "".join(f"{at % 7},{at % 3},{at % 2}\n" for at in range(300))
    path = tmp_path / "rows.csv"
    path.write_text(rows, encoding="utf-8")
    monkeypatch.setattr(stdin, "_blocks", lambda _: iter([rows.encode(), b""]))
    monkeypatch.setattr(terminal, "SLOW", 0.0)  # every step is
    source = "-" if is_live else str(path)
    words = ["replay", source, "--target", "y", "--ram", "2KiB", "--limit", "280", "--no-picture"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    assert ("warning: a step takes" in capsys.readouterr().err) is not is_live
