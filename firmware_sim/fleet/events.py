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
    """Return the event of a replayed board; ``failed`` contains reasons by configuration."""
    return {
        "event": "board",
        "board": task.board.device,
        "stream": task.board.stream,
        "rows": sum(int(one.figures.get("rows_used") or 0) for one in records),
        "seconds": seconds,
        "failed": {one.configuration: one.detail for one in records if one.status != "done"},
    }


def tell(task: Task, records: Sequence[Record], seconds: float) -> None:
    """Log the event of a finished board, if this process is a Dask worker."""
    dask = sys.modules.get("distributed")
    try:
        worker: Any = dask.get_worker() if dask is not None else None
    except ValueError:  # this process is not a worker
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
    """Return the counters for a worker's ``/metrics``; None without prometheus_client."""
    try:
        from prometheus_client import Counter
    except ImportError:
        return None
    return (
        Counter("firmware_sim_boards", "Boards replayed; failed if a learner failed", ["status"]),
        Counter("firmware_sim_rows", "Rows replayed, each counted for each learner"),
    )
