"""The parameters of the parts: defaults, ranges, meaning. A part's row names its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from edgeolk.checks import MOST, real
from edgeolk.lean import Any, dataclass
from edgeolk.parts.numbers import Update

Context = Mapping[str, float]
Default = float | bool | str | None | Callable[[Context], float]


@dataclass(frozen=True)
class Parameter:
    """A parameter that a block stores as one number."""

    #: A callable makes it from ``n_features``, ``budget``, ``ram`` (0 where it is not given),
    #: ``novelty`` and ``float32`` (0 or 1), ``cramped`` (1 where not even the smallest budget fits
    #: with the usual defaults), the parameters that were given or have plain defaults, and U.
    default: Default
    #: The range.
    low: float
    high: float
    #: Its meaning, in one line.
    doc: str
    #: Whether the end itself is left out of the range.
    low_open: bool = True
    high_open: bool = True
    #: The number stored for None; without it None is refused.
    none: float | None = None
    #: Whether it is True or False.
    flag: bool = False
    #: Whether it is a whole number.
    whole: bool = False
    #: What callers write for 0, 1, ...
    words: tuple[str | bool, ...] = ()
    #: What it is where a file does not say it; None where every file does.
    omitted: float | None = None
    #: Whether None may be given for the default, and False for 0.
    switched: bool = False
    #: Regions that it asks for where it is not 0; or those that each number asks for.
    regions: tuple[str, ...] | Mapping[float, tuple[str, ...]] = ()
    #: The update whose option it is, so that the row of that update need not name it.
    of: Update | None = None

    def asked(self, value: float) -> tuple[str, ...]:
        """Regions that it asks for."""
        if isinstance(self.regions, Mapping):
            return self.regions.get(value, ())
        return self.regions if value else ()

    def allowed(self) -> str:
        """The range, in words."""
        if self.flag:
            return "True or False"
        if self.words:
            return " or ".join(map(repr, self.words))
        words = f"a {'whole' if self.whole else 'finite'} number"
        if not math.isinf(self.low):
            words += f" {'>' if self.low_open else '>='} {self.low:g}"
        if not math.isinf(self.high):
            words += f" and {'<' if self.high_open else '<='} {self.high:g}"
        words += ", False" if self.switched else ""
        return words + (" or None" if self.switched or self.none is not None else "")


def _positive(default: Default, doc: str, **more: Any) -> Parameter:
    return Parameter(default, 0.0, math.inf, doc, **more)


#: An option of ``sorf``.
_sorf = partial(Parameter, of=Update.BLENDED)


def _singular(context: Context) -> float:
    return 1e-4 if context["float32"] else 1e-8


def _same_eta(context: Context) -> float:
    return context.get("eta", math.nan)  # without one the composition is refused


def _fifth(context: Context) -> float:
    return max(1.0, math.floor(0.2 * context["budget"] + 0.5))


def _relevance(context: Context) -> float:
    """On where its 16 bytes a feature are at most an eighth of the block's, else shared."""
    nbytes = context.get("ram") or 4.0 * context["budget"] + 384.0
    if context["novelty"] or not context["budget"]:
        return 0.0
    if 16.0 * context["n_features"] <= nbytes / 8.0:
        return 1.0
    return 0.0 if context.get("cramped") or context.get("history") else 2.0


def _drift(context: Context) -> float:
    return float(not context["novelty"] and not context.get("history"))


def _groups(context: Context) -> float:
    return 1.0 if context["novelty"] or context["budget"] < 8000 else 2.0


def _row_memory(context: Context) -> float:
    """Off but where the configuration, which knows the bytes, has tried a number of rows."""
    return context.get("usual_memory", 0.0)


def _memory_narrow(context: Context) -> float:
    """On where the memory is there by itself; rows that are asked for answer as the text says."""
    return float(context.get("usual_memory", 0.0) > 0.0)


