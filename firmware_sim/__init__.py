"""Replay sensor streams through a firmware main loop under a strict RAM cap.

>>> import firmware_sim as fs
>>> result = fs.replay(fs.ReplayConfig("occupancy", ram="16KiB", algorithm="rbp", limit=200))
>>> result.layout.end <= 16 * 1024
True

Names are loaded when first used: the learner's process (`containment.child`) has no numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firmware_sim.comparison import compare
    from firmware_sim.comparison.tuning import tune
    from firmware_sim.configuration.config import ReplayConfig
    from firmware_sim.deployment.board_script import write_script
    from firmware_sim.deployment.model_file import save_model
    from firmware_sim.errors import (
        BeyondCapError,
        DoesNotFitError,
        LearnerDiedError,
        SimulatorError,
        StreamError,
    )
    from firmware_sim.replaying.loop import Replay, replay
    from firmware_sim.replaying.result import ReplayResult
    from firmware_sim.report import write_report
    from firmware_sim.streams import Stream

__all__ = [
    "BeyondCapError",
    "DoesNotFitError",
    "LearnerDiedError",
    "Replay",
    "ReplayConfig",
    "ReplayResult",
    "SimulatorError",
    "Stream",
    "StreamError",
    "compare",
    "replay",
    "save_model",
    "tune",
    "write_report",
    "write_script",
]

_HOMES = {
    "deployment.board_script": ("write_script",),
    "comparison": ("compare",),
    "configuration.config": ("ReplayConfig",),
    "errors": (
        *("BeyondCapError", "DoesNotFitError", "LearnerDiedError"),
        *("SimulatorError", "StreamError"),
    ),
    "replaying.loop": ("Replay", "replay"),
    "replaying.result": ("ReplayResult",),
    "deployment.model_file": ("save_model",),
    "report": ("write_report",),
    "streams": ("Stream",),
    "comparison.tuning": ("tune",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"firmware_sim.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'firmware_sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
