"""Regression on dict rows."""

from __future__ import annotations

from typing import Any

from river import base

from edgeolk.river.base import KernelModel, Row
from edgeolk.wrapped import other_arguments, takes_history


class KernelRegressor(KernelModel, base.Regressor):
    """Regression on dict rows by an online kernel learner in fixed memory.

    Parameters
    ----------
    algorithm
        As for ``ek.Learner``. ``"sorf"`` standardizes targets itself; for other algorithms, scale
        them to about 1, for example by river's ``TargetStandardScaler``.
    loss
        ``"square"`` or ``"epsilon"``.
    ram, budget, D, gamma, kernel, scale, features, unseen, missing, params, seed
        As for ``KernelClassifier``.
    history
        Whether to forecast targets from their own history too (docs/forecast.md), for rows in the
        order of time, each learned before the next is predicted. ``"auto"``: if the algorithm is
        ``"sorf"`` and loss, scaler and width have their defaults.
    epsilon, dtype, season, drift, relevance, memory
        As for ``ek.Learner``; None leaves its default.

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
    _named = ("epsilon", "dtype", "season", "drift", "relevance", "memory")
    loss: str
    history: bool | str

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
        missing: str = "last",
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
        self._learn(x, y, w, loss=self.loss, **self._in_time())

    def _in_time(self) -> dict[str, Any]:
        """The learner's arguments about the order of rows."""
        if self.history != "auto":
            return {"history": self.history} if self.history else {}
        usual = self.scale == "standard" and self.gamma == "auto" and self.kernel is None
        given = {"history", "loss", "scale", "clip_rows", "last_label"} & set(other_arguments(self))
        if self.loss == "square" and usual and not given and takes_history(self.algorithm):
            return {"history": "auto"}
        return {}

    def predict_one(self, x: Row, **kwargs: Any) -> float:
        """The target of a row.

        Parameters
        ----------
        x
            Numbers by key.

        Returns
        -------
        float
            0 before the first row is learned.

        Raises
        ------
        TypeError, ValueError
            A value is not a finite number, or ``unseen`` or ``missing`` rejects a key.
        """
        return 0.0 if self._learner is None else float(self._score(x))
