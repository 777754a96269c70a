"""Other learners on the frontier, most of other libraries, with their bytes as measured.

Nearest neighbours are asked among the last rows that fit: only rows are stored, nothing is learned.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.bytes.grid import Job, record
from bench.bytes.sets import SPECS, Rows, load
from bench.cache import Record
from bench.timing import dicts, in_turns, timed

NEIGHBOURS = "nearest neighbours"
#: Neighbours that are asked.
COUNTS = (1, 5)
#: Bytes of the window; 0 for one of all rows.
SIZES = (4096, 16_384, 65_536, 262_144, 0)
#: Bytes of a stored number, and of a label, which is a class or a real target.
NUMBER, LABEL, TARGET = 4, 1, 4
#: Name -> (package, its class), by task.
RIVER: dict[str, dict[str, str]] = {
    "two": {
        "river logistic": "linear_model.LogisticRegression",
        "river Hoeffding tree": "tree.HoeffdingTreeClassifier",
        "river Mondrian forest": "forest.AMFClassifier",
        "river naive Bayes": "naive_bayes.GaussianNB",
    },
    "classes": {
        "river Hoeffding tree": "tree.HoeffdingTreeClassifier",
        "river Mondrian forest": "forest.AMFClassifier",
        "river naive Bayes": "naive_bayes.GaussianNB",
    },
    "regression": {
        "river linear": "linear_model.LinearRegression",
        "river Hoeffding tree": "tree.HoeffdingTreeRegressor",
    },
}
VW, SKLEARN = "VW linear", "scikit-learn SGD"
#: Rates of the linear learners where they are not .03 and .3.
RATES = {"river linear": (0.001, 0.003, 0.01, 0.03)}
#: Families of learners in the report.
KINDS: dict[str, tuple[str, ...]] = {
    "linear": (VW, SKLEARN, "river logistic", "river linear"),
    "naive Bayes": ("river naive Bayes",),
    "Hoeffding tree": ("river Hoeffding tree",),
    "Mondrian forest": ("river Mondrian forest",),
    NEIGHBOURS: (NEIGHBOURS,),
}


def present(package: str) -> bool:
    """Whether it is installed."""
    return find_spec(package) is not None


def names(task: str) -> list[str]:
    """The installed learners for a task."""
    found = list(RIVER[task]) if present("river") else []
    if task == "two":
        found += [VW] if present("vowpalwabbit") else []
        found += [SKLEARN] if present("sklearn") else []
    return found


def jobs(data: str, rows: int) -> list[Job]:
    """A job a learner; they choose nothing but the rate, neighbours their number and window."""
    made = []
    for name in names(SPECS[data].task):
        rates = RATES.get(name, (0.03, 0.3)) if name in KINDS["linear"] else (0.0,)
        made += [Job(data, name, params={"rate": rate}, rows=rows) for rate in rates]
    for size in SIZES:
        made += [
            Job(data, NEIGHBOURS, params={"count": count, "window": size}, rows=rows)
            for count in COUNTS
        ]
    return made


def _neighbours(job: Job, task: str, X: Rows, y: Rows) -> tuple[Rows, int]:
    held, nbytes = window_of(job.params["window"], X.shape[1], task, len(y))
    return answers_of(X, y, task, held, job.params["count"]), nbytes


def _river(job: Job, task: str, X: Rows, y: Rows) -> tuple[Rows, int]:
    place, _, kind = RIVER[task][job.name].partition(".")
    rate = job.params["rate"]
    more: dict[str, Any] = {}
    if rate:
        more["optimizer"] = import_module("river.optim").SGD(rate)
    if kind == "AMFClassifier":
        more["seed"] = 1
    model = getattr(import_module(f"river.{place}"), kind)(**more)
    # Its linear models take two labels as truths.
    labels = (y > 0.0).tolist() if task == "two" else y.tolist()
    predictions, _ = in_turns(model.predict_one, model.learn_one, dicts(X), labels)
    if task == "regression":
        answers = np.array(predictions)
    else:
        pairs = zip(predictions, labels, strict=True)
        right = [0.0 if one is None else 1.0 if one == label else -1.0 for one, label in pairs]
        answers = np.array(right) * (1.0 if task == "classes" else y)
    # It does not see the weights of its linear models: they are no Python objects.
    weights = dict(getattr(model, "weights", {}))
    own = sys.getsizeof(weights) + sum(map(sys.getsizeof, weights.values())) if weights else 0
    return answers, int(model._raw_memory_usage) + own


def _vw(job: Job, task: str, X: Rows, y: Rows) -> tuple[Rows, int]:
    from bench.peers.with_vw import line

    bits = int(X.shape[1] + 1).bit_length()
    workspace = import_module("vowpalwabbit").Workspace(
        f"--loss_function logistic -l {job.params['rate']} -b {bits} --quiet"
    )

    def answer(row: str) -> float:
        example = workspace.parse(row)
        workspace.learn(example)
        predictions = float(example.get_partial_prediction())
        workspace.finish_example(example)
        return predictions

    answers = np.array([answer(line(x, label)) for x, label in zip(X, y, strict=True)])
    # Its table has a weight, an adaptive and a normalising number a feature, padded to four floats.
    nbytes = workspace.num_weights() * 16
    workspace.finish()
    return answers, nbytes


def _sklearn(job: Job, task: str, X: Rows, y: Rows) -> tuple[Rows, int]:
    linear = import_module("sklearn.linear_model")
    model = linear.SGDClassifier(
        loss="hinge", random_state=0, learning_rate="constant", eta0=job.params["rate"]
    )
    answers = np.zeros(len(y))
    labels = np.array([-1.0, 1.0])
    for i in range(len(y)):
        if i:
            answers[i] = model.decision_function(X[i : i + 1])[0]
        model.partial_fit(X[i : i + 1], y[i : i + 1], labels)
    return answers, len(pickle.dumps(model))


_BY_NAME: dict[str, Callable[[Job, str, Rows, Rows], tuple[Rows, int]]] = {
    VW: _vw,
    SKLEARN: _sklearn,
    NEIGHBOURS: _neighbours,
}


def run_other(job: Job) -> Record:
    """Learn a set once, row by row."""
    task = SPECS[job.data].task
    X, y = load(job.data, job.rows)
    if task == "regression":
        y = (y - y.mean()) / y.std()
    ask = _BY_NAME.get(job.name, _river)
    (answers, nbytes), seconds = timed(lambda: ask(job, task, X, y))
    return record(task, answers, y, nbytes, seconds)


def window_of(nbytes: int, d: int, task: str, rows: int) -> tuple[int, int]:
    """How many rows so many bytes hold, and the bytes they take.

    Raises
    ------
    ValueError
        They hold none.
    """
    each = NUMBER * d + (TARGET if task == "regression" else LABEL)
    capacity = min(rows, nbytes // each) if nbytes else rows
    if not capacity:
        raise ValueError(f"{nbytes} bytes hold no row of {each}")
    return capacity, capacity * each


def vote(y: Rows, near: NDArray[np.intp], task: str) -> float:
    """The answer of the neighbours at ``near``: their mean, or the class most of them have."""
    if task != "classes":
        return float(np.mean(y[near]))
    found, votes = np.unique(y[near], return_counts=True)
    return float(found[np.argmax(votes)])


def answers_of(X: Rows, y: Rows, task: str, capacity: int, count: int) -> Rows:
    """The vote of the last ``capacity`` rows for each row, in the form of ``scoring.costs``."""
    rows = X.astype(np.float32)
    norms = np.sum(rows * rows, axis=1)
    made = np.zeros(len(y))
    for i in range(1, len(y)):
        first = max(0, i - capacity)
        far = norms[first:i] - 2.0 * (rows[first:i] @ rows[i])
        asked = min(count, len(far))
        answer = vote(y, first + np.argpartition(far, asked - 1)[:asked], task)
        made[i] = (1.0 if answer == y[i] else -1.0) if task == "classes" else answer
    return made
