"""A learner without numpy, for processes that cannot afford its memory.

``import edgeolk.bare`` imports the engine and the planner, and no numpy: about 10 MB resident.
"""

from __future__ import annotations

from typing import Any

from edgeolk.core.arena import Arena
from edgeolk.core.engine import Engine
from edgeolk.kernels import Kernel
from edgeolk.parts import Algorithm, Basis, Dtype
from edgeolk.planning import choose, plan_of


class BareLearner:
    """What ``Learner`` does with one example, for rows in any float64 buffer.

    Parameters
    ----------
    algorithm, n_features, budget, ram, kernel, dtype, seed, buffer, **params
        As for ``Learner``. Fourier features and int8 storage are set up with numpy and refused.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As ``Learner``.
    """

    __slots__ = ("_engine", "budget", "nbytes")

    def __init__(
        self,
        algorithm: Algorithm | str | None = None,
        *,
        n_features: int,
        budget: int | None = None,
        ram: int | str | None = None,
        kernel: Kernel | None = None,
        dtype: Any = "float32",
        seed: int = 0,
        buffer: Any = None,
        **params: Any,
    ) -> None:
        config = choose(
            algorithm,
            n_features=n_features,
            budget=budget,
            ram=ram,
            kernel=kernel,
            dtype=dtype,
            seed=seed,
            sparse=False,
            params=params,
        )
        if config.parts["basis"] == Basis.FOURIER or config.dtype == Dtype.INT8:
            raise ValueError("a bare learner has neither Fourier features nor int8 storage")
        plan = plan_of(config)
        self._engine = Engine(config, plan.regions, Arena(plan.nbytes, buffer))
        self.budget = config.budget
        self.nbytes = plan.nbytes

    def learn_one(self, x: Any, y: float) -> float:
        """Learn one example from a contiguous float64 buffer; the score before the update.

        Raises
        ------
        TypeError, ValueError
            Wrong buffer, length, label, or a number that is not finite; nothing is changed.
        """
        return self._engine.learn_row(x, y)

    def decision_one(self, x: Any) -> float:
        """Score of one row in a contiguous float64 buffer."""
        return self._engine.score_row(x)

    def counters(self) -> dict[str, Any]:
        """Steps, mistakes, updates, support vectors held, ..."""
        return self._engine.counters()
