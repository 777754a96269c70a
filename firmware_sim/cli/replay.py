"""The command ``replay``: one stream, one learner, one report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import edgeolk as ek
from edgeolk.hosting import check_exportable
from firmware_sim.boards import board_of
from firmware_sim.cli.processes import Interruption, in_child, interruption, run_in_child
from firmware_sim.cli.shared import STREAM, STRICT, add_command, assumed_of, config_of, reported
from firmware_sim.cli.terminal import (
    BEYOND_CAP,
    DIED,
    OK,
    USAGE,
    Bar,
    ProgressLines,
    can_draw,
    ended,
    note,
    tell,
    written,
)
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import TIME, Option
from firmware_sim.deployment import board_script, model_file
from firmware_sim.deployment.board_script import SAVE_EVERY
from firmware_sim.errors import SimulatorError
from firmware_sim.replaying.assumed import notes_of
from firmware_sim.replaying.loop import Replay
from firmware_sim.replaying.recording import RecordFile
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report import hints, report_of
from firmware_sim.report.writing import claimed, import_picture, write_files
from firmware_sim.streams import BUNDLED, Stream
from firmware_sim.streams.cached import log_of
from firmware_sim.streams.page import inspect_rows, page
from firmware_sim.streams.tables import CellStream

#: From this cap on, steps may take so long that rows are counted beforehand.
_LARGE = 1 << 24

COMMAND_OPTIONS = {
    **reported("replay-report"),
    "record": Option(
        "write a record of each row for numpy.load: answer, label, whether it was late or refused",
        group="report",
        metavar="FILE.npy",
    ),
    "strict": STRICT,
    "save_model": Option("keep learner and scaler, in one file", group="report", metavar="FILE"),
    "write_script": Option(
        "write the Python that runs the saved model", group="report", metavar="FILE"
    ),
    "save_every": Option(
        "the longest time in which that program learns without saving: 90s, 10min, 2h",
        TIME,
        f"{SAVE_EVERY / 60:g}min",
        group="report",
    ),
    "export": Option("write the learner as C for a microcontroller", group="report", metavar="DIR"),
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = "Replay one stream with one learner and report on it."
    command = add_command(commands, "replay", about, run, COMMAND_OPTIONS, stream=STREAM)
    listing = "; ".join(f"{stream.name}: {stream.about}" for stream in BUNDLED.values())
    command.epilog = f"Bundled streams: {listing}."


def to_config(chosen: argparse.Namespace, **more: Any) -> ReplayConfig:
    """Return the configuration of the options.

    more: fields that no option gives.
    """
    device = getattr(chosen, "device", None)
    if device is None or hasattr(chosen, "ram"):
        return config_of(chosen, **more)
    # The default cap, or all memory of a smaller board.
    usual = int(ek.parse_bytes(OPTIONS["ram"].default))
    return config_of(chosen, ram=min(usual, board_of(device).for_learner), **more)


def unused(config: ReplayConfig, given: Iterable[str]) -> list[str]:
    """Return a sentence on each given option that has no effect.

    config: the configuration of the options.
    given: fields whose options were given.
    """
    rules = {name: one.idle for name, one in OPTIONS.items() if one.idle and name in given}
    return [
        f"{OPTIONS[name].flags(name)[0]} changes nothing: {rule(config)}"
        for name, rule in rules.items()
        if rule(config)
    ]


def run(chosen: argparse.Namespace) -> int:
    """Replay, write and print the report, and return the exit code."""
    leaks = getattr(chosen, "leak", 0) and getattr(chosen, "enforce", "arena") == "arena"
    if leaks and not in_child():
        to_config(chosen)  # raises errors in this process
        return _run_leaking(chosen.words)
    if chosen.write_script and not chosen.save_model:
        raise SimulatorError("--write-script needs --save-model: the script runs that file")
    if "save_every" in getattr(chosen, "given", {}) and not chosen.write_script:
        raise SimulatorError("--save-every is for the program of --write-script")
    found = assumed_of(chosen)
    config = to_config(chosen, **found.options)
    for line in unused(config, vars(chosen)):
        tell(line)
    replay = Replay(config, live=found.live)
    notes_of(replay.clean, found.notes)
    _keep_understood(replay)
    if chosen.save_model:
        model_file.check(Path(chosen.save_model))
    if chosen.write_script:
        board_script.check(replay.config, chosen.write_script)
    if chosen.export:
        _check_export(replay, Path(chosen.export))
    picture = can_draw(chosen)
    with ExitStack() as stack:
        stack.enter_context(claimed(Path(chosen.out)))  # fails before the long part, not after it
        interrupted = stack.enter_context(interruption())
        understood = _page(replay)
        for line in understood if not chosen.quiet else ():
            note(line)
        if replay.width is not None and not chosen.quiet:
            note(f"kernel width: {replay.width.reason}")
        if picture and replay.config.enforce == "arena":
            import_picture()
        records = stack.enter_context(RecordFile(Path(chosen.record))) if chosen.record else None
        result = _replayed(replay, chosen, interrupted, records)
        result.hint = hints.tried_hints(result)
        result.understood = understood
        report = report_of(result)
        writers = [lambda: write_files(report, Path(chosen.out), "report", picture=picture)]
        available = result.status not in ("killed", "died")
        if available and not (chosen.strict and result.left_out):
            writers += _savers(replay, result, chosen)
        outcomes = [written(write) for write in writers]
    files = [file for found, _ in outcomes for file in found]
    unwritten = [sentence for _, found in outcomes for sentence in found]
    code = ended(
        chosen, report.to_text(), files, unwritten, result.warnings, left_out=result.left_out
    )
    return _exit_code(result, interrupted) or code


def _keep_understood(replay: Replay) -> None:
    """Write down what was understood of the log, where that is asked for and not there yet."""
    name, stream = replay.config.understood, _logged(replay)
    if name is None or not isinstance(stream, CellStream):
        return
    try:
        with open(name, "x", encoding="utf-8") as file:
            file.write(stream.reading.understood.to_toml())
    except FileExistsError:
        return
    except OSError as error:
        raise SimulatorError(f"cannot write to {name}: {error.strerror}") from None


def _logged(replay: Replay) -> Stream:
    """Return the stream of the log, which may be the samples of windows, or rows to be joined."""
    log = log_of(replay.clean)
    return replay.clean if log is None else log.stream


def _page(replay: Replay) -> list[str]:
    """Return what was understood of the log from its first rows."""
    stream, config = replay.clean, replay.config
    if not isinstance(_logged(replay), CellStream) or config.stream in BUNDLED:
        return []
    tally = inspect_rows(stream, config.limit, config.missing_numbers, all_rows=False)
    return page(stream, tally, all_rows=tally is log_of(stream))


def _check_export(replay: Replay, folder: Path) -> None:
    """Raise an error if the folder cannot be written or the learner alone gives no answers."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        what = "no folder" if not existing.is_dir() else "a folder that cannot be written to"
        raise SimulatorError(f"--export {folder}: {existing} is {what}")
    config = replay.config
    if refusal := config.label_kind.export_refusal:
        raise SimulatorError(f"--export is not for --kind {config.resolved.kind}: {refusal}")
    if config.scales_outside:
        raise SimulatorError(
            "--export needs a learner that scales its readings itself, such as the default: the C "
            "has no scaler beside it"
        )
    if not hasattr(replay.device, "learner"):  # it is in a separate process until the end
        return
    try:
        check_exportable(replay.device.learner)
    except ValueError as error:
        raise SimulatorError(f"--export {folder}: {error}") from None


