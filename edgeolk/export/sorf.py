"""Export of sorf: the constants of model.h and model.c."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from zlib import crc32

from edgeolk.configuration.header import length_of
from edgeolk.configuration.layout import boundary
from edgeolk.export.text import (
    PREDICTS,
    ROW,
    Model,
    as_singles,
    braced,
    designated,
    image_definitions,
    wrapped,
)
from edgeolk.learner import Learner
from edgeolk.parts import Dtype

SOURCE = "sorf.c"
#: Whether an exported learner learns, and whether its scratch can be in the arena.
LEARNS = True
MOVES_SCRATCH = True
#: Whether each number of a row has a bound of its own, or the sum of their sizes.
BOUNDS_EACH = False
#: Files besides those of every export.
FILES = ("block.h", "call.h", "crc.h", "state.h", "flash.h", "flash.c")
#: Numbers of the types of weights in c/board/sorf.c.
STORES = {Dtype.INT8: 1, Dtype.FLOAT32: 2, Dtype.FLOAT64: 4}


#: The variables of a program that uses a forecaster, and the calls for each row.
FORECASTS = f"{ROW}\ndouble target;\nuint32_t period = 0;\nek_forecast next;", [
    "if (period++ >= EK_HORIZON)    /* in every period, in this order */",
    "    ek_tell(arena, target);    /* learn: the target of EK_HORIZON periods ago */",
    "ek_ask(arena, row, &next);     /* forecast: the row then waits for its target */",
    "ek_look(arena, row, &next);    /* or forecast only: no row waits, nothing is learned */",
]
#: What a README says of the order of these calls.
ORDER = (
    "\nTell before you ask, and tell nothing in the first `EK_HORIZON` periods: a target belongs to"
    " the oldest\nrow that waits, and of more than `EK_HORIZON` rows the oldest is dropped. No call"
    " can notice another order,\nbut the model then learns another horizon. A target that will"
    " never come is `NAN`.\n"
)


DECLARED = """\
/* The non-zero parts of its state. The first run contains the header. EK_FLASH_DATA: constants of
   an AVR are in RAM unless they ask for flash, which has an address space of its own. */
#ifdef __AVR__
#define EK_FLASH_DATA __attribute__((__progmem__))
#else
#define EK_FLASH_DATA
#endif
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
    if config.n_vectors:
        return "mixing"
    return "learner" if config.needs_labels else "novelty"


def extra_of(learner: Learner) -> tuple[str, ...]:
    """Additional files of its folder."""
    config: Any = learner._config
    if config.n_vectors:
        return ("mixing.h",)
    return ("forecasting.h",) if config.forecaster else ()


def use_of(learner: Learner) -> tuple[str, list[str]]:
    """The variables of a program that uses the model, and the calls for each row."""
    config: Any = learner._config
    if config.forecaster:
        return FORECASTS
    if config.watch:
        return f"{ROW}\ndouble seconds; /* since a midnight of the place; NAN: not known */", [
            "ek_verdict verdict = ek_watch(arena, row, seconds); /* every period */",
            "if (verdict.alarm) {",
            "    /* why: verdict.part of verdict.channel */",
            "}",
        ]
    if config.values["delay"]:
        waited = "ek_number oldest[EK_FEATURES];"
        return f"{ROW}\n{waited}\ndouble label, scores[EK_COLUMNS];", [
            "ek_ask(arena, row, scores); /* answer a row; keep it until its label comes */",
            "ek_learn(arena, oldest, label, NULL); /* learn the row kept longest, given again */",
            "ek_give_up(arena);          /* or: its label will never come */",
            PREDICTS,
        ]
    label = "label" if config.needs_labels else "0"
    calls = [
        f"ek_learn(arena, row, {label}, &score); /* learn a row; score before learning */",
        PREDICTS,
    ]
    if config.n_vectors:
        calls.append("ek_variance(arena, row, &variance); /* of the target around it */")
        return f"{ROW}\ndouble label, score, variance;", calls
    return f"{ROW}\ndouble label, score;", calls


def notes_of(learner: Learner) -> str:
    """What its README says besides."""
    config: Any = learner._config
    notes = ORDER if config.forecaster else ""
    if config.dtype == Dtype.INT8:
        notes += (
            "\nOn a core without a floating-point unit, `-DEK_FIXED` computes features in integers,"
            " five to eight\ntimes faster: features differ by some thousandths, so weights differ;"
            " the error changes by less\nthan .1 points. `edgeolk.load` and `ek_load()` exchange"
            " states with such a board too.\n"
        )
    if config.watch:
        notes += (
            "\nRows come in the order of time, one every period; a number that is not finite is a"
            " missing reading.\n`ek_watch()` learns a row and returns whether it is novel, an alarm"
            " or part of an event, and why.\n"
        )
    return notes


def _is_narrow(config: Any, at: dict[str, int]) -> bool:
    """Whether every number that a step computes with is a float.

    Doubles are the sums that last for years: rows in time, targets, statistics of 40 bytes, lengths
    of rows, and a width estimated from the first rows.
    """
    doubles = "target", "watch", "history", "scaler", "common", "clipped_rows", "width", "errors"
    return config.dtype != Dtype.FLOAT64 and not any(at[name] for name in doubles)


#: Angles below this need no long reduction (c/sorf_precision.h); how much longer three transforms
#: make a row, with a margin for rounding (c/sorf_features.h); the largest relevance of an input.
_MAX_ANGLE, _GROWTH, _MOST_RELEVANT = 512.0, 564.0, math.exp(2.0)


