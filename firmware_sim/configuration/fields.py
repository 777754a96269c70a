"""The options of a replay: one field each, with all its properties.

What an option is called, what it may be, what it is for and where it may be said stands here and
nowhere else. What it does is the business of whoever reads the field of `ReplayConfig`; one that
acts on rows as they are read says here what it does to them, and every replay has it done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

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
    LOGS,
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
from firmware_sim.streams import Row, Stream
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
_stream = partial(option, group=HEADINGS[0], where=LOGS)
_trouble = partial(option, group=HEADINGS[1], where=REPLAY)
_device = partial(option, group=HEADINGS[2], where=REPLAY)
_learner = partial(option, group=HEADINGS[3], where=REPLAY | TABLE)


def _no_width_chosen(config: Any) -> str:
    width = config.kernel in ("gaussian", "laplacian") and config.gamma is None
    return "" if width and not config.chooses_inside else "no width is chosen by it"


def _of_kernels(*kernels: str) -> Any:
    """Return why an option of some kernels changes nothing with another."""
    return lambda config: "" if config.kernel in kernels else f"the {config.kernel} kernel has none"


def _without_codes(codes: tuple[float | str, ...], rows: Row) -> Row:
    """Return readings without those that a number says are absent."""
    numbers = [code for code in codes if not isinstance(code, str)]
    return np.where(np.isin(rows, numbers), np.nan, rows) if numbers else rows


@dataclass(frozen=True)
class Fields:
    """What a replay may be told, beside its stream."""

    stream: str | Stream
    ram: int | str = _device(
        "64KiB",
        "memory cap: 64KiB, 16kB, 4096 (default: 64KiB, or all memory of a smaller device)",
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
        "the label column (known for bundled streams)",
        metavar="COLUMN",
        where=LOGS | MANIFEST | FLEET,
    )
    ignore: tuple[str, ...] = _stream(
        (),
        "columns that are not readings (repeatable); quote names that contain commas",
        NAMES._replace(metavar="COL[,COL]"),
        again=True,
        where=LOGS | MANIFEST,
    )
    positive: str | None = _stream(
        None,
        "the label that means +1 (default: 1; 0 or -1 is -1)",
        metavar="VALUE",
        where=LOGS | MANIFEST | FLEET,
    )
    kind: str = _stream(
        "",
        "task: two classes, several, real targets, or novelty without labels (a target "
        "column then only evaluates the alarms); default: as --param implies, else two classes",
        choices=tuple(KINDS),
        where=LOGS | TABLE | MANIFEST | FLEET,
    )
    classes: tuple[str, ...] = _stream(
        (),
        "the classes in the learner's order (default: those found); quote names that "
        "contain commas",
        NAMES,
        where=LOGS | TABLE | MANIFEST,
    )
    budget: int | None = _learner(
        None, "maximum number of support vectors (default: as many as fit)", COUNT
    )
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
        "width of a Gaussian or Laplacian kernel, scale of the inner product in the others "
        "(default: auto, from the first rows)",
        Value("auto|X", values.gamma),
        where=REPLAY | TABLE | COMPARE,
        idle=_of_kernels(*(kernel for kernel in _KERNELS if kernel != "linear")),
    )
    degree: int = _learner(
        ek.Polynomial.degree,
        "degree of the polynomial kernel",
        INTEGER,
        idle=_of_kernels("polynomial"),
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
        "storage type of support vectors or weights (default: the algorithm's own)",
        choices=_DTYPES,
        where=READERS | TABLE,
    )
    seed: int = _learner(
        0, "seed of the learner's random numbers", FROM_0, where=REPLAY | TABLE | TUNE
    )
    scale: str = _device(
        "standard",
        "scaling of the inputs; common: one scale for all inputs, inside the learner",
        choices=_SCALES,
        where=READERS | TABLE,
    )
    row: str = _device(
        "auto",
        "type of the row buffer, as the board's sensors deliver it; auto: float32, or float64 "
        "with --dtype float64",
        choices=_ROWS,
        where=REPLAY | TABLE,
    )
    freeze_after: int | None = _device(
        None, "the scaler stops learning after N rows", COUNT, where=REPLAY | TABLE | COMPARE
    )
    missing: str = _stream(
        "skip",
        "rows with a missing reading: skip them (unless the learner uses the order of rows and "
        "accepts missing readings), stop, or substitute the last value or the mean (kept in the "
        "device's memory)",
        choices=("skip", "stop", "last", "mean"),
        where=LOGS | MANIFEST,
    )
    missing_codes: tuple[float | str, ...] = _stream(
        (),
        "a number or word that means 'missing', such as -200 or offline (repeatable); unavailable, "
        "unknown, nan, n/a, null, none, ?, -- and empty cells always count as missing",
        Value("CODE", values.code),
        rows=_without_codes,
        flag="missing-code",
        again=True,
        where=LOGS | MANIFEST,
    )
    damaged: str = _stream(
        "skip",
        "rows that cannot be parsed (too few cells, a word among numbers): skip them, or stop",
        choices=("skip", "stop"),
    )
    time: str = _stream(
        "auto",
        "the time column, which is not an input ('auto': detect it; 'none': no such column)",
        metavar="COLUMN",
        where=LOGS | MANIFEST,
    )
    clock: bool = _stream(
        False,
        "add time of day and time of week as inputs: sine and cosine of each, from the time column",
        Value(read=values.flag),
        where=LOGS | MANIFEST | FLEET,
    )
    time_format: str | None = _stream(
        None,
        "how the time column is written, as of strptime (%d/%m/%Y %H:%M), or epoch, epoch ms, "
        "seconds, spreadsheet days, ... (default: found from the rows)",
        metavar="FORMAT",
        check=values.time_format,
        where=LOGS | MANIFEST,
    )
    dayfirst: bool = _stream(
        False,
        "in dates such as 3/2/2015 the day comes first (default: found from the rows)",
        Value(read=values.flag),
        where=LOGS | MANIFEST,
    )
    sep: str | None = _stream(
        None,
        "what separates the cells of a line: each of these characters, a blank for any run of "
        "blanks, tab for a tab (default: found from the rows)",
        Value("C", values.separator),
        where=LOGS | MANIFEST,
    )
    header: int | None = _stream(
        None,
        "the line that holds the column names, 0 for none (default: found from the rows)",
        FROM_0,
        where=LOGS | MANIFEST,
    )
    comment: str | None = _stream(
        None,
        "what lines begin with that are not rows (default: found from the rows)",
        metavar="C",
        where=LOGS | MANIFEST,
    )
    understood: str | None = _stream(
        None,
        "how the log is read: taken from this file if it exists, else written to it",
        metavar="FILE.toml",
        where=LOGS,
    )
    categories: str = _stream(
        "ignore",
        "text columns: leave them out, reject them, or encode their commonest words or hash values "
        "as inputs 0 and 1",
        choices=("ignore", "refuse", "onehot", "hash"),
        where=LOGS | MANIFEST,
    )
    category_slots: int = _stream(
        8,
        "maximum number of inputs per such column",
        COUNT,
        where=LOGS | MANIFEST,
        idle=lambda config: (
            "" if config.categories in ("onehot", "hash") else "it is for --categories"
        ),
    )
    idle: float | None = _stream(
        None,
        "end a live stream after this long without a row (default: wait)",
        SECONDS,
        where=LOGS | RECORD,
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
        0.0, "share of labels that never arrive", SHARE, where=REPLAY | TABLE | MANIFEST
    )
    gap: float | None = _trouble(
        None,
        "after a gap longer than this, learners of time series forget their history",
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
        False, "reveal only the labels that the learner asks for", where=REPLAY | TABLE
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
        None, "read at most N rows", COUNT, where=LOGS | MANIFEST | RECORD
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
    on: str | None = _device(
        None,
        "learn the same rows on an emulated microcontroller too: mps2-an386, microbit, ..., with "
        "qemu-system-arm and gcc-arm-none-eabi",
        metavar="BOARD",
    )
    period: float | None = _device(
        None,
        "time between rows (default: from the time column)",
        SECONDS,
        where=REPLAY | MANIFEST,
    )
    enforce: str = _device(
        "arena",
        "enforcement of the cap: guard pages around one block, or a process that cannot grow",
        choices=("arena", "process"),
    )
    limit_by: str = _device(
        "auto",
        "the mechanism that limits this process; auto: the first available",
        choices=("auto", "cgroup", "seccomp", "rlimit"),
    )
    leak: int = _device(
        0, "leak this many bytes per step, to test the detection", _LEAK, flag="inject"
    )


OPTIONS = options_of(Fields)
