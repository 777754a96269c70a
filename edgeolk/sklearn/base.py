"""Shared by the estimators: the order in which ``fit`` visits rows, the kernel of the learner, its
creation from the first rows, and passes over rows.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from edgeolk.arrays import real_array, refuse_broken_sparse, refuse_masked, table_remedy
from edgeolk.checks import check_int
from edgeolk.gamma import gamma_from
from edgeolk.learner import Learner
from edgeolk.named import NamedLearner
from edgeolk.names import Names
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.parts.methods import find
from edgeolk.progress import Progress
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.record import GAMMA_ROWS, INSIDE
from edgeolk.sklearn.missing import ColumnMeans, gaps_in
from edgeolk.wrapped import only_given, other_arguments, scales_itself, size_of

FloatArray = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


#: The maximum number of visits in one epoch: row numbers take 8 bytes each, twice.
MAX_VISITS = 10**8


def checked_weight(weight: Any, n: int, name: str = "sample_weight") -> FloatArray | None:
    """Check the weights of n rows; return None if all are 1.

    Raises
    ------
    TypeError, ValueError
        Not numbers, a wrong shape, a negative or infinite weight, or no weight above 0.
    """
    if weight is None:
        return None
    weights = real_array(weight, name).astype(np.float64)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim} dimensions"
        )
    if weights.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError(f"{name} must be finite and not negative")
    if not (weights > 0.0).any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return None if (weights == 1.0).all() else weights


def refuse_too_many(weight: FloatArray | None, name: str) -> None:
    """Raise ValueError if the weights would take too many visits."""
    if weight is None:
        return
    with np.errstate(over="ignore"):
        n_visits = float(weight.sum())
    if n_visits > max(MAX_VISITS, len(weight)):
        raise ValueError(
            f"{name} must sum to at most {MAX_VISITS:g}, since fit visits a row as often as it"
            f" weighs, got a sum of {n_visits:.3g}: divide all of them by one number"
        )


def counted(weight: FloatArray | None, *arrays: Any) -> tuple[Any, ...]:
    """The weights above 0, and the corresponding items of the arrays."""
    if weight is None or (weight > 0.0).all():
        return weight, *arrays
    kept = np.flatnonzero(weight)
    return tuple(array[kept] for array in (weight, *arrays))


def canonical_order(X: Any, y: NDArray[Any]) -> RowNumbers:
    """An order of the rows that does not depend on their order in X.

    Rows are sorted by their projection on one fixed direction.
    """
    direction = np.random.RandomState(0).normal(size=X.shape[1])
    # Dense rows without BLAS, where the sum of a row depends on its position.
    projections = X @ direction if hasattr(X, "tocsr") else np.einsum("ij,j->i", X, direction)
    return np.lexsort((y, projections))


def visits(
    X: Any, y: NDArray[Any], weight: FloatArray | None, epochs: int, random: Any, shuffle: bool
) -> Iterator[RowNumbers]:
    """Yield the numbers of the rows to visit in each epoch, in order.

    Over all epochs a row is visited epochs times its weight, rounded at random: an integer weight
    repeats the row in each epoch, which every learner supports. If all weights are below 1, they
    are scaled so that the largest is 1.
    """
    n = X.shape[0]
    order = canonical_order(X, y) if shuffle else np.arange(n)
    chance = np.random.RandomState(random.randint(2**31 - 1))
    if weight is not None:
        weight = weight[order] / min(1.0, weight.max())
        start = chance.uniform(size=n)
    for epoch in range(epochs):
        rows = order
        if weight is not None:
            until = np.floor((epoch + 1) * weight + start)
            rows = np.repeat(order, (until - np.floor(epoch * weight + start)).astype(np.intp))
        yield rows[random.permutation(len(rows))] if shuffle else rows


#: Rows from which a width is computed.
ROWS = 500


def _as_learned(X: Any, scale: str | None) -> NDArray[np.float64]:
    """The first rows as the learner will see them."""
    first = X[:ROWS]
    first = np.asarray(first.toarray() if hasattr(first, "toarray") else first, dtype=np.float64)
    if scale is None:
        return first
    if scale == "common":
        readings: Any = first
        sd = float(readings.std()) or 1.0
        scaled: NDArray[np.float64] = np.clip((readings - readings.mean()) / sd, -8.0, 8.0)
        return scaled
    scaler = RunningScaler(first.shape[1], method=scale)
    scaler.learn_many(np.ascontiguousarray(first))
    return scaler.transform(np.ascontiguousarray(first))


def kernel_options(
    gamma: Any, kernel: Kernel | None, scale: str | None, X: Any, *, more: bool, follows: bool
) -> dict[str, Any]:
    """``kernel=`` or ``gamma=`` of a learner.

    Parameters
    ----------
    gamma, kernel, scale
        As given to the estimator.
    X : array or CSR matrix of shape (n, n_features)
        The first rows.
    more : bool
        Whether more rows may come: then no width is computed from only a few rows.
    follows : bool
        Whether the learner's width follows its rows by default.

    Raises
    ------
    TypeError, ValueError
        With the parameter, its value and what is allowed.
    """
    if scale is not None and scale not in INSIDE:
        raise ValueError(f"scale must be 'standard', 'minmax', 'common' or None, got {scale!r}")
    if kernel is not None:
        if isinstance(kernel, Kernel):
            return {"kernel": kernel}
        raise TypeError(
            "kernel must be None for a Gaussian kernel of width gamma, or a kernel such as"
            f" ek.Polynomial(3), got {kernel!r}"
        )
    if isinstance(gamma, Real) and not isinstance(gamma, bool):
        if not 0.0 < float(gamma) < np.inf:
            raise ValueError(f"gamma must be above 0 and finite, got {gamma!r}")
        return {"kernel": Gaussian(float(gamma))}
    if not (isinstance(gamma, str) and gamma in ("auto", "scale")):
        raise ValueError(f"gamma must be 'auto', 'scale' or a number above 0, got {gamma!r}")
    if gamma == "auto" and follows:
        return {"kernel_gamma": "auto"}
    if gamma == "auto" and more and X.shape[0] < GAMMA_ROWS:
        return {"kernel_gamma": "auto"}
    rows = _as_learned(X, scale)
    if gamma == "auto" and (rows[0] != rows).any():
        return {"kernel": Gaussian(gamma_from(rows, ROWS))}
    variance = float(rows.var())
    return {"kernel": Gaussian(1.0 / (rows.shape[1] * variance) if variance > 0.0 else 1.0)}


#: Rows passed to the learner at a time, which limits the memory of a copy.
CHUNK = 512

#: Types of rows that are learned without a copy.
_PLAIN = (np.dtype(np.float64), np.dtype(np.float32))

#: Arguments of a learner of time series.
_TIME_SERIES = ("horizon", "season", "interval", "lags")


def _refuse_history(options: dict[str, Any]) -> None:
    """Remove ``history="auto"`` from the options of a learner of rows in any order.

    Raises ValueError: another option is for time series.
    """
    if options.get("history") == "auto":
        del options["history"]
    for name in ("history", *_TIME_SERIES):
        if options.get(name):
            raise ValueError(
                f"{name}={options[name]!r} needs rows in the order of time, which fit does not"
                " assume: use partial_fit"
            )


Learns = TypeVar("Learns", bound=Callable[..., Any])


def is_plain_labels(y: Any) -> bool:
    """Whether labels are integers or bools in an array of one dimension."""
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
    """Restore the attributes if a method that learns rejects its input.

    Attributes are set while input is checked, and the learner before the first row: without this,
    a rejected first call would leave an estimator that counts as fitted. A full ring that rejects
    candidates does not count: rows learned before it are kept, as in the learner.
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
    _means: ColumnMeans
    algorithm: Any
    ram: Any
    budget: int | None
    D: int | None
    gamma: Any
    kernel: Any
    scale: str | None
    missing: str
    params: dict[str, Any] | None
    epochs: int
    shuffle: bool
    random_state: Any
    verbose: bool

    #: Arguments of the learner that the estimator has by name; None leaves their defaults.
    _named: tuple[str, ...] = ()

    def _keep(self, given: dict[str, Any]) -> None:
        """Store the arguments of ``__init__``, its ``locals()``, unchanged."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "mean"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")

    def _is_checked(self, X: Any) -> bool:
        """Whether scikit-learn's checks, which take longer than learning a row, can be skipped.

        True for plain rows with the expected number of features: the checks would return X itself.
        """
        return (
            type(X) is np.ndarray
            and X.dtype in _PLAIN
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == self.n_features_in_
            and X.flags.carray
            and not hasattr(self, "feature_names_in_")
            and math.isfinite(np.vdot(X, X))  # else a number may not be finite
        )

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, **how: Any) -> Any:
        if not reset and self._is_checked(X):
            if isinstance(y, str):
                return X
            if is_plain_labels(y) and len(y) == len(X) and not how:
                return X, y
        # Before scikit-learn and scipy, which ignore masks and do not check sparse indices.
        refuse_masked(X, "X")
        refuse_masked(y, "y")
        if hasattr(X, "tocsr"):
            refuse_broken_sparse(X, "X")
        try:
            found = validate_data(
                self, X, y, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32),
                order="C", ensure_all_finite="allow-nan", **how,
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            is_text = re.search("could not (convert|be promoted)", str(error))
            if not is_text or not (remedy := table_remedy(X)):
                raise
            raise TypeError(f"X must hold real numbers{remedy}") from None
        if self.missing != "mean":
            self._refuse_gaps(found[0] if isinstance(found, tuple) else found)
        return found

    def _refuse_gaps(self, X: Any) -> None:
        """Raise ValueError for rows with NaN, or if ``missing`` is neither "mean" nor "refuse"."""
        if self.missing != "refuse":
            raise ValueError(f"missing must be 'mean' or 'refuse', got {self.missing!r}")
        if gaps_in(X.data if hasattr(X, "tocsr") else X) is not None:
            raise ValueError(
                "X contains NaN, which missing='refuse' does not allow; missing='mean' replaces it"
                " by the mean of its column"
            )

    def _filled(self, X: Any, *, reset: bool, in_order: bool) -> Any:
        """Rows to learn, with means in place of missing readings; updates the means.

        reset: whether the means start again.
        in_order: whether a mean is that of earlier rows only.
        """
        before = ColumnMeans.of(X.shape[1]) if reset else self._means
        self._means = before.after(X)
        return before.fill_in_order(X) if in_order else self._means.fill(X)

    def _scorable(self, X: Any) -> Any:
        """Checked rows to score."""
        X = self._checked(X, reset=False)
        return X if self._takes_gaps else self._means.fill(X)

    @property
    def _takes_gaps(self) -> bool:
        """Whether NaN is a missing reading for the learner itself, as for one of time series."""
        return self.learner_._config.takes_gaps

    @property
    def n_missing_(self) -> NDArray[np.intp]:
        """Missing readings of each feature in the rows learned."""
        check_is_fitted(self)
        return self._means.n_missing

    def _follows(self) -> bool:
        """Whether the width of the learner follows its rows by default."""
        if self.algorithm is None or self.scale is None:
            return False
        return find(self.algorithm).preprocessing.get("gamma") == "auto"

    def _begin(self, X: Any, random: np.random.RandomState, *, more: bool, **extra: Any) -> Learner:
        """A learner for rows like these; ``more`` says that more rows may come."""
        options: dict[str, Any] = {**extra, **other_arguments(self)}
        for name in ("delay", "horizon"):
            if options.get(name) not in (None, 0, name == "horizon"):
                raise ValueError(
                    f"{name}={options[name]!r} needs rows that wait for their labels, but predict"
                    " of an estimator remembers none: pass each row to partial_fit when its label"
                    " comes, or use edgeolk.river (delay) or ek.Learner"
                )
        if not more:
            _refuse_history(options)
        size = size_of(self)
        if scales_itself(self.algorithm):
            size |= only_given(self.scale, self.gamma, self.kernel)
        elif not (extra.get("history") and options["history"]):  # which has a scale of each channel
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
        """Yield the epoch, rows and targets in chunks, in the order to learn."""
        epochs = check_int("epochs", self.epochs, 1)
        each = visits(X, y, weight, epochs, random, self.shuffle)
        with Progress(epochs * X.shape[0]) as progress:
            for epoch, rows in enumerate(each):
                for start in range(0, len(rows), CHUNK):
                    chunk = rows[start : start + CHUNK]
                    yield epoch, X[chunk], y[chunk]
                    if self.verbose:
                        progress(len(chunk))

    def _names(self) -> dict[str, Any]:
        """The fields of ``Names`` besides the inputs."""
        return {}

    def to_learner(self) -> NamedLearner:
        """A copy of the learner, to save or to run on a board.

        Returns
        -------
        NamedLearner
            Its scores equal those of the estimator bit for bit, also after ``save`` and
            ``ek.load``. It has the names of classes and inputs, learns and answers labels
            and targets as the estimator does, and gives the same probabilities.
        """
        check_is_fitted(self)
        features = tuple(getattr(self, "feature_names_in_", np.empty(0)).tolist())
        return NamedLearner(self.learner_, Names(features=features, **self._names()))

    def save(self, path: Any) -> None:
        """Write the learner with its names and probabilities to one file, for ``ek.load``.

        Parameters
        ----------
        path : str, bytes or path-like
            An existing file is replaced as a whole.

        Raises
        ------
        TypeError
            A class or a column has a name that is neither text nor a number.
        OSError
            The file cannot be written.
        """
        self.to_learner().save(path)
