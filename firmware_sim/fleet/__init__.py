"""A thousand boards at once: many streams, several configurations each, on Dask.

Design: one pure function, `replay_task`, reads a stream once and replays its rows with the learner
of each configuration. It returns a record for each configuration, under a key made of the stream's
content, the configuration and the library's version. Records are appended to a journal as they
arrive, so that an interrupted run continues with the missing ones. Dask handles distribution,
retries and the loss of workers; even the scheduler may be lost, since the journal is the only
state.
"""

from firmware_sim.fleet.configurations import Configuration, read_configurations
from firmware_sim.fleet.manifest import Board, read_manifest
from firmware_sim.fleet.run import Fleet, run_fleet
from firmware_sim.fleet.task import Task, replay_task

__all__ = [
    "Board",
    "Configuration",
    "Fleet",
    "Task",
    "read_configurations",
    "read_manifest",
    "replay_task",
    "run_fleet",
]
