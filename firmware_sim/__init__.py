"""Replay sensor streams through a firmware main loop under a strict RAM cap.

>>> import firmware_sim as fs
>>> result = fs.replay(fs.ReplayConfig("occupancy", ram="16KiB", algorithm="rbp", limit=200))
>>> result.layout.end <= 16 * 1024
True
"""

from firmware_sim.config import ReplayConfig
from firmware_sim.errors import DoesNotFitError, SimulatorError, StreamError
from firmware_sim.loop import ReplayResult, replay
from firmware_sim.report import write_report
from firmware_sim.streams import Stream

__all__ = [
    "DoesNotFitError",
    "ReplayConfig",
    "ReplayResult",
    "SimulatorError",
    "Stream",
    "StreamError",
    "replay",
    "write_report",
]
