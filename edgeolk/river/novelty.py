"""Novelty detection on dict rows."""

from __future__ import annotations

from typing import Any

from river import anomaly, base

from edgeolk.parts import Loss
from edgeolk.river.base import KernelModel, Row
from edgeolk.wrapped import other_arguments, takes_history

#: Its module in river depends on the version.
AnomalyDetector: Any = (
    getattr(base, "AnomalyDetector", None) or vars(anomaly)["base"].AnomalyDetector
)

#: The score before there is a verdict. ``QuantileFilter`` of river flags nothing while its quantile
#: is exactly 0, and with any other constant it would flag every row.
_UNKNOWN = 0.0
#: Rows learned before the first verdict, without history: similarity to a few rows says little, and
#: the scores of the first ten are so high that a running quantile never recovers.
_FIRST_VERDICT = 50
#: Parameters that switch off the default, rows in the order of time.
_NOT_IN_TIME = {
    *("history", "loss", "scale", "kernel_gamma", "clip", "scale_clip", "clip_rows"),
    "freeze_after",
}


class KernelNovelty(KernelModel, AnomalyDetector):
    """Novelty detection on dict rows in fixed memory.

    Page: docs/anomalies.md.

    By default rows are in the order of time: a channel that leaves everything seen so far, changes
    faster than ever or stands still is novel, and a key that is absent, None or NaN is a missing
    reading; ``learner`` has alarms and reasons. With ``history=False`` the order does not matter,
    and the mean kernel between rows decides.

    Scores are 0 until there is a verdict, after 200 rows, or 50 with ``history=False``, so that
    ``anomaly.QuantileFilter`` of river works with them: it takes 0 for "not ready". In the order of
    time ``anomaly.ThresholdFilter(model, threshold=0.5)`` flags what ``is_novel`` does.

    Parameters
    ----------
    algorithm
        ``"sorf"``, or one of those with ``loss="novelty"``.
    nu
        The share of rows to be called novel by ``is_novel``, or with history ``learner.rare``;
        None: .02, or .05 without history.
    missing
        As for ``KernelClassifier``, or "gap", a missing reading. None: "gap", or "mean" without
        history.
    history
        Whether rows are in the order of time. "auto": yes, if ``algorithm``, ``gamma``, ``kernel``
        and ``scale`` have their defaults, since a stream has its own.
    window
        Rows that the model remembers; default 16384, or 4096 without history.
    ram, budget, D, gamma, kernel, scale, features, unseen, params, seed, dtype
        As for ``KernelClassifier``.

    Examples
    --------
    >>> from edgeolk.river import KernelNovelty
    >>> model = KernelNovelty()
    >>> for t in range(500):
    ...     model.learn_one({"temperature": 20.0 + t % 7, "pressure": t % 5})
    >>> model.score_one({"temperature": 80.0, "pressure": 2}) > model.score_one(
    ...     {"temperature": 22.0, "pressure": 2}
    ... )
    True
    """

    _task = "novelty"
    _named = ("window", "dtype")
    nu: float | None
    history: bool | str

    def __init__(
        self,
        algorithm: str = "sorf",
        nu: float | None = None,
        ram: int | str = "8KiB",
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
        window: int | None = None,
        dtype: str | None = None,
    ) -> None:
        # Set before the columns, which depend on the order of rows.
        self._plain = not _NOT_IN_TIME & set(params or ()) and (
            takes_history(algorithm) and gamma == "auto" and kernel is None and scale == "standard"
        )
        self._keep(locals())

    @property
    def _in_time(self) -> bool:
        """Whether rows are in the order of time."""
        return self._plain if self.history == "auto" else bool(self.history)

    def _fill_rule(self, missing: str | None) -> str:
        return missing or ("gap" if self._in_time else "mean")

    def _kernel_and_scale(self) -> dict[str, Any]:
        if self._in_time and self._plain:
            return {}
        return super()._kernel_and_scale()

    def learn_one(self, x: Row, time: float | None = None) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            Numbers by key.
        time
            With ``params={"clock": True}``: seconds since an epoch that begins at a midnight of the
            place.

        Raises
        ------
        TypeError, ValueError
            A value of the row is rejected; the model is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; the model is unchanged.
        """
        self._learn(x, None, 1.0, time)

    def _arguments(self) -> dict[str, Any]:
        loss = other_arguments(self).get("loss", Loss.NOVELTY)
        extra: dict[str, Any] = {}
        # Only the loss "novelty" has these.
        if loss in ("novelty", Loss.NOVELTY):
            extra = {"history": True} if self._in_time else {}
            extra |= {} if self.nu is None else {"nu": self.nu}
        return {"loss": "novelty", **extra}

    def score_one(self, x: Row) -> float:
        """How novel a row is, on a scale that does not move with the threshold.

        Parameters
        ----------
        x
            Numbers by key.

        Returns
        -------
        float
            From 0 to 1, higher for a more novel row. In the order of time from 0.5 on for a novel
            row, and 0 for the first 200 rows; else 1 / (1 + f), where f >= 0 is its similarity to
            previous rows, and 0 until 50 rows are learned.

        Raises
        ------
        TypeError, ValueError
            A value is not a number, or ``unseen`` or ``missing`` rejects a key.
        """
        learner = self._learner
        if learner is None:
            return 0.0
        score = float(self._score(x, "score_one"))
        if learner._config.reports_events:
            return learner.threshold - score if score != 0.0 else _UNKNOWN
        if learner.steps < _FIRST_VERDICT:
            return _UNKNOWN
        return 1.0 / (1.0 + max(0.0, score + learner.threshold))

    def is_novel(self, x: Row) -> bool:
        """Whether a row is beyond the current threshold; False before the first row.

        Raises
        ------
        TypeError, ValueError
            As ``score_one``.
        """
        return self._learner is not None and float(self._score(x, "is_novel")) < 0.0
