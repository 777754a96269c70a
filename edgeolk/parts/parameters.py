"""The parameters of the parts: defaults, ranges, meaning. A part's row names its parameters.

Those with one number first, then those with several: ``blends``, ``interval``, ``widths``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from edgeolk.checks import MAX_SIZE, check_real
from edgeolk.parts.numbers import Update

Context = Mapping[str, float]
Default = float | bool | str | None | Callable[[Context], float]


@dataclass(frozen=True)
class Parameter:
    """A parameter that a block stores as one number."""

    #: A callable computes it from ``n_features``, ``budget``, ``ram`` (0 if not given), ``novelty``
    #: and ``float32`` (0 or 1), ``cramped`` (1 if not even the smallest budget fits with the other
    #: defaults: then none may follow ``ram``), the parameters that were given or have constant
    #: defaults, and U.
    default: Default
    #: Its meaning, in one line.
    doc: str
    #: The range; a square bracket includes an end, a parenthesis excludes it.
    span: str = "(0, inf)"
    #: The number stored for None; if it is None, callers may not give None.
    none: float | None = None
    #: Whether it is True or False.
    flag: bool = False
    #: Whether it is an integer.
    integer: bool = False
    #: What callers write for 0, 1, ...
    words: tuple[str | bool, ...] = ()
    #: Its value in files that omit it; None if all files have it.
    omitted: float | None = None
    #: Whether callers may give None for the default, and False for 0.
    switched: bool = False
    #: Regions that it needs if it is not 0; or regions by value.
    regions: tuple[str, ...] | Mapping[float, tuple[str, ...]] = ()
    #: The update whose option it is, so that the row of that update need not name it.
    of: Update | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range."""
        low, high = self.span[1:-1].split(",")
        return float(low), float(high)

    def holds(self, number: float) -> bool:
        """Whether a number is in the range."""
        low, high = self.ends
        above = number > low or (number == low and self.span[0] == "[")
        below = number < high or (number == high and self.span[-1] == "]")
        return math.isfinite(number) and above and below

    def regions_for(self, value: float) -> tuple[str, ...]:
        """Regions that it needs with this value."""
        if isinstance(self.regions, Mapping):
            return self.regions.get(value, ())
        return self.regions if value else ()

    def allowed(self) -> str:
        """The allowed values as text."""
        if self.flag:
            return "True or False"
        if self.words:
            return " or ".join(map(repr, self.words))
        words = "an integer" if self.integer else "a finite number"
        low, high = self.ends
        if not math.isinf(low):
            words += f" {'>' if self.span[0] == '(' else '>='} {low:g}"
        if not math.isinf(high):
            words += f" and {'<' if self.span[-1] == ')' else '<='} {high:g}"
        words += ", False" if self.switched else ""
        return words + (" or None" if self.switched or self.none is not None else "")


#: An option of ``sorf``.
_sorf = partial(Parameter, of=Update.BLENDED)


def _relevance(context: Context) -> float:
    """On if its 16 bytes per feature are at most an eighth of the block, else shared."""
    nbytes = context.get("ram") or 4.0 * context["budget"] + 384.0
    if context["novelty"] or not context["budget"] or context.get("cramped"):
        return 0.0
    if 16.0 * context["n_features"] <= nbytes / 8.0:
        return 1.0
    return 0.0 if context.get("history") else 2.0


