"""Export of a Gaussian process on a ring (krls_t, sogp), which learns: the constants of model.h."""

from __future__ import annotations

from typing import Any

from edgeolk.configuration.header import length_of
from edgeolk.configuration.layout import boundary
from edgeolk.export.sorf import DECLARED
from edgeolk.export.text import PREDICTS, ROW, Model, designated, image_definitions, wrapped
from edgeolk.files.holds import ring_setup
from edgeolk.learner import Learner
from edgeolk.parts import Dtype, Policy, Rows, Update
from edgeolk.parts.storage import COEFFICIENTS

SOURCE = "process.c"
#: Whether an exported learner learns, and whether its scratch can be in the arena.
LEARNS = True
MOVES_SCRATCH = False
#: Whether each number of a row has a bound of its own, or the sum of their sizes.
BOUNDS_EACH = True
#: Files besides those of every export.
FILES = ("block.h", "crc.h", "state.h", "flash.h", "flash.c")

def refusal(learner: Learner) -> str:
    """Why it cannot be exported, "" if it can."""
    return ""


def kind_of(learner: Learner) -> str:
    """The kind of learner in the tables of costs."""
    return "whitened" if learner._config.parts["update"] == Update.WHITENED else "process"


def extra_of(learner: Learner) -> tuple[str, ...]:
    """Additional files of its folder."""
    return ()


def use_of(learner: Learner) -> tuple[str, list[str]]:
    """The variables of a program that uses the model, and the calls for each row."""
    return f"{ROW}\ndouble label, score, variance;", [
        "ek_learn(arena, row, label, &score); /* learn a row; the answer before learning */",
        PREDICTS,
        "ek_variance(arena, row, &variance); /* of the target of this row; infinite at first */",
    ]


def notes_of(learner: Learner) -> str:
    """What its README says besides."""
    config: Any = learner._config
    if config.parts["rows"] == Rows.DENSE:
        return ""
    return (
        "\nRows are learned as dense. The library skips zeros in mostly sparse rows, which rounds"
        "\ndifferently.\n"
    )


def macros_of_ring(learner: Learner, file: bytes) -> dict[str, Any]:
    """The macros of model.h for every learner on a ring that learns."""
    config: Any = learner._config
    plan, setup = learner.plan, learner._engine.setup()
    ring = ring_setup(config, plan.regions)
    for unused in ("sorf", "forecast", "widths"):
        del setup[unused]
    del ring["common"]
    return {
        "EK_LEARNS": 1,
        "EK_WEIGHS": 0,
        "EK_HAS_VARIANCE": 1,
        "EK_WATCHES": 0,
        "EK_FORECASTS": 0,
        "EK_REPEATS": 0,
        "EK_LATE": 0,
        "EK_FEATURES": config.n_features,
        "EK_COLUMNS": 1,
        "EK_TASK": 2,
        "EK_WIDE_ROWS": int(config.dtype == Dtype.FLOAT64),
        "EK_HAS_PROBABILITY": 0,
        "EK_ARENA_BYTES": f"{plan.nbytes}u",
        "EK_SCRATCH": 0,
        "EK_BOUNDARY": f"{boundary(plan.regions)}u",
        "EK_STATE_BYTES": f"{len(file)}u",
        "EK_HEADER_BYTES": f"{length_of(file)}u",
        "EK_STORES": int(config.dtype),
        "EK_COEF_DTYPE": int(config.coefficients),
        "EK_MOST": config.storage.most,
        "EK_MOST_COEFFICIENT": COEFFICIENTS[config.coefficients].most,
        "EK_SCALE_METHOD": config.preprocessing.method,
        "EK_GAMMA_ROWS": config.preprocessing.gamma_rows,
        "EK_SETUP": wrapped(designated(setup)),
        "EK_RING": wrapped(f"{{.common = EK_SETUP, {designated(ring)[1:]}"),
    }


def _macros(learner: Learner, file: bytes) -> dict[str, Any]:
    config: Any = learner._config
    return {
        **macros_of_ring(learner, file),
        "EK_HAS_NORMS": int("norms" in {region.name for region in learner.plan.regions}),
        "EK_WHITENED": int(config.parts["update"] == Update.WHITENED),
        "EK_BY_DIVERGENCE": int(config.parts["policy"] == Policy.LEAST_DIVERGENCE),
        "EK_FORGETTING": config.values["forgetting"],
        "EK_NOISE": config.values["noise"],
        "EK_JITTER": config.values["jitter"],
    }


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its current constants."""
    file = bytes(learner._sealed())
    count, kept, arrays = image_definitions(file, length_of(file))
    macros = {**_macros(learner, file), "EK_RUNS": f"{count}u"}
    return Model(macros, DECLARED, arrays, learner.plan.nbytes, kept)
