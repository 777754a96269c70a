"""First step: the parts of a configuration and their parameters.

A caller chooses parts by an algorithm and its options, or one by one. Given parameters are checked,
all others get their defaults. An invalid argument raises TypeError or ValueError with its name, its
value and what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

from edgeolk.catalogue.methods import Method
from edgeolk.parts.bases import BASES
from edgeolk.parts.bounds import PROJECTIONS
from edgeolk.parts.numbers import AXES, Coefficients, Dtype, Loss, Projection, Rows
from edgeolk.parts.parameters import PARAMETERS, checked
from edgeolk.parts.table import DEFAULT_PARTS, Parts, uses
from edgeolk.parts.updates import UPDATES
from edgeolk.preprocessing.record import ARGUMENTS
from edgeolk.suggest import suggest

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
            raise ValueError(f"{name} must be one of {known} for {method.name}; got {value!r}")
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
