"""The command ``record``: writes a live stream to a CSV file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_sim.cli.processes import interruption
from firmware_sim.cli.shared import LIVE, NO_PROGRESS, QUIET, add_command
from firmware_sim.cli.terminal import OK, Bar, note, show
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import RECORD
from firmware_sim.errors import SimulatorError
from firmware_sim.streams.live import record
from firmware_sim.streams.opening import open_source

COMMAND_OPTIONS = {
    **{name: one for name, one in OPTIONS.items() if one.where >= RECORD},
    "quiet": replace(QUIET, help="print nothing"),
    "no_progress": NO_PROGRESS,
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = "Write a live stream to a CSV file, each row completely and immediately."
    source = f"- for CSV from standard input, or {LIVE}"
    add_command(
        commands, "record", about, run, COMMAND_OPTIONS, source=source, file="a new CSV file"
    )


def run(chosen: argparse.Namespace) -> int:
    """Record until the end of the stream or an interruption; return the exit code."""
    if Path(chosen.file).exists():
        raise SimulatorError(f"{chosen.file} already exists: choose another name")
    source = open_source(chosen.source)
    if source is None:
        raise SimulatorError(
            f"{chosen.source!r} is not a live stream: -, mqtt://HOST/TOPIC or serial:PORT"
        )
    if not chosen.quiet:
        note(f"recording {source.name}")
    with interruption() as interrupted, Bar(" rows", chosen) as bar:
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
        show(", ".join([f"{done.rows:,} rows in {chosen.file}", *damaged, *done.notes]))
    return interrupted.exit_code if interrupted else OK
