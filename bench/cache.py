"""Finished runs in a file, so that an interrupted benchmark can continue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class Cache:
    """One JSON line per run; a line truncated by an interruption is ignored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[str, Record] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                    self.records[record["key"]] = record
                except (ValueError, KeyError):
                    continue

    def get(self, key: str) -> Record | None:
        """The record of a run, or None."""
        return self.records.get(key)

    def add(self, key: str, about: Mapping[str, Any], record: Record) -> None:
        """Store a record."""
        full = {"key": key, **about, **record}
        self.records[key] = full
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(full) + "\n")
