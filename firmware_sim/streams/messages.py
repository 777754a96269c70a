"""Parses broker messages: JSON objects or CSV cells."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import Any

from firmware_sim.plaintext import shortened
from firmware_sim.streams import cells

_EMPTY: tuple[Any, ...] = ({}, [])


def fields(payload: bytes) -> dict[str, Any]:
    """Return the values of a JSON object, nested ones as ``a.b`` and ``a.0``; {} if it is not one.

    null, [] and {} become None: the field exists but has no value.
    """
    try:
        values = json.loads(payload)
        return flat(values) if isinstance(values, dict) else {}
    except (ValueError, RecursionError):
        return {}


def flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of an object, nested ones as ``a.b`` and ``a.0``."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        if value in _EMPTY:
            out[before + name] = None
        elif isinstance(value, dict):
            out |= flat(value, f"{before}{name}.")
        elif isinstance(value, list):
            out |= flat({str(place): one for place, one in enumerate(value)}, f"{before}{name}.")
        else:
            out[before + name] = value
    return out


def text(value: Any) -> str:
    """Return a JSON value as a table cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def split(payload: bytes) -> list[str]:
    """Return the cells of a CSV message; an empty list if it is not text."""
    try:
        return next(csv.reader([payload.decode().strip("\r\n")]), [])
    except (UnicodeDecodeError, csv.Error):
        return []


def described(payload: bytes, address: str, columns: Sequence[str] | None) -> str:
    """Return what a message that is not a row holds, and the address that would read it.

    payload: the message.
    address: the URL of the topic, up to the names of columns.
    columns: the columns; None if messages must be JSON objects.
    """
    found = split(payload)
    if not found or any(ord(letter) < 32 for cell in found for letter in cell.strip()):
        return "messages are not text; a row is a JSON object or CSV cells"
    shown = shortened(",".join(found))
    values = fields(payload)
    if values and columns is not None:
        return (
            f"messages have the fields {shortened(', '.join(values), 200)} and none of the columns "
            f"{','.join(columns)}"
        )
    if payload.lstrip()[:1] in (b"{", b"["):
        what = f"messages are {shown}, and not JSON objects with values in them"
        return f'{what}: a row is {{"temperature": 21.5, "light": 430}}'
    if columns is not None:
        return (
            f"messages have {len(found)} cells, such as {shown}, and there are {len(columns)} "
            f"columns ({','.join(columns)})"
        )
    if len(found) == 1:
        what = "numbers" if cells.is_number(found[0]) else "words"
        return (
            f"messages are plain {what}, such as {shown}: '{address}value' reads them as one "
            "column; to learn from several sensors, publish their readings as one JSON object"
        )
    names = ",".join(f"c{place}" for place in range(1, len(found) + 1))
    return (
        f"messages are cells of CSV, such as {shown}: '{address}{names}' reads them, with your own "
        "names, the label's among them"
    )
