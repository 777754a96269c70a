"""The command ``python -m firmware_sim fleet``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from edgeolk import parse_bytes
from firmware_sim import values
from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.journal import FORMATS
from firmware_sim.kinds import KINDS


def add_options(commands: Any) -> None:
    """Add the command and what it takes."""
    fleet = commands.add_parser(
        "fleet",
        help="replay many boards' streams with several learners, on Dask",
        description="Replay every stream of a manifest with every configuration. Interrupted, the "
        "same command goes on where it stopped.",
    )
    add = fleet.add_argument
    add(
        "manifest",
        metavar="MANIFEST",
        help="a CSV with a column 'stream' and where wanted device, target, ...; or a pattern in "
        "quotes, as 'logs/*.csv.gz'",
    )
    add(
        "--configs",
        metavar="FILE",
        required=True,
        help="TOML (or JSON) with a table for each learner: ram, algorithm, params, ...",
    )
    add("--target", metavar="COLUMN", help="the label column, where the manifest says none")
    add("--positive", metavar="VALUE", help="the label that means +1, where it says none")
    add("--kind", choices=KINDS, help="of labels, where neither it nor the configurations say")
    add = fleet.add_argument_group("workers").add_argument
    add("--scheduler", metavar="ADDRESS", help="a Dask scheduler, as tcp://10.0.0.1:8786")
    add(
        "--workers",
        metavar="N",
        type=values.count,
        help="processes here (default: all processors; 1: this one, without Dask)",
    )
    add(
        "--worker-memory",
        metavar="SIZE",
        help="what the learners of a worker may take together: 64KiB; more is refused",
    )
    add = fleet.add_argument_group("report").add_argument
    add("--out", metavar="DIR", default="fleet-report", help="default: %(default)s")
    add("--format", choices=FORMATS, default=FORMATS[0], help="of the records")
    add("--save-models", metavar="DIR", help="keep each final model, as edgeolk.load reads it")
    add("--quiet", action="store_true", help="write the files, print nothing")
    add("--no-progress", action="store_true", help="no progress bar on a terminal either")


def run(
    chosen: argparse.Namespace,
    bar: Any,
    should_stop: Callable[[], bool],
    tell: Callable[[str], object],
) -> str:
    """Run it and return the report as text.

    Parameters
    ----------
    chosen : Namespace
        What was said.
    bar : progress bar
        With ``start``, ``move`` and ``close``.
    should_stop : callable
        True ends the run early.
    tell : callable
        Told a line about what goes on.
    """
    from firmware_sim.fleet.configurations import read_configurations
    from firmware_sim.fleet.manifest import read_manifest
    from firmware_sim.fleet.report import write_fleet
    from firmware_sim.fleet.run import memory_needed, run_fleet
    from firmware_sim.report.writing import claimed

    if chosen.scheduler and chosen.workers:
        raise SimulatorError("--workers is for workers here; those of --scheduler are there")
    given = {name: getattr(chosen, name) for name in ("target", "positive", "kind")}
    boards = read_manifest(
        chosen.manifest, {name: value for name, value in given.items() if value is not None}
    )
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
        stack.enter_context(bar)
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
            should_stop=should_stop,
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
