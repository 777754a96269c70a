"""The learner's process: reads rows from a pipe, writes scores to another; memory may not grow.

Run as ``python -m firmware_sim.containment.child`` by `process`. It does not import numpy. Once the
limit is in force, a step of the learner allocates nothing, and this loop allocates only objects
that are freed at once.
"""

from __future__ import annotations

import gc
import io
import math
import os
import pickle
import struct
from collections.abc import Callable
from typing import Any

from edgeolk import hosting
from edgeolk.bare import BareLearner
from firmware_sim.containment import seccomp

#: Maximum rows of a block.
BLOCK = 64
#: In place of a number of rows: send the learner's whole block.
SEND = BLOCK + 1
#: In place of a number of rows: score the following row; answer whether its label is requested.
DECIDE, ASK = BLOCK + 2, BLOCK + 3
#: The same of a forecaster: answer the next row and keep it until its target comes; take the target
#: that follows, NaN if it never comes; forget the history; count pending rows.
FORECAST, TELL, RESTART, PENDING = BLOCK + 4, BLOCK + 5, BLOCK + 6, BLOCK + 7
#: The answer to a block: rows learned, and bytes of the message if a row was refused.
ANSWER = struct.Struct("=qq")
COUNTERS = ("n_support", "updates", "mistakes", "steps", "alarms", "n_remembered", "memory_percent")
COUNTS = struct.Struct("=7q")
#: Bytes freed just before the limit is in force, for an error message.
RESERVE = 64 * 1024
OUT_OF_MEMORY = 77  # exit code


def packed(record: dict[str, Any]) -> bytes:
    """Return a record with its length as a prefix."""
    data = pickle.dumps(record)
    return struct.pack("=q", len(data)) + data


def fill(pipe: io.FileIO, view: memoryview) -> bool:
    """Read until the view is full; return False if the pipe ends before."""
    done = 0
    while done < len(view):
        n_read = pipe.readinto(view[done:])
        if not n_read:
            return False
        done += n_read
    return True


def receive(pipe: io.FileIO) -> Any:
    """Read a record; return None if the pipe has ended."""
    size = bytearray(8)
    if not fill(pipe, memoryview(size)):
        return None
    data = bytearray(*struct.unpack("=q", size))
    return pickle.loads(data) if fill(pipe, memoryview(data)) else None


