"""The journal of finished tasks, and the sorted records at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from firmware_sim.errors import SimulatorError
from firmware_sim.fleet.task import Record
from firmware_sim.report.journal import Journal as Lines
from firmware_sim.report.writing import write_each

JOURNAL = "journal.jsonl"
FORMATS = ("jsonl", "parquet")


class Journal(Lines):
    """The finished tasks, one per line.

    folder: the folder of ``journal.jsonl``.
    records: records by key.
    seconds: duration of each record's task, by key.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / JOURNAL)
        self.records: dict[str, Record] = {}
        self.seconds: dict[str, float] = {}
        for records, seconds in self.read(_task):
            self._keep(records, seconds)

    def _keep(self, records: Iterable[Record], seconds: float) -> None:
        for record in records:
            self.records[record.key] = record
            self.seconds[record.key] = seconds

    def enter(self, records: Sequence[Record], seconds: float) -> None:
        """Append the records of a task.

        Raises SimulatorError: they cannot be written; then they are not added to `records`.
        """
        self.add({"seconds": seconds, "records": [record.to_dict() for record in records]})
        self._keep(records, seconds)


def _task(line: Any) -> tuple[list[Record], float]:
    return [Record.from_dict(one) for one in line["records"]], line["seconds"]


def publish(
    folder: Path, records: Sequence[Record], seconds: Sequence[float | None], form: str
) -> list[Path]:
    """Write the records in order, and their times in a second file; return the files.

    The first file is identical, byte for byte, however the run went.

    Raises NotWrittenError: a file cannot be written.
    """
    rows = [record.to_dict() for record in records]
    times = [
        {"key": record.key, "task_seconds": spent}
        for record, spent in zip(records, seconds, strict=True)
    ]
    write = _write_parquet if form == "parquet" else _write_lines
    tables = {"records": rows, "timings": times}
    return write_each(
        folder, {f"{name}.{form}": partial(write, rows=table) for name, table in tables.items()}
    )


def check_form(form: str) -> None:
    """Raise an error for a format that cannot be written here.

    Raises SimulatorError: it is ``"parquet"``, and pyarrow is not installed.
    """
    if form == "parquet" and find_spec("pyarrow") is None:
        raise SimulatorError("--format parquet needs pyarrow: pip install pyarrow")


def _write_lines(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def _write_parquet(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    # All columns are listed: the first record may be a failed one, with few columns.
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    parquet.write_table(pa.table(columns), path)
