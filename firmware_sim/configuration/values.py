"""Valid values of options: readers of words, and the names and defaults of algorithms.

Readers of words on a command line or in a manifest raise `BadValueError`; checks of a
`ReplayConfig` raise `SimulatorError`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import re
from functools import lru_cache
from typing import Any

import edgeolk as ek
from edgeolk import parse_bytes
from firmware_sim.errors import SimulatorError, StreamError
from firmware_sim.streams.time_format import TimeFormat
from firmware_sim.streams.zones import zone_of

_CUTS = "every=ROWS, at=ROW or random=SHARE, as in every=5000"
#: Default constant terms of the kernels that have one.
OFFSETS = {"polynomial": ek.Polynomial.offset, "sigmoid": ek.Sigmoid.offset}
#: The default algorithm.
RECOMMENDED = ek.Config(n_features=1).name
NOT_PARAMETERS = ("n_features", "budget", "ram", "kernel", "dtype", "seed", "buffer")


class BadValueError(argparse.ArgumentTypeError, ValueError):
    """An invalid word; argparse and the reader of manifests both show the message."""


def count(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise BadValueError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def flag(text: str) -> bool:
    """Return whether a cell means true."""
    word = text.lower()
    if word not in ("true", "yes", "1", "false", "no", "0"):
        raise BadValueError(f"{text!r} is neither true nor false")
    return word in ("true", "yes", "1")


def failures(text: str) -> str | int:
    """Return ``never``, ``any``, ``all``, or a number of at least 1."""
    if text in ("never", "any", "all"):
        return text
    try:
        return count(text)
    except BadValueError as error:
        raise BadValueError(f"{error}, nor never, any or all") from None


def duration(text: str) -> float:
    """Return a number of seconds above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise BadValueError(f"{text!r} is not a number of seconds above 0")
    return seconds


_UNITS = {"s": 1.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0, "": 1.0}


