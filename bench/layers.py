"""``python -m bench.layers``: the cost of each layer above the core, relative to the layer below.

Every case runs once a round, in turn; a ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import array
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from bench.table import Report, Table
from bench.timing import Case, Timing, interleave, ratio

FEATURES = 8
RAM = "4KiB"
#: Replays of a table: its column of labels, and the options.
REPLAYED: dict[str, tuple[str, dict[str, Any]]] = {
    "two classes": ("label", {}),
    "three classes": ("three", {"kind": "multiclass"}),
    "forecasts": ("real", {"kind": "regression"}),
    "real numbers": ("real", {"kind": "regression", "params": {"history": False}}),
    "novelty": ("label", {"kind": "novelty"}),
}
_REPLAYS_NOTE = (
    "A replay also scores the baselines and the frozen twin. The next rows are read, and the twin's"
    " answers are made, on a second core: by `--processor` a replay takes more. For several classes"
    " all rows are read before the first is learned, since the learner's size depends on their"
    " number, and each row is answered before it is learned, as `predict_one` does, by a scaler"
    " that does not know the row yet: two passes where `learn_many` makes one. The learner of"
    " novelty in time is so cheap that the running distance beside it and the counts take as long."
)
#: The case to compare with, and the maximum ratio.
Target = tuple[str, float]


def rows_of(n: int) -> tuple[Any, Any]:
    """Return readings of 8 sensors that drift, and labels."""
    rng = np.random.default_rng(0)
    X = 0.01 * np.cumsum(rng.normal(size=(n, FEATURES)), axis=0) + rng.normal(size=(n, FEATURES))
    return X, np.where(np.sin(X[:, 0]) + 0.3 * X[:, 1] > 0.0, 1, -1)


#: The clock of timings: wall time, or processor time.
_clock = [time.perf_counter]


def timed(call: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    began = _clock[0]()
    call()
    return _clock[0]() - began


def each(call: Callable[..., object], *columns: Iterable[Any]) -> float:
    """Return the seconds that a call takes for every row of some columns."""

    def run() -> None:
        for row in zip(*columns, strict=True):
            call(*row)

    return timed(run)


def learner() -> ek.Learner:
    """Return a new learner."""
    return ek.Learner("sorf", n_features=FEATURES, ram=RAM, scale="standard", kernel_gamma="auto")


def plain_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """Rows one by one, of every form."""
    X, y = rows_of(n)
    levels = (1000.0 * X).astype(np.int16)
    labels = y.tolist()
    base = "float64 array"
    forms: dict[str, list[Any]] = {
        base: [*X],
        "list of floats": X.tolist(),
        "tuple of floats": [tuple(row) for row in X.tolist()],
        "array.array": [array.array("d", row) for row in X.tolist()],
        "memoryview": [memoryview(row) for row in X],
        "int16 array": [*levels],
        "list of ints": levels.tolist(),
    }
    for name, rows in forms.items():
        run = partial(lambda rows: each(learner().learn_one, rows, labels), rows)
        yield Case(name, f"`learn_one`, {name}", n, run), None if name == base else (base, 1.5)
    many = lambda: timed(partial(learner().learn_many, X, y))  # noqa: E731
    yield Case("learn_many", "`learn_many`", n, many), None


def river_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """predict_one and learn_one of dicts."""
    from river import linear_model, preprocessing

    from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor

    X, y = rows_of(n)
    rows = [dict(zip("abcdefgh", row, strict=True)) for row in X.tolist()]
    three = ((X[:, 0] > 0).astype(int) + (X[:, 1] > 0)).tolist()
    peer = "river's scaler and logistic regression"

    def run(make: Callable[[], Any], labels: list[Any] | None) -> float:
        model = make()
        learn = model.learn_one
        if labels is None:
            score = model.score_one
            return each(lambda row: (score(row), learn(row)), rows)
        predict = model.predict_one
        return each(lambda row, label: (predict(row), learn(row, label)), rows, labels)

    def default() -> Any:
        return preprocessing.StandardScaler() | linear_model.LogisticRegression()

    for name, make, labels in (
        (peer, default, (y > 0).tolist()),
        ("KernelClassifier", lambda: KernelClassifier(ram=RAM), y.tolist()),
        ("KernelClassifier, 3 classes", lambda: KernelClassifier(n_classes=3, ram=RAM), three),
        ("KernelRegressor", lambda: KernelRegressor(ram=RAM), X[:, 0].tolist()),
        ("KernelNovelty", lambda: KernelNovelty(ram=RAM), None),
    ):
        yield Case(name, name, n, partial(run, make, labels)), None if name == peer else (peer, 1.0)


def sklearn_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """Whole fits, and single rows."""
    from sklearn.linear_model import SGDClassifier

    from edgeolk.sklearn import OnlineKernelClassifier

    X, y = rows_of(n)
    make = partial(OnlineKernelClassifier, ram=RAM, random_state=0)
    ours, theirs = make().fit(X, y), SGDClassifier().fit(X, y)
    epochs, config = ours.epochs, ours.learner_.config

    def passes() -> float:
        new_learner = ek.Learner(config)
        return timed(lambda: [new_learner.learn_many(X, y) for _ in range(epochs)])

    base = f"learn_many, {epochs} passes"
    yield Case(base, f"`learn_many`, {epochs} passes", n, passes), None
    title = f"`OnlineKernelClassifier.fit`, {epochs} epochs"
    yield Case("fit", title, n, lambda: timed(lambda: make().fit(X, y))), (base, 1.5)
    sgd = lambda: timed(lambda: SGDClassifier().fit(X, y))  # noqa: E731
    yield Case("SGD fit", "`SGDClassifier.fit`", n, sgd), None
    n_rows = 200
    for what, given in (("partial_fit", (X[:1], y[:1])), ("predict", (X[:1],))):
        for name, model in (("SGDClassifier", theirs), ("OnlineKernelClassifier", ours)):
            run = partial(each, getattr(model, what), *([one] * n_rows for one in given))
            target = ("SGDClassifier " + what, 1.0) if model is ours else None
            yield Case(f"{name} {what}", f"`{name}.{what}`, one row", n_rows, run), target


@contextmanager
def replay_cases(n: int) -> Iterator[Iterator[tuple[Case, Target | None]]]:
    """Replays of a CSV file, by kind of labels, compared with pandas and learn_many."""
    import firmware_sim as fs

    pd: Any = import_module("pandas")

    X, y = rows_of(n)
    names = [f"s{at}" for at in range(FEATURES)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.csv")
        three = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
        table = pd.DataFrame(X.round(4), columns=names)
        table.assign(label=y, three=three, real=X[:, 0] + X[:, 1]).to_csv(path, index=False)

        def cases() -> Iterator[tuple[Case, Target | None]]:
            for what, (target, options) in REPLAYED.items():
                others = {"label", "three", "real"} - {target}
                config = fs.ReplayConfig(
                    path, target=target, ignore=tuple(others), ram=RAM, **options
                )
                base = f"read_csv, {what}"
                title = f"pandas' `read_csv` and `learn_many`, {what}"
                yield Case(base, title, n, partial(baseline, config)), None
                replay = partial(timed, partial(fs.replay, config))
                title = f"`firmware_sim replay`, {what}"
                yield Case(f"replay, {what}", title, n, replay), (base, 1.6)

        def baseline(config: fs.ReplayConfig) -> float:
            learner_config = fs.Replay(config).device.learner.config

            def run() -> None:
                table = pd.read_csv(path, usecols=[*names, config.target])
                rows = np.ascontiguousarray(table[names].to_numpy(np.float64))
                ek.Learner(learner_config).learn_many(
                    rows, table[config.target].to_numpy(np.float64)
                )

            return timed(run)

        yield cases()


def occupancy() -> Iterator[tuple[Case, Target | None]]:
    """The bundled stream of 20,560 rows, its report and its picture, under the default cap."""
    import firmware_sim as fs

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            config = fs.ReplayConfig("occupancy")
            return timed(lambda: fs.write_report(fs.replay(config), folder))

    run()  # what draws is imported once
    yield Case("occupancy", "`firmware_sim replay occupancy`, its picture", 20_560, run), None


def measured(cases: list[tuple[Case, Target | None]], rounds: int) -> list[list[str]]:
    """Run cases in turns; return the lines of a table."""
    timings = interleave([case for case, _ in cases], range(rounds), lambda: None)
    lines = []
    for case, target in cases:
        timing: Timing = timings[case.key]
        comparison = ["", "", ""]
        if target is not None:
            base, target_ratio = target
            comparison = [
                timings[base].title,
                f"{ratio(timing, timings[base]):.2f}",
                f"{target_ratio:g}",
            ]
        lines.append([timing.title, f"{timing.microseconds:.2f}", *comparison])
    return lines


def main() -> None:
    """Measure and print all layers that are installed."""
    parser = argparse.ArgumentParser(prog="python -m bench.layers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="turns of every case")
    parser.add_argument("--quick", action="store_true", help="fewer rows and turns; no page")
    parser.add_argument(
        "--processor", action="store_true", help="processor time, where others run too; no page"
    )
    parser.add_argument("--replays", action="store_true", help="only the simulator's; no page")
    chosen = parser.parse_args()
    if chosen.processor:
        _clock[0] = time.process_time
    rounds, divisor = (3, 10) if chosen.quick else (chosen.rounds, 1)
    warnings.simplefilter("ignore")
    header = ("call", "us a row", "beside", "ratio", "at most")
    print(f"| {' | '.join(header)} |\n|---|---:|---|---:|---:|")
    tables: list[Table] = []

    def print_table(
        title: str, cases: Iterable[tuple[Case, Target | None]], note: str = ""
    ) -> None:
        lines = measured([*cases], rounds)
        for line in lines:
            print("|", " | ".join(line), "|", flush=True)
        tables.append(Table(title, header, lines, note))

    if not chosen.replays:
        print_table("Rows one by one", plain_cases(20_000 // divisor))
    if not chosen.replays and find_spec("river"):
        print_table(
            "river", river_cases(5_000), "`predict_one` (`score_one`) and `learn_one` of a dict."
        )
    if not chosen.replays and find_spec("sklearn"):
        print_table("scikit-learn", sklearn_cases(20_000))
    if find_spec("pandas"):
        with replay_cases(300_000 // divisor) as cases:
            print_table(
                f"The simulator, a CSV file of {300_000 // divisor:,} rows", cases, _REPLAYS_NOTE
            )
    if not chosen.replays:
        print_table("A bundled stream", occupancy(), "1 s of all its rows is 48.6 us a row.")
    if not (chosen.quick or chosen.processor or chosen.replays):
        introduction = (
            f"Time of a row of {FEATURES} readings in {RAM} by the wall, where nothing else runs,"
            f" medians of {rounds} turns; a ratio is the median of those of the turns."
            " [What to use when](../../docs/layers.md)."
        )
        Report("What a layer costs", introduction, tables).publish("layers")


if __name__ == "__main__":
    main()
