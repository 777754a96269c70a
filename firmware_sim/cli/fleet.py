"""The command ``fleet``: many streams, each with several learners."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from edgeolk import parse_bytes
from firmware_sim.cli.exit_codes import OK
from firmware_sim.cli.shared import NO_PROGRESS, QUIET, WORKERS, add_command, out
from firmware_sim.cli.signals import Interruption, interruption
from firmware_sim.cli.terminal import Bar, show, tell
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import Option
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.journal import FORMATS

OWN = {
    "configs": Option(
        "TOML (or JSON) with a table for each learner: ram, algorithm, params, ...", metavar="FILE"
    ),
    "scheduler": Option(
        "a Dask scheduler, as tcp://10.0.0.1:8786", group="workers", metavar="ADDRESS"
    ),
    "workers": replace(
        WORKERS,
        help="processes here (default: all processors; 1: this one, without Dask)",
        group="workers",
    ),
    "worker_memory": Option(
        "what the learners of a worker may take together: 64KiB; more is refused",
        group="workers",
        metavar="SIZE",
    ),
    "out": out("fleet-report"),
    "format": Option("of the records", default=FORMATS[0], group="report", choices=FORMATS),
    "save_models": Option(
        "keep each final model, as edgeolk.load reads it", group="report", metavar="DIR"
    ),
    "quiet": QUIET,
    "no_progress": NO_PROGRESS,
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = (
        "Replay many boards' streams with several learners, on Dask. Every stream of a manifest, "
        "with every configuration; interrupted, the same command goes on where it stopped."
    )
    add_command(commands, "fleet", about, run, OWN).add_argument(
        "manifest",
        metavar="MANIFEST",
        help="a CSV with a column 'stream' and where wanted device, target, ...; or a pattern in "
        "quotes, as 'logs/*.csv.gz'",
    )


def run(chosen: argparse.Namespace) -> int:
    """Replay the fleet, write and print its report, and return the exit code."""
    with interruption() as interrupted:
        text = _run(chosen, interrupted)
    if not chosen.quiet:
        show(text)
    return interrupted.exit_code if interrupted else OK


def _run(chosen: argparse.Namespace, interrupted: Interruption) -> str:
    """Replay the fleet and write its report; return it as text."""
    from firmware_sim.fleet.configurations import read_configurations
    from firmware_sim.fleet.manifest import read_manifest
    from firmware_sim.fleet.report import write_fleet
    from firmware_sim.fleet.run import memory_needed, run_fleet
    from firmware_sim.report.writing import claimed

    if chosen.scheduler and chosen.workers:
        raise SimulatorError("--workers is for workers here; those of --scheduler are there")
    if chosen.configs is None:
        raise SimulatorError("a fleet needs --configs FILE")
    given = {name: value for name, value in vars(chosen).items() if name in OPTIONS}
    boards = read_manifest(chosen.manifest, given)
    configurations = read_configurations(chosen.configs)
    needed = memory_needed(configurations)
    if not chosen.quiet:
        tell(
            f"{len(boards):,} boards x {len(configurations):,} configurations; the learners of a "
            f"worker take at most {needed:,} bytes, the sum of their caps"
        )

    def on_crew(page: str) -> None:
        if page and not chosen.quiet:
            tell(f"Dask's own page: {page}")

    with ExitStack() as stack:
        stack.enter_context(claimed(Path(chosen.out)))
        bar = stack.enter_context(Bar(" boards", chosen))
        fleet = run_fleet(
            boards,
            configurations,
            chosen.out,
            scheduler=chosen.scheduler,
            workers=chosen.workers or os.cpu_count() or 1,
            worker_memory=_memory(chosen.worker_memory),
            models=chosen.save_models,
            form=chosen.format,
            on_start=bar.start,
            on_task=bar.move,
            on_crew=on_crew,
            should_stop=lambda: bool(interrupted),
        )
        bar.close()
        text, files = write_fleet(fleet, chosen.out)
    return text + "\nreport    " + "  ".join(str(file) for file in [*files, *fleet.files])


def _memory(text: str | None) -> int:
    if text is None:
        return 0
    try:
        return int(parse_bytes(text))
    except ValueError as error:
        raise SimulatorError(f"--worker-memory: {error}") from None
