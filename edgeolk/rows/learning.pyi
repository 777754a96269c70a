from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.rows.scoring import Scorer

class RowLearner(Scorer):
    def learn_one(
        self,
        x: ArrayLike,
        y: float | None = None,
        weight: float | None = None,
        time: float | None = None,
    ) -> float: ...
    def ask_one(self, x: ArrayLike) -> Any: ...
    def _learn_pending(
        self, x: ArrayLike, y: float | None, weight: float | None, place: int
    ) -> float: ...
    def learn_one_sparse(
        self,
        indices: ArrayLike,
        values: ArrayLike,
        y: float | None = None,
        weight: float | None = None,
        time: float | None = None,
    ) -> float: ...
    def wants_label(self, x: ArrayLike) -> bool: ...
    def ask_label(self, x: ArrayLike) -> bool: ...
    def learn_many(
        self,
        X: Any,
        y: ArrayLike | None = None,
        out: NDArray[np.float64] | None = None,
        weight: ArrayLike | None = None,
        verbose: bool = False,
        time: ArrayLike | None = None,
    ) -> NDArray[np.float64]: ...
    def _learn_many(
        self,
        X: Any,
        y: ArrayLike | None,
        weight: ArrayLike | None = None,
        counted: ArrayLike | None = None,
        parts: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]: ...
    def _answer_many(
        self,
        X: Any,
        y: ArrayLike | None,
        out: NDArray[np.float64],
        before: NDArray[np.float64] | None,
        after: NDArray[np.float64] | None = None,
        time: ArrayLike | None = None,
    ) -> None: ...
