"""A configuration as the arguments that create it, the inverse of ``parts_of``."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from edgeolk.configuration.defaults import default_lookahead, default_rows
from edgeolk.configuration.settings import LOOKAHEAD, OPTIONS, Settings
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.methods import Method, find
from edgeolk.parts.numbers import Algorithm, Coefficients, Rows
from edgeolk.parts.parameters import shown
from edgeolk.parts.table import DEFAULT_PARTS


def config_arguments(config: Settings) -> dict[str, Any]:
    """All arguments except the algorithm; those at a constant default are omitted."""
    arguments: dict[str, Any] = {
        "n_features": config.n_features,
        "budget": config.budget,
        "kernel": config.kernel,
        "dtype": config.dtype.name.lower(),
    }
    if config.coefficients != Coefficients.FLOAT64:
        arguments["coefficients"] = config.coefficients.name.lower()
    if config.columns > 1:
        arguments["n_classes"] = config.columns
    if config.seed:
        arguments["seed"] = config.seed
    if config.parts["rows"] != default_rows(config):
        arguments["sparse"] = config.parts["rows"] != Rows.DENSE
    if "skip_bad_rows" in config.values:
        arguments["on_bad_row"] = "skip"
    if "checksums" in config.values:
        arguments["checksums"] = True
    if config.lookahead != default_lookahead(config):
        arguments["lookahead"] = config.lookahead
    if config.feature_range is not None:
        arguments["feature_range"] = config.feature_range
    parameters = config_parameters(config)
    defaults = {} if config.member == Algorithm.CUSTOM else find(config.member).preprocessing
    is_sorf = config.update.is_sorf
    preprocessing = config.preprocessing.options(parameters, defaults, is_sorf=is_sorf)
    return {**arguments, **preprocessing, **parameters}


def config_parameters(config: Settings) -> dict[str, Any]:
    """The algorithm's own parameters by public name; those of a composition include its parts."""
    if config.member == Algorithm.CUSTOM:
        chosen: dict[str, Any] = {axis: config.parts[axis] for axis in DEFAULT_PARTS}
    else:
        chosen = _chosen_options(config, find(config.member))
    public = config.public
    numbers = {
        public.get(name, name): shown(name, value)
        for name, value in config.values.items()
        if name not in (*OPTIONS, LOOKAHEAD)
    }
    return {**chosen, **numbers, **_shown_lists(config)}


def _chosen_options(config: Settings, method: Method) -> dict[str, Any]:
    """The chosen option of each parameter that selects parts."""
    chosen = {}
    for name, options in method.choices.items():
        # The option with most parts wins: an option without parts matches every configuration.
        fitting = [
            (len(parts), option)
            for option, parts in options.items()
            if all(config.parts[axis] == part for axis, part in parts.items())
        ]
        if fitting:
            chosen[name] = max(fitting, key=lambda pair: pair[0])[1]
    return chosen


def _shown_lists(config: Settings) -> dict[str, Any]:
    """Parameters with several numbers that are not at their defaults."""
    widths = tuple(numbers for name, numbers in config.lists.items() if name.startswith("widths"))
    nested = {"widths": widths[0] if len(widths) == 1 else widths} if widths else {}
    others = {n: config.lists[n] for n in ("blends", "interval") if n in config.lists}
    return {**nested, **others}


def config_call(config: Settings, name: str) -> str:
    """The call of ``name`` that creates this configuration, for ``import edgeolk as ek``."""
    first = [] if config.member == Algorithm.CUSTOM else [repr(config.name)]
    options = config_arguments(config)
    return f"{name}({', '.join([*first, *(_argument(name, options[name]) for name in options)])})"


def _argument(name: str, value: Any) -> str:
    if isinstance(value, IntEnum):
        return f"{name}=ek.{type(value).__name__}.{value.name}"
    return f"{name}=ek.{value!r}" if isinstance(value, Kernel) else f"{name}={value!r}"
