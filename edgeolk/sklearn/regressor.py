"""Regression."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from edgeolk.parts.methods import find, losses_of
from edgeolk.sklearn.base import (
    FloatArray,
    OnlineKernelBase,
    checked_weight,
    counted,
    refuse_too_many,
    unchanged_if_refused,
)
from edgeolk.wrapped import check_task, other_arguments


class OnlineKernelRegressor(RegressorMixin, OnlineKernelBase):
    """Regression by an online kernel learner in fixed memory.

    Page: docs/learners.md.

    Parameters
    ----------
    algorithm : str, ek.Algorithm or None
        As for ``ek.Learner``; it must have the loss ``"square"`` or ``"epsilon"``.
    loss : {"square", "epsilon"}, optional
        Default: ``"square"`` if the algorithm has it, else ``"epsilon"``.
    history : bool or "auto", optional
        True or "auto": ``partial_fit`` takes rows in the order of time and forecasts targets from
        their own history too (docs/forecast.md). ``fit`` ignores "auto" and does not accept True.
    epsilon, dtype, season, drift, relevance, memory : optional
        As for ``ek.Learner``; None leaves its default.
    gaussian_process : bool or int, optional
        A Gaussian process beside the features of ``"sorf"``, for targets with little noise and
        ``predict(X, return_std=True)``; its number of vectors. None: as many as half of ``ram``
        holds, from 4 KiB on. True: in fewer bytes too, and an error that says how many are needed
        if they are too few. False: none.
    ram, budget, D, gamma, kernel, scale, missing, params, epochs, shuffle, random_state, verbose
        As for ``OnlineKernelClassifier``. A forecaster takes missing readings as such.

    Attributes
    ----------
    learner_ : ek.Learner
    target_mean_, target_scale_ : float
        A prediction is the learner's score times ``target_scale_``, plus ``target_mean_``. They are
        0 and 1 for ``sorf``, which standardises targets itself; else mean and deviation of the
        first targets (at most 512), so that the steps of every algorithm have a suitable length.
        ``epsilon`` is then in units of ``target_scale_``.
    n_missing_ : ndarray of shape (n_features,)
        Missing readings of each feature in the rows learned.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If X is a table with column names.

    Examples
    --------
    >>> import numpy as np
    >>> from edgeolk.sklearn import OnlineKernelRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> model = OnlineKernelRegressor(ram="2KiB", random_state=0).fit(X, 100 + np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - 101.0) < 0.1)
    True
    """

    target_mean_: float
    target_scale_: float
    _named = (
        *("loss", "epsilon", "dtype", "history", "season", "drift", "relevance", "memory"),
        "gaussian_process",
    )

    def __init__(
        self,
        algorithm: Any = "sorf",
        *,
        ram: Any = "16KiB",
        budget: int | None = None,
        D: int | None = None,
        gamma: Any = "auto",
        kernel: Any = None,
        scale: str | None = "standard",
        loss: Any = None,
        epsilon: float | None = None,
        dtype: Any = None,
        history: bool | str | None = None,
        season: int | None = None,
        drift: bool | None = None,
        relevance: bool | str | None = None,
        memory: int | None = None,
        gaussian_process: bool | int | None = None,
        missing: str = "mean",
        params: dict[str, Any] | None = None,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self._keep(locals())

    @unchanged_if_refused
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineKernelRegressor:
        """Learn rows, forgetting what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, 0 or more, as for ``OnlineKernelClassifier``.

        Returns
        -------
        OnlineKernelRegressor
            Itself.

        Raises
        ------
        TypeError, ValueError
            Input or a parameter is rejected; the estimator is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; earlier rows have been learned.
        """
        X, y = self._checked(X, y, reset=True, y_numeric=True)
        targets = column_or_1d(y, warn=True).astype(np.float64)
        weight = checked_weight(sample_weight, len(targets))
        refuse_too_many(weight, "sample_weight")
        X = self._filled(X, reset=True, in_order=False)
        random = check_random_state(self.random_state)
        for number, (_, rows, chunk) in enumerate(self._epochs(X, targets, weight, random)):
            if number == 0:
                self._start(rows, chunk, random, more=False)
            self._learn(rows, chunk)
        return self

    @unchanged_if_refused
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineKernelRegressor:
        """Learn rows, once and in order.

        With ``history="auto"`` rows must be in the order of time, across calls too, and targets are
        forecast from their own history as well. ``fit`` does not use it.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.

        Returns
        -------
        OnlineKernelRegressor
            Itself.

        Raises
        ------
        TypeError, ValueError, BudgetError
            As ``fit``; but after the first call, rows before one that only the learner rejects
            have been learned.
        """
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, reset=first, y_numeric=True)
        targets = column_or_1d(y, warn=True).astype(np.float64)
        weight = checked_weight(sample_weight, len(targets))
        weight, X, targets = counted(weight, X, targets)
        filled = self._filled(X, reset=first, in_order=True)
        if first:
            self._start(filled, targets, check_random_state(self.random_state), more=True)
        self._learn(X if self._takes_gaps else filled, targets, weight)
        return self

    def _loss(self) -> dict[str, Any]:
        """The algorithm's loss for real targets, unless a loss is given."""
        if self.algorithm is None or "loss" in other_arguments(self):
            return {}
        method = find(self.algorithm)
        losses = losses_of(method, "numbers")
        if losses:
            return {"loss": losses[0]} if "loss" in method.choices else {}
        raise ValueError(
            f"algorithm {method.name!r} is for classification and has no loss for real targets;"
            " use 'sorf', 'ogd' or 'bpa_s'"
        )

    def _start(
        self, rows: Any, targets: FloatArray, random: np.random.RandomState, *, more: bool
    ) -> None:
        learner = check_task(self._begin(rows, random, more=more, **self._loss()), "targets")
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        if not learner._config.scales_targets:
            self.target_mean_ = float(targets.mean())
            self.target_scale_ = float(targets.std()) or 1.0
        self.learner_ = learner

    def _learn(self, X: Any, targets: FloatArray, weight: FloatArray | None = None) -> None:
        standard = (targets - self.target_mean_) / self.target_scale_
        self.learner_.learn_many(X, standard, weight=weight)

    def _names(self) -> dict[str, Any]:
        return {"target_mean": self.target_mean_, "target_scale": self.target_scale_}

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> FloatArray: ...

    @overload
    def predict(self, X: Any, return_std: bool) -> Any: ...

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Targets of rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
        return_std : bool
            Whether to return deviations of the targets (``krls_t``, ``sogp``, ``krls_auto``, and
            ``sorf`` with a Gaussian process, which it has from 4 KiB on).

        Returns
        -------
        float64 ndarray of shape (n,), or two of them
            The targets; with ``return_std`` also their standard deviations.

        Raises
        ------
        AttributeError
            ``return_std`` with an algorithm that has no variances.
        """
        check_is_fitted(self)
        X = self._scorable(X)
        f = self.learner_.decision_function(X)
        targets = np.asarray(f * self.target_scale_ + self.target_mean_)
        if not return_std:
            return targets
        return targets, np.sqrt(self.learner_.variance(X)) * self.target_scale_
