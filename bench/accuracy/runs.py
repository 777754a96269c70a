"""One run of one experiment, in a worker process that holds the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np

import edgeolk as ek
from bench.accuracy.experiments import Experiment
from bench.datasets import A9A_TRAIN_ROWS, Dataset, a9a

_DATA: list[Dataset] = []


@dataclass(frozen=True)
class Outcome:
    """Mistakes of one run: y f <= 0, f the score before the update."""

    rows: int
    mistakes: int
    support: int

    @property
    def error(self) -> float:
        """Per cent of mistakes."""
        return 100.0 * self.mistakes / self.rows


def prepare() -> None:
    """Read the data once in a worker."""
    _DATA.append(a9a())


def averaged_mistakes(learner: ek.Learner, data: Dataset) -> int:
    """Mistakes of the mean of f_1 to f_t on row t, t = 1, 2, ...; the learner learns the rows.

    ``averaged`` after t - 1 rows is the mean of f_1 to f_(t-1), and ``learn_one`` returns the score
    by f_t: what an online prediction by the average uses, as in the columns of paper 000.
    """
    mean = learner.averaged
    mistakes = 0
    for seen, (x, y) in enumerate(zip(data.X, data.y.tolist(), strict=True)):
        earlier = seen * mean.decision_one(x)
        mistakes += y * (earlier + learner.learn_one(x, y)) <= 0.0
    return mistakes


def run(experiment: Experiment, seed: int) -> Outcome:
    """Learn the rows of one permutation.

    Raises
    ------
    RuntimeError
        A method without a budget ran out of room: its figure would be another method's.
    """
    (data,) = _DATA
    if experiment.train_only:
        data = data.head(A9A_TRAIN_ROWS)
    data = data.permuted(seed)
    if experiment.first_rows is not None:
        data = data.head(experiment.first_rows)
    learner = ek.Learner(
        experiment.method,
        n_features=data.X.shape[1],
        budget=experiment.budget,
        kernel=ek.Gaussian(experiment.gamma),
        scale=None,
        seed=seed,
        **experiment.params,
    )
    if experiment.averaged:
        mistakes = averaged_mistakes(learner, data)
    else:
        learner.learn_many(data.X, data.y, out=np.zeros(len(data)))
        mistakes = learner.mistakes
    if experiment.room and learner.capacity_hits:
        raise RuntimeError(f"{experiment.title}: {experiment.budget} is not room enough")
    return Outcome(len(data), mistakes, learner.n_support)


Results = dict[tuple[int, int], Outcome]


def run_all(
    experiments: Iterable[Experiment], jobs: int, tick: Callable[[], object]
) -> list[list[Outcome]]:
    """Outcomes of each experiment in the order of its seeds; the long ones start first."""
    listed = list(experiments)
    runs = [(i, seed) for i, experiment in enumerate(listed) for seed in experiment.seeds]
    runs.sort(key=lambda key: -listed[key[0]].cost)
    found: Results = {}
    with ProcessPoolExecutor(max_workers=jobs, initializer=prepare) as pool:
        futures = {pool.submit(run, listed[i], seed): (i, seed) for i, seed in runs}
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            tick()
    return [[found[i, seed] for seed in experiment.seeds] for i, experiment in enumerate(listed)]
