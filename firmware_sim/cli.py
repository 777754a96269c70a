"""The command line: ``python -m firmware_sim replay STREAM ...``."""

from __future__ import annotations

import argparse
import ast
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgeolk import parse_bytes
from firmware_sim import config as choices
from firmware_sim import sacrifice
from firmware_sim.config import ReplayConfig
from firmware_sim.errors import SimulatorError
from firmware_sim.loop import Replay, ReplayResult
from firmware_sim.report import to_text, write_report
from firmware_sim.streams import BUNDLED

OK, USAGE, BEYOND_CAP, INTERRUPTED = 0, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0: the replay reached its end. 2: bad arguments, a bad stream, parts that do not fit the
    cap, or a stop at a missing value. 3: memory was taken beyond the cap and the taker killed.
    130: interrupted; the report so far is printed.
    """
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(words)
    try:
        if options.inject and options.enforce == "arena" and not sacrifice.is_one():
            _config(options)  # what is wrong with it is better said here
            return _sacrificed(words)
        return _replay(options)
    except SimulatorError as error:
        print(f"firmware_sim: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("firmware_sim: interrupted before the first row", file=sys.stderr)
        return INTERRUPTED


def _sacrificed(words: Sequence[str]) -> int:
    """Run the same command where it may die, and say how it did."""
    code, death = sacrifice.run(words)
    if death is None:
        return code
    print(
        f"firmware_sim: caught: the device wrote beyond its cap and died: {death}", file=sys.stderr
    )
    return BEYOND_CAP


def _replay(options: argparse.Namespace) -> int:
    replay = Replay(_config(options))
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)  # before the long part, not after it
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    if replay.width is not None and not options.quiet:
        print(f"kernel width: {replay.width.reason}", file=sys.stderr)
    result = _run(replay, with_bar=not (options.no_progress or options.quiet))
    try:
        files = write_report(result, folder)
    except OSError as error:
        raise SimulatorError(f"cannot write to {folder}: {error.strerror}") from None
    if not options.quiet:
        _print(to_text(result) + "\nreport    " + "  ".join(str(file) for file in files))
    if result.status == "complete":
        return OK
    print(f"firmware_sim: {result.status}: {result.detail}", file=sys.stderr)
    return {"interrupted": INTERRUPTED, "killed": BEYOND_CAP}.get(result.status, USAGE)


def _print(text: str) -> None:
    """Print to a reader who may have left, as ``| head`` does; the files are written anyway."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and must find somebody there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(replay: Replay, *, with_bar: bool) -> ReplayResult:
    with _interrupt_flag() as interrupted:
        if not with_bar or not sys.stderr.isatty():
            return replay.run(should_stop=interrupted)
        from tqdm import tqdm

        total = replay.stream.count()
        limit = replay.config.limit
        if limit is not None:
            total = limit if total is None else min(total, limit)
        with tqdm(total=total, unit=" rows", unit_scale=True, file=sys.stderr) as bar:
            return replay.run(on_row=bar.update, should_stop=interrupted)


