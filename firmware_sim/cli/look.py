"""The command ``look``: shows how a log is read, and the command that replays it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from firmware_sim.cli.shared import STREAM, add_command, assumed_of, config_of, given_of
from firmware_sim.cli.terminal import OK, show
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.option import Option
from firmware_sim.kinds import UNLABELLED
from firmware_sim.plaintext import printable
from firmware_sim.replaying.assumed import notes_of
from firmware_sim.replaying.source import opened
from firmware_sim.report.summary import command
from firmware_sim.streams import Stream
from firmware_sim.streams.page import inspect_rows, page
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.tally import Tally

#: Seconds of the forecast that is proposed: six hours.
_AHEAD = 21_600.0

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
    proposed = [config, *_others(config, stream, tally)]
    usual = "ram" not in given_of(chosen)
    first, *others = (command(one, usual=usual) for one in proposed)
    again = ["", f"replay    {first}", *(f"or        {line}" for line in others)]
    show(printable("\n".join([*lines, *again]), keep="\n"))
    return OK


def _others(config: ReplayConfig, stream: Stream, tally: Tally) -> Iterator[ReplayConfig]:
    """Yield further configurations: with the codes of failed readings, and a forecast."""
    codes = tally.sentinels.found()
    if codes:
        config = replace(config, missing_codes=(*config.missing_codes, *codes))
        yield config
    if config.kind == UNLABELLED and config.target is None and config.windows is None:
        period, is_dated = tally.cadence.period, stream.is_dated
        is_timed = is_dated and period is not None and period <= _AHEAD and not tally.cadence.falls
        if is_timed and isinstance(stream, CellStream) and len(stream.features) > 1:
            yield replace(config, kind="", forecast=stream.features[0], horizon="6h")
