"""The parts that a caller chooses: by an algorithm and its options, or one by one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from edgeolk.catalogue.methods import Method
from edgeolk.lean import Any
from edgeolk.parts.numbers import AXES, Coefficients, Dtype, Loss, Rows, Update
from edgeolk.parts.table import DEFAULT_PARTS, Parts, uses
from edgeolk.parts.updates import UPDATES

#: The algorithm of a learner whose caller names none, and no parts either.
DEFAULT = "sorf"
_DEFAULT_LOSSES = ("hinge", "square", "novelty")


def is_default(given: Mapping[str, Any]) -> bool:
    """Whether arguments without an algorithm name no part but a loss that the default follows."""
    loss = given.get("loss", "hinge")
    name = loss.name if isinstance(loss, Loss) else loss
    if not isinstance(name, str) or name.lower() not in _DEFAULT_LOSSES:
        return False
    return not any(axis in given for axis in DEFAULT_PARTS if axis != "loss")


def own_names(method: Method | None, parts: Parts) -> set[str]:
    """Names that an algorithm, or a composition, has for its parameters."""
    public = method.public if method else {}
    return {public.get(stored, stored) for stored in uses(parts)}


def parts_of(
    method: Method | None, given: dict[str, Any], dtype: Any, coefficients: Any, sparse: bool | None
) -> Parts:
    """The part chosen on every axis.

    Parameters
    ----------
    method : Method or None
        The algorithm; None for a composition.
    given : dict
        Arguments of the caller; those that choose parts are taken out.
    dtype, coefficients
        Storage types as given; ``dtype`` may be None, for the usual one of the update.
    sparse : bool or None
        As given. Where it is None the planner chooses, and ``Rows.DENSE`` stands until then.

    Raises
    ------
    ValueError
        Names the argument, what was got and what is allowed.
    """
    chosen = _composed(given) if method is None else _of_method(method, given)
    usual = UPDATES[Update(chosen["update"])].default_dtype
    return {
        "dtype": _storage("dtype", usual if dtype is None else dtype, Dtype),
        "coefficients": _storage("coefficients", coefficients, Coefficients),
        "rows": Rows.SPARSE if sparse else Rows.DENSE,
        **chosen,
    }


def _storage(name: str, value: Any, kind: type[IntEnum]) -> IntEnum:
    """A storage type by its member, its name, or a type of that name such as ``np.float32``."""
    if isinstance(value, kind):
        return value
    said = getattr(value, "__name__", None) or str(value)
    if said.upper() in kind.__members__:
        return kind[said.upper()]
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