def _has_small_angles(config: Any, setup: dict[str, Any]) -> bool:
    """Whether no row has a large angle: inputs are clamped, and the width of the kernel stays."""
    options, preprocessing = setup["sorf"], config.preprocessing
    if not options["hold"] or preprocessing.follows or preprocessing.gamma_rows:
        return False
    longest = options["hold"] * options["d"] * (_MOST_RELEVANT if options["relevance"] else 1.0)
    fastest = max(max(group) for group in options["omega"])
    return bool(longest * fastest * _GROWTH < _MAX_ANGLE)


#: Regions of parts that the simplest learner does not have (olk_sorf_state in c/sorf_types.h).
_OTHER_PARTS = (
    *("label_counts", "linear_weights", "linear_mean"),
    *("late_counts", "late_losses", "late_answers", "late_scores"),
    *("target", "last_label", "novelty", "linear", "relevance", "gradient_steps"),
    *("shared_relevance", "drift", "row_memory", "memory_state", "memory_mistakes"),
    *("memory_narrow", "channels", "channel_counts", "channel_bytes", "clock", "clock_bytes"),
    *("watch_scores", "watch", "class_scores", "recalled", "feature_row", "mixture"),
)


#: Regions of parts that need the features of a block.
_OF_BLOCKS = frozenset(("relevance", "shared_relevance", "feature_row", "novelty", "watch_scores"))


def streams(columns: int, regions: Iterable[str]) -> bool:
    """Whether a row's features can be used as they are computed, a few at a time.

    Not with several columns, whose sums are over a block, nor where another step needs a block's.
    regions: names of those that the learner has.
    """
    return columns == 1 and _OF_BLOCKS.isdisjoint(regions)


def is_streamed(learner: Learner) -> bool:
    """Whether its features are used as they are computed."""
    return streams(learner._config.columns, (region.name for region in learner.plan.regions))


def constants(learner: Learner, file: bytes) -> dict[str, Any]:
    """The macros of model.h."""
    config: Any = learner._config
    plan = learner.plan
    setup = learner._engine.setup()
    at = setup["at"]
    narrow = _is_narrow(config, at)
    if narrow:
        setup = as_singles(setup)
    groups = max(1, setup["sorf"]["groups"])
    widths = max(1, *setup["sorf"]["widths"][:groups])
    multiples = braced([row[:widths] for row in setup.pop("widths")[:groups]])
    preprocessing = config.preprocessing
    return {
        "EK_LEARNS": 1,
        "EK_WEIGHS": 1,
        "EK_FEATURES": config.n_features,
        "EK_COLUMNS": config.columns,
        "EK_WIDE_ROWS": int(config.dtype == Dtype.FLOAT64),
        "EK_NARROW": int(narrow),
        "EK_HAS_PROBABILITY": 0,
        "EK_ARENA_BYTES": f"{plan.nbytes}u",
        "EK_SCRATCH": 0,
        "EK_BOUNDARY": f"{boundary(plan.regions)}u",
        "EK_STATE_BYTES": f"{len(file)}u",
        "EK_HEADER_BYTES": f"{length_of(file)}u",
        "EK_TASK": setup["sorf"]["task"],
        "EK_WATCHES": int(config.watch is not None),
        "EK_CLOCK": int(at["clock"] > 0),
        "EK_STORES": STORES[config.dtype],
        "EK_MOST": float(setup["max_sum"]),
        "EK_MOST_WEIGHT": config.max_weight,
        "EK_SCALE_METHOD": preprocessing.method,
        "EK_GAMMA_ROWS": preprocessing.gamma_rows,
        "EK_FOLLOWS": int(preprocessing.follows),
        "EK_PAIRS": int(config.finds_pairs),
        "EK_SHARED": int(at["shared_relevance"] > 0),
        "EK_MULTIPLES": multiples,
        "EK_MULTIPLES_NAME": f"olk_multiples_{crc32(multiples.encode()):08x}",
        "EK_ROW_MEMORY": int(at["row_memory"] > 0),
        "EK_GROUPS": groups,
        "EK_WIDTHS": widths,
        "EK_BLENDS": max(1, setup["sorf"]["n_blends"]),
        "EK_CACHES": int(at["feature_row"] > 0 or config.watch is not None),
        "EK_FEW_PARTS": int(not any(at[name] for name in _OTHER_PARTS)),
        "EK_STREAMS": int(is_streamed(learner)),
        "EK_SMALL_ANGLES": int(_has_small_angles(config, setup)),
        "EK_SORF": wrapped(designated(setup.pop("sorf"))),
        "EK_FORECASTS": int(config.forecaster is not None),
        "EK_REPEATS": int(config.values["last_label"] > 0.0),
        "EK_LATE": int(config.values["delay"]),
        "EK_LAPSE": int(config.values["lapse"]),
        "EK_MIXES": int(at["mixture"] > 0),
        "EK_HAS_VARIANCE": int(at["mixture"] > 0),
        **(_of_forecaster(setup.pop("forecast")) if config.forecaster else {}),
        "EK_SETUP": _setup(setup, forecasts=config.forecaster is not None),
    }


def _setup(setup: dict[str, Any], *, forecasts: bool) -> str:
    """What the model is (c/setup.h)."""
    parts = [".sorf = EK_SORF", *([".forecast = EK_FORECAST"] if forecasts else [])]
    return wrapped(designated(setup)[:-1] + ", " + ", ".join(parts) + "}")


def _of_forecaster(values: dict[str, Any]) -> dict[str, Any]:
    """The macros of a forecaster."""
    return {
        "EK_HORIZON": values["horizon"],
        "EK_INTERVALS": values["n_levels"],
        "EK_FORECAST": wrapped(designated(values)),
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
