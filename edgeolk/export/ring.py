"""Export of a learner with support vectors: constants for scoring only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.export.text import PREDICTS, ROW, Model, array, braced
from edgeolk.learner import Learner
from edgeolk.parts import Basis, Dtype, Loss, Rows
from edgeolk.parts.kernels import Gaussian, Sigmoid
from edgeolk.parts.storage import COEFFICIENTS, ELEMENTS
from edgeolk.scaling.record import COMPACT

SOURCE = "ring.c"
#: Whether an exported learner learns, and whether its scratch can be in the arena.
LEARNS = False
MOVES_SCRATCH = False
#: Whether each number of a row has a bound of its own, or the sum of their sizes.
BOUNDS_EACH = True
#: Files besides those of every export.
FILES = ()
#: Slots that the loops process together: rows of the ring are padded to a multiple.
AT_ONCE = 8


def refusal(learner: Learner) -> str:
    """Why it cannot be exported, "" if it can."""
    config: Any = learner._config
    if config.parts["basis"] != Basis.SUPPORT_VECTORS:
        return "its features are not available in C: use sorf, which takes fewer bytes and learns"
    if config.update.begin:
        return "its hints from the last rows are not available in C: use ahpatron"
    if isinstance(config.kernel, Sigmoid):
        return "its kernel needs tanh of the C library, which a board may lack: use a Gaussian"
    return ""


def kind_of(learner: Learner) -> str:
    """The kind of learner in the tables of costs."""
    return "ring"


def extra_of(learner: Learner) -> tuple[str, ...]:
    """Additional files of its folder."""
    return ()


def use_of(learner: Learner) -> tuple[str, list[str]]:
    """The variables of a program that uses the model, and the calls for each row."""
    return f"{ROW}\ndouble label;", [PREDICTS]


def notes_of(learner: Learner) -> str:
    """What its README says besides."""
    config: Any = learner._config
    if config.parts["rows"] == Rows.DENSE:
        return ""
    return (
        "\nRows are scored as dense. The library skips zeros in mostly sparse rows, which rounds"
        "\ndifferently.\n"
    )


def _numbers(kind: str, name: str, values: NDArray[Any]) -> str:
    flat = values.reshape(-1)
    if values.dtype.kind == "f":
        suffix = "f" if values.dtype.itemsize == 4 else ""
        return array(kind, name, (float(v).hex() + suffix for v in flat))
    return array(kind, name, (str(int(v)) for v in flat))


def _padded(rows: NDArray[Any], n: int) -> NDArray[Any]:
    """The first n of each row, and zeros up to a multiple of ``AT_ONCE``."""
    stride = max(AT_ONCE, -(-n // AT_ONCE) * AT_ONCE)
    padded = np.zeros((len(rows), stride), rows.dtype)
    padded[:, :n] = rows[:, :n]
    return padded


def _constants(learner: Learner) -> dict[str, tuple[str, NDArray[Any]]]:
    """Name -> (C type, array) of the constants."""
    engine, config, n = learner._engine, learner._config, learner.n_support
    real = ELEMENTS[COEFFICIENTS[config.coefficients].element].c
    stored = ELEMENTS[config.storage.element].c
    found = {
        "ek_vectors": (stored, _padded(_view(engine, "support_vectors"), n)),
        "ek_coefficients": (real, _padded(_view(engine, "coefficients"), n)),
    }
    if _uses_norms(learner):
        kind = "double" if config.dtype == Dtype.FLOAT64 else "float"
        found["ek_norms"] = (kind, _padded(_view(engine, "norms"), n))
    if config.dtype == Dtype.INT8:
        found["ek_levels"] = ("float", _view(engine, "levels"))
    if config.preprocessing.method == COMPACT:
        found["ek_statistics"] = ("uint8_t", _view(engine, "statistics").view(np.uint8))
    elif config.preprocessing.method and learner.common_scale is None:
        found["ek_scaler"] = ("double", _view(engine, "scaler"))
        found["ek_scaler_counts"] = ("int32_t", _view(engine, "scaler_counts"))
        has_range = "scaler_range" in {region.name for region in learner.plan.regions}
        zeros = np.zeros((1, 2 * config.n_features))
        found["ek_scaler_range"] = ("double", _view(engine, "scaler_range") if has_range else zeros)
    return found


def _uses_norms(learner: Learner) -> bool:
    """Whether it computes distances from norms (``State.lengths`` in core/state.pxd)."""
    names = {region.name for region in learner.plan.regions}
    gaussian = isinstance(learner._config.kernel, Gaussian)
    return gaussian and "norms" in names and "distance_row" not in names


def _view(engine: Any, name: str) -> NDArray[Any]:
    return np.asarray(engine.view(name))


def _task(learner: Learner) -> int:
    """Number of the task in c/sorf_types.h."""
    if learner._config.columns > 1:
        return 1
    return 2 if learner.is_regression else 0 if learner._config.needs_labels else 3


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its current constants."""
    config, n = learner._config, learner.n_support
    constants = _constants(learner)
    stride = constants["ek_vectors"][1].shape[1]
    kernel = learner.kernel.fields()
    common = learner.common_scale
    wide = config.dtype == Dtype.FLOAT64
    query = -(-config.n_features * (8 if wide else 4) // 8)
    arena = 8 * (query + (stride if config.columns > 1 else 0))
    macros = {
        "EK_LEARNS": 0,
        "EK_WATCHES": 0,
        "EK_CLOCK": 0,
        "EK_FEATURES": config.n_features,
        "EK_COLUMNS": config.columns,
        "EK_WIDE_ROWS": int(wide),
        "EK_HAS_PROBABILITY": int(config.parts["loss"] == Loss.LOGISTIC),
        "EK_ARENA_BYTES": f"{arena}u",
        "EK_TASK": _task(learner),
        "EK_STORES": int(config.dtype),
        "EK_COEF_DTYPE": int(config.coefficients),
        "EK_VECTORS": n,
        "EK_STRIDE": stride,
        "EK_AT_ROW": query,
        "EK_NORMS": "ek_norms" if _uses_norms(learner) else "NULL",
        "EK_KERNEL": braced(list(kernel)),
        "EK_SCALE": float(learner._engine.scale()),
        "EK_THRESHOLD": 0.0 if config.needs_labels else learner.threshold,
        "EK_MOST": config.storage.most,
        "EK_SCALE_METHOD": config.preprocessing.method,
        "EK_CLIPS_ROWS": int(config.preprocessing.clip_rows > 0.0),
        "EK_CLIP_ROWS": config.preprocessing.clip_rows,
        "EK_COMMON": int(common is not None),
        "EK_COMMON_AFFINE": braced([0.5 * common.mean, 0.5 * common.sd] if common else [0.0, 0.5]),
        "EK_SCALE_CLIP": float(config.preprocessing.clip),
    }
    declared = "".join(f"extern const {kind} {name}[];\n" for name, (kind, _) in constants.items())
    defined = "\n".join(_numbers(kind, name, values) for name, (kind, values) in constants.items())
    return Model(
        macros,
        "/* Support vectors, feature by feature; coefficients; statistics of the scaler. */\n"
        + declared,
        defined,
        arena,
        sum(values.nbytes for _, values in constants.values()),
    )
