"""The command ``compare``: every method under several caps."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from edgeolk import parse_bytes
from firmware_sim.cli.processes import interruption
from firmware_sim.cli.shared import (
    STREAM,
    STRICT,
    WORKERS,
    add_command,
    assumed_of,
    config_of,
    reported,
)
from firmware_sim.cli.terminal import Bar, can_draw, ended, note, written
from firmware_sim.configuration import values
from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.option import COUNT, SECONDS, Option, Value
from firmware_sim.report.writing import claimed, write_files

COMMAND_OPTIONS = {
    "ram": Option(
        "the caps (default: 1KiB,4KiB,16KiB,64KiB)",
        Value("SIZE[,SIZE]", values.caps),
        default=["1KiB", "4KiB", "16KiB", "64KiB"],
        group="comparison",
        flag="ram caps",
    ),
    "algorithms": Option(
        "the methods", default="all", group="comparison", metavar="all|NAME[,NAME]"
    ),
    "seeds": Option("runs of a method that draws", COUNT, default=3, group="comparison"),
    "run_seconds": Option(
        "processor time a run may take", SECONDS, default=20.0, group="comparison"
    ),
    "workers": replace(WORKERS, group="comparison"),
    **reported("compare-report"),
    "strict": STRICT,
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = (
        "Run every method under several memory caps on one stream and recommend one. After an "
        "interruption, the same command continues."
    )
    add_command(commands, "compare", about, run, COMMAND_OPTIONS, stream=STREAM)


def to_config(chosen: argparse.Namespace, **more: Any) -> ReplayConfig:
    """Return the configuration that all runs share.

    more: fields that no option gives.
    """
    return config_of(chosen, **more, ram=max(int(parse_bytes(size)) for size in chosen.ram))


def run(chosen: argparse.Namespace) -> int:
    """Compare, write and print the report, and return the exit code."""
    from firmware_sim.comparison import compare
    from firmware_sim.comparison.report import report_of

    assumed = assumed_of(chosen, live=False)
    for line in assumed.notes if not chosen.quiet else ():
        note(line)
    config = to_config(chosen, **assumed.options)
    names = None if chosen.algorithms == "all" else chosen.algorithms.split(",")
    picture = can_draw(chosen)
    with (
        claimed(Path(chosen.out)),
        interruption() as interrupted,
        Bar(" runs", chosen) as bar,
    ):
        found = compare(
            *(config, chosen.ram, names),
            folder=chosen.out,
            seeds=chosen.seeds,
            seconds=chosen.run_seconds,
            workers=chosen.workers,
            on_start=bar.start,
            on_run=bar.move,
            should_stop=lambda: bool(interrupted),
        )
        bar.close()
        report = report_of(found)
        files, unwritten = written(
            lambda: write_files(report, Path(chosen.out), "compare", picture=picture)
        )
    warnings, left_out = found.rows.warnings, found.rows.left_out
    return ended(chosen, report.to_text(), files, unwritten, warnings, interrupted, left_out)
