"""The command ``measure``: exports a model as C with instruction counts from emulated boards."""

from __future__ import annotations

import argparse
from typing import Any

import edgeolk as ek
from edgeolk.hosting import SCRATCH, windows_in
from firmware_sim.cli.terminal import OK, show
from firmware_sim.errors import SimulatorError
from firmware_sim.mcu.counting import counted


def add_options(commands: Any) -> None:
    """Add the command and its options."""
    about = "Export a model as C, with instruction counts from emulated boards in its README."
    brief = about[0].lower() + about[1:-1]
    about += " A model that learns is counted from its configuration, its memory of rows full."
    parser = commands.add_parser("measure", help=brief, description=about)
    parser.add_argument("model", metavar="MODEL", help="a file written by Learner.save")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--with", dest="with_", default="", metavar="NAMES", help="as for edgeolk export"
    )
    parser.add_argument("--prefix", default="ek", metavar="NAME", help="as for edgeolk export")
    parser.add_argument("--scratch", default="stack", choices=SCRATCH, help="as for edgeolk export")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Count instructions and write the folder; return the exit code."""
    try:
        learner = ek.load(chosen.model)
        rows = counted(learner)
        names = [name for name in chosen.with_.split(",") if name]
        ek.export_c(
            learner, chosen.out, with_=names, prefix=chosen.prefix, scratch=chosen.scratch,
            counted=rows, windows=windows_in(chosen.model),
        )  # fmt: skip
    except (ValueError, OSError, RuntimeError) as error:
        raise SimulatorError(str(error)) from None
    for row in rows:
        show(
            f"{row.core:<12}{row.arithmetic:<8}{row.score:>10,.0f} k to score"
            f"{row.learn:>10,.0f} k to learn{row.longest:>10,.0f} k at most"
        )
    show(f"written: {chosen.out}")
    return OK
