"""First step: from a caller's arguments to the parts of a configuration, their parameters and what
all configurations have.

A caller chooses parts by an algorithm and its options, or one by one. ``history=`` says that rows
form a time series, and sets other arguments. Given parameters are checked, all others get their
defaults. An invalid argument raises TypeError or ValueError with its name, its value and what is
allowed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from typing import Any

from edgeolk.errors import suggest
from edgeolk.parts.bases import BASES
from edgeolk.parts.kernels import Gaussian, Kernel
from edgeolk.parts.methods import METHODS, Method
from edgeolk.parts.numbers import AXES, Coefficients, Dtype, Loss, Projection, Rows
from edgeolk.parts.parameters import ANSWERS_BY_LABEL, PARAMETERS, checked
from edgeolk.parts.policies import PROJECTIONS
from edgeolk.parts.sorf import NU
from edgeolk.parts.table import DEFAULT_PARTS, Parts, uses
from edgeolk.parts.updates import UPDATES
from edgeolk.scaling.record import ARGUMENTS

#: Losses with a separate algorithm for time series.
IN_TIME = (Loss.NOVELTY, Loss.SQUARE)


#: Why learners with support vectors do not support history.
_ONLY_SORF = (
    "history=True is for 'sorf': forecasts and novelty in time need its features, which are"
    " recomputed for pending rows, and targets standardised inside; other algorithms have neither"
    " (docs/forecast.md, section 6)"
)


def refuse_interval(interval: Any, *, forecasts: bool) -> None:
    """Raise ValueError if ``interval`` is given, even as the default, but nothing forecasts."""
    if interval is not None and not forecasts:
        raise ValueError(
            "interval= needs history=True and loss='square': only forecasts have intervals; got"
            f" interval={interval!r}"
        )


def take_history(
    given: dict[str, Any], parts: Mapping[str, IntEnum], names: Collection[str]
) -> tuple[bool, bool]:
    """Return (detects novelty in time, forecasts), and put the parameters needed into ``given``.

    ``names`` are the public names of the algorithm's parameters. "auto" becomes what the loss
    supports for time series: a separate algorithm, or for classes the last label as an expert while
    labels arrive.
    """
    value = given.get("history")
    if value and not isinstance(value, str) and "history" not in names:
        raise TypeError(_ONLY_SORF)
    if value is None or (isinstance(value, str) and value == "auto"):
        given.pop("history", None)
        if value == "auto" and "history" in names:
            if parts["loss"] in IN_TIME:
                given["history"] = True
            elif parts["loss"] == Loss.HINGE and given.get("last_label") is None:
                given["last_label"] = True
                if given.get("lapse") is None:
                    given["lapse"] = ANSWERS_BY_LABEL
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"history must be True, False, 'auto' or None, got {value!r}")
    if "history" not in names or not given.get("history"):
        return False, False
    watches = parts["loss"] == Loss.NOVELTY
    if watches and given.get("nu") is None:
        given["nu"] = NU
    return watches, parts["loss"] == Loss.SQUARE


#: The algorithm if the caller gives neither an algorithm nor parts.
DEFAULT = "sorf"
_DEFAULT_LOSSES = ("hinge", "square", "novelty")


def is_default(given: Mapping[str, Any]) -> bool:
    """Whether arguments without an algorithm give no part, except a loss that sorf supports."""
    loss = given.get("loss", "hinge")
    name = loss.name if isinstance(loss, Loss) else loss
    if not isinstance(name, str) or name.lower() not in _DEFAULT_LOSSES:
        return False
    return not any(axis in given for axis in DEFAULT_PARTS if axis != "loss")


def public_names(method: Method | None, parts: Parts) -> dict[str, str]:
    """Public name -> stored name of each parameter of an algorithm, or of a composition."""
    public = method.public if method else {}
    return {public.get(stored, stored): stored for stored in uses(parts)}


def parts_of(
    method: Method | None, given: dict[str, Any], dtype: Any, coefficients: Any, sparse: bool | None
) -> Parts:
    """The part on every axis, chosen by an algorithm (``method``) or one by one.

    Arguments that choose parts are removed from ``given``. If ``dtype`` is None, the update's
    default is used; if ``sparse`` is None, ``Rows.DENSE`` until ``defaults`` decides.
    """
    chosen = _composed(given) if method is None else _of_method(method, given)
    default = UPDATES[chosen["update"]].default_dtype
    return {
        "dtype": _storage("dtype", default if dtype is None else dtype, Dtype),
        "coefficients": _storage("coefficients", coefficients, Coefficients),
        "rows": Rows.SPARSE if sparse else Rows.DENSE,
        **chosen,
    }


def _storage(name: str, value: Any, kind: type[IntEnum]) -> IntEnum:
    """A storage type from a member, its name, or a type of that name such as ``np.float32``."""
    if isinstance(value, kind):
        return value
    type_name = getattr(value, "__name__", None) or str(value)
    if type_name.upper() in kind.__members__:
        return kind[type_name.upper()]
    known = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{name} must be one of {known}, got {value!r}")


def _composed(given: dict[str, Any]) -> Parts:
    parts = dict(DEFAULT_PARTS)
    for axis in DEFAULT_PARTS:
        kind = AXES[axis]
        value = given.pop(axis, DEFAULT_PARTS[axis])
        if isinstance(value, str) and value.upper() in kind.__members__:
            value = kind[value.upper()]
        if not isinstance(value, kind):
            known = ", ".join(f"ek.{kind.__name__}.{member.name}" for member in kind)
            raise ValueError(f"{axis} must be one of {known}; got {value!r}")
        parts[axis] = value
    return parts


def _of_method(method: Method, given: dict[str, Any]) -> Parts:
    parts = {**DEFAULT_PARTS, **method.parts}
    for name, options in method.choices.items():
        value = given.pop(name, next(iter(options)))
        if isinstance(value, IntEnum):
            value = value.name.lower()
        if not isinstance(value, str) or value not in options:
            known = ", ".join(repr(option) for option in options)
            others = [other.name for other in METHODS if value in [*other.choices.get(name, ())]]
            where = f"; {value!r} is an option of {', '.join(others)}" if others else ""
            raise ValueError(
                f"{name} must be one of {known} for {method.name}; got {value!r}{where}"
            )
        parts.update(options[value])
    return parts


def values_of(
    method: Method | None, parts: Parts, context: Mapping[str, float], given: Mapping[str, Any]
) -> tuple[Parts, dict[str, float]]:
    """The parts in use, and their parameters by stored name.

    ``context`` holds the sizes from which a default may be computed, named as in
    ``Parameter.default``; ``given`` are the caller's remaining arguments by public name.
    """
    wanted = uses(parts)
    names = public_names(method, parts)
    defaults = {
        stored: (method.defaults if method else {}).get(stored, PARAMETERS[stored].default)
        for stored in wanted
    }
    # Given and constant values first, then those computed from them: the radius before the rates.
    computed: list[str] = []
    values: dict[str, float] = {}
    for name, stored in names.items():
        default = defaults[stored]
        absent = name not in given or (given[name] is None and PARAMETERS[stored].none is None)
        if absent and callable(default):
            computed.append(stored)
        else:
            values[stored] = checked(name, given.get(name, default), stored)
    known = {**context, "float32": float(parts["dtype"] != Dtype.FLOAT64)}
    for stored in sorted(computed, key=lambda name: name != "U"):
        default = defaults[stored]
        assert callable(default)
        values[stored] = float(default({**known, **values}))
    parts = _without_idle_bound(parts, values)
    if "U" not in uses(parts):
        values.pop("U", None)
    return parts, {stored: values[stored] for stored in wanted if stored in values}


def refuse_unknown(
    given: Iterable[str], method: Method | None, parts: Parts, common: Iterable[str]
) -> None:
    """Raise TypeError for the first unknown name in ``given``, with similar names.

    ``common`` are the names of the arguments common to all learners.
    """
    basis, update = BASES[parts["basis"]], UPDATES[parts["update"]]
    names = [*public_names(method, parts), *filter(None, [basis.members]), *update.lists]
    unknown = next((name for name in given if name not in names), None)
    if unknown is None:
        return
    owner = method.name if method else "this composition"
    allowed = [*names, *(method.choices if method else DEFAULT_PARTS)]
    hint = ", which has its own"
    if unknown not in DEFAULT_PARTS:
        hint = suggest(unknown, [*allowed, *common, *ARGUMENTS, *DEFAULT_PARTS])
    raise TypeError(
        f"unknown parameter {unknown!r} for {owner}{hint}; there are {', '.join(allowed) or 'none'}"
    )


def _without_idle_bound(parts: Parts, values: Mapping[str, float]) -> Parts:
    """The parts without a projection onto a ball of infinite radius.

    It bounds nothing, so the norm and the sums for averaging need not be stored for it.
    """
    radial = PROJECTIONS[parts["projection"]].radial
    if radial and values.get("U") == math.inf:
        return {**parts, "projection": Projection.NONE}
    return parts


def given_lists(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Parameters with several numbers as the caller gave them, None if omitted.

    They are removed from ``given``. Nested ``widths`` determine the number of groups, so they also
    set ``groups`` if the caller does not.
    """
    lists = {name: given.pop(name, None) for name in names}
    widths = lists.get("widths")
    if isinstance(widths, (list, tuple)) and given.get("groups") is None:
        given["groups"] = max(1, sum(hasattr(width, "__len__") for width in widths))
    return lists