def _run_leaking(words: Sequence[str]) -> int:
    """Run the same command in a process that may crash, and report how it ended."""
    code, death = run_in_child(words)
    if death is None:
        return code
    tell(f"caught: the device wrote beyond its cap and died: {death}")
    return BEYOND_CAP


def _replayed(
    replay: Replay,
    chosen: argparse.Namespace,
    interrupted: Interruption,
    records: RecordFile | None,
) -> ReplayResult:
    """Replay with a progress bar."""
    with Bar(" rows", chosen) as bar:
        total = replay.config.limit
        large = replay.config.cap_bytes >= _LARGE
        if bar.wanted or large:
            count = replay.stream.count()
            total = count if total is None or count is None else min(total, count)
        bar.start(total)
        # A learner in a separate process receives blocks of rows: single steps are not timed. Of a
        # live stream, most of the time between two rows is the wait for the next one.
        is_live = replay.stream.kept is not None
        enabled = not chosen.quiet and replay.config.enforce == "arena" and not is_live
        ram = str(replay.config.ram)
        progress_lines = ProgressLines(total, enabled=enabled, shown=bar.wanted, ram=ram)

        def moved(rows: int) -> None:
            bar.move(rows)
            progress_lines.move(rows)

        on_result = None if records is None else records.add
        return replay.run(on_rows=moved, should_stop=lambda: bool(interrupted), on_result=on_result)


def _savers(
    replay: Replay, result: ReplayResult, chosen: argparse.Namespace
) -> list[Callable[[], list[Path]]]:
    """Return functions that write the model, its script and its C code, as requested."""

    model, script, folder = chosen.save_model, chosen.write_script, chosen.export
    every = chosen.save_every

    def export() -> list[Path]:
        try:
            ek.export_c(
                replay.device.learner,
                folder,
                classes=replay.config.classes,
                counted=[] if result.emulated is None else [result.emulated.to_row()],
                windows=replay.windows,
            )
        except (OSError, ValueError) as error:
            raise SimulatorError(f"--export {folder}: {error}") from None
        return [Path(folder)]

    savers: dict[Callable[[], list[Path]], Any] = {
        lambda: [model_file.save_model(replay, model)]: model,
        lambda: [board_script.write_script(replay, script, model, every)]: script,
        export: folder,
    }
    return [save for save, wanted in savers.items() if wanted]


def _exit_code(result: ReplayResult, interrupted: Interruption) -> int:
    """Return the exit code; print the reason if the replay did not finish."""
    if result.status == "complete":
        return OK
    tell(f"{result.status}: {result.detail}")
    if result.status == "interrupted":
        return interrupted.exit_code
    return {"killed": BEYOND_CAP, "died": DIED}.get(result.status, USAGE)
