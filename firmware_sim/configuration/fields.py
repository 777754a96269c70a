"""The options of a replay: a field each, with all that is true of it.

What an option is called, what it may be, what it is for and where it may be said stands here and
nowhere else; what it does is the business of whoever reads the field of `ReplayConfig`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import edgeolk as ek
from edgeolk.parts.numbers import Dtype
from firmware_sim.boards import BOARDS, board_of
from firmware_sim.configuration import moments, values
from firmware_sim.configuration.choices import OFFSETS, RECOMMENDED
from firmware_sim.configuration.option import (
    COMPARE,
    COUNT,
    FLEET,
    FROM_0,
    INTEGER,
    MANIFEST,
    NAMES,
    NUMBER,
    READERS,
    RECORD,
    REPLAY,
    SECONDS,
    SHARE,
    TABLE,
    TUNE,
    Value,
    option,
    options_of,
)
from firmware_sim.streams import Stream
from firmware_sim.streams.faults import KINDS as FAULTS
from firmware_sim.streams.faults import parse
from firmware_sim.tasks.kinds import KINDS

_KERNELS = ("gaussian", "laplacian", "polynomial", "linear", "sigmoid")
_SCALES = ("standard", "minmax", "common", "none")
_ROWS = ("auto", "float32", "float64", "int16")
_DTYPES = tuple(dtype.name.lower() for dtype in Dtype)
_PARAMETER = Value("NAME=VALUE", values.parameter, values.written)
_LEAK = FROM_0._replace(
    metavar="leak=SIZE", read=values.leak, write=lambda nbytes: f"leak={nbytes}"
)
#: Of ``--help``, in this order.
HEADINGS = ("stream", "what goes wrong", "device", "learner")
# The options under each, and where they may be said if they do not say it themselves.
_stream = partial(option, group=HEADINGS[0], where=READERS)
_trouble = partial(option, group=HEADINGS[1], where=REPLAY)
_device = partial(option, group=HEADINGS[2], where=REPLAY)
_learner = partial(option, group=HEADINGS[3], where=REPLAY | TABLE)


def _no_width_chosen(config: Any) -> str:
    width = config.kernel in ("gaussian", "laplacian") and config.gamma is None
    return "" if width and not config.chooses_inside else "no width is chosen by it"


def _of_kernels(*kernels: str) -> Any:
    """Return why an option of some kernels changes nothing with another."""
    return lambda config: "" if config.kernel in kernels else f"the {config.kernel} kernel has none"


@dataclass(frozen=True)
class Fields:
    """What a replay may be told, beside its stream."""

    stream: str | Stream
    ram: int | str = _device(
        "64KiB",
        "the cap: 64KiB, 16kB, 4096 (default: 64KiB, or what the device has, if less)",
        metavar="SIZE",
        where=REPLAY | TABLE | TUNE,
    )
    algorithm: str = _learner(
        "",
        f"default: {RECOMMENDED}, which scales its inputs and finds its width",
        metavar="NAME",
        where=REPLAY | TABLE | TUNE,
    )
    target: str | None = _stream(
        None,
        "the label column (bundled streams know theirs)",
        metavar="COLUMN",
        where=READERS | MANIFEST | FLEET,
    )
    ignore: tuple[str, ...] = _stream(
        (),
        "columns that are not readings (repeatable); in quotes, a name may hold commas",
        NAMES._replace(metavar="COL[,COL]"),
        again=True,
        where=READERS | MANIFEST,
    )
    positive: str | None = _stream(
        None,
        "the label that means +1 (default: 1; 0 or -1 is -1)",
        metavar="VALUE",
        where=READERS | MANIFEST | FLEET,
    )
    kind: str = _stream(
        "",
        "what is learned: two classes, several, real targets, or novelty without labels (a target "
        "column then only judges the alarms); default: as --param says, else two classes",
        choices=tuple(KINDS),
        where=READERS | TABLE | MANIFEST | FLEET,
    )
    classes: tuple[str, ...] = _stream(
        (),
        "the classes in the learner's order (default: those that occur); in quotes, a name may "
        "hold commas",
        NAMES,
        where=READERS | TABLE | MANIFEST,
    )
    budget: int | None = _learner(None, "most support vectors (default: what fits)", COUNT)
    params: Mapping[str, Any] = _learner(
        {},
        "one of the algorithm's own parameters (repeatable)",
        _PARAMETER,
        flag="param",
        again=True,
        where=REPLAY | TABLE | TUNE,
    )
    kernel: str = _learner("gaussian", "the kernel", choices=_KERNELS)
    gamma: float | None = _learner(
        None,
        "width of a Gaussian or Laplacian kernel, factor of the inner product in the others "
        "(default: auto, from the first rows)",
        Value("auto|X", values.gamma),
        where=REPLAY | TABLE | COMPARE,
        idle=_of_kernels(*(kernel for kernel in _KERNELS if kernel != "linear")),
    )
    degree: int = _learner(
        ek.Polynomial.degree, "of the polynomial kernel", INTEGER, idle=_of_kernels("polynomial")
    )
    offset: float | None = _learner(
        None,
        "constant term of the polynomial and sigmoid kernels (default: "
        f"{OFFSETS['polynomial']:g} and {OFFSETS['sigmoid']:g})",
        NUMBER,
        idle=_of_kernels("polynomial", "sigmoid"),
    )
    dtype: str = _learner(
        "",
        "of support vectors, or of weights (default: the algorithm's own)",
        choices=_DTYPES,
        where=READERS | TABLE,
    )
    seed: int = _learner(0, "of an algorithm that draws", FROM_0, where=REPLAY | TABLE | TUNE)
    scale: str = _device(
        "standard",
        "how readings are scaled; common: one scale for all, inside the learner",
        choices=_SCALES,
        where=READERS | TABLE,
    )
    row: str = _device(
        "auto",
        "type of the row buffer, as the board reads its sensors; auto: float32, or the type of "
        "storage where that is float64",
        choices=_ROWS,
        where=REPLAY | TABLE,
    )
    freeze_after: int | None = _device(
        None, "the scaler stops learning after N rows", COUNT, where=REPLAY | TABLE | COMPARE
    )
    missing: str = _stream(
        "skip",
        "rows with a missing reading: skip them (unless the learner knows rows in order, and so what "
        "a missing one means), stop, or substitute the last value or the mean (kept in the device's "
        "memory)",
        choices=("skip", "stop", "last", "mean"),
        where=READERS | MANIFEST,
    )
    missing_codes: tuple[float | str, ...] = _stream(
        (),
        "a number or word that means 'missing', such as -200 or offline (repeatable); unavailable, "
        "unknown, nan, n/a, null, none and empty cells always do",
        Value("CODE", values.code),
        flag="missing-code",
        again=True,
        where=READERS | MANIFEST,
    )
    damaged: str = _stream(
        "skip",
        "rows that cannot be parsed (too few cells, a word among numbers): skip them, or stop",
        choices=("skip", "stop"),
    )
    time: str = _stream(
        "auto",
        "the column of times, which is not an input ('auto': detect it; 'none': there is none)",
        metavar="COLUMN",
        where=READERS | MANIFEST,
    )
    clock: bool = _stream(
        False,
        "add time of day and time of week as inputs: sine and cosine of each, from the time column",
        Value(read=values.flag),
        where=READERS | MANIFEST | FLEET,
    )
    categories: str = _stream(
        "refuse",
        "columns of text: an error, or inputs of 0 and 1 for the commonest words or hash values",
        choices=("refuse", "onehot", "hash"),
        where=READERS | MANIFEST,
    )
    category_slots: int = _stream(
        8,
        "inputs made of such a column at most",
        COUNT,
        where=READERS | MANIFEST,
        idle=lambda config: "" if config.categories != "refuse" else "it is for --categories",
    )
    idle: float | None = _stream(
        None,
        "a live stream has ended when nothing has come for so long (default: wait)",
        SECONDS,
        where=READERS | RECORD,
    )
    faults: tuple[str, ...] = _trouble(
        (),
        f"break sensors (repeatable): {', '.join(FAULTS)}; as in "
        "stuck:column=light,from=1000,to=2000",
        metavar="KIND[:...]",
        flag="fault",
        check=parse,
        again=True,
        where=REPLAY | COMPARE | MANIFEST,
    )
    fault_seed: int | None = _trouble(
        None,
        "seed of the faults (default: --seed)",
        FROM_0,
        where=REPLAY | COMPARE | MANIFEST,
        idle=lambda config: "" if config.faults else "it is for --fault",
    )
    label_delay: int | str = _trouble(
        0,
        "delay of the labels: 20 rows, or 90s",
        metavar="ROWS|SECONDSs",
        check=moments.label_delay,
        where=REPLAY | TABLE | MANIFEST,
    )
    label_queue: int | None = _trouble(
        None,
        "rows that can wait for their label (default: as many as the delay, or 64)",
        COUNT,
        where=REPLAY | TABLE | MANIFEST,
    )
    label_missing: float = _trouble(
        0.0, "share of the labels that never come", SHARE, where=REPLAY | TABLE | MANIFEST
    )
    gap: float | None = _trouble(
        None,
        "a longer stop, in seconds, makes learners of rows in time forget their history",
        SECONDS,
        where=REPLAY | TABLE,
    )
    frozen_after: int = _trouble(
        1_000,
        "also report the error of the same learner, frozen after N rows; 0: do not",
        FROM_0,
        where=REPLAY | COMPARE,
    )
    ask: bool = _trouble(
        False, "tell only the labels that the learner asks for", where=REPLAY | TABLE
    )
    power_cut: str | None = _trouble(
        None,
        "cut the power; the board continues from its last checkpoint",
        metavar="every=N|at=ROW|random=P",
        check=moments.power_cut,
        where=REPLAY | TABLE | MANIFEST,
    )
    checkpoint_every: int = _trouble(
        1_000,
        "rows learned between checkpoints",
        COUNT,
        where=REPLAY | TABLE | MANIFEST,
        idle=lambda config: "" if config.power_cut is not None else "it is for --power-cut",
    )
    limit: int | None = _stream(
        None, "read at most N rows", COUNT, where=READERS | MANIFEST | RECORD
    )
    prefix: int = _learner(
        500,
        "rows for --gamma auto",
        COUNT,
        where=REPLAY | TABLE | COMPARE,
        idle=_no_width_chosen,
    )
    device: str | None = _device(
        None,
        f"check against a board: {', '.join(BOARDS)}; see `devices`",
        metavar="BOARD",
        check=board_of,
    )
    period: float | None = _device(
        None,
        "time between rows (default: as the time column tells)",
        SECONDS,
        where=REPLAY | MANIFEST,
    )
    enforce: str = _device(
        "arena",
        "how the cap is enforced: guard pages around one block, or a process that cannot grow",
        choices=("arena", "process"),
    )
    limit_by: str = _device(
        "auto",
        "what limits that process: this, or the first available",
        choices=("auto", "cgroup", "seccomp", "rlimit"),
    )
    leak: int = _device(
        0, "leak this many bytes in every step, to see it caught", _LEAK, flag="inject"
    )


OPTIONS = options_of(Fields)
