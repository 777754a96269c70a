"""Export of sorf: the constants of model.h and model.c."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from edgeolk.configuration.header import length_of
from edgeolk.configuration.layout import boundary
from edgeolk.export.text import PREDICTS, ROW, Model, braced, image_definitions, number
from edgeolk.files.holds import setup_of
from edgeolk.learner import Learner
from edgeolk.parts import Dtype
from edgeolk.parts.bases import max_gamma
from edgeolk.parts.kernels import Laplacian
from edgeolk.scaling.record import INSIDE
from edgeolk.sorf.regions import FORECASTER

SOURCE = "sorf.c"
#: Whether an exported learner learns.
LEARNS = True
#: Numbers of the types of weights in c/board/sorf.c.
STORES = {Dtype.INT8: 1, Dtype.FLOAT32: 2, Dtype.FLOAT64: 4}
#: Regions that the C source uses; those that the model lacks have offset 0.
REGIONS = (
    *("weights", "mean_weights", "blend", "errors", "novelty", "target", "last_label", "linear"),
    *("relevance", "gradient_steps", "shared_relevance", "drift", "row_memory", "memory_state"),
    "memory_narrow",
    *("scaler", "scaler_counts", "scaler_range", "width", "width_mean", "width_follows", "common"),
    *("statistics", "clipped_rows", "skipped", "query", "inputs", "class_scores"),
    *("recalled", "feature_row"),
    *FORECASTER,
    *("season", "kernel_rows"),
    *("channels", "channel_counts", "deviations", "watch"),
)
#: Of them, the regions of state that are reset when the width is known.
RESET = (
    *("weights", "mean_weights", "blend", "novelty", "target", "last_label", "linear"),
    *("relevance", "gradient_steps", "shared_relevance", "drift", "row_memory", "memory_state"),
    "memory_narrow",
)


DECLARED = """\
/* The non-zero parts of its state. The first run contains the header. */
typedef struct {
    uint32_t offset, bytes;
} ek_run;
extern const ek_run ek_model_runs[EK_RUNS];
extern const uint8_t ek_model_bytes[];
#define ek_model_header ek_model_bytes
"""


def refusal(learner: Learner) -> str:
    """Why it cannot be exported, "" if it can."""
    return ""


def kind_of(learner: Learner) -> str:
    """The kind of learner in the tables of costs."""
    config: Any = learner._config
    if config.forecaster:
        return "forecaster"
    if config.watch:
        return "watching"
    return "learner" if config.needs_labels else "novelty"


def extra_of(learner: Learner) -> tuple[str, ...]:
    """Additional files of its folder."""
    config: Any = learner._config
    return ("forecast_state.h", "forecasting.h") if config.forecaster else ()


def use_of(learner: Learner) -> tuple[str, list[str]]:
    """The variables of a program that uses the model, and the calls for each row."""
    config: Any = learner._config
    if config.forecaster:
        return f"{ROW}\ndouble target;\nek_forecast next;", [
            "ek_ask(arena, row, &next);  /* answer a row, which then waits for its target */",
            "ek_tell(arena, target);     /* learn the target of the oldest waiting row */",
            "ek_look(arena, row, &next); /* only answer; no row waits, nothing is learned */",
        ]
    if config.watch:
        return f"{ROW}\ndouble score;\nek_verdict verdict;", [
            "ek_learn(arena, row, 0, &score); /* every period; score minus threshold */",
            "ek_watch(arena, &verdict);       /* is that row novel, in an event, and why */",
        ]
    label = "label" if config.needs_labels else "0"
    return f"{ROW}\ndouble label, score;", [
        f"ek_learn(arena, row, {label}, &score); /* learn a row; score before learning */",
        PREDICTS,
    ]


def notes_of(learner: Learner) -> str:
    """What its README says besides."""
    config: Any = learner._config
    notes = ""
    if config.dtype == Dtype.INT8:
        notes += (
            "\nOn a core without double precision, `-DEK_SINGLE` computes in float alone: several"
            " times faster,\nand about one rounding in several million differs from the library. On"
            " a core without a\nfloating-point unit, `-DEK_FIXED` computes features in integers,"
            " ten times faster again:\nfeatures differ by some thousandths, so weights differ; the"
            " error changes by less than .1 points.\nEither way, `edgeolk.load` and `ek_load()`"
            " exchange states.\n"
        )
    if config.watch:
        notes += (
            "\nRows come in the order of time, one every period; a number that is not finite is a"
            " missing reading.\n`ek_watch()` tells whether the last learned row is novel or part"
            " of an event, and by what.\n"
        )
    return notes


def _reset_regions(learner: Learner) -> list[tuple[int, int]]:
    """Offset and bytes of the regions that are reset when the width is known."""
    return [(r.offset, r.nbytes) for r in learner.plan.regions if r.name in RESET]


def constants(learner: Learner, file: bytes) -> dict[str, Any]:
    """The macros of model.h."""
    config: Any = learner._config
    plan = learner.plan
    members = learner._engine.sorf_config()  # in the order of C
    max_sum, multiples = members.pop("most"), braced(members.pop("multiples"))
    members["hold"] = config.clamp_limit
    preprocessing = config.preprocessing
    at = {region.name: region.offset for region in plan.regions}
    at.setdefault("query", at.get("inputs", 0))  # relevance scales a row in place
    return {
        "EK_LEARNS": 1,
        "EK_FEATURES": config.n_features,
        "EK_COLUMNS": config.columns,
        "EK_WIDE_ROWS": int(config.dtype == Dtype.FLOAT64),
        "EK_HAS_PROBABILITY": 0,
        "EK_ARENA_BYTES": f"{plan.nbytes}u",
        "EK_SCRATCH": 0,
        "EK_BOUNDARY": f"{boundary(plan.regions)}u",
        "EK_STATE_BYTES": f"{len(file)}u",
        "EK_HEADER_BYTES": f"{length_of(file)}u",
        "EK_TASK": members["task"],
        "EK_WATCHES": int(config.watch is not None),
        "EK_STORES": STORES[config.dtype],
        "EK_SEED": number(config.seed),
        "EK_MOST": max_sum,
        "EK_MOST_WEIGHT": config.max_weight,
        "EK_SCALE_METHOD": preprocessing.method,
        "EK_CLIP_ROWS": preprocessing.clip_rows,
        "EK_SCALE_CLIP": float(preprocessing.clip),
        "EK_SCALE_WINDOW": float(preprocessing.window),
        "EK_FREEZE_AFTER": f"INT64_C({preprocessing.freeze_after})",
        "EK_GAMMA_ROWS": preprocessing.gamma_rows,
        "EK_FOLLOWS": int(preprocessing.follows),
        "EK_PAIRS": int(config.finds_pairs),
        "EK_SHARED": int("shared_relevance" in at),
        "EK_COMMON": int(preprocessing.method == INSIDE["common"]),
        "EK_COMMON_CLIP": float(preprocessing.common_clip),
        "EK_GAMMA": float(config.kernel.fields()[2]),
        "EK_MOST_GAMMA": max_gamma(config.storage.most),
        "EK_LAPLACIAN": int(isinstance(config.kernel, Laplacian)),
        "EK_MULTIPLES": multiples,
        "EK_MULTIPLES_NAME": f"olk_multiples_{crc32(multiples.encode()):08x}",
        "EK_CLEARED_REGIONS": braced([list(place) for place in _reset_regions(learner)]),
        **{f"EK_AT_{name}": f"{at.get(name, 0)}u" for name in REGIONS},
        "EK_SETUP": braced(setup_of(config, plan.regions)),
        "EK_SORF": braced(list(members.values())),
        "EK_INPUTS": config.n_inputs,
        "EK_FORECASTS": int(config.forecaster is not None),
        "EK_REPEATS": int(config.values["last_label"] > 0.0),
        "EK_LAPSE": int(config.values["lapse"]),
        **(_of_forecaster(learner) if config.forecaster else {}),
    }


def _of_forecaster(learner: Learner) -> dict[str, Any]:
    """The macros of a forecaster."""
    values = learner._engine.forecaster()
    return {
        "EK_HORIZON": values["horizon"],
        "EK_INTERVALS": values["n_levels"],
        "EK_FORECAST": braced(list(values.values())),
    }


def _behind(learner: Learner) -> dict[str, Any]:
    """The macros for scratch in the arena: after the block, at a multiple of 8 bytes.

    The slack for alignment is not a part of the block: bytes of it that are used precede the block.
    """
    end = learner.plan.nbytes - boundary(learner.plan.regions)
    start = -(-end // 8) * 8
    return {
        "EK_SCRATCH": 1,
        "EK_AT_SCRATCH": f"{start}u",
        "EK_ARENA_BYTES": f"({learner.plan.nbytes + start - end}u + EK_SCRATCH_BYTES)",
    }


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its current constants; ``scratch`` says where calls have their scratch memory."""
    file = bytes(learner._sealed())
    count, kept, arrays = image_definitions(file, length_of(file))
    behind = _behind(learner) if scratch == "arena" else {}
    macros = {**constants(learner, file), **behind, "EK_RUNS": f"{count}u"}
    return Model(macros, DECLARED, arrays, learner.plan.nbytes, kept)
