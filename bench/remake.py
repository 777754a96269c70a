"""Make the pages of results that are older than their code: ``python -m bench.remake``.

It ends after about ``--minutes``: a page that is made by case is stopped then and continues in the
next run, another one is finished. It prints how long each page took, and what is left. Pages whose
subject is not time are made side by side, one per core.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from bench.machine import ROOT, here
from bench.older import PAGES, Page, older


def left(everything: bool) -> list[Page]:
    """The pages to be made: older than their code, or with everything not of this commit."""
    return [p for p in PAGES if (p.measured_on != [here()] if everything else older(p))]


def run(command: str, seconds: float | None) -> bool | None:
    """Whether a command succeeded; None if it was stopped, with all that it had started."""
    words = shlex.split(command)
    variables = {}
    while "=" in words[0]:
        name, _, variables[name] = words.pop(0).partition("=")
    words[0] = sys.executable
    started = subprocess.Popen(
        words, cwd=ROOT, env={**os.environ, **variables}, start_new_session=True
    )
    try:
        return started.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return None
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def make_one(page: Page, end: float) -> bool:
    """Make a page, or continue with it until the time is up; return whether its program failed."""
    began = time.monotonic()
    if began >= end:
        return False
    print(f"{page.path}: {page.command}, about {page.minutes} minutes", flush=True)
    done = run(page.command, end - began if page.by_case else None)
    how = {True: "made", False: "FAILED", None: "stopped, will continue"}[done]
    if done and older(page):
        how = "NOT made: something that it needs is not here,"
    print(f"{page.path}: {how} after {(time.monotonic() - began) / 60:.1f} minutes", flush=True)
    return done is False


def make(pages: Sequence[Page], minutes: float) -> int:
    """Make pages until the time is up; return how many failed.

    First those whose subject is not time, one per core, the longest first; then the others alone.
    """
    end = time.monotonic() + 60 * minutes
    beside = sorted((p for p in pages if not p.timed), key=lambda p: p.minutes, reverse=True)
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        failed = sum(cores.map(lambda page: make_one(page, end), beside))
    return failed + sum(make_one(page, end) for page in pages if page.timed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 1 if the program of a page failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.remake", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="until it ends (60)")
    parser.add_argument("--all", action="store_true", help="all pages that are not of this commit")
    given = parser.parse_args(arguments)
    failed = make(left(given.all), given.minutes)
    rest = left(given.all)
    for page in rest:
        print(f"left: {page.path}, {page.minutes} minutes: {page.command}")
    print(f"{len(rest)} of {len(PAGES)} pages are left, {sum(p.minutes for p in rest)} minutes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
