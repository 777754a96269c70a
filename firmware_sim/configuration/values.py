"""From the words of an option to its value; what they cannot mean is a `BadValueError`."""

from __future__ import annotations

import argparse
import ast
import csv
from typing import Any

from edgeolk import parse_bytes
from firmware_sim.errors import SimulatorError
from firmware_sim.streams.dates import TimeFormat


class BadValueError(argparse.ArgumentTypeError, ValueError):
    """Words that are no value; argparse and the reader of manifests both tell the message."""


def count(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise BadValueError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def flag(text: str) -> bool:
    """Return whether a cell says yes."""
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


def code(text: str) -> float | str:
    """Return a number, or a word in small letters."""
    try:
        return float(text)
    except ValueError:
        return text.strip().lower()


def gamma(text: str) -> float | None:
    """Return a width, or None for one that is to be chosen."""
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
    """Return the words of ``A,B,C``; one in quotes, as in CSV, may hold commas."""
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
