"""Finished cases of a benchmark in a file, so that a run that was stopped can continue."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from bench.machine import CHANGED, UNKNOWN, here
from bench.table import RESULTS

Record = dict[str, Any]


class Cases:
    """What was found, a JSON line a case; the first line names the commit.

    Cases of another commit, or of code that is not committed, are made again. A line that a stop
    cut short is ignored.

    Parameters
    ----------
    path : Path or None
        The file; None keeps the cases in memory only.
    measured_on : str, optional
        What the cases are of; this commit by default.
    """

    def __init__(self, path: Path | None, measured_on: str | None = None) -> None:
        self.path, self.measured_on = path, measured_on or here()
        self.found: dict[str, Any] = {}
        self._continues = False
        self._writing = Lock()
        if path is None or not path.is_file():
            return
        if self.measured_on == UNKNOWN or CHANGED in self.measured_on:
            return
        text = path.read_text(encoding="utf-8")
        lines = _parsed(text)
        if next(lines, None) == self._head:
            self._continues = True
            self.found = {line["case"]: line["found"] for line in lines}
            if not text.endswith("\n"):
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n")  # or the next line would be a part of the one cut short

    @classmethod
    def of_page(cls, stem: str, keep: bool = True) -> Cases:
        """Those of a page of results, next to it; without ``keep``, in memory only."""
        return cls(RESULTS / f"{stem}.jsonl" if keep else None)

    @property
    def _head(self) -> Record:
        return {"measured_on": self.measured_on}

    def get(self, case: str) -> Any:
        """What was found, or None."""
        return self.found.get(case)

    def add(self, case: str, found: Any) -> None:
        """Store what was found."""
        line = json.dumps({"case": case, "found": found}, ensure_ascii=False)
        self.found[case] = json.loads(line)["found"]
        if self.path is None:
            return
        with self._writing:
            if not self._continues:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_text(f"{json.dumps(self._head)}\n", encoding="utf-8")
                self._continues = True
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

    def of(self, case: str, make: Callable[[], Any]) -> Any:
        """What was found, as JSON holds it; made now if it is not stored."""
        if case not in self.found:
            self.add(case, make())
            print(case, file=sys.stderr, flush=True)
        return self.found[case]


def _parsed(text: str) -> Iterator[Record]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
