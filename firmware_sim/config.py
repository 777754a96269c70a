"""Everything a replay depends on, in one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import edgeolk as ek
from firmware_sim.boards import board_of
from firmware_sim.configuration import moments
from firmware_sim.configuration.choices import (
    CHOICES,
    NOT_PARAMETERS,
    RECOMMENDED,
    SCALES,
    canonical,
    storage_of,
)
from firmware_sim.errors import SimulatorError
from firmware_sim.streams import BUNDLED, Stream
from firmware_sim.streams.faults import parse
from firmware_sim.tasks.kinds import KINDS, kind_of

#: Rows that can wait for a label that is late by a number of seconds.
_QUEUE = 64
#: Fields that count something, from 1.
_COUNTS = ("budget", "freeze_after", "limit", "prefix", "category_slots", "checkpoint_every")


def _option(field: str) -> str:
    """Return a field as the command line writes it."""
    return field.replace("_", "-")


def freezes(config: ReplayConfig) -> bool:
    """Whether the learner takes nothing more in once it is full."""
    try:
        made = ek.Config(config.algorithm, n_features=1, budget=64, **config.learner_params)
    except (SimulatorError, TypeError, ValueError):
        return False  # the error is raised where the learner is planned
    return made.freezes


@dataclass(frozen=True)
class ReplayConfig:
    """What to replay, on which device, with which learner.

    Parameters
    ----------
    stream : str or Stream
        The path of a CSV file, plain or packed, the name of a bundled stream, or a stream object.
    target : str, optional
        The label column; bundled streams know theirs.
    ignore : tuple of str
        Columns that are not readings.
    positive : str, optional
        The label that means +1; without it labels are 1 and -1, or 1 and 0.
    kind : {"binary", "multiclass", "regression", "novelty"}
        What the labels are: two classes, several, real numbers, or none that the learner is told
        (a target column then only judges it, and may be left out). By default what the
        algorithm's parameters are for, two classes where they say nothing.
    classes : tuple of str
        The names of several classes in the order of the learner's numbers; by default those that
        occur in the stream, found in a pass of its own.
    ram : int or str
        The cap for row buffer, scaler and learner together, in bytes or as ``"64KiB"``.
    algorithm : str
        A published algorithm of `edgeolk`, for which the device scales and chooses the width, as in
        a comparison. Without one the recommended one, which does both itself: it has the scaler in
        its own block and makes its width from the rows it learns first.
    budget : int, optional
        The most support vectors; by default the most that the rest of the cap holds.
    params : mapping
        The algorithm's own parameters, by their names in `edgeolk`.
    kernel : {"gaussian", "laplacian", "polynomial", "linear", "sigmoid"}
        The kernel.
    gamma : float, optional
        Width of a Gaussian or Laplacian kernel, factor of the inner product in a polynomial
        or sigmoid one. By default chosen from the first rows (`prefix`).
    degree : int
        Degree of the polynomial kernel; by default that of `edgeolk.Polynomial`.
    offset : float, optional
        Constant term of the polynomial and sigmoid kernels; by default their own in `edgeolk`.
    dtype : {"float32", "float64", "float16", "int8"}, optional
        How support vectors are stored; the levels of int8 are those of scaled readings.
    seed : int
        Seed of the algorithms that draw random numbers.
    scale : {"standard", "minmax", "none"}
        How readings are scaled.
    freeze_after : int, optional
        Rows after which the scaler learns no more.
    missing : {"skip", "stop", "last", "mean"}
        What becomes of a row with an absent reading: it is left out, ends the replay, or the last
        value or the running mean stands in, each kept in the device's memory.
    missing_codes : tuple of float
        Readings that mean "absent", besides NaN, infinities and empty cells.
    damaged : {"skip", "stop"}
        What a row that cannot be read does: too few cells or too many, a word where the column
        has numbers.
    time : str
        The column that tells when a row was taken, which is no reading; "auto" for one that is
        recognised, "none" for no recognition.
    categories : {"refuse", "onehot", "hash"}
        What becomes of a column of text: a refusal, a reading of 0 or 1 for each of its commonest
        words, or for each of a fixed number of hash values.
    category_slots : int
        The most readings made of such a column.
    idle : float, optional
        Seconds without a row after which a live stream has ended; by default it is waited on.
    faults : tuple of str
        What breaks, as ``"stuck:column=light,from=1000,to=2000"``; see `streams.faults.KINDS`.
    fault_seed : int, optional
        Seed of what breaks; by default that of the algorithm.
    label_delay : int or str
        Rows after which a label comes, or seconds as ``"90s"``.
    label_queue : int, optional
        Rows that can wait for their label; by default as many as the delay has rows, 64 where it is
        in seconds.
    label_missing : float
        Share of the labels that never come.
    ask : bool
        Whether only the labels count that the learner asks for.
    power_cut : str, optional
        When the power goes: ``"every=5000"`` or ``"at=7000"`` rows, ``"random=0.001"`` of them. The
        board goes on from its last checkpoint.
    checkpoint_every : int
        Rows learned between two checkpoints.
    limit : int, optional
        The most rows to read.
    prefix : int
        Rows from which a width is chosen.
    device : str, optional
        A board of `boards.BOARDS` to judge by: whether all fits, and how long a step takes.
    period : float, optional
        Seconds between rows; by default told by the time column.
    enforce : {"arena", "process"}
        How the cap is enforced: by guard pages around one block that holds everything, or by a
        limit on the growth of a process the learner has for itself.
    limit_by : {"auto", "cgroup", "seccomp", "rlimit"}
        The limit put on that process: the first one that can be had, or this one.
    leak : int
        Bytes to leak on purpose every step, to see the enforcement at work.

    Raises
    ------
    SimulatorError
        A value is not allowed, or two of them contradict each other.
    """

    stream: str | Stream
    ram: int | str = "64KiB"
    algorithm: str = ""
    target: str | None = None
    ignore: tuple[str, ...] = ()
    positive: str | None = None
    kind: str = ""
    classes: tuple[str, ...] = ()
    budget: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    kernel: str = "gaussian"
    gamma: float | None = None
    degree: int = ek.Polynomial.degree
    offset: float | None = None
    dtype: str = ""
    seed: int = 0
    scale: str = "standard"
    freeze_after: int | None = None
    missing: str = "skip"
    missing_codes: tuple[float, ...] = ()
    damaged: str = "skip"
    time: str = "auto"
    categories: str = "refuse"
    category_slots: int = 8
    idle: float | None = None
    faults: tuple[str, ...] = ()
    fault_seed: int | None = None
    label_delay: int | str = 0
    label_queue: int | None = None
    label_missing: float = 0.0
    ask: bool = False
    power_cut: str | None = None
    checkpoint_every: int = 1_000
    limit: int | None = None
    prefix: int = 500
    device: str | None = None
    period: float | None = None
    enforce: str = "arena"
    limit_by: str = "auto"
    leak: int = 0

    def __post_init__(self) -> None:
        if not self.algorithm:
            self._recommend()
        object.__setattr__(self, "algorithm", canonical(self.algorithm))
        if not self.dtype:
            object.__setattr__(self, "dtype", storage_of(self.algorithm))
        if not self.kind:
            usual = "multiclass" if self.classes else kind_of(self.params)
            object.__setattr__(self, "kind", usual)
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise SimulatorError(
                    f"{_option(name)} is {getattr(self, name)!r}, it must be one of: "
                    f"{', '.join(allowed)}"
                )
        self._check_numbers(_COUNTS, least=1)
        self._check_labels()
        for text in self.faults:
            parse(text)
        self._check_seconds("idle")
        for name in NOT_PARAMETERS:
            if name in self.params:
                raise SimulatorError(f"{name} is not a parameter of an algorithm (see --help)")
        self._check_numbers(("seed", "fault_seed", "leak"), least=0)
        self._check_scaling()
        self._check_device()

    def _check_numbers(self, names: tuple[str, ...], least: int) -> None:
        """Refuse a number below the least."""
        for name in names:
            value = getattr(self, name)
            if value is not None and value < least:
                raise SimulatorError(f"{_option(name)} is {value}, it must be at least {least}")

    def _check_seconds(self, name: str) -> None:
        """Refuse a time of 0 seconds or less."""
        value = getattr(self, name)
        if value is not None and not value > 0.0:
            raise SimulatorError(f"{name} is {value}, it must be more than 0 seconds")

    def _check_scaling(self) -> None:
        """Refuse what needs scaled readings where readings are not scaled."""
        if self.scale != "none":
            return
        if self.dtype == "int8" and storage_of(self.algorithm) != "int8":
            raise SimulatorError("dtype int8 needs scaled readings, and scale is 'none'")
        if self.freeze_after is not None:
            raise SimulatorError("freeze-after needs a scaler, and scale is 'none'")

    def _check_device(self) -> None:
        """Refuse a board, a power cut, a period or a cap that cannot be."""
        if self.limit_by != "auto" and self.enforce != "process":
            raise SimulatorError("limit-by is for --enforce process")
        if self.device is not None:
            board_of(self.device)
        if self.power_cut is not None:
            moments.power_cut(self.power_cut)
        if self.period == float("inf"):
            raise SimulatorError("period is inf, it must be finite")
        self._check_seconds("period")
        if self.cap_bytes < 1:
            raise SimulatorError(f"ram is {self.ram!r}, it must be at least 1 byte")

    def _recommend(self) -> None:
        """Take the recommended learner, with its own scaler and width where none are asked for."""
        inside: dict[str, Any] = {}
        if self.scale in SCALES and self.scale != "none":
            inside["scale"] = self.scale
            if self.freeze_after is not None:
                inside["freeze_after"] = self.freeze_after
        if self.gamma is None and self.kernel == "gaussian":
            inside["gamma"] = "auto"
        object.__setattr__(self, "algorithm", RECOMMENDED)
        object.__setattr__(self, "params", {**inside, **self.params})

    def outside(self) -> ReplayConfig:
        """Return the same with scaler and width outside the learner, for runs that share rows."""
        inside = ("scale", "freeze_after")
        said = {
            name: value
            for name, value in self.params.items()
            if name not in inside and value != "auto"
        }
        return replace(self, params=said) if self.scales_inside or self.chooses_inside else self

    @property
    def scales_inside(self) -> bool:
        """Whether the learner scales by itself, in its own block."""
        return self.params.get("scale") is not None

    @property
    def scales_outside(self) -> bool:
        """Whether the device scales before the learner."""
        return self.scale != "none" and not self.scales_inside

    @property
    def chooses_inside(self) -> bool:
        """Whether the learner makes the width of its kernel itself."""
        return "auto" in (self.params.get("gamma"), self.params.get("kernel_gamma"))

    @property
    def waits_for_labels(self) -> bool:
        """Whether labels may come without their rows: late, never, or when they are asked for."""
        return bool(self.delay[0] or self.label_missing or self.ask)

    def _check_labels(self) -> None:
        """Refuse options of labels that make no sense."""
        if not 0.0 <= self.label_missing < 1.0:
            raise SimulatorError(
                f"label-missing is {self.label_missing}, it must be at least 0 and below 1"
            )
        self._check_kind()
        delay, _ = self.delay
        if self.label_queue is not None and (self.label_queue < 1 or not delay):
            raise SimulatorError(
                f"label-queue is {self.label_queue}: it must be at least 1, and labels late"
            )
        if self.waits_for_labels and not KINDS[self.kind].is_taught:
            raise SimulatorError(
                "novelty learns without labels: none can be late, missing or asked"
            )

    def _check_kind(self) -> None:
        """Refuse options that are for another kind of labels."""
        kind = kind_of(self.params)
        if kind not in ("binary", self.kind):
            raise SimulatorError(
                f"kind is {self.kind!r}, and the parameters of {self.algorithm} are for {kind!r}"
            )
        bundled = BUNDLED.get(self.stream) if isinstance(self.stream, str) else None
        if bundled and bundled.kind and self.kind == "binary" and self.target is None:
            raise SimulatorError(
                f"{bundled.target!r} of {bundled.name} is not of two classes: give "
                f"--kind {bundled.kind}"
            )
        if self.positive is not None and self.kind not in ("binary", "novelty"):
            what = "real numbers" if self.is_regression else "several classes"
            raise SimulatorError(f"--positive is for labels of two classes, not for {what}")
        if self.classes and self.kind != "multiclass":
            raise SimulatorError("--classes is for --kind multiclass")
        number = self.params.get("n_classes")
        if isinstance(number, int) and number < len(self.classes):
            # The rows of the other classes would be refused one by one, and look like few rows.
            raise SimulatorError(
                f"n_classes is {number}, and there are {len(self.classes)} classes: it must be at "
                f"least {len(self.classes)}; left out, it is that"
            )
        if len(self.classes) == 1 or len(set(self.classes)) < len(self.classes):
            raise SimulatorError("--classes must name two classes at least, each once")

    @property
    def learner_params(self) -> dict[str, Any]:
        """The algorithm's own parameters, with what the kind of labels asks for.

        Rows are scaled inside the learner only where these say so: otherwise the device does it.

        Raises
        ------
        SimulatorError
            The algorithm does not go with this kind.
        """
        return {"scale": None, **KINDS[self.kind].params(self), **self.params}

    @property
    def is_eventful(self) -> bool:
        """Whether labels come late, never, or only where they are asked for, or the power goes."""
        delay, _ = self.delay
        return bool(delay or self.label_missing or self.ask or self.power_cut)

    @property
    def is_regression(self) -> bool:
        """Whether the learner learns real numbers."""
        return self.kind == "regression"

    @property
    def delay(self) -> tuple[float, bool]:
        """How late labels come, and whether that is in seconds.

        Raises
        ------
        SimulatorError
            It is neither a number of rows nor of seconds.
        """
        return moments.label_delay(self.label_delay)

    @property
    def queue_rows(self) -> int:
        """Rows that can wait for their label, 0 where labels come at once."""
        delay, in_seconds = self.delay
        if not delay:
            return 0
        return self.label_queue or (_QUEUE if in_seconds else int(delay))

    @property
    def cap_bytes(self) -> int:
        """The cap as a number of bytes.

        Raises
        ------
        SimulatorError
            It is no size.
        """
        if isinstance(self.ram, int):
            return self.ram
        try:
            return int(ek.parse_bytes(self.ram))
        except (TypeError, ValueError) as error:
            raise SimulatorError(str(error)) from None
