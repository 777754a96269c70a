"""A second replay of the rows on an emulated board, with a new learner."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk.hosting import Row as CostRow
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.device.device import Device
from firmware_sim.errors import SimulatorError
from firmware_sim.mcu.counting import (
    CALL_FLAGS,
    Call,
    learn_on,
    packed,
    packed_calls,
    same_state,
)
from firmware_sim.mcu.emulator import lacking
from firmware_sim.mcu.program import BOARDS, too_large
from firmware_sim.mcu.sampling import sample_on
from firmware_sim.plaintext import counted
from firmware_sim.streams import Row

#: Rows learned from one that is also scored to the next, in c/stream.c; the last is scored twice
#: more.
_SCORED = 16


@dataclass(frozen=True)
class Emulated:
    """The result of a board on the rows of a replay."""

    board: str  # its name
    core: str  # its processor
    rows: int  # rows learned there
    #: on the board, and of a learner here on the same rows, rounded to float32 as on the board
    mistakes: int
    host_mistakes: int
    same: bool  # whether the two states are identical
    flash: int  # bytes of the program
    ram: int  # bytes of its variables
    stack: int  # bytes of used stack
    learn: float  # mean instructions to learn a row, or a target alone
    longest: float  # maximum instructions to learn a row
    score: float  # instructions to score a row
    clock: float  # cycles a second of the real board
    #: instruction set of the learner here; "scalar" is plain C, as on the board.
    variant: str = "scalar"
    #: number of its mistakes here on rows of label 1 with a score of exactly 0
    undecided: int = 0
    counts: str = "mistakes"  # what ``mistakes`` counts, for reports
    samples: str = ""  # what windows of samples cost there, for reports
    near: str = ""  # differences of the emulated board from the real one
    #: of a forecaster: forecasts whose targets came later, and mean and maximum instructions of one
    asked: int = 0
    ask: float = 0.0
    longest_ask: float = 0.0

    def _counts(self) -> list[str]:
        """Return a line if mistakes differ from the number of wrong answers, with the reason."""
        if not self.undecided:
            return []
        one = self.undecided == 1
        return [
            "counts    the learner counts a score of exactly 0 as a mistake; above, 0 means +1, "
            f"so {counted(self.undecided, 'row')} with that score {'is' if one else 'are'} correct"
        ]

    def _different(self) -> str:
        """Return the reason of a different state: sums depend on the width of vector registers.

        int8 weights for two classes are equal for every width; other learners may differ.
        """
        if self.variant == "scalar":
            return "ITS STATE DIFFERS from here"
        return (
            f"its state differs from here, where {self.variant} vectors add in another order: "
            "compare with EDGEOLK_SIMD=scalar, the plain C of the board"
        )

    def to_row(self) -> CostRow:
        """Return the counted instructions for the README of an exported folder."""
        about = (
            f"COUNTED on an emulated {self.board} on the rows of a replay, "
            f"{self.asked or self.rows:,}. Learn is the mean over these rows, and the longest step "
            "is among them."
        )
        if self.asked:
            about += (
                " To learn is to learn a target and to forecast, and the longest step is the sum "
                "of the longest of each."
            )
        about += f" The board is {self.near}." if self.near else ""
        return CostRow(
            *(self.core, "library", self.score / 1e3, (self.learn + self.ask) / 1e3),
            (self.longest + self.longest_ask) / 1e3,
            about=fill(about, 100),
        )

    def _work(self) -> str:
        """Return the instructions of each kind of call that was made."""
        costs = []
        if self.learn:
            what = "learned target" if self.asked else "learned row"
            costs.append(f"{self.learn:,.0f} instructions per {what}, at most {self.longest:,.0f}")
        if self.asked:
            instructions = "" if costs else "instructions "
            costs.append(
                f"{self.ask:,.0f} {instructions}per forecast, at most {self.longest_ask:,.0f}"
            )
        return "; ".join([*costs, f"{self.score:,.0f} per score"])

    def _rate(self) -> list[str]:
        """Return the line of rows per second; none if no row was learned or asked."""
        cycles = self.learn + self.ask
        if not cycles:
            return []
        both = ", each forecast and learned" if self.asked and self.learn else ""
        return [
            f"rate      about {self.clock / cycles:,.0f} rows per second at "
            f"{self.clock / 1e6:g} MHz, assuming one instruction per cycle{both}"
        ]

    def to_lines(self) -> list[str]:
        """Return the lines of the report."""
        done = f"{self.asked:,} forecasts" if self.asked else f"{self.rows:,} rows learned"
        equal = "its state is identical, byte for byte" if self.same else self._different()
        return [
            "",
            f"emulated  {self.board}, {self.core}: {done}, "
            f"{self.mistakes:,} {self.counts} there and {self.host_mistakes:,} here; {equal}",
            *self._counts(),
            *([f"board     {self.near}"] if self.near else []),
            f"memory    {self.flash:,} bytes of flash, {self.ram:,} of RAM, {self.stack:,} of "
            "stack used",
            f"work      {self._work()}",
            *([f"samples   {self.samples}"] if self.samples else []),
            *self._rate(),
        ]


class _Recorder:
    """A wrapper that records the calls which change the learner."""

    def __init__(self, learner: Any, calls: list[Call]) -> None:
        self._learner = learner
        self._calls = calls
        self._row = np.zeros(learner.n_features)  # the last one

    def _record(self, name: str, row: Row | None = None, number: float = math.nan) -> None:
        if row is not None:
            self._row = row.copy()
        self._calls.append(Call(name, self._row, float(number)))

    def learn_one(self, row: Row, *label: float, time: float | None = None) -> float:
        """Learn a row; its time is kept in place of the label that it does not have."""
        number = label[0] if label else math.nan if time is None else time
        self._record("learn", row, number)
        return learned(self._learner, row, *label, time=time)

    def ask_one(self, row: Row) -> float:
        """Return the forecast of a row, which then waits for its target."""
        self._record("ask", row)
        return float(self._learner.ask_one(row))

    def tell_one(self, target: float | None) -> None:
        """Learn the target of the oldest pending row; None if it never comes."""
        self._record("tell", number=math.nan if target is None else target)
        self._learner.tell_one(target)

    def restart(self) -> None:
        """Forget the history and the pending rows."""
        self._record("restart")
        self._learner.restart()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._learner, name)


def learned(learner: Any, row: Row, *label: float, time: float | None) -> float:
    """Learn a row; return its score. Only learners of novelty in the order of time take a time."""
    at = {} if time is None else {"time": time}
    return float(learner.learn_one(row, *label, **at))


def repeat(learner: Any, call: Call, *, supervised: bool) -> float:
    """Repeat a recorded call; return the score of a learned row, else 0."""
    if call.name == "learn":
        labels = [call.number] if supervised else []
        time = None if labels or math.isnan(call.number) else call.number
        return learned(learner, call.row, *labels, time=time)
    if call.name == "ask":
        learner.ask_one(call.row)
    elif call.name == "tell":
        learner.tell_one(None if math.isnan(call.number) else call.number)
    else:
        learner.restart()
    return 0.0


class OnBoard:
    """A board that repeats a replay.

    name: the board.
    config: the configuration of the replay.
    device: the device before its first row; the learned rows are recorded.
    windows: of samples, which the board takes too, in another program.
    Raises SimulatorError: the board cannot be emulated here, or has parts that the export lacks.
    """

    def __init__(
        self,
        name: str,
        config: ReplayConfig,
        device: Device,
        windows: ek.WindowsPlan | None = None,
    ) -> None:
        if name not in BOARDS:
            raise SimulatorError(f"--on {name}: choose from {', '.join(BOARDS)}")
        if reason := lacking(BOARDS[name]):
            raise SimulatorError(f"--on {name}: {reason}")
        if config.power_cut is not None or config.enforce == "process":
            raise SimulatorError("--on cannot be combined with --power-cut or --enforce process")
        if config.resolved.params.get("delay"):
            raise SimulatorError("--on cannot be combined with a learner's delay: give delay=0")
        if config.gap is not None:
            raise SimulatorError("--on cannot be combined with --gap")
        if config.scales_outside:
            raise SimulatorError("--on needs a learner that scales inside, such as the default")
        self._board, self._windows = BOARDS[name], windows
        self._options, self._kind = device.learner.config, config.label_kind
        self._calls: list[Call] = []
        device.wrap_learner(lambda learner: _Recorder(learner, self._calls))

    def run(self) -> Emulated:
        """Run the recorded rows on the board.

        Raises
        ------
        SimulatorError
            The program does not fit the board, or did not end.
        """
        learner = ek.Learner(self._options)
        number = np.float64 if learner.dtype == "float64" else np.float32
        calls = [call._replace(row=call.row.astype(number)) for call in self._calls]
        flags: tuple[str, ...] = ()
        if all(call.name == "learn" for call in calls):
            rows = packed([call.row for call in calls], [call.number for call in calls])
        else:
            rows, flags = packed_calls(calls), CALL_FLAGS
        try:
            program, found = learn_on(self._board, learner, rows, flags)
        except (RuntimeError, ValueError) as error:
            why = too_large(str(error)) or str(error)
            raise SimulatorError(f"--on {self._board.name}: {why}") from None
        undecided = n_learned = 0
        kind = self._kind
        for call in calls:
            with suppress(ValueError):  # refused, on the board too
                score = repeat(learner, call, supervised=kind.is_supervised)
                undecided += kind.counts_zero_as_mistake and score == 0.0 and call.number > 0.0
            # A learner with the last label counts its answers: the board gives as many.
            n_learned += call.name in ("learn", "tell")
            if call.name in ("learn", "tell") and n_learned % _SCORED == 0:
                learner.predict_one(call.row)
        for call in calls[-1:]:
            learner.predict_one(call.row)
            learner.predict_one(call.row)
        return Emulated(
            self._board.name, self._board.core, found.steps, found.mistakes, learner.mistakes,
            same_state(found, learner), program.flash, program.ram, found.stack,
            found.learned.mean, found.learned.most, found.scored.mean, self._board.clock,
            ek.simd(), undecided, "mistakes" if kind.is_supervised else "novel rows",
            self._samples(), self._board.near, found.asked.rows, found.asked.mean,
            found.asked.most,
        )  # fmt: skip

    def _samples(self) -> str:
        """Return what windows cost on the board: two of noise, with the learner, in one arena."""
        if self._windows is None:
            return ""
        plan, learner = self._windows, ek.Learner(self._options)
        noise = np.random.default_rng(0).standard_normal((plan.size + plan.hop, plan.channels))
        samples = (1000 * noise).astype(plan.dtype)
        windows, labels = ek.Windows(**plan.options), np.ones(len(samples))
        try:
            found = sample_on(self._board, learner, windows, samples, labels)
        except (RuntimeError, ValueError) as error:
            why = too_large(str(error)) or str(error)
            raise SimulatorError(f"--on {self._board.name}: {why}") from None
        program = found.program
        return (
            f"{found.per_sample:,.0f} instructions each, {found.per_row:,.0f} where a row is "
            f"complete; windows and learner: {program.flash:,} bytes of flash, {program.ram:,} of "
            f"RAM, {found.stack:,} of stack used"
        )
