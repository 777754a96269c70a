"""The command ``tune``: kernel width and parameters chosen on the first rows."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_sim.cli.shared import (
    STREAM,
    STRICT,
    WORKERS,
    add_command,
    assumed_of,
    config_of,
    reported,
)
from firmware_sim.cli.terminal import Bar, note, report_unwritten, show, tell_left_out, written
from firmware_sim.configuration import values
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import COUNT, Option, Value
from firmware_sim.errors import SimulatorError
from firmware_sim.report.writing import claimed, write_files

_REPORT = reported(None)
COMMAND_OPTIONS = {
    "tune_rows": Option(
        "rows to choose on (default: a fifth, at most 5,000)", COUNT, group="choice"
    ),
    "candidates": Option("number of candidates", COUNT, default=32, group="choice"),
    # Instead of one size and one set of features, each of several is tried.
    "window": replace(
        OPTIONS["window"],
        help="rows are windows of N samples, a power of two from 32 to 1024; the best of several "
        "sizes: 128,256",
        value=Value("N[,N]", values.counts),
    ),
    "features": replace(
        OPTIONS["features"],
        help=f"{OPTIONS['features'].help}; given several times, the best of these",
        value=Value("A,B,C", values.words),
        default=None,
        again=True,
    ),
    "workers": replace(WORKERS, help="processes", default=1, group="choice"),
    **_REPORT,
    "out": replace(
        _REPORT["out"], help="write tune.txt, tune.json and tune.html here (default: nowhere)"
    ),
    "quiet": replace(_REPORT["quiet"], help="print nothing but the options to take"),
    "strict": STRICT,
    "no_picture": replace(_REPORT["no_picture"], help="no effect: tune draws no picture"),
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = (
        "Choose kernel width and parameters on the first rows of a stream, and measure the gain "
        "on the later rows."
    )
    add_command(commands, "tune", about, run, COMMAND_OPTIONS, stream=STREAM)


def run(chosen: argparse.Namespace) -> int:
    """Choose, print what was chosen, and return the exit code."""
    from firmware_sim.comparison import tuning

    windows, features = _several(chosen, "window"), _several(chosen, "features")
    if features and not windows:
        raise SimulatorError("--features is for --window")
    with ExitStack() as stack:
        if chosen.out is not None:
            stack.enter_context(claimed(Path(chosen.out)))
        bar = stack.enter_context(Bar(" runs", chosen))
        assumed = assumed_of(chosen, live=False)
        for line in assumed.notes if not chosen.quiet else ():
            note(line)
        found = tuning.tune(
            config_of(chosen, **assumed.options),
            windows=windows,
            features=features,
            rows=chosen.tune_rows,
            candidates=chosen.candidates,
            workers=chosen.workers,
            on_start=bar.start,
            on_run=bar.move,
        )
        report = tuning.report_of(found)
        files: list[Path] = []
        unwritten: list[str] = []
        if chosen.out is not None:
            files, unwritten = written(
                lambda: write_files(report, Path(chosen.out), "tune", picture=False)
            )
    written_to = "\nreport    " + "  ".join(map(str, files)) if files else ""
    failed = tell_left_out(chosen, found.left_out)
    show(found.options if chosen.quiet else report.to_text().rstrip() + written_to)
    return failed or report_unwritten(unwritten)


def _several(chosen: argparse.Namespace, name: str) -> list[Any]:
    """Return the values of an option that may have several; the first one becomes the field's."""
    found = getattr(chosen, name) or []
    delattr(chosen, name)
    if found:
        setattr(chosen, name, found[0])
    return found
