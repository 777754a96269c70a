"""Fleets on Dask: workers that die and a scheduler that starts anew change no record."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fleets import write_fleet

from firmware_sim.fleet import Board, read_configurations, read_manifest, run_fleet
from firmware_sim.fleet.cluster import TOPIC, Cluster, Done, InProcess, _counters, log_board
from firmware_sim.fleet.task import Task, digest

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="no dask.distributed here")

PATIENCE = 120.0


def start(stack: ExitStack, *words: str, log: Path) -> subprocess.Popen[bytes]:
    """Start a Python module; it is ended with the test, whatever becomes of that."""
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *words], stdout=file, stderr=file, start_new_session=True
        )
    stack.callback(end, process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started: it leads a group of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def fleet_words(folder: Path, out: str, *words: str) -> tuple[str, ...]:
    manifest, configs = str(folder / "manifest.csv"), str(folder / "configs.toml")
    out = str(folder / out)
    return ("firmware_sim", "fleet", manifest, "--configs", configs, "--out", out, *words)


def workers_of(pid: int) -> list[int]:
    """Return the worker processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    commands = {one: Path(f"/proc/{one}/cmdline").read_bytes() for one in found}
    return sorted(one for one, command in commands.items() if b"spawn_main" in command)


def lines(folder: Path, out: str) -> int:
    journal = folder / out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_for(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something is so, while a process runs."""
    for _ in range(int(PATIENCE / 0.02)):
        if ready():
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
            return
    raise AssertionError("it never was")


def records(folder: Path, out: str) -> bytes:
    return (folder / out / "records.jsonl").read_bytes()


def alone(folder: Path) -> bytes:
    words = fleet_words(folder, "alone", "--workers", "1")
    subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True)
    return records(folder, "alone")


def kill_a_worker(process: subprocess.Popen[bytes]) -> bool:
    there = workers_of(process.pid)
    if not there or process.poll() is not None:
        return False
    with suppress(ProcessLookupError):
        os.kill(there[0], signal.SIGKILL)
    return True


def run_and_kill(folder: Path, kills: int, every: int) -> None:
    """Run a fleet on two workers and kill one each time so many tasks are done."""
    with ExitStack() as stack:
        log = folder / "log.txt"
        words = fleet_words(folder, "killed", "--workers", "2", "--no-progress")
        process = start(stack, *words, log=log)
        killed = 0

        def kills_one() -> bool:
            # Just after a kill there may be no worker for a while.
            done = lines(folder, "killed") >= 1 + killed * every
            return done and kill_a_worker(process)

        while killed < kills:
            wait_for(kills_one, process)
            assert process.poll() is None, log.read_text(encoding="utf-8")
            killed += 1
        assert process.wait(PATIENCE) == 0, log.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_record(tmp_path):
    write_fleet(tmp_path, boards=12)
    run_and_kill(tmp_path, kills=1, every=1)
    assert records(tmp_path, "killed") == alone(tmp_path)


@pytest.mark.slow
def test_workers_killed_five_times_change_no_record(tmp_path):
    write_fleet(tmp_path, boards=200)
    run_and_kill(tmp_path, kills=5, every=20)
    assert records(tmp_path, "killed") == alone(tmp_path)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start_scheduler(stack: ExitStack, folder: Path, port: int) -> subprocess.Popen[bytes]:
    here = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    return start(stack, "dask", "scheduler", *here, log=folder / "scheduler.txt")


def start_worker(stack: ExitStack, folder: Path, port: int) -> subprocess.Popen[bytes]:
    here = ("--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny")
    scratch = ("--local-directory", str(folder / "scratch"), "--death-timeout", "60")
    address = f"tcp://127.0.0.1:{port}"
    return start(stack, "dask", "worker", address, *here, *scratch, log=folder / "workers.txt")


@pytest.mark.slow
def test_a_scheduler_that_starts_anew_changes_no_record(tmp_path):
    write_fleet(tmp_path, boards=150)
    port = free_port()
    with ExitStack() as stack:
        scheduler = start_scheduler(stack, tmp_path, port)
        for _ in range(2):
            start_worker(stack, tmp_path, port)
        words = fleet_words(tmp_path, "lost", "--scheduler", f"tcp://127.0.0.1:{port}")
        process = start(stack, *words, log=tmp_path / "log.txt")
        wait_for(lambda: lines(tmp_path, "lost") >= 5, process)
        assert process.poll() is None
        end(scheduler)
        start_scheduler(stack, tmp_path, port)
        for _ in range(2):  # workers end with their scheduler; what watches them starts new ones
            start_worker(stack, tmp_path, port)
        assert process.wait(PATIENCE) == 0, (tmp_path / "log.txt").read_text(encoding="utf-8")
    assert records(tmp_path, "lost") == alone(tmp_path)


@pytest.mark.slow
def test_an_address_that_is_none_is_told_in_one_line(tmp_path):
    write_fleet(tmp_path, boards=1)
    words = fleet_words(tmp_path, "none", "--quiet", "--scheduler", "nonsense://127.0.0.1:1")
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "as in tcp://" in done.stderr
    assert done.stderr.count("\n") == 1


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


@pytest.mark.slow
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


def tasks_of(folder: Path) -> list[Task]:
    boards, configurations = fleet_of(folder, "")
    return [Task(board, *digest(board.path), tuple(configurations[:1])) for board in boards]


def figures(found: Iterable[Done]) -> dict[str, Any]:
    return {one.task.board.device: one.records[0].loss for one in found}


def test_a_lost_connection_is_made_again(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    tasks, address = tasks_of(tmp_path), cluster.scheduler_address
    expected = figures(InProcess().work(tasks))
    attempts, client = [], distributed.Client

    def flaky(*words: Any, **more: Any) -> Any:
        attempts.append(1)
        if len(attempts) in (1, 3):
            raise OSError("connection refused")
        return client(*words, **more)

    monkeypatch.setattr(distributed, "Client", flaky)
    with Cluster(address) as connected:
        assert connected.dashboard.startswith("http://127.0.0.1:")
        connected._client.close()
        assert figures(connected.work(tasks)) == expected
    assert len(attempts) == 4


def test_tasks_in_flight_are_cancelled_when_a_run_stops(tmp_path: Path, cluster: Any) -> None:
    tasks, done = tasks_of(tmp_path), []
    with Cluster(cluster.scheduler_address) as connected:
        for one in connected.work(tasks, lambda: bool(done)):
            done.append(one)
    assert 1 <= len(done) < len(tasks)
    # A thread of the worker may still end its board.
    assert {"event": "ended", "boards_left": len(tasks) - len(done)} in told(cluster)[-4:]


def test_in_this_process_a_board_that_cannot_be_read_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_of(tmp_path)

    def fails(task: Task) -> list[Any]:
        if task is tasks[1]:
            raise OSError("the disk is gone")
        return []

    monkeypatch.setattr("firmware_sim.fleet.cluster.replay_task", fails)
    found = [one.lost for one in InProcess().work(tasks)]
    assert found == ["", "OSError: the disk is gone", ""]


@pytest.mark.parametrize("is_worker", [True, False])
def test_only_a_worker_logs_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_worker: bool
) -> None:
    logged: list[Any] = []
    worker = SimpleNamespace(log_event=lambda *event: logged.append(event))
    dask = SimpleNamespace(get_worker=lambda: worker) if is_worker else None
    monkeypatch.setitem(sys.modules, "distributed", dask)  # type: ignore[arg-type]
    monkeypatch.setattr("firmware_sim.fleet.cluster._counters", lambda: None)
    (task, *_) = tasks_of(tmp_path)
    log_board(task, [], 0.5)
    assert [(topic, event["board"]) for topic, event in logged] == [(TOPIC, "board0")] * is_worker
