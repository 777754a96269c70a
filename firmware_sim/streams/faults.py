"""Faults of sensors, each a row of `KINDS`.

Sizes are in running standard deviations of the clean column, so that one number suits lux and
volts; levels (``value``, ``low``, ``high``, ``step``, ``code``) are in the unit of the column.
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
    label: str = ""  # the class whose rows it affects, if it affects only one

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
        """Whether the fault is active in this row."""
        if not self.first <= number or (self.last and number > self.last):
            return False
        every = self.options.get("every", 0.0)
        return not every or (number - self.first) % every < self.options["rows"]

    def changes(self, rows: int) -> list[int]:
        """Return the row numbers, up to `rows`, at which the fault starts or stops."""
        every = self.options.get("every", 0.0)
        last = min(self.last or rows, rows)
        found = [self.first]
        if every:
            found = [n for n in range(self.first, last + 1) if self.covers(n) != self.covers(n - 1)]
        if self.last:
            found.append(self.last + 1)
        return [number for number in dict.fromkeys(found) if 1 < number <= rows]


def parse(text: str) -> Fault:
    """Parse a fault, such as ``spike:column=light,p=0.02,from=500``.

    Raises SimulatorError: the text is not a fault; the message names the options of the kind.
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
        raise SimulatorError(f"fault {text!r}: {kind} affects entire rows, not a column")
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
            raise SimulatorError(f"fault {text!r}: rows must be from 1 to every, the period")
    elif not 1.0 <= options.get("rows", 1.0) <= _LONGEST_BURST:
        raise SimulatorError(f"fault {text!r}: rows must be from 1 to {_LONGEST_BURST:,}")
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
        """Add one row; missing readings do not count."""
        good = np.isfinite(row)
        self._n += good
        delta = np.where(good, row - self._mean, 0.0)
        self._mean += delta / np.maximum(self._n, 1.0)
        self._squares += delta * np.where(good, row - self._mean, 0.0)

    @property
    def mean(self) -> Row:
        """Running means."""
        return self._mean

    @property
    def sd(self) -> Row:
        """Running standard deviations."""
        return np.sqrt(self._squares / np.maximum(self._n, 1.0))


class Effect:
    """Applies a column fault to readings.

    fault: one whose kind affects columns.
    features: names of the readings.
    spread: of the clean columns; updated by the caller.
    rng: the random generator.
    options: of the fault.
    Raises SimulatorError: the stream has no such column.
    """

    def __init__(
        self, fault: Fault, features: Sequence[str], spread: Spread, rng: np.random.Generator
    ) -> None:
        for name in fault.columns:
            if name not in features:
                raise SimulatorError(
                    f"fault {fault.kind}: there is no reading {name!r}; "
                    f"there are: {', '.join(features[:40])}"
                )
        self.slots = np.array([features.index(name) for name in fault.columns or features])
        self.fault, self.options, self.rng, self._spread = fault, fault.options, rng, spread
        self._first: Row | None = None
        make = KINDS[fault.kind].make
        assert make is not None, f"{fault.kind} is a fault of entire rows"
        self._make = make

    def act(self, row: Row, number: int) -> bool:
        """Change row `number` in place; return whether it changed."""
        made = self._make(self, row[self.slots], number)
        if made is not None:
            row[self.slots] = made
        return made is not None

    @property
    def mean(self) -> Row:
        """Running means of the columns."""
        return np.asarray(self._spread.mean[self.slots])

    @property
    def sd(self) -> Row:
        """Running standard deviations of the columns."""
        return np.asarray(self._spread.sd[self.slots])

    def first(self, values: Row) -> Row:
        """Return for each column the first value that was not missing."""
        if self._first is None:
            self._first = np.full(values.shape, math.nan)
        np.copyto(self._first, values, where=np.isnan(self._first))
        return self._first


#: Returns the changed readings of a row, or None if they do not change.
Change = Callable[[Effect, Row, int], Row | None]


def _stuck(effect: Effect, x: Row, number: int) -> Row:
    value = effect.options["value"]  # or the first value of the column
    return effect.first(x if math.isnan(value) else np.full(len(x), value))


def _dropout(effect: Effect, x: Row, number: int) -> Row | None:
    out = effect.rng.random(len(x)) < effect.options["p"]
    return np.where(out, effect.options["code"], x) if out.any() else None


def _spike(effect: Effect, x: Row, number: int) -> Row | None:
    draws = effect.rng.random(len(x)), effect.rng.choice((-1.0, 1.0), len(x))
    hit = draws[0] < effect.options["p"]
    made: Row = x + np.where(hit, effect.options["size"] * draws[1] * effect.sd, 0.0)
    return made if hit.any() else None


def _drift(effect: Effect, x: Row, number: int) -> Row | None:
    grown = (number - effect.fault.first) / DRIFT_ROWS
    made: Row = x * (1.0 + effect.options["gain"] * grown)
    made += effect.options["offset"] * grown * effect.sd
    return made if grown > 0 else None


def _shift(effect: Effect, x: Row, number: int) -> Row:
    return x + effect.first(effect.options["size"] * effect.sd)  # the same amount in every row


def _gain(effect: Effect, x: Row, number: int) -> Row:
    return x * effect.options["by"]


def _replace(effect: Effect, x: Row, number: int) -> Row:
    mean, sd = effect.first(np.array((effect.mean, effect.sd)))  # of the sensor that is replaced
    made: Row = mean + effect.options["gain"] * (x - mean) + effect.options["offset"] * sd
    return made


def _noise(effect: Effect, x: Row, number: int) -> Row:
    return x + effect.options["sd"] * effect.sd * effect.rng.standard_normal(len(x))


def _clip(effect: Effect, x: Row, number: int) -> Row | None:
    made: Row = np.clip(x, effect.options["low"], effect.options["high"])
    return made if (x != made).any() else None


def _quantise(effect: Effect, x: Row, number: int) -> Row:
    made: Row = np.round(x / effect.options["step"]) * effect.options["step"]
    return made


def _swap(effect: Effect, x: Row, number: int) -> Row:
    return x[::-1]


@dataclass(frozen=True)
class Kind:
    """One kind of fault."""

    #: options and their defaults; None if required. ``p`` is the share of rows.
    takes: Mapping[str, float | None]
    #: changes the readings of a row; None if the fault affects entire rows, which `FaultyStream`
    #: handles.
    make: Change | None = None
    #: whether it affects only rows of one class, ``label=``
    of_class: bool = False

    @property
    def of_rows(self) -> bool:
        """Whether it affects entire rows, not columns."""
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
