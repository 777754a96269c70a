"""Regression on dict rows."""

from __future__ import annotations

import math
from typing import Any

from river import base

from edgeolk.river.base import KernelModel, Row
from edgeolk.wrapped import chooses_loss, takes_history


class KernelRegressor(KernelModel, base.Regressor):
    """Regression on dict rows by an online kernel learner in fixed memory.

    Parameters
    ----------
    algorithm
        As for ``ek.Learner``. ``"sorf"`` and ``"krls_auto"`` standardize targets themselves; for
        other algorithms, scale them to about 1, for example by river's ``TargetStandardScaler``.
    loss
        ``"square"`` or ``"epsilon"``.
    ram, budget, D, gamma, kernel, scale, features, unseen, params, seed
        As for ``KernelClassifier``.
    missing
        As for ``KernelClassifier``, or "gap", a missing reading, which forecasters accept. None:
        "gap" if targets are forecast, else "mean".
    history
        Whether to forecast targets from their own history too (docs/forecast.md), for rows in the
        order of time, each learned before the next is predicted. ``"auto"``: if the algorithm is
        ``"sorf"``, loss, scaler and width have their defaults, and there is neither ``delay`` nor
        ``gaussian_process``.
    epsilon, dtype, season, drift, relevance, memory
        As for ``ek.Learner``; None leaves its default.
    delay
        As for ``KernelClassifier``.
    gaussian_process
        A Gaussian process beside the features of ``"sorf"``, for ``with_interval`` and targets with
        little noise; its number of vectors. True: as many as half of ``ram`` holds, and a warning
        that says how many bytes it needs if these are too few. Needs ``history=False``.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from edgeolk.river import KernelRegressor
    >>> model = KernelRegressor(ram="4KiB")
    >>> error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> error.get() < 1.0
    True
    """

    _task = "targets"
    _named = (
        *("epsilon", "dtype", "season", "drift", "relevance", "memory", "delay"),
        "gaussian_process",
    )
    loss: str
    history: bool | str
    delay: int | None
    gaussian_process: bool | int | None

    def __init__(
        self,
        algorithm: str = "sorf",
        loss: str = "square",
        ram: int | str = "16KiB",
        budget: int | None = None,
        gamma: float | str = "auto",
        kernel: Any = None,
        scale: str | None = "standard",
        features: Any = None,
        unseen: str = "warn",
        missing: str | None = None,
        params: dict[str, Any] | None = None,
        seed: int = 0,
        history: bool | str = "auto",
        D: int | None = None,
        epsilon: float | None = None,
        dtype: str | None = None,
        season: int | None = None,
        drift: bool | None = None,
        relevance: bool | str | None = None,
        memory: int | None = None,
        delay: int | None = None,
        gaussian_process: bool | int | None = None,
    ) -> None:
        self._keep(locals())

    def learn_one(self, x: Row, y: float, w: float = 1.0) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            Numbers by key.
        y
            Its target.
        w
            Weight of the row; algorithms with a step size of their own accept only 1.

        Raises
        ------
        TypeError, ValueError
            A value of the row, the target or the weight is rejected; the model is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; the model is unchanged.
        """
        if y != y:  # noqa: PLR0124 - NaN, of whatever type
            raise ValueError(f"y must be finite, got {y!r}: do not learn rows without one")
        self._learn(x, y, w)

    def _fill_rule(self, missing: str | None) -> str:
        forecasts = self.history is True or (self.history == "auto" and self._forecasts())
        return missing or ("gap" if forecasts else "mean")

    def _arguments(self) -> dict[str, Any]:
        # Some algorithms have the square loss alone, and no such argument.
        chosen = chooses_loss(self.algorithm) or self.loss != "square"
        loss = {"loss": self.loss} if chosen else {}
        if self.history != "auto":
            return {**loss, **({"history": self.history} if self.history else {})}
        return {**loss, **({"history": "auto"} if self._forecasts() else {})}

    def _forecasts(self) -> bool:
        """Whether ``history="auto"`` forecasts: no argument contradicts it."""
        usual = self.scale == "standard" and self.gamma == "auto" and self.kernel is None
        others = {
            *("history", "loss", "scale", "clip_rows", "last_label", "delay", "gaussian_process"),
        }
        given = self.delay or self.gaussian_process or others & set(self.params or ())
        return takes_history(self.algorithm) and self.loss == "square" and usual and not given

    def predict_one(self, x: Row, with_interval: bool = False, **kwargs: Any) -> Any:
        """The target of a row.

        Parameters
        ----------
        x
            Numbers by key.
        with_interval
            Whether to return bounds too, between which the target is with a probability of 0.9;
            with ``krls_t``, ``sogp``, ``krls_auto``, and ``sorf`` with ``gaussian_process=``.

        Returns
        -------
        float, or a tuple of three
            The target, 0 before the first row is learned; with ``with_interval`` also its lower
            and upper bound.

        Raises
        ------
        TypeError, ValueError
            A value is not a finite number, or ``unseen`` or ``missing`` rejects a key.
        AttributeError
            ``with_interval`` with an algorithm that has no variances.
        """
        if self._learner is None:
            self._count_early(x, "predict_one")
        target = 0.0 if self._learner is None else float(self._score(x, "predict_one"))
        if not with_interval:
            return target
        if self._learner is None:
            return target, -math.inf, math.inf
        row = self._columns.row(x, self._growing is not None)
        return (target, *self._learner.interval_one(row))