def _half(context: Context) -> float:
    return float(context["budget"] // 2)


#: Every parameter, by the name the block and the core have for it. Its place, from 1 on, is its
#: number in model files: append, never insert.
PARAMETERS: dict[str, Parameter] = {
    "C": _positive(1.0, "aggressiveness: the largest step of PA-I, the softness of PA-II"),
    "eta": _positive(0.1, "step size"),
    "lam": Parameter(
        0.0, 0.0, math.inf, "shrinkage: f is scaled by 1 - eta lam every step", low_open=False
    ),
    "rate": _positive(0.25, "coefficient of every candidate; None: U / sqrt(updates)", none=0.0),
    "eps": Parameter(0.5, 0.0, 1.0, "update where y f < 1 - eps"),
    "U": _positive(None, "maximum norm of the function", none=math.inf),
    "alpha": _positive(1.0, "loss at which the sampling probability stops growing"),
    "beta": _positive(20.0, "inverse sampling rate: at most alpha/beta of the examples are kept"),
    "c": _positive(1.0, "sampling probability c t^-decay"),
    "ridge": Parameter(5e-4, 0.0, math.inf, "ridge added to the Gram matrix", low_open=False),
    "rescale": Parameter(True, 0, 1, "restore the norm after a halving", flag=True),
    "allow_skip": Parameter(True, 0, 1, "drop the candidate if that costs least", flag=True),
    "growth": _positive(None, "budget grows as 1 + growth sqrt(t), up to B", none=0.0),
    "shift": _positive(1.0, "how slowly the past is forgotten"),
    "sparsity": Parameter(
        0.0, 0.0, math.inf, "distance to the span up to which a candidate is projected",
        low_open=False,
    ),
    "singular": _positive(_singular, "relative distance that counts as in the span"),
    "decay": Parameter(0.25, 0.0, 1.0, "exponent of the sampling probability"),
    "horizon": Parameter(
        None, 1.0, math.inf, "total number of examples, T", low_open=False, none=0.0
    ),
    "G": Parameter(1.0, 1.0, math.inf, "bound on |l'|; larger samples less", low_open=False),
    "boost": Parameter(2.0, 1.0, math.inf, "height of the auxiliary function", low_open=False),
    "delta": Parameter(1.0, -math.inf, math.inf, "margin beyond which nothing is learned"),
    "clip_coefficients": _positive(None, "largest |alpha| in units of eta", none=math.inf),
    "eta2": _positive(_same_eta, "step size after the change of basis"),
    "rank": Parameter(_fifth, 1.0, math.inf, "eigenfunctions kept", low_open=False, whole=True),
    "iters": Parameter(40, 1.0, 1000.0, "golden-section steps", low_open=False, whole=True),
    "hint_rows": Parameter(
        15, 1.0, 1e6, "number of past examples in a hint", low_open=False, whole=True
    ),
    "coe": _positive(0.1, "factor on the rate after the first halving"),
    "b0": Parameter(
        _half, 0.0, math.inf, "number of support vectors at which projection ends", low_open=False,
        whole=True,
    ),
    "ald": Parameter(
        0.005, 0.0, math.inf, "distance to the span up to which a candidate is projected",
        low_open=False,
    ),
    "r": _sorf(
        0.03, 0.0, math.inf, "ridge of the passive-aggressive step", low_open=False, omitted=0.03,
    ),
    "unit": _sorf(
        3.0, 0.0, math.inf, "int8: stored levels per unit of weight; 1.5 to 2 beyond 1e5 rows",
        omitted=3.0,
    ),
    "sharp": _sorf(1.0, 0.0, math.inf, "sharpness of the blend", omitted=1.0),
    "memory": _sorf(0.999, 0.0, 1.0, "memory of the mistake counters", omitted=0.999),
    "cmin": _sorf(
        30.0, 1.0, math.inf, "shortest averaging window, in octets of rows", low_open=False,
        omitted=30.0,
    ),
    "cmax": _sorf(
        4096.0, 1.0, math.inf, "longest averaging window, in octets of rows", low_open=False,
        omitted=4096.0,
    ),
    "shrink": _sorf(
        0.9, 0.0, 1.0, "factor on the window when the average falls behind", omitted=0.9,
    ),
    "linear": _sorf(
        False, 0, 1, "a linear model as a further candidate", flag=True,
        omitted=0.0, regions=("linear",),
    ),
    "last_label": _sorf(
        False, 0, 1,
        "the last label as a further candidate; only if each label is known before the next row is"
        " predicted",
        flag=True, omitted=0.0, regions=("last_label",),
    ),
    "relevance": _sorf(
        _relevance, 0, 2,
        "also learn length scales: True, one per input (automatic relevance determination; the"
        " default if its 16 bytes per input take at most an eighth of the block); 'shared', one for"
        " all inputs (the default otherwise, if it fits)",
        words=(False, True, "shared"), omitted=0.0,
        regions={
            1.0: ("relevance", "turns", "inputs"),
            2.0: ("shared_relevance", "turns"),
        },
    ),
    "groups": _sorf(
        _groups, 1.0, 4.0,
        "number of models, each with its own widths; 2 from 8,000 frequencies on",
        low_open=False, high_open=False, whole=True, omitted=1.0,
    ),
    "nu": _sorf(
        0.05, 0.0, 1.0, "share of rows to be called novel; .02 with history=True", omitted=0.05,
    ),
    "forget": _sorf(
        4096.0, 8.0, 1e15, "memory of the novelty model, in rows", low_open=False,
        omitted=4096.0,
    ),
    "epsilon": Parameter(
        0.1, 0.0, math.inf, "tolerance: smaller errors cost nothing", low_open=False
    ),
    "scratch": _sorf(
        "block", 0, 1,
        "compute features in blocks of 64, or keep those of a whole row, which saves an update from"
        " recomputing them, for 16 bytes per frequency (float32: 8); except in exported C, a step"
        " keeps the first 2,048 on the stack anyway",
        words=("block", "row"), omitted=0.0, regions=("feature_row",),
    ),
    "history": _sorf(
        None, 0, 1,
        "True: rows form a time series; forecasts real targets, or detects novelty without labels;"
        " 'auto': the same, and last_label for classes",
        none=0.0, flag=True, omitted=0.0,
    ),
    "lead": _sorf(
        1, 1.0, 1e6, "history: rows until a target arrives", low_open=False, high_open=False,
        whole=True, omitted=1.0,
    ),
    "season": _sorf(
        0, 0.0, 1e6, "history: length of a season in rows, 0 for none", low_open=False,
        high_open=False, whole=True, omitted=0.0,
    ),
    "drift": _sorf(
        _drift, 0, 1,
        "detect changes by a rise in mistakes, then shorten the memory of the scaler or reset the"
        " weights; off for novelty and with history",
        flag=True, omitted=0.0, regions=("drift",),
    ),
    "leak": _sorf(
        0.0, 0.0, 0.125,
        "share by which a mistake shrinks the weights during a change; 0.016 if the stream changes"
        " all the time",
        low_open=False, omitted=0.0,
    ),
    "row_memory": _sorf(
        _row_memory, 0.0, MOST,
        "rows of a memory in 4 bits beside the features, a kernel model of narrow widths; d / 2 + 3"
        " bytes each (two classes: d / 2 + 1); the default if bytes are given and leave room",
        low_open=False, high_open=False, whole=True, omitted=0.0, switched=True,
        regions=("row_memory", "memory_state"),
    ),
    "lapse": _sorf(
        0, 0.0, 1e6,
        "answers that a last label counts for after it came, 0 for all; 16 with history='auto',"
        " so that answers do not freeze where labels stop",
        low_open=False, high_open=False, whole=True, omitted=0.0, regions=("answered",),
    ),
    "robust": _sorf(
        False, 0, 1,
        "novelty in a time series: where consecutive readings of a channel are unrelated, outliers"
        " count less for its scale, and chance does not pass for a relation",
        flag=True, omitted=0.0,
    ),
    "memory_narrow": _sorf(
        _memory_narrow, 0, 1,
        "the narrower kernel of the memory of rows answers by itself too: a width chosen by recent"
        " mistakes; the default where the memory's rows are",
        flag=True, omitted=0.0, regions=("memory_narrow",),
    ),
}


def options_of(update: Update) -> tuple[str, ...]:
    """Stored names of the options of an update."""
    return tuple(name for name, row in PARAMETERS.items() if row.of == update)


#: Answers that a last label counts for where it is a candidate by itself: several, since one row
#: may be asked about in several ways.
ANSWERS_BY_LABEL = 16


def checked(name: str, value: Any, stored: str) -> float:
    """A value for the parameter stored under that name, as the number to store.

    Raises TypeError, ValueError: calls it by ``name``, the one the caller knows.
    """
    spec = PARAMETERS[stored]
    if value is None and spec.none is not None:
        return spec.none
    if value is False and spec.switched:
        return 0.0
    if spec.words:
        if isinstance(value, float) and value in range(len(spec.words)):
            return value  # as a file has it
        if value in spec.words:
            return float(spec.words.index(value))
        raise ValueError(f"{name} must be {spec.allowed()}, got {value!r}")
    if spec.flag:
        if isinstance(value, (bool, int, float)):
            if value in (0, 1):
                return float(value)
            raise ValueError(f"{name} must be True or False, got {value!r}")
        raise TypeError(f"{name} must be True or False, got {value!r}")
    number = real(name, value, spec.allowed())
    above = number > spec.low if spec.low_open else number >= spec.low
    below = number < spec.high if spec.high_open else number <= spec.high
    if spec.none is not None and number == spec.none == value:
        return number
    if spec.whole and math.isfinite(number) and number != math.floor(number):
        above = False
    if not (math.isfinite(number) and above and below):
        raise ValueError(f"{name} must be {spec.allowed()}, got {value!r}")
    return number


def shown(stored: str, number: float) -> float | int | bool | str | None:
    """A stored number as the caller would have given it: the inverse of ``checked``."""
    spec = PARAMETERS[stored]
    if spec.none is not None and number == spec.none:
        return None
    if spec.flag:
        return bool(number)
    if spec.words:
        return spec.words[int(number)]
    return int(number) if spec.whole else number
