"""Errors on rows that a learner does not learn from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.replaying.held_out import Selected, groups_of
from firmware_sim.report import report_of, to_dict, to_text
from firmware_sim.streams import Row, Sample, open_stream, opening
from firmware_sim.streams.stdin import PipeSource

N, TRAIN = 900, 500
OFFSETS = {"mill": 0.0, "lathe": 1.0, "press": 30.0}


def drawn() -> tuple[np.ndarray, list[str], np.ndarray]:
    """Rows of three machines whose second reading has another offset, and their faults."""
    draws = np.random.default_rng(2)
    X = draws.normal(size=(N, 2))
    machines = [[*OFFSETS][at] for at in draws.integers(3, size=N)]
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0.4, 1, 0)
    X[:, 1] += [OFFSETS[one] for one in machines]
    return X, machines, y


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("held") / "machines.csv"
    lines = [f"{a!r},{b!r},{m},{y}" for (a, b), m, y in zip(*map(list, drawn_lists()), strict=True)]
    path.write_text("\n".join(["a,b,machine,fault", *lines, ""]))
    return str(path)


def drawn_lists() -> tuple[list[list[float]], list[str], list[int]]:
    X, machines, y = drawn()
    return X.tolist(), machines, y.tolist()


def configured(log: str, **options: Any) -> fs.ReplayConfig:
    known: dict[str, Any] = {"target": "fault", "ram": "6KiB", "algorithm": "bpa_s", "gamma": 0.5}
    if "group" not in options:
        known["ignore"] = ("machine",)
    return fs.ReplayConfig(log, **{**known, **options})


def by_hand(budget: int, train: np.ndarray, test: np.ndarray) -> tuple[float, float]:
    """The share of wrong answers to rows that a learner of others did not learn; the majority's."""
    X, _, found = drawn()
    y = np.where(found == 1, 1.0, -1.0)
    learner = ek.Learner("bpa_s", n_features=2, budget=budget, kernel=ek.Gaussian(0.5))
    scaler = ek.RunningScaler(2)
    for row, label in zip(X[train].astype(np.float32), y[train], strict=True):
        learner.learn_one(scaler.learn_transform_one(row), label)
    scores = learner.decision_function(scaler.transform(X[test]))
    majority = 1.0 if y[train].sum() >= 0 else -1.0
    return float(np.mean(scores * y[test] <= 0.0)), float(np.mean(y[test] != majority))


def test_later_rows_are_answered_but_not_learned(log: str) -> None:
    result = fs.replay(configured(log, train_rows=TRAIN))
    assert result.rows.used == result.learner["steps"] == TRAIN
    assert result.frozen is None  # the later rows measure a frozen learner
    found = result.held_out
    assert found is not None
    (part,) = found.parts
    assert (part.name, part.learned, part.refused) == (f"rows after {TRAIN}", TRAIN, 0)
    assert part.metrics.rows == found.total.rows == N - TRAIN
    first = np.arange(N) < TRAIN
    error, majority = by_hand(result.learner["budget"], first, ~first)
    assert found.loss("learner") == pytest.approx(error)
    assert found.loss("majority") == pytest.approx(majority)


def test_the_rows_up_to_the_limit_are_held_out(log: str) -> None:
    found = fs.replay(configured(log, train_rows=TRAIN, limit=TRAIN + 70)).held_out
    assert found is not None
    assert found.total.rows == 70


def test_each_group_is_answered_by_a_learner_of_the_others(log: str) -> None:
    result = fs.replay(configured(log, group="machine"))
    assert result.rows.used == N
    assert result.stream.features == ("a", "b")
    found = result.held_out
    assert found is not None
    names = np.array(drawn()[1])
    assert [part.name for part in found.parts] == [*dict.fromkeys(drawn()[1])]
    for part in found.parts:
        own = names == part.name
        assert (part.metrics.rows, part.learned) == (int(own.sum()), int((~own).sum()))
        error, majority = by_hand(result.learner["budget"], ~own, own)
        assert part.metrics.mean_loss("learner") == pytest.approx(error)
        assert part.metrics.mean_loss("majority") == pytest.approx(majority)
    losses = {part.name: part.metrics.mean_loss("learner") for part in found.parts}
    assert losses["press"] > losses["lathe"]  # it is the one that is unlike the others
    assert found.total.rows == N