def span(text: str) -> float:
    """Return the seconds of a time such as ``10min``."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?(s|min|h|d|)", text.strip().lower())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not seconds > 0.0:
        raise BadValueError(f"{text!r} is not a time above 0, as in 10min, 90s or 2h")
    return seconds


def period(text: str) -> str:
    """Return a time such as ``5min`` as it is."""
    span(text)
    return text.strip()


def seconds_of(value: float | str, option: str) -> float:
    """Return the seconds of a number of them, or of a time such as ``5min``.

    Raises SimulatorError: it is neither, or not above 0.
    """
    try:
        return span(str(value))
    except BadValueError as error:
        raise SimulatorError(f"{option}: {error}") from None


def rows_or_time(text: str) -> int | str:
    """Return a number of rows, or a time such as ``6h`` as it is."""
    word = text.strip()
    if word.isdigit():
        return int(word)
    if word[-1:].isdigit() or word[:1] == "-":
        raise BadValueError(f"{text!r} is neither a number of rows nor a time such as 6h")
    span(word)
    return word


def season(text: str) -> int | str:
    """Return a number of rows, a time, or ``auto``."""
    return text if text == "auto" else rows_or_time(text)


def in_rows(value: int | str, period: float | None, option: str) -> int:
    """Return a number of rows, given as one or as a time.

    period: seconds between rows; None if unknown.
    option: its name, for messages.
    Raises SimulatorError: it is a time, and the period is unknown or longer.
    """
    if isinstance(value, int):
        return value
    try:
        seconds = span(value)
    except BadValueError as error:
        raise SimulatorError(f"{option}: {error}") from None
    if period is None:
        raise SimulatorError(
            f"{option} is {value}, and the time between rows is unknown: give {option} in rows, "
            "name the column of times with --time, or give --period"
        )
    rows = round(seconds / period)
    if rows < 1:
        raise SimulatorError(
            f"{option} is {value}, less than the {period:g} s from one row to the next"
        )
    return rows


def separator(text: str) -> str:
    """Return the characters that separate cells; tab and \\t name one."""
    found = text.replace("\\t", "\t")
    found = {"tab": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}.get(
        found.lower(), found
    )
    if not found or set(found) & set('"\r\n\0'):
        raise BadValueError(f"{text!r} cannot separate cells: it must be a character such as ;")
    return found


def time_format(text: str) -> None:
    """Refuse what is no notation of moments."""
    try:
        TimeFormat(text)
    except ValueError as error:
        raise SimulatorError(f"time-format is {error}") from None


def zone(text: str) -> None:
    """Refuse what is no time zone."""
    try:
        zone_of(text)
    except StreamError as error:
        raise SimulatorError(f"clock-zone: {error}") from None


def code(text: str) -> float | str:
    """Return a number, or a word in lowercase."""
    try:
        return float(text)
    except ValueError:
        return text.strip().lower()


def gamma(text: str) -> float | None:
    """Return a width, or None for ``auto``."""
    if text == "auto":
        return None
    try:
        return float(text)
    except ValueError:
        raise BadValueError(f"{text!r} is neither 'auto' nor a number") from None


def leak(text: str) -> int:
    """Return the bytes of ``leak=SIZE``."""
    kind, _, size = text.partition("=")
    try:
        nbytes = parse_bytes(size)
    except ValueError:
        nbytes = 0
    if kind != "leak" or nbytes < 1:
        raise BadValueError(f"{text!r} is not leak=SIZE, as in leak=64B")
    return nbytes


def parameter(text: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise BadValueError(f"{text!r} is not NAME=VALUE, as in eta=0.1")
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    words |= {word: float(word) for word in ("inf", "-inf", "nan")}
    if value.lower() in words:
        return name, words[value.lower()]
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def written(pair: tuple[str, Any]) -> str:
    """Return name and value as ``NAME=VALUE``."""
    name = getattr(pair[1], "name", None)  # a member of an enum
    return f"{pair[0]}={name.lower() if isinstance(name, str) else pair[1]}"


def words(text: str) -> tuple[str, ...]:
    """Return the words of ``A,B,C``; a quoted word, as in CSV, may contain commas."""
    try:
        found = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise BadValueError(
            f"{text!r} is not a list of names, as in 'A,B,\"C, D\"': {error}"
        ) from None
    return tuple(word.strip() for word in found if word.strip())


def caps(text: str) -> list[str]:
    """Return the caps of ``1KiB,4KiB``."""
    sizes = [size for size in text.split(",") if size]
    try:
        good = bool(sizes) and all(parse_bytes(size) > 0 for size in sizes)
    except ValueError:
        good = False
    if not good:
        raise BadValueError(f"{text!r} is not a list of sizes, as in 1KiB,4KiB,16KiB")
    return sizes


def counts(text: str) -> list[int]:
    """Return the numbers of ``128,256``, each a whole number of at least 1."""
    return [count(word.strip()) for word in text.split(",")]


def label_delay(value: int | str) -> tuple[float, bool]:
    """Return the delay of labels, and whether it is in seconds.

    Raises SimulatorError: it is neither a number of rows nor of seconds.
    """
    text = str(value).strip()
    in_seconds = text.endswith("s")
    try:
        delay = float(text.removesuffix("s"))
    except ValueError:
        delay = -1.0
    if not 0.0 <= delay < float("inf") or (not in_seconds and delay != int(delay)):
        raise SimulatorError(
            f"label-delay is {value!r}, it must be a number of rows, as in 20, or of seconds, as "
            "in 90s"
        )
    return delay, in_seconds


def power_cut(text: str) -> tuple[str, float]:
    """Return kind and number of an option such as ``every=5000``.

    Raises SimulatorError: the option is invalid.
    """
    kind, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = 0.0
    is_count = kind in ("every", "at") and value == int(value) and value >= 1
    if not (is_count or (kind == "random" and 0.0 < value < 1.0)):
        raise SimulatorError(f"power-cut is {text!r}, it must be {_CUTS}")
    return kind, value


def canonical(algorithm: str) -> str:
    """Return the library's spelling of an algorithm; unknown names are returned unchanged."""
    lower = algorithm.lower()
    return lower if lower in {row.name for row in ek.algorithms()} else algorithm


def offset_of(kernel: str, given: float | None) -> float | None:
    """Return the constant term of a kernel: the given one or its default; None if it has none."""
    own = OFFSETS.get(kernel)
    return own if own is None or given is None else given


@lru_cache
def storage_of(algorithm: str) -> str:
    """Return the default storage type of an algorithm."""
    try:
        return str(ek.plan(algorithm, n_features=1, budget=64).dtype)
    except (TypeError, ValueError):
        return "float32"  # the error is raised where the learner is planned


def included(word: str) -> None:
    """Check what a cap includes.

    Raises SimulatorError: it is neither the stack nor the buffers.
    """
    if word not in ("stack", "buffers"):
        raise SimulatorError(f"cap-includes is {word!r}, it must be one of: stack, buffers")