@contextmanager
def _interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C into a flag, so that a row is always counted whole or not at all.

    A second Ctrl-C ends the program as usual.
    """
    pressed = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False  # signals belong to the main thread
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _config(options: argparse.Namespace) -> ReplayConfig:
    return ReplayConfig(
        stream=options.stream,
        ram=options.ram,
        algorithm=options.algorithm,
        target=options.target,
        ignore=tuple(name for group in options.ignore for name in group.split(",") if name),
        positive=options.positive,
        budget=options.budget,
        params=dict(options.param),
        kernel=options.kernel,
        gamma=options.gamma,
        degree=options.degree,
        offset=options.offset,
        dtype=options.dtype,
        seed=options.seed,
        scale=options.scale,
        freeze_after=options.freeze_after,
        missing=options.missing,
        missing_codes=tuple(options.missing_code),
        limit=options.limit,
        prefix=options.prefix,
        enforce=options.enforce,
        limit_by=options.limit_by,
        leak=options.inject,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="firmware_sim",
        description="Replay a sensor stream through a firmware main loop under a RAM cap.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    replay = commands.add_parser(
        "replay",
        help="replay one stream with one learner and report on it",
        description="Replay one stream with one learner and report on it.",
        epilog="Bundled streams: "
        + "; ".join(f"{stream.name}: {stream.about}" for stream in BUNDLED.values())
        + ".",
    )
    add = replay.add_argument
    default = ReplayConfig("")
    add("stream", metavar="STREAM", help="a CSV or CSV.gz file, or the name of a bundled stream")

    add = replay.add_argument_group("stream").add_argument
    add("--target", metavar="COLUMN", help="the label column (bundled streams know theirs)")
    add("--positive", metavar="VALUE", help="the label that means +1 (default: 1; 0 or -1 is -1)")
    add(
        "--ignore",
        metavar="COL[,COL]",
        action="append",
        default=[],
        help="columns that are not readings (repeatable)",
    )
    add("--missing", choices=choices.MISSING, default=default.missing, help="rows with gaps")
    add(
        "--missing-code",
        metavar="CODE",
        action="append",
        type=float,
        default=[],
        help="a reading that means 'absent', such as -200 (repeatable)",
    )
    add("--limit", metavar="N", type=int, help="read at most N rows")

    add = replay.add_argument_group("device").add_argument
    add("--ram", metavar="SIZE", default=default.ram, help="the cap: 64KiB, 16kB, 4096")
    add(
        "--enforce",
        choices=choices.ENFORCE,
        default=default.enforce,
        help="the cap: by guard pages around one block (default), or the learner in a process "
        "that may not grow",
    )
    add(
        "--limit-by",
        choices=choices.LIMITS,
        default=default.limit_by,
        help="what keeps that process from growing (default: the first that can be had)",
    )
    add(
        "--inject",
        metavar="leak=SIZE",
        type=_leak,
        default=default.leak,
        help="leak so many bytes every step on purpose, as leak=64B, to see it caught",
    )
    add("--scale", choices=choices.SCALES, default=default.scale, help="how readings are scaled")
    add("--freeze-after", metavar="N", type=int, help="the scaler stops learning after N rows")

    add = replay.add_argument_group("learner").add_argument
    add("--algorithm", metavar="NAME", default=default.algorithm, help="default: %(default)s")
    add("--budget", metavar="N", type=int, help="most support vectors (default: what fits)")
    add(
        "--param",
        metavar="NAME=VALUE",
        action="append",
        type=_parameter,
        default=[],
        help="one of the algorithm's own parameters (repeatable)",
    )
    add("--kernel", choices=choices.KERNELS, default=default.kernel, help="default: %(default)s")
    add("--gamma", metavar="auto|X", type=_gamma, help="kernel width (default: auto)")
    add("--degree", metavar="N", type=int, default=default.degree, help="of the polynomial kernel")
    add(
        "--offset",
        metavar="X",
        type=float,
        default=default.offset,
        help="constant term of the polynomial and sigmoid kernels",
    )
    add("--prefix", metavar="N", type=int, default=default.prefix, help="rows for --gamma auto")
    add("--dtype", choices=choices.DTYPES, default=default.dtype, help="of support vectors")
    add("--seed", metavar="N", type=int, default=default.seed, help="default: %(default)s")

    add = replay.add_argument_group("report").add_argument
    add("--out", metavar="DIR", default="replay-report", help="default: %(default)s")
    add("--quiet", action="store_true", help="write the files, print nothing")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")
    return parser


def _gamma(text: str) -> float | None:
    if text == "auto":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'auto' nor a number") from None


def _leak(text: str) -> int:
    kind, _, size = text.partition("=")
    try:
        nbytes = parse_bytes(size)
    except ValueError:
        nbytes = 0
    if kind != "leak" or nbytes < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not leak=SIZE, as in leak=64B")
    return nbytes


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, as in eta=0.1")
    words = {"true": True, "false": False, "none": None, "inf": float("inf")}
    if value.lower() in words:
        return name, words[value.lower()]
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