def test_another_stream_with_its_columns_in_another_order(log: str, tmp_path: Path) -> None:
    lines = [line.split(",") for line in Path(log).read_text(encoding="utf-8").splitlines()]
    for name, rows, chosen in (
        ("first.csv", lines[: TRAIN + 1], [0, 1, 2, 3]),
        ("second.csv", [lines[0], *lines[TRAIN + 1 :]], [3, 1, 0]),
    ):
        text = "\n".join(",".join(row[at] for at in chosen) for row in rows)
        (tmp_path / name).write_text(text + "\n")
    here = str(tmp_path / "first.csv")
    found = fs.replay(configured(here, test=str(tmp_path / "second.csv"))).held_out
    expected = fs.replay(configured(log, train_rows=TRAIN)).held_out
    assert found is not None
    assert expected is not None
    assert found.parts[0].name == "second.csv"
    assert found.loss("learner") == expected.loss("learner")
    (tmp_path / "second.csv").write_text("b,fault\n1.5,0\n0.5,1\n")
    with pytest.raises(fs.StreamError, match=r"second\.csv has no reading 'a', which the learner"):
        fs.replay(configured(here, test=str(tmp_path / "second.csv")))


@pytest.mark.parametrize("delay", [0, 5])
def test_a_forecaster_continues_the_history_of_its_target(tmp_path: Path, delay: int) -> None:
    y = np.sin(np.arange(600) / 9.0)
    path = tmp_path / "wave.csv"
    path.write_text("\n".join(["y", *map(repr, y.tolist()), ""]))
    result = fs.replay(
        fs.ReplayConfig(
            str(path), target="y", kind="regression", ram="2KiB", train_rows=400, label_delay=delay
        )
    )
    found = result.held_out
    assert found is not None
    ahead = max(1, delay)
    last = np.abs(y[400:] - y[400 - ahead : 600 - ahead]).mean()
    assert found.loss("last_value") == pytest.approx(last)
    assert found.loss("learner") < 0.5 * last
    assert found.parts[0].metrics.learner.rows == 200


def test_the_report_says_it_first_and_shows_both(log: str) -> None:
    result = fs.replay(configured(log, group="machine"))
    report, record = report_of(result), to_dict(result)["held_out"]
    assert f"On {N} rows that it did not learn from: " in report.headline
    assert report.alert == bool(result.held_out and result.held_out.unbeaten)
    text = to_text(result)
    assert "Each group of 'machine' is answered by a learner of all the others." in text
    lines = text.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("each before it was learned"))
    assert [line.split()[0] for line in lines[at + 1 : at + 5]] == [
        *dict.fromkeys(drawn()[1]), "all",
    ]  # fmt: skip
    assert "kappa vs no-change" not in lines[at - 1]  # no label of these rows is known
    assert record["group"] == "machine"
    assert record["rows"] == sum(part["rows"] for part in record["parts"]) == N
    assert json.loads(json.dumps(record)) == record


def test_a_learner_that_does_not_beat_the_majority_there_is_bad_news(tmp_path: Path) -> None:
    draws = np.random.default_rng(0)
    x = draws.normal(size=400)
    y = np.where(np.arange(400) < 200, x > 0, x < 0.8).astype(int)
    path = tmp_path / "turned.csv"
    path.write_text("\n".join(["x,y", *(f"{a!r},{b}" for a, b in zip(x.tolist(), y, strict=True))]))
    result = fs.replay(
        fs.ReplayConfig(str(path), target="y", ram="4KiB", algorithm="bpa_s", train_rows=200)
    )
    report = report_of(result)
    assert report.alert
    assert "does not beat majority class" in report.headline.partition("did not learn")[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "novelty", "train_rows": 10, "algorithm": ""}, "novelty learns without"),
        ({"group": "machine", "train_rows": 10}, "cannot be combined with train-rows or test"),
        ({"group": "fault"}, "cannot be both the group and the target"),
        ({"group": "a"}, "more than 64 values, such as"),
        ({"group": "machin"}, "did you mean 'machine'"),
        ({"train_rows": N}, "no row is held out"),
        (
            {
                "group": "machine",
                "kind": "regression",
                "algorithm": "",
                "gamma": None,
                "params": {"history": True},
            },
            "takes rows out of their order",
        ),
    ],
    ids=str,
)
def test_what_is_refused(log: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.SimulatorError, match=message):
        fs.replay(configured(log, **options))


def test_baselines_learn_no_label_of_the_other_rows(tmp_path: Path) -> None:
    draws = np.random.default_rng(3)
    x = draws.normal(size=300)
    y = 2.0 * x + np.where(np.arange(300) < 200, 0.0, 50.0)
    path = tmp_path / "jump.csv"
    path.write_text(
        "\n".join(
            [
                "x,y",
                *(
                    f"{a!r},{b!r}"
                    for a, b in zip(*map(list, (x.tolist(), y.tolist())), strict=True)
                ),
            ]
        )
    )
    found = fs.replay(
        fs.ReplayConfig(
            str(path), target="y", kind="regression", algorithm="bpa_s", ram="4KiB", train_rows=200
        )
    ).held_out
    assert found is not None
    assert found.loss("mean") == pytest.approx(np.abs(y[200:] - y[:200].mean()).mean())


