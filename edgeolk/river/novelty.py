"""Novelty of dict rows."""

from __future__ import annotations

from typing import Any

from river import anomaly, base

from edgeolk.parts import Loss
from edgeolk.river.base import KernelModel, Row
from edgeolk.wrapped import other_arguments

#: Where river keeps it, which has changed.
AnomalyDetector: Any = (
    getattr(base, "AnomalyDetector", None) or vars(anomaly)["base"].AnomalyDetector
)


class KernelNovelty(KernelModel, AnomalyDetector):
    """Dict rows unlike those so far, by the mean kernel between them, in fixed memory.

    Parameters
    ----------
    algorithm
        ``"sorf"``, or one of those with ``loss="novelty"``.
    nu
        The share of rows to be called novel by ``is_novel``.
    ram, budget, gamma, kernel, scale, features, unseen, missing, params, seed
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

    def __init__(
        self,
        algorithm: str = "sorf",
        nu: float = 0.05,
        ram: int | str = "8KiB",
        budget: int | None = None,
        gamma: float | str = "auto",
        kernel: Any = None,
        scale: str | None = "standard",
        features: Any = None,
        unseen: str = "warn",
        missing: str = "last",
        params: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            algorithm, ram, budget, gamma, kernel, scale, features, unseen, missing, params, seed
        )
        self.nu = nu

    def learn_one(self, x: Row) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            Numbers by key.

        Raises
        ------
        TypeError, ValueError
            A value of the row is refused; the model is unchanged.
        BudgetError
            The ring is full under ``full="raise"``; the model is unchanged.
        """
        loss = other_arguments(self.params).get("loss", Loss.NOVELTY)
        # Only a learner of novelty has a nu.
        own = {"nu": self.nu} if loss in ("novelty", Loss.NOVELTY) else {}
        self._learn(x, None, 1.0, loss="novelty", **own)

    def score_one(self, x: Row) -> float:
        """How novel a row is: the threshold less its score.

        Parameters
        ----------
        x
            Numbers by key.

        Returns
        -------
        float
            Above 0 for a novel row; 0 before the first row is learned.

        Raises
        ------
        TypeError, ValueError
            A value is no finite number, or a key is unseen or missing and may not be.
        """
        return 0.0 if self._learner is None else -float(self._score(x))

    def is_novel(self, x: Row) -> bool:
        """Whether a row is novel, as its score says; False before the first row.

        Raises
        ------
        TypeError, ValueError
            As ``score_one``.
        """
        return self.score_one(x) > 0.0
