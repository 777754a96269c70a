"""The learner in a child process whose memory may not grow once the learner exists.

The parent parses and scales; the child, which does not import numpy, learns. The parent sends
blocks of rows and receives scores. The limit on the child's growth is the first of these that the
system allows: a memory control group, a seccomp filter, RLIMIT_AS.
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
#: Restrict the C library's allocator to one heap: it then requests only what it needs, creates no
#: mappings, and returns no memory that it would have to request again.
_ENVIRONMENT = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TOP_PAD_": "0",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
}
#: Seconds without an answer after which the child is terminated: a block takes milliseconds.
PATIENCE = 60.0
#: Windows has neither pipes that can be polled nor any of these limits. Its Job Objects limit the
#: committed memory of a process, but Wine, on which this is tested, ignores them.
_NOT_HERE = (
    "--enforce process: processes cannot be limited here: there is no memory control group, no"
    " seccomp filter and no RLIMIT_AS, and Job Objects are not used; --enforce arena keeps the cap"
    " by guard pages"
)
_NAMES = {"cgroup": "memory control group", "seccomp": "seccomp filter", "rlimit": "RLIMIT_AS"}


class ProcessLearner:
    """A learner in a separate process, under a memory limit.

    n_features: numbers in a row.
    settings: further arguments of `edgeolk.bare.BareLearner`.
    limit ({"auto", "cgroup", "seccomp", "rlimit"}): the limit to use; "auto" for the first
        available one.
    leak: bytes to leak on purpose in every step.
    patience: seconds without an answer after which the child is terminated.
    program: what is sent back for a row; see `child.Server`.
    saved: a model file to continue from; empty for a new model.
    limit: the limit in force, as text.
    reasons: why stronger limits are not in force.
    peak: peak resident memory of the child in bytes, as last read.
    gone: whether the child has ended, or does not answer.
    width: how many numbers are sent back for a row.
    experts: what a forecaster mixes its answers of.
    Raises SimulatorError: the learner is refused, or the limit is not available.
    Raises OSError: the process cannot be started.
    """

    def __init__(
        self,
        n_features: int,
        settings: dict[str, Any],
        limit: str = "auto",
        leak: int = 0,
        patience: float = PATIENCE,
        *,
        program: str = "score",
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
        self._stdin, self._stdout = self._child.stdin, self._child.stdout
        try:
            self._group, refusal = _group_for(limit, self._child.pid)
            # No end may block forever: the child may be stopped.
            os.set_blocking(self._stdin.fileno(), False)
            os.set_blocking(self._stdout.fileno(), False)
            request = {
                "learner": {"n_features": n_features, **settings},
                "limit": limit if self._group is None else "cgroup",
                "leak": leak,
                "program": program,
                "saved": saved,
            }
            self._write(child.packed(request))
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
        self.experts = tuple(greeting["experts"])
        if self._group is not None:
            try:
                self._group.close()
            except OSError as error:
                raise SimulatorError(f"no memory control group: {error.strerror}") from None
            self.limit += f" version {self._group.version}, {SLACK // 1024} KiB of slack"
        self._update_peak()

    def learn(self, rows: Any, labels: Any) -> tuple[list[float], str]:
        """Learn at most `child.BLOCK` rows.

        rows: contiguous ndarray of float64, shape (n, n_features)
        labels: contiguous ndarray of float64, shape (n,)
        Raises BeyondCapError: the child was killed at its limit.
        Raises LearnerDiedError: the child ended for another reason, or does not answer.

        Returns scores: the score before each update, without labels followed by threshold and
            reason, by reach and shares if it is a forecast; of fewer rows if one was refused.
        Returns message: "stop:..." if the ring refuses the row, "refuse:..." if the row is
            invalid, or "".
        """
        n = len(labels)
        answer = self._request(n, child.ANSWER.size, labels[:n].tobytes(), rows[:n].tobytes())
        done, length = child.ANSWER.unpack(answer)
        numbers = self.width * done
        scores = struct.unpack(f"={numbers}d", self._read(8 * numbers))
        message = self._read(length).decode()
        self._update_peak()
        return list(scores), message

    def decide(self, row: Any) -> float:
        """Score a row, a contiguous ndarray of float64: with several classes, the one predicted.

        Raises ValueError: the row is invalid.
        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        return self._answer(child.DECIDE, row)

    def wants(self, row: Any) -> bool:
        """Return whether the learner requests the label of a row; raises as `decide`."""
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
        return int(self._answers(child.PENDING, 1)[0])

    def _answer(self, question: int, row: Any) -> float:
        return self._answers(question, 1, row.tobytes())[0]

    def _answers(self, question: int, numbers: int, *parts: bytes) -> list[float]:
        answer = struct.unpack(f"={numbers}d", self._request(question, 8 * numbers, *parts))
        if math.isnan(answer[0]):
            raise ValueError("the learner rejects the row or its target")
        return list(answer)

    def counters(self) -> dict[str, int]:
        """Return the learner's counters by name.

        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        counts = child.COUNTS.unpack(self._request(0, child.COUNTS.size))
        return dict(zip(child.COUNTERS, counts, strict=True))

    def block(self) -> bytearray:
        """Return a copy of the learner's block.

        Raises BeyondCapError, LearnerDiedError: as `learn`.
        """
        return self._request(child.SEND, self._nbytes)

    def _request(self, question: int, nbytes: int, *parts: bytes) -> bytearray:
        """Send a request; return the first bytes of the answer."""
        for part in (struct.pack("=q", question), *parts):
            self._write(part)
        return self._read(nbytes)

    def _update_peak(self) -> None:
        """Read the child's peak memory, which is not available after its end."""
        self.peak = max(self.peak, int(self._status(r"VmHWM:\s*(\d+) kB") or 0) * 1024)

    def _status(self, pattern: str) -> str:
        """Return a match in the child's /proc status; empty if there is none."""
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{self._child.pid}/status").read_text()
            found = re.search(pattern, text)
            return found[1] if found else ""
        return ""

    def _write(self, data: bytes) -> None:
        """Write all data, or raise an error on the child's end."""
        view = memoryview(data)
        deadline = time.monotonic() + self._patience
        while view:
            self._wait(self._stdin, select.POLLOUT, deadline)
            try:
                view = view[self._stdin.write(view) or 0 :]
            except BrokenPipeError:
                raise self._death() from None

    def _read(self, nbytes: int) -> bytearray:
        """Return so many bytes, or raise an error on the child's end."""
        data = bytearray(nbytes)
        view = memoryview(data)
        deadline = time.monotonic() + self._patience
        while view:
            self._wait(self._stdout, select.POLLIN, deadline)
            n_read = self._stdout.readinto(view)
            if n_read == 0:
                raise self._death()
            view = view[n_read or 0 :]
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

    def _death(self) -> BeyondCapError | LearnerDiedError:
        """Return the error for the child's end: at its limit, or for another reason."""
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
        self._stdin.close()
        code = self._child.wait()
        if code == child.OUT_OF_MEMORY:
            return "MemoryError"
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def __del__(self) -> None:
        if hasattr(self, "_stdout"):  # missing if no child was started
            self.close()

    def close(self) -> None:
        """End the child and remove its group; a second call does nothing."""
        self.gone = True
        self._stdin.close()
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._stdout.close()
        if self._group is not None:  # its processes have ended
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
        start_new_session=True,  # Ctrl-C goes to the parent only, which then ends the child
        env={
            **os.environ,
            **_ENVIRONMENT,
            "PYTHONPATH": _ROOT + (os.pathsep + path if path else ""),
        },
    )


def _group_for(limit: str, pid: int) -> tuple[MemoryGroup | None, str]:
    """Move a process into a new group; return the group, or why there is none."""
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
