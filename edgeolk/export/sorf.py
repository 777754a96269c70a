"""The learner on structured features as the constants of model.h and model.c."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from edgeolk.configuration.header import length_of
from edgeolk.configuration.layout import boundary
from edgeolk.configuration.regions import FORECASTER
from edgeolk.core import structs
from edgeolk.export.image import definitions
from edgeolk.export.text import Model, braced, number
from edgeolk.learner import Learner
from edgeolk.parts import Dtype
from edgeolk.parts.bases import most_gamma
from edgeolk.parts.kernels import Laplacian
from edgeolk.preprocessing.scaling import INSIDE

SOURCE = "sorf.c"
#: Types of weights, as c/sorf.c names them to loops/structured.h.
STORES = {Dtype.INT8: 1, Dtype.FLOAT32: 2, Dtype.FLOAT64: 4}
#: Regions that the C source looks for; one that the model lacks has offset 0.
REGIONS = (
    *("weights", "mean_weights", "blend", "errors", "novelty", "target", "last_label", "linear"),
    *("relevance", "turns", "shared_relevance", "drift", "row_memory", "memory_state"),
    "memory_narrow",
    *("scaler", "scaler_counts", "scaler_range", "width", "width_mean", "width_follows", "common"),
    *("statistics", "clipped_rows", "skipped", "query", "inputs", "class_scores"),
    *("recalled", "feature_row"),
    *FORECASTER,
    *("season", "kernel_rows"),
    *("channels", "channel_counts", "deviations", "watch"),
)
#: Of them, those of state that start anew when the width is known.
ANEW = (
    *("weights", "mean_weights", "blend", "novelty", "target", "last_label", "linear"),
    *("relevance", "turns", "shared_relevance", "drift", "row_memory", "memory_state"),
    "memory_narrow",
)


DECLARED = """\
/* Its state: what is not zero. The first run holds the header. */
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


def _anew(learner: Learner) -> list[tuple[int, int]]:
    """Offset and bytes of the regions that start anew with the width."""
    return [(r.offset, r.nbytes) for r in learner.plan.regions if r.name in ANEW]


def constants(learner: Learner, file: bytes) -> dict[str, Any]:
    """The macros of model.h."""
    config, plan = learner._config, learner.plan
    made = {**learner._engine.structured(), "hold": config.held_to}
    prepared = config.preprocessing
    at = {region.name: region.offset for region in plan.regions}
    at.setdefault("query", at.get("inputs", 0))  # relevance scales a row where it lies
    _, declared = structs.read("sorf_types.h")
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
        "EK_TASK": made["task"],
        "EK_WATCHES": int(config.watches),
        "EK_STORES": STORES[config.dtype],
        "EK_SEED": number(config.seed),
        "EK_MOST": made["most"],
        "EK_MOST_WEIGHT": config.update.most_weight,
        "EK_SCALE_METHOD": prepared.method,
        "EK_CLIPS_ROWS": int(prepared.clip_rows > 0.0),
        "EK_CLIP_ROWS": prepared.clip_rows,
        "EK_SCALE_CLIP": float(prepared.clip),
        "EK_SCALE_WINDOW": float(prepared.window),
        "EK_FREEZE_AFTER": f"INT64_C({prepared.freeze_after})",
        "EK_GAMMA_ROWS": prepared.gamma_rows,
        "EK_FOLLOWS": int(prepared.follows),
        "EK_PAIRS": int(config.finds_pairs),
        "EK_SHARED": int("shared_relevance" in at),
        "EK_COMMON": int(prepared.method == INSIDE["common"]),
        "EK_ALIKE_CLIP": float(prepared.alike_clip),
        "EK_GAMMA": float(config.kernel.fields()[2]),
        "EK_MOST_GAMMA": most_gamma(config.storage.most),
        "EK_LAPLACIAN": int(isinstance(config.kernel, Laplacian)),
        "EK_MULTIPLES": (multiples := braced(made["multiples"])),
        "EK_MULTIPLES_NAME": f"olk_multiples_{crc32(multiples.encode()):08x}",
        "EK_ANEW": braced([list(place) for place in _anew(learner)]),
        **{f"EK_AT_{name}": f"{at.get(name, 0)}u" for name in REGIONS},
        "EK_SORF": braced([made[member.name] for member in declared["olk_sorf"]]),
        "EK_INPUTS": config.n_inputs,
        "EK_FORECASTS": int(config.forecasts),
        "EK_REPEATS": int(config.values["last_label"] > 0.0),
        "EK_LAPSE": int(config.values["lapse"]),
        **(_of_forecaster(learner) if config.forecasts else {}),
    }


def _of_forecaster(learner: Learner) -> dict[str, Any]:
    """What a forecaster is made of, and where its numbers lie."""
    config = learner._config
    made = learner._engine.forecaster()
    _, declared = structs.read("forecast_types.h")
    names = (*FORECASTER, "season")
    places = [
        [region.offset, region.shape[0] * region.shape[1]]
        for region in learner.plan.regions
        if region.name in names
    ]
    return {
        "EK_HORIZON": made["horizon"],
        "EK_INTERVALS": made["n_levels"],
        "EK_FORECAST": braced([made[member.name] for member in declared["olk_forecast"]]),
        "EK_FORECAST_REGIONS": braced(places),
        "EK_MOST_NUMBER": "DBL_MAX" if config.dtype == Dtype.FLOAT64 else "FLT_MAX",
    }


def _behind(learner: Learner) -> dict[str, Any]:
    """What changes where calls work in the arena: behind the block, from a multiple of 8 bytes."""
    end = max(region.offset + region.nbytes for region in learner.plan.regions)
    start = -(-end // 8) * 8
    return {
        "EK_SCRATCH": 1,
        "EK_AT_SCRATCH": f"{start}u",
        "EK_ARENA_BYTES": f"({learner.plan.nbytes + start - end}u + EK_SCRATCH_BYTES)",
    }


def model_of(learner: Learner, scratch: str = "stack") -> Model:
    """Its constants as they are now; where a call works."""
    file = bytes(learner._sealed())
    count, kept, arrays = definitions(file, length_of(file))
    behind = _behind(learner) if scratch == "arena" else {}
    macros = {**constants(learner, file), **behind, "EK_RUNS": f"{count}u"}
    return Model(macros, DECLARED, arrays, learner.plan.nbytes, kept)
