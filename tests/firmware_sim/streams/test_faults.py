"""Broken sensors: what each fault does, that it repeats, and what the report says of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.cli import main
from firmware_sim.errors import SimulatorError
from firmware_sim.report import to_dict, to_text
from firmware_sim.streams import Row, Sample
from firmware_sim.streams.faults import KINDS, Spread, parse
from firmware_sim.streams.faulty import FaultyStream

N = 400
X = np.random.default_rng(5).normal(10.0, 2.0, size=(N, 3))
NAMES = ("a", "b", "c")


class Memory(fs.Stream):
    """Rows of an array, a second apart."""

    name, target, features = "memory", "y", NAMES

    def __init__(self, rows: np.ndarray = X) -> None:
        self.rows = rows

    def samples(self, row: Row) -> Iterator[Sample]:
        for number, values in enumerate(self.rows, 1):
            row[:] = values
            yield Sample(number, str(number % 2), "", float(number))

    def count(self) -> int:
        return len(self.rows)


def read(*faults: str, seed: int = 1) -> tuple[np.ndarray, list[Sample], FaultyStream]:
    stream = FaultyStream(Memory(), [parse(text) for text in faults], seed)
    row = np.empty(3)
    rows, samples = [], []
    for sample in stream.samples(row):
        assert sample is not None
        rows.append(row.copy())
        samples.append(sample)
    return np.array(rows), samples, stream


def only(rows: np.ndarray, columns: list[int], first: int, last: int) -> np.ndarray:
    """Check that nothing else is changed; return what is, beside the clean values."""
    changed = np.zeros_like(X, dtype=bool)
    changed[first - 1 : last, columns] = True
    np.testing.assert_array_equal(rows[~changed], X[~changed])
    return rows[first - 1 : last, columns]


def test_stuck() -> None:
    rows, _, stream = read("stuck:column=b,from=100,to=200")
    assert set(only(rows, [1], 100, 200)[:, 0]) == {X[99, 1]}
    assert stream.counts == [101]
    rows, _, _ = read("stuck:column=b,value=-7")
    assert set(rows[:, 1]) == {-7.0}


def test_dropout() -> None:
    rows, _, stream = read("dropout:column=a+c,p=0.25")
    gone = np.isnan(only(rows, [0, 2], 1, N))
    assert 0.18 < gone.mean() < 0.32
    assert stream.counts == [int(gone.any(axis=1).sum())]
    rows, _, _ = read("dropout:column=a,p=1,code=-200,from=5,to=6")
    assert only(rows, [0], 5, 6).tolist() == [[-200.0], [-200.0]]


def test_spike() -> None:
    rows, _, stream = read("spike:column=a,p=0.1,size=20,from=50")
    moved = np.abs(rows[:, 0] - X[:, 0])
    assert stream.counts == [int((moved > 0).sum())]
    assert 15 < stream.counts[0] < 60
    # Twenty standard deviations of the rows so far, which are about 2 each.
    assert 30 < moved[moved > 0].min() < moved.max() < 55
    assert {*np.sign(rows[:, 0] - X[:, 0])} == {-1.0, 0.0, 1.0}


def test_drift() -> None:
    rows, _, _ = read("drift:column=a,gain=0.5,from=101")
    grown = np.arange(N - 100) / 1000.0
    np.testing.assert_allclose(only(rows, [0], 101, N)[:, 0], X[100:, 0] * (1 + 0.5 * grown))
    rows, _, _ = read("drift:column=a,offset=10,from=101")
    moved = (rows - X)[100:, 0]
    assert np.all(np.diff(moved) > -0.5)
    assert 4.5 < moved[-1] < 7.5  # 10 deviations of 2 in 1,000 rows, after 299


def test_noise() -> None:
    rows, _, _ = read("noise:column=c,sd=2,from=101")
    added = (only(rows, [2], 101, N) - X[100:, [2]])[:, 0]
    assert 3.3 < added.std() < 4.7
    assert abs(added.mean()) < 0.8


def test_clip_and_quantise() -> None:
    rows, _, stream = read("clip:column=a,low=9,high=11")
    np.testing.assert_array_equal(rows[:, 0], np.clip(X[:, 0], 9, 11))
    assert stream.counts == [int(((X[:, 0] < 9) | (X[:, 0] > 11)).sum())]
    rows, _, _ = read("quantise:column=a,step=0.5")
    np.testing.assert_array_equal(rows[:, 0], np.round(X[:, 0] * 2) / 2)


def test_swap() -> None:
    rows, _, _ = read("swap:column=a+c,from=3")
    np.testing.assert_array_equal(rows[2:], X[2:, ::-1])
    np.testing.assert_array_equal(rows[:2], X[:2])


def test_duplicate() -> None:
    rows, samples, stream = read("duplicate:p=0.1")
    extra = len(rows) - N
    assert stream.counts == [extra]
    assert 20 < extra < 65
    assert [sample.number for sample in samples] == list(range(1, N + extra + 1))
    same = [one.seconds == other.seconds for one, other in pairwise(samples)]
    assert sum(same) == extra
    assert stream.count() is None
    np.testing.assert_array_equal(np.unique(rows[:, 0]), np.unique(X[:, 0]))


def test_gap_that_leaves_nothing_is_named() -> None:
    said = {"algorithm": "rbp", "limit": 100, "gamma": 0.3}
    words = r"no row is left: the fault gap, .* takes [\d,]+ rows out"
    with pytest.raises(fs.StreamError, match=words):
        fs.replay(fs.ReplayConfig("occupancy", faults=("gap:p=1",), **said))  # type: ignore[arg-type]


def test_gap() -> None:
    rows, samples, stream = read("gap:from=100,to=149")
    np.testing.assert_array_equal(rows, np.delete(X, slice(99, 149), axis=0))
    assert stream.counts == [50]
    assert [sample.number for sample in samples] == list(range(1, N - 49))
    rows, _, stream = read("gap:p=0.02,rows=10")
    assert N - len(rows) == stream.counts[0] > 9


def test_burst() -> None:
    rows, samples, stream = read("burst:p=0.05,rows=8")
    np.testing.assert_array_equal(rows, X)  # all come, in order
    late = np.array([sample.seconds for sample in samples]) - np.arange(1, N + 1)
    assert late.min() == 0
    assert late.max() == 7
    assert np.all(np.diff([sample.seconds for sample in samples]) >= 0)
    ends = np.sum((late[:-1] > 0) & (late[1:] == 0))
    assert stream.counts == [int(np.sum(late > 0) + ends)]


def test_several_at_once_and_the_same_again() -> None:
    faults = ("noise:sd=1", "dropout:p=0.1", "spike:p=0.1", "duplicate:p=0.1", "gap:p=0.01,rows=5")
    first, second = read(*faults), read(*faults)
    np.testing.assert_array_equal(first[0], second[0])
    again = np.empty(3)
    stream = first[2]
    kept = [again.copy() for _ in stream.samples(again)]
    np.testing.assert_array_equal(kept, first[0])  # another pass of the same stream
    assert not np.array_equal(read(*faults, seed=2)[0][:50], first[0][:50])


def test_spread_is_that_of_numpy() -> None:
    spread = Spread(3)
    rows = X.copy()
    rows[::7, 1] = np.nan
    for row in rows:
        spread.add(row)
    np.testing.assert_allclose(spread.sd, np.nanstd(rows, axis=0), rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rust", "fault 'rust' is not one of: stuck, dropout"),
        ("stuck:colum=a", "stuck accepts column, from, to, value"),
        ("stuck:value", "stuck accepts"),
        ("stuck:value=1,value=2", "stuck accepts"),
        ("noise:sd=much", "sd=much is not a number"),
        ("noise:sd=inf", "it must be finite"),
        ("dropout:p=0", "p is a share of rows"),
        ("spike:p=1.5", "p is a share of rows"),
        ("quantise", "quantise needs step="),
        ("quantise:step=0", "step must be more than 0"),
        ("clip", "clip needs low= or high="),
        ("clip:low=2,high=1", "low below high"),
        ("drift", "drift needs offset= or gain="),
        ("swap:column=a", "swap takes two columns"),
        ("gap:column=a", "gap affects entire rows"),
        ("burst:rows=100000", "rows must be from 1 to 1,000"),
        ("stuck:from=10,to=5", "there are no rows from 10 to 5"),
        ("stuck:from=0", "rows from 0"),
    ],
)
def test_words_that_make_no_fault(text: str, words: str) -> None:
    with pytest.raises(SimulatorError, match="^" + words if words.startswith("fault") else words):
        fs.ReplayConfig("occupancy", faults=(text,))


def test_every_kind_can_be_had_by_its_defaults() -> None:
    needs = {"quantise": ":step=1", "clip": ":low=0", "drift": ":gain=1", "swap": ":column=a+b",
             "gain": ":by=2", "without": ":label=0"}  # fmt: skip
    for kind in KINDS:
        assert read(kind + needs.get(kind, ""))[2].faults[0].kind == kind


def test_column_that_is_not_there() -> None:
    with pytest.raises(SimulatorError, match="no reading 'd'; there are: a, b, c"):
        read("stuck:column=d")


def test_report_has_both_errors(tmp_path: Path) -> None:
    base = {"ram": "8KiB", "algorithm": "rbp", "limit": 3000}
    faults = ("noise:sd=3,from=500", "dropout:column=light_lux,p=0.2")
    broken = fs.replay(fs.ReplayConfig("occupancy", faults=faults, **base))  # type: ignore[arg-type]
    whole = fs.replay(fs.ReplayConfig("occupancy", **base))  # type: ignore[arg-type]
    assert broken.width == whole.width  # it is chosen before anything breaks
    assert broken.clean == whole.metrics.summary()["learner"]
    assert whole.clean is None
    assert broken.metrics.learner.wrong > whole.metrics.learner.wrong
    data = json.loads(json.dumps(to_dict(broken), allow_nan=False))
    assert [one["rows"] for one in data["faults"]["faults"]] == [2501, broken.rows.missing]
    assert data["faults"]["learner_without"]["error"] == whole.metrics.learner.error
    text = to_text(broken)
    assert "fault     noise of all columns, rows 500 on, sd 3: 2,501 rows struck" in text
    both = [100 * run.metrics.learner.error for run in (broken, whole)]  # type: ignore[union-attr]
    assert f"faults    error {both[0]:.2f} % with them, {both[1]:.2f} % without" in text
    assert math.isfinite(both[0])


@pytest.mark.parametrize("enforce", ["arena", "process"])
def test_refused_rows_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], enforce: str
) -> None:
    path = tmp_path / "s.csv"
    lines = [f"{i % 7},{i % 3},{i % 2}" for i in range(50)]
    lines[20] = lines[30] = "1e300,1,0"  # beyond what float32 storage holds
    path.write_text("a,b,y\n" + "\n".join(lines) + "\n")
    command = ["replay", str(path), "--target", "y", "--ram", "8KiB", "--scale", "none"]
    command += ["--gamma", "0.2", "--no-picture", "--out", str(tmp_path / "out")]
    assert main([*command, "--enforce", enforce]) == 0
    printed = capsys.readouterr()
    assert "50 rows read, 48 used, 0 left out for missing values, 2 refused" in printed.out
    assert "the learner refuses 2 of 50 rows, the first is row 21: " in printed.err
    assert main([*command, "--enforce", enforce, "--damaged", "stop"]) == 2
    assert "STOPPED: row 21: " in capsys.readouterr().out


def test_faults_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["replay", "occupancy", "--limit", "300", "--no-picture", "--out", str(tmp_path)]
    faults = ["--fault", "stuck:column=light_lux,from=50", "--fault", "gap:from=10,to=19"]
    assert main([*command, *faults]) == 0
    out = capsys.readouterr().out
    assert "fault     stuck of light_lux, rows 50 on: 261 rows struck" in out
    assert "fault     gap, rows 10 to 19, p 1, rows 1: 10 rows struck" in out
    assert main([*command, "--fault", "stuck:column=lux"]) == 2
    assert "there is no reading 'lux'; there are: temperature_degC" in capsys.readouterr().err


def test_a_duplicate_is_the_row_as_it_came_whatever_was_made_of_the_first() -> None:
    stream = FaultyStream(Memory(), [parse("duplicate:p=0.3")], 1)
    row = np.empty(3)
    rows = []
    for _ in stream.samples(row):
        rows.append(row.copy())
        row[:] = -1.0  # as a repair in place does
    again = [(a == b).all() for a, b in pairwise(rows)]
    assert sum(again) == stream.counts[0] == len(rows) - N
    assert min(map(min, rows)) > 0.0


def test_shift() -> None:
    """A sensor that is moved: by the same in every row, from the deviation until then."""
    rows, _, stream = read("shift:column=b,from=100,size=-4")
    gone = only(rows, [1], 100, N)[:, 0] - X[99:, 1]
    np.testing.assert_allclose(gone, gone[0])
    assert gone[0] == pytest.approx(-4.0 * X[:100, 1].std())
    assert stream.counts == [N - 99]


def test_gain() -> None:
    """Another unit."""
    rows, _, _ = read("gain:column=a+c,from=50,to=60,by=0.1")
    np.testing.assert_allclose(only(rows, [0, 2], 50, 60), 0.1 * X[49:60, [0, 2]])


def test_replace() -> None:
    """Another sensor: its offset and gain, about the mean of the one that was there."""
    rows, _, _ = read("replace:column=b,from=100,offset=2,gain=-3")
    mean, sd = X[:100, 1].mean(), X[:100, 1].std()
    expected = mean - 3.0 * (X[99:, 1] - mean) + 2.0 * sd
    np.testing.assert_allclose(only(rows, [1], 100, N)[:, 0], expected)


def test_flip() -> None:
    """Every label is the other one, or some, or in turns."""
    rows, samples, stream = read("flip:from=101")
    np.testing.assert_array_equal(rows, X)
    assert [one.label for one in samples] == [str((n + (n > 100)) % 2) for n in range(1, N + 1)]
    assert stream.counts == [N - 100]
    _, samples, stream = read("flip:p=0.25,from=11")
    assert 0.18 < stream.counts[0] / (N - 10) < 0.32
    _, samples, stream = read("flip:from=11,every=50,rows=20")
    wrong = [n for n, one in enumerate(samples, 1) if one.label != str(n % 2)]
    assert wrong == [n for n in range(11, N + 1) if (n - 11) % 50 < 20]
    assert parse("flip:from=11,every=50,rows=20").changes(120) == [11, 31, 61, 81, 111]


def test_without() -> None:
    """A class that is not seen for long; or hardly."""
    _, samples, stream = read("without:label=1,from=101,to=200")
    assert len(samples) == N - 50
    assert [one.label for one in samples[100:150]] == ["0"] * 50
    assert stream.counts == [50]
    _, samples, stream = read("without:label=1.0,p=0.9")
    assert 0.83 < stream.counts[0] / (N // 2) < 0.97


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("gain:by=10,from=100", [100]),
        ("gain:by=10,from=100,to=200", [100, 201]),
        ("stuck:to=50", [51]),
        ("shift:from=1000", []),
    ],
)
def test_where_the_stream_becomes_another(text: str, changes: list[int]) -> None:
    assert parse(text).changes(400) == changes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gain", "needs by="),
        ("gain:by=1", "changes nothing"),
        ("without", "needs label="),
        ("stuck:label=1", "accepts column"),
        ("flip:column=a", "affects entire rows"),
        ("flip:every=10,rows=20", "rows must be from 1 to every"),
    ],
)
def test_what_these_kinds_refuse(text: str, why: str) -> None:
    with pytest.raises(SimulatorError, match=why):
        parse(text)


class Halting(Memory):
    """With a silence before each fifth row; each seventh row is damaged, each ninth unlabelled."""

    closed = False
    notes = ("halts",)  # type: ignore[assignment]

    def samples(self, row: Row) -> Iterator[Sample | None]:  # type: ignore[override]
        for sample in super().samples(row):
            if sample.number % 5 == 0:
                yield None
            if sample.number % 7 == 0:
                sample = sample._replace(damage="torn", label="")
            elif sample.number % 9 == 0:
                sample = sample._replace(label=" ")
            yield sample

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    "text",
    [
        "noise:column=a,sd=1",
        "duplicate:p=0.3",
        "gap:p=0.05,rows=3",
        "burst:p=0.1,rows=4",
        "flip:p=0.5",
        "without:label=1,p=0.5",
        "without:label=one",
    ],
)
def test_silences_and_damaged_rows_pass_through(text: str) -> None:
    """A live stream is not held up, and what could not be read is not made readable."""
    clean = Halting()
    stream = FaultyStream(clean, [parse(text)], 1)
    row = np.empty(3)
    found = list(stream.samples(row))
    assert found.count(None) == N // 5
    rows = [sample for sample in found if sample is not None]
    assert [sample.number for sample in rows] == list(range(1, len(rows) + 1))
    assert all(sample.label == "" for sample in rows if sample.damage)
    damaged = sum(sample.damage == "torn" for sample in rows)
    unlabelled = sum(sample.label == " " for sample in rows)
    if text.startswith(("duplicate", "gap")):
        assert damaged > 0
        assert (len(rows) > N) == text.startswith("duplicate")
    else:
        assert damaged == N // 7
        assert unlabelled == N // 9 - N // 63
    assert stream.notes == clean.notes
    stream.close()
    assert clean.closed


def test_flip_needs_classes() -> None:
    class Numbers(Memory):
        def samples(self, row: Row) -> Iterator[Sample]:
            for sample in super().samples(row):
                yield sample._replace(label=f"{sample.number / 8}")

    stream = FaultyStream(Numbers(), [parse("flip")])
    with pytest.raises(SimulatorError, match="fault flip: y has too many labels for classes"):
        list(stream.samples(np.empty(3)))


def test_a_fault_of_rows_hides_their_number() -> None:
    for text, known in (("noise:column=a,sd=1", True), ("flip", True), ("duplicate", False)):
        assert FaultyStream(Memory(), [parse(text)]).count() == (N if known else None)


def test_faults_leave_what_is_known_of_the_stream() -> None:
    """Its times are dated: learners that know the hour of the day are told it."""
    clean = Memory()
    clean.ignored, clean.notes = ("id",), ("a note",)
    clean.is_dated, clean.local_times, clean.kept = True, True, 9
    stream = FaultyStream(clean, [parse("flip")])
    for name in ("name", "target", "features", "ignored", "notes", "kept"):
        assert getattr(stream, name) == getattr(clean, name)
    assert stream.is_dated
    assert stream.local_times
