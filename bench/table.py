"""Tables of results as Markdown that also reads well on a terminal, and as JSON; their programs."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from bench import machine
from bench.machine import ROOT, here

#: Title of a part, its module in the package, and the name of the function that returns its tables
#: and data; by name, since parts import different packages.
Parts = Mapping[str, tuple[str, str, str]]
RESULTS = ROOT / "bench" / "results"


@dataclass(frozen=True)
class Table:
    """A titled table; the first ``left`` columns hold words, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    left: int = 1

    def markdown(self) -> str:
        """The table with padded columns, its title above and its note below."""
        cells = [list(self.header), *(list(row) for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.header))]

        def line(row: Sequence[str]) -> str:
            padded = (
                cell.ljust(width) if i < self.left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            return f"| {' | '.join(padded)} |"

        rule = [
            "-" * width if i < self.left else "-" * (width - 1) + ":"
            for i, width in enumerate(widths)
        ]
        lines = [f"## {self.title}", "", line(cells[0]), line(rule), *map(line, cells[1:])]
        return "\n".join([*lines, "", self.note] if self.note else lines)


@dataclass(frozen=True)
class Report:
    """Tables under one heading, with the numbers behind them."""

    title: str
    introduction: str
    tables: Sequence[Table]
    data: dict[str, Any] = field(default_factory=dict)

    def markdown(self) -> str:
        """The whole report."""
        head = [f"# {self.title}", f"Measured on {here()}.", self.introduction]
        blocks = [*head, *(t.markdown() for t in self.tables)]
        return "\n\n".join(blocks) + "\n"

    def save(self, stem: str, directory: Path = RESULTS) -> list[Path]:
        """Write ``stem``.md and, if there is data, ``stem``.json; return the files."""
        directory.mkdir(parents=True, exist_ok=True)
        written = [directory / f"{stem}.md"]
        written[0].write_text(self.markdown(), encoding="utf-8")
        if self.data:
            written.append(directory / f"{stem}.json")
            text = json.dumps(self.data, indent=1, ensure_ascii=False)
            written[1].write_text(text + "\n", encoding="utf-8")
        return written

    def publish(self, stem: str, keep: bool = True, more: Sequence[Path] = ()) -> None:
        """Print the report; with ``keep``, save it and list the files, including ``more``."""
        print(self.markdown(), flush=True)
        if keep:
            for path in (*self.save(stem), *more):
                print(f"saved {path.relative_to(ROOT)}")


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
        if not tables:  # a part without its data
            continue
        report = Report(
            title,
            f"`python -m {package} --only {part}`. {machine.sentence()}. Times are of the"
            " processor, one thread, on a machine that had other work.",
            tables,
            data,
        )
        report.publish(f"{package.rpartition('.')[2]}_{part}", not arguments.some)
