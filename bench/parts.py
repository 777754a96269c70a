"""The main of a benchmark of several parts, each with a page of its own."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from importlib import import_module

from bench import machine
from bench.table import Report

#: Title of a part, its module in the package, and the function that returns its tables and data;
#: named, since each part asks for packages of its own.
Parts = Mapping[str, tuple[str, str, str]]


def main(package: str, about: str | None, parts: Parts, inputs: str) -> None:
    """Run the parts that are asked for, print their pages, and save them.

    package: the module with the parts below it.
    about: what the program does.
    inputs: what the functions of the parts are given names of, to run on these alone.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=about)
    parser.add_argument("--only", choices=parts, help="run one part")
    parser.add_argument(
        f"--{inputs}", dest="some", nargs="*", default=[], help="of that part; saves nothing"
    )
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    for part, (title, module, name) in parts.items():
        if asked.only not in (None, part):
            continue
        run = getattr(import_module(f"{package}.{module}"), name)
        tables, data = run(tuple(asked.some))
        made = Report(
            title,
            f"`python -m {package} --only {part}`. {machine.sentence()}. Times are of the"
            " processor, one thread, on a machine that had other work.",
            tables,
            data,
        )
        made.publish(f"{package.rpartition('.')[2]}_{part}", not asked.some)
