"""Shared by the estimators: making a learner from the first rows, and passes over rows."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from edgeolk.arrays import refuse_broken_sparse, refuse_masked
from edgeolk.catalogue import find
from edgeolk.checks import check_int
from edgeolk.learner import Learner
from edgeolk.parts import Update
from edgeolk.progress import Progress
from edgeolk.sklearn.visits import visits
from edgeolk.sklearn.widths import kernel_options
from edgeolk.wrapped import other_arguments, size_of

FloatArray = NDArray[np.float64]

#: Rows handed to the learner at a time: what a copy of them may take.
CHUNK = 512

#: Types of rows that are learned where they lie.
_PLAIN = (np.dtype(np.float64), np.dtype(np.float32))

#: What is said of a learner whose rows come in the order of time.
_IN_TIME = ("horizon", "season", "interval")


def _refuse_history(options: dict[str, Any]) -> None:
    """Leave ``history="auto"`` out of the options of a learner of rows in any order.

    Raises ValueError: they ask for more that goes by the order of time.
    """
    if options.get("history") == "auto":
        del options["history"]
    for name in ("history", *_IN_TIME):
        if options.get(name):
            raise ValueError(
                f"{name}={options[name]!r} needs rows in the order of time, which fit does not"
                " assume: use partial_fit"
            )


Learns = TypeVar("Learns", bound=Callable[..., Any])


def is_plain_labels(y: Any) -> bool:
    """Whether labels are whole numbers or bools in an array of one dimension."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"


def refuse_mixed(y: Any, name: str = "y") -> None:
    """Refuse labels of several types, such as text and None: they have no order.

    name: of the argument, for messages.
    Raises TypeError: they are.
    """
    labels = np.asarray(y, dtype=object).ravel() if isinstance(y, (list, tuple)) else y
    if getattr(getattr(labels, "dtype", None), "kind", "") != "O":
        return
    try:
        np.unique(labels)
    except TypeError:
        kinds: dict[str, Any] = {}
        for label in np.ravel(labels).tolist():
            kinds.setdefault(type(label).__name__, label)
        shown = " and ".join(f"{kind} ({label!r})" for kind, label in list(kinds.items())[:3])
        raise TypeError(
            f"{name} holds labels of several types, {shown}: they must be of one type"
        ) from None


def unchanged_if_refused(learns: Learns) -> Learns:
    """Make a method that learns leave the attributes as they were where it refuses its input.

    They are set while input is checked, and the learner before the first row: without this, a
    refused first call would leave an estimator that is fitted and knows nothing. A full ring that
    refuses candidates is no such refusal: what was learned before stays, as in the learner.
    """

    @functools.wraps(learns)
    def learned(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return learns(self, *args, **kwargs)
        except (TypeError, ValueError):
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Learns, learned)


class OnlineKernelBase(BaseEstimator):
    """Parameters and passes of the three estimators."""

    learner_: Learner
    n_features_in_: int
    algorithm: Any
    ram: Any
    budget: int | None
    D: int | None
    gamma: Any
    kernel: Any
    scale: str | None
    params: dict[str, Any] | None
    epochs: int
    shuffle: bool
    random_state: Any
    verbose: bool

    #: Arguments of the learner that the estimator has by name; None leaves their defaults.
    _named: tuple[str, ...] = ()

    def _keep(self, given: dict[str, Any]) -> None:
        """Keep the arguments of ``__init__``, its ``locals()``, as they are."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")

    def _is_checked(self, X: Any) -> bool:
        """Whether scikit-learn's checks would give back X: plain rows, as many features as known.

        They take longer than learning a row.
        """
        return (
            type(X) is np.ndarray
            and X.dtype in _PLAIN
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == self.n_features_in_
            and X.flags.carray
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X).all())
        )

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, **how: Any) -> Any:
        if not reset and self._is_checked(X):
            if isinstance(y, str):
                return X
            if is_plain_labels(y) and len(y) == len(X) and not how:
                return X, y
        # Before scikit-learn and scipy: they see no mask, and follow any pointer.
        refuse_masked(X, "X")
        refuse_masked(y, "y")
        if hasattr(X, "tocsr"):
            refuse_broken_sparse(X, "X")
        return validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32),
            order="C", **how,
        )  # fmt: skip

    def _follows(self) -> bool:
        """Whether the width of the learner follows its rows, where none is named."""
        if self.algorithm is None or self.scale is None:
            return False
        return find(self.algorithm).parts.get("update") == Update.BLENDED

    def _begin(self, X: Any, random: np.random.RandomState, *, more: bool, **own: Any) -> Learner:
        """A learner for rows like these, of which there may be more."""
        options: dict[str, Any] = {**own, **other_arguments(self)}
        if not more:
            _refuse_history(options)
        size = size_of(self)
        if not (own.get("history") and options["history"]):  # which has a scale of each channel
            size["scale"] = self.scale
            size |= kernel_options(
                self.gamma, self.kernel, self.scale, X, more=more, follows=self._follows()
            )
        return Learner(
            self.algorithm,
            n_features=X.shape[1],
            seed=int(random.randint(2**31 - 1)),
            **size,
            **options,
        )

    def _epochs(
        self, X: Any, y: NDArray[Any], weight: FloatArray | None, random: np.random.RandomState
    ) -> Iterator[tuple[int, Any, NDArray[Any]]]:
        """The epoch, rows and targets to learn, some at a time, in the order to learn."""
        epochs = check_int("epochs", self.epochs, 1)
        each = visits(X, y, weight, epochs, random, self.shuffle)
        with Progress(epochs * X.shape[0]) as progress:
            for epoch, rows in enumerate(each):
                for start in range(0, len(rows), CHUNK):
                    chunk = rows[start : start + CHUNK]
                    yield epoch, X[chunk], y[chunk]
                    if self.verbose:
                        progress(len(chunk))

    def to_learner(self) -> Learner:
        """A copy of the learner alone, to save or to run on a board.

        Returns
        -------
        Learner
            Its scores equal those of the estimator bit for bit, also after ``save`` and
            ``ek.load``. A regressor's predictions are its scores times ``target_scale_``, plus
            ``target_mean_``; these two are not part of the learner.
        """
        check_is_fitted(self)
        return copy.copy(self.learner_)
