"""Rows a second of a fleet against one plain loop over `replay`, and the cost of Dask.

The things compared take turns, a few streams at a time, so that other work on the machine slows
both. Run as ``python -m bench.fleets [STREAMS]``; without a number of streams the figures are
written to ``bench/results/fleets.md``.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

import firmware_sim as fs
from bench.fleets.streams import write
from bench.machine import sentence
from bench.table import Report
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import Board, Configuration, Task, read_configurations, read_manifest
from firmware_sim.fleet.cluster import Cluster
from firmware_sim.fleet.run import run_fleet
from firmware_sim.fleet.task import Record, digest, replay_task

_SECONDS = 10.0
_WORKERS = 2
_TURNS = 8
#: Of one worker against two: of short ones the last bundle, done while a worker waits, is too much.
_LONG_TURNS = 4


def loop(boards: list[Board], configurations: list[Configuration]) -> int:
    """Replay one after the other, as a user's loop would; return the rows learned."""
    rows = 0
    for board in boards:
        for one in configurations:
            try:
                rows += fs.replay(one.on(board.path, board.options)).rows.used
            except SimulatorError:
                continue
    return rows


def tasks(boards: list[Board], configurations: list[Configuration]) -> list[Task]:
    """Return a task for each board."""
    return [Task(board, *digest(board.path), tuple(configurations)) for board in boards]


def learned(records: list[Record]) -> int:
    """Return the rows learned."""
    return sum(int(one.figures.get("rows_used") or 0) for one in records)


def main() -> None:
    """Measure and print."""
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    found: list[str] = []

    def say(text: str) -> None:
        print(text, flush=True)
        found.append(f"- {text}")

    for whose, share in shares().items():
        say(f"a cluster of 2 workers that waits, {whose}: {100 * share:.1f} % of a core")
    with TemporaryDirectory() as made:
        folder = Path(made)
        manifest, configs = write(folder, streams)
        boards = read_manifest(str(manifest))
        configurations = read_configurations(configs)
        say(_against_loops(boards, configurations))
        for text in _workers(boards, configurations):
            say(text)
        fleet = run_fleet(boards, configurations, folder / "out", workers=2)
        rest = 1.0 - fleet.busy / (fleet.seconds * fleet.workers)
        say(
            f"{streams:,} streams x {len(configurations)} configurations on 2 workers: "
            f"{fleet.rows:,} rows in {fleet.seconds:.1f} s, {fleet.rows / fleet.seconds:,.0f} a "
            f"second; {100 * rest:.1f} % not in tasks; {len(fleet.failed)} failed"
        )
    if len(sys.argv) == 1:
        about = "\n".join(["`python -m bench.fleets`", "", f"{sentence()}.", "", *found])
        Report("Fleets", about, []).save("fleets")


def _against_loops(boards: list[Board], configurations: list[Configuration]) -> str:
    ratios, rates = [], []
    few = 3
    step = len(boards) // _TURNS
    for turn in range(_TURNS):
        some = boards[turn * step : turn * step + few]
        began = time.perf_counter()
        plain = loop(some, configurations) / (time.perf_counter() - began)
        began = time.perf_counter()
        rows = sum(learned(replay_task(task)) for task in tasks(some, configurations))
        once = rows / (time.perf_counter() - began)
        rates.append((plain, once))
        ratios.append(once / plain)
    plain, once = (statistics.median(one) for one in zip(*rates, strict=True))
    return (
        f"loop over replay {plain:,.0f} rows a second, reading once {once:,.0f}: "
        f"{statistics.median(ratios):.1f} times ({min(ratios):.1f} to {max(ratios):.1f})"
    )


def _workers(boards: list[Board], configurations: list[Configuration]) -> list[str]:
    """Two workers against one; and two plain processes, which say what the machine allows."""
    rounds: dict[str, list[float]] = {"2 workers": [], "2 plain processes": []}
    step = len(boards) // _LONG_TURNS
    with ExitStack() as stack:
        clusters = [stack.enter_context(Cluster(workers=n)) for n in (1, 2)]
        pools = [stack.enter_context(_pool(n)) for n in (1, 2)]
        for turn in range(_LONG_TURNS):
            some = tasks(boards[turn * step : (turn + 1) * step], configurations)
            works: dict[str, list[Callable[[], int]]] = {
                "2 workers": [partial(_by_cluster, cluster, some) for cluster in clusters],
                "2 plain processes": [partial(_by_pool, pool, some) for pool in pools],
            }
            for name, both in works.items():
                spent = []
                for work in both:
                    began = time.perf_counter()
                    assert work() == len(some)
                    spent.append(time.perf_counter() - began)
                rounds[name].append(spent[0] / spent[1])
    return [
        f"{name} against 1: {statistics.median(ratios):.2f} times "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
        for name, ratios in rounds.items()
    ]


def _pool(n: int) -> ProcessPoolExecutor:
    """Processes that have imported what they need."""
    pool = ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn"))
    wait([pool.submit(time.sleep, 0.5) for _ in range(n)])
    return pool


def _by_cluster(cluster: Cluster, some: list[Task]) -> int:
    return sum(1 for _ in cluster.work(list(some)))


def _by_pool(pool: ProcessPoolExecutor, some: list[Task]) -> int:
    return sum(1 for _ in pool.map(replay_task, some))


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


if __name__ == "__main__":
    main()
