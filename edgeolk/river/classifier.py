"""Classification of dict rows."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from river import base

from edgeolk.checks import check_int
from edgeolk.names import is_balanced
from edgeolk.probabilities import Probabilities
from edgeolk.river.base import KernelModel, Row
from edgeolk.rows.scoring import Scorer
from edgeolk.wrapped import other_arguments, probabilities_for, takes_history


def _check_label(y: Any) -> None:
    """Raise TypeError or ValueError for an invalid label."""
    try:
        hash(y)
    except TypeError:
        raise TypeError(f"y must be a hashable label, got {type(y).__name__}") from None
    if y is None or y != y:  # noqa: PLR0124 - NaN, of whatever type
        raise ValueError(f"y must be a label, got {y!r}: do not learn rows without one")


class KernelClassifier(KernelModel, base.Classifier):
    """Classification of dict rows by an online kernel learner in fixed memory.

    Page: docs/learners.md. Memory is fixed, so the number of classes is too: two, or ``n_classes``
    of them; a label beyond these raises ValueError.

    Parameters
    ----------
    algorithm
        As for ``ek.Learner``.
    n_classes
        The maximum number of classes; each gets a column when it first appears.
    ram
        Size of the learner in bytes, such as ``"16KiB"``; the budget is the largest that fits.
    budget, D
        Instead of ``ram``, the size as a number of support vectors (``budget``) or of frequencies
        of ``sorf`` and ``fogd`` (``D``).
    gamma
        Width of a Gaussian kernel, or ``"auto"``: the width of ``sorf`` follows the rows if they
        are scaled; other learners determine it from the first 100 rows.
    kernel
        A kernel other than the Gaussian, such as ``ek.Polynomial(3)``.
    scale
        The scaler inside the learner, ``"standard"``, ``"minmax"``, ``"common"`` (one mean and
        deviation for all features, such as those of a ``OneHotEncoder``) or None.
    features
        The keys in order, or their maximum number (columns are assigned as keys appear). None: the
        keys of the first rows; a new key among the first 1,000 rows starts the learner again with
        twice the columns, in the same bytes.
    unseen
        How to treat a key without a column: ``"ignore"`` it, ``"raise"``, or ``"warn"`` once and
        ignore it. Keys that a list of ``features`` does not contain are always ignored. With
        ``"ignore"`` and ``"raise"``, new keys never start the learner again.
    missing
        The value of a missing key, None or NaN: the ``"mean"`` of those learned, the ``"last"`` of
        them, ``"zero"``, or ``"refuse"`` to raise an error. ``n_missing`` counts them.
    params
        All other arguments of ``ek.Learner``, such as ``{"C": 10.0}``.
    seed
        Seed of the learner.
    history
        Whether the last label learned is a further expert, for streams whose labels persist
        (``last_label=True``). Without ``delay``, the model stops using it as soon as a label is
        late or missing.
        ``"auto"``: if the algorithm is ``"sorf"`` with its default loss; False: never.
    loss, dtype, drift, relevance, memory
        As for ``ek.Learner``; None leaves its default.
    decision
        What ``predict_one`` aims for: ``"accuracy"``, the most probable label, or ``"balanced"``,
        the one whose probability is largest compared with its share of the recent labels, for rare
        classes (docs/rare-classes.md).
    delay
        The number of rows between a row's answer and its label, if labels come late: then experts
        are judged by what they answered (docs/learners.md). ``predict_one`` or
        ``predict_proba_one`` asks a row, ``learn_one`` learns it later. With ``"sorf"``.

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
    _named = ("loss", "dtype", "drift", "relevance", "memory", "delay")
    _scores_first = True
    history: bool | str
    decision: str
    delay: int | None

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
        unseen: str = "warn",
        missing: str = "mean",
        params: dict[str, Any] | None = None,
        seed: int = 0,
        history: bool | str = "auto",
        D: int | None = None,
        loss: str | None = None,
        dtype: str | None = None,
        drift: bool | None = None,
        relevance: bool | str | None = None,
        memory: int | None = None,
        decision: str = "accuracy",
        delay: int | None = None,
    ) -> None:
        is_balanced(decision)
        self._keep(locals())
        self.n_classes = check_int("n_classes", n_classes, 2)
        self._classes: dict[Any, int] = {}
        self._probabilities: Probabilities | None = None  # from the first row on

    @property
    def _multiclass(self) -> bool:
        return self.n_classes > 2

    @property
    def classes(self) -> list[Any]:
        """Labels seen so far, in the order of the learner's columns."""
        return list(self._classes)

    def learn_one(self, x: Row, y: Any, w: float = 1.0) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            Numbers by key.
        y
            Its label: any hashable value that equals itself (not NaN). None stands for an unknown
            label and is rejected. Equal labels, such as 1, 1.0 and True, are the same label.
        w
            Weight of the row; algorithms with a step size of their own accept only 1.

        Raises
        ------
        TypeError, ValueError
            A value of the row, the label or the weight is rejected, or y exceeds ``n_classes``; the
            model is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; the model is unchanged.
        """
        classes, several = self._classes, self.n_classes > 2
        _check_label(y)
        if y not in classes:
            if isinstance(y, (bool, np.bool_)) and self.n_classes == 2 and not classes:
                classes = {False: 0, True: 1}
            elif len(classes) == self.n_classes:
                new, *known = (
                    repr(label.item() if isinstance(label, np.generic) else label)
                    for label in (y, *classes)
                )
                raise ValueError(
                    f"y is one class too many: {new} after {', '.join(known)};"
                    f" n_classes={self.n_classes}:"
                    " create the model with a larger n_classes"
                )
            else:
                classes = {**classes, y: len(classes)}
        place = classes[y]
        scores = self._learn(x, float(place if several else 2 * place - 1), w)
        if self._probabilities is None:
            assert self._learner is not None
            self._probabilities = probabilities_for(self._learner, self.n_classes)
        # A class that has just come has no score of its own yet.
        n_known = len(self._classes if several else classes)
        self._probabilities.learn_one(scores, place, n_known)
        self._classes = classes

    def _names(self) -> dict[str, Any]:
        return {
            "classes": tuple(self._classes),
            "probabilities": copy.copy(self._probabilities),
            "decision": self.decision,
        }

    def _arguments(self) -> dict[str, Any]:
        if self.history not in (True, False, "auto"):
            raise ValueError(f"history must be True, False or 'auto', got {self.history!r}")
        given = {"history", "last_label", "loss"} & set(other_arguments(self))
        taken = self.history == "auto" and takes_history(self.algorithm) and not given
        several = {"n_classes": self.n_classes} if self._multiclass else {}
        return {**several, **({"history": "auto"} if taken or self.history is True else {})}

    def _raw_score(self, learner: Scorer, row: Any) -> Any:
        """The scores of a row of numbers as ``Probabilities`` takes them."""
        if self.n_classes > 2:
            return learner.scores_one(row)
        assert self._probabilities is not None
        if self._probabilities.columns > 1:
            return learner._parts_one(row)
        return learner.decision_one(row)

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
            A value is not a finite number, or ``unseen`` or ``missing`` rejects a key.
        """
        if self._learner is None:
            self._count_early(x, "predict_proba_one")
            return {} if self._multiclass else {False: 0.5, True: 0.5}
        assert self._probabilities is not None
        known = len(self._classes)
        # Of two classes always both.
        score = self._score(x, "predict_proba_one")
        shares = self._probabilities.probabilities_one(score, known)[:known]
        total = sum(shares)
        return {label: float(shares[place] / total) for label, place in self._classes.items()}

    def predict_one(self, x: Row, **kwargs: Any) -> Any:
        """The most probable label, or with ``decision="balanced"`` the balanced decision.

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
            self._count_early(x, "predict_one")
            return None if self._multiclass else False
        assert self._probabilities is not None
        labels = list(self._classes)
        balanced = is_balanced(self.decision)
        score = self._score(x, "predict_one")
        return labels[self._probabilities.label_one(score, balanced, len(labels))]
