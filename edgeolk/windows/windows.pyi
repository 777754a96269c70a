from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeolk.windows.plan import WindowsPlan

class Windows:
    def __new__(
        cls,
        channels: int,
        size: int = 256,
        hop: int | None = None,
        features: str | Sequence[str] = "vibration",
        rate: float = 400.0,
        dtype: str = "int16",
        *,
        bands: int | Sequence[float] | None = None,
        envelope: bool = False,
        buffer: Any = None,
    ) -> Windows: ...
    def feed_one(
        self, sample: ArrayLike, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32] | None: ...
    def feed_many(
        self, samples: ArrayLike, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]: ...
    def n_rows(self, n: int) -> int: ...
    def restart(self) -> None: ...
    @property
    def plan(self) -> WindowsPlan: ...
    @property
    def n_features(self) -> int: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def due(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def _to_bytes(self) -> bytes: ...
    @classmethod
    def _from_bytes(cls, data: bytes) -> Windows: ...
    def save(self, path: str | PathLike[str], learner: Any = None) -> None: ...
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Windows: ...
