"""The learner in a child process that may not grow once the learner is built.

The parent parses and scales; the child, which has no numpy, learns. Rows go over in blocks and
scores come back. The limit on the child's growth is the first of these that the system allows: a
memory control group, a seccomp filter, RLIMIT_AS.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import pickle
import re
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from firmware_sim.containment import child
from firmware_sim.containment.cgroup import SLACK, MemoryGroup
from firmware_sim.errors import BeyondCapError, LearnerDiedError, SimulatorError

_ROOT = str(Path(__file__).resolve().parents[2])
#: Have the C library's allocator keep to one heap: it then asks for no more than it needs, makes no
#: mappings, and gives nothing back that it would have to ask for again.
_ENVIRONMENT = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TOP_PAD_": "0",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
}
#: Seconds without an answer after which the child is given up: a block takes milliseconds.
PATIENCE = 60.0
#: Windows has neither pipes that can be polled nor one of the limits. Its Job Objects bound what a
#: process commits; Wine, on which this is tried, does not hold to them.
_NOT_HERE = (
    "--enforce process: processes cannot be limited here: there is no memory control group, no"
    " seccomp filter and no RLIMIT_AS, and Job Objects are not used; --enforce arena keeps the cap"
    " by guard pages"
)
_NAMES = {"cgroup": "memory control group", "seccomp": "seccomp filter", "rlimit": "RLIMIT_AS"}


class ProcessLearner:
    """A learner in a process of its own, under a limit.

    n_features: numbers in a row.
    settings: what `edgeolk.bare.BareLearner` takes besides.
    limit ({"auto", "cgroup", "seccomp", "rlimit"}): the limit to use; "auto" for the first that can
        be had.
    leak: bytes to leak on purpose every step.
    patience: seconds without an answer after which the child is given up.
    kind: the kind of labels.
    saved: a model file to go on from; empty for a new model.
    limit: the limit in force, in words.
    reasons: why stronger ones are not.
    peak: peak resident memory of the child in bytes, as last seen.
    gone: whether the child has ended, or gives no answer.
    width: numbers that come back for a row.
    candidates: what a forecaster mixes its answers of.
    Raises SimulatorError: the learner is refused, or the limit cannot be had.
    Raises OSError: the system starts no process.
    """

    def __init__(
        self,
        n_features: int,
        settings: dict[str, Any],
        limit: str = "auto",
        leak: int = 0,
        patience: float = PATIENCE,
        *,
        kind: str = "binary",
        saved: bytes = b"",
    ) -> None:
        if not hasattr(select, "poll"):
            raise SimulatorError(_NOT_HERE)
        self.peak, self.gone, self.limit = 0, False, ""
        self._patience = patience
        self._group: MemoryGroup | None = None
        self._child = _started()
        assert isinstance(self._child.stdin, io.FileIO)
        assert isinstance(self._child.stdout, io.FileIO)
        self._to, self._from = self._child.stdin, self._child.stdout
        try:
            self._group, refusal = _group_for(limit, self._child.pid)
            # Neither end may wait for ever: the child may be stopped.
            os.set_blocking(self._to.fileno(), False)
            os.set_blocking(self._from.fileno(), False)
            said = {
                "learner": {"n_features": n_features, **settings},
                "limit": limit if self._group is None else "cgroup",
                "leak": leak,
                "kind": kind,
                "saved": saved,
            }
            self._write(child.packed(said))
            self._read_greeting(refusal)
        except BaseException:
            self.close()
            raise

    def _read_greeting(self, refusal: str) -> None:
        (size,) = struct.unpack("=q", self._read(8))
        greeting = pickle.loads(self._read(size))  # our own child wrote it
        if "error" in greeting:
            raise SimulatorError(f"--enforce process: {greeting['error']}")
        self.reasons = "; ".join(filter(None, (refusal, greeting["reasons"])))
        if greeting["limit"] == "none":
            raise SimulatorError(f"processes cannot be limited here: {self.reasons}")
        self.limit = _NAMES[greeting["limit"]]
        self._nbytes = int(greeting["nbytes"])
        self.width = int(greeting["width"])
        self.candidates = tuple(greeting["candidates"])
        if self._group is not None:
            try:
                self._group.close()
            except OSError as error:
                raise SimulatorError(f"no memory control group: {error.strerror}") from None
            self.limit += f" version {self._group.version}, {SLACK // 1024} KiB of slack"
        self._look()

    def learn(self, rows: Any, labels: Any) -> tuple[list[float], str]:
        """Learn at most `child.BLOCK` rows.

        rows: contiguous ndarray of float64, shape (n, n_features)
        labels: contiguous ndarray of float64, shape (n,)
        Raises BeyondCapError: the limit has ended the child.
        Raises LearnerDiedError: something else has, or it gives no answer.

        Returns scores: from before each update, each followed by its threshold where there are no
            labels, by reach and shares where it is a forecast; of fewer rows where one was refused.
        Returns message: "stop:..." where the ring refuses the row, "refuse:..." where the row is
            bad, or "".
        """
        n = len(labels)
        answer = self._asked(n, child.ANSWER.size, labels[:n].tobytes(), rows[:n].tobytes())
        done, length = child.ANSWER.unpack(answer)
        numbers = self.width * done
        scores = struct.unpack(f"={numbers}d", self._read(8 * numbers))
        message = self._read(length).decode()
        self._look()
        return list(scores), message

    def decide(self, row: Any) -> float:
        """Score a row, a contiguous ndarray of float64: with several classes, the one predicted.

        Raises ValueError: the row is bad.
        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        return self._answer(child.DECIDE, row)

    def wants(self, row: Any) -> bool:
        """Say whether the learner wants the label of a row; raises as `decide`."""
        return bool(self._answer(child.ASK, row))

    def forecast(self, row: Any) -> list[float]:
        """Forecast a row, which waits for its target: the forecast, reach and shares.

        Raises ValueError: the row is bad.
        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        return self._answers(child.FORECAST, self.width, row.tobytes())

    def tell(self, target: float | None) -> None:
        """Tell the target of the row that waits longest, None where it never comes.

        Raises ValueError: the learner rejects it.
        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        self._answers(child.TELL, 1, struct.pack("=d", math.nan if target is None else target))

    def restart(self) -> None:
        """Have the learner forget the history; raises as `counters`."""
        self._answers(child.RESTART, 1)

    @property
    def n_waiting(self) -> int:
        """Rows that wait for their target; raises as `counters`."""
        return int(self._answers(child.WAITING, 1)[0])

    def _answer(self, question: int, row: Any) -> float:
        return self._answers(question, 1, row.tobytes())[0]

    def _answers(self, question: int, numbers: int, *parts: bytes) -> list[float]:
        answer = struct.unpack(f"={numbers}d", self._asked(question, 8 * numbers, *parts))
        if math.isnan(answer[0]):
            raise ValueError("the learner rejects the row or its target")
        return list(answer)

    def counters(self) -> dict[str, int]:
        """Support vectors held, updates, mistakes and steps.

        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        counts = child.COUNTS.unpack(self._asked(0, child.COUNTS.size))
        return dict(zip(child.COUNTERS, counts, strict=True))

    def block(self) -> bytearray:
        """Return the learner's block as it lies in the child.

        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        return self._asked(child.SEND, self._nbytes)

    def _asked(self, question: int, nbytes: int, *parts: bytes) -> bytearray:
        """Send a question; return the first bytes of the answer."""
        for part in (struct.pack("=q", question), *parts):
            self._write(part)
        return self._read(nbytes)

    def _look(self) -> None:
        """Remember the child's peak: the kernel forgets it when the child ends."""
        self.peak = max(self.peak, int(self._status(r"VmHWM:\s*(\d+) kB") or 0) * 1024)

    def _status(self, pattern: str) -> str:
        """Return what the system says of the child; empty where it says nothing."""
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{self._child.pid}/status").read_text()
            found = re.search(pattern, text)
            return found[1] if found else ""
        return ""

    def _write(self, data: bytes) -> None:
        """Write all of it, or say what became of the child."""
        view = memoryview(data)
        deadline = time.monotonic() + self._patience
        while view:
            self._wait(self._to, select.POLLOUT, deadline)
            try:
                view = view[self._to.write(view) or 0 :]
            except BrokenPipeError:
                raise self._died() from None

    def _read(self, nbytes: int) -> bytearray:
        """Return so many bytes, or say what became of the child."""
        data = bytearray(nbytes)
        view = memoryview(data)
        deadline = time.monotonic() + self._patience
        while view:
            self._wait(self._from, select.POLLIN, deadline)
            got = self._from.readinto(view)
            if got == 0:
                raise self._died()
            view = view[got or 0 :]
        return data

    def _wait(self, pipe: io.FileIO, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(pipe, event)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1e3 * left):
            self.gone = True
            state = self._status(r"State:\s*\w+ \(([\w ]+)\)") or "gone"
            raise LearnerDiedError(
                f"the learner's process did not answer for {self._patience:g} s and was "
                f"terminated; it was {state}"
            )

    def _died(self) -> BeyondCapError | LearnerDiedError:
        """Tell a child that its limit ended from one that anything else did."""
        self.gone = True
        end = self._end()
        by_limit = {
            _NAMES["seccomp"]: end == "SIGSYS",
            _NAMES["rlimit"]: end == "MemoryError",
            "": False,
        }.get(self.limit, end == "SIGKILL" and self._group is not None and self._group.killed)
        if by_limit:
            return BeyondCapError(
                f"the learner's process asked for more memory and was ended: {end}, "
                f"limit: {self.limit}"
            )
        when = "" if self.limit else " before it was ready"
        return LearnerDiedError(f"the learner's process was ended{when}: {end}")

    def _end(self) -> str:
        self._to.close()
        code = self._child.wait()
        if code == child.OUT_OF_MEMORY:
            return "MemoryError"
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def __del__(self) -> None:
        if hasattr(self, "_from"):  # absent where no child was started
            self.close()

    def close(self) -> None:
        """End the child and remove its group; nothing happens the second time."""
        self.gone = True
        self._to.close()
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._from.close()
        if self._group is not None:  # whose processes have ended
            self._group.remove()
            self._group = None


def _started() -> subprocess.Popen[bytes]:
    """Start a child that waits for its learner."""
    path = os.environ.get("PYTHONPATH")
    return subprocess.Popen(
        [sys.executable, "-m", "firmware_sim.containment.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,  # Ctrl-C is for the parent, which then tells the child
        env={
            **os.environ,
            **_ENVIRONMENT,
            "PYTHONPATH": _ROOT + (os.pathsep + path if path else ""),
        },
    )


def _group_for(limit: str, pid: int) -> tuple[MemoryGroup | None, str]:
    """Put a process into a group of its own; return that, or why there is none."""
    if limit not in ("auto", "cgroup"):
        return None, ""
    group = None
    try:
        group = MemoryGroup()
        group.enter(pid)
    except OSError as error:
        if group is not None:
            group.remove()
        why = error.strerror or str(error)
        if limit == "cgroup":
            raise SimulatorError(f"no memory control group: {why}") from None
        return None, f"cgroup: {why}"
    return group, ""
