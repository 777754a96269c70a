"""A cluster's own processes, and what becomes of tasks whose worker or scheduler is lost."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleets import write_fleet

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet import read_configurations, read_manifest, run_fleet
from firmware_sim.fleet.cluster import Cluster, Done, DurationEstimate, _Bundle

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with a worker, both in this process."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as made:  # fmt: skip
        yield made.scheduler_address


@pytest.fixture
def cluster(scheduler: str) -> Iterator[Cluster]:
    with Cluster(scheduler) as made:
        yield made


# ---- connecting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1:8786", "tcp://127.0.0.1", "http://host:80", ""])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(SimulatorError, match="it must be as in tcp://"):
        Cluster(address)


def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hurried(distributed.Client):  # type: ignore[misc]
        """Nobody answers in five seconds either."""

        def __init__(self, address: str, timeout: float, **more: Any) -> None:
            super().__init__(address, timeout=timeout / 20, **more)

    monkeypatch.setattr(distributed, "Client", Hurried)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        with pytest.raises(SimulatorError, match=f"no Dask scheduler answers at .*:{port}"):
            Cluster(f"tcp://127.0.0.1:{port}", patience=0.0)


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SimulatorError, match=r"pip install 'edgeolk\[fleet\]'; --workers 1"):
        Cluster()


def test_a_local_cluster_does_what_one_process_does(tmp_path: Path) -> None:
    manifest, configs = write_fleet(tmp_path, boards=2)
    boards, configurations = read_manifest(str(manifest)), read_configurations(configs)
    found = [
        run_fleet(boards, configurations, tmp_path / str(workers), workers=workers)
        for workers in (1, 2)
    ]
    one, two = ((tmp_path / name / "records.jsonl").read_bytes() for name in ("1", "2"))
    assert one == two
    assert found[0].rows == found[1].rows > 0


# ---- tasks that are lost -------------------------------------------------------------------------


class Future:
    """A bundle that ended with an error, as Dask returns it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def result(self, timeout: float) -> Any:
        raise self.error


def killed() -> Exception:
    error: Exception = distributed.scheduler.KilledWorker("task", None, 3)
    return error


def ended(cluster: Cluster, bundle: _Bundle, error: Exception) -> tuple[list[Done], list[_Bundle]]:
    """What is done after a bundle ended with an error, and what is tried again."""
    again: list[_Bundle] = []
    done = [*cluster._results_of(Future(error), bundle, again, DurationEstimate())]
    return done, again


@pytest.mark.parametrize(
    "error",
    [distributed.CancelledError(), distributed.comm.CommClosedError(), TimeoutError()],
    ids=repr,
)
def test_a_lost_scheduler_costs_no_attempt(cluster: Cluster, error: Exception) -> None:
    bundle: Any = _Bundle(["a", "b"])  # type: ignore[list-item]
    attempts = bundle.attempts
    assert ended(cluster, bundle, error) == ([], [bundle])
    assert (bundle.tasks, bundle.attempts) == (["a", "b"], attempts)


def test_a_bundle_that_killed_its_worker_is_tried_task_by_task(cluster: Cluster) -> None:
    bundle: Any = _Bundle(["a", "b", "c"])  # type: ignore[list-item]
    done, again = ended(cluster, bundle, killed())
    assert not done
    assert [one.tasks for one in again] == [["a"], ["b"], ["c"]]


def test_a_task_that_kills_its_worker_each_time_is_given_up(cluster: Cluster) -> None:
    bundle: Any = _Bundle(["a"])  # type: ignore[list-item]
    for _ in range(2):
        assert ended(cluster, bundle, killed()) == ([], [bundle])
    done, again = ended(cluster, bundle, killed())
    assert not again
    assert [(one.task, one.lost) for one in done] == [
        ("a", "its worker died whenever it was tried")
    ]


def test_a_task_that_fails_is_not_tried_again(cluster: Cluster) -> None:
    """Dask itself has retried it."""
    bundle: Any = _Bundle(["a"])  # type: ignore[list-item]
    done, again = ended(cluster, bundle, MemoryError("no more room"))
    assert not again
    assert [one.lost for one in done] == ["MemoryError: no more room"]
