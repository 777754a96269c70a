from typing import TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.scaling.state import ScalerState

_Out = TypeVar("_Out", NDArray[np.float64], NDArray[np.float32])

class RunningScaler(ScalerState):
    def learn_one(self, x: ArrayLike) -> None: ...
    @overload
    def transform_one(self, x: ArrayLike, out: None = None) -> NDArray[np.float64]: ...
    @overload
    def transform_one(self, x: ArrayLike, out: _Out) -> _Out: ...
    @overload
    def learn_transform_one(self, x: ArrayLike, out: None = None) -> NDArray[np.float64]: ...
    @overload
    def learn_transform_one(self, x: ArrayLike, out: _Out) -> _Out: ...
    def _learn_transform_many(
        self,
        X: NDArray[np.float64] | NDArray[np.float32],
        out: NDArray[np.float64] | NDArray[np.float32],
        before: NDArray[np.float64] | None = None,
    ) -> int: ...
    def learn_many(self, X: ArrayLike) -> None: ...
    @overload
    def transform(self, X: ArrayLike, out: None = None) -> NDArray[np.float64]: ...
    @overload
    def transform(self, X: ArrayLike, out: _Out) -> _Out: ...
