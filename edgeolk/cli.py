"""Command line: what algorithms there are, what they take, what a model file holds; export to C."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from edgeolk.catalogue import algorithms
from edgeolk.catalogue.page import page, parameter_rows, table
from edgeolk.cli_plan import add_plan
from edgeolk.errors import BudgetError
from edgeolk.export import export_c
from edgeolk.learner import Learner, load


def _list(options: argparse.Namespace) -> None:
    if options.markdown or options.page:
        print(table() if options.markdown else page())
        return
    for row in algorithms():
        print(f"{row.name:<20} {row.title}{' (freezes when full)' if row.freezes else ''}")
        if options.verbose:
            print(f"{'':<20} {row.source}")
            for name, default, allowed, meaning in parameter_rows(row):
                print(f"{'':<22} {name} = {default}: {meaning} ({allowed})")


def _told(value: Any) -> str:
    if isinstance(value, IntEnum):
        return value.name.lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _intake(learner: Learner) -> list[str]:
    """Lines on what is done with rows on their way in."""
    intake = learner.config.intake
    lines = []
    if intake.gamma_rows:
        known = learner.steps >= intake.gamma_rows
        state = "made from" if known else "provisional, to be made from"
        lines.append(f"width            {state} the first {intake.gamma_rows} rows")
    scaler = learner.scaler
    if scaler is not None:
        counts = scaler.n_clipped
        clipped = 0 if counts is None else int(counts.sum())
        lines.append(f"scaling          {scaler.method}, {clipped} readings clipped")
    if intake.clip_rows:
        lines.append(f"rows bounded     to {intake.clip_rows:g}: {learner.n_clipped}")
    return lines


def _info(options: argparse.Namespace) -> None:
    learner = load(options.model)
    parts = ", ".join(f"{axis} {part.name.lower()}" for axis, part in learner.parts.items())
    values = ", ".join(f"{name} = {_told(value)}" for name, value in learner.parameters.items())
    print(f"algorithm        {learner.algorithm} ({parts})")
    print(f"parameters       {values or 'none'}")
    print(f"kernel           {learner.kernel}")
    print(f"features         {learner.n_features}, {learner.dtype}")
    print(f"coefficients     {learner.coefficients}")
    for line in _intake(learner):
        print(line)
    print(f"support vectors  {learner.n_support} of {learner.budget}")
    print(f"steps            {learner.steps}, {learner.updates} updates")
    if learner.is_regression:
        print(f"squared error    {learner.squared_error:.6g}")
    else:
        print(f"mistakes         {learner.mistakes}")
    print(f"bytes            {learner.nbytes}")


def _export(options: argparse.Namespace) -> None:
    names = [name for name in options.with_.split(",") if name]
    for name in export_c(load(options.model), options.out, with_=names):
        print(name)


def build_parser() -> argparse.ArgumentParser:
    """The parser, for the program and its tests."""
    parser = argparse.ArgumentParser(prog="edgeolk", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="the published algorithms")
    listing.add_argument("-v", "--verbose", action="store_true", help="source and parameters too")
    form = listing.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    form.add_argument("--page", action="store_true", help="as a Markdown page, a section each")
    listing.set_defaults(run=_list)

    add_plan(commands)

    info = commands.add_parser("info", help="what a model file holds")
    info.add_argument("model", help="a file written by Learner.save")
    info.set_defaults(run=_info)

    export = commands.add_parser("export", help="a model as C99 for a microcontroller")
    export.add_argument("model", help="a file written by Learner.save")
    export.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export.add_argument(
        "--with", dest="with_", default="", metavar="NAMES",
        help="files of tool chains too, with commas between: arduino, platformio, cmake, zephyr",
    )  # fmt: skip
    export.set_defaults(run=_export)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 2 on bad arguments."""
    options = build_parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:
        return 0
    except (ValueError, TypeError, OSError, BudgetError) as error:
        print(f"edgeolk: {error}", file=sys.stderr)
        return 2
    return 0