#: The maximum number of columns of coefficients in a block.
MAX_CLASSES = 2**15
#: The default budget of a feature basis, if ``ram=`` is not given.
DEFAULT_MEMBERS = 100
#: The default range of int8 levels, for standardised features.
DEFAULT_RANGE = (-4.0, 4.0)

Ends = tuple[Any, Any]


def kernel_of(kernel: Any, gamma: Any, method: Method | None, n_features: int) -> Kernel:
    """The given kernel, or a Gaussian of the given width or of the algorithm's default width.

    ``gamma`` comes from ``preprocessing.arguments.gamma_of``; ``method`` is None for a composition.
    """
    if isinstance(gamma, float):
        if kernel is not None:
            raise TypeError(
                f"give kernel= or gamma=, not both, got {kernel!r} and {gamma!r}; another"
                " kernel's width goes into it, as in kernel=ek.Laplacian(0.5)"
            )
        return Gaussian(gamma)
    if kernel is None:
        return Gaussian((method.gamma if method else 1.0) / n_features)
    if not isinstance(kernel, Kernel) or type(kernel) is Kernel:
        raise TypeError(f"kernel must be an edgeolk kernel, got {type(kernel).__name__}")
    return kernel


def options_of(sparse: Any, on_bad_row: Any, checksums: Any) -> dict[str, float]:
    """The options that are on, as stored in a block; ``sparse`` is only checked."""
    if not (sparse is None or isinstance(sparse, bool)):
        raise TypeError(f"sparse must be True, False or None, got {sparse!r}")
    if on_bad_row not in ("raise", "skip"):
        raise ValueError(f"on_bad_row must be 'raise' or 'skip', got {on_bad_row!r}")
    if not isinstance(checksums, bool):
        raise TypeError(f"checksums must be True or False, got {checksums!r}")
    options = {"skip_bad_rows": on_bad_row == "skip", "checksums": checksums}
    return {name: 1.0 for name, on in options.items() if on}


