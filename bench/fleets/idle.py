"""The processor time of an idle cluster, as a share of a core; other work does not count."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import psutil

from firmware_sim.fleet.cluster import Cluster

_SECONDS = 10.0
_WORKERS = 2


def shares() -> dict[str, float]:
    """Return the share of a core that scheduler and workers take, by whose settings they have."""
    distributed: Any = import_module("distributed")
    usual: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    # Dask's own first: ours stay set in this process.
    return {
        "Dask's settings": _share(
            distributed.LocalCluster(n_workers=_WORKERS, host="127.0.0.1", **usual)
        ),
        "ours": _share(Cluster(workers=_WORKERS)),
    }


def _share(cluster: AbstractContextManager[Any]) -> float:
    with cluster:
        time.sleep(2.0)  # until all have started
        own = psutil.Process(os.getpid())
        processes = [own, *own.children(recursive=True)]
        began, before = time.perf_counter(), _seconds(processes)
        time.sleep(_SECONDS)
        return (_seconds(processes) - before) / (time.perf_counter() - began)


def _seconds(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)
