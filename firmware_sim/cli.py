"""The command line: ``python -m firmware_sim replay STREAM ...``, ``record``, ``streams``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from firmware_sim import boards, model_file, options, sacrifice
from firmware_sim.errors import SimulatorError
from firmware_sim.loop import Replay, ReplayResult
from firmware_sim.plaintext import printable
from firmware_sim.recording import record
from firmware_sim.report import to_text
from firmware_sim.report.writing import claimed, picture_refusal, write_files
from firmware_sim.signals import interruption
from firmware_sim.streams import BUNDLED
from firmware_sim.streams.opening import open_source

OK, USAGE, BEYOND_CAP, DIED, INTERRUPTED = 0, 2, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0: the replay reached its end. 2: bad arguments, a bad stream, parts that do not fit the
    cap, or a stop at a missing value. 3: memory was taken beyond the cap and the taker killed.
    4: the learner's process ended for another reason. 130 or 143: interrupted by Ctrl-C or
    SIGTERM; the report so far is printed.
    """
    words = sys.argv[1:] if arguments is None else arguments
    chosen = options.parser().parse_args(words)
    try:
        if chosen.command == "record":
            return _record(chosen)
        if chosen.command == "streams":
            return _streams()
        if chosen.command == "devices":
            _print(boards.table())
            return OK
        if chosen.inject and chosen.enforce == "arena" and not sacrifice.is_one():
            options.to_config(chosen)  # what is wrong with it is better said here
            return _sacrificed(words)
        return _replay(chosen)
    except SimulatorError as error:
        _tell(str(error))
        return USAGE
    except KeyboardInterrupt:
        _tell("interrupted before the first row")
        return INTERRUPTED


def _tell(message: str) -> None:
    """Print one line on standard error, whatever the message holds."""
    print(f"firmware_sim: {printable(message)}", file=sys.stderr)


def _sacrificed(words: Sequence[str]) -> int:
    """Run the same command where it may die, and say how it did."""
    code, death = sacrifice.run(words)
    if death is None:
        return code
    _tell(f"caught: the device wrote beyond its cap and died: {death}")
    return BEYOND_CAP


def _streams() -> int:
    width = max(map(len, BUNDLED))
    _print("\n".join(f"{stream.name:<{width}}  {stream.about}" for stream in BUNDLED.values()))
    return OK


def _record(chosen: argparse.Namespace) -> int:
    if Path(chosen.file).exists():
        raise SimulatorError(f"{chosen.file} is there already: give a new name")
    source = open_source(chosen.source)
    if source is None:
        raise SimulatorError(f"{chosen.source!r} is no live stream: - or mqtt://HOST/TOPIC")
    if not chosen.quiet:
        print(f"recording {printable(source.name)}", file=sys.stderr, flush=True)
    with_bar = not (chosen.no_progress or chosen.quiet)
    with interruption() as interrupted, _progress(chosen.limit, with_bar) as on_row:
        done = record(
            source,
            chosen.file,
            limit=chosen.limit,
            idle=chosen.idle,
            on_row=on_row,
            should_stop=lambda: bool(interrupted),
        )
    if not chosen.quiet:
        damaged = [f"{done.damaged:,} damaged ones left out"] if done.damaged else []
        _print(", ".join([f"{done.rows:,} rows in {chosen.file}", *damaged, *done.notes]))
    return interrupted.exit_code if interrupted else OK


def _replay(chosen: argparse.Namespace) -> int:
    if chosen.write_script and not chosen.save_model:
        raise SimulatorError("--write-script needs --save-model: the script runs that file")
    replay = Replay(options.to_config(chosen))
    if chosen.save_model:
        model_file.check(replay, Path(chosen.save_model))
    picture = not chosen.no_picture
    if picture and picture_refusal():
        _tell(picture_refusal() + "; --no-picture leaves it out without a word")
        picture = False
    with ExitStack() as stack:
        stack.enter_context(claimed(Path(chosen.out)))  # before the long part, not after it
        interrupted = stack.enter_context(interruption())
        if replay.width is not None and not chosen.quiet:
            print(f"kernel width: {replay.width.reason}", file=sys.stderr)
        with_bar = not (chosen.no_progress or chosen.quiet)
        result = _run(replay, lambda: bool(interrupted), with_bar=with_bar)
        files = write_files(result, Path(chosen.out), picture=picture)
        if chosen.save_model:
            files.append(model_file.save_model(replay, chosen.save_model))
        if chosen.write_script:
            files.append(model_file.write_script(replay, chosen.write_script, chosen.save_model))
    if not chosen.quiet:
        for warning in result.warnings:
            _tell(f"warning: {warning}")
        _print(to_text(result) + "\nreport    " + "  ".join(str(file) for file in files))
    if result.status == "complete":
        return OK
    _tell(f"{result.status}: {result.detail}")
    if result.status == "interrupted":
        return interrupted.exit_code
    return {"killed": BEYOND_CAP, "died": DIED}.get(result.status, USAGE)


def _print(text: str) -> None:
    """Print to a reader who may have left, as ``| head`` does; the files are written anyway."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and must find somebody there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(replay: Replay, should_stop: Callable[[], bool], *, with_bar: bool) -> ReplayResult:
    total = replay.config.limit
    if with_bar and sys.stderr.isatty():
        count = replay.stream.count()
        total = count if total is None or count is None else min(total, count)
    with _progress(total, with_bar) as on_row:
        return replay.run(on_row=on_row, should_stop=should_stop)


@contextmanager
def _progress(total: int | None, wanted: bool) -> Iterator[Callable[[], object] | None]:
    """Yield what moves a progress bar on by a row; None where no bar is shown."""
    if not wanted or not sys.stderr.isatty() or find_spec("tqdm") is None:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" rows", unit_scale=True, file=sys.stderr) as bar:
        yield bar.update