def budget_of(
    alias: str, budget: int | None, ram: int | str | None, given: dict[str, Any], default: int
) -> int | None:
    """The budget; None if ``ram`` is given instead.

    ``alias`` is a feature basis's own name for its budget ("" if it has none) and is removed from
    ``given``, the other arguments. ``default`` is the budget of such a basis if none is given.
    """
    if alias:
        members = given.pop(alias, None)
        if members is not None and budget is not None:
            raise TypeError(f"give {alias}= or budget=, not both: they mean the same here")
        budget = members if members is not None else budget
        if budget is None and ram is None:
            budget = default
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, not both")
    return budget


def range_of(feature_range: Any, parts: Parts, n_features: int) -> Ends | None:
    """The checked range of int8 levels; None if not given."""
    if feature_range is None:
        return None
    if parts["dtype"] != Dtype.INT8:
        raise TypeError("feature_range is for dtype='int8' only")
    checked = _ends(feature_range, n_features)
    levels(checked, n_features)
    return checked


def _ends(given: Any, n_features: int) -> Ends:
    """The two ends of a range, each a float or a tuple with one number per feature."""

    def plain(end: Any) -> Any:
        listed = end.tolist() if hasattr(end, "tolist") else end
        if not isinstance(listed, (list, tuple)):
            return float(listed)
        if len(listed) != n_features:
            raise ValueError(f"{len(listed)} numbers")
        return tuple(float(number) for number in listed)

    try:
        low, high = given
        return plain(low), plain(high)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"feature_range must be (low, high), numbers or arrays of {n_features}: {error}"
        ) from None


def _single(number: float) -> float:
    """The number rounded to float32; infinite if it overflows."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.inf


def levels(given: Ends | None, n_features: int) -> tuple[list[float], list[float]]:
    """The scales and offsets of int8 storage, one per feature, rounded to float32.

    Level q represents scale * q + offset: -128 is the low end of the range, 127 the high end.
    """
    low, high = (
        [end] * n_features if isinstance(end, float) else list(end)
        for end in given or DEFAULT_RANGE
    )
    scale = [_single((b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    offset = [_single(a + 128.0 * (b - a) / 255.0) for a, b in zip(low, high, strict=True)]
    for step, zero in zip(scale, offset, strict=True):
        if not (0.0 < step < math.inf and math.isfinite(zero)):
            raise ValueError(f"feature_range must be finite with low < high, got {given!r}")
    return scale, offset
