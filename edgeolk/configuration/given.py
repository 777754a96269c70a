"""Arguments of a configuration one by one: its parts, storage, budget and parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from edgeolk.catalogue.methods import Method
from edgeolk.configuration.intake import ARGUMENTS
from edgeolk.near import near
from edgeolk.parts.numbers import AXES, Dtype, Loss, Projection
from edgeolk.parts.parameters import PARAMETERS, checked
from edgeolk.parts.table import DEFAULT_PARTS, TRAITS, Parts, uses

#: What is recommended where nothing is known.
DEFAULT = "sorf"
#: Losses that it follows.
_DEFAULT_LOSSES = ("hinge", "square", "novelty")


def is_default(given: Mapping[str, Any]) -> bool:
    """Whether arguments without an algorithm name no part of a composition."""
    loss = given.get("loss", "hinge")
    said = loss.name if isinstance(loss, Loss) else loss
    if not isinstance(said, str) or said.lower() not in _DEFAULT_LOSSES:
        return False
    return not any(axis in given for axis in DEFAULT_PARTS if axis != "loss")


def own_names(method: Method | None, parts: Parts) -> set[str]:
    """Names that an algorithm, or a composition, has for its parameters."""
    public = {stored: name for name, stored in method.renames.items()} if method else {}
    return {public.get(stored, stored) for stored in uses(parts)}


def storage_of(name: str, value: Any, kind: type[IntEnum]) -> IntEnum:
    if isinstance(value, kind):
        return value
    said = getattr(value, "__name__", None) or str(value)
    if said.upper() in kind.__members__:
        return kind[said.upper()]
    known = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{name} must be one of {known}, got {value!r}")


def budget_of(
    alias: str, budget: int | None, ram: int | str | None, params: dict[str, Any]
) -> int | None:
    """The budget, under the name a basis has for it."""
    if alias:
        given = params.pop(alias, None)
        if given is not None and budget is not None:
            raise TypeError(f"give {alias}= or budget=, which are the same here, and not both")
        budget = given if given is not None else budget
        if budget is None and ram is None:
            budget = 100
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, and not both")
    return budget


def pick_parts(method: Method | None, given: dict[str, Any]) -> Parts:
    """Parts of a named algorithm or of a composition; takes what it uses out of ``given``."""
    parts = dict(DEFAULT_PARTS)
    if method is None:
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
    parts.update(method.parts)
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
    """The parts in force and their parameters, every default filled in."""
    parts = dict(parts)
    renames = method.renames if method else {}
    defaults = method.defaults if method else {}
    public = {stored: name for name, stored in renames.items()}
    wanted = uses(parts)
    names = {public.get(stored, stored): stored for stored in wanted}
    unknown = [name for name in given if name not in names]
    if unknown:
        allowed = list(names) + (list(method.choices) if method else list(DEFAULT_PARTS))
        meant = near(unknown[0], [*allowed, *ARGUMENTS, *DEFAULT_PARTS])
        raise TypeError(
            f"unknown parameter {unknown[0]!r} for {method.name if method else 'this composition'}"
            f"{meant}; there are {', '.join(allowed) or 'none'}"
        )
    # What is given or plain first, then what is made from it, the radius before the rates.
    made: list[str] = []
    values: dict[str, float] = {}
    for stored in wanted:
        name = public.get(stored, stored)
        default = defaults.get(stored, PARAMETERS[stored].default)
        absent = name not in given or (given[name] is None and PARAMETERS[stored].none is None)
        if absent and callable(default):
            made.append(stored)
        else:
            values[stored] = checked(name, given.get(name, default), stored)
    known = {**context, "float32": float(parts["dtype"] != Dtype.FLOAT64)}
    for stored in sorted(made, key=lambda name: name != "U"):
        default = defaults.get(stored, PARAMETERS[stored].default)
        assert callable(default)
        values[stored] = float(default({**known, **values}))
    radial = getattr(TRAITS["projection"][parts["projection"]], "radial", False)
    if radial and values.get("U") == math.inf:
        # An infinite radius bounds nothing: neither the norm nor the sums of a mean need be kept.
        parts["projection"] = Projection.NONE
        if "U" not in uses(parts):
            del values["U"]
    return parts, {stored: values[stored] for stored in wanted if stored in values}
