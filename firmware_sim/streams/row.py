"""The type of the row buffer, and of many rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.float64]
