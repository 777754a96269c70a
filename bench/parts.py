"""The main function of a benchmark with several parts, each with its own page."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from importlib import import_module

from bench import machine
from bench.table import Report

#: Title of a part, its module in the package, and the name of the function that returns its tables
#: and data; by name, since parts import different packages.
Parts = Mapping[str, tuple[str, str, str]]


def main(package: str, about: str | None, parts: Parts, inputs: str) -> None:
    """Run the selected parts, print their pages, and save them.

    package: the package of the parts.
    about: description of the program.
    inputs: name of the option that restricts a part to some of its inputs.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=about)
    parser.add_argument("--only", choices=parts, help="run one part")
    parser.add_argument(
        f"--{inputs}", dest="some", nargs="*", default=[], help="of that part; saves nothing"
    )
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    for part, (title, module, name) in parts.items():
        if arguments.only not in (None, part):
            continue
        run = getattr(import_module(f"{package}.{module}"), name)
        tables, data = run(tuple(arguments.some))
        report = Report(
            title,
            f"`python -m {package} --only {part}`. {machine.sentence()}. Times are of the"
            " processor, one thread, on a machine that had other work.",
            tables,
            data,
        )
        report.publish(f"{package.rpartition('.')[2]}_{part}", not arguments.some)
