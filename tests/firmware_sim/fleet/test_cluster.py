"""Fleets on Dask: workers that die and a scheduler that starts anew change no record."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from fleets import write_fleet

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


def test_an_address_that_is_none_is_told_in_one_line(tmp_path):
    write_fleet(tmp_path, boards=1)
    words = fleet_words(tmp_path, "none", "--quiet", "--scheduler", "nonsense://127.0.0.1:1")
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "as in tcp://" in done.stderr
    assert done.stderr.count("\n") == 1
