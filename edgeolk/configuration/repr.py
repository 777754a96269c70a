"""A configuration as the arguments that create it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.settings import Settings
from edgeolk.parts.kernels import Kernel
from edgeolk.parts.methods import find
from edgeolk.parts.numbers import Algorithm

#: The order in which a call names the arguments of all learners.
_ORDER = (
    *("n_features", "budget", "kernel", "dtype", "coefficients", "n_classes", "seed", "sparse"),
    *("on_bad_row", "checksums", "lookahead", "feature_range"),
)


def config_arguments(config: Settings) -> dict[str, Any]:
    """All arguments except the algorithm; those at a constant default are omitted."""
    found: dict[str, Any] = {
        "n_features": config.n_features,
        "budget": config.budget,
        "kernel": config.kernel,
        "dtype": config.dtype.name.lower(),
        **FAMILIES[config.family].arguments(config),
    }
    if config.columns > 1:
        found["n_classes"] = config.columns
    if config.seed:
        found["seed"] = config.seed
    if config.skips_bad_rows:
        found["on_bad_row"] = "skip"
    if config.checksums:
        found["checksums"] = True
    parameters = config_parameters(config)
    method = None if config.member == Algorithm.CUSTOM else find(config.member)
    own = {*parameters, *(method.aliases if method else ())}
    preprocessing = config.preprocessing.options(
        own, method.preprocessing if method else {}, may_follow=config.may_follow
    )
    ordered = {name: found[name] for name in _ORDER if name in found}
    return {**ordered, **preprocessing, **parameters}


def config_parameters(config: Settings) -> dict[str, Any]:
    """The algorithm's own parameters by name; those of a composition include its parts."""
    return FAMILIES[config.family].parameters(config)


def config_call(config: Settings, name: str) -> str:
    """The call of ``name`` that creates this configuration, for ``import edgeolk as ek``."""
    first = [] if config.member == Algorithm.CUSTOM else [repr(config.name)]
    options = config_arguments(config)
    return f"{name}({', '.join([*first, *(_argument(name, options[name]) for name in options)])})"


def _argument(name: str, value: Any) -> str:
    if isinstance(value, IntEnum):
        return f"{name}=ek.{type(value).__name__}.{value.name}"
    return f"{name}=ek.{value!r}" if isinstance(value, Kernel) else f"{name}={value!r}"
