"""What people run into: a wrong --positive, one class, a cut row, options twice, the model."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.cli.program import parser
from firmware_sim.cli.replay import to_config
from firmware_sim.report import hints, to_text
from firmware_sim.streams import open_stream


@pytest.fixture
def room(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    lines = ["light,noise,state"]
    for i in range(300):
        occupied = i // 30 % 2
        state = "occupied" if occupied else "empty"
        lines.append(f"{500 * occupied + rng.normal(0, 60):.2f},{rng.normal():.3f},{state}")
    path = tmp_path / "room.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def command(stream: Path, *more: str) -> list[str]:
    return [
        *("replay", str(stream), "--target", "state", "--ram", "8KiB", "--no-picture"),
        *("--out", str(stream.parent / "out"), *more),
    ]


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    try:
        code: object = main(arguments)
    except SystemExit as leave:
        code = leave.code
    assert code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.strip().splitlines()[-1]


def test_labels_that_are_all_one_get_a_warning(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(room, "--positive", "occupied", "--limit", "25")) == 0
    printed = capsys.readouterr()
    words = "all 25 labels mean -1 ('empty'): there is nothing to learn"
    assert f"firmware_sim: warning: {words}" in printed.err
    assert f"WARNING   {words}" in printed.out
    report = json.loads((room.parent / "out" / "report.json").read_text(encoding="utf-8"))
    assert [text[: len(words)] for text in report["warnings"]] == [words]


def test_nothing_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("a,b,y\n" + "1,2\n" * 9)
    with pytest.raises(fs.StreamError, match=r"no row has a value"):
        fs.replay(fs.ReplayConfig(str(path), target="y", algorithm="ahpatron"))
    with pytest.raises(fs.StreamError, match=r"none of the 9 rows can be read; row 1: 2 cells"):
        fs.replay(fs.ReplayConfig(str(path), target="y", gamma=1.0))


@pytest.mark.parametrize(
    ("first", "second"), [("--algorithm", "rbp"), ("--ram", "4KiB"), ("--gamma", "2")]
)
def test_option_given_twice_is_refused(
    room: Path, capsys: pytest.CaptureFixture[str], first: str, second: str
) -> None:
    line = refusal(command(room, first, second, first, "3"), capsys)
    assert f"argument {first}: given twice" in line


def test_repeatable_options_stay_so(room: Path) -> None:
    more = ("--missing-code", "-1", "--missing-code", "-2", "--ignore", "noise")
    assert main(command(room, "--positive", "occupied", "--quiet", *more)) == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(["--version"])
    assert leave.value.code == 0
    assert capsys.readouterr().out == f"firmware_sim {ek.__version__}\n"


def test_a_loser_is_told_what_does_better_and_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["replay", "occupancy", "--limit", "2000", "--no-picture", "--out", str(tmp_path / "o")]
    loses = [*base, "--ram", "2KiB", "--algorithm", "rbp", "--gamma", "50"]
    assert main(loses) == 0
    said = capsys.readouterr().out
    assert "does not beat no-change" in said
    line = next(line for line in said.splitlines() if line.startswith("Try next, with "))
    assert "No-change can be used only where each true label comes before the next row" in line
    assert line in html.unescape((tmp_path / "o/report.html").read_text(encoding="utf-8"))
    now = float(re.search(r"with ([\d.]+) % wrong on the same rows", line)[1])  # type: ignore[index]
    hints = re.findall(r"(--[a-z][^;(]*) \(([\d.]+) % wrong\)", line)
    assert hints
    for options, wrong in hints:
        assert float(wrong) < now
        words = [*base, "--ram", "2KiB", "--algorithm", "rbp", "--gamma", "50", "--quiet"]
        for flag, value in zip(*[iter(shlex.split(options))] * 2, strict=True):
            if flag in words and flag != "--param":
                words[words.index(flag) + 1] = value
            else:
                words += [flag, value]
        assert main(words) == 0
        error = json.loads((tmp_path / "o/report.json").read_text(encoding="utf-8"))["metrics"][
            "learner"
        ]["error"]
        assert f"{100 * error:.2f}" == wrong


def test_hints_that_change_nothing_are_not_given(room: Path) -> None:
    wins = fs.ReplayConfig(str(room), target="state", positive="occupied", limit=200, ram="8KiB")
    result = fs.replay(wins)
    for baseline in (result.metrics.no_change, result.metrics.majority):  # type: ignore[attr-defined]
        baseline.add_block(np.full(1000, -1), np.full(1000, 1))  # 1,000 wrong answers
    assert hints.tried_hints(result) == ""
    late = fs.replay(fs.ReplayConfig("occupancy", limit=500, label_delay=60, label_missing=0.2))
    assert hints.loses(late.metrics)
    assert hints.tried_hints(late) == ""  # nothing of it has another option
    narrow = fs.ReplayConfig("occupancy", limit=300, ram=800, algorithm="rbp", dtype="int8")
    sizes = [text for text, _ in hints._candidates(fs.replay(narrow)) if "--ram" in text]
    assert sizes == ["--ram 3200"]  # its storage cannot be narrower
    words = {"params": {"history": False}}
    office = fs.replay(fs.ReplayConfig("office", kind="novelty", ram="2KiB", **words))
    assert hints.loses(office.metrics)
    # Another share of novel rows moves the threshold, and no score.
    said = hints.tried_hints(office)
    assert "Try next" not in said
    assert "no better: --param nu=0.01; --param nu=0.1" in said


def test_figures_are_explained_under_their_table() -> None:
    text = to_text(fs.replay(fs.ReplayConfig("occupancy", limit=300, ram="4KiB")))
    assert "  kappa: agreement beyond chance: 1 is perfect, 0 no better than guessing" in text
    assert "  kappa vs no-change: 1 is perfect, 0 as good as repeating the last label" in text


def test_learner_as_c(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is at the end; refused where something beside the learner scales."""
    board = room.parent / "board"
    base = command(room, "--positive", "occupied", "--export", str(board))
    assert main([*base, "--algorithm", "rbp"]) == 2
    assert "--export needs a learner that scales its readings itself" in capsys.readouterr().err
    assert not board.exists()
    assert main([*base, "--algorithm", "fogd", "--scale", "none"]) == 2
    assert "fogd cannot be exported" in capsys.readouterr().err
    assert main(base) == 0
    assert str(board) in capsys.readouterr().out
    assert "EK_LEARNS 1" in (board / "model.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("house", ["--kind", "regression", "--algorithm", "ogd"]),
        ("office", ["--kind", "novelty", "--param", "nu=0.5"]),
        ("office", ["--kind", "novelty", "--param", "history=false"]),
    ],
)
@pytest.mark.spread(3)
def test_script_for_targets_and_without_labels(
    stream: str, words: list[str], tmp_path: Path
) -> None:
    """It answers, row by row, what a replay that goes on answers; classes: test_board_script.py."""
    model, script = tmp_path / "model.zip", tmp_path / "run.py"
    first = 860 if stream == "office" else 300  # something unusual happens later
    base = ["replay", stream, "--ram", "8KiB", "--out", str(tmp_path / "out"), "--quiet"]
    kept = ["--save-model", str(model), "--write-script", str(script), "--no-picture"]
    assert main([*base, *words, "--limit", f"{first}", *kept]) == 0
    twin = fs.Replay(to_config(parser().parse_args([*base, *words, "--limit", f"{first}"])))
    twin.run()
    device = twin.device
    scaler, targets, learner = device.scaler, device.target_scaler, device.learner
    row = np.empty(len(twin.stream.features))
    asked, expected = [], []
    for sample in open_stream(stream, target=twin.stream.target).samples(row):
        if sample is None or not first < sample.number <= first + 60:
            continue
        asked.append(",".join([*map(repr, row.tolist()), sample.label]))
        if scaler is not None:
            scaler.learn_transform_one(row, row)
        if stream == "office":
            expected.append("novel" if learner.predict_one(row) < 0 else "usual")
            learner.learn_one(row)
        else:
            mean, spread = targets.mean_[0], targets.scale_[0]
            expected.append(f"{mean + spread * learner.decision_one(row):.6f}")
            learner.learn_one(row, targets.learn_transform_one(np.array([float(sample.label)]))[0])
    done = subprocess.run(
        [sys.executable, script.name],
        input="\n".join(asked),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    said = done.stdout.split()
    assert [f"{float(one):.6f}" if stream == "house" else one for one in said] == expected
    assert len(set(expected)) > 1
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 210


def test_model_is_taken_out_of_its_process(room: Path) -> None:
    held = []
    for enforce in ("arena", "process"):
        model = room.parent / f"{enforce}.zip"
        words = ["--positive", "occupied", "--quiet", "--no-picture", "--save-model", str(model)]
        assert main(command(room, *words, "--enforce", enforce)) == 0
        with zipfile.ZipFile(model) as box:
            held.append({name: box.read(name) for name in box.namelist()})
    assert held[0] == held[1]


def test_no_model_is_written_of_a_process_that_has_died(room: Path) -> None:
    model = room.parent / "dead.zip"
    words = ["--positive", "occupied", "--quiet", "--no-picture", "--save-model", str(model)]
    assert main(command(room, *words, "--enforce", "process", "--inject", "leak=64KiB")) == 3
    assert not model.exists()


def test_model_that_cannot_be_had(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = command(room, "--positive", "occupied")
    assert "needs --save-model" in refusal([*base, "--write-script", "run.py"], capsys)
    gone = str(room.parent / "no" / "such")
    assert "cannot write to" in refusal([*base, "--save-model", gone], capsys)
