"""Learners that know the names of their classes and inputs, their probabilities and their unit."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.arrays import real_array, refuse_broken_sparse
from edgeolk.errors import BadRowError
from edgeolk.learner import Learner
from edgeolk.names import PLAIN, Names, about_of, is_balanced
from edgeolk.progress import Progress
from edgeolk.rows.scoring import Scorer
from edgeolk.windows.file import ABOUT, LEARNER
from edgeolk.wrapped import learn_rows

if TYPE_CHECKING:
    from edgeolk.files.atomic import Path

#: Classes in a message.
_SHOWN = 10


class NamedLearner(Learner):
    """A learner from an estimator or a river model, which knows the caller's labels.

    Page: docs/learners.md. ``to_learner`` and ``save`` of these make it, ``ek.load`` reads it.
    It learns and answers labels as the model did, and targets in their unit; it goes on bit for bit
    as the model would, probabilities included. Scores (``decision_one``, ``scores``,
    ``decision_function``) and ``averaged`` are those of the learner itself, and so is ``plain``.

    Attributes
    ----------
    names : Names
        Labels of the classes, names of the inputs, calibration, unit of the targets.
    """

    __slots__ = ("names",)
    __signature__ = None  # its own, not that of ``Learner``
    names: Names

    def __init__(self, learner: Learner, names: Names) -> None:
        self._take(Learner._from_block(bytes(learner._sealed())), names)

    def _take(self, learner: Learner, names: Names) -> None:
        """Become a learner that has no other user."""
        # Learning changes the probabilities: those of the caller stay as they are.
        self.names = replace(names, probabilities=copy(names.probabilities))
        self._start(learner._config, learner._engine)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (bytes(self._sealed()), self.names)

    def __repr__(self) -> str:
        classes = self.names.classes
        shown = ", ".join(map(repr, classes[:_SHOWN])) + ", ..." * (len(classes) > _SHOWN)
        return super().__repr__() + (f", classes {shown}" if classes else "")

    @property
    def plain(self) -> Learner:
        """The same learner in the same memory, without names.

        Its labels are -1 and +1 or positions in ``names.classes``, its targets have no unit. For
        files that ``edgeolk.bare`` reads: ``learner.plain.save(path)``. What it learns itself does
        not change the probabilities.
        """
        view = Learner.__new__(Learner)
        view._start(self._config, self._engine)
        return view

    # ---- answers --------------------------------------------------------------------------------

    def predict_one(self, x: Any) -> Any:
        """The label of one row, or its target in the unit of the targets.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        label or float
            As the model that the learner is from answers; for novelty -1 or +1.
        """
        names = self.names
        if names.probabilities is None:
            return self._in_unit(self.decision_one(x)) if self._has_unit else super().predict_one(x)
        known, balanced = len(names.classes), is_balanced(names.decision)
        place = names.probabilities.label_one(self._scores_behind(self, x), balanced, known)
        return names.classes[place]

    def predict_one_sparse(self, indices: Any, values: Any) -> Any:
        """As ``predict_one`` for a row given by its non-zeros."""
        return self.predict_one(self._dense(indices, values))

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels of many rows, or their targets in the unit of the targets.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            As for ``decision_function``.

        Returns
        -------
        ndarray of shape (n,)
            As ``predict_one`` row by row.
        """
        names = self.names
        if names.probabilities is None:
            if self._has_unit:
                return np.asarray(self._in_unit(self.decision_function(X)))
            return super().predict(X)
        scores, known = self._many_behind(X), len(names.classes)
        balanced = is_balanced(names.decision)
        if known < self.n_classes:
            each = [names.probabilities.label_one(_of_one(row), balanced, known) for row in scores]
            return self._labels[np.array(each, dtype=np.intp)]
        margins = names.probabilities.margins(scores, balanced)
        places = margins.argmax(axis=1) if margins.ndim > 1 else (margins > 0.0).astype(np.intp)
        return np.asarray(self._labels[places])

    def predict_proba_one(self, x: Any) -> Any:
        """Probabilities of the classes by their labels, as of the model that the learner is from.

        Parameters
        ----------
        x : ndarray of shape (n_features,)
            As for ``decision_one``.

        Returns
        -------
        dict
            They sum to 1.

        Raises
        ------
        AttributeError
            The learner has no classes.
        """
        names = self.names
        if names.probabilities is None:
            raise AttributeError("predict_proba_one needs classes")
        return self._by_label(self._scores_behind(self, x))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes of many rows.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            As for ``decision_function``.

        Returns
        -------
        float64 ndarray of shape (n, n_classes)
            In the order of ``names.classes``; each row sums to 1.

        Raises
        ------
        AttributeError
            The learner has no classes.
        """
        names = self.names
        if names.probabilities is None:
            raise AttributeError("predict_proba needs classes")
        scores = self._many_behind(X)
        if len(names.classes) < self.n_classes:
            each = [[*self._by_label(_of_one(row)).values()] for row in scores]
            return np.array(each).reshape(len(scores), len(names.classes))
        return names.probabilities.probabilities(scores)

    def _by_label(self, scores: Any) -> dict[Any, float]:
        """The probabilities by their labels, from the scores of a row."""
        assert self.names.probabilities is not None
        known = len(self.names.classes)
        shares = self.names.probabilities.probabilities_one(scores, known)
        if known < len(shares):  # of two classes, the second has not come
            shares = [1.0]
        return dict(zip(self.names.classes, shares, strict=True))

    def variance_one(self, x: Any) -> float:
        """As ``Learner.variance_one``, in the squared unit of the targets."""
        return super().variance_one(x) * self.names.target_scale**2

    def variance(self, X: Any) -> NDArray[np.float64]:
        """As ``Learner.variance``, in the squared unit of the targets."""
        return super().variance(X) * self.names.target_scale**2

    def interval_one(self, x: Any, level: float = 0.9) -> tuple[float, float]:
        """As ``Learner.interval_one``, in the unit of the targets."""
        low, high = self.plain.interval_one(x, level)
        return self._in_unit(low), self._in_unit(high)

    @property
    def squared_error(self) -> float:
        """As ``Learner.squared_error``, in the squared unit of the targets."""
        return super().squared_error * self.names.target_scale**2

    @property
    def absolute_error(self) -> float:
        """As ``Learner.absolute_error``, in the unit of the targets."""
        return super().absolute_error * self.names.target_scale

    # ---- learning -------------------------------------------------------------------------------

    def learn_one(
        self, x: Any, y: Any = None, weight: float | None = None, time: float | None = None
    ) -> float:
        """Learn one row.

        Parameters
        ----------
        x, weight, time
            As for ``Learner.learn_one``.
        y : label or float
            One of ``names.classes``, or a new label if the learner has room for a further class; a
            target in the unit of the targets; not needed for novelty.

        Returns
        -------
        float
            As of ``Learner.learn_one``; for targets the answer before the update, in their unit.

        Raises
        ------
        TypeError, ValueError, BudgetError
            As ``Learner.learn_one``, or y is a label of no class; nothing has changed.
        """

        def learn(number: Any) -> float:
            return Learner.learn_one(self, x, number, weight, time)

        return self._learn_row(x, y, weight, learn)

    def learn_one_sparse(
        self, indices: Any, values: Any, y: Any = None,
        weight: float | None = None, time: float | None = None,
    ) -> float:  # fmt: skip
        """As ``learn_one`` for a row given by its non-zeros."""

        def learn(number: Any) -> float:
            return Learner.learn_one_sparse(self, indices, values, number, weight, time)

        row = None if self.names.probabilities is None else self._dense(indices, values)
        return self._learn_row(row, y, weight, learn)

    def learn_many(
        self, X: Any, y: Any = None, out: Any = None, weight: Any = None,
        verbose: bool = False, time: Any = None,
    ) -> NDArray[np.float64]:  # fmt: skip
        """Learn rows in order, as ``Learner.learn_many``.

        Parameters
        ----------
        X, out, weight, verbose, time
            As for ``Learner.learn_many``.
        y : array-like of shape (n,)
            Labels or targets as for ``learn_one``.

        Returns
        -------
        float64 ndarray of shape (n,)
            As of ``learn_one`` row by row.

        Raises
        ------
        TypeError, ValueError, BudgetError, KeyboardInterrupt
            As ``Learner.learn_many``. A label of no class: nothing has been learned.
        """
        names = self.names
        if names.probabilities is None:
            if self._has_unit:
                y = (real_array(y, "y").astype(float) - names.target_mean) / names.target_scale
            f = super().learn_many(X, y, out, weight, verbose, time)
            if self._has_unit:
                f *= names.target_scale
                f += names.target_mean
            return f
        if time is not None:
            raise ValueError("time is for novelty with clock=True: rows of classes have none")
        rows, labels = _as_rows(X), _as_list(y)
        weights = None if weight is None else real_array(weight, "weight").astype(np.float64)
        for name, given in (("y", labels), ("weight", weights), ("out", out)):
            if given is not None and len(given) != rows.shape[0]:
                raise ValueError(
                    f"{name} must have as many items as X has rows, {rows.shape[0]}, got"
                    f" {len(given)}"
                )
        if out is not None and not (out.dtype == np.float64 and out.flags.writeable):
            raise TypeError("out must be a writable float64 array")
        if len(names.classes) < self.n_classes:
            f = self._learn_one_by_one(rows, labels, weights)
        else:
            f = self._learn_rows(rows, self._places_of(labels), weights, verbose)
        if out is None:
            return f
        out[...] = f
        return np.asarray(out)

    def _learn_rows(
        self, X: Any, places: NDArray[np.intp], weight: Any, verbose: bool
    ) -> NDArray[np.float64]:
        """Learn rows of classes, and the probabilities from their scores before."""
        assert self.names.probabilities is not None
        with Progress(len(places)) as progress:
            return learn_rows(
                self, self.names.probabilities, X, places, weight,
                progress=progress if verbose else None,
            )  # fmt: skip

    def _learn_one_by_one(self, X: Any, y: list[Any], weight: Any) -> NDArray[np.float64]:
        """As ``learn_many`` while classes may come, whose scores count from then on."""
        rows = X.toarray() if hasattr(X, "tocsr") else X
        weights = [None] * len(y) if weight is None else weight.tolist()
        found = [self.learn_one(*each) for each in zip(rows, y, weights, strict=True)]
        return np.array(found, dtype=np.float64)

    def _learn_row(self, x: Any, y: Any, weight: Any, learn: Callable[[Any], float]) -> float:
        """Learn a row by a function of the learner's own number for its label or target.

        x: of classes, the row, to be scored before.
        """
        names = self.names
        if names.probabilities is None:
            if not self._has_unit:
                return learn(y)
            is_number = isinstance(y, (float, int, np.number)) and not isinstance(y, bool)
            number = (float(y) - names.target_mean) / names.target_scale if is_number else y
            return float(self._in_unit(learn(number)))
        place, classes = self._place_of(y, names.classes)
        try:
            scores = self._scores_behind(self._uncounted(), x)
        except BadRowError:  # which learning raises or counts
            scores = None
        f = learn(self._number_of(place))
        if math.isnan(f):  # a bad row was skipped
            return f
        if weight is None or scores is None:
            several = self.n_classes > 2
            known = len(names.classes if several else classes)
            names.probabilities.learn_one(scores, place, known)
        else:
            row = np.array(scores, dtype=np.float64).reshape(1, -1)
            names.probabilities.learn(row, np.array([place]), np.array([float(weight)]))
        if classes is not names.classes:
            self.names = replace(names, classes=classes)
        return f

    # ---- numbers and names ----------------------------------------------------------------------

    @property
    def _has_unit(self) -> bool:
        """Whether targets have a unit of which the learner does not know."""
        return self.names.target_scale != 1.0 or self.names.target_mean != 0.0

    def _in_unit(self, f: Any) -> Any:
        """An answer of the learner, or an array of them, in the unit of the targets."""
        return f * self.names.target_scale + self.names.target_mean

    @property
    def _labels(self) -> NDArray[Any]:
        """The classes as an array: of their type if all have the same, else of objects."""
        classes = self.names.classes
        kinds = {type(label) for label in classes}
        if len(kinds) == 1 and kinds <= set(PLAIN):
            return np.array(classes)
        labels = np.empty(len(classes), dtype=object)
        labels[:] = classes
        return labels

    def _place_of(
        self, y: Any, classes: tuple[Any, ...], name: str = "y"
    ) -> tuple[int, tuple[Any, ...]]:
        """The position of a label among the classes, and these with it if it is new.

        Raises ValueError: it is not one of them, and the learner has no room for one more.
        """
        label = y.item() if isinstance(y, np.generic) else y
        try:
            place = classes.index(label) if label in classes else -1
        except (TypeError, ValueError):  # an array has no truth value
            raise TypeError(f"{name} must be a label, got {type(y).__name__}") from None
        if place >= 0:
            return place, classes
        if len(classes) < self.n_classes and label is not None and label == label:  # noqa: PLR0124
            return len(classes), (*classes, label)
        shown = ", ".join(map(repr, classes[:_SHOWN])) + ", ..." * (len(classes) > _SHOWN)
        raise ValueError(f"{name} must be one of {shown}, got {label!r}")

    def _places_of(self, y: Any) -> NDArray[np.intp]:
        """The positions of many labels; raises as ``_place_of``."""
        classes = self.names.classes
        known = {label: place for place, label in enumerate(classes)}
        places = np.empty(len(y), dtype=np.intp)
        for row, label in enumerate(y):
            found = known.get(label) if getattr(label, "__hash__", None) else None
            places[row] = self._place_of(label, classes, f"y[{row}]")[0] if found is None else found
        return places

    def _number_of(self, place: int) -> int:
        """The number by which the learner learns a class: its position, or -1 and +1 of two."""
        return place if self.n_classes > 2 else 2 * place - 1

    def _scores_behind(self, scorer: Scorer, x: Any) -> Any:
        """The scores of a row as ``Probabilities`` takes them."""
        if self.n_classes > 2:
            return scorer.scores_one(x)
        assert self.names.probabilities is not None
        behind = self.names.probabilities.columns > 1
        return scorer._parts_one(x) if behind else scorer.decision_one(x)

    def _many_behind(self, X: Any) -> NDArray[np.float64]:
        """The scores of many rows as ``Probabilities`` takes them."""
        if self.n_classes > 2:
            return self.scores(X)
        assert self.names.probabilities is not None
        if self.names.probabilities.columns == 1:
            return self.decision_function(X)[:, np.newaxis]
        parts = np.empty((X.shape[0] if hasattr(X, "shape") else len(X), 3))
        return np.column_stack((self._score_many(X, parts), parts))

    def _dense(self, indices: Any, values: Any) -> NDArray[np.float64]:
        """A row given by its non-zeros; raises as ``decision_one_sparse``."""
        self._uncounted().predict_one_sparse(indices, values)  # checks them
        row = np.zeros(self.n_features)
        row[np.asarray(indices, dtype=np.intp)] = values
        return row

    # ---- files ----------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write learner and names to one file, which ``ek.load`` reads; it executes nothing.

        ``plain.save`` writes the learner without names.

        Parameters
        ----------
        path : str, bytes or path-like
            Replaced as a whole, as by ``Learner.save``.

        Raises
        ------
        TypeError
            A class or input has a name that is neither text nor a number.
        OSError
            The file cannot be written.
        """
        from edgeolk.files.atomic import write_atomically

        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as box:  # the same learner gives the same file
            box.writestr(zipfile.ZipInfo(LEARNER), bytes(self._sealed()))
            box.writestr(zipfile.ZipInfo(ABOUT), self._about())
        write_atomically(path, (archive.getvalue(),))

    def _about(self) -> str:
        """The names, as the text of their file."""
        return about_of(self.names)


def _of_one(scores: NDArray[np.float64]) -> Any:
    """Scores of a row as ``Probabilities`` takes those of one: a single one is a number."""
    return scores if len(scores) > 1 else float(scores[0])


def _restored(block: bytes, names: Names) -> NamedLearner:
    """Restore a pickled learner."""
    return NamedLearner(Learner._from_block(block), names)


def _as_rows(X: Any) -> Any:
    """Rows as an array or a CSR matrix; raises TypeError or ValueError for anything else."""
    if hasattr(X, "tocsr"):
        refuse_broken_sparse(X, "X")
        return X.tocsr()
    rows = X if isinstance(X, np.ndarray) else real_array(X, "X")
    if rows.ndim != 2:
        raise ValueError(f"X must be of shape (n, n_features), got {rows.shape}")
    return rows


def _as_list(y: Any) -> list[Any]:
    """Labels in a list; raises TypeError for anything but a sequence of them."""
    found = y.tolist() if hasattr(y, "tolist") else y
    if isinstance(found, (str, bytes)) or not hasattr(found, "__len__"):
        raise TypeError(f"y must be a sequence of labels, got {type(y).__name__}")
    return list(found)