def test_interrupted_groups_are_left_out(log: str) -> None:
    asked = iter(range(100 * N))
    replay = fs.Replay(configured(log, group="machine"))
    result = replay.run(should_stop=lambda: next(asked) >= 2 * N)
    assert (result.status, result.held_out) == ("complete", None)


class Counted(fs.Stream):
    """Rows that hold their own number, from memory: more than a block."""

    name, target, features = "counted", "y", ("x",)

    def samples(self, row: Row) -> Iterator[Sample]:
        for number in range(1, 1301):
            row[:] = number
            yield Sample(number, str(number % 2))


@pytest.mark.parametrize(("after", "limit"), [(0, None), (300, None), (120, 500), (0, 1)])
def test_rows_of_a_part_have_new_numbers(after: int, limit: int | None) -> None:
    taken = np.random.default_rng(0).random(1200) < 0.5
    blocks = [*Selected(Counted(), taken).blocks_after(after, limit)]
    expected = np.flatnonzero(taken)[after:limit] + 1.0
    assert np.concatenate([block.rows[:, 0] for block in blocks]).tolist() == expected.tolist()
    numbers = [block.first + at for block in blocks for at in range(len(block))]
    assert numbers == [*range(after + 1, after + 1 + len(expected))]


def test_rows_of_groups_are_not_answered_with_the_last_label(log: str) -> None:
    config = configured(log, group="machine", algorithm="", gamma=None)
    assert "last_label" not in config.resolved.params
    assert "last_label" in configured(log, algorithm="", gamma=None).resolved.params


@pytest.mark.parametrize(
    ("cells", "answered", "refused"),
    [
        (["1,2,0", "3,1,1"] * 4_000 + ["1,2,"] * 4_000, 8_000, 0),  # the last have no label
        (["1,2,0", "3,1,1"] * 4_000 + ["x,2,1"] * 4_000, 8_000, 0),  # or no readings
        (["1,2,0", "3,1,1", "1e19,1,1", "2,2,1"] * 100, 300, 100),  # too large to be squared
    ],
)
def test_rows_without_an_answer_are_left_out(
    tmp_path: Path, cells: list[str], answered: int, refused: int
) -> None:
    path = tmp_path / "s.csv"
    learned = [f"{i % 7},{i % 3},{i // 2 % 2}" for i in range(300)]
    path.write_text("\n".join(["a,b,y", *learned, *cells, ""]))
    config = fs.ReplayConfig(str(path), target="y", ram="6KiB", train_rows=300, scale="none")
    found = fs.replay(config).held_out
    assert found is not None
    (part,) = found.parts
    assert (part.metrics.rows, part.refused, part.learned) == (answered, refused, 300)


def test_groups_of_a_bundled_stream_and_of_what_has_none(
    tmp_path: Path, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"limit": 300, "ram": "8KiB", "algorithm": "rbp"}
    found = fs.replay(fs.ReplayConfig("robot", group="move", **options)).held_out
    assert found is not None
    turns = ["Move-Forward", "Sharp-Right-Turn", "Slight-Right-Turn"]
    assert sorted(part.name for part in found.parts) == turns
    path = tmp_path / "one.csv"
    path.write_text("a,machine,fault\n" + "".join(f"{i},mill,{i % 2}\n" for i in range(50)))
    with pytest.raises(fs.SimulatorError, match="column 'machine' of one"):
        fs.replay(configured(str(path), group="machine"))
    stream = open_stream(log, target="fault", ignore=("machine",))
    with pytest.raises(fs.SimulatorError, match="it is not for a stream object"):
        fs.replay(fs.ReplayConfig(stream, group="machine"))
    data = Path(log).read_bytes()
    monkeypatch.setattr(opening, "open_source", lambda _: PipeSource(blocks=iter([data, b""])))
    with pytest.raises(fs.SimulatorError, match="read again: standard input is live"):
        groups_of(configured("-", group="machine", idle=0.1), "machine")


def test_a_forecaster_is_measured_on_another_log(tmp_path: Path) -> None:
    """Its first targets come after as many rows as the horizon has."""
    names = []
    for name, n in (("learned", 400), ("other", 120)):
        path = tmp_path / f"{name}.csv"
        wave = 10.0 + 3.0 * np.sin(np.arange(n) / 4.0)
        lines = [f"{1.7e9 + 600 * at:.0f},{y!r}" for at, y in enumerate(wave.tolist())]
        path.write_text("\n".join(["time,y", *lines, ""]))
        names.append(str(path))
    config = fs.ReplayConfig(names[0], forecast="y", horizon=3, ram="4KiB", test=names[1], season=0)
    found = fs.replay(config).held_out
    assert found is not None
    (part,) = found.parts
    assert part.refused == 0
    assert 110 <= part.metrics.rows <= 120
    assert part.metrics.loss("learner") < part.metrics.loss("mean")