#: Every parameter, by its stored name, which the block and the core use. Its position, from 1 on,
#: is its number in model files: append, never insert.
PARAMETERS: dict[str, Parameter] = {
    "C": Parameter(1.0, "aggressiveness: the largest step of PA-I, the softness of PA-II"),
    "eta": Parameter(0.1, "step size"),
    "lam": Parameter(0.0, "shrinkage: f is scaled by 1 - eta lam every step", "[0, inf)"),
    "rate": Parameter(
        0.25, "coefficient of every incoming vector; None: U / sqrt(updates)", none=0.0
    ),
    "eps": Parameter(0.5, "update where y f < 1 - eps", "(0, 1)"),
    "U": Parameter(None, "maximum norm of the function", none=math.inf),
    "alpha": Parameter(1.0, "loss at which the sampling probability stops growing"),
    "beta": Parameter(20.0, "inverse sampling rate: at most alpha/beta of the examples are kept"),
    "c": Parameter(1.0, "sampling probability c t^-decay"),
    "ridge": Parameter(5e-4, "ridge added to the Gram matrix", "[0, inf)"),
    "rescale": Parameter(True, "restore the norm after a halving", flag=True),
    "allow_skip": Parameter(True, "drop the incoming vector if that costs least", flag=True),
    "growth": Parameter(None, "budget grows as 1 + growth sqrt(t), up to B", none=0.0),
    "shift": Parameter(1.0, "how slowly the past is forgotten"),
    "sparsity": Parameter(
        0.0, "distance to the span up to which an incoming vector is projected", "[0, inf)"
    ),
    "singular": Parameter(
        lambda c: 1e-4 if c["float32"] else 1e-8, "relative distance that counts as in the span"
    ),
    "decay": Parameter(0.25, "exponent of the sampling probability", "(0, 1)"),
    "horizon": Parameter(None, "total number of examples, T", "[1, inf)", none=0.0),
    "G": Parameter(1.0, "bound on |l'|; larger samples less", "[1, inf)"),
    "boost": Parameter(2.0, "height of the auxiliary function", "[1, inf)"),
    "delta": Parameter(1.0, "margin beyond which nothing is learned", "(-inf, inf)"),
    "clip_coefficients": Parameter(None, "largest |alpha| in units of eta", none=math.inf),
    # Without eta the composition is invalid.
    "eta2": Parameter(lambda c: c.get("eta", math.nan), "step size after the change of basis"),
    "rank": Parameter(
        lambda c: max(1.0, math.floor(0.2 * c["budget"] + 0.5)), "eigenfunctions kept", "[1, inf)",
        integer=True,
    ),
    "iters": Parameter(40, "golden-section steps", "[1, 1000)", integer=True),
    "hint_rows": Parameter(15, "number of past examples in a hint", "[1, 1e+06)", integer=True),
    "coe": Parameter(0.1, "factor on the rate after the first halving"),
    "b0": Parameter(
        lambda c: float(c["budget"] // 2), "number of support vectors at which projection ends",
        "[0, inf)", integer=True,
    ),
    "ald": Parameter(
        0.005, "distance to the span up to which an incoming vector is projected", "[0, inf)"
    ),
    "r": _sorf(0.03, "ridge of the passive-aggressive step", "[0, inf)", omitted=0.03),
    "unit": _sorf(
        3.0, "int8: stored levels per unit of weight; 1.5 to 2 beyond 1e5 rows", omitted=3.0
    ),
    "sharp": _sorf(1.0, "sharpness of the blend", omitted=1.0),
    "memory": _sorf(0.999, "memory of the mistake counters", "(0, 1)", omitted=0.999),
    "cmin": _sorf(30.0, "shortest averaging window, in octets of rows", "[1, inf)", omitted=30.0),
    "cmax": _sorf(
        4096.0, "longest averaging window, in octets of rows", "[1, inf)", omitted=4096.0
    ),
    "shrink": _sorf(
        0.9, "factor on the window when the average falls behind", "(0, 1)", omitted=0.9
    ),
    "linear": _sorf(
        False, "a linear model as a further expert", flag=True, omitted=0.0, regions=("linear",)
    ),
    "last_label": _sorf(
        False,
        "the last label as a further expert; only if each label is known before the next row is"
        " predicted",
        flag=True, omitted=0.0, regions=("last_label",),
    ),
    "relevance": _sorf(
        _relevance,
        "also learn length scales: True, one per input (automatic relevance determination; the"
        " default if its 16 bytes per input take at most an eighth of the block); 'shared', one for"
        " all inputs (the default otherwise, if it fits)",
        words=(False, True, "shared"), omitted=0.0,
        regions={
            1.0: ("relevance", "gradient_steps", "inputs"),
            2.0: ("shared_relevance", "gradient_steps"),
        },
    ),
    "groups": _sorf(
        lambda c: 1.0 if c["novelty"] or c["budget"] < 8000 else 2.0,
        "number of models, each with its own widths; 2 from 8,000 frequencies on",
        "[1, 4]", integer=True, omitted=1.0,
    ),
    "nu": _sorf(
        0.05, "share of rows to be called novel; .02 with history=True", "(0, 1)", omitted=0.05
    ),
    "forget": _sorf(4096.0, "memory of the novelty model, in rows", "[8, 1e+15)", omitted=4096.0),
    "epsilon": Parameter(0.1, "tolerance: smaller errors cost nothing", "[0, inf)"),
    "scratch": _sorf(
        "block",
        "compute features in blocks of 64, or keep those of the entire row, so that an update need"
        " not recompute them, for 16 bytes per frequency (float32: 8); except in exported C, a step"
        " keeps the first 2,048 on the stack anyway",
        words=("block", "row"), omitted=0.0, regions=("feature_row",),
    ),
    "history": _sorf(
        None,
        "True: rows form a time series; forecasts real targets, or detects novelty without labels;"
        " 'auto': the same, and last_label for classes",
        none=0.0, flag=True, omitted=0.0,
    ),
    "lead": _sorf(
        1, "history: rows until a target arrives", "[1, 1e+06]", integer=True, omitted=1.0
    ),
    "season": _sorf(
        0, "history: length of a season in rows, 0 for none", "[0, 1e+06]", integer=True,
        omitted=0.0,
    ),
    "drift": _sorf(
        lambda c: float(not c["novelty"] and not c.get("history")),
        "detect changes by a rise in mistakes, then shorten the memory of the scaler or reset the"
        " weights; off for novelty and with history",
        flag=True, omitted=0.0, regions=("drift",),
    ),
    "leak": _sorf(
        0.0,
        "share by which a mistake shrinks the weights during a change; 0.016 if the stream changes"
        " all the time",
        "[0, 0.125)", omitted=0.0,
    ),
    # Off unless the configuration, which knows the bytes, tries a number of rows.
    "row_memory": _sorf(
        lambda c: c.get("usual_memory", 0.0),
        "rows of a memory in 4 bits, a kernel model of narrow widths in addition to the features;"
        " d / 2 + 3 bytes each (two classes: d / 2 + 1); the default with enough given bytes",
        f"[0, {MAX_SIZE}]", integer=True, omitted=0.0, switched=True,
        regions=("row_memory", "memory_state"),
    ),
    "lapse": _sorf(
        0,
        "number of answers for which a last label counts, 0 for all; 16 with history='auto', so"
        " that answers do not freeze if labels stop",
        "[0, 1e+06]", integer=True, omitted=0.0,
    ),
    "robust": _sorf(
        False,
        "novelty in a time series: if consecutive readings of a channel are unrelated, outliers"
        " count less for its scale, and chance is not mistaken for a relation",
        flag=True, omitted=0.0,
    ),
    # On if the memory is a default itself.
    "memory_narrow": _sorf(
        lambda c: float(c.get("usual_memory", 0.0) > 0.0),
        "use the narrower kernel of the memory of rows as a separate expert too: a width chosen by"
        " recent mistakes; the default if the number of rows is",
        flag=True, omitted=0.0, regions=("memory_narrow",),
    ),
}


def without_kernel(values: Mapping[str, float]) -> dict[str, float]:
    """The values of a forecaster without a kernel: options of the kernel are off.

    These have regions, or scratch for each of several models. Values of no parameter, such as that
    of ``on_bad_row``, stay.
    """
    changed = dict(values)
    for name in values:
        row = PARAMETERS.get(name)
        if row is not None and (row.regions or name == "groups"):
            changed[name] = row.omitted or 0.0
    return changed


def options_of(update: Update) -> tuple[str, ...]:
    """Stored names of the options of an update."""
    return tuple(name for name, row in PARAMETERS.items() if row.of == update)


#: Default number of answers for which a last label counts with history="auto": several, since one
#: row may be scored in several ways.
ANSWERS_BY_LABEL = 16


def checked(name: str, value: Any, stored: str) -> float:
    """Check a parameter's value; return the number to store.

    Raises TypeError, ValueError: with ``name``, its public name.
    """
    spec = PARAMETERS[stored]
    if value is None and spec.none is not None:
        return spec.none
    if value is False and spec.switched:
        return 0.0
    if spec.words:
        if isinstance(value, float) and value in range(len(spec.words)):
            return value  # from a file
        if value in spec.words:
            return float(spec.words.index(value))
        raise ValueError(f"{name} must be {spec.allowed()}, got {value!r}")
    if spec.flag:
        if isinstance(value, (bool, int, float)):
            if value in (0, 1):
                return float(value)
            raise ValueError(f"{name} must be True or False, got {value!r}")
        raise TypeError(f"{name} must be True or False, got {value!r}")
    number = check_real(name, value, spec.allowed())
    if spec.none is not None and number == spec.none == value:
        return number
    if not spec.holds(number) or (spec.integer and number != math.floor(number)):
        raise ValueError(f"{name} must be {spec.allowed()}, got {value!r}")
    return number


def shown(stored: str, number: float) -> float | int | bool | str | None:
    """A stored number as a caller would give it: the inverse of ``checked``."""
    spec = PARAMETERS[stored]
    if spec.none is not None and number == spec.none:
        return None
    if spec.flag:
        return bool(number)
    if spec.words:
        return spec.words[int(number)]
    return int(number) if spec.integer else number


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
    values: Mapping[str, float], widths: Any, blends: Any, interval: Any = None
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
