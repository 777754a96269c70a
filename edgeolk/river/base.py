"""What the models have in common: a learner made at the first row, and its columns."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.learner import Learner
from edgeolk.parts.kernels import Kernel
from edgeolk.river.columns import Columns
from edgeolk.wrapped import check_task, other_arguments

Row = Mapping[Hashable, Any]


class KernelModel:
    """Parameters of a learner, its columns, and the learner once there is a first row."""

    #: What its learner is for, as ``check_task`` has it.
    _task = ""

    def __init__(
        self,
        algorithm: str,
        ram: int | str,
        budget: int | None,
        gamma: float | str,
        kernel: Any,
        scale: str | None,
        features: Any,
        unseen: str,
        missing: str,
        params: dict[str, Any] | None,
        seed: int,
    ) -> None:
        self.algorithm = algorithm
        self.ram = ram
        self.budget = budget
        self.gamma = gamma
        self.kernel = kernel
        self.scale = scale
        self.features = features
        self.unseen = unseen
        self.missing = missing
        self.params = params
        self.seed = seed
        self._columns = Columns(features, unseen, missing)
        self._learner: Learner | None = None

    @property
    def learner(self) -> Learner | None:
        """The learner; None until a row was learned."""
        return self._learner

    def to_learner(self) -> Learner:
        """The learner alone, a copy: what ``save`` writes and a board runs.

        Raises
        ------
        ValueError
            Nothing was learned yet.
        """
        if self._learner is None:
            raise ValueError("there is no learner before the first row")
        return copy.copy(self._learner)

    @property
    def columns(self) -> list[Hashable]:
        """Keys of the features, in the order of the learner's numbers."""
        return list(self._columns.place)

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of the learner; what else there is does not grow."""
        return 0 if self._learner is None else self._learner.nbytes

    def _new_learner(self, n_features: int | None, **own: Any) -> Learner:
        size: dict[str, Any] = {"ram": self.ram} if self.budget is None else {"budget": self.budget}
        # By the name that means the width for every algorithm; some have a gamma of their own.
        kernel: Kernel | None = self.kernel
        width = {"kernel_gamma": self.gamma} if kernel is None else {"kernel": kernel}
        made = Learner(
            self.algorithm,
            n_features=n_features,
            seed=self.seed,
            scale=self.scale,
            **size,
            **width,
            **{**own, **other_arguments(self.params)},
        )
        return check_task(made, self._task)

    def _row(self, x: Row) -> NDArray[np.float64] | None:
        """Numbers of a row to be scored; None before anything was learned."""
        return None if self._learner is None else self._columns.row(x, learning=False)

    def _learn(self, x: Row, y: float | None, weight: float, **own: Any) -> None:
        """Learn a row; a refused one changes nothing."""
        columns = self._columns
        if not columns.known:
            columns = Columns(self.features, self.unseen, self.missing)
            columns.begin(x)
        row = columns.row(x, learning=False)
        learner = self._new_learner(columns.n, **own) if self._learner is None else self._learner
        learner.learn_one(row, y, weight=None if weight == 1.0 else weight)
        columns.row(x, learning=True)
        columns.learned()
        self._columns, self._learner = columns, learner
