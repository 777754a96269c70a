"""From the words of an option to its value."""

from __future__ import annotations

import argparse
import ast
import csv
from typing import Any

from edgeolk import parse_bytes


def count(text: str) -> int:
    """Return a whole number of at least 1.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none.
    """
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def failures(text: str) -> str | int:
    """Return ``never``, ``any``, ``all``, or a number of at least 1.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none of these.
    """
    if text in ("never", "any", "all"):
        return text
    try:
        return count(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, nor never, any or all") from None


def duration(text: str) -> float:
    """Return a number of seconds above 0.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


def gamma(text: str) -> float | None:
    """Return a width, or None for one that is to be chosen.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none.
    """
    if text == "auto":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'auto' nor a number") from None


def leak(text: str) -> int:
    """Return the bytes of ``leak=SIZE``.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none.
    """
    kind, _, size = text.partition("=")
    try:
        nbytes = parse_bytes(size)
    except ValueError:
        nbytes = 0
    if kind != "leak" or nbytes < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not leak=SIZE, as in leak=64B")
    return nbytes


def parameter(text: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE, as in eta=0.1")
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    words |= {word: float(word) for word in ("inf", "-inf", "nan")}
    if value.lower() in words:
        return name, words[value.lower()]
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def words(text: str) -> tuple[str, ...]:
    """Return the words of ``A,B,C``; one in quotes, as in CSV, may hold commas.

    Raises
    ------
    argparse.ArgumentTypeError
        A quotation has no end, or something follows it.
    """
    try:
        found = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of names, as in 'A,B,\"C, D\"': {error}"
        ) from None
    return tuple(word.strip() for word in found if word.strip())


def nbytes(text: str) -> int:
    """Return the bytes of a size that is known to be one."""
    return int(parse_bytes(text))


def caps(text: str) -> list[str]:
    """Return the caps of ``1KiB,4KiB``.

    Raises
    ------
    argparse.ArgumentTypeError
        The words are none.
    """
    sizes = [size for size in text.split(",") if size]
    try:
        good = bool(sizes) and all(parse_bytes(size) > 0 for size in sizes)
    except ValueError:
        good = False
    if not good:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of sizes, as in 1KiB,4KiB,16KiB")
    return sizes
