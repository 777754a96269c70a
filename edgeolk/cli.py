"""Command line: what algorithms there are, what they take, what a model file holds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from edgeolk.catalogue import algorithms, find
from edgeolk.errors import BudgetError
from edgeolk.learner import load
from edgeolk.page import page, parameter_rows, table
from edgeolk.parts import Dtype
from edgeolk.planning import parse_bytes, plan

DTYPES = [member.name.lower() for member in Dtype]


def _list(options: argparse.Namespace) -> None:
    if options.markdown or options.page:
        print(table() if options.markdown else page())
        return
    for row in algorithms():
        print(f"{row.name:<20} {row.title}{'' if row.done else '  (planned)'}")
        if options.verbose:
            print(f"{'':<20} {row.source}")
            for name, default, allowed, meaning in parameter_rows(row) if row.done else ():
                print(f"{'':<22} {name} = {default}: {meaning} ({allowed})")


def _plan(options: argparse.Namespace) -> None:
    rows = [find(options.algorithm)] if options.algorithm else [r for r in algorithms() if r.done]
    if options.algorithm:
        print(
            plan(
                options.algorithm,
                n_features=options.features,
                ram=options.ram,
                budget=options.budget,
                dtype=options.dtype,
            )
        )
        return
    size = f"{parse_bytes(options.ram)} bytes" if options.ram else f"B = {options.budget}"
    print(f"{size}, d = {options.features}, {options.dtype}, Gaussian kernel")
    print(f"{'algorithm':<18}{'B':>8}{'bytes':>12}{'bytes per SV':>14}  longest step")
    for row in rows:
        try:
            made = plan(
                row.name,
                n_features=options.features,
                ram=options.ram,
                budget=options.budget,
                dtype=options.dtype,
            )
        except ValueError as error:
            print(f"{row.name:<18}{'-':>8}  {error}")
            continue
        each = made.nbytes / made.budget
        print(
            f"{row.name:<18}{made.budget:>8}{made.nbytes:>12}{each:>14.1f}  {made.longest_step}"
        )


def _info(options: argparse.Namespace) -> None:
    learner = load(options.model)
    parts = ", ".join(f"{axis} {part.name.lower()}" for axis, part in learner.parts.items())
    values = ", ".join(f"{name} = {value:g}" for name, value in learner.parameters.items())
    print(f"algorithm        {learner.algorithm} ({parts})")
    print(f"parameters       {values or 'none'}")
    print(f"kernel           {learner.kernel}")
    print(f"features         {learner.n_features}, {learner.dtype}")
    print(f"support vectors  {learner.n_support} of {learner.budget}")
    print(f"steps            {learner.steps}, {learner.updates} updates")
    if learner.is_regression:
        print(f"squared error    {learner.squared_error:.6g}")
    else:
        print(f"mistakes         {learner.mistakes}")
    print(f"bytes            {learner.nbytes}")


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

    planning = commands.add_parser("plan", help="memory, to the byte, before anything is built")
    size = planning.add_mutually_exclusive_group(required=True)
    size.add_argument("--ram", help="cap, such as 64KiB: the largest budget that fits")
    size.add_argument("--budget", type=int, help="support vectors: the bytes they take")
    planning.add_argument("--features", type=int, required=True, help="dimension d")
    planning.add_argument("--algorithm", help="every region of this one (default: a line for each)")
    planning.add_argument("--dtype", default="float32", choices=DTYPES)
    planning.set_defaults(run=_plan)

    info = commands.add_parser("info", help="what a model file holds")
    info.add_argument("model", help="a file written by Learner.save")
    info.set_defaults(run=_info)
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
