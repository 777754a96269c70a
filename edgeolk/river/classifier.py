"""Classes of dict rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from river import base

from edgeolk.calibration import Calibration, softmax, two_columns
from edgeolk.checks import check_int
from edgeolk.parts import Loss
from edgeolk.river.base import KernelModel, Row


def _check_label(y: Any) -> None:
    """Raise TypeError or ValueError for what cannot be a label."""
    try:
        hash(y)
    except TypeError:
        raise TypeError(f"y must be a hashable label, got {type(y).__name__}") from None
    if y is None or y != y:  # noqa: PLR0124 - NaN, of whatever type
        raise ValueError(f"y must be a label, got {y!r}: a row without one is not to be learned")


class KernelClassifier(KernelModel, base.Classifier):
    """Classes of dict rows told apart by an online kernel learner in fixed memory.

    Parameters
    ----------
    algorithm
        As for ``ek.Learner``.
    n_classes
        The most classes there will be; they get columns as they come.
    ram
        Bytes of the learner, such as ``"16KiB"``; the budget is the largest that fits.
    budget
        Instead of ``ram``.
    gamma
        Width of a Gaussian kernel, or ``"auto"``: from the first 100 rows, inside the learner.
    kernel
        Another kernel than the Gaussian, such as ``ek.Polynomial(3)``.
    scale
        The scaler inside the learner, ``"standard"``, ``"minmax"`` or None.
    features
        Keys in order; how many there may be, columns going to keys as they come; None for those of
        the first row.
    unseen
        What is done with a key that has no column: ``"ignore"`` or ``"raise"``.
    missing
        What stands for a key that a row lacks: its ``"last"`` value learned, ``"zero"``, or
        ``"raise"``.
    params
        Other arguments of ``ek.Learner``.
    seed
        Seed of the learner.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from edgeolk.river import KernelClassifier
    >>> model = KernelClassifier(ram="4KiB")
    >>> accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> accuracy.get() > 0.85
    True
    """

    _task = "classes"

    def __init__(
        self,
        algorithm: str = "sorf",
        n_classes: int = 2,
        ram: int | str = "16KiB",
        budget: int | None = None,
        gamma: float | str = "auto",
        kernel: Any = None,
        scale: str | None = "standard",
        features: Any = None,
        unseen: str = "ignore",
        missing: str = "last",
        params: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            algorithm, ram, budget, gamma, kernel, scale, features, unseen, missing, params, seed
        )
        self.n_classes = check_int("n_classes", n_classes, 2)
        self._classes: dict[Any, int] = {}
        self._calibration = Calibration()

    @property
    def _multiclass(self) -> bool:
        return self.n_classes > 2

    @property
    def classes(self) -> list[Any]:
        """Labels seen, in the order of the learner's columns."""
        return list(self._classes)

    def learn_one(self, x: Row, y: Any, w: float = 1.0) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            Numbers by key.
        y
            Its label: anything hashable that equals itself, so no NaN, and not None, which stands
            for a label that is not known. Labels that are equal, such as 1, 1.0 and True, are one.
        w
            What the row counts; algorithms whose steps have a size of their own refuse all but 1.

        Raises
        ------
        TypeError, ValueError
            A value of the row, the label or the weight is refused, or y is a class too many; the
            model is unchanged.
        BudgetError
            The ring is full under ``full="raise"``; the model is unchanged.
        """
        classes = self._classes
        _check_label(y)
        if y not in classes:
            if isinstance(y, (bool, np.bool_)) and self.n_classes == 2 and not classes:
                classes = {False: 0, True: 1}
            elif len(classes) == self.n_classes:
                known = ", ".join(map(repr, classes))
                raise ValueError(
                    f"y is a class too many: {y!r} beside {known}; n_classes={self.n_classes}"
                )
            else:
                classes = {**classes, y: len(classes)}
        place = classes[y]
        scores = self._scores(x)
        several = self.n_classes > 2
        own = {"n_classes": self.n_classes} if several else {}
        self._learn(x, float(place if several else 2 * place - 1), w, **own)
        self._classes = classes
        if scores is not None and place < scores.shape[1] and len(classes) > 1:
            self._calibration.learn(scores, np.array([place]))

    def _scores(self, x: Row) -> Any:
        """Scores of a row, (1, classes seen); None before anything was learned."""
        row = self._row(x)
        if row is None or self._learner is None:
            return None
        if self.n_classes > 2:
            return self._learner.scores_one(row)[None, : len(self._classes)]
        return two_columns([self._learner.decision_one(row)])

    def predict_proba_one(self, x: Row, **kwargs: Any) -> dict[Any, float]:
        """Probabilities of the labels seen.

        Parameters
        ----------
        x
            Numbers by key.

        Returns
        -------
        dict
            They sum to 1. Before the first row it is empty, or with two classes
            ``{False: 0.5, True: 0.5}``.

        Raises
        ------
        TypeError, ValueError
            A value is no finite number, or a key is unseen or missing and may not be.
        """
        scores = self._scores(x)
        if scores is None or self._learner is None:
            return {} if self._multiclass else {False: 0.5, True: 0.5}
        if self._learner.parts["loss"] == Loss.LOGISTIC:
            shares = softmax(scores)[0]
        else:
            shares = self._calibration.probabilities(scores)[0]
        shares = shares[: len(self._classes)]
        shares = shares / shares.sum()
        return {label: float(shares[place]) for label, place in self._classes.items()}

    def predict_one(self, x: Row, **kwargs: Any) -> Any:
        """The most probable label.

        Parameters
        ----------
        x
            Numbers by key.

        Returns
        -------
        label or None
            Before the first row None, or with two classes False.

        Raises
        ------
        TypeError, ValueError
            As ``predict_proba_one``.
        """
        if self._learner is None:
            return None if self._multiclass else False
        return super().predict_one(x)
