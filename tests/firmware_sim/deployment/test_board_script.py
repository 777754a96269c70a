"""The program that runs a saved model: it makes the mistakes that the replay makes."""

from __future__ import annotations

import ast
import shutil
import signal
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import by_pairs

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.streams import open_stream

FIRST, ALL = 200, 400
#: Cells that hold no label.
NOTHING = ("", "NA", "nan", " null ")


def stream(path: Path, words: list[tuple[str, ...]]) -> list[tuple[str, int | None]]:
    """Write rows; return each with its class, or None where the label cell holds nothing."""
    rng = np.random.default_rng(3)
    lines, held = [], []
    for number in range(ALL):
        x = rng.normal(size=3)
        place = int(x[0] * x[1] > 0.1) if len(words) == 2 else int(np.digitize(x[0], [-0.5, 0.5]))
        word = words[place][number % len(words[place])]
        known: int | None = place
        if number % 7 == 0:
            word, known = NOTHING[number // 7 % len(NOTHING)], None
        cell = f'"{word}"' if "," in word else word
        lines.append(",".join([*map(repr, x.tolist()), cell]))
        held.append((lines[-1], known))
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return held


def deployed(path: Path, **said: object) -> tuple[fs.Replay, float]:
    """Replay a stream, and write the model and its program beside it; return the loss too."""
    replay = fs.Replay(fs.ReplayConfig(str(path), target="y", **said))  # type: ignore[arg-type]
    loss = replay.run().metrics.loss("learner")
    fs.save_model(replay, path.parent / "m.zip")
    fs.write_script(replay, path.parent / "run.py", "m.zip")
    return replay, loss


#: The words of each class, and what is said of them.
Labels = tuple[list[tuple[str, ...]], dict[str, str]]
LABELS: list[Labels] = [
    ([("no",), ("yes", "Yes")], {}),
    ([("0",), ("1", "1.0")], {}),
    ([("-1", "-1.0"), ("+1", "1")], {}),
    ([("out", "away"), ("in", "in ")], {"positive": "in"}),
    ([("3", "4"), ("5", "5.0")], {"positive": "5"}),
    ([("low",), ("idle, yes",), ("high",)], {"kind": "multiclass"}),
    ([("1", "1.0"), ("2",), ("10",)], {"kind": "multiclass"}),
]


@pytest.mark.parametrize(
    ("labels", "algorithm", "scale"), by_pairs(LABELS, [None, "bpa_s"], [None, "none"])
)
@pytest.mark.spread(6)
def test_same_mistakes(
    labels: Labels, algorithm: str | None, scale: str | None, tmp_path: Path
) -> None:
    words, options = labels
    path = tmp_path / "s.csv"
    held = stream(path, words)
    more = {**options}
    more |= {} if algorithm is None else {"algorithm": algorithm}
    more |= {} if scale is None else {"scale": scale}
    base = {"ram": "8KiB", "gamma": 0.5, **more}
    if options.get("kind") == "multiclass":
        base["classes"] = tuple(names[0] for names in words)
    first, before = deployed(path, limit=FIRST, **base)
    whole = fs.replay(fs.ReplayConfig(str(path), target="y", **base))  # type: ignore[arg-type]
    rest = held[FIRST:]
    said = ran(tmp_path, [line for line, _ in rest])
    assert len(said) == len(rest)
    names = [group[0] for group in words] if "classes" in base else ["-1", "1"]
    wrong = sum(
        one != names[place] for one, (_, place) in zip(said, rest, strict=True) if place is not None
    )
    # A scaler inside the learner knows a row that is learned before it is scored, in the replay,
    # and not when it is asked beforehand: a score near 0 may fall on the other side.
    slack = 1 if first.config.scales_inside else 0
    assert abs(wrong - (whole.metrics.loss("learner") - before)) <= slack
    assert 0 < wrong < len(rest) / 2


def ran(folder: Path, lines: list[str]) -> list[str]:
    """What the program answers."""
    done = subprocess.run(
        [sys.executable, "run.py"],
        input="\n".join(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("zone", ["", "Z"])
def test_the_clock_of_the_board(zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program reads the time where the replay reads it in the stream: the answers are its."""
    rng = np.random.default_rng(2)
    start = np.datetime64("2024-03-04T00:00:00")
    readings = rng.normal(size=ALL).tolist()
    labels = [int(7 <= i % 24 < 17) for i in range(ALL)]
    lines = [
        f"{start + np.timedelta64(i, 'h')}{zone},{x},{y}"
        for i, (x, y) in enumerate(zip(readings, labels, strict=True))
    ]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["at,a,y", *lines]) + "\n")
    base = {"ram": "4KiB", "clock": True}
    _, before = deployed(path, limit=FIRST, **base)
    whole = fs.replay(fs.ReplayConfig(str(path), target="y", **base))  # type: ignore[arg-type]
    # An hour passes between two looks at the time; a zone counts only where the times have none.
    behind = 0 if zone else 5 * 3600
    at = start.astype(int).item() + FIRST * 3600 + behind
    (tmp_path / "sitecustomize.py").write_text(
        f"import itertools, time\nhours = itertools.count({at}, 3600)\n"
        "time.time = lambda: next(hours)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TZ", "XXX5")
    rest = list(zip(readings[FIRST:], labels[FIRST:], strict=True))
    said = ran(tmp_path, [f"{x},{y}" for x, y in rest])
    wrong = sum(one != ("1" if y else "-1") for one, (_, y) in zip(said, rest, strict=True))
    assert abs(wrong - (whole.metrics.loss("learner") - before)) <= 1
    assert wrong < 0.15 * len(rest)


def test_targets_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = [f"{i % 7},{i % 5},{i % 7 + i % 5}" for i in range(100)]
    path.write_text("a,b,y\n" + "\n".join(rows) + "\n")
    deployed(path, kind="regression", ram="8KiB")
    # An absent reading is the forecaster's to take; too few cells are a damaged row.
    said = ran(tmp_path, ["1,2,", "1,2,NA", "1,2,inf", "1,2,3", "1", "1,2", ",2,3", "1,2,3"])
    assert said[3] != said[7]  # it has learned from one row
    assert [place for place, one in enumerate(said) if one == "skipped"] == [4]
    assert said[0] == said[1] == said[2] == said[3]


def late(folder: Path, kind: str, **more: object) -> tuple[list[float], list[str]]:
    """The answers of a replay whose labels come five rows late, and what the program answers.

    The program continues after the first rows; a line holds its readings and the label that is
    known by then. Line 250 is damaged, and line 260 has no label.
    """
    rng = np.random.default_rng(8)
    x = np.round(64 * rng.normal(size=(ALL, 2))) / 64  # exact in the row buffer
    y = [a * b + a if kind == "regression" else float(a * b > 0) for a, b in x.tolist()]
    cells = [[f"{a!r},{b!r}", repr(label)] for (a, b), label in zip(x.tolist(), y, strict=True)]
    cells[250][0], cells[260 - 5][1] = "1.0,broken", ""
    path = folder / "s.csv"
    path.write_text("\n".join(["a,b,y", *map(",".join, cells)]) + "\n")
    base = {"kind": kind, "ram": "4KiB", "label_delay": 5, **more}
    deployed(path, limit=FIRST, **base)
    replay = fs.Replay(fs.ReplayConfig(str(path), target="y", **base))  # type: ignore[arg-type]
    answers: list[float] = []
    replay.run(on_result=lambda found: answers.extend(found.learned["score"].tolist()))
    lines = [f"{cells[at][0]},{cells[at - 5][1]}" for at in range(FIRST, ALL)]
    return answers[FIRST:], ran(folder, lines)


@pytest.mark.parametrize("more", [{}, {"label_queue": 9}])
def test_forecasts_of_targets_that_come_late(tmp_path: Path, more: dict[str, object]) -> None:
    """The program answers what the replay answers, to the last digit."""
    answers, said = late(tmp_path, "regression", **more)
    assert said.pop(50) == "skipped"
    # The replay knows that row 255 has no target; the program hears of it five lines later.
    before, after = 255 - FIRST - 1, 260 - FIRST - 1
    assert [float(one) for one in said[:before]] == answers[:before]
    assert len(set(said[after:])) > 100


def test_classes_that_come_late(tmp_path: Path) -> None:
    answers, said = late(tmp_path, "binary")
    assert said.pop(50) == "skipped"
    said.pop(54)  # row 255, which the replay leaves out since its label never comes
    same = sum((float(one) > 0) == (score >= 0) for one, score in zip(said, answers, strict=True))
    assert same > 0.95 * len(said)  # five rows were pending in the board's RAM


def kept_script(folder: Path, every: int) -> tuple[Path, list[str]]:
    """A script of a model of a few rows, and rows that come after them."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    readings = rng.normal(size=(400, 2)).tolist()
    rows = [f"{a!r},{b!r},{int(a * b > 0)}" for a, b in readings]
    path = folder / "s.csv"
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    deployed(path, ram="4KiB", limit=100, checkpoint_every=every)
    return folder / "run.py", rows[100:]


class Running:
    """The program at work, in a folder that is not its own."""

    def __init__(self, script: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            text=True,
            bufsize=1,
        )
        # Read all the time: a full pipe, of 4 KiB on Windows, would stop the program.
        self._stderr, self.process.stderr = self.process.stderr, None
        assert self._stderr is not None
        self.said = self._stderr.readline()
        self._rest: list[str] = []
        self._reader = threading.Thread(target=self._rest.extend, args=[self._stderr], daemon=True)
        self._reader.start()

    def ask(self, rows: list[str]) -> list[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answers = []
        for row in rows:
            self.process.stdin.write(row + "\n")
            answers.append(self.process.stdout.readline().strip())
        return answers

    def end(self, number: int | None) -> tuple[int, str]:
        if number is not None:
            self.process.send_signal(number)
            self.process.wait()
        self.process.communicate()
        self._reader.join()
        assert self._stderr is not None
        self._stderr.close()
        return self.process.returncode, "".join(self._rest)


@pytest.mark.parametrize("horizon", [1, 5])
def test_a_forecast_goes_on_as_the_replay_does(tmp_path: Path, horizon: int) -> None:
    draws = np.random.default_rng(8)
    y = np.cumsum(draws.normal(size=400)) + 5.0
    x = y + draws.normal(size=400)
    rows = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["x,y", *rows]) + "\n")
    known: dict[str, Any] = {"forecast": "y", "horizon": horizon, "season": 0, "ram": "4KiB"}
    found: list[np.ndarray] = []
    fs.Replay(fs.ReplayConfig(str(path), **known)).run(
        on_result=lambda batch: found.append(batch.rows["score"].copy())
    )
    replay = fs.Replay(fs.ReplayConfig(str(path), limit=250, **known))
    replay.run()
    fs.save_model(replay, tmp_path / "m.zip")
    fs.write_script(replay, tmp_path / "run.py", tmp_path / "m.zip")
    running = Running(tmp_path / "run.py")
    answers = running.ask(rows[250 : 400 - horizon])
    running.end(None)
    expected = np.concatenate(found)[250 + horizon :]
    assert [*map(float, answers)] == expected.tolist()


@pytest.mark.parametrize("horizon", [1, 5])
@pytest.mark.parametrize("season", [0, 24])
def test_a_forecast_fills_in_what_was_missed_as_the_replay_does(
    tmp_path: Path, horizon: int, season: int
) -> None:
    """Lines are empty, damaged or without a target where the log has no rows or such rows."""
    draws = np.random.default_rng(8)
    y = np.cumsum(draws.normal(size=400)) + 5.0
    x = y + draws.normal(size=400)
    lines = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    absent = {260, 261, 300, *range(330, 379)}  # the last ones are too many
    damaged, untold = {262, 310, 311}, {280, 305, 306, 312}
    lines = ["what,is" if at in damaged else line for at, line in enumerate(lines)]
    lines = [f"{x[at]}," if at in untold else line for at, line in enumerate(lines)]
    rows = [f"{1.7e9 + 60 * at:.0f},{line}" for at, line in enumerate(lines) if at not in absent]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(["time,x,y", *rows, ""]))
    known: dict[str, Any] = {"forecast": "y", "horizon": horizon, "season": season, "ram": "4KiB"}
    found: dict[int, float] = {}
    whole = fs.Replay(fs.ReplayConfig(str(path), **known))

    def take(batch: Any) -> None:
        periods = np.rint((batch.rows["seconds"] - 1.7e9) / 60).astype(int).tolist()
        found.update(zip(periods, batch.rows["score"].tolist(), strict=True))

    result = whole.run(on_result=take)
    assert (result.rows.filled, result.rows.breaks) == (10, 1)
    replay = fs.Replay(fs.ReplayConfig(str(path), limit=250, **known))
    replay.run()
    fs.save_model(replay, tmp_path / "m.zip")
    fs.write_script(replay, tmp_path / "run.py", tmp_path / "m.zip")
    running = Running(tmp_path / "run.py")
    said = running.ask(["" if at in absent else lines[at] for at in range(250, 400 - horizon)])
    running.end(None)
    unread = absent | damaged
    assert {at for at, answer in enumerate(said, 250) if answer == "skipped"} == unread
    answers = {at + horizon: float(one) for at, one in enumerate(said, 250) if one != "skipped"}
    judged = {at for at in found if at >= 250 + horizon}
    assert len(judged) > 70
    assert {at: answers[at] for at in judged} == {at: found[at] for at in judged}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the program says that nobody stops."""
    script, rows = kept_script(tmp_path_factory.mktemp("twin") / "kept", 1_000)
    whole = Running(script)
    said = whole.ask(rows)
    assert whole.end(None) == (0, "")
    return said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, None])
@pytest.mark.spread(4)
def test_stopped_and_started_again_it_goes_on_where_it_was(
    tmp_path: Path, answers: list[str], number: int | None
) -> None:
    script, rows = kept_script(tmp_path / "cut", 1_000)
    first = Running(script)
    assert first.said.startswith("begins with m.zip after 100 rows, state in ")
    said = first.ask(rows[:130])
    assert first.end(number) == (0, "")
    again = Running(script)
    assert again.said.startswith("goes on after 230 rows, state in ")
    assert [*said, *again.ask(rows[130:])] == answers
    assert again.end(number) == (0, "")
    assert sorted(path.name for path in script.parent.glob("*.checkpoint")) == [
        f"m-{zlib.crc32((script.parent / 'm.zip').read_bytes()):08x}.checkpoint"
    ]


def test_killed_it_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    script, rows = kept_script(tmp_path / "killed", 50)
    first = Running(script)
    said = first.ask(rows[:131])  # the answer of a row comes before it is learned
    first.process.kill()
    assert first.end(None)[0] != 0
    again = Running(script)
    assert again.said.startswith("goes on after 200 rows")
    assert again.ask(rows[100:131]) == said[100:]
    again.end(signal.SIGTERM)


def flip(data: bytes, *places: int) -> bytes:
    changed = bytearray(data)
    for place in places:
        changed[place] ^= 1
    return bytes(changed)


def newer(data: bytes, *slots: int) -> bytes:
    """As a newer version has written these slots of two."""
    changed = bytearray(data)
    for at in (slot * len(data) // 2 for slot in slots):
        changed[at + 8] = 2
        changed[at + 28 : at + 32] = zlib.crc32(changed[at : at + 28]).to_bytes(4, "little")
    return bytes(changed)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a program that was stopped after some rows, to be copied."""
    script, rows = kept_script(tmp_path_factory.mktemp("stopped") / "kept", 50)
    first = Running(script)
    first.ask(rows[:60])
    assert first.end(signal.SIGTERM) == (0, "")
    return script.parent


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (lambda data: np.random.default_rng(0).bytes(len(data)), "damaged-1"),
        (lambda data: bytes(len(data)), "damaged-1"),
        (lambda data: flip(data, 99, len(data) // 2 + 99), "damaged-1"),
        (lambda data: newer(data, 0), "newer-1"),
        (lambda data: newer(data, 0, 1), "newer-1"),
    ],
    ids=["random", "zeros", "payloads", "newer", "both newer"],
)
@pytest.mark.spread(2)
def test_a_state_that_cannot_be_used_is_said_and_kept(
    tmp_path: Path, stopped: Path, damage: Any, name: str
) -> None:
    script = shutil.copytree(stopped, tmp_path / "bad") / "run.py"
    (state,) = script.parent.glob("*.checkpoint")
    data = damage(state.read_bytes())
    state.write_bytes(data)
    second = Running(script)
    assert second.said.startswith(f"{state} cannot be used (")
    aside = state.with_name(f"{state.name}.{name}")
    assert second.said.endswith(f"it is kept as {aside}, and the next start begins with m.zip\n")
    assert second.end(None) == (65, "")
    assert aside.read_bytes() == data
    third = Running(script)
    assert third.said.startswith("begins with m.zip after 100 rows")
    assert third.end(None) == (0, "")


def test_an_empty_state_and_a_second_process_are_said(tmp_path: Path) -> None:
    script, _ = kept_script(tmp_path / "bad", 50)
    first = Running(script)
    (state,) = script.parent.glob("*.checkpoint")
    second = Running(script)
    assert second.said.startswith(f"{state} cannot be written: ")
    assert "is being written by another checkpointer" in second.said
    assert second.end(None) == (74, "")
    assert first.end(None) == (0, "")
    state.write_bytes(b"")
    third = Running(script)
    assert third.said.startswith(f"{state} is empty: begins again with m.zip after 100 rows")
    assert third.end(None) == (0, "")


@pytest.mark.parametrize(
    "options", [{}, {"kind": "regression", "label_delay": 5}, {"kind": "novelty"}]
)
def test_the_program_says_what_it_is(tmp_path: Path, options: dict[str, object]) -> None:
    """Its sentences are whole, and in order."""
    path = tmp_path / "s.csv"
    path.write_text("a,b,y\n" + "\n".join(f"{i % 7},{i % 5},{i % 2}" for i in range(100)) + "\n")
    deployed(path, ram="4KiB", **options)
    said = ast.get_docstring(ast.parse((tmp_path / "run.py").read_text())) or ""
    body = said.split("\n\n")[1].replace("\n", " ")
    assert body.endswith(
        'A line that cannot be used is answered with "skipped", and standard error says why. Needs '
        "numpy, edgeolk and the model file beside it. What it learns is kept in STATE, every EVERY "
        "rows or SECONDS and on every way out; started again it goes on from there."
    )
    assert body.startswith("A line of CSV holds the readings in the order of FEATURES")
    assert "kept in A" not in body


def test_it_saves_by_time_too(tmp_path: Path) -> None:
    script, rows = kept_script(tmp_path / "slow", 1_000)
    text = script.read_text(encoding="utf-8")
    assert "SECONDS = 600.0" in text
    script.write_text(text.replace("SECONDS = 600.0", "SECONDS = 1e-9"), encoding="utf-8")
    first = Running(script)
    first.ask(rows[:41])  # the answer of a row comes before it is learned
    first.process.kill()
    first.end(None)
    again = Running(script)
    assert again.said.startswith(("goes on after 140 rows", "goes on after 141 rows"))
    again.end(signal.SIGTERM)


def test_how_often_it_saves_is_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["replay", "occupancy", "--limit", "50", "--quiet", "--no-picture"]
    files = ["--save-model", str(tmp_path / "m.zip"), "--write-script", str(tmp_path / "r.py")]
    base += ["--out", str(tmp_path / "out"), *files]
    for word, seconds in (("90s", "90.0"), ("2h", "7200.0"), ("1.5min", "90.0"), ("30", "30.0")):
        assert main([*base, "--save-every", word]) == 0
        assert f"SECONDS = {seconds}" in (tmp_path / "r.py").read_text(encoding="utf-8")
    for word in ("0min", "often", "1e400s", "infmin"):
        with pytest.raises(SystemExit):
            main([*base, "--save-every", word])
        assert f"{word!r} is not a time above 0, as in 10min, 90s or 2h" in capsys.readouterr().err
    assert main([*base[:-4], "--save-every", "1h"]) == 2
    assert "--save-every is for the program of --write-script" in capsys.readouterr().err


def test_another_model_begins_anew(tmp_path: Path) -> None:
    script, rows = kept_script(tmp_path / "first", 50)
    running = Running(script)
    running.ask(rows[:60])
    running.end(signal.SIGTERM)
    deployed(tmp_path / "first/s.csv", ram="4KiB", limit=150)
    running = Running(script)
    assert running.said.startswith("begins with m.zip after 150 rows")
    running.end(signal.SIGTERM)


def test_switches_are_read_as_in_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = [f"{'on' if i % 3 else 'off'},{i % 5},{int(i % 3 > 0)}" for i in range(200)]
    path.write_text("\n".join(["door,a,y", *rows]) + "\n")
    deployed(path, ram="4KiB")
    assert ran(tmp_path, ["on,3", "OFF,3", "True,2", "no,1", "unavailable,1"]) == [
        "1",
        "-1",
        "1",
        "-1",
        "skipped",
    ]


@pytest.mark.parametrize(
    ("header", "cell", "label"),
    [
        ("a;b;y", lambda x: f"{x:.2f} °C".replace(".", ","), str),
        ("a;b;y", lambda x: f"{1000 + x:,.2f}", str),
        ("a;b;y", lambda x: "offline" if 0 < x < 0.2 else f"{x:.2f}V", str),
        ("a;b;y", lambda x: f"{x:.2f}".replace("-", "\u2212"), lambda y: f"{y} kWh"),
    ],
    ids=["unit and comma", "thousands", "a word for none", "minus"],
)
@pytest.mark.spread(4)
def test_cells_are_read_as_in_the_replay(
    tmp_path: Path, header: str, cell: Any, label: Any
) -> None:
    """The program answers as the model does for the readings of the replay."""
    rng = np.random.default_rng(4)
    path = tmp_path / "s.csv"
    rows = [(cell(a), cell(b), label(round(3 * a + b, 2))) for a, b in rng.normal(size=(120, 2))]
    path.write_text("\n".join([header, *map(";".join, rows)]) + "\n", encoding="utf-8")
    options = {"kind": "regression", "ram": "4KiB"}
    replay, _ = deployed(path, **options, limit=80)
    said = ran(tmp_path, [",".join(f'"{one}"' for one in row) for row in rows[80:]])
    stream = open_stream(str(path), target="y")
    learner, scores = replay.device.learner, []
    for block in stream.blocks():
        for at, row in enumerate(block.rows[80:]):
            if 80 + at in block.damage or (np.isnan(row).any() and not replay.config.takes_gaps):
                scores.append("skipped")
                continue
            scores.append(learner.decision_one(row))
            learner.learn_one(row, float(block.labels.words[block.labels.places[80 + at]]))
    assert len(said) == len(scores)
    assert [one == "skipped" for one in said] == [one == "skipped" for one in scores]
    both = [(float(a), b) for a, b in zip(said, scores, strict=True) if b != "skipped"]
    np.testing.assert_allclose(*zip(*both, strict=True), rtol=1e-6)


def test_what_is_not_carried_over_is_refused_before_the_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    base = ["replay", "occupancy", "--limit", "50", "--quiet", "--no-picture", "--out", str(out)]
    model = ["--save-model", str(tmp_path / "m.zip")]
    script = ["--write-script", str(tmp_path / "r.py")]
    (tmp_path / "file").write_text("")
    for words, sentence in (
        ([*script, "--missing", "last"], "be combined with --missing last: the program leaves"),
        ([*script, "--missing", "mean"], "cannot be combined with --missing mean"),
        ([*script, "--damaged", "stop"], "cannot be combined with --damaged stop"),
        ([*script, "--label-delay", "90s"], "combined with --label-delay 90s: the program counts"),
        ([*script, "--categories", "onehot"], "cannot be combined with --categories onehot"),
        (["--write-script", str(tmp_path / "no" / "r.py")], "cannot write to"),
        (["--write-script", str(tmp_path)], "it is a folder"),
        (["--export", str(tmp_path / "file")], "is no folder"),
        (["--export", str(tmp_path / "file" / "deeper")], "is no folder"),
    ):
        assert main([*base, *model, *words]) == 2
        assert sentence in capsys.readouterr().err
        assert not out.exists()
        assert not (tmp_path / "m.zip").exists()
    replay = fs.Replay(fs.ReplayConfig("occupancy", missing="last"))
    with pytest.raises(fs.SimulatorError, match="cannot be combined with --missing last"):
        fs.write_script(replay, tmp_path / "r.py", "m.zip")


@pytest.mark.parametrize(("mark", "decimal"), [(";", ","), ("\t", "."), (" ", ".")])
@pytest.mark.spread(3)
def test_lines_are_cut_as_in_the_log_and_the_reason_is_said(
    tmp_path: Path, mark: str, decimal: str
) -> None:
    rows = [(f"{i % 7}.5", str(i % 5), str(3 * (i % 7) + i % 5)) for i in range(300)]
    path = tmp_path / "s.csv"
    lines = [mark.join(row).replace(".", decimal) for row in [("a", "b", "y"), *rows]]
    path.write_text("\n".join([*lines, ""]))
    deployed(path, kind="regression", ram="4KiB")
    as_logged = mark.join(("3.5", "2.5")).replace(".", decimal)  # b had only integers
    bad = ["3", "3,5,2,5", mark.join(("3", "x")), f"#WERT!{mark}1"]
    done = subprocess.run(
        [sys.executable, "run.py"],
        input="\n".join([as_logged, "3.5,2.5", *bad]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, *others = done.stdout.splitlines()
    assert float(first) == float(second)
    reasons = [line for line in done.stderr.splitlines() if line.startswith("skipped")]
    assert reasons[0].startswith("skipped: 1 cell, 2 are needed, separated by ")
    assert reasons[1].startswith("skipped: 4 cells, 2 are needed, separated by ")
    assert reasons[1].endswith(": a, b, and y where it is known")
    assert reasons[2] == "skipped: b: 'x' is not a number"
    assert others[:3] == ["skipped", "skipped", "skipped"]
    assert len(others) == 4
    assert "#WERT!" in reasons[3] if others[3] == "skipped" else len(reasons) == 3


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--every", 2)])
def test_arguments_start_nothing(argument: str, code: int, tmp_path: Path) -> None:
    stream(tmp_path / "s.csv", LABELS[0][0])
    deployed(tmp_path / "s.csv", ram="4KiB")
    command = [sys.executable, "run.py", argument]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "usage: run.py" in done.stdout + done.stderr
    assert not list(tmp_path.glob("*.checkpoint"))


def test_an_alarm_names_the_reading(tmp_path: Path) -> None:
    """On standard error; the answers stay as they are."""
    path = tmp_path / "s.csv"
    rows = [f"{20 + i % 7 / 10},{50 + i % 5}" for i in range(300)]
    path.write_text("\n".join(["t,humidity", *rows, ""]))
    replay = fs.Replay(fs.ReplayConfig(str(path), kind="novelty", ram="4KiB"))
    replay.run()
    fs.save_model(replay, tmp_path / "m.zip")
    fs.write_script(replay, tmp_path / "run.py", "m.zip")
    done = subprocess.run(
        [sys.executable, "run.py"],
        input="20.1,50\n20.2,900",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["usual", "novel"]
    alarm = "alarm: humidity: beyond all readings so far, now 900"
    assert done.stderr.splitlines()[1:] == [alarm]
