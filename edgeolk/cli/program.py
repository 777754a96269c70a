"""List algorithms, plan memory, inspect model files, export to C."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from edgeolk.catalogue import algorithms
from edgeolk.cli.console import take_any_text
from edgeolk.cli.info import add_info, loaded
from edgeolk.cli.page import page, parameter_rows, table
from edgeolk.cli.plan import add_plan
from edgeolk.errors import BudgetError
from edgeolk.export import export_c
from edgeolk.export.folder import SCRATCH
from edgeolk.export.kits import KITS


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


def _export(options: argparse.Namespace) -> None:
    names = [name for name in options.with_.split(",") if name]
    for name in export_c(
        loaded(options.model),
        options.out,
        with_=names,
        prefix=options.prefix,
        scratch=options.scratch,
    ):
        print(name)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line; parsed options include the function ``run``."""
    parser = argparse.ArgumentParser(prog="edgeolk", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="list the published algorithms")
    listing.add_argument("-v", "--verbose", action="store_true", help="with sources and parameters")
    form = listing.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="as a Markdown table")
    form.add_argument(
        "--page", action="store_true", help="as a Markdown page with a section per algorithm"
    )
    listing.set_defaults(run=_list)

    add_plan(commands)
    add_info(commands)

    export = commands.add_parser("export", help="export a model as C99 for a microcontroller")
    export.add_argument("model", help="a file written by Learner.save")
    export.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export.add_argument(
        "--with", dest="with_", default="", metavar="NAMES",
        help="also write files for these tool chains, separated by commas: " + ", ".join(KITS),
    )  # fmt: skip
    export.add_argument(
        "--prefix", default="ek", metavar="NAME",
        help="prefix of all names, for several models in one program (default ek)",
    )  # fmt: skip
    export.add_argument(
        "--scratch", default="stack", choices=SCRATCH,
        help="where calls keep their scratch: stack, or arena for small stacks (default stack)",
    )  # fmt: skip
    export.set_defaults(run=_export)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process.

    Returns the exit code: 0, or 2 after an error, with a sentence on standard error.
    Raises SystemExit: from the parser, with 2 for bad arguments, with 0 after ``--help``.
    """
    take_any_text()
    options = build_parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:
        return 0
    except (ValueError, TypeError, OSError, BudgetError) as error:
        print(f"edgeolk: {error}", file=sys.stderr)
        return 2
    return 0
