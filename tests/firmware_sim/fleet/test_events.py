"""What a fleet tells Dask and Prometheus while it runs."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleets import write_fleet

from firmware_sim.fleet import Board, read_configurations, read_manifest, run_fleet
from firmware_sim.fleet.cluster import TOPIC, _counters

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "fleet" / "events.py"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler and a worker, both in this process."""
    distributed = pytest.importorskip("distributed")
    made = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    yield made
    made.close()


def told(cluster: Any) -> list[dict[str, Any]]:
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        return [event for _, event in client.get_events(TOPIC)]


def fleet_of(folder: Path, too_small: str) -> tuple[list[Board], Any]:
    manifest, configs = write_fleet(folder, boards=3)
    if too_small:
        configs.write_text(configs.read_text() + f'[{too_small}]\nram = "64"\n')
    return read_manifest(str(manifest)), read_configurations(configs)


def test_a_board_is_an_event(tmp_path: Path, cluster: Any) -> None:
    before = len(told(cluster)) if TOPIC in cluster.scheduler.get_events() else 0
    boards, configurations = fleet_of(tmp_path, "tiny")
    found = run_fleet(boards, configurations, tmp_path / "out", scheduler=cluster.scheduler_address)
    first, *middle, last = told(cluster)[before:]
    assert first == {"event": "started", "boards": 3, "workers": 1}
    assert last == {"event": "ended", "boards_left": 0}
    assert sorted(one["board"] for one in middle) == ["board0", "board1", "board2"]
    assert sum(one["rows"] for one in middle) == found.rows > 0
    assert all(list(one["failed"]) == ["tiny"] and one["failed"]["tiny"] for one in middle)
    assert all(one["seconds"] > 0.0 and one["stream"].endswith(".csv") for one in middle)


def test_a_board_that_is_lost_is_an_event(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards, configurations = fleet_of(tmp_path, "")

    def fails(*_: object) -> None:
        raise RuntimeError("no more room")

    monkeypatch.setattr("firmware_sim.fleet.cluster.replay_task", fails)
    run_fleet(boards[:1], configurations, tmp_path / "out", scheduler=cluster.scheduler_address)
    assert told(cluster)[-2:] == [
        {"event": "lost", "board": "board0", "reason": "RuntimeError: no more room"},
        {"event": "ended", "boards_left": 0},
    ]


def test_workers_count_for_prometheus(tmp_path: Path, cluster: Any) -> None:
    pytest.importorskip("prometheus_client")

    def counted() -> dict[str, float]:
        (worker,) = cluster.workers.values()
        address = f"http://127.0.0.1:{worker.http_server.port}/metrics"
        with urllib.request.urlopen(address) as page:
            lines = page.read().decode().splitlines()
        own = [line.split() for line in lines if line.startswith("firmware_sim")]
        return {name: float(value) for name, value in own}

    before = counted()
    boards, configurations = fleet_of(tmp_path, "")
    found = run_fleet(boards, configurations, tmp_path / "out", scheduler=cluster.scheduler_address)
    after = counted()
    name = 'firmware_sim_boards_total{status="done"}'
    assert after[name] - before.get(name, 0.0) == 3
    name = "firmware_sim_rows_total"
    assert after[name] - before.get(name, 0.0) == found.rows


def test_the_example_prints_them(tmp_path: Path, cluster: Any) -> None:
    boards, configurations = fleet_of(tmp_path, "")
    run_fleet(boards, configurations, tmp_path / "out", scheduler=cluster.scheduler_address)
    command = [sys.executable, str(EXAMPLE), cluster.scheduler_address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [json.loads(process.stdout.readline()) for _ in told(cluster)]
        process.kill()
    assert [one["event"] for one in lines[-5:]] == ["started", *["board"] * 3, "ended"]
    assert [one["time"] for one in lines] == sorted(one["time"] for one in lines)


def test_without_prometheus_there_are_no_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    assert _counters.__wrapped__() is None
