"""The command ``fleet``: many streams, each with several learners."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgeolk import parse_bytes
from firmware_sim.cli.processes import Interruption, interruption
from firmware_sim.cli.shared import STRICT, WORKERS, add_command, reported
from firmware_sim.cli.terminal import FAILED, Bar, ended, tell, written
from firmware_sim.configuration import values
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.configuration.option import Option, Value
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.journal import FORMATS

if TYPE_CHECKING:
    from firmware_sim.drawing.document import Report
    from firmware_sim.fleet import Fleet

_REPORT = reported("fleet-report")
COMMAND_OPTIONS = {
    "configs": Option(
        "TOML (or JSON) with a table for each learner: ram, algorithm, params, ...",
        metavar="FILE",
        required=True,
    ),
    "scheduler": Option(
        "address of a Dask scheduler, such as tcp://10.0.0.1:8786",
        group="workers",
        metavar="ADDRESS",
    ),
    "workers": replace(
        WORKERS,
        help="processes here (default: all processors; 1: this one, without Dask)",
        group="workers",
    ),
    "worker_memory": Option(
        "maximum memory of all learners of a worker, such as 64KiB",
        group="workers",
        metavar="SIZE",
    ),
    "out": _REPORT["out"],
    "format": Option("format of the records", default=FORMATS[0], group="report", choices=FORMATS),
    "save_models": Option("save each final model for edgeolk.load", group="report", metavar="DIR"),
    "fail_on": Option(
        "exit with code 1 if any, all, or at least N runs failed",
        Value("never|any|all|N", values.failures),
        default="any",
        group="report",
    ),
    "strict": replace(
        STRICT, help="a run that leaves out more than a tenth of its rows has failed"
    ),
    "quiet": _REPORT["quiet"],
    "no_progress": _REPORT["no_progress"],
}


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = (
        "Replay many boards' streams with several learners, on Dask: every stream of a manifest "
        "with every configuration. After an interruption, the same command continues."
    )
    manifest = (
        "a CSV with a column 'stream' and, optionally, device, target, ...; or a quoted "
        "pattern such as 'logs/*.csv.gz'"
    )
    add_command(commands, "fleet", about, run, COMMAND_OPTIONS, manifest=manifest)


def run(chosen: argparse.Namespace) -> int:
    """Replay the fleet, write and print its report, and return the exit code."""
    from firmware_sim.fleet.report import report_of
    from firmware_sim.fleet.summary import summarize

    with ExitStack() as stack:
        interrupted = stack.enter_context(interruption())
        fleet = _fleet(chosen, interrupted, stack)
        found = summarize(fleet)
        report = report_of(found)
        files, unwritten = written(lambda: _write(report, Path(chosen.out)))
    unwritten += filter(None, [fleet.unwritten])
    code = ended(chosen, report.to_text(), [*files, *fleet.files], unwritten, (), interrupted)
    return FAILED if not interrupted and _fails(chosen.fail_on, fleet) else code


def _write(report: Report, folder: Path) -> list[Path]:
    """Write text and page; without matplotlib the page has no chart."""
    from firmware_sim.report.writing import refusals, write_files

    return write_files(report, folder, "fleet", picture=not refusals(picture=True), png=False)


def _fails(limit: str | int, fleet: Fleet) -> bool:
    """Whether enough runs failed that the command fails; prints how many."""
    failed, total = len(fleet.failed), len(fleet.records)
    min_failed = {"never": total + 1, "any": 1, "all": total}.get(str(limit), limit)
    found = failed >= int(min_failed) and failed > 0
    if found:
        tell(f"{failed:,} of {total:,} runs failed (--fail-on {limit})")
    return found


def _fleet(chosen: argparse.Namespace, interrupted: Interruption, stack: ExitStack) -> Fleet:
    """Replay the fleet in a folder that is locked until the stack is closed."""
    from firmware_sim.fleet.configurations import read_configurations
    from firmware_sim.fleet.manifest import read_manifest
    from firmware_sim.fleet.run import memory_needed, run_fleet
    from firmware_sim.report.writing import claimed

    if chosen.scheduler and chosen.workers:
        raise SimulatorError(
            "--workers starts local workers; those of --scheduler are already running"
        )
    given = {name: value for name, value in vars(chosen).items() if name in OPTIONS}
    boards = read_manifest(chosen.manifest, given)
    configurations = read_configurations(chosen.configs)
    needed = memory_needed(configurations)
    if not chosen.quiet:
        tell(
            f"{len(boards):,} boards x {len(configurations):,} configurations; the learners of a "
            f"worker take at most {needed:,} bytes, the sum of their caps"
        )

    def on_cluster(page: str) -> None:
        if page and not chosen.quiet:
            tell(f"Dask's own page: {page}")

    stack.enter_context(claimed(Path(chosen.out)))
    with Bar(" boards", chosen) as bar:
        return run_fleet(
            *(boards, configurations, chosen.out),
            scheduler=chosen.scheduler,
            workers=chosen.workers or os.cpu_count() or 1,
            worker_memory=_memory(chosen.worker_memory),
            models=chosen.save_models,
            strict=chosen.strict,
            form=chosen.format,
            on_start=bar.start,
            on_task=bar.move,
            on_cluster=on_cluster,
            should_stop=lambda: bool(interrupted),
        )


def _memory(text: str | None) -> int:
    if text is None:
        return 0
    try:
        return int(parse_bytes(text))
    except ValueError as error:
        raise SimulatorError(f"--worker-memory: {error}") from None
