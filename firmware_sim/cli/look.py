"""The command ``look``: shows how a log is read, and the command that replays it."""

from __future__ import annotations

import argparse
from typing import Any

from firmware_sim.cli.shared import STREAM, add_command, assumed_of, config_of, given_of
from firmware_sim.cli.terminal import OK, show
from firmware_sim.configuration.option import Option
from firmware_sim.plaintext import printable
from firmware_sim.replaying.assumed import notes_of
from firmware_sim.replaying.source import opened
from firmware_sim.report.summary import command
from firmware_sim.streams.page import inspect_rows, page
from firmware_sim.streams.tables import CellStream

OWN = {
    "toml": Option(
        "print only the record that --understood accepts", default=False, group="stream"
    ),
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = (
        "Show how a log is read: separator, names, times, inputs, what is ignored and skipped. "
        "Nothing is written."
    )
    add_command(commands, "look", about, run, OWN, stream=STREAM)


def run(chosen: argparse.Namespace) -> int:
    """Inspect a log, print the page, and return the exit code."""
    found = assumed_of(chosen)
    config = config_of(chosen, **found.options)
    stream = opened(config, found.live)
    try:
        notes_of(stream, found.notes)
        if chosen.toml and isinstance(stream, CellStream):
            show(stream.reading.understood.to_toml().rstrip())
            return OK
        tally = inspect_rows(stream, config.limit, config.missing_numbers, all_rows=True)
        lines = page(stream, tally, all_rows=config.limit is None and stream.kept is None)
    finally:
        stream.close()
    again = command(config) if "ram" in given_of(chosen) else command(config, usual=True)
    show(printable("\n".join([*lines, "", f"replay    {again}"]), keep="\n"))
    return OK
