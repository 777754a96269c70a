"""The command ``record``: a live stream into a CSV file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from firmware_sim.cli import values
from firmware_sim.cli.exit_codes import OK
from firmware_sim.cli.shared import Once, add_common
from firmware_sim.cli.signals import interruption
from firmware_sim.cli.terminal import Bar, note, show
from firmware_sim.errors import SimulatorError
from firmware_sim.streams.opening import open_source
from firmware_sim.streams.recording import record


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "record",
        help="write a live stream to a CSV file",
        description="Write a live stream to a CSV file, every row whole and at once.",
    )
    command.register("action", None, Once)
    command.set_defaults(run=run)
    add = command.add_argument
    add("source", metavar="SOURCE", help="- for CSV from standard input, or mqtt://HOST/TOPIC")
    add("file", metavar="FILE", help="a new CSV file")
    add("--limit", metavar="N", type=values.count, help="write at most N rows")
    add(
        "--idle",
        metavar="SECONDS",
        type=values.duration,
        help="end when nothing has come for so long",
    )
    add("--quiet", action="store_true", help="print nothing")
    add_common(add, "--no-progress")


def run(chosen: argparse.Namespace) -> int:
    """Record until the stream ends or somebody interrupts; return the exit code."""
    if Path(chosen.file).exists():
        raise SimulatorError(f"{chosen.file} is there already: give a new name")
    source = open_source(chosen.source)
    if source is None:
        raise SimulatorError(f"{chosen.source!r} is no live stream: - or mqtt://HOST/TOPIC")
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
