"""The golden model files: their names, their recorded answers, and their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from edgeolk.files import restore

FOLDER = Path(__file__).resolve().parent.parent / "edgeolk" / "files" / "golden"
READERS = {5: restore.read}
#: Of a version the one with everything, then what was added later.
ARCHIVES = {
    version: [ZipFile(path) for path in sorted(FOLDER.glob(f"v{version}*.zip"), key=str)]
    for version in READERS
}
#: The archive of each file.
HELD = {
    (version, name): archive
    for version, archives in ARCHIVES.items()
    for archive in archives
    for name in archive.namelist()
}
CASES = [
    (version, name.removesuffix(".olk")) for version, name in sorted(HELD) if name.endswith(".olk")
]
_STORED = ("float16", "float32", "float64", "int8")
#: By day the files of every option, and of an algorithm in each storage type one in eight.
_ALIKE = [
    case
    for case in CASES
    if case[1].removesuffix("-narrow").endswith(_STORED) and not case[1].startswith("sorf")
]
DAY = [case for case in CASES if case not in _ALIKE or _ALIKE.index(case) % 8 == 3]


def few_by_day(cases: Iterable[Any]) -> list[Any]:
    """Cases for ``parametrize``; those beyond the quick ones run only at night."""
    return [pytest.param(*case, marks=() if case in DAY else pytest.mark.slow) for case in cases]


def data_of(version: int, stem: str) -> bytes:
    return HELD[version, f"{stem}.olk"].read(f"{stem}.olk")


def file_of(version: int, stem: str, folder: Path) -> Path:
    """The model file, written to a folder."""
    path = folder / f"v{version}-{stem}.olk"
    path.write_bytes(data_of(version, stem))
    return path


def told_of(version: int, stem: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(HELD[version, f"{stem}.json"].read(f"{stem}.json"))
    return told


def rows_of(version: int, told: dict[str, Any], regression: bool) -> tuple[np.ndarray, np.ndarray]:
    """The rows that a case learned after it was saved, and their labels or targets."""
    stream = json.loads(HELD[version, "rows.json"].read("rows.json"))
    first, end = told["rows"]
    chosen = stream[first:end]
    x = np.array([row for row, _, _ in chosen]) / 64.0
    y = np.array([target if regression else label for _, label, target in chosen])
    if "n_classes" in told["options"]:
        y = np.where(y < 0.0, 0.0, 1.0 + (x[:, 1] > 0.0))
    return x, y
