"""What a learner knows of its inputs: their scales, how much each matters, and in which answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.checks import check_int
from edgeolk.rows.scoring import Scorer
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.inside import CommonScale, common_scale, scaler_of
from edgeolk.scaling.record import INSIDE

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings
    from edgeolk.engine.engine import Engine

FloatArray = NDArray[np.float64]


class Inputs:
    """Adds the scales of inputs and their importance to a learner.

    Subclasses set ``_config`` and ``_engine``.
    """

    __slots__ = ()

    _config: Settings
    _engine: Engine

    @property
    def scaler(self) -> RunningScaler | CommonScale | None:
        """A copy of the scaler inside as it is now; None if rows are not scaled.

        A ``CommonScale`` with ``scale="common"``. Otherwise it has a scale for each input, even
        while a common one is used because all readings were one of two numbers (``common_scale``).
        """
        preprocessing = self._config.preprocessing
        if preprocessing.method == INSIDE["common"]:
            return self.common_scale
        scales = preprocessing.method and self._config.n_features
        return scaler_of(preprocessing, self._engine) if scales else None

    @property
    def common_scale(self) -> CommonScale | None:
        """The scale shared by all inputs; None if each has its own, or rows are not scaled.

        It exists with ``scale="common"``, and, if the width of ``sorf`` follows the rows, as long
        as all readings have been one of two numbers.
        """
        return common_scale(self._config.preprocessing, self._engine)

    def inputs(self, X: Any = None, *, seed: int = 0) -> FloatArray:
        """How much each input matters: shares that sum to 1.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            Rows, such as the last few hundred. The result is how much the scores change when one
            input is shuffled among these rows (permutation importance, Breiman, Machine Learning
            45, 2001, applied to scores, so no labels are needed). Without rows, the result is
            what the learner has learned: the squared learned scales of the inputs
            (``relevance=True``).
        seed : int
            Seed of the shuffling, 0 to 2^64 - 1.

        Returns
        -------
        ndarray of float64, shape (n_features,)
            All zeros if no input changes any score. With rows, memory is needed for a copy of
            them. The learner is not changed: each row is scored as the next one would be, and
            ``lapse`` counts no row as an answer.

        Raises
        ------
        TypeError, ValueError
            A bad seed or bad rows; there are no rows and no learned relevance, or the learner has
            ``history=True``.

        Examples
        --------
        >>> import edgeolk as ek, numpy as np
        >>> X = np.random.default_rng(0).normal(size=(2000, 3))
        >>> learner = ek.Learner(n_features=3, ram="4KiB")
        >>> scores = learner.learn_many(X, np.where(X[:, 1] > 0, 1.0, -1.0))
        >>> int(learner.inputs(X[-300:]).argmax()), int(learner.inputs().argmax())
        (1, 1)
        """
        config = self._config
        seed = check_int("seed", seed, 0, 2**64 - 1)
        if config.in_order:
            raise ValueError(
                "inputs() does not support history=True and lags=: rows in order cannot be shuffled"
            )
        if X is not None:
            scorer = self._uncounted()
            score = scorer.scores if config.columns > 1 else scorer.decision_function
            return _shuffled_shares(score, X, seed)
        if config.values.get("relevance") != 1.0:
            raise ValueError(f"{config.name} has not learned relevances; pass rows: inputs(X)")
        return _learned_shares(self._engine.view("relevance"))

    def explain_one(self, x: Any, means: Any = None) -> FloatArray:
        """Why a row has its score: what each input contributes to it.

        The contribution of an input is the score of the row minus the score of the row with this
        input at its mean. Contributions do not sum to the score where inputs act together.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            The row.
        means : array-like of shape (n_features,), optional
            The usual value of each input; by default the means of the learner's own scaler (with
            ``scale="common"`` the mean of all inputs).

        Returns
        -------
        ndarray of float64, shape (n_features,)
            With several classes, of the score of the predicted one. The learner is not changed, and
            ``lapse`` counts no answer.

        Raises
        ------
        TypeError, ValueError
            A bad row or bad means; there are no means, and the learner has no scaler.

        Examples
        --------
        >>> import edgeolk as ek, numpy as np
        >>> X = np.random.default_rng(0).normal(size=(2000, 3))
        >>> learner = ek.Learner(n_features=3, ram="4KiB")
        >>> scores = learner.learn_many(X, np.where(X[:, 1] > 0, 1.0, -1.0))
        >>> int(learner.explain_one([0.1, 2.0, 0.1]).argmax())
        1
        """
        row = np.array(x, dtype=float)
        if means is None:
            means = self._means()
        usual = np.asarray(means, dtype=float)
        for name, found in (("x", row), ("means", usual)):
            if found.shape != (self._config.n_features,):
                raise ValueError(
                    f"{name} must have the shape ({self._config.n_features},), got {found.shape}"
                )
        scorer = self._uncounted()
        score: Callable[[FloatArray], float] = scorer.decision_one
        if self._config.columns > 1:
            best = int(np.argmax(scorer.scores_one(row)))

            def score(row: FloatArray) -> float:
                return float(scorer.scores_one(row)[best])

        answer = score(row)
        contributions = np.empty(self._config.n_features)
        for place, mean in enumerate(usual.tolist()):
            kept, row[place] = row[place], mean
            contributions[place] = answer - score(row)
            row[place] = kept
        return contributions

    def _means(self) -> FloatArray:
        """The mean of each input in the scaler; raises ValueError if there is none."""
        scaler = self.scaler
        if isinstance(scaler, CommonScale):
            return np.full(self._config.n_features, scaler.mean)
        means = None if scaler is None else scaler.mean_
        if means is None:
            raise ValueError(
                f"{self._config.name} has no means of its inputs (scale='standard' keeps them): "
                "pass the usual values, explain_one(x, means)"
            )
        return np.asarray(means)

    def _uncounted(self) -> Scorer:
        """A view whose scores are not answers: ``lapse`` does not count them."""
        scorer = Scorer()
        scorer._bind(self._engine, counts=False)
        return scorer


def _learned_shares(scales: memoryview) -> FloatArray:
    """Return the importance of inputs from the logs of their learned scales."""
    return _shares(np.exp(2.0 * np.asarray(scales, dtype=float)[0]))


def _shuffled_shares(answer: Callable[[FloatArray], Any], X: Any, seed: int) -> FloatArray:
    """Return how much answers change when one input at a time is shuffled among the rows."""
    rows = np.array(X, dtype=float)
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"X must have at least two rows, got an array of shape {rows.shape}")
    before = np.asarray(answer(rows))
    order = np.random.default_rng(seed).permutation(len(rows))
    moved = np.empty(rows.shape[1])
    for place in range(rows.shape[1]):
        kept = rows[:, place].copy()
        rows[:, place] = kept[order]
        moved[place] = np.abs(np.asarray(answer(rows)) - before).mean()
        rows[:, place] = kept
    return _shares(moved)


def _shares(values: FloatArray) -> FloatArray:
    """Return values as shares of their sum; zeros if the sum is 0."""
    total = float(values.sum())
    return values / total if total > 0.0 else np.zeros_like(values)
