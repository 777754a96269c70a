"""Faults of sensors, each a row of `KINDS`.

Sizes are in standard deviations of the clean column so far, so that one number suits lux and volts;
levels (``value``, ``low``, ``high``, ``step``, ``code``) are in the column's own unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from firmware_sim.errors import SimulatorError
from firmware_sim.streams import Row

#: Rows over which a drift of size 1 grows to 1.
DRIFT_ROWS = 1_000

_LONGEST_BURST = 1_000
FORM = "KIND[:column=NAME][,from=ROW][,to=ROW][,...], as in stuck:column=light,from=1000,to=2000"


@dataclass(frozen=True)
class Fault:
    """One fault over a part of a stream."""

    kind: str  # one of `KINDS`
    #: the columns that break; empty for every column. "swap" takes two.
    columns: tuple[str, ...] = ()
    first: int = 1  # the first broken row
    last: int = 0  # the last broken row; 0 for no end
    #: the values of the kind's own options
    options: Mapping[str, float] = field(default_factory=dict)
    label: str = ""  # of the rows that it strikes, where it is of one class

    def __str__(self) -> str:
        where = "+".join(self.columns) or "all columns"
        what = "" if KINDS[self.kind].of_rows else f" of {where}"
        no_turns = ("rows", "every") if self.options.get("every") == 0.0 else ()
        taken = "".join(
            f", {name} {value:g}"
            for name, value in self.options.items()
            if math.isfinite(value) and name not in no_turns
        )
        end = f" to {self.last:,}" if self.last else " on"
        taken = f" labelled {self.label}{taken}" if self.label else taken
        return f"{self.kind}{what}, rows {self.first:,}{end}{taken}"

    def covers(self, number: int) -> bool:
        """Whether the fault lasts at this row."""
        if not self.first <= number or (self.last and number > self.last):
            return False
        every = self.options.get("every", 0.0)
        return not every or (number - self.first) % every < self.options["rows"]

    def changes(self, rows: int) -> list[int]:
        """Return the rows, of so many, from which on the stream is another one."""
        every = self.options.get("every", 0.0)
        last = min(self.last or rows, rows)
        found = [self.first]
        if every:
            found = [n for n in range(self.first, last + 1) if self.covers(n) != self.covers(n - 1)]
        if self.last:
            found.append(self.last + 1)
        return [number for number in dict.fromkeys(found) if 1 < number <= rows]


def parse(text: str) -> Fault:
    """Return the fault that the words describe, as in ``spike:column=light,p=0.02,from=500``.

    Raises SimulatorError: they describe none; the message says what the kind takes.
    """
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise SimulatorError(f"fault {kind!r} is not one of: {', '.join(KINDS)}; write {FORM}")
    takes = KINDS[kind].takes
    given: dict[str, str] = {}
    for pair in filter(None, rest.split(",")):
        name, equals, value = pair.partition("=")
        known = {"column", "from", "to", *takes, *(["label"] if KINDS[kind].of_class else [])}
        if not equals or name in given or name not in known:
            takes_too = "".join(f", {name}" for name in takes)
            raise SimulatorError(f"fault {text!r}: {kind} accepts column, from, to{takes_too}")
        given[name] = value
    columns = tuple(filter(None, given.pop("column", "").split("+")))
    label = given.pop("label", "")
    if KINDS[kind].of_class and not label:
        raise SimulatorError(f"fault {text!r}: {kind} needs label=, the class to leave out")
    if columns and KINDS[kind].of_rows:
        raise SimulatorError(f"fault {text!r}: {kind} affects whole rows, not a column")
    if kind == "swap" and len(columns) != 2:
        raise SimulatorError(f"fault {text!r}: swap takes two columns, as in column=a+b")
    numbers = {name: _number(text, name, value) for name, value in given.items()}
    first, last = int(numbers.pop("from", 1)), int(numbers.pop("to", 0))
    if first < 1 or (last and last < first):
        raise SimulatorError(f"fault {text!r}: there are no rows from {first} to {last}")
    options: dict[str, float] = {}
    for name, default in takes.items():
        if name not in numbers and default is None:
            raise SimulatorError(f"fault {text!r}: {kind} needs {name}=")
        options[name] = numbers[name] if name in numbers else float(default or 0.0)
    _check(text, kind, options)
    return Fault(kind, columns, first, last, options, label)


def _check(text: str, kind: str, options: Mapping[str, float]) -> None:
    if not 0.0 < options.get("p", 1.0) <= 1.0:
        raise SimulatorError(f"fault {text!r}: p is a share of rows, above 0 and at most 1")
    if "every" in options:
        if not (options["every"] == 0.0 or 1.0 <= options["rows"] <= options["every"]):
            raise SimulatorError(f"fault {text!r}: rows is from 1 to every, the rows of a turn")
    elif not 1.0 <= options.get("rows", 1.0) <= _LONGEST_BURST:
        raise SimulatorError(f"fault {text!r}: rows is from 1 to {_LONGEST_BURST:,}")
    if kind == "quantise" and not options["step"] > 0.0:
        raise SimulatorError(f"fault {text!r}: step must be more than 0")
    if kind == "clip" and not options["low"] < options["high"]:
        raise SimulatorError(f"fault {text!r}: clip needs low= or high=, low below high")
    if kind == "clip" and options["low"] == -math.inf and options["high"] == math.inf:
        raise SimulatorError(f"fault {text!r}: clip needs low= or high=")
    if kind == "gain" and options["by"] == 1.0:
        raise SimulatorError(f"fault {text!r}: by=1 changes nothing")
    if kind == "drift" and options["offset"] == options["gain"] == 0.0:
        raise SimulatorError(f"fault {text!r}: drift needs offset= or gain=, per 1,000 rows")


def _number(text: str, name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise SimulatorError(f"fault {text!r}: {name}={value} is not a number") from None
    if math.isinf(number) or (math.isnan(number) and name not in ("code", "value")):
        raise SimulatorError(f"fault {text!r}: {name} is {value}, it must be finite")
    return number


class Spread:
    """Running mean and standard deviation of every clean column."""

    def __init__(self, n: int) -> None:
        self._n = np.zeros(n)
        self._mean = np.zeros(n)
        self._squares = np.zeros(n)

    def add(self, row: Row) -> None:
        """Take one row in; absent readings do not count."""
        good = np.isfinite(row)
        self._n += good
        delta = np.where(good, row - self._mean, 0.0)
        self._mean += delta / np.maximum(self._n, 1.0)
        self._squares += delta * np.where(good, row - self._mean, 0.0)

    @property
    def mean(self) -> Row:
        """Means so far."""
        return self._mean

    @property
    def sd(self) -> Row:
        """Standard deviations so far."""
        return np.sqrt(self._squares / np.maximum(self._n, 1.0))


Effect = Callable[[Row, int], bool]


def effect(
    fault: Fault, features: Sequence[str], spread: Spread, rng: np.random.Generator
) -> Effect:
    """Return what the fault does to a row buffer: it takes buffer and row number, and says whether
    anything was done.

    Raises SimulatorError: the stream has no such column.
    """
    for name in fault.columns:
        if name not in features:
            raise SimulatorError(
                f"fault {fault.kind}: there is no reading {name!r}; "
                f"there are: {', '.join(features[:40])}"
            )
    slots = np.array([features.index(name) for name in fault.columns or features])
    make = KINDS[fault.kind].make
    assert make is not None, f"{fault.kind} is a fault of whole rows"
    return make(fault, slots, spread, rng)


def _stuck(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    held = np.full(len(slots), fault.options["value"])

    def act(row: Row, number: int) -> bool:
        np.copyto(held, row[slots], where=np.isnan(held))  # stuck at the first value it has
        row[slots] = held
        return True

    return act


def _dropout(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        out = slots[rng.random(len(slots)) < fault.options["p"]]
        row[out] = fault.options["code"]
        return len(out) > 0

    return act


def _spike(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        draws = rng.random(len(slots)), rng.choice((-1.0, 1.0), len(slots))
        hit = draws[0] < fault.options["p"]
        row[slots] += np.where(hit, fault.options["size"] * draws[1] * spread.sd[slots], 0.0)
        return bool(hit.any())

    return act


def _drift(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        grown = (number - fault.first) / DRIFT_ROWS
        row[slots] *= 1.0 + fault.options["gain"] * grown
        row[slots] += fault.options["offset"] * grown * spread.sd[slots]
        return grown > 0

    return act


def _shift(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    moved = np.full(len(slots), math.nan)  # by as much in every row

    def act(row: Row, number: int) -> bool:
        np.copyto(moved, fault.options["size"] * spread.sd[slots], where=np.isnan(moved))
        row[slots] += moved
        return True

    return act


def _gain(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        row[slots] *= fault.options["by"]
        return True

    return act


def _replace(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    old = np.full((2, len(slots)), math.nan)  # mean and deviation of the sensor that was there

    def act(row: Row, number: int) -> bool:
        np.copyto(old, (spread.mean[slots], spread.sd[slots]), where=np.isnan(old))
        mean, sd = old
        row[slots] = (
            mean + fault.options["gain"] * (row[slots] - mean) + fault.options["offset"] * sd
        )
        return True

    return act


def _noise(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        row[slots] += fault.options["sd"] * spread.sd[slots] * rng.standard_normal(len(slots))
        return True

    return act


def _clip(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        before = row[slots]
        row[slots] = np.clip(before, fault.options["low"], fault.options["high"])
        return bool((before != row[slots]).any())

    return act


def _quantise(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        row[slots] = np.round(row[slots] / fault.options["step"]) * fault.options["step"]
        return True

    return act


def _swap(fault: Fault, slots: np.ndarray, spread: Spread, rng: np.random.Generator) -> Effect:
    def act(row: Row, number: int) -> bool:
        row[slots] = row[slots[::-1]]
        return True

    return act


@dataclass(frozen=True)
class Kind:
    """One kind of fault."""

    #: its options with their defaults; None where one must be given. ``p`` is the share of rows.
    takes: Mapping[str, float | None]
    #: makes its effect on readings; None where it changes which rows come, which is done by
    #: `FaultyStream`.
    make: Callable[[Fault, np.ndarray, Spread, np.random.Generator], Effect] | None = None
    #: whether it is of the rows of one class, ``label=``
    of_class: bool = False

    @property
    def of_rows(self) -> bool:
        """Whether it changes whole rows, not columns."""
        return self.make is None


KINDS = {
    "stuck": Kind({"value": math.nan}, _stuck),
    "dropout": Kind({"p": 0.1, "code": math.nan}, _dropout),
    "spike": Kind({"p": 0.01, "size": 10.0}, _spike),
    "drift": Kind({"offset": 0.0, "gain": 0.0}, _drift),
    "shift": Kind({"size": 5.0}, _shift),
    "gain": Kind({"by": None}, _gain),
    "replace": Kind({"offset": 3.0, "gain": -2.0}, _replace),
    "noise": Kind({"sd": 1.0}, _noise),
    "clip": Kind({"low": -math.inf, "high": math.inf}, _clip),
    "quantise": Kind({"step": None}, _quantise),
    "swap": Kind({}, _swap),
    "duplicate": Kind({"p": 0.01}),
    "gap": Kind({"p": 1.0, "rows": 1.0}),
    "burst": Kind({"p": 0.01, "rows": 10.0}),
    "flip": Kind({"p": 1.0, "rows": 1.0, "every": 0.0}),
    "without": Kind({"p": 1.0}, of_class=True),
}
