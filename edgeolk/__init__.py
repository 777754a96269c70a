"""Online learning with kernels in fixed memory.

Names are loaded when first used: a process that runs the engine without numpy (``edgeolk.bare``)
never imports numpy.
"""

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeolk.checkpointer import Checkpointer
    from edgeolk.configuration.config import Config, plan
    from edgeolk.configuration.plan import Plan, parse_bytes
    from edgeolk.configuration.regions import Region
    from edgeolk.core.variants import available_simd, simd
    from edgeolk.errors import BadRowError, BudgetError
    from edgeolk.export import export_c
    from edgeolk.gamma import gamma_from
    from edgeolk.learner import Averaged, Learner, attach
    from edgeolk.loading import load
    from edgeolk.parts import (
        Algorithm,
        Averaging,
        Basis,
        Loss,
        Policy,
        Projection,
        Sampling,
        Schedule,
        Update,
    )
    from edgeolk.parts.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid
    from edgeolk.parts.methods import algorithms
    from edgeolk.rows.scoring import Scorer
    from edgeolk.scaling import RunningScaler, ScalerPlan
    from edgeolk.windows import Windows, WindowsPlan, windows_plan

__all__ = [
    "Algorithm", "Averaged", "Averaging", "BadRowError", "Basis", "BudgetError", "Checkpointer",
    "Config", "Gaussian", "Kernel", "Laplacian", "Learner", "Linear", "Loss", "Plan", "Policy",
    "Polynomial", "Projection", "Region", "RunningScaler", "Sampling", "ScalerPlan", "Schedule",
    "Scorer", "Sigmoid", "Update", "Windows", "WindowsPlan", "algorithms", "attach",
    "available_simd", "export_c", "gamma_from", "load", "parse_bytes", "plan", "simd",
    "windows_plan",
]  # fmt: skip



def _is_compiled(folders: list[str]) -> bool:
    core = [f"{folder}/core" for folder in folders]
    return PathFinder.find_spec("edgeolk.core.arena", core) is not None


def _use_installed() -> None:
    """Take the modules of an installed package in place of a source tree that is not compiled.

    The folder from which a program runs, such as a clone, precedes installed packages.
    """
    for entry in sys.path:
        spec = PathFinder.find_spec("edgeolk", [entry])
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        if folders and _is_compiled(folders):
            from warnings import warn

            warn(
                f"edgeolk in {__path__[0]} is a source tree without compiled modules: those"
                f" installed in {folders[0]} are used",
                ImportWarning,
                stacklevel=3,
            )
            __path__[:] = folders
            return
    raise ImportError(
        f"edgeolk in {__path__[0]} is a source tree without compiled modules for this Python, and"
        " no other edgeolk is installed: run pip install . there, or pip install --editable . to"
        " change its code"
    )


if not _is_compiled(list(__path__)):
    _use_installed()

from edgeolk.version import __version__ as __version__  # noqa: E402 - of the modules in use

_HOMES = {
    "rows.scoring": ("Scorer",),
    "checkpointer": ("Checkpointer",),
    "core.variants": ("available_simd", "simd"),
    "errors": ("BadRowError", "BudgetError"),
    "export": ("export_c",),
    "configuration.config": ("Config", "plan"),
    "configuration.plan": ("Plan", "parse_bytes"),
    "configuration.regions": ("Region",),
    "gamma": ("gamma_from",),
    "learner": ("Averaged", "Learner", "attach"),
    "loading": ("load",),
    "parts": (
        *("Algorithm", "Averaging", "Basis", "Loss", "Policy"),
        *("Projection", "Sampling", "Schedule", "Update"),
    ),
    "parts.methods": ("algorithms",),
    "parts.kernels": ("Gaussian", "Kernel", "Laplacian", "Linear", "Polynomial", "Sigmoid"),
    "scaling": ("RunningScaler", "ScalerPlan"),
    "windows": ("Windows", "WindowsPlan", "windows_plan"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"edgeolk.{home}"), name)
            globals()[name] = value
            return value
    if name in ("parts", "reference", "river", "sklearn"):
        return import_module(f"edgeolk.{name}")
    hint = ""
    if not name.startswith("_"):
        from edgeolk.errors import suggest

        hint = suggest(name, __all__)
    raise AttributeError(f"module 'edgeolk' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(__all__)
