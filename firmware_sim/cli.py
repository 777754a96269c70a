"""The command line: ``python -m firmware_sim replay STREAM ...``, ``record``, ``streams``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_sim import board_script, boards, model_file, options, sacrifice
from firmware_sim import chosen as configs
from firmware_sim.errors import SimulatorError
from firmware_sim.loop import Replay, ReplayResult
from firmware_sim.plaintext import printable
from firmware_sim.recording import record
from firmware_sim.report import to_text
from firmware_sim.report.writing import claimed, picture_refusal, write_files
from firmware_sim.signals import interruption
from firmware_sim.streams import BUNDLED
from firmware_sim.streams.opening import open_source

if TYPE_CHECKING:
    from firmware_sim.mcu.replaying import OnBoard

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
        if chosen.command == "compare":
            return _compare(chosen)
        if chosen.command == "fleet":
            return _fleet(chosen)
        if chosen.command == "tune":
            return _tune(chosen)
        if chosen.command == "streams":
            return _streams()
        if chosen.command == "devices":
            _print(boards.table())
            return OK
        if chosen.inject and chosen.enforce == "arena" and not sacrifice.is_one():
            configs.to_config(chosen)  # what is wrong with it is better said here
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


def _compare(chosen: argparse.Namespace) -> int:
    from firmware_sim.comparison import compare
    from firmware_sim.comparison.report import to_text as comparison_text
    from firmware_sim.comparison.report import write_comparison

    config = configs.to_compare_config(chosen)
    names = None if chosen.algorithms == "all" else chosen.algorithms.split(",")
    picture = _can_draw(chosen)
    with (
        claimed(Path(chosen.out)),
        interruption() as interrupted,
        _Bar(" runs", not (chosen.no_progress or chosen.quiet)) as bar,
    ):
        found = compare(
            config,
            chosen.ram,
            names,
            folder=chosen.out,
            seeds=chosen.seeds,
            seconds=chosen.run_seconds,
            workers=chosen.workers,
            on_start=bar.start,
            on_run=bar.move,
            should_stop=lambda: bool(interrupted),
        )
        bar.close()
        files = write_comparison(found, chosen.out, picture=picture)
    if not chosen.quiet:
        _print(comparison_text(found) + "\nreport    " + "  ".join(str(file) for file in files))
    return interrupted.exit_code if interrupted else OK


def _fleet(chosen: argparse.Namespace) -> int:
    from firmware_sim.fleet import command

    bar = _Bar(" boards", not (chosen.no_progress or chosen.quiet))
    with interruption() as interrupted:
        text = command.run(chosen, bar, lambda: bool(interrupted), _tell)
    if not chosen.quiet:
        _print(text)
    return interrupted.exit_code if interrupted else OK


def _tune(chosen: argparse.Namespace) -> int:
    from firmware_sim import tuning

    config = configs.to_tune_config(chosen)
    with _Bar(" runs", not chosen.no_progress) as bar:
        found = tuning.tune(
            config,
            rows=chosen.tune_rows,
            candidates=chosen.candidates,
            on_start=bar.start,
            on_run=bar.move,
        )
    _print(tuning.to_text(found).rstrip())
    return OK


def _can_draw(chosen: argparse.Namespace) -> bool:
    """Whether a picture is wanted and can be had; says so where only the second is missing."""
    if chosen.no_picture:
        return False
    if picture_refusal():
        _tell(picture_refusal() + "; --no-picture leaves it out without a word")
        return False
    return True


def _record(chosen: argparse.Namespace) -> int:
    if Path(chosen.file).exists():
        raise SimulatorError(f"{chosen.file} is there already: give a new name")
    source = open_source(chosen.source)
    if source is None:
        raise SimulatorError(f"{chosen.source!r} is no live stream: - or mqtt://HOST/TOPIC")
    if not chosen.quiet:
        print(f"recording {printable(source.name)}", file=sys.stderr, flush=True)
    with (
        interruption() as interrupted,
        _Bar(" rows", not (chosen.no_progress or chosen.quiet)) as bar,
    ):
        bar.start(chosen.limit)
        done = record(
            source,
            chosen.file,
            limit=chosen.limit,
            idle=chosen.idle,
            on_row=bar.move,
            should_stop=lambda: bool(interrupted),
        )
    if not chosen.quiet:
        damaged = [f"{done.damaged:,} damaged ones left out"] if done.damaged else []
        _print(", ".join([f"{done.rows:,} rows in {chosen.file}", *damaged, *done.notes]))
    return interrupted.exit_code if interrupted else OK


def _replay(chosen: argparse.Namespace) -> int:
    if chosen.write_script and not chosen.save_model:
        raise SimulatorError("--write-script needs --save-model: the script runs that file")
    replay = Replay(configs.to_config(chosen))
    if chosen.save_model:
        model_file.check(Path(chosen.save_model))
    picture = _can_draw(chosen)
    with ExitStack() as stack:
        stack.enter_context(claimed(Path(chosen.out)))  # before the long part, not after it
        interrupted = stack.enter_context(interruption())
        on_board = _on_board(chosen.on, replay) if chosen.on else None
        if replay.width is not None and not chosen.quiet:
            print(f"kernel width: {replay.width.reason}", file=sys.stderr)
        with_bar = not (chosen.no_progress or chosen.quiet)
        result = _run(replay, lambda: bool(interrupted), with_bar=with_bar)
        if on_board is not None and result.status == "complete":
            result.emulated = on_board.run()
        files = write_files(result, Path(chosen.out), picture=picture)
        there = result.status not in ("killed", "died")  # the learner's process, where it has one
        if chosen.save_model and there:
            files.append(model_file.save_model(replay, chosen.save_model))
        if chosen.write_script and there:
            files.append(board_script.write_script(replay, chosen.write_script, chosen.save_model))
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


def _on_board(name: str, replay: Replay) -> OnBoard:
    from firmware_sim.mcu.replaying import OnBoard

    return OnBoard(name, replay.config, replay.device)


def _print(text: str) -> None:
    """Print to a reader who may have left, as ``| head`` does; the files are written anyway."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python flushes standard output once more at exit, and must find somebody there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(replay: Replay, should_stop: Callable[[], bool], *, with_bar: bool) -> ReplayResult:
    with _Bar(" rows", with_bar) as bar:
        total = replay.config.limit
        if bar.wanted:
            count = replay.stream.count()
            total = count if total is None or count is None else min(total, count)
        bar.start(total)
        return replay.run(on_row=bar.move, should_stop=should_stop)


class _Bar:
    """A progress bar on a terminal; elsewhere nothing.

    Attributes
    ----------
    wanted : bool
        Whether there will be one.
    """

    def __init__(self, unit: str, wanted: bool) -> None:
        self.wanted = wanted and sys.stderr.isatty() and find_spec("tqdm") is not None
        self._unit = unit
        self._bar: Any = None

    def start(self, total: int | None, done: int = 0) -> None:
        """Show it."""
        if self.wanted:
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, initial=done, unit=self._unit, unit_scale=True, file=sys.stderr
            )

    def move(self) -> None:
        """Move it on by one."""
        if self._bar is not None:
            self._bar.update()

    def close(self) -> None:
        """Leave it as it is; nothing happens the second time."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
