"""One run: a setting and a seed in, errors, support vectors and seconds out."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from bench.cases import Record
from bench.datasets import Dataset
from bench.papers.data import load, split
from bench.papers.setting import Setting
from bench.timing import seconds_of, timed


class MissingExtraError(RuntimeError):
    """An optional package that a row needs is absent."""


def learner_of(setting: Setting, n_features: int, seed: int) -> ek.Learner:
    """The learner a setting describes."""
    if setting.width is None:
        raise ValueError(f"{setting.algorithm}: no width chosen")
    kernel = ek.Gaussian(setting.width)
    budget, params = setting.budget, dict(setting.params)
    return ek.Learner(
        setting.algorithm, n_features=n_features, budget=budget, kernel=kernel, seed=seed, **params
    )


def online_mean_mistakes(learner: ek.Learner, data: Dataset) -> int:
    """Mistakes of the mean of f_1 to f_t on row t; the learner learns the rows.

    ``averaged`` after t - 1 rows is the mean of f_1 to f_(t-1), and ``learn_one`` returns the
    score by f_t: what an online prediction by the average uses, as in the columns of paper 000.
    """
    mean = learner.averaged
    mistakes = 0
    for seen, (x, y) in enumerate(zip(data.X, data.y.tolist(), strict=True)):
        earlier = seen * mean.decision_one(x)
        mistakes += y * (earlier + learner.learn_one(x, y)) <= 0.0
    return mistakes


def wrong(scores: np.ndarray, data: Dataset) -> float:
    """Per cent of rows whose predicted label is wrong."""
    return 100.0 * float(np.mean(np.where(scores >= 0.0, 1.0, -1.0) != data.y))


def _svc(setting: Setting, train: Dataset, test: Dataset) -> Record:
    try:
        from sklearn.svm import SVC
    except ImportError:
        raise MissingExtraError("scikit-learn is not installed") from None
    model = SVC(kernel="rbf", gamma=setting.width, cache_size=500, **setting.params)
    seconds = seconds_of(lambda: model.fit(train.X, train.y))
    error, support = wrong(model.decision_function(test.X), test), int(model.n_support_.sum())
    return {"error": error, "support": support, "train": len(train), "seconds": seconds}


def _online(setting: Setting, seed: int) -> Record:
    data = load(setting.data).permuted(seed)
    if setting.rows is not None:
        data = data.head(setting.rows)
    learner = learner_of(setting, data.X.shape[1], seed)
    if setting.averaged:
        mistakes, seconds = timed(lambda: online_mean_mistakes(learner, data))
    else:
        seconds = seconds_of(lambda: learner.learn_many(data.X, data.y, out=np.zeros(len(data))))
        mistakes = learner.mistakes
    return _record(setting, learner, 100.0 * mistakes / len(data), seconds)


def _split(setting: Setting, seed: int) -> Record:
    train, test = split(setting.data, seed)
    if setting.rows is not None:
        held = train.head(setting.rows)
        cut = 2 * len(held) // 3
        train, test = held.head(cut), Dataset(held.name, held.X[cut:], held.y[cut:])
    if setting.algorithm == "svc":
        return _svc(setting, train, test)
    learner = learner_of(setting, train.X.shape[1], seed)
    seconds = seconds_of(lambda: learner.learn_many(train.X, train.y, out=np.zeros(len(train))))
    model = learner.averaged if setting.averaged else learner
    return _record(setting, learner, wrong(model.decision_function(test.X), test), seconds)


def _record(setting: Setting, learner: ek.Learner, error: float, seconds: float) -> Record:
    if setting.room and learner.capacity_hits:
        raise RuntimeError(f"{setting.algorithm}: {setting.budget} is not room enough")
    support, train = learner.n_support, learner.steps
    return {"error": error, "support": support, "train": train, "seconds": seconds}


def run(setting: Setting, seed: int) -> Record:
    """Do one run.

    Raises
    ------
    RuntimeError
        A method without a budget ran out of room: its figure would be another method's.
    MissingExtraError
        The row needs a package that is not installed.
    """
    return _online(setting, seed) if setting.protocol == "online" else _split(setting, seed)
