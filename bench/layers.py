"""``python -m bench.layers``: what each layer above the core costs, beside what it stands on.

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
    "A replay also scores the frozen twin and the baselines, and writes the record; the twin's"
    " answers are made on a second core. Of several classes each row is answered before it is"
    " learned, as `predict_one` does, by a scaler that does not know the row yet: two passes where"
    " `learn_many` makes one. The learner of novelty in time is so cheap that reading, the running"
    " distance beside it and the counts take most of a row."
)
#: What a case is held against, and the most that the ratio should be.
Target = tuple[str, float]


def rows_of(n: int) -> tuple[Any, Any]:
    """Return readings of 8 sensors that drift, and labels."""
    rng = np.random.default_rng(0)
    X = 0.01 * np.cumsum(rng.normal(size=(n, FEATURES)), axis=0) + rng.normal(size=(n, FEATURES))
    return X, np.where(np.sin(X[:, 0]) + 0.3 * X[:, 1] > 0.0, 1, -1)


#: What a call's seconds are read from: those of the wall, or of the processor.
_clock = [time.perf_counter]


def timed(call: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    began = _clock[0]()
    call()
    return _clock[0]() - began


def learner() -> ek.Learner:
    """Return a new learner."""
    return ek.Learner("sorf", n_features=FEATURES, ram=RAM, scale="standard", kernel_gamma="auto")


def plain_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """Rows one by one, of every form."""
    X, y = rows_of(n)
    levels = (1000.0 * X).astype(np.int16)
    labels = y.tolist()
    forms: dict[str, list[Any]] = {
        "float64 array": [*X],
        "list of floats": X.tolist(),
        "tuple of floats": [tuple(row) for row in X.tolist()],
        "array.array": [array.array("d", row) for row in X.tolist()],
        "memoryview": [memoryview(row) for row in X],
        "int16 array": [*levels],
        "list of ints": levels.tolist(),
    }

    def one(rows: list[Any]) -> float:
        learn = learner().learn_one

        def run() -> None:
            for row, label in zip(rows, labels, strict=True):
                learn(row, label)

        return timed(run)

    for name, rows in forms.items():
        target = None if name == "float64 array" else ("float64 array", 1.5)
        yield Case(name, f"`learn_one`, {name}", n, lambda rows=rows: one(rows)), target  # type: ignore[misc]

    def many() -> float:
        made = learner()
        return timed(lambda: made.learn_many(X, y))

    yield Case("learn_many", "`learn_many`", n, many), None


def river_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """predict_one and learn_one of dicts."""
    from river import linear_model, preprocessing

    from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor

    X, y = rows_of(n)
    rows = [dict(zip("abcdefgh", row, strict=True)) for row in X.tolist()]
    three = ((X[:, 0] > 0).astype(int) + (X[:, 1] > 0)).tolist()
    peer = "river's scaler and logistic regression"

    def case(name: str, make: Callable[[], Any], labels: list[Any] | None) -> Case:
        def run() -> float:
            model = make()
            if labels is None:

                def unlabelled() -> None:
                    for row in rows:
                        model.score_one(row)
                        model.learn_one(row)

                return timed(unlabelled)

            def labelled() -> None:
                for row, label in zip(rows, labels, strict=True):
                    model.predict_one(row)
                    model.learn_one(row, label)

            return timed(labelled)

        return Case(name, name, n, run)

    def usual() -> Any:
        return preprocessing.StandardScaler() | linear_model.LogisticRegression()

    yield case(peer, usual, (y > 0).tolist()), None
    yield case("KernelClassifier", lambda: KernelClassifier(ram=RAM), y.tolist()), (peer, 1.0)
    three_of = lambda: KernelClassifier(n_classes=3, ram=RAM)  # noqa: E731
    yield case("KernelClassifier, 3 classes", three_of, three), (peer, 1.0)
    yield case("KernelRegressor", lambda: KernelRegressor(ram=RAM), X[:, 0].tolist()), (peer, 1.0)
    yield case("KernelNovelty", lambda: KernelNovelty(ram=RAM), None), (peer, 1.0)


def sklearn_cases(n: int) -> Iterator[tuple[Case, Target | None]]:
    """Whole fits, and single rows."""
    from sklearn.linear_model import SGDClassifier

    from edgeolk.sklearn import OnlineKernelClassifier

    X, y = rows_of(n)
    epochs = OnlineKernelClassifier().epochs
    ours = OnlineKernelClassifier(ram=RAM, random_state=0).fit(X, y)
    theirs = SGDClassifier().fit(X, y)
    config = ours.learner_.config

    def passes() -> float:
        made = ek.Learner(config)
        return timed(lambda: [made.learn_many(X, y) for _ in range(epochs)])

    base = f"learn_many, {epochs} passes"
    yield Case(base, f"`learn_many`, {epochs} passes", n, passes), None
    fit = lambda: timed(lambda: OnlineKernelClassifier(ram=RAM, random_state=0).fit(X, y))  # noqa: E731
    yield Case("fit", f"`OnlineKernelClassifier.fit`, {epochs} epochs", n, fit), (base, 1.5)
    sgd = lambda: timed(lambda: SGDClassifier().fit(X, y))  # noqa: E731
    yield Case("SGD fit", "`SGDClassifier.fit`", n, sgd), None
    some = range(200)
    row, label = X[:1], y[:1]
    for what, call in (
        ("partial_fit", lambda model: model.partial_fit(row, label)),
        ("predict", lambda model: model.predict(row)),
    ):
        for name, model in (("SGDClassifier", theirs), ("OnlineKernelClassifier", ours)):
            run = lambda model=model, call=call: timed(lambda: [call(model) for _ in some])  # noqa: E731
            target = ("SGDClassifier " + what, 1.0) if model is ours else None
            title = f"`{name}.{what}`, one row"
            yield Case(f"{name} {what}", title, len(some), run), target


@contextmanager
def replay_cases(n: int) -> Iterator[Iterator[tuple[Case, Target | None]]]:
    """Replays of a CSV file, by kind of labels, beside pandas and learn_many."""
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
                yield Case(base, title, n, lambda config=config: apart(config)), None  # type: ignore[misc]
                replay = lambda config=config: timed(lambda: fs.replay(config))  # noqa: E731
                title = f"`firmware_sim replay`, {what}"
                yield Case(f"replay, {what}", title, n, replay), (base, 1.6)

        def apart(config: fs.ReplayConfig) -> float:
            made = fs.Replay(config).device.learner.config

            def run() -> None:
                table = pd.read_csv(path, usecols=[*names, config.target])
                rows = np.ascontiguousarray(table[names].to_numpy(np.float64))
                ek.Learner(made).learn_many(rows, table[config.target].to_numpy(np.float64))

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
        own: Timing = timings[case.key]
        told = ["", "", ""]
        if target is not None:
            base, most = target
            told = [timings[base].title, f"{ratio(own, timings[base]):.2f}", f"{most:g}"]
        lines.append([own.title, f"{own.microseconds:.2f}", *told])
    return lines


def main() -> None:
    """Measure and print all layers that are installed."""
    parser = argparse.ArgumentParser(prog="python -m bench.layers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="turns of every case")
    parser.add_argument("--quick", action="store_true", help="fewer rows and turns; no page")
    parser.add_argument(
        "--processor", action="store_true", help="processor time, where others run too; no page"
    )
    chosen = parser.parse_args()
    if chosen.processor:
        _clock[0] = time.process_time
    rounds, less = (3, 10) if chosen.quick else (chosen.rounds, 1)
    warnings.simplefilter("ignore")
    header = ("call", "us a row", "beside", "ratio", "at most")
    print(f"| {' | '.join(header)} |\n|---|---:|---|---:|---:|")
    tables: list[Table] = []

    def tell(title: str, cases: Iterable[tuple[Case, Target | None]], note: str = "") -> None:
        lines = measured([*cases], rounds)
        for line in lines:
            print("|", " | ".join(line), "|", flush=True)
        tables.append(Table(title, header, lines, note))

    tell("Rows one by one", plain_cases(20_000 // less))
    if find_spec("river"):
        tell("river", river_cases(5_000), "`predict_one` (`score_one`) and `learn_one` of a dict.")
    if find_spec("sklearn"):
        tell("scikit-learn", sklearn_cases(20_000))
    if find_spec("pandas"):
        with replay_cases(300_000 // less) as cases:
            tell(f"The simulator, a CSV file of {300_000 // less:,} rows", cases, _REPLAYS_NOTE)
    tell("A bundled stream", occupancy(), "1 s of all its rows is 48.6 us a row.")
    if not (chosen.quick or chosen.processor):
        introduction = (
            f"Time of a row of {FEATURES} readings in {RAM} by the wall, where nothing else runs,"
            f" medians of {rounds} turns; a ratio is the median of those of the turns."
            " [What to use when](../../docs/layers.md)."
        )
        print(*Report("What a layer costs", introduction, tables).save("layers"), sep="\n")


if __name__ == "__main__":
    main()
