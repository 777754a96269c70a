"""A configuration as the arguments that make it: ``composition``, the other way round."""

from __future__ import annotations

from enum import IntEnum

from edgeolk.catalogue.methods import Method, find
from edgeolk.configuration.settings import LOOKAHEAD, OPTIONS, Settings
from edgeolk.configuration.usual import usual_lookahead, usual_rows
from edgeolk.lean import Any
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.numbers import Algorithm, Coefficients, Rows
from edgeolk.parts.parameters import shown
from edgeolk.parts.table import DEFAULT_PARTS


def options_said(config: Settings) -> dict[str, Any]:
    """Every argument but the algorithm, those left at a plain default omitted."""
    said: dict[str, Any] = {
        "n_features": config.n_features,
        "budget": config.budget,
        "kernel": config.kernel,
        "dtype": config.dtype.name.lower(),
    }
    if config.coefficients != Coefficients.FLOAT64:
        said["coefficients"] = config.coefficients.name.lower()
    if config.columns > 1:
        said["n_classes"] = config.columns
    if config.seed:
        said["seed"] = config.seed
    if config.parts["rows"] != usual_rows(config):
        said["sparse"] = config.parts["rows"] != Rows.DENSE
    if "skip_bad_rows" in config.values:
        said["on_bad_row"] = "skip"
    if "checksums" in config.values:
        said["checksums"] = True
    if config.lookahead != usual_lookahead(config):
        said["lookahead"] = config.lookahead
    if config.feature_range is not None:
        said["feature_range"] = config.feature_range
    own = parameters_said(config)
    usual = {} if config.member == Algorithm.CUSTOM else find(config.member).preprocessing
    return {**said, **config.preprocessing.options(own, usual, whole=config.update.whole), **own}


def parameters_said(config: Settings) -> dict[str, Any]:
    """The algorithm's own parameters in force, by the names it is called with.

    Those of a composition include its parts.
    """
    if config.member == Algorithm.CUSTOM:
        chosen: dict[str, Any] = {axis: config.parts[axis] for axis in DEFAULT_PARTS}
        public: dict[str, str] = {}
    else:
        method = find(config.member)
        chosen = _chosen_options(config, method)
        public = method.public
    numbers = {
        public.get(name, name): shown(name, value)
        for name, value in config.values.items()
        if name not in (*OPTIONS, LOOKAHEAD)
    }
    return {**chosen, **numbers, **_shown_lists(config)}


def _chosen_options(config: Settings, method: Method) -> dict[str, Any]:
    """The option in force of each parameter that picks parts."""
    chosen = {}
    for name, options in method.choices.items():
        # The option that names most parts wins: one that names none fits every configuration.
        fitting = [
            (len(parts), option)
            for option, parts in options.items()
            if all(config.parts[axis] == part for axis, part in parts.items())
        ]
        if fitting:
            chosen[name] = max(fitting, key=lambda pair: pair[0])[1]
    return chosen


def _shown_lists(config: Settings) -> dict[str, Any]:
    """Parameters that are several numbers, where they are not at their defaults."""
    widths = tuple(numbers for name, numbers in config.lists.items() if name.startswith("widths"))
    nested = {"widths": widths[0] if len(widths) == 1 else widths} if widths else {}
    others = {n: config.lists[n] for n in ("blends", "interval") if n in config.lists}
    return {**nested, **others}


def call_said(config: Settings, name: str) -> str:
    """The call of ``name`` that makes this configuration, for ``import edgeolk as ek``."""
    first = [] if config.member == Algorithm.CUSTOM else [repr(config.name)]
    options = options_said(config)
    return f"{name}({', '.join([*first, *(_spelt(name, options[name]) for name in options)])})"


def _spelt(name: str, value: Any) -> str:
    if isinstance(value, IntEnum):
        return f"{name}=ek.{type(value).__name__}.{value.name}"
    return f"{name}=ek.{value!r}" if isinstance(value, Kernel) else f"{name}={value!r}"
