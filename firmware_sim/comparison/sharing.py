"""Jobs shared out among processes that have rows and a configuration in common."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

#: Gives a function's result for each job, with the job's place, as they come.
Each = Callable[[Callable[..., Any], Sequence[Any]], Iterator[tuple[int, Any]]]

_shared: list[Any] = []


@contextmanager
def spread(
    workers: int, *shared: Any, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[Each]:
    """Give what calls functions with a job and what is shared, here or in processes.

    should_stop: asked between jobs; True ends them early.
    Raises BrokenProcessPool: one of the processes has died.
    """
    if workers == 1:

        def in_turn(function: Callable[..., Any], jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            for at, job in enumerate(jobs):
                if should_stop():
                    return
                yield at, function(job, *shared)

        yield in_turn
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=shared
    ) as pool:

        def together(
            function: Callable[..., Any], jobs: Sequence[Any]
        ) -> Iterator[tuple[int, Any]]:
            with _uninterrupted():
                left = {pool.submit(_call, function, job): at for at, job in enumerate(jobs)}
            while left:
                done, _ = wait(left, timeout=0.2, return_when="FIRST_COMPLETED")
                for future in done:
                    yield left.pop(future), future.result()
                if should_stop():
                    pool.shutdown(wait=True, cancel_futures=True)
                    return

        yield together


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C from processes started here: one that it ends as it imports is waited for."""
    if not hasattr(signal, "pthread_sigmask"):
        yield  # Windows holds no signals back
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(*shared: Any) -> None:
    """Begin a process: Ctrl-C is for the one that shares out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _shared[:] = shared


def _call(function: Callable[..., Any], job: Any) -> Any:
    return function(job, *_shared)
