"""Novelty detection: rows that differ from previous ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from edgeolk.parts import Loss
from edgeolk.sklearn.base import FloatArray, OnlineKernelBase, unchanged_if_refused
from edgeolk.sorf.options import NU
from edgeolk.wrapped import check_task, other_arguments

#: Default share of rows to be called novel, for rows in any order.
DEFAULT_NU = 0.05


class OnlineKernelNovelty(OutlierMixin, OnlineKernelBase):
    """Novelty detection by the mean kernel between a row and previous ones, in fixed memory.

    Page: docs/learners.md.

    Parameters
    ----------
    algorithm : str, ek.Algorithm or None
        ``"sorf"``, another with ``loss="novelty"``, or None for a composition in ``params``.
    nu : float, optional
        Share of rows to be called novel, between 0 and 1. The threshold follows the stream, so the
        share within one data set is near nu, not equal to it. Default .05. With ``history`` the
        share of rows that ``learner_.rare`` calls rare, .02; novel rows are then those beyond
        everything seen before, in which nothing has to be set.
    history : bool
        True: rows of ``partial_fit`` come in the order of time, across calls too, and are watched
        as a stream (docs/anomalies.md). ``fit`` does not accept True. The learner then scales by
        itself and ignores ``gamma``, ``kernel`` and ``scale``.
    window : int, optional
        Rows that the model remembers; default 4096, with ``history`` 16384.
    missing : {"mean", "refuse"}
        As for ``OnlineKernelClassifier``; with ``history`` a missing reading is one for the learner
        too.
    ram, budget, D, gamma, kernel, scale, dtype, params, epochs, shuffle, random_state, verbose
        As for ``OnlineKernelClassifier``.

    Attributes
    ----------
    learner_ : ek.Learner
    offset_ : float
        ``decision_function`` is ``score_samples`` minus this.
    n_missing_ : ndarray of shape (n_features,)
        Missing readings of each feature in the rows learned.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If X is a table with column names.

    Examples
    --------
    >>> import numpy as np
    >>> from edgeolk.sklearn import OnlineKernelNovelty
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = OnlineKernelNovelty(random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, -5.0]])
    array([ 1, -1])
    """

    nu: float | None
    history: bool
    _named = ("window", "dtype")

    def __init__(
        self,
        algorithm: Any = "sorf",
        *,
        nu: float | None = None,
        history: bool = False,
        window: int | None = None,
        ram: Any = "8KiB",
        budget: int | None = None,
        D: int | None = None,
        gamma: Any = "auto",
        kernel: Any = None,
        scale: str | None = "standard",
        dtype: Any = None,
        missing: str = "mean",
        params: dict[str, Any] | None = None,
        epochs: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self._keep(locals())

    @property
    def offset_(self) -> float:
        """The score below which a row is novel."""
        check_is_fitted(self)
        return self.learner_.threshold

    @unchanged_if_refused
    def fit(self, X: Any, y: Any = None) -> OnlineKernelNovelty:
        """Learn rows, forgetting what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
        y : ignored

        Returns
        -------
        OnlineKernelNovelty
            Itself.

        Raises
        ------
        TypeError, ValueError
            Input or a parameter is rejected; the estimator is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; earlier rows have been learned.
        """
        X = self._checked(X, reset=True)
        X = self._filled(X, reset=True, in_order=False)
        random = check_random_state(self.random_state)
        nothing = np.zeros(X.shape[0])
        for number, (_, rows, _) in enumerate(self._epochs(X, nothing, None, random)):
            if number == 0:
                self._start(rows, random, more=False)
            self.learner_.learn_many(rows)
        return self

    @unchanged_if_refused
    def partial_fit(self, X: Any, y: Any = None, time: Any = None) -> OnlineKernelNovelty:
        """Learn rows, once and in order.

        Parameters
        ----------
        X, y
            As for ``fit``.
        time : array-like of shape (n,), optional
            With ``history`` and ``params={"clock": True}``: seconds of each row since an epoch that
            begins at a midnight of the place.

        Returns
        -------
        OnlineKernelNovelty
            Itself.

        Raises
        ------
        TypeError, ValueError, BudgetError
            As ``fit``; but after the first call, rows before one that only the learner rejects
            have been learned.
        """
        first = not hasattr(self, "learner_")
        X = self._checked(X, reset=first)
        filled = self._filled(X, reset=first, in_order=True)
        if first:
            self._start(filled, check_random_state(self.random_state), more=True)
        self.learner_.learn_many(X if self._takes_gaps else filled, time=time)
        return self

    def _start(self, rows: Any, random: np.random.RandomState, *, more: bool) -> None:
        loss = other_arguments(self).get("loss", Loss.NOVELTY)
        # Only the loss "novelty" has a nu.
        extra: dict[str, Any] = {}
        if loss in ("novelty", Loss.NOVELTY):
            extra["nu"] = (NU if self.history else DEFAULT_NU) if self.nu is None else self.nu
        if not isinstance(self.history, (bool, np.bool_)):
            raise TypeError(f"history must be True or False, got {self.history!r}")
        if self.history:
            extra["history"] = True
        learner = self._begin(rows, random, more=more, **{"loss": "novelty", **extra})
        self.learner_ = check_task(learner, "novelty")

    def decision_function(self, X: Any) -> FloatArray:
        """Scores minus the threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        float64 ndarray of shape (n,)
            Below 0 for a novel row.
        """
        check_is_fitted(self)
        return self.learner_.decision_function(self._scorable(X))

    def score_samples(self, X: Any) -> FloatArray:
        """Scores of rows: the higher, the more similar a row is to previous ones.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        float64 ndarray of shape (n,)
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Which rows are novel.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        integer ndarray of shape (n,)
            -1 for a novel row, else +1.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)
