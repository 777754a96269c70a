"""The kernel of an estimator's learner."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.gamma import gamma_from
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.scaling import RunningScaler
from edgeolk.scaling.record import GAMMA_ROWS, INSIDE

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
