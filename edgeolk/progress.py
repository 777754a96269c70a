"""Progress of long calls on stderr: a tqdm bar if it is installed, else a line now and then."""

from __future__ import annotations

import sys
import time
from typing import Any

#: Seconds before the first line is shown, and between two lines.
DELAY = 1.0
PAUSE = 5.0


class Progress:
    """Counts rows, and shows progress if the call takes longer than a second.

    A context manager that is called with the rows done since its last call. ``total``, the number
    of rows, may be set until the first one is done.
    """

    def __init__(self, total: int = 0) -> None:
        self.total = total
        self.done = 0
        self._shown = self._begun = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __call__(self, rows: int) -> None:
        self.done += rows
        if self._bar is not None:
            self._bar.update(rows)
            return
        now = time.monotonic()
        if now - self._begun < DELAY:
            return
        if self._begun == self._shown:
            self._bar = self._new_bar()
        if self._bar is None and (self._begun == self._shown or now - self._shown >= PAUSE):
            self._shown = now
            share = 100.0 * self.done / max(1, self.total)
            print(f"{self.done:,} of {self.total:,} rows, {share:.0f} %", file=sys.stderr)

    def _new_bar(self) -> Any:
        try:
            from tqdm import tqdm
        except ImportError:
            return None
        return tqdm(total=self.total, initial=self.done, unit=" rows", file=sys.stderr)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
