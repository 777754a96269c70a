"""The parameters of the chosen parts: those that are given, and every default filled in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from edgeolk.catalogue.methods import Method
from edgeolk.configuration.intake import ARGUMENTS
from edgeolk.lean import Any
from edgeolk.near import near
from edgeolk.parts.bases import BASES
from edgeolk.parts.numbers import Basis, Dtype, Projection, Update
from edgeolk.parts.parameters import PARAMETERS, checked
from edgeolk.parts.table import DEFAULT_PARTS, TRAITS, Parts, uses
from edgeolk.parts.updates import UPDATES


def values_of(
    method: Method | None, parts: Parts, context: Mapping[str, float], given: Mapping[str, Any]
) -> tuple[Parts, dict[str, float]]:
    """The parts in force, and their parameters by the names they are stored under.

    Parameters
    ----------
    method : Method or None
        The algorithm, which may rename parameters and change defaults; None for a composition.
    parts : dict
        The part on each axis.
    context : mapping
        Sizes that a default may be made from: ``n_features``, ``budget``, ``ram``, ``novelty``.
    given : mapping
        Arguments of the caller that are left, by public name.

    Raises
    ------
    TypeError, ValueError
        Names the argument, what was got and what is allowed.
    """
    wanted = uses(parts)
    names = _public_names(method, parts)
    defaults = {
        stored: (method.defaults if method else {}).get(stored, PARAMETERS[stored].default)
        for stored in wanted
    }
    # What is given or plain first, then what is made from it, the radius before the rates.
    made: list[str] = []
    values: dict[str, float] = {}
    for name, stored in names.items():
        default = defaults[stored]
        absent = name not in given or (given[name] is None and PARAMETERS[stored].none is None)
        if absent and callable(default):
            made.append(stored)
        else:
            values[stored] = checked(name, given.get(name, default), stored)
    known = {**context, "float32": float(parts["dtype"] != Dtype.FLOAT64)}
    for stored in sorted(made, key=lambda name: name != "U"):
        default = defaults[stored]
        assert callable(default)
        values[stored] = float(default({**known, **values}))
    parts = _without_idle_bound(parts, values)
    if "U" not in uses(parts):
        values.pop("U", None)
    return parts, {stored: values[stored] for stored in wanted if stored in values}


def _public_names(method: Method | None, parts: Parts) -> dict[str, str]:
    """What parameters are stored under, by the names that a caller gives them."""
    public = method.public if method else {}
    return {public.get(stored, stored): stored for stored in uses(parts)}


def refuse_unknown(
    given: Iterable[str], method: Method | None, parts: Parts, common: Iterable[str]
) -> None:
    """Raise TypeError for the first name that is none here, with those that are near.

    Parameters
    ----------
    given : iterable of str
        Arguments of the caller that are left.
    method, parts
        As for ``values_of``.
    common : iterable of str
        Names that every learner takes.
    """
    basis, update = BASES[Basis(parts["basis"])], UPDATES[Update(parts["update"])]
    names = [*_public_names(method, parts), *filter(None, [basis.members]), *update.lists]
    unknown = next((name for name in given if name not in names), None)
    if unknown is None:
        return
    whose = method.name if method else "this composition"
    allowed = [*names, *(method.choices if method else DEFAULT_PARTS)]
    hint = ", which has its own"
    if unknown not in DEFAULT_PARTS:
        hint = near(unknown, [*allowed, *common, *ARGUMENTS, *DEFAULT_PARTS])
    raise TypeError(
        f"unknown parameter {unknown!r} for {whose}{hint}; there are {', '.join(allowed) or 'none'}"
    )


def _without_idle_bound(parts: Parts, values: Mapping[str, float]) -> Parts:
    """The parts, without a projection on a ball of infinite radius: it bounds nothing, so neither
    the norm nor the sums of a mean need be kept for it."""
    radial = getattr(TRAITS["projection"][parts["projection"]], "radial", False)
    if radial and values.get("U") == math.inf:
        return {**parts, "projection": Projection.NONE}
    return parts


def given_lists(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Parameters that are several numbers as the caller has them, None for those left out.

    They are taken out of ``given``. Nested ``widths`` say how many groups there are, and so
    ``groups`` too where the caller does not.
    """
    lists = {name: given.pop(name, None) for name in names}
    widths = lists.get("widths")
    if isinstance(widths, (list, tuple)) and given.get("groups") is None:
        given["groups"] = max(1, sum(hasattr(width, "__len__") for width in widths))
    return lists
