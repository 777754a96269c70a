"""Instructions per row of a model, counted on emulated boards of each kind of core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.configuration.config import settings_of
from edgeolk.export.costs import FLAGS, Row, costs_of
from firmware_sim.errors import SimulatorError
from firmware_sim.mcu.boards import BOARDS
from firmware_sim.mcu.emulator import lacking
from firmware_sim.mcu.learning import learn_on, packed

#: A board for each kind of core, with enough memory for most models.
BOARD_OF = {"Cortex-M0": "rp2040", "Cortex-M3": "lm3s6965evb", "Cortex-M4F": "mps2-an386"}
#: Rows that a new learner learns there: enough to include the first choice of the width, and the
#: rare rows whose rounding float cannot decide.
ROWS = 400
_Rows = tuple[NDArray[Any], NDArray[Any]]


def drawn(learner: ek.Learner, rows: int) -> _Rows:
    """Return Gaussian inputs, labelled by the product of the first and last: hard to learn."""
    number = np.float64 if learner.dtype == "float64" else np.float32
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, max(learner.n_features, 1)))
    product = X[:, 0] * X[:, -1] if X.shape[1] > 1 else np.abs(X[:, 0]) - 0.7
    y = product if learner.is_regression else np.where(product > 0, 1.0, -1.0)
    columns = settings_of(learner.config).columns
    if columns > 1:
        y = np.floor(np.abs(product) * columns) % columns
    return X[:, : learner.n_features].astype(number), y


def counts(learner: ek.Learner, cores: Sequence[str], kinds: Sequence[str]) -> Iterator[Row]:
    """Yield the costs of rows by core and arithmetic; boards that are too small are left out."""
    flags = {how: FLAGS[how].split() for how in kinds}
    learns = settings_of(learner.config).update.is_sorf
    given = ek.Learner(learner.config) if learns else learner
    before = int(settings_of(learner.config).values["row_memory"]) if learns else 0
    X, y = drawn(learner, before + ROWS)
    if before:  # fill its row memory
        given.learn_many(X[:before], y[:before])
    rows = packed(X[before:], y[before:])
    for core in cores:
        for how, given_flags in flags.items():
            try:
                _, run_result = learn_on(BOARDS[BOARD_OF[core]], given, rows, given_flags)
            except RuntimeError as error:
                if "fit" in str(error) or "overflow" in str(error):
                    continue  # the board is too small
                raise
            learned = (run_result.learned.mean, run_result.learned.most) if learns else (0.0, 0.0)
            yield Row(core, how, run_result.scored.mean / 1e3, *(count / 1e3 for count in learned))


def counted(learner: ek.Learner) -> list[Row]:
    """Return the costs of rows of this model, for ``export_c(..., counted=)``.

    Raises SimulatorError: no board can be emulated here.
    """
    if reason := lacking():
        raise SimulatorError(f"instructions cannot be counted here: {reason}")
    return list(counts(learner, tuple(BOARD_OF), tuple(costs_of(learner))))
