"""The command ``compare``: every method under several caps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from firmware_sim.cli import values
from firmware_sim.cli.shared import add_common, add_stream, stream_fields
from firmware_sim.cli.signals import interruption
from firmware_sim.cli.terminal import Bar, can_draw, show, tell, told, written
from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.report.writing import claimed


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "compare",
        help="run every method under several caps and say which to take",
        description="Run every method under several caps on one stream, and say which to take. "
        "Interrupted, the same command goes on where it stopped.",
    )
    command.set_defaults(run=run)
    add_stream(command)
    add = command.add_argument_group("comparison").add_argument
    add(
        "--ram",
        metavar="SIZE[,SIZE]",
        type=values.caps,
        default=["1KiB", "4KiB", "16KiB", "64KiB"],
        help="the caps (default: 1KiB,4KiB,16KiB,64KiB)",
    )
    add(
        "--algorithms",
        metavar="all|NAME[,NAME]",
        default="all",
        help="the methods (default: %(default)s)",
    )
    add("--seeds", metavar="N", type=values.count, default=3, help="runs of a method that draws")
    add(
        "--run-seconds",
        metavar="SECONDS",
        type=values.duration,
        default=20.0,
        help="processor time a run may take (default: %(default)s)",
    )
    add("--workers", metavar="N", type=values.count, help="processes (default: all processors)")
    add_common(add, "--scale", "--freeze-after", "--gamma", "--prefix", "--dtype")
    add = command.add_argument_group("report").add_argument
    add("--out", metavar="DIR", default="compare-report", help="default: %(default)s")
    add_common(add, "--quiet", "--no-progress")
    add("--no-picture", action="store_true", help="draw no PNG")


def to_config(chosen: argparse.Namespace) -> ReplayConfig:
    """Return what all runs have in common."""
    return ReplayConfig(
        **stream_fields(chosen),
        algorithm=RECOMMENDED,
        ram=max(values.nbytes(size) for size in chosen.ram),
        gamma=chosen.gamma,
        dtype=chosen.dtype or "float32",
        scale=chosen.scale,
        freeze_after=chosen.freeze_after,
        prefix=chosen.prefix,
    )


def run(chosen: argparse.Namespace) -> int:
    """Compare, write and print the report, and return the exit code."""
    from firmware_sim.comparison import compare
    from firmware_sim.comparison.report import to_text, write_comparison

    config = to_config(chosen)
    names = None if chosen.algorithms == "all" else chosen.algorithms.split(",")
    picture = can_draw(chosen)
    with (
        claimed(Path(chosen.out)),
        interruption() as interrupted,
        Bar(" runs", chosen) as bar,
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
        files, unwritten = written(lambda: write_comparison(found, chosen.out, picture=picture))
    if not chosen.quiet:
        for warning in found.rows.warnings:
            tell(f"warning: {warning}")
        show(to_text(found) + "\nreport    " + "  ".join(str(file) for file in files))
    return interrupted.exit_code if interrupted else told(unwritten)
