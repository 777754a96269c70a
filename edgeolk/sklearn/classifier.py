"""Classification with any labels."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from edgeolk.calibration import Calibration
from edgeolk.names import is_balanced
from edgeolk.probabilities import Probabilities
from edgeolk.sklearn.base import (
    FloatArray,
    OnlineKernelBase,
    checked_weight,
    counted,
    is_plain_labels,
    refuse_mixed,
    refuse_too_many,
    unchanged_if_refused,
)
from edgeolk.sorf.settings import MAX_WEIGHT
from edgeolk.wrapped import check_task, counts_mistakes, learn_rows, probabilities_for, with_parts


class OnlineKernelClassifier(ClassifierMixin, OnlineKernelBase):
    """Classification by an online kernel learner in fixed memory.

    Page: docs/learners.md.

    Parameters
    ----------
    algorithm : str, ek.Algorithm or None
        As for ``ek.Learner``; None makes a composition of the parts in ``params``.
    ram : int or str
        Size of the learner in bytes, such as ``"16KiB"``; the budget is the largest that fits.
    budget, D : int, optional
        Instead of ``ram``, the size as a number of support vectors (``budget``) or of frequencies
        of ``sorf`` and ``fogd`` (``D``).
    gamma : {"auto", "scale"} or float
        Width of a Gaussian kernel on the scaled rows. ``"auto"``: the width of ``sorf`` follows the
        rows if they are scaled. Other learners use 1 over the median squared distance of the first
        500 rows; if the first ``partial_fit`` has fewer than 100, the learner determines the width
        from its first 100 rows, as ``ek.Learner`` does. ``"scale"``: 1 / (n_features times the
        variance).
    kernel : kernel, optional
        A kernel other than the Gaussian, such as ``ek.Polynomial(3)``.
    scale : {"standard", "minmax", "common"} or None
        The scaler inside the learner; "common": one mean and deviation for all features.
    loss, dtype, drift, relevance, memory : optional
        As for ``ek.Learner``; None leaves its default. ``loss`` must be one for classification.
    history : bool or "auto", optional
        "auto": ``partial_fit`` also considers the last label learned; for rows in the order of time
        whose labels are known before the next row is predicted. ``fit`` ignores it.
    missing : {"mean", "refuse"}
        NaN in X is a missing reading. "mean": replaced by the mean of the readings of its column
        (``fit``: in X; ``partial_fit``: in the rows before), which is 0 after scaling. "refuse": an
        error.
    class_weight : dict, "balanced" or None
        Weights of the classes, by label. ``"balanced"`` needs ``fit``. Those of two classes of
        ``"sorf"`` reach its steps, not its counts of mistakes, and ``fit`` visits rows no more
        often, and the commonest label is no expert; all others multiply the weights of rows. For
        rare classes ``decision="balanced"`` is better: docs/rare-classes.md.
    decision : {"accuracy", "balanced"}
        What ``predict`` and ``decision_function`` aim for: the most right answers (the most
        probable class), or the mean over classes of their share of right answers (the class whose
        probability is largest compared with its share of the recent labels).
    params : dict, optional
        All other arguments of ``ek.Learner``, such as ``{"C": 10.0}``.
    epochs : int
        Passes of ``fit`` over the rows.
    shuffle : bool
        Whether each pass of ``fit`` learns the rows in a random order of its own. False, for a
        stream: in the order of X.
    random_state : int, RandomState or None
        Determines the order of rows and the seed of the learner.
    verbose : bool
        Whether a ``fit`` that takes longer than a second shows its progress on stderr, as
        ``learn_many`` does.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    learner_ : ek.Learner
        Its labels are -1 and +1 for the first and the second of two classes, else positions in
        ``classes_``.
    probabilities_ : Probabilities
        Turns scores into probabilities.
    calibration_ : Calibration or None
        Its part for the score alone; None for the logistic loss, which needs none.
    n_missing_ : ndarray of shape (n_features,)
        Missing readings of each feature in the rows learned.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If X is a table with column names.

    Notes
    -----
    ``fit`` visits a row (epochs times its weight) times, rounded at random: a weight of 2 equals
    the row twice. Its time grows with the sum of the weights, at most 1e8. If all weights are below
    1, they are scaled so that the largest is 1.
    ``partial_fit`` visits each row once and passes the weight to the learner, which may reject it.

    If labels come late, pass each row to ``partial_fit`` when its label comes. There is no
    ``delay``: ``predict`` leaves an estimator as it was, so it cannot remember which rows it
    answered. ``edgeolk.river`` and ``ek.Learner`` have it (docs/learners.md).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from edgeolk.sklearn import OnlineKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineKernelClassifier(ram="4KiB", random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.to_learner().nbytes <= 4096
    True
    """

    classes_: NDArray[Any]
    probabilities_: Probabilities
    class_weight: Any
    decision: str

    _named = ("loss", "dtype", "history", "drift", "relevance", "memory")

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
        dtype: Any = None,
        history: bool | str | None = None,
        drift: bool | None = None,
        relevance: bool | str | None = None,
        memory: int | None = None,
        missing: str = "mean",
        class_weight: Any = None,
        decision: str = "accuracy",
        params: dict[str, Any] | None = None,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self._keep(locals())

    @unchanged_if_refused
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineKernelClassifier:
        """Learn rows, forgetting what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
        y : array-like of shape (n,)
            Labels of any kind.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, 0 or more.

        Returns
        -------
        OnlineKernelClassifier
            Itself.

        Raises
        ------
        TypeError, ValueError
            Input or a parameter is rejected; the estimator is unchanged.
        BudgetError
            The ring is full with ``full="raise"``; earlier rows have been learned.
        """
        X, y = self._checked(X, y, reset=True)
        refuse_mixed(y)
        check_classification_targets(y)
        self.classes_, columns = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        is_balanced(self.decision)
        weight, classes = self._weights(columns, sample_weight, batch=True)
        if classes is not None:  # a row of a class without weight is not visited
            seen = (classes[columns] > 0.0) * (1.0 if weight is None else weight)
            weight = checked_weight(seen, len(y), "class_weight")
        refuse_too_many(weight, "sample_weight" if self.class_weight is None else "class_weight")
        X = self._filled(X, reset=True, in_order=False)
        random = check_random_state(self.random_state)
        for number, (epoch, rows, labels) in enumerate(self._epochs(X, columns, weight, random)):
            if number == 0:
                self._start(rows, random, more=False)
            self._learn(rows, labels, classes=classes, new=epoch == 0)
        return self

    @unchanged_if_refused
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> OnlineKernelClassifier:
        """Learn rows, once and in order.

        With ``history="auto"`` the last label learned is one more expert for the answer. Use it
        only if each label is known before the next row is predicted. ``fit`` does not use it.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        classes : array-like of shape (n_classes,), optional
            All possible labels; required in the first call.

        Returns
        -------
        OnlineKernelClassifier
            Itself.

        Raises
        ------
        TypeError, ValueError, BudgetError
            As ``fit``; but after the first call, rows before one that only the learner rejects
            have been learned.
        """
        first = not hasattr(self, "learner_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit")
        X, y = self._checked(X, y, reset=first)
        refuse_mixed(classes, "classes")
        if not is_plain_labels(y):
            refuse_mixed(y)
            check_classification_targets(y)
            y = column_or_1d(y, warn=True)
        known = np.unique(classes) if first else self.classes_
        if not len(known):
            raise ValueError(f"classes must list every possible label, at least 2, got {classes!r}")
        if not first and classes is not None and not np.array_equal(known, np.unique(classes)):
            raise ValueError(f"classes were {known.tolist()} in the first call, got {classes!r}")
        try:
            columns = np.minimum(np.searchsorted(known, y), len(known) - 1)
            new = y[known[columns] != y]
        except TypeError:  # a label that cannot be compared to the classes is none of them
            new = np.array([one for one in y.tolist() if one not in known.tolist()], dtype=object)
        if len(new):
            raise ValueError(f"y holds {new[:1].tolist()[0]!r}, but classes are {known.tolist()}")
        if first:
            self.classes_ = known
        is_balanced(self.decision)
        weight, of_classes = self._weights(columns, sample_weight, batch=False)
        X = self._filled(X, reset=first, in_order=True)
        if first:
            self._start(X, check_random_state(self.random_state), more=True)
        weight, X, columns = counted(weight, X, columns)
        if of_classes is not None:
            _, X, columns, weight = counted(
                of_classes[columns], X, columns, np.ones(len(columns)) if weight is None else weight
            )
        self._learn(X, columns, weight, of_classes)
        return self

    def _weights(
        self, columns: NDArray[np.intp], sample_weight: Any, *, batch: bool
    ) -> tuple[FloatArray | None, FloatArray | None]:
        """Weights of rows, and of classes where these are for steps alone; else of rows times
        those of their classes, and None."""
        weight = checked_weight(sample_weight, len(columns))
        if len(self.classes_) < 2:
            raise ValueError(
                "the number of classes has to be at least 2, got one class:"
                f" {self.classes_[0]!r}; OnlineKernelNovelty learns from rows of one class"
            )
        if self.class_weight is None:
            return weight, None
        if isinstance(self.class_weight, str) and not batch:
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows: use fit, or pass a dict"
                " of weights to partial_fit"
            )
        each = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_[columns]
        )
        with np.errstate(over="ignore"):
            weights = each[columns] * (1.0 if weight is None else weight)
        product = checked_weight(weights, len(columns), "class_weight")
        if len(self.classes_) > 2 or not counts_mistakes(self.algorithm):
            return product, None
        if each.max() > MAX_WEIGHT:
            raise ValueError(f"class_weight must be at most {MAX_WEIGHT:g}, got {each.max():g}")
        return weight, each

    def _start(self, rows: Any, random: np.random.RandomState, *, more: bool) -> None:
        several = len(self.classes_) > 2
        extra: dict[str, Any] = {"n_classes": len(self.classes_)} if several else {}
        if not several and self.class_weight is not None and counts_mistakes(self.algorithm):
            extra["constant"] = False  # counts of mistakes, which classes do not weight, favour it
        self.learner_ = check_task(self._begin(rows, random, more=more, **extra), "classes")
        self.probabilities_ = probabilities_for(self.learner_, len(self.classes_))

    @property
    def calibration_(self) -> Calibration | None:
        """The part of ``probabilities_`` for the score alone; None for the logistic loss."""
        return self.probabilities_.calibration

    def _learn(
        self,
        X: Any,
        columns: NDArray[np.intp],
        weight: FloatArray | None = None,
        classes: FloatArray | None = None,
        new: bool = True,
    ) -> None:
        """Learn rows; if they are new, their scores before learning go into the probabilities.

        classes: weights of classes, for steps alone.
        """
        counts = None
        if classes is not None:
            counts = np.ones(len(columns)) if weight is None else weight
            weight = counts * classes[columns]
        learn_rows(self.learner_, self.probabilities_, X, columns, weight, counts, is_new=new)

    def _names(self) -> dict[str, Any]:
        return {
            "classes": tuple(self.classes_.tolist()),
            "probabilities": copy.copy(self.probabilities_),
            "decision": self.decision,
        }

    def _scores(self, X: Any) -> FloatArray:
        """The scores of rows as ``probabilities_`` takes them."""
        check_is_fitted(self)
        X = self._scorable(X)
        if len(self.classes_) > 2:
            return self.learner_.scores(X)
        if not self.learner_._config.has_parts:
            return with_parts(self.learner_.decision_function(X), None)
        parts = np.empty((X.shape[0], 3))
        return with_parts(self.learner_._score_many(X, parts), parts)

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        float64 ndarray of shape (n,) or (n, n_classes)
            For two classes the log odds of ``predict_proba``, above 0 for the second class; else
            the score of each class. With ``decision="balanced"`` probabilities are compared with
            the shares of the classes: the log odds minus those of the share, or the logarithms of
            the ratios. ``learner_`` gives the learner's own scores.
        """
        return self._margins(self._scores(X))

    def _margins(self, scores: FloatArray) -> FloatArray:
        return self.probabilities_.margins(scores, is_balanced(self.decision))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
            Members of ``classes_``.
        """
        scores = self.decision_function(X)
        if scores.ndim > 1:
            chosen: NDArray[np.intp] = scores.argmax(axis=1)
        else:
            chosen = (scores > 0.0).astype(np.intp)
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes.

        With the logistic loss they are the learner's own. The scores of other losses are not log
        odds: what turns them into probabilities is learned online from the scores of rows before
        they were learned, for two classes of ``"sorf"`` from the four scores behind an answer
        (docs/learners.md). The learner of ``to_learner`` has it too.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)

        Returns
        -------
        float64 ndarray of shape (n, n_classes)
            In the order of ``classes_``; each row sums to 1.
        """
        scores = self._scores(X)
        return self.probabilities_.probabilities(scores)