class Server:
    """The loop, with all memory allocated beforehand.

    program: what is sent back for a row, beside its score: "score" nothing; "class" the predicted
        class in place of it; "forecast" half widths and weights; "threshold" the threshold before
        and a reason of -1; "reason" both.
    """

    def __init__(
        self,
        learner: BareLearner,
        program: str,
        n_features: int,
        pipes: tuple[io.FileIO, io.FileIO],
    ) -> None:
        self._learner = learner
        n_scores = hosting.traits_of(learner.config).n_scores
        self._classes = memoryview(bytearray(8 * n_scores)).cast("d")
        self.experts: list[str] = []
        # Numbers that are sent back for a row.
        self.width = 1
        if program == "forecast":
            _, half_widths, shares = hosting.last_forecast(learner)
            self.width += len(half_widths) + len(shares)
            self.experts = [*learner.shares]
        elif program in ("threshold", "reason"):
            self.width = 3
        programs: dict[str, Callable[[int], None]] = {
            "score": self._score,
            "class": self._choose,
            "forecast": self._learn_forecast,
            "threshold": self._learn_with_threshold,
            "reason": self._learn_with_reason,
        }
        self._learn_row = programs[program]
        self._has_clock = bool(learner.config.parameters.get("clock"))
        self._in, self._out = pipes
        self._count = bytearray(8)
        self._rows = memoryview(bytearray(8 * BLOCK * n_features))
        numbers = self._rows.cast("d")
        self._each = [numbers[i * n_features : (i + 1) * n_features] for i in range(BLOCK)]
        self._label_bytes = memoryview(bytearray(8 * BLOCK))
        self._labels = self._label_bytes.cast("d")
        self._score_bytes = memoryview(bytearray(8 * BLOCK * self.width))
        self._scores = self._score_bytes.cast("d")
        self._answer = bytearray(ANSWER.size)
        self._counts = bytearray(COUNTS.size)
        self._decide_row = self._pick if program == "class" else self._decide
        self._questions: dict[int, Callable[[int], None]] = {
            DECIDE: self._decide_row,
            ASK: self._ask,
            FORECAST: self._forecast,
            TELL: self._tell,
            RESTART: self._restart,
            PENDING: self._count_pending,
        }
        self._leaked: list[bytearray] = []
        # Created here: later allocations are not allowed.
        self._block = hosting.block_of(learner)

    @property
    def nbytes(self) -> int:
        """Bytes of the learner's block."""
        return len(self._block)

    def warm_up(self) -> None:
        """Run everything once that a block needs, except learning."""
        if len(self._classes) > 1:
            self._learner.scores_one(self._each[0], self._classes)
        else:
            self._learner.decision_one(self._each[0])
        self._answer_one(self._decide_row)
        if self.experts:
            self._append_outputs(0)
        self._pack_counts()
        ANSWER.pack_into(self._answer, 0, 0, 0)
        self._scores[0] = 0.0

    def _pack_counts(self) -> None:
        counters = self._learner.counters()
        COUNTS.pack_into(self._counts, 0, *(counters[name] for name in COUNTERS))

    def serve(self, leak: int) -> None:
        """Answer blocks until the pipe ends; an empty block requests the counters."""
        view = memoryview(self._count)
        while fill(self._in, view):
            n = int.from_bytes(self._count, "little")
            if n == 0:
                self._pack_counts()
                self._out.write(self._counts)
                continue
            if n == SEND:
                self._send()
                continue
            if n in (DECIDE, ASK, FORECAST):
                if not fill(self._in, self._rows[: len(self._rows) // BLOCK]):
                    return
                self._answer_one(self._questions[n])
                self._out.write(self._score_bytes[: 8 * (self.width if n == FORECAST else 1)])
                continue
            if n in (TELL, RESTART, PENDING):
                if n == TELL and not fill(self._in, self._label_bytes[:8]):
                    return
                self._answer_one(self._questions[n])
                self._out.write(self._score_bytes[:8])
                continue
            if not fill(self._in, self._label_bytes[: 8 * n]):
                return
            if not fill(self._in, self._rows[: len(self._rows) // BLOCK * n]):
                return
            done, message = self._learn(n, leak)
            ANSWER.pack_into(self._answer, 0, done, len(message))
            self._out.write(self._answer)
            self._out.write(self._score_bytes[: 8 * self.width * done])
            self._out.write(message)

    def _send(self) -> None:
        """Write the bytes of the learner's block."""
        done = 0
        while done < len(self._block):
            done += self._out.write(self._block[done:])

    def _learn(self, n: int, leak: int) -> tuple[int, bytes]:
        learn = self._learn_row
        for i in range(n):
            try:
                if leak:
                    self._leaked.append(bytearray(leak))
                learn(i)
            except MemoryError:
                # Here, since each frame that the error leaves asks for memory.
                os._exit(OUT_OF_MEMORY)
            except (ValueError, RuntimeError) as error:
                kind = "stop" if isinstance(error, RuntimeError) else "refuse"
                return i, f"{kind}:{error}".encode()
        return n, b""

    def _answer_one(self, answer: Callable[[int], None]) -> None:
        """Answer a question; what is refused gets NaN."""
        try:
            answer(0)
        except ValueError:
            self._scores[0] = math.nan

    def _decide(self, i: int) -> None:
        """Score a row."""
        self._scores[i] = self._learner.decision_one(self._each[i])

    def _ask(self, i: int) -> None:
        """Answer whether a row's label is requested."""
        self._scores[i] = self._learner.ask_label(self._each[i])

    def _score(self, i: int) -> None:
        """Learn a row; its score is the one before the update."""
        self._scores[i] = self._learner.learn_one(self._each[i], self._labels[i])

    def _learn_forecast(self, i: int) -> None:
        """Learn a row; its score is the forecast from before, followed by its outputs."""
        self._scores[self.width * i] = self._learner.learn_one(self._each[i], self._labels[i])
        self._append_outputs(i)

    def _forecast(self, i: int) -> None:
        """Answer a row, which then waits for its label or target."""
        if len(self._classes) > 1:
            self._learner.ask_one(self._each[i], self._classes)
            self._note_best(i)
            return
        self._scores[0] = self._learner.ask_one(self._each[i])
        if self.experts:
            self._append_outputs(0)

    def _tell(self, i: int) -> None:
        """Learn the target of the oldest pending row."""
        label = self._labels[0]
        self._learner.tell_one(None if math.isnan(label) else label)
        self._scores[0] = 0.0

    def _restart(self, i: int) -> None:
        """Forget the history."""
        self._learner.restart()
        self._scores[0] = 0.0

    def _count_pending(self, i: int) -> None:
        """Count the pending rows."""
        self._scores[0] = self._learner.n_waiting

    def _append_outputs(self, i: int) -> None:
        """Append half-widths and shares of the last forecast."""
        _, half_widths, shares = hosting.last_forecast(self._learner)
        at = self.width * i
        for number in half_widths:
            at += 1
            self._scores[at] = number
        for number in shares:
            at += 1
            self._scores[at] = number

    def _choose(self, i: int) -> None:
        """Learn a row of several classes; its score is the class predicted before the update."""
        self._pick(i)
        self._learner.learn_one(self._each[i], self._labels[i])

    def _pick(self, i: int) -> None:
        """Predict the class of a row."""
        self._learner.scores_one(self._each[i], self._classes)
        self._note_best(i)

    def _note_best(self, i: int) -> None:
        """The score of a row is the class with the largest score."""
        scores = self._classes
        best = 0
        for k in range(1, len(scores)):
            if scores[k] > scores[best]:
                best = k
        self._scores[i] = best

    def _learn_with_threshold(self, i: int) -> None:
        """Learn a row without a label; score and threshold are those before the update."""
        self._scores[3 * i + 1] = self._learner.threshold
        self._scores[3 * i] = self._learner.learn_one(self._each[i])
        self._scores[3 * i + 2] = -1.0

    def _learn_with_reason(self, i: int) -> None:
        """Learn a row of a stream at its time; its score, and the verdict after it."""
        learner = self._learner
        self._scores[3 * i] = learner.learn_one(self._each[i], time=self._time_of(i))
        self._scores[3 * i + 1] = learner.threshold
        self._scores[3 * i + 2] = hosting.last_reason(learner)

    def _time_of(self, i: int) -> float | None:
        """Return the time of a row, which comes in place of its label; None if unknown."""
        seconds = self._labels[i]
        return seconds if self._has_clock and not math.isnan(seconds) else None


def _arm(wanted: str) -> tuple[str, str]:
    """Activate the first limit that works; return its name and why others did not work."""
    reasons = []
    limits = {"seccomp": seccomp.forbid_growth, "rlimit": seccomp.limit_address_space}
    for name, limit in limits.items():
        if wanted in (name, "auto"):
            try:
                limit()
            except (OSError, ValueError, AttributeError) as error:
                reasons.append(f"{name}: {error}")
            else:
                return name, "; ".join(reasons)
    return "none", "; ".join(reasons)


def main() -> int:
    """Serve one learner; see the module."""
    pipes = io.FileIO(0, "r", closefd=False), io.FileIO(1, "w", closefd=False)
    spec = receive(pipes[0])
    try:
        saved = spec["saved"]  # a model from a checkpoint, or empty
        settings = {"history": None, **spec["learner"]}  # no default
        learner = BareLearner.from_bytes(saved) if saved else BareLearner(**settings)
    except (TypeError, ValueError, MemoryError) as error:
        pipes[1].write(packed({"error": str(error) or "no memory for the learner"}))
        return 0
    server = Server(learner, spec["program"], spec["learner"]["n_features"], pipes)
    server.warm_up()
    leak = spec["leak"]
    gc.collect()
    gc.disable()  # this loop creates no reference cycles
    reserve = bytearray(RESERVE)
    if spec["limit"] == "cgroup":
        limit, reasons = "cgroup", ""
    else:
        limit, reasons = _arm(spec["limit"])
    del reserve
    greeting = {
        "budget": learner.budget,
        "nbytes": server.nbytes,
        "width": server.width,
        "experts": server.experts,
    }
    pipes[1].write(packed({"limit": limit, "reasons": reasons, **greeting}))
    try:
        server.serve(leak)
    except (MemoryError, SystemError):  # without memory, the interpreter may lose the first
        os._exit(OUT_OF_MEMORY)
    return 0


if __name__ == "__main__":
    os._exit(main())  # without cleanup, which would allocate
