"""The options of the sorf family: those with one number, then those with several.

One row an option: its number in files, default, range, meaning, and the regions that it needs. The
struct ``olk_sorf`` of ``c/sorf_types.h`` has a member of this name if a step reads it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from edgeolk.checks import MAX_SIZE
from edgeolk.parts.kernels import Gaussian
from edgeolk.parts.option import Context, Option

# ---- sizes: docs/sorf.md, docs/forecast.md and docs/novelty.md -----------------------------------

#: The maximum number of rows between an answer and its label; of classes whose answers are bytes.
MAX_DELAY, MAX_LATE_CLASSES = 1_000_000, 255

#: The maximum number of classes with a memory of rows.
MAX_REMEMBERED_CLASSES = 256

#: Inputs of the kernel in addition to those of the row (c/sorf_types.h).
HISTORY_INPUTS = 4
#: Numbers of the scalers by mean and deviation (c/scaler.h).
STANDARD = (1, 9)
#: With fewer frequencies a kernel does not pay, and there is none.
MIN_FORECASTER_FREQUENCIES = 32

#: Frequencies of a stream come in blocks. Default number, that of a single channel if bytes are
#: given, and of several: more cost time and do not detect more.
FREQUENCY_BLOCK = 64
DEFAULT_FREQUENCIES, FREQUENCIES_OF_ONE = 256, 128
#: Share of rows to be called rare; rows that the slow statistics remember, at most as many as a
#: 16-bit counter.
NU, WINDOW, MAX_WINDOW = 0.02, 16384.0, 65535
#: Inputs of the features per channel: its value, its roughness, its recent mean.
INPUTS = 3
#: The kernel, for inputs in a unit that the first rows determine.
KERNEL = Gaussian(0.5)


#: Regions of a Gaussian process beside the features (c/mixture.h).
PROCESS = (
    *("process_words", "process_origin", "process_inputs", "process_vectors"),
    *("process_coefficients", "process_whitening", "process_factor", "process_mean", "mixture"),
    *("process_kernel_row", "process_scratch", "process_row"),
)


# ---- options -------------------------------------------------------------------------------------


def _relevance(context: Context) -> float:
    """On if its 16 bytes per feature are at most an eighth of the block, else shared."""
    nbytes = context.get("ram") or 4.0 * context["budget"] + 384.0
    if context["novelty"] or not context["budget"] or context.get("cramped"):
        return 0.0
    if 16.0 * context["n_features"] <= nbytes / 8.0:
        return 1.0
    return 0.0 if context.get("history") else 2.0


#: Every option with one number, by its name.
OPTIONS: dict[str, Option] = {
    "r": Option(1, 0.03, "ridge of the passive-aggressive step", "[0, inf)", omitted=0.03),
    "unit": Option(
        2, 3.0, "int8: stored levels per unit of weight; 1.5 to 2 beyond 1e5 rows", omitted=3.0,
        in_step=False,
    ),
    "sharp": Option(3, 1.0, "sharpness of the blend", omitted=1.0),
    "delta": Option(4, 0.999, "discount of the mistake counters", "(0, 1)", omitted=0.999),
    "cmin": Option(
        5, 30.0, "shortest averaging window, in octets of rows", "[1, inf)", omitted=30.0
    ),
    "cmax": Option(
        6, 4096.0, "longest averaging window, in octets of rows", "[1, inf)", omitted=4096.0
    ),
    "shrink": Option(
        7, 0.9, "factor on the window when the average falls behind", "(0, 1)", omitted=0.9
    ),
    "linear": Option(
        8, False, "a linear model as a further expert", flag=True, omitted=0.0, regions=("linear",)
    ),
    "last_label": Option(
        9, False,
        "the last label as a further expert; only if each label is known before the next row is"
        " predicted",
        flag=True, omitted=0.0, regions=("last_label",),
    ),
    "relevance": Option(
        10, _relevance,
        "also learn length scales: True, one per input (automatic relevance determination; the"
        " default if its 16 bytes per input take at most an eighth of the block); 'shared', one for"
        " all inputs (the default otherwise, if it fits)",
        words=(False, True, "shared"), omitted=0.0,
        regions={
            1.0: ("relevance", "gradient_steps", "inputs"),
            2.0: ("shared_relevance", "gradient_steps"),
        },
    ),
    "groups": Option(
        11, lambda c: 1.0 if c["novelty"] or c["budget"] < 8000 else 2.0,
        "number of models, each with its own widths; 2 from 8,000 frequencies on",
        "[1, 4]", integer=True, omitted=1.0,
    ),
    "nu": Option(
        12, 0.05, "share of rows to be called novel; with history=True rare, .02", "(0, 1)",
        omitted=0.05,
    ),
    "window": Option(
        13, 4096.0, "memory of the novelty model, in rows; 16384 with history=True", "[8, 1e+15)",
        omitted=4096.0,
    ),
    "scratch": Option(
        14, "block",
        "compute features in blocks of 64, or keep those of the entire row, so that an update need"
        " not recompute them, for 8 bytes per frequency (float64: 16); except in exported C, a step"
        " keeps the first 2,048 on the stack anyway",
        words=("block", "row"), omitted=0.0, in_step=False, regions=("feature_row",),
    ),
    "history": Option(
        15, None,
        "True: rows form a time series; forecasts real targets, or finds anomalies without labels;"
        " 'auto': the same, and last_label for classes",
        none=0.0, flag=True, omitted=0.0,
    ),
    "horizon": Option(
        16, 1, "history: rows until a target arrives", "[1, 1e+06]", integer=True, omitted=1.0,
        in_step=False,
    ),
    "season": Option(
        17, 0, "history: length of a season in rows, 0 for none", "[0, 1e+06]", integer=True,
        omitted=0.0, in_step=False,
    ),
    "drift": Option(
        18, lambda c: float(not c["novelty"] and not c.get("history") and not c.get("bare")),
        "detect changes by a rise in mistakes, then shorten the memory of the scaler or reset the"
        " weights; off for novelty and with history",
        flag=True, omitted=0.0, regions=("drift",),
    ),
    "leak": Option(
        19, 0.0,
        "share by which a mistake shrinks the weights during a change; 0.016 if the stream changes"
        " all the time",
        "[0, 0.125)", omitted=0.0,
    ),
    # Off unless the configuration, which knows the bytes, tries a number of rows.
    "memory": Option(
        20, lambda c: c.get("usual_memory", 0.0),
        "rows of a memory in 4 bits, a kernel model of narrow widths in addition to the features;"
        " d / 2 + 3 bytes each (two classes: d / 2 + 1); the default with enough given bytes",
        f"[0, {MAX_SIZE}]", integer=True, omitted=0.0, switched=True,
        regions=("row_memory", "memory_state", "memory_mistakes"),
    ),
    "lapse": Option(
        21, 0,
        "number of answers for which a last label counts, 0 for all; 16 with history='auto', so"
        " that answers do not freeze if labels stop",
        "[0, 1e+06]", integer=True, omitted=0.0, in_step=False,
    ),
    "clock": Option(
        22, False,
        "anomalies of a time series: also learn the season of a day, from the time of each row;"
        " 154 bytes per channel",
        flag=True, omitted=0.0, in_step=False, regions=("clock", "clock_bytes"),
    ),
    # On if the memory is a default itself.
    "memory_narrow": Option(
        23, lambda c: float(c.get("usual_memory", 0.0) > 0.0),
        "use the narrower kernel of the memory of rows as a separate expert too: a width chosen by"
        " recent mistakes; the default if the number of rows is",
        flag=True, omitted=0.0, regions=("memory_narrow",),
    ),
    "constant": Option(
        24, lambda c: float(not c["novelty"] and not c.get("history") and c.get("bare", 0.0) < 2.0),
        "the commonest label so far, or the mean of the targets, as a further expert; off for"
        " novelty and with history",
        flag=True, omitted=0.0, regions=("label_counts",),
    ),
    "linear_group": Option(
        25, lambda c: c.get("usual_linear_group", 0.0),
        "a linear model as a further group: True, with its running average; 'last', its last"
        " weights alone; the default if only few frequencies fit into the given bytes, even none",
        words=(False, True, "last"), omitted=0.0,
        regions={1.0: ("linear_weights", "linear_mean"), 2.0: ("linear_weights",)},
    ),
    "delay": Option(
        26, 0,
        "number of rows between a row's answer and its label: experts are then judged by what they"
        " answered; ask_one answers a row, learn_one learns the oldest",
        f"[0, {MAX_DELAY}]", integer=True, omitted=0.0, regions=("late_counts", "late_losses"),
    ),
    "kept_answers": Option(
        27, lambda c: c.get("usual_kept", 0.0),
        "delay: for how many waiting rows the answers of experts are kept; all, with ram= at most a"
        " sixteenth of the bytes",
        f"[0, {MAX_DELAY + 1}]", integer=True, omitted=0.0,
    ),
    "gaussian_process": Option(
        28, lambda c: c.get("usual_process", 0.0),
        "real targets: vectors of a Gaussian process, that of krls_auto, as a second model; the"
        " answer mixes the two by their errors; True, with ram=: as many as half the bytes hold, at"
        " most 128; the default from 4 KiB on",
        f"[0, {MAX_SIZE}]", integer=True, omitted=0.0, switched=True, regions=PROCESS,
    ),
}

#: Region -> value that files omit because the presence of the region implies it.
IMPLIED: dict[str, tuple[str, float]] = {
    **{"relevance": ("relevance", 1.0), "shared_relevance": ("relevance", 2.0)},
    **{"drift": ("drift", 1.0), "memory_narrow": ("memory_narrow", 1.0)},
    **{"clock": ("clock", 1.0), "label_counts": ("constant", 1.0)},
    "linear_mean": ("linear_group", 1.0),
}


def without_kernel(values: Mapping[str, float]) -> dict[str, float]:
    """The values of a forecaster without a kernel: options of the kernel are off.

    These have regions, or scratch for each of several models. Values of no parameter, such as that
    of ``on_bad_row``, stay, and so does ``delay``, which is refused.
    """
    changed = dict(values)
    for name in values:
        row = OPTIONS.get(name)
        if row is not None and (row.regions or name == "groups") and name != "delay":
            changed[name] = row.omitted or 0.0
    return changed


#: Default number of answers for which a last label counts with history="auto": several, since one
#: row may be scored in several ways.
ANSWERS_BY_LABEL = 16


#: Options with several numbers.
LISTS = ("widths", "blends", "interval")
#: Numbers of their first numbers in files; the widths of each group are a list of their own.
LIST_NUMBERS = {
    "blends": 184, "interval": 168, "widths0": 192, "widths1": 200, "widths2": 208, "widths3": 216,
}
#: Default lists. Model files omit them, so both tables are part of the file format: another default
#: needs a new version.
LIST_DEFAULTS: dict[str, tuple[float, ...]] = {
    "blends": (0.0, 0.1, 0.3, 1.0),
    "interval": (0.9,),
}

#: Widths of the kernels as multiples of gamma, by the number of groups.
WIDTHS: dict[int, tuple[tuple[float, ...], ...]] = {
    1: ((0.3, 1.0, 3.0),),
    2: ((0.3, 1.0, 3.0), (3.0, 5.5, 10.0)),
    3: ((0.3, 0.3, 1.0), (1.0, 3.0, 3.0), (3.0, 10.0, 10.0)),
}


def lists_of(
    values: Mapping[str, float], widths: Any = None, blends: Any = None, interval: Any = None
) -> dict[str, tuple[float, ...]]:
    """The checked lists, without those at their defaults.

    ``values`` are the values of the other parameters, with ``groups``; ``widths`` are numbers, or
    one sequence per group; ``interval`` is one level or several. Raises TypeError or ValueError
    with the name of the argument, its value and what is allowed.
    """
    groups = int(values["groups"])
    lists: dict[str, tuple[float, ...]] = {}
    if blends is not None:
        lists["blends"] = _numbers("blends", blends, 2)
        is_increasing = all(a < b for a, b in itertools.pairwise(lists["blends"]))
        if not is_increasing or lists["blends"][0] != 0.0 or lists["blends"][-1] != 1.0:
            raise ValueError(f"blends must rise from 0 to 1, got {blends!r}")
    if interval is not None:
        single = isinstance(interval, (int, float))
        lists["interval"] = _numbers("interval", (interval,) if single else interval, 1)
        if not all(0.0 < level < 1.0 for level in lists["interval"]):
            raise ValueError(f"interval must be between 0 and 1, got {interval!r}")
        if lists["interval"] == LIST_DEFAULTS["interval"]:
            del lists["interval"]
    if widths is None:
        if groups not in WIDTHS:
            raise ValueError(f"groups={groups} needs widths=, one sequence per group")
        return lists
    if not hasattr(widths, "__len__"):
        raise TypeError(f"widths must be a sequence of numbers, got {widths!r}")
    nested = [hasattr(width, "__len__") for width in widths]
    each = list(widths) if any(nested) else [widths]
    if len(each) != groups:
        raise ValueError(f"widths must be {groups} sequences, one per group, got {widths!r}")
    for group, numbers in enumerate(each):
        lists[f"widths{group}"] = _numbers("widths", numbers, 1)
        if not min(lists[f"widths{group}"]) > 0.0:
            raise ValueError(f"widths must be above 0, got {widths!r}")
    return lists


def _numbers(name: str, given: Any, min_count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(number) for number in given)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a sequence of numbers, got {given!r}") from None
    if not min_count <= len(numbers) <= 8 or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{name} must be {min_count} to 8 finite numbers, got {given!r}")
    return numbers
