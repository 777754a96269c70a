"""Live reports of a fleet: events on Dask's scheduler, counters for Prometheus."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from firmware_sim.fleet.task import Record, Task

#: The topic of the events, for ``Client.subscribe_topic`` and ``Client.get_events``.
TOPIC = "firmware_sim"


def finished(task: Task, records: Sequence[Record], seconds: float) -> dict[str, Any]:
    """The event of a board whose stream was replayed; ``failed`` gives reasons by configuration."""
    return {
        "event": "board",
        "board": task.board.device,
        "stream": task.board.stream,
        "rows": sum(int(one.figures.get("rows_used") or 0) for one in records),
        "seconds": seconds,
        "failed": {one.configuration: one.detail for one in records if one.status != "done"},
    }


def tell(task: Task, records: Sequence[Record], seconds: float) -> None:
    """Tell of a finished board where this process is a worker of Dask; elsewhere do nothing."""
    dask = sys.modules.get("distributed")
    try:
        worker: Any = dask.get_worker() if dask is not None else None
    except ValueError:  # this process is no worker
        return
    if worker is None:
        return
    event = finished(task, records, seconds)
    worker.log_event(TOPIC, event)
    if (counters := _counters()) is not None:
        boards, rows = counters
        boards.labels("failed" if event["failed"] else "done").inc()
        rows.inc(event["rows"])


@cache
def _counters() -> tuple[Any, Any] | None:
    """The counters on a worker's ``/metrics``, which Dask serves if there is a client for it."""
    try:
        from prometheus_client import Counter
    except ImportError:
        return None
    return (
        Counter("firmware_sim_boards", "Boards replayed; failed if a learner failed", ["status"]),
        Counter("firmware_sim_rows", "Rows replayed, each counted for each learner"),
    )
