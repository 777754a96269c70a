"""Signals as flags, and how the end of a process is told."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from firmware_sim.cli.processes import _death, interruption


def test_signals_are_those_of_the_main_thread() -> None:
    """In another thread there is a flag that stays false, and no handler is changed."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def inside() -> tuple[bool, list[object]]:
        with interruption() as asked:
            return bool(asked), [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(inside).result() == (False, before)


@pytest.mark.parametrize(
    ("code", "death"),
    [
        (-signal.SIGSEGV, "SIGSEGV"),
        (-signal.SIGTERM, None),
        (0xC0000005, "access violation"),
        (0xC0000005 - 2**32, "access violation"),
        (2, None),
    ],
)
def test_an_access_to_forbidden_memory_has_a_name(code: int, death: str | None) -> None:
    assert _death(code) == death
