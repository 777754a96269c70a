"""The complete configuration of a replay, in one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any, NamedTuple

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.configuration import values
from firmware_sim.configuration.fields import OPTIONS, Fields
from firmware_sim.configuration.option import documented
from firmware_sim.configuration.values import NOT_PARAMETERS, RECOMMENDED, canonical, storage_of
from firmware_sim.drawing.document import Report, Section, Table
from firmware_sim.drawing.shown import Noted
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds import KINDS, Kind, Setup, check_implied, implied, kind_of
from firmware_sim.kinds.base import Asked
from firmware_sim.streams import BUNDLED, Stream
from firmware_sim.streams.tables import Frame

#: Rows of the label queue if the delay is in seconds.
_QUEUE = 64


def freezes(config: ReplayConfig) -> bool:
    """Whether the learner stops learning once it is full."""
    algorithm = config.resolved.algorithm
    try:
        resolved = ek.Config(algorithm, n_features=1, budget=64, **config.learner_params)
    except (SimulatorError, TypeError, ValueError):
        return False  # the error is raised where the learner is planned
    return hosting.traits_of(resolved).freezes


def source_of(stream: Any) -> str | Stream | Frame:
    """Return the stream of a configuration: a path as its name, a frame as a source of rows.

    Raises StreamError: it is something else.
    """
    if isinstance(stream, PathLike):
        return str(fspath(stream))
    return stream if isinstance(stream, str | Stream | Frame) else Frame(stream)


class Resolved(NamedTuple):
    """The learner that a configuration leads to."""

    algorithm: str
    params: Mapping[str, Any]
    dtype: str
    kind: str


@documented
@dataclass(frozen=True)
class ReplayConfig(Fields, Noted):
    """The stream, the device and the learner of a replay.

    Fields hold what was asked for; ``resolved`` has the algorithm, its parameters, the storage type
    and the kind of labels that they lead to. Page: docs/options.md.

    Parameters
    ----------
    stream : str, path, Stream, or pandas or polars DataFrame
        The path of a CSV, NPZ, LIBSVM, Excel or Parquet file, the name of a bundled stream, ``-``
        for CSV from standard input, an address as ``mqtt://host/topic``, or a stream object. The
        cells of a frame are read like those of a file, and so is an index of times.
    (options)

    Raises
    ------
    SimulatorError
        A value is not allowed, or two of them contradict each other.
    """

    #: Rows of the season that a forecast is compared with if its learner has none; 0: none. Found
    #: from the rows.
    baseline_season: int = 0
    #: Seconds of a period of a forecast's rows, 0 if each row has one; None if periods without a
    #: target are not filled in. Found from the rows.
    grid: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "stream", source_of(self.stream))
        object.__setattr__(self, "algorithm", canonical(self.algorithm))
        object.__setattr__(self, "params", {**self.params})
        self._take_forecast()
        for name, one in OPTIONS.items():
            one.refuse(name, getattr(self, name))
        self._check_labels()
        for name in NOT_PARAMETERS:
            if name in self.params:
                raise SimulatorError(f"{name} is not a parameter of an algorithm (see --help)")
        self._check_scaling()
        self._check_device()
        self._check_held_out()
        self._check_windows()

    def _take_forecast(self) -> None:
        """Set the target and the kind of labels of a forecast, and refuse what contradicts it."""
        column = self.forecast
        if column is None:
            return
        kind = next(name for name, one in KINDS.items() if one.is_forecast)
        for name, value in (("target", column), ("kind", kind)):
            if getattr(self, name) not in (None, "", value):
                raise SimulatorError(
                    f"forecast is {column!r}, and {name} is {getattr(self, name)!r}: leave {name} "
                    "out"
                )
            object.__setattr__(self, name, value)
        if self.label_delay or self.label_missing or self.ask or self.label_queue:
            raise SimulatorError(
                "forecast brings each target when its row comes: label-delay, label-queue, "
                "label-missing and ask do not apply"
            )
        if "horizon" in self.params:
            raise SimulatorError("the horizon of a forecast is an option of its own: --horizon")
        if self.power_cut is not None:
            raise SimulatorError("forecast cannot be combined with power-cut")
        if isinstance(self.season, int) and 0 < self.season < self.rows_ahead:
            raise SimulatorError(
                f"season is {self.season}: it must be at least the horizon, {self.horizon} rows"
            )

    @property
    def rows_ahead(self) -> int:
        """Rows that a forecast looks ahead; 0 if there is none, or before its time is in rows."""
        if self.forecast is None or not isinstance(self.horizon, int):
            return 0
        return self.horizon

    def _report(self) -> Report:
        """The options that were given, and the learner that they lead to."""
        algorithm, params, dtype, kind = self.resolved
        given = {
            name: (value, one)
            for name, one in OPTIONS.items()
            if (value := getattr(self, name)) != one.default or name == "ram"
        }
        table = Table(
            "options",
            "",
            ("option", "value", "meaning"),
            [(name, str(value), one.help) for name, (value, one) in given.items()],
            sentences=("value", "meaning"),
        )
        shown = ", ".join(f"{name}={value!r}" for name, value in params.items())
        return Report(
            f"Replay of {getattr(self.stream, 'name', self.stream)}",
            f"{algorithm}{f' ({shown})' if shown else ''} in {self.cap_bytes:,} bytes, {dtype}, "
            f"for {KINDS[kind].about}",
            [Section("options", "Options", "all others have their defaults", table=table)],
        )

    @cached_property
    def resolved(self) -> Resolved:
        """What the fields ask for, with the defaults in place of what they leave open.

        Fields hold only what was asked for: `dataclasses.replace` of one must not meet the defaults
        that another had led to.
        """
        algorithm, params = self.algorithm, dict(self.params)
        if not algorithm:
            algorithm, params = RECOMMENDED, self._recommended()
        elif self.scale == "common" and "scale" not in params:
            params = {**self._inside(), **params}
        if self.forecast is not None and algorithm == RECOMMENDED:
            known = {"season": self.season} if isinstance(self.season, int) and self.season else {}
            params = {"history": True, **known, **params}
        kind = self.kind or implied(params, self.classes)
        return Resolved(algorithm, params, self.dtype or storage_of(algorithm), kind)

    @cached_property
    def label_kind(self) -> Kind:
        """The kind of labels that the learner is for."""
        algorithm, params, _, kind = self.resolved
        setup = Setup(
            *(algorithm, params, self.classes, self.positive, self.missing_codes, self.period),
            *(self.cost, self.beta, self.decision, self.rows_ahead),
            season=(self.season if isinstance(self.season, int) else 0) or self.baseline_season,
            zone=self.clock_zone,
            of_windows=self.window is not None,
        )
        return kind_of(kind, setup)

    def _check_scaling(self) -> None:
        """Raise an error for options that need scaled readings, if readings are not scaled."""
        if self.scale != "none":
            return
        if self.dtype == "int8" and storage_of(self.resolved.algorithm) != "int8":
            raise SimulatorError("dtype int8 needs scaled readings, but scale is 'none'")
        if self.freeze_after is not None:
            raise SimulatorError("freeze-after needs a scaler, but scale is 'none'")

    def _check_device(self) -> None:
        """Raise an error for an invalid period or cap, or a limit without a process."""
        if self.limit_by != "auto" and self.enforce != "process":
            raise SimulatorError("limit-by is for --enforce process")
        if self.period == float("inf"):
            raise SimulatorError("period is inf, it must be finite")
        if self.cap_bytes < 1:
            raise SimulatorError(f"ram is {self.ram!r}, it must be at least 1 byte")

    @property
    def holds_out(self) -> bool:
        """Whether errors are also measured on rows that the learner does not learn from."""
        return self.train_rows is not None or self.test is not None or self.group is not None

    @property
    def windows(self) -> dict[str, Any] | None:
        """The arguments of `edgeolk.Windows` besides channels; None without windows."""
        if self.window is None:
            return None
        return {
            "size": self.window,
            "hop": self.hop or max(1, self.window // 2),
            "features": self.features or "vibration",
            "rate": self.rate or 1.0,
            "dtype": "int16" if self.row == "int16" else "float32",
            "envelope": self.envelope,
        }

    def _check_windows(self) -> None:
        """Raise an error for impossible windows, and for what they cannot be combined with."""
        if self.windows is None:
            return
        for name in ("forecast", "faults", "missing_codes", "test", "clock"):
            if getattr(self, name):
                raise SimulatorError(
                    f"window cannot be combined with {name.replace('_', '-')}, which is for rows "
                    "as they are logged"
                )
        try:
            ek.windows_plan(2, **self.windows)
        except (TypeError, ValueError) as error:
            raise SimulatorError(f"window: {error}") from None

    def _check_held_out(self) -> None:
        """Raise an error for contradictory options of rows that are not learned from."""
        if not self.holds_out:
            return
        kind = self.label_kind
        if not kind.is_supervised:
            raise SimulatorError(
                "train-rows, test and group measure the errors of learners that need labels; "
                f"--kind {kind.name} learns without; learn healthy rows with Learner.learn_many, "
                "and judge later ones by decision_function (docs/vibration.md)"
            )
        if self.group is None:
            return
        if self.train_rows is not None or self.test is not None:
            raise SimulatorError(
                "group holds rows out itself: it cannot be combined with train-rows or test"
            )
        if self.every is not None:
            raise SimulatorError("every joins rows of a period, which may be of several groups")
        if self.group in (self.target, *self.ignore):
            raise SimulatorError(
                f"group is {self.group!r}: it cannot be both the group and the target or ignored"
            )
        if self.forecast is not None:
            raise SimulatorError("group takes rows out of their order, which a forecast needs")
        if kind.uses_order:
            raise SimulatorError(
                "group takes rows out of their order, which this learner uses: leave out "
                "--param history"
            )

    def _recommended(self) -> dict[str, Any]:
        """Parameters of the recommended learner: its own scaler and width where none are asked."""
        inside = self._inside()
        if self.gamma is None and self.kernel == "gaussian":
            inside["gamma"] = "auto"
        is_plain = inside.get("scale") == OPTIONS["scale"].default and "gamma" in inside
        asked = Asked(
            *(self.params, inside, is_plain, bool(self.kind), self.waits_for_labels, self.ask),
            is_grouped=self.group is not None,
        )
        kind = KINDS[self.kind or implied(self.params)]
        return {**kind.recommended(asked), **self.params}

    def _inside(self) -> dict[str, Any]:
        """Return the arguments of a learner with its own scaler, according to the options."""
        inside: dict[str, Any] = {}
        if self.scale in OPTIONS["scale"].choices and self.scale != "none":
            inside["scale"] = self.scale
            if self.freeze_after is not None:
                inside["freeze_after"] = self.freeze_after
        return inside

    def outside(self) -> ReplayConfig:
        """Return the configuration with scaler and width outside the learner, to share scaled rows.

        Raises SimulatorError: the scaler exists only inside a learner.
        """
        if self.scale == "common":
            raise SimulatorError("scale common is inside a learner: runs here share scaled rows")
        inside = (
            "scale", "freeze_after", "history", "horizon", "season", "interval", "last_label",
            "lapse", "lags",
        )  # fmt: skip
        asked = {
            name: value
            for name, value in self.params.items()
            if name not in inside and value != "auto"
        }
        algorithm, _, _, kind = self.resolved
        # Some have no scaler outside, nor a width; the figures of a forecast are a forecaster's.
        is_other = self.forecast is not None and algorithm != RECOMMENDED
        if hosting.scales_itself(algorithm) or is_other:
            algorithm, asked = RECOMMENDED, {"loss": "square"}
        return replace(self, algorithm=algorithm, params=asked, kind=kind)

    def pinned(self) -> ReplayConfig:
        """Return the same with every default of its learner asked for by name.

        What is changed in it afterwards leaves the others as they are.
        """
        return replace(self, **self.resolved._asdict())

    def of_rows(self, stream: Stream, **changes: Any) -> ReplayConfig:
        """Return the configuration of a replay of rows that are made already.

        What made them stays in the plan of the memory (windows) but is not done again (faults,
        windows, joining, the shift of a forecast: see `Stream.windows`, `Stream.ahead`).

        stream: the rows.
        changes: other fields.
        """
        return replace(self, stream=stream, **{"faults": (), "every": None, **changes})

    @property
    def missing_numbers(self) -> tuple[float, ...]:
        """Numbers that mean "missing"."""
        return tuple(code for code in self.missing_codes if not isinstance(code, str))

    @property
    def missing_words(self) -> frozenset[str]:
        """Additional words for "missing", in lowercase."""
        return frozenset(code.lower() for code in self.missing_codes if isinstance(code, str))

    @property
    def takes_gaps(self) -> bool:
        """Whether the learner receives missing readings as NaN."""
        takes = self.label_kind.uses_order and not hosting.scales_itself(self.resolved.algorithm)
        return takes and self.missing == OPTIONS["missing"].default

    @property
    def scales_inside(self) -> bool:
        """Whether the learner has its own scaler, in its block."""
        return self.label_kind.scales_itself or self.resolved.params.get("scale") is not None

    @property
    def scales_outside(self) -> bool:
        """Whether the device scales before the learner."""
        return self.scale != "none" and not self.scales_inside

    @property
    def chooses_inside(self) -> bool:
        """Whether the learner chooses the width of its kernel itself."""
        params = self.resolved.params
        automatic = "auto" in (params.get("gamma"), params.get("kernel_gamma"))
        return self.label_kind.scales_itself or automatic

    @property
    def waits_for_labels(self) -> bool:
        """Whether labels may arrive late, never, or only on request."""
        return bool(self.delay[0] or self.label_missing or self.ask)

    def _check_labels(self) -> None:
        """Raise an error for contradictory options of labels."""
        self._check_kind()
        kind = self.label_kind
        kind.check(ask=self.ask, gap=self.gap, process=self.enforce == "process")
        delay, _ = self.delay
        if self.label_queue is not None and (self.label_queue < 1 or not delay):
            raise SimulatorError(
                f"label-queue is {self.label_queue}: it must be at least 1, and needs --label-delay"
            )
        if self.waits_for_labels and not kind.is_supervised:
            raise SimulatorError(
                "novelty learns without labels: they cannot be late, missing or requested"
            )

    def _check_kind(self) -> None:
        """Raise an error for options of another kind of labels."""
        algorithm, params, _, name = self.resolved
        check_implied(name, params, algorithm)
        kind = KINDS[name]
        bundled = BUNDLED.get(self.stream) if isinstance(self.stream, str) else None
        if bundled and bundled.kind and kind.is_default and self.target is None:
            raise SimulatorError(
                f"{bundled.target!r} of {bundled.name} does not have two classes: give "
                f"--kind {bundled.kind}"
            )
        if self.positive is not None and not kind.takes_positive:
            raise SimulatorError(f"--positive is for labels of two classes, not for {kind.noun}")
        goals = [name for name in ("cost", "beta", "decision") if getattr(self, name)]
        if len(goals) > 1:
            both = " and ".join(goals)
            raise SimulatorError(f"{both} choose the same threshold: give one of them")
        if goals and not (kind.takes_positive and kind.is_supervised):
            raise SimulatorError(f"--{goals[0]} is for labels of two classes, not for {kind.noun}")
        if self.classes and not kind.takes_classes:
            raise SimulatorError("--classes is for --kind multiclass")
        number = params.get("n_classes")
        if isinstance(number, int) and number < len(self.classes):
            # Otherwise the rows of the other classes would be refused one by one.
            raise SimulatorError(
                f"n_classes is {number}, and there are {len(self.classes)} classes: it must be at "
                f"least {len(self.classes)}; left out, it is that"
            )
        if len(self.classes) == 1 or len(set(self.classes)) < len(self.classes):
            raise SimulatorError("--classes must name at least two classes, each once")

    @property
    def learner_params(self) -> dict[str, Any]:
        """The algorithm's own parameters, with those that the kind of labels requires.

        Rows are scaled inside the learner only if these parameters say so, else by the device.

        Raises SimulatorError: the algorithm does not support this kind.
        """
        kind, params = self.label_kind, self.resolved.params
        late = kind.queued_params(self.queue_rows)
        return {"scale": None, **kind.learner_params(), **late, **params}

    @property
    def is_eventful(self) -> bool:
        """Whether labels arrive late, never or only on request, or there are power cuts."""
        delay, _ = self.delay
        return bool(delay or self.label_missing or self.ask or self.power_cut)

    @cached_property
    def delay(self) -> tuple[float, bool]:
        """The delay of labels, and whether it is in seconds.

        The target of a row ahead comes as late as the row. That of the next row arrives before
        another row is answered, as if it came at once.

        Raises SimulatorError: it is neither a number of rows nor of seconds.
        """
        if self.rows_ahead > 1:
            return float(self.rows_ahead), False
        return values.label_delay(self.label_delay)

    @property
    def queue_rows(self) -> int:
        """Rows in the queue of pending labels, 0 if labels arrive with their rows."""
        delay, in_seconds = self.delay
        if not delay:
            return 0
        return self.label_queue or (_QUEUE if in_seconds else int(delay))

    @property
    def cap_bytes(self) -> int:
        """The cap in bytes.

        Raises SimulatorError: it is not a size.
        """
        if isinstance(self.ram, int):
            return self.ram
        try:
            return int(ek.parse_bytes(self.ram))
        except (TypeError, ValueError) as error:
            raise SimulatorError(str(error)) from None
