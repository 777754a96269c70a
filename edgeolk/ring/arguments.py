"""From a caller's arguments to the settings of a learner of the ring family, and back.

A caller chooses parts by an algorithm and its options, or one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from enum import IntEnum
from typing import Any

from edgeolk.checks import MAX_SIZE, check_int
from edgeolk.configuration.arguments import (
    DEFAULT_MEMBERS,
    Choices,
    Given,
    budget_of,
    chosen_of,
    kernel_of,
    member_of,
    refuse_unknown,
    values_of,
)
from edgeolk.parts.bases import BASES
from edgeolk.parts.methods import Method, find
from edgeolk.parts.numbers import (
    AXES,
    Algorithm,
    Coefficients,
    Dtype,
    Loss,
    Projection,
    Rows,
    Update,
)
from edgeolk.parts.policies import PROJECTIONS
from edgeolk.parts.table import DEFAULT_PARTS, Parts
from edgeolk.parts.updates import UPDATES
from edgeolk.ring.defaults import default_lookahead, default_rows, fill_defaults
from edgeolk.ring.levels import range_of
from edgeolk.ring.options import OPTIONS, uses
from edgeolk.ring.refusals import refuse
from edgeolk.ring.settings import RingSettings
from edgeolk.scaling.arguments import gamma_of, preprocessing_of

#: Why learners with support vectors do not support history.
_ONLY_SORF = (
    "history=True is for 'sorf': forecasts and novelty in time need its features, which are"
    " recomputed for pending rows, and targets standardised inside; other algorithms have neither"
    " (docs/forecast.md, section 6)"
)


def _refuse_history(given: dict[str, Any]) -> None:
    """Remove ``history`` if it is None or "auto", which changes nothing here."""
    value = given.get("history")
    if value is None or (isinstance(value, str) and value == "auto"):
        given.pop("history", None)
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"history must be True, False, 'auto' or None, got {value!r}")
    elif value:
        raise TypeError(_ONLY_SORF)


def _parts_of(method: Method | None, given: dict[str, Any], common: Mapping[str, Any]) -> Parts:
    """The part on every axis, chosen by an algorithm or one by one.

    Arguments that choose parts are removed from ``given``. If ``sparse`` is None, ``Rows.DENSE``
    until ``defaults`` decides.
    """
    if method is None:
        chosen = _composed(given)
    else:
        chosen = {**DEFAULT_PARTS, **method.parts, **chosen_of(method, given)}
    dtype, sparse = common["dtype"], common["sparse"]
    if dtype is None:
        dtype = "float32" if method is None else method.dtype
    if not (sparse is None or isinstance(sparse, bool)):
        raise TypeError(f"sparse must be True, False or None, got {sparse!r}")
    dtype = member_of("dtype", dtype, Dtype)
    coefficients = common["coefficients"]
    if coefficients is None:
        all_in_one = UPDATES[Update(chosen["update"])].scores_itself
        is_narrow = all_in_one and dtype == Dtype.FLOAT32
        coefficients = Coefficients.FLOAT32 if is_narrow else Coefficients.FLOAT64
    coefficients = member_of("coefficients", coefficients, Coefficients)
    return {
        "dtype": dtype,
        "coefficients": coefficients,
        "rows": Rows.SPARSE if sparse else Rows.DENSE,
        **chosen,
    }


def _composed(given: dict[str, Any]) -> Parts:
    parts = dict(DEFAULT_PARTS)
    for axis in DEFAULT_PARTS:
        kind = AXES[axis]
        value = given.pop(axis, DEFAULT_PARTS[axis])
        if isinstance(value, str) and value.upper() in kind.__members__:
            value = kind[value.upper()]
        if not isinstance(value, kind):
            known = ", ".join(f"ek.{kind.__name__}.{member.name}" for member in kind)
            use = "; 'square' is for real targets, 'novelty' for no labels" if kind is Loss else ""
            raise ValueError(f"{axis} must be one of {known}; got {value!r}{use}")
        parts[axis] = value
    return parts


def _refuse_unknown(given: Given, names: tuple[str, ...], members: str) -> None:
    """Raise TypeError for the first unknown argument, with similar names."""
    allowed = [*names, *filter(None, [members])]
    allowed += given.method.choices if given.method else DEFAULT_PARTS
    refuse_unknown(given.params, given.own, allowed, given.common, DEFAULT_PARTS)


def _without_idle_bound(parts: Parts, values: dict[str, float]) -> tuple[Parts, dict[str, float]]:
    """The parts and options without a projection onto a ball of infinite radius.

    It bounds nothing, so the norm and the sums for averaging need not be stored for it.
    """
    radial = PROJECTIONS[parts["projection"]].radial
    if radial and values.get("U") == math.inf:
        parts = {**parts, "projection": Projection.NONE}
    if "U" not in uses(parts):
        values.pop("U", None)
    return parts, values


def _stable(settings: RingSettings) -> RingSettings:
    """With the update that computes the same where that of the algorithm is not exact enough."""
    update = settings.update
    if update.stable is None or update.unstable is None or not update.unstable(settings):
        return settings
    return replace(settings, parts={**settings.parts, "update": update.stable})


def configure(given: Given) -> Choices:
    """The way to configure a learner for a budget."""
    method, params, common = given.method, given.params, given.common
    parts = _parts_of(method, params, common)
    basis, names = BASES[parts["basis"]], uses(parts)
    own = {*names, *(method.aliases if method else ())}
    _refuse_history(params)
    n_features = check_int("n_features", common["n_features"], 1)
    defaults = method.preprocessing if method else {}
    gamma = gamma_of(params, own, defaults, kernel=common["kernel"] is not None)
    if isinstance(gamma, float) and UPDATES[Update(parts["update"])].scores_itself:
        raise ValueError(f"gamma= is learned, a width for each input; got gamma={gamma:g}")
    width = method.gamma if method else 1.0
    kernel = kernel_of(common["kernel"], gamma, width, n_features)
    preprocessing = preprocessing_of(
        params, own, defaults, gamma, narrow=parts["dtype"] != Dtype.FLOAT64, may_follow=False
    )
    _refuse_unknown(given, names, basis.members)
    members = basis.members if params.get(basis.members) is not None else "budget"
    budget = budget_of(basis.members, common["budget"], given.ram, params, DEFAULT_MEMBERS)
    fixed: dict[str, Any] = {
        "member": method.algorithm if method else Algorithm.CUSTOM,
        "n_features": n_features,
        "kernel": kernel,
        "columns": given.columns,
        "seed": given.seed,
        "feature_range": range_of(common["feature_range"], parts, n_features),
        "preprocessing": preprocessing,
        **given.flags,
    }
    context = {
        "n_features": float(n_features),
        "ram": float(given.ram or 0),
        "novelty": float(parts["loss"] == Loss.NOVELTY),
        "float32": float(parts["dtype"] != Dtype.FLOAT64),
        "narrow": float(parts["coefficients"] != Coefficients.FLOAT64),
    }

    def configured(size: int) -> RingSettings:
        size = check_int(members, size, 1)
        usual = method.defaults if method else {}
        known = {**context, "budget": float(size)}
        values = values_of(OPTIONS, names, usual, known, params)
        used, values = _without_idle_bound(parts, values)
        settings = _stable(RingSettings(**fixed, budget=size, parts=used, values=values))
        refuse(settings)
        capped = given.ram is not None
        return fill_defaults(settings, common["sparse"], common["lookahead"], capped=capped)

    return Choices(budget, [(configured, range(1, MAX_SIZE))], [])


# ---- the inverse ---------------------------------------------------------------------------------


def arguments(config: RingSettings) -> dict[str, Any]:
    """The arguments that only this family has and that are not at their defaults."""
    found: dict[str, Any] = {}
    if config.coefficients != Coefficients.FLOAT64:
        found["coefficients"] = config.coefficients.name.lower()
    if config.parts["rows"] != default_rows(config):
        found["sparse"] = config.parts["rows"] != Rows.DENSE
    if config.lookahead != default_lookahead(config):
        found["lookahead"] = config.lookahead
    if config.feature_range is not None:
        found["feature_range"] = config.feature_range
    return found


def parameters(config: RingSettings) -> dict[str, Any]:
    """The options by name, after the parts of a composition or the choices of an algorithm."""
    if config.member == Algorithm.CUSTOM:
        chosen: dict[str, Any] = {axis: config.parts[axis] for axis in DEFAULT_PARTS}
    else:
        chosen = chosen_options(find(config.member), config.parts)
    return {**chosen, **{name: OPTIONS[name].shown(v) for name, v in config.values.items()}}


def chosen_options(method: Method, parts: Mapping[str, IntEnum]) -> dict[str, str]:
    """The chosen option of each parameter that selects parts."""
    chosen = {}
    for name, options in method.choices.items():
        # The option with most parts wins: an option without parts matches every configuration.
        fitting = [
            (len(wanted), option)
            for option, wanted in options.items()
            if all(parts[axis] == part for axis, part in wanted.items())
        ]
        if fitting:
            chosen[name] = max(fitting, key=lambda pair: pair[0])[1]
    return chosen


# ---- for documentation ---------------------------------------------------------------------------


def options_of(method: Method) -> tuple[str, ...]:
    """Names of the options that an algorithm has with any of its choices."""
    wanted: set[str] = set(uses({**DEFAULT_PARTS, **method.parts}))
    for options in method.choices.values():
        for option in options.values():
            wanted.update(uses({**DEFAULT_PARTS, **method.parts, **option}))
    return tuple(name for name in OPTIONS if name in wanted)


def members_of(method: Method) -> str:
    """An algorithm's own name for its budget, "" for none."""
    return BASES[{**DEFAULT_PARTS, **method.parts}["basis"]].members
